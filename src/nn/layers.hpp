// SPDX-License-Identifier: BSD-3-Clause
// The rows that the layers' own files hand to the registry.
#pragma once

#include "nn/layer.hpp"

namespace parley {

LayerRow dense_row();
LayerRow relu_row();
LayerRow leaky_relu_row();
LayerRow tanh_row();
LayerRow sigmoid_row();

}  // namespace parley

# SPDX-License-Identifier: BSD-3-Clause
"""The quadratic game of a file, seen through the field tool: M_m z + q_m, and losses whose
differences are the field."""

import numpy as np
from support.field_tool import differences, evaluate
from support.runner import write_quadratic

DECK = """[run]
agents = 3
precision = "double"
[game]
kind = "quadratic"
file = "FILE"
[method]
kind = "dposg"
"""


def test_field_and_losses(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", 3, 4, 5)
    deck = DECK.replace("FILE", str(tmp_path / "game.h5"))
    z = np.random.default_rng(1).normal(size=(2, 3, 9))
    found = evaluate(tmp_path, deck, z)
    expected = np.einsum("mij,nmj->nmi", matrices, z) + vectors
    np.testing.assert_allclose(found["field"], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found["prox"], z)
    np.testing.assert_array_equal(found["loss_y"], -found["loss_x"])
    for agent in range(3):
        slopes = differences(tmp_path, deck, z[1], agent, 4)
        np.testing.assert_allclose(slopes, expected[1, agent], rtol=1e-6, atol=1e-8)

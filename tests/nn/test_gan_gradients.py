# SPDX-License-Identifier: BSD-3-Clause
"""Fields and losses of the GAN oracle against PyTorch's double backward, per block and overall.

The truth is computed in double on the very numbers (parameters, batch, noise) that the tool used.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
import torch

from reference import twin

TOOLS = pathlib.Path(os.environ.get("PARLEY_TOOLS", "build/release/tests"))
TOLERANCE = {"single": 5e-6, "double": 1e-11}
LEAKY = {"kind": "leaky_relu", "slope": 0.2}


def dense(width, **options):
    return {"kind": "dense", "width": width, **options}


def act(kind):
    return {"kind": kind}


# name: (noise, features, batch, generator, discriminator)
NETWORKS = {
    "mixture": (2, 2, 64, [dense(48), act("relu"), dense(48), act("relu"), dense(2)],
                [dense(48), LEAKY, dense(48), LEAKY, dense(1)]),
    "image": (16, 64, 20, [dense(40), act("relu"), dense(64), act("tanh")],
              [dense(50), LEAKY, dense(30), LEAKY, dense(1)]),
    "batch-of-one": (3, 5, 1, [dense(7), LEAKY, dense(5)],
                     [dense(9), act("relu"), dense(6), LEAKY, dense(1)]),
    "smooth": (4, 6, 17, [dense(11), act("sigmoid"), dense(6), act("tanh")],
               [dense(13), act("tanh"), dense(8), act("sigmoid"), dense(1)]),
    "smooth-of-one": (4, 3, 1, [dense(5), act("tanh"), dense(3)],
                      [dense(6), act("sigmoid"), dense(1)]),
    "mixed": (3, 7, 33, [dense(12, bias=False), act("tanh"), act("relu"), dense(7)],
              [dense(15), LEAKY, dense(10), act("tanh"), act("sigmoid"), dense(4, bias=False),
               act("relu"), dense(1), act("tanh")]),
    "linear": (2, 3, 8, [dense(3)], [dense(1)]),
    "activation-first": (5, 4, 12, [act("tanh"), dense(4)], [act("sigmoid"), dense(6), LEAKY,
                                                            dense(1)]),
    "deep": (8, 12, 40, [dense(24), act("relu"), dense(24), LEAKY, dense(12), act("tanh")],
             [dense(32), LEAKY, dense(24), LEAKY, dense(16), act("relu"), dense(1)]),
}


def to_toml(layers):
    tables = []
    for layer in layers:
        pairs = [f"{key} = {json.dumps(value)}" for key, value in layer.items()]
        tables.append("{ " + ", ".join(pairs) + " }")
    return "[" + ", ".join(tables) + "]"


def run_tool(folder, precision, network, loss, init):
    noise, features, batch, generator, discriminator = NETWORKS[network]
    deck = folder / "deck.toml"
    penalty = "penalty = 3.0\n" if loss == "wgan-gp" else ""
    deck.write_text(f'[game]\nkind = "gan"\nloss = "{loss}"\n{penalty}noise = {noise}\n'
                    f'init = "{init}"\ngenerator = {to_toml(generator)}\n'
                    f'discriminator = {to_toml(discriminator)}\n[method]\nkind = "none"\n')
    output = folder / "field.bin"
    subprocess.run([TOOLS / f"gan_field_tool.{precision}", deck, str(features), str(batch), "7",
                    output], check=True)
    sizes = json.loads((folder / "field.bin.json").read_text())
    values, arrays, begin = np.fromfile(output), {}, 0
    for name, size in sizes["arrays"]:
        arrays[name] = values[begin:begin + size]
        begin += size
    half = len(sizes["blocks"]) // 2
    return arrays, sizes["blocks"][:half]


def field_of_torch(network, loss, arrays, dtype=torch.float64):
    noise, features, batch, generator_layers, discriminator_layers = NETWORKS[network]
    players = (twin.build_network(generator_layers, noise, dtype),
               twin.build_network(discriminator_layers, features, dtype))
    count = sum(p.numel() for p in players[0].parameters())
    twin.load_parameters(players[0], arrays["z"][:count])
    twin.load_parameters(players[1], arrays["z"][count:])
    tensors = (torch.from_numpy(arrays["real"]).reshape(batch, features).to(dtype),
               torch.from_numpy(arrays["noise"]).reshape(batch, noise).to(dtype),
               torch.from_numpy(arrays["mix"]).reshape(batch, 1).to(dtype))
    field_x, field_y, loss_x, loss_y = twin.evaluate_field(players, loss, tensors, 3.0)
    return [g.numpy().ravel() for g in field_x + field_y], (loss_x, loss_y)


def distance(mine, truth, scale):
    return np.linalg.norm(mine - truth) / scale if scale > 0 else np.linalg.norm(mine)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("loss", twin.LOSSES)
@pytest.mark.parametrize("network", NETWORKS)
def test_field_equals_autograd(tmp_path, network, loss, precision):
    init = "uniform" if loss in ("wgan-gp", "hinge") else "he"
    arrays, blocks = run_tool(tmp_path, precision, network, loss, init)
    truth, losses = field_of_torch(network, loss, arrays)
    tolerance = TOLERANCE[precision]
    assert len(truth) == len(blocks) and sum(size for _, size in blocks) == arrays["field"].size
    whole = np.concatenate(truth)
    assert np.linalg.norm(whole) > 0
    assert distance(arrays["field"], whole, np.linalg.norm(whole)) < tolerance
    rounded, _ = field_of_torch(network, loss, arrays, torch.float32)
    begin = 0
    for (name, size), block, single in zip(blocks, truth, rounded):
        mine = arrays["field"][begin:begin + size]
        begin += size
        # A block that vanishes identically (the last bias of a Wasserstein critic) is compared with
        # the whole field instead; one that nearly cancels, with what PyTorch loses on it in single.
        norm = np.linalg.norm(block)
        scale = norm if norm > 1e-9 * np.linalg.norm(whole) else np.linalg.norm(whole)
        lost = 3 * distance(single, block, scale) if precision == "single" else 0
        assert distance(mine, block, scale) < max(tolerance, lost), name
    np.testing.assert_allclose(arrays["losses"], losses, rtol=tolerance, atol=tolerance)

# SPDX-License-Identifier: BSD-3-Clause
"""Ten training iterations of a GAN by the whole binary, in double, against PyTorch on the same batches,
noise and interpolation: the parameters agree to 1e-8 of the distance that they moved.
"""

import h5py
import numpy as np
import pytest
import torch
from reference import twin
from support import philox
from support.runner import run_well

ROWS, FEATURES, NOISE, BATCH, SEED, ITERATIONS = 50, 6, 3, 16, 11, 10
BETAS, STEPS = (0.5, 0.9), (3e-3, 5e-3)
GENERATOR = [{"kind": "dense", "width": 12}, {"kind": "relu"}, {"kind": "dense", "width": FEATURES},
             {"kind": "tanh"}]
PIECEWISE = [{"kind": "dense", "width": 14}, {"kind": "leaky_relu", "slope": 0.2},
             {"kind": "dense", "width": 9}, {"kind": "leaky_relu", "slope": 0.2},
             {"kind": "dense", "width": 1}]
SMOOTH = [{"kind": "dense", "width": 14}, {"kind": "tanh"}, {"kind": "dense", "width": 1}]


def toml(layers):
    tables = ("{ " + ", ".join(f"{k} = {v!r}".replace("'", '"') for k, v in layer.items()) + " }"
              for layer in layers)
    return "[" + ", ".join(tables) + "]"


def deck(loss, method, iterations, critic):
    penalty = "penalty = 2.0\n" if loss == "wgan-gp" else ""
    return f"""[run]
precision = "double"
seed = {SEED}
iterations = {iterations}
output = "OUTPUT"
[data]
kind = "file"
file = "data.h5"
partition = {{ kind = "contiguous" }}
[game]
kind = "gan"
loss = "{loss}"
{penalty}noise = {NOISE}
init = "uniform"
generator = {toml(GENERATOR)}
discriminator = {toml(critic)}
[method]
kind = "{method}"
step = {{ x = {STEPS[0]}, y = {STEPS[1]} }}
beta1 = {BETAS[0]}
beta2 = {BETAS[1]}
batch = {BATCH}
[record]
samples = 0
"""


def batch_of(data, draw):
    rows = philox.below(SEED, philox.BATCH, 0, draw, BATCH, ROWS)
    noise = philox.normal(SEED, philox.NOISE, 0, draw, BATCH * NOISE).reshape(BATCH, NOISE)
    mix = philox.uniform(SEED, philox.INTERPOLATION, 0, draw, BATCH).reshape(BATCH, 1)
    return tuple(torch.from_numpy(np.ascontiguousarray(a)) for a in (data[rows], noise, mix))


def train(start, data, loss, method, critic):
    """The parameters after the iterations, by PyTorch."""
    players = (twin.build_network(GENERATOR, NOISE, torch.float64),
               twin.build_network(critic, FEATURES, torch.float64))
    count = sum(p.numel() for p in players[0].parameters())
    twin.load_parameters(players[0], start[:count])
    twin.load_parameters(players[1], start[count:])
    kinds = {"adam": lambda p, lr: torch.optim.Adam(p, lr=lr, betas=BETAS),
             "dp-oadam": lambda p, lr: twin.OptimisticAdam(p, lr, BETAS)}
    optimizers = [kinds[method](list(player.parameters()), step)
                  for player, step in zip(players, STEPS)]
    for k in range(ITERATIONS):
        fields = twin.evaluate_field(players, loss, batch_of(data, k), 2.0)[:2]
        for player, optimizer, field in zip(players, optimizers, fields):
            if method == "dp-oadam":
                optimizer.step(field)
                continue
            for parameter, gradient in zip(player.parameters(), field):
                parameter.grad = gradient.clone()
            optimizer.step()
    return np.concatenate([twin.pack_parameters(player) for player in players])


@pytest.mark.parametrize("method", ["adam", "dp-oadam"])
@pytest.mark.parametrize("loss, critic", [("wgan-gp", PIECEWISE), ("wgan-gp", SMOOTH),
                                          ("non-saturating", PIECEWISE), ("hinge", SMOOTH)])
def test_ten_iterations(tmp_path, loss, critic, method):
    data = np.random.default_rng(5).normal(size=(ROWS, FEATURES))
    for folder in (tmp_path / "start", tmp_path / "end"):
        folder.mkdir()
        with h5py.File(folder / "data.h5", "w") as file:
            file["x"] = data
            file.attrs.update(value_min=-9.0, value_max=9.0, classes=0, source="random",
                              importer="test")
    start = run_well(tmp_path / "start", deck(loss, method, 0, critic)).parameters()[0]
    mine = run_well(tmp_path / "end", deck(loss, method, ITERATIONS, critic)).parameters()[0]
    truth = train(start, data, loss, method, critic)
    moved = np.linalg.norm(truth - start)
    assert moved > 1e-2
    assert np.linalg.norm(mine - truth) < 1e-8 * moved


def test_philox_knows_the_published_answers():
    """Known answers of Philox-4x32-10 as published with Random123."""
    ones = 0xFFFFFFFF
    cases = [((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
             ((ones,) * 4, (ones,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD))]
    for counter, key, answer in cases:
        assert tuple(philox.philox(np.array([counter], np.uint64), key)[0]) == answer

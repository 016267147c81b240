# SPDX-License-Identifier: BSD-3-Clause
"""robust-network against PyTorch: fields, losses and accuracies on the very rows that the game
draws; a run that learns and that depends neither on ranks nor on a restart."""

import json

import h5py
import numpy as np
import pytest
import torch
from reference import twin
from support import philox
from support.field_tool import evaluate
from support.runner import (TIMES, command, different_columns, run_well, same_bits, write_deck)
from torch.nn import functional

LEAKY = {"kind": "leaky_relu", "slope": 0.2}
# name: (sample shape, classes, layers)
NETWORKS = {
    "piecewise": ((6,), 4, [{"kind": "dense", "width": 9}, {"kind": "relu"},
                            {"kind": "dense", "width": 7}, LEAKY, {"kind": "dense", "width": 4}]),
    "smooth": ((1, 2, 5), 3, [{"kind": "dense", "width": 8}, {"kind": "tanh"},
                              {"kind": "dense", "width": 5, "bias": False}, {"kind": "sigmoid"},
                              {"kind": "dense", "width": 3}]),
    "linear": ((3,), 2, [{"kind": "dense", "width": 2}]),
}
WEIGHT = 0.3


def layers_toml(layers):
    return "[" + ", ".join("{ " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in layer.items())
                           + " }" for layer in layers) + "]"


def write_data(file, shape, classes, rows, seed=1, noise=1.0):
    """Rows around one centre per class."""
    random = np.random.default_rng(seed)
    centers = np.random.default_rng(9).normal(size=(classes, *shape))
    y = random.integers(classes, size=rows)
    x = np.clip(centers[y] + noise * random.normal(size=(rows, *shape)), -6, 6)
    with h5py.File(file, "w") as out:
        out["x"], out["y"] = x, y.astype(np.int64)
        out.attrs["value_min"], out.attrs["value_max"] = -6.0, 6.0
        out.attrs["classes"] = np.int64(classes)
    return x, y


def deck_of(folder, network, agents=2, iterations=1, precision="double", more="", batch=0):
    shape, classes, layers = NETWORKS[network]
    return f"""[run]
agents = {agents}
iterations = {iterations}
precision = "{precision}"
output = "OUTPUT"
[game]
kind = "robust-network"
weight = {WEIGHT}
network = {layers_toml(layers)}
[data]
kind = "file"
file = "{folder / 'train.h5'}"
test_file = "{folder / 'test.h5'}"
scale = "none"
partition.kind = "contiguous"
[method]
kind = "dposg"
batch = {batch}
step = {{ x = 0.1, y = 0.1 }}
{more}
"""


def write_both(folder, network, rows=40, held_out=31, noise=1.0):
    shape, classes, _ = NETWORKS[network]
    return (write_data(folder / "train.h5", shape, classes, rows, 1, noise),
            write_data(folder / "test.h5", shape, classes, held_out, 2, noise))


def truth(network, z, x, y, dtype=torch.float64):
    """(field, loss) of one agent by autograd."""
    shape, _, layers = NETWORKS[network]
    features = int(np.prod(shape))
    net = twin.build_network(layers, features, dtype)
    twin.load_parameters(net, z[:-features])
    shift = torch.tensor(z[-features:], dtype=dtype, requires_grad=True)
    samples = torch.as_tensor(x.reshape(len(x), features), dtype=dtype)
    loss = (functional.cross_entropy(net(samples + shift), torch.as_tensor(y))
            - WEIGHT * shift.square().sum())
    slopes = torch.autograd.grad(loss, [*net.parameters(), shift])
    field = np.concatenate([g.numpy().ravel() for g in slopes])
    field[-features:] *= -1
    return field, loss.item()


def points(network, agents, seed=3):
    shape, _, layers = NETWORKS[network]
    features = int(np.prod(shape))
    net = twin.build_network(layers, features)
    dim = sum(p.numel() for p in net.parameters()) + features
    return np.random.default_rng(seed).normal(scale=0.5, size=(agents, dim))


@pytest.mark.parametrize("batch", [0, 1, 7])
@pytest.mark.parametrize("network", NETWORKS)
def test_field_equals_autograd(tmp_path, network, batch):
    (x, y), _ = write_both(tmp_path, network)
    z = points(network, 2)
    found = evaluate(tmp_path, deck_of(tmp_path, network), z, batch=batch, draw=5)
    for agent in range(2):
        rows = 20 * agent + (np.arange(20) if batch == 0 else
                             philox.below(1, philox.BATCH, agent, 5, batch, 20))
        field, loss = truth(network, z[agent], x[rows], y[rows])
        np.testing.assert_allclose(found["field"][agent], field, rtol=1e-10, atol=1e-12)
        assert found["loss_x"][agent] == pytest.approx(loss, abs=1e-12)
        assert found["loss_y"][agent] == -found["loss_x"][agent]


def test_accuracies_count_the_held_out_rows(tmp_path):
    _, (x, y) = write_both(tmp_path, "piecewise", held_out=701)
    shape, _, layers = NETWORKS["piecewise"]
    z = np.repeat(points("piecewise", 1), 2, axis=0)
    found = evaluate(tmp_path, deck_of(tmp_path, "piecewise"), z)
    net = twin.build_network(layers, 6, torch.float64)
    twin.load_parameters(net, z[0, :-6])
    for name, shift in (("accuracy", 0), ("accuracy_perturbed", z[0, -6:])):
        with torch.no_grad():
            right = net(torch.as_tensor(x + shift)).argmax(1).numpy() == y
        assert 0.02 < right.mean() < 0.98
        np.testing.assert_allclose(found[name], [right[:350].sum() / 701, right[350:].sum() / 701],
                                   atol=1e-15)


def test_the_perturbation_stays_in_its_ball(tmp_path):
    write_both(tmp_path, "linear")
    z = points("linear", 2)
    deck = deck_of(tmp_path, "linear").replace(f"weight = {WEIGHT}",
                                               f"weight = {WEIGHT}\nradius = 0.1")
    expected = z.copy()
    expected[:, -3:] *= np.minimum(1, 0.1 / np.linalg.norm(z[:, -3:], axis=1, keepdims=True))
    np.testing.assert_allclose(evaluate(tmp_path, deck, z)["prox"], expected, atol=1e-15)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_a_run_learns_on_any_number_of_ranks(tmp_path, precision):
    write_both(tmp_path, "piecewise", rows=600, held_out=200, noise=0.5)
    deck = deck_of(tmp_path, "piecewise", 4, 300, precision, "[record]\nevery = 100\n", batch=16)
    code, plan = command("check", write_deck(tmp_path, deck))
    assert code == 0 and "6 of y" in plan
    one = run_well(tmp_path / "one", deck)
    log = one.log()
    assert log["accuracy"][0] < 0.6 and log["accuracy"][-1] > 0.95
    assert log["accuracy_perturbed"][-1] <= log["accuracy"][-1] + 0.02
    assert np.linalg.norm(one.snapshot()["mean"].ravel()[-6:]) > 1e-3
    three = run_well(tmp_path / "three", deck, ranks=3)
    assert not different_columns(log, three.log(), (*TIMES, "bytes"))
    assert same_bits(one.parameters(), three.parameters())


def test_layers_that_do_not_fit_are_refused(tmp_path):
    write_both(tmp_path, "piecewise")
    deck = deck_of(tmp_path, "piecewise")
    assert "width = 4 }]" in deck
    code, output = command("check", write_deck(tmp_path,
                                               deck.replace("width = 4 }]", "width = 5 }]")))
    assert code == 2 and "give the last dense layer width = 4" in output
    assert "deck.toml:" in output


def test_data_without_labels_are_refused(tmp_path):
    write_both(tmp_path, "linear")
    for name in ("train.h5", "test.h5"):
        with h5py.File(tmp_path / name, "r+") as file:
            del file["y"]
            file.attrs["classes"] = np.int64(0)
    code, output = command("check", write_deck(tmp_path, deck_of(tmp_path, "linear")))
    assert code == 2 and "needs data with labels" in output and "deck.toml:" in output

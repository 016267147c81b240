# SPDX-License-Identifier: BSD-3-Clause
"""Averages of the iterates over iterations: /average and the columns _avg against NumPy's averages
of the snapshots of every iteration, on any number of ranks and across a restart.
"""

import h5py
import numpy as np
import pytest
from support.philox import uniform
from support.runner import command, run, run_alone, run_well, same_bits, write_deck, write_quadratic

AGENTS, DX, DY = 5, 3, 2
ITERATIONS = 24
SEED = 6
AVERAGE = 20  # core/sample.hpp

DECK = f"""[run]
name = "averages"
agents = {AGENTS}
iterations = {ITERATIONS}
precision = "double"
seed = {SEED}
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
[init]
agents = "per_agent"
[record]
every = 1
snapshot_every = 1
restart_every = 10
[method]
step.x = 0.1
step.y = 0.15
"""
DPOSG = DECK + 'kind = "dposg"\n'


def points(result):
    """Rows after iteration k = 1, 2, ... of a run whose z() is what is averaged."""
    return np.array([result.snapshot(k)["parameters"] for k in range(1, ITERATIONS + 1)])


def chosen(k):
    """The iterate that stands at iteration k: j replaces the one before with probability 1/j."""
    return max(j for j in range(1, k + 1) if uniform(SEED, AVERAGE, 0, j, 1)[0] * j <= 1)


def average(kind, rows, k):
    if kind == "random":
        return rows[chosen(k) - 1].mean(0)
    weights = np.ones(k) if kind == "uniform" else np.arange(1, k + 1)
    return np.average(rows[:k], axis=0, weights=weights).mean(0)


@pytest.mark.parametrize("kind", ("uniform", "linear", "random"))
def test_averages(tmp_path, kind):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    result = run_well(tmp_path, DPOSG + f'iterate_average = "{kind}"\n', ranks=2)
    rows = points(result)
    solution = np.linalg.solve(matrices.mean(0), -vectors.mean(0))
    distances = result.log()["distance_to_solution_avg"]
    for k in range(1, ITERATIONS + 1):
        expected = average(kind, rows, k)
        snapshot = result.snapshot(k)
        assert set(snapshot) == {"parameters", "mean", "average"}
        np.testing.assert_allclose(snapshot["average"], expected, rtol=0, atol=1e-13)
        assert distances[k] == pytest.approx(np.linalg.norm(expected - solution), rel=1e-11)
    assert np.abs(snapshot["average"] - snapshot["mean"]).max() > 1e-3


def test_extra_step_methods_average_their_half_points(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = DECK + 'kind = "extra-step-local-sgd"\nlocal_steps = 3\niterate_average = "linear"\n'
    result = run_well(tmp_path, deck, ranks=2)
    z = np.array(run_alone(tmp_path / "start", deck.replace(
        f"iterations = {ITERATIONS}", "iterations = 0").replace(
            "game.h5", str(tmp_path / "game.h5"))).parameters())
    eta = np.array([0.1] * DX + [0.15] * DY)
    halves = []
    for k in range(1, ITERATIONS + 1):
        halves.append(z - eta * (np.einsum("mij,mj->mi", matrices, z) + vectors))
        z = z - eta * (np.einsum("mij,mj->mi", matrices, halves[-1]) + vectors)
        if k % 3 == 0:
            z = np.tile(z.mean(0), (AGENTS, 1))
    np.testing.assert_allclose(result.parameters(), z, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.snapshot()["average"],
                               average("linear", np.array(halves), ITERATIONS), rtol=0, atol=1e-12)


def softmax(logits):
    """Strategies of both players of rock-paper-scissors, row by row."""
    weights = np.exp(logits.reshape(*logits.shape[:-1], 2, 3))
    return (weights / weights.sum(-1, keepdims=True)).reshape(logits.shape)


@pytest.mark.parametrize("kind", ("ema", "uniform"))
def test_games_in_dual_coordinates_average_their_points(tmp_path, kind):
    """Logits in the rows; averages of the strategies, and their logits in the snapshot."""
    key = "ema = 0.8" if kind == "ema" else 'iterate_average = "uniform"'
    deck = DPOSG.replace('kind = "quadratic"\nfile = "game.h5"', 'kind = "matrix_game"\n'
                         'geometry = "entropy"\nstart = 1.0') + key + "\n"
    result = run_well(tmp_path, deck, ranks=2)
    played = softmax(np.array([result.snapshot(k)["parameters"]
                               for k in range(1, ITERATIONS + 1)]))
    if kind == "uniform":
        expected = played.mean(axis=(0, 1))
    else:
        expected = softmax(run_alone(tmp_path / "start", deck.replace(
            f"iterations = {ITERATIONS}", "iterations = 0")).parameters())
        for points_of_one in played:
            expected = 0.8 * expected + 0.2 * points_of_one
        expected = expected.mean(0)
    name = "average" if kind == "uniform" else "ema"
    np.testing.assert_allclose(softmax(result.snapshot()[name]), expected, rtol=0, atol=1e-12)
    # Rock-paper-scissors: the best answer to the mean strategies against each player.
    a = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    gap = (a @ expected[:3]).max() - (expected[3:] @ a).min()
    suffix = "avg" if kind == "uniform" else "ema"
    assert result.log()[f"gap_{suffix}"][-1] == pytest.approx(gap, rel=1e-9)


def test_random_iterates_are_uniform():
    """The transcription's own rule: each of 1..10 is chosen once in ten."""
    draws = np.array([[uniform(seed, AVERAGE, 0, j, 1)[0] * j <= 1 for j in range(1, 11)]
                      for seed in range(3000)])
    last = 10 - np.argmax(draws[:, ::-1], axis=1)
    counts = np.bincount(last, minlength=11)[1:]
    assert np.abs(counts - 300).max() < 5 * np.sqrt(3000 * 0.09)


@pytest.mark.parametrize("kind", ("uniform", "random"))
def test_a_resumed_average_has_the_same_bits(tmp_path, kind):
    deck = DPOSG + f'iterate_average = "{kind}"\n'
    for name in ("whole", "half"):
        (tmp_path / name).mkdir()
        write_quadratic(tmp_path / name / "game.h5", AGENTS, DX, DY)
    whole = run_well(tmp_path / "whole", deck, ranks=1)
    run_well(tmp_path / "half", deck, ranks=3, words=("--set", "run.iterations=10"))
    resumed = run_well(tmp_path / "half", deck, ranks=2, words=("--resume", "require"))
    assert "resumed at iteration 10" in resumed.output
    assert same_bits(whole.snapshot()["average"], resumed.snapshot()["average"])


def test_a_run_starts_from_an_average(tmp_path):
    write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    first = run_well(tmp_path, DPOSG + 'iterate_average = "linear"\n')
    file = first.folder / "snapshots" / f"{ITERATIONS:08}.h5"
    (tmp_path / "next").mkdir()
    write_quadratic(tmp_path / "next" / "game.h5", AGENTS, DX, DY)
    deck = DPOSG.replace('agents = "per_agent"', f'snapshot = "{file}"\nfrom = "average"').replace(
        f"iterations = {ITERATIONS}", "iterations = 0")
    rows = run_well(tmp_path / "next", deck).parameters()
    assert same_bits(rows, np.tile(first.snapshot()["average"], (AGENTS, 1)))


def test_samples_come_from_the_average(tmp_path):
    deck = DECK.replace('kind = "quadratic"\nfile = "game.h5"', """kind = "gan"
noise = 2
generator = [{ kind = "dense", width = 2 }]
discriminator = [{ kind = "dense", width = 1 }]
[data]
kind = "ring"
samples = 100""") + 'kind = "dposg"\nbatch = 4\niterate_average = "uniform"\n'
    result = run_well(tmp_path, deck)
    with h5py.File(result.folder / "snapshots" / f"{ITERATIONS:08}.h5") as file:
        assert file["samples"].attrs["source"] in ("average", b"average")


def test_one_average_at_a_time(tmp_path):
    deck = DPOSG + 'ema = 0.9\niterate_average = "uniform"\n'
    code, text = command("check", write_deck(tmp_path, deck))
    assert code == 2
    assert 'method.iterate_average = "uniform": ema is set as well: keep one of them' in text


def test_an_average_over_many_iterations_keeps_its_weights(tmp_path):
    """Single precision: the rounding of the weights 1/k must not add up."""
    deck = """[run]
name = "long"
iterations = 100000
output = "OUTPUT"
[game]
kind = "bilinear"
start = 1.0
[record]
every = 100000
[method]
kind = "dposg"
step = { x = 0, y = 0 }
iterate_average = "uniform"
"""
    result = run(tmp_path, deck)
    assert result.code == 0, result.output
    snapshot = result.snapshot()
    np.testing.assert_allclose(snapshot["average"], snapshot["mean"], rtol=1e-6)

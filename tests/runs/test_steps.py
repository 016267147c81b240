# SPDX-License-Identifier: BSD-3-Clause
"""Schedules, clipping and step rules in whole runs: dposg against a transcription in NumPy whose
sizes are written down from the closed forms, and the sizes that `parley check` prints.
"""

import re

import numpy as np
import pytest
from support.runner import command, mixing_matrix, run_well, write_deck, write_quadratic

AGENTS, DX, DY = 5, 3, 2
ITERATIONS = 60
X, Y = 0.2, 0.3

DECK = f"""[run]
name = "steps"
agents = {AGENTS}
iterations = ITERATIONS
precision = "double"
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
[init]
agents = "per_agent"
[record]
every = 60
[method]
kind = "dposg"
"""
SIZES = f"step.x = {X}\nstep.y = {Y}\n"


def cosine(k, horizon, last):
    return last + (1 - last) * (1 + np.cos(np.pi * min(1, (k - 1) / horizon))) / 2


def inverse_sqrt(k, delay):
    return np.sqrt(delay / (delay + k - 1))


def piecewise(k):
    return 1 if k <= 10 else 0.5 if k <= 30 else 0.1


# Keys of the deck, and the sizes of both players at iteration k.
SCHEDULES = {
    "cosine": ('step.schedule = "cosine"\nstep.horizon = 40\nstep.final_factor = 0.2\n',
               lambda k: (X * cosine(k, 40, 0.2), Y * cosine(k, 40, 0.2))),
    "cosine-of-the-run": ('step.schedule = "cosine"\n',
                          lambda k: (X * cosine(k, ITERATIONS, 0), Y * cosine(k, ITERATIONS, 0))),
    "own-of-y": ('step.schedule = "inverse-sqrt"\nstep.delay = 5\nstep.schedule_y = "piecewise"\n'
                 "step.at = [10, 30]\nstep.factors = [0.5, 0.1]\n",
                 lambda k: (X * inverse_sqrt(k, 5), Y * piecewise(k))),
    "y-alone": ('step.schedule_y = "inverse-sqrt"\n', lambda k: (X, Y * inverse_sqrt(k, 1)))}


def clip(g, bounds):
    """Rows whose x and y parts are scaled down to norms of at most bounds; 0: any."""
    out = g.copy()
    for columns, bound in zip((slice(0, DX), slice(DX, DX + DY)), bounds, strict=True):
        norms = np.linalg.norm(g[:, columns], axis=1, keepdims=True)
        if bound > 0:
            out[:, columns] *= np.minimum(1, bound / norms)
    return out


def dposg(z, field, sizes, iterations):
    """Z = W X - eta_k G; G = G(Z); X = W X - eta_k G."""
    w, x, g = mixing_matrix("ring", AGENTS), z, field(z)
    for k in range(1, iterations + 1):
        eta = np.repeat(sizes(k), (DX, DY))
        z = w @ x - eta * g
        g = field(z)
        x = w @ x - eta * g
    return z


def start_of(folder, deck):
    """The rows that a run starts from: those of a run of no iterations."""
    return run_well(folder, deck.replace("ITERATIONS", "0"), words=("--overwrite",)).parameters()


def expect_transcription(folder, keys, sizes, bounds=(0, 0)):
    matrices, vectors = write_quadratic(folder / "game.h5", AGENTS, DX, DY, seed=3)
    deck = DECK + SIZES + keys
    start = start_of(folder, deck)
    rows = run_well(folder, deck.replace("ITERATIONS", str(ITERATIONS)), ranks=2,
                    words=("--overwrite",)).parameters()

    def field(z):
        return clip(np.einsum("mij,mj->mi", matrices, z) + vectors, bounds)

    expected = dposg(start, field, sizes, ITERATIONS)
    np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-12)
    return rows


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(tmp_path, name):
    expect_transcription(tmp_path, *SCHEDULES[name])


def test_clipping(tmp_path):
    """Bounds that bite for some agents and iterations and for one player only."""
    free = expect_transcription(tmp_path, "", lambda k: (X, Y))
    clipped = expect_transcription(tmp_path, "clip.x = 0.7\n", lambda k: (X, Y), (0.7, 0))
    assert np.abs(free - clipped).max() > 1e-3
    both = expect_transcription(tmp_path, "clip.x = 0.7\nclip.y = 0.4\n", lambda k: (X, Y),
                                (0.7, 0.4))
    assert np.abs(both - clipped).max() > 1e-3


def test_a_rule_takes_the_largest_l_of_the_agents(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY, seed=3)
    mean = matrices.mean(0)
    largest = np.linalg.norm(matrices, 2, axis=(1, 2)).max()
    mu = np.linalg.eigvalsh((mean + mean.T) / 2).min()
    deck = DECK + 'step.rule = "1/(4L)"\n'
    start = start_of(tmp_path, deck)
    code, text = command("check", write_deck(tmp_path, deck.replace("ITERATIONS", "60")))
    assert code == 0, text
    said = dict(re.findall(r"(x|y|L|L_max|mu) ([0-9.e+-]+)",
                           re.search("^step .*$", text, re.MULTILINE)[0]))
    expected = {"x": 1 / (4 * largest), "y": 1 / (4 * largest), "L": np.linalg.norm(mean, 2),
                "L_max": largest, "mu": mu}
    assert set(said) == set(expected)
    for name, value in expected.items():
        assert float(said[name]) == pytest.approx(value, rel=1e-5), name
    run = run_well(tmp_path, deck.replace("ITERATIONS", "60"), words=("--overwrite",))

    def field(z):
        return np.einsum("mij,mj->mi", matrices, z) + vectors

    size = 1 / (4 * largest)
    rows = dposg(start, field, lambda k: (size, size), 60)
    np.testing.assert_allclose(run.parameters(), rows, rtol=0, atol=1e-12)


def test_a_run_says_what_may_diverge(tmp_path):
    deck = DECK.replace("ITERATIONS", "1").replace(
        'kind = "quadratic"\nfile = "game.h5"', 'kind = "bilinear"\nsigma_min = 2\nsigma_max = 2')
    bold = run_well(tmp_path / "bold", deck + "step.x = 0.4\nstep.y = 0.4\n")
    assert "warning: eta L = 0.8 is above 0.577, the largest stable step of dposg" in bold.output
    careful = run_well(tmp_path / "careful", deck + "step.x = 0.2\nstep.y = 0.2\n")
    assert "warning" not in careful.output

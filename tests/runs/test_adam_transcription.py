# SPDX-License-Identifier: BSD-3-Clause
"""The Adam methods' trajectories against an independent transcription in NumPy, 200 iterations in
double precision. The transcription is written from the formulas, with a dense W.
"""

import numpy as np
import pytest
from support.runner import mixing_matrix, run_well, write_quadratic

AGENTS, DX, DY = 6, 4, 3
ITERATIONS = 200
KEPT = (50, 100, 150, ITERATIONS)
BETA1, BETA2, EPSILON = 0.6, 0.93, 1e-7
STEPS = np.array([0.004] * DX + [0.007] * DY)

DECK = f"""[run]
name = "adam"
agents = AGENTS
iterations = {ITERATIONS}
precision = "double"
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
[init]
agents = "START"
[record]
every = {ITERATIONS}
snapshot_every = 50
[method]
kind = "KIND"
step.x = {STEPS[0]}
step.y = {STEPS[-1]}
beta1 = {BETA1}
beta2 = {BETA2}
epsilon = {EPSILON}
"""


class Moments:
    """Adam's direction (Kingma & Ba 2015, algorithm 1) for rows of any number of agents."""

    def __init__(self, shape):
        self.m, self.v, self.count = np.zeros(shape), np.zeros(shape), 0

    def direction(self, g):
        self.count += 1
        self.m = BETA1 * self.m + (1 - BETA1) * g
        self.v = BETA2 * self.v + (1 - BETA2) * g**2
        m_hat = self.m / (1 - BETA1**self.count)
        v_hat = self.v / (1 - BETA2**self.count)
        return m_hat / (np.sqrt(v_hat) + EPSILON)


def run_deck(folder, kind, agents, extra, ranks, start="per_agent"):
    """(field, rows of the start, rows at the iterations of KEPT)."""
    folder.mkdir(exist_ok=True)
    matrices, vectors = write_quadratic(folder / "game.h5", agents, DX, DY, seed=8)
    deck = DECK.replace("AGENTS", str(agents)).replace("KIND", kind).replace("START", start) + extra
    # A run of no iterations tells the start, which belongs to the game, not to the method.
    zero = deck.replace(f"iterations = {ITERATIONS}", "iterations = 0")
    first = run_well(folder, zero, 1).parameters()
    result = run_well(folder, deck, ranks, ["--overwrite"])
    rows = [result.snapshot(k)["parameters"] for k in KEPT]

    def field(z):
        return np.einsum("mij,mj->mi", matrices, z) + vectors

    return field, first, rows


def expect_equal(rows, trajectory):
    for k, row in zip(KEPT, rows, strict=True):
        error = np.abs(row - trajectory[k]).max() / np.abs(trajectory[k]).max()
        assert error < 1e-12, f"iteration {k}: relative error {error}"
    assert np.abs(trajectory[ITERATIONS] - trajectory[0]).max() > 0.1


@pytest.mark.parametrize("moments", ("none", "v", "m,v"))
@pytest.mark.parametrize("order, graph, rounds, ranks",
                         [("overlap", "ring", 1, 2), ("post", "exponential", 2, 1)])
def test_dp_oadam(tmp_path, order, moments, graph, rounds, ranks):
    extra = (f'order = "{order}"\nmix_moments = "{moments}"\n'
             f'[graph]\nkind = "{graph}"\nrounds = {rounds}\n')
    field, u, rows = run_deck(tmp_path, "dp-oadam", AGENTS, extra, ranks)
    w = np.linalg.matrix_power(mixing_matrix(graph, AGENTS), rounds)
    adam, previous, trajectory = Moments(u.shape), np.zeros_like(u), [u]
    for _ in range(ITERATIONS):
        g = field(u)
        if moments in ("v", "m,v"):
            adam.v = w @ adam.v
        if moments == "m,v":
            adam.m = w @ adam.m
        d = adam.direction(g)
        if order == "overlap":
            u = w @ u - 2 * STEPS * d + STEPS * previous
        else:
            u = w @ (u - 2 * STEPS * d + STEPS * previous)
        previous = d
        trajectory.append(u)
    expect_equal(rows, trajectory)
    assert np.ptp(rows[-1], axis=0).max() > 1e-3


@pytest.mark.parametrize("ranks", (1, 2))
def test_cp_oadam(tmp_path, ranks):
    field, u, rows = run_deck(tmp_path, "cp-oadam", AGENTS, "", ranks, start="same")
    adam, previous, trajectory = Moments(u.shape), np.zeros_like(u), [u]
    for _ in range(ITERATIONS):
        d = adam.direction(np.broadcast_to(field(u).mean(0), u.shape))
        u = u - 2 * STEPS * d + STEPS * previous
        previous = d
        trajectory.append(u)
    expect_equal(rows, trajectory)
    assert np.ptp(rows[-1], axis=0).max() == 0


def test_adam(tmp_path):
    field, u, rows = run_deck(tmp_path, "adam", 1, "", 1)
    adam, trajectory = Moments(u.shape), [u]
    for _ in range(ITERATIONS):
        u = u - STEPS * adam.direction(field(u))
        trajectory.append(u)
    expect_equal(rows, trajectory)


def test_one_agent_follows_the_centralized_method(tmp_path):
    """M = 1: dp-oadam in either order is cp-oadam, to the bit."""
    rows = [run_deck(tmp_path / name, kind, 1, extra, 1)[2] for name, kind, extra in
            (("cp", "cp-oadam", ""), ("overlap", "dp-oadam", 'order = "overlap"\n'),
             ("post", "dp-oadam", 'order = "post"\n'))]
    for other in rows[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(rows[0], other, strict=True))

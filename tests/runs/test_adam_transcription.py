# SPDX-License-Identifier: BSD-3-Clause
"""The Adam methods' trajectories against an independent transcription in NumPy, 200 iterations in
double precision with a noisy oracle. The transcription is written from the formulas, with a dense
W.
"""

import dataclasses

import numpy as np
import pytest
from support.runner import mixing_matrix, same_bits
from support.trajectory import Setting, everywhere, expect_followed, run_rows

SETTING = Setting(step_x=0.004, step_y=0.007, noise=0.2, iterations=200, every=50)
STEPS, DX = SETTING.steps, SETTING.dim_x
BETA1, BETA2, EPSILON = 0.6, 0.93, 1e-7
ADAM = f"beta1 = {BETA1}\nbeta2 = {BETA2}\nepsilon = {EPSILON}\n"


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


def run_adam(folder, kind, extra="", ranks=1, **changes):
    """(oracle, rows of the start, rows of the run)."""
    setting = dataclasses.replace(SETTING, **changes)
    return run_rows(folder, setting, f'kind = "{kind}"\n' + ADAM + extra, ranks)


@pytest.mark.parametrize("moments", ("none", "v", "m,v"))
@pytest.mark.parametrize("order, graph, rounds, ranks",
                         [("overlap", "ring", 1, 2), ("post", "exponential", 2, 1)])
def test_dp_oadam(tmp_path, order, moments, graph, rounds, ranks):
    extra = (f'order = "{order}"\nmix_moments = "{moments}"\n'
             f'[graph]\nkind = "{graph}"\nrounds = {rounds}\n')
    oracle, u, rows = run_adam(tmp_path, "dp-oadam", extra, ranks)
    w = np.linalg.matrix_power(mixing_matrix(graph, SETTING.agents), rounds)
    adam, previous, trajectory = Moments(u.shape), np.zeros_like(u), [u]
    for _ in range(SETTING.iterations):
        g = oracle(u)
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
    expect_followed(rows, trajectory)
    assert np.ptp(rows[SETTING.iterations], axis=0).max() > 1e-3


@pytest.mark.parametrize("start, ranks", [("same", 1), ("per_agent", 2)])
def test_cp_oadam(tmp_path, start, ranks):
    """Agents that start apart start from the mean."""
    oracle, u, rows = run_adam(tmp_path, "cp-oadam", "", ranks, start=start)
    u = everywhere(u.mean(0), u)
    adam, previous, trajectory = Moments(u.shape), np.zeros_like(u), [u]
    for _ in range(SETTING.iterations):
        d = adam.direction(everywhere(oracle(u).mean(0), u))
        u = u - 2 * STEPS * d + STEPS * previous
        previous = d
        trajectory.append(u)
    expect_followed(rows, trajectory)
    assert np.ptp(rows[SETTING.iterations], axis=0).max() == 0


@pytest.mark.parametrize("agents, ranks", [(1, 1), (6, 4)])
def test_adam(tmp_path, agents, ranks):
    oracle, u, rows = run_adam(tmp_path, "adam", "", ranks, agents=agents, start="same")
    adam, trajectory = Moments(u.shape), [u]
    for _ in range(SETTING.iterations):
        u = u - STEPS * adam.direction(everywhere(oracle(u).mean(0), u))
        trajectory.append(u)
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("agents, n_critic, ranks", [(1, 3, 1), (6, 2, 2)])
def test_alternating_adam(tmp_path, agents, n_critic, ranks):
    """Each player has moments and a step count of its own."""
    extra = f'updates = "alternating"\nn_critic = {n_critic}\n'
    oracle, u, rows = run_adam(tmp_path, "adam", extra, ranks, agents=agents, start="same")
    x, y = u[:, :DX], u[:, DX:]
    adam_x, adam_y, trajectory = Moments(x.shape), Moments(y.shape), [u]

    def mean_field():
        z = np.hstack([x, y])
        return everywhere(oracle(z).mean(0), z)

    for _ in range(SETTING.iterations):
        for _ in range(n_critic):
            y = y - SETTING.step_y * adam_y.direction(mean_field()[:, DX:])
        x = x - SETTING.step_x * adam_x.direction(mean_field()[:, :DX])
        trajectory.append(np.hstack([x, y]))
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("kind", ("extra-adam", "past-extra-adam"))
@pytest.mark.parametrize("agents, ranks", [(1, 1), (6, 2)])
def test_extra_adam(tmp_path, kind, agents, ranks):
    """Moments and count advance in both half steps; the second starts from the saved point."""
    oracle, u, rows = run_adam(tmp_path, kind, "", ranks, agents=agents, start="same")

    def mean_field(z):
        return everywhere(oracle(z).mean(0), z)

    adam, trajectory = Moments(u.shape), [u]
    past = mean_field(u) if kind == "past-extra-adam" else None
    for _ in range(SETTING.iterations):
        half = u - STEPS * adam.direction(mean_field(u) if past is None else past)
        g = mean_field(half)
        u = u - STEPS * adam.direction(g)
        past = None if past is None else g
        trajectory.append(u)
    assert adam.count == 2 * SETTING.iterations
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("averaging, ranks", [("mean", 4), ("moments", 2), ("gossip", 2)])
def test_local_adam_extra_step(tmp_path, averaging, ranks):
    """`moments`: the mean of parameters and of both moments."""
    extra = {"mean": "", "moments": "average_moments = true\n",
             "gossip": 'average = "gossip"\n[graph]\nkind = "torus"\n'}[averaging]
    extra = "local_steps = 5\n" + extra
    oracle, u, rows = run_adam(tmp_path, "local-adam-extra-step", extra, ranks)
    w = (mixing_matrix("torus", SETTING.agents) if averaging == "gossip" else
         np.full((SETTING.agents, SETTING.agents), 1 / SETTING.agents))
    adam, trajectory = Moments(u.shape), [u]
    for k in range(1, SETTING.iterations + 1):
        half = u - STEPS * adam.direction(oracle(u))
        u = u - STEPS * adam.direction(oracle(half))
        if k % 5 == 0:
            u = w @ u
            if averaging == "moments":
                adam.m, adam.v = w @ adam.m, w @ adam.v
        trajectory.append(u)
    expect_followed(rows, trajectory)


# With one agent the same arithmetic and so the same bits.
SAME_WITH_ONE_AGENT = [
    (("cp-oadam", ""), ("dp-oadam", 'order = "overlap"\n')),
    (("cp-oadam", ""), ("dp-oadam", 'order = "post"\n')),
    (("extra-adam", ""), ("local-adam-extra-step", 'average = "none"\n'))]


@pytest.mark.parametrize("one, other", SAME_WITH_ONE_AGENT)
def test_one_agent_follows_the_serial_method(tmp_path, one, other):
    a, b = (run_adam(tmp_path / kind, kind, extra, agents=1)[2] for kind, extra in (one, other))
    assert all(same_bits(a[k], b[k]) for k in a)

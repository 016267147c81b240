# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories of the centralized and serial methods without Adam against transcriptions in NumPy,
noise of every oracle call included.
"""

import dataclasses

import numpy as np
import pytest
from support.trajectory import Setting, everywhere, expect_followed, run_rows

NOISY = Setting(noise=0.2)
DX = NOISY.dim_x


def run_central(folder, lines, ranks, **changes):
    """(mean field of a fresh sample, first rows, rows): agents that start apart start from their
    mean.
    """
    setting = dataclasses.replace(NOISY, **changes)
    oracle, z, rows = run_rows(folder, setting, lines, ranks)

    def mean_field(z):
        return everywhere(oracle(z).mean(0), z)

    assert all(np.ptp(each, axis=0).max() == 0 for each in rows.values())
    return mean_field, everywhere(z.mean(0), z), rows


@pytest.mark.parametrize("agents, start, ranks", [(6, "per_agent", 2), (6, "same", 4),
                                                  (1, "same", 1)])
def test_minibatch_extra_step(tmp_path, agents, start, ranks):
    field, z, rows = run_central(tmp_path, 'kind = "minibatch-extra-step"\n', ranks, agents=agents,
                                 start=start)
    trajectory = [z]
    for _ in range(NOISY.iterations):
        half = z - NOISY.steps * field(z)
        z = z - NOISY.steps * field(half)
        trajectory.append(z)
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("agents, ranks", [(6, 2), (1, 1)])
def test_cp_osg(tmp_path, agents, ranks):
    field, z, rows = run_central(tmp_path, 'kind = "cp-osg"\n', ranks, agents=agents)
    x, g, trajectory = z, field(z), [z]
    for _ in range(NOISY.iterations):
        z = x - NOISY.steps * g
        g = field(z)
        x = x - NOISY.steps * g
        trajectory.append(z)
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("agents, n_critic, ranks", [(6, 1, 4), (6, 3, 1), (1, 2, 1)])
def test_alternating_sgd(tmp_path, agents, n_critic, ranks):
    """y moves first, by a fresh sample each time; x answers the y that has moved."""
    field, z, rows = run_central(tmp_path, f'kind = "sgd"\nn_critic = {n_critic}\n', ranks,
                                 agents=agents)
    x, y, trajectory = z[:, :DX], z[:, DX:], [z]
    for _ in range(NOISY.iterations):
        for _ in range(n_critic):
            y = y - NOISY.step_y * field(np.hstack([x, y]))[:, DX:]
        x = x - NOISY.step_x * field(np.hstack([x, y]))[:, :DX]
        trajectory.append(np.hstack([x, y]))
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("agents, ranks", [(6, 2), (1, 1)])
def test_simultaneous_sgd(tmp_path, agents, ranks):
    field, z, rows = run_central(tmp_path, 'kind = "sgd"\nupdates = "simultaneous"\n', ranks,
                                 agents=agents)
    trajectory = [z]
    for _ in range(NOISY.iterations):
        z = z - NOISY.steps * field(z)
        trajectory.append(z)
    expect_followed(rows, trajectory)


def test_only_the_player_that_moves_takes_a_proximal_step(tmp_path):
    """Soft thresholds eta w of l1 terms: once per step of the player itself."""
    weights = {"x": 0.4, "y": 0.3}
    l1 = "".join(f"[game.constraint.{name}]\nl1 = {weight}\n" for name, weight in weights.items())
    field, z, rows = run_central(tmp_path, 'kind = "sgd"\nn_critic = 2\n' + l1, 1, start="same")

    def soft(values, threshold):
        return np.sign(values) * np.maximum(np.abs(values) - threshold, 0)

    x, y, trajectory = z[:, :DX], z[:, DX:], [z]
    for _ in range(NOISY.iterations):
        for _ in range(2):
            y = soft(y - NOISY.step_y * field(np.hstack([x, y]))[:, DX:],
                     NOISY.step_y * weights["y"])
        x = soft(x - NOISY.step_x * field(np.hstack([x, y]))[:, :DX], NOISY.step_x * weights["x"])
        trajectory.append(np.hstack([x, y]))
    expect_followed(rows, trajectory)

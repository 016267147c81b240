# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories of the local and federated methods against transcriptions in NumPy, written from the
formulas with a dense W, noise of every oracle call included; and the identities between methods.
"""

import dataclasses

import h5py
import numpy as np
import pytest
from support import philox
from support.runner import mixing_matrix, run_well
from support.trajectory import (
    SEED,
    Setting,
    everywhere,
    expect_followed,
    run_rows,
    write_game,
)

NOISY = Setting(noise=0.2)
MEAN = np.full((NOISY.agents, NOISY.agents), 1 / NOISY.agents)
# How agents average: the lines of [method] and after, W, and the iterations that average.
EVERY_FOUR = set(range(4, NOISY.iterations + 1, 4))
AVERAGINGS = {
    "none": ('average = "none"\n', None, set()),
    "mean": ("local_steps = 4\n", MEAN, EVERY_FOUR),
    "moments": ("moments = [1, 5, 6, 23]\n", MEAN, {1, 5, 6, 23}),
    "gossip": ('average = "gossip"\nlocal_steps = 4\n[graph]\nkind = "ring"\nrounds = 2\n',
               np.linalg.matrix_power(mixing_matrix("ring", NOISY.agents), 2), EVERY_FOUR)}
CASES = list(zip(AVERAGINGS, (1, 2, 4, 2), strict=True))


def local_trajectory(z, step, w, averagings, iterations, averaged=lambda k, z: None):
    """z, then z after each local step(z), multiplied by W at the iterations `averagings`."""
    trajectory = [z]
    for k in range(1, iterations + 1):
        z = step(k, z)
        if k in averagings:
            z = w @ z
            averaged(k, z)
        trajectory.append(z)
    return trajectory


@pytest.mark.parametrize("averaging, ranks", CASES)
def test_local_sgda(tmp_path, averaging, ranks):
    lines, w, times = AVERAGINGS[averaging]
    oracle, z, rows = run_rows(tmp_path, NOISY, 'kind = "local-sgda"\n' + lines, ranks)
    expect_followed(rows, local_trajectory(
        z, lambda k, z: z - NOISY.steps * oracle(z), w, times, NOISY.iterations))


@pytest.mark.parametrize("averaging, ranks", CASES)
def test_extra_step_local_sgd(tmp_path, averaging, ranks):
    lines, w, times = AVERAGINGS[averaging]
    oracle, z, rows = run_rows(tmp_path, NOISY, 'kind = "extra-step-local-sgd"\n' + lines, ranks)

    def step(_, z):
        half = z - NOISY.steps * oracle(z)
        return z - NOISY.steps * oracle(half)

    expect_followed(rows, local_trajectory(z, step, w, times, NOISY.iterations))


@pytest.mark.parametrize("refresh, ranks", [(1, 1), (3, 4)])
def test_local_sgda_plus(tmp_path, refresh, ranks):
    """y's gradient at the x of the latest refresh and at its own y, of the same sample as x's."""
    lines = f'kind = "local-sgda+"\nlocal_steps = 3\nrefresh = {refresh}\n'
    oracle, z, rows = run_rows(tmp_path, NOISY, lines, ranks)
    dx, frozen = NOISY.dim_x, z[:, :NOISY.dim_x]

    def step(_, z):
        of_x = oracle(z)[:, :dx]
        of_y = oracle.again(np.hstack([frozen, z[:, dx:]]))[:, dx:]
        return z - NOISY.steps * np.hstack([of_x, of_y])

    def averaged(k, z):
        nonlocal frozen
        if k // 3 % refresh == 0:
            frozen = z[:, :dx]

    times = set(range(3, NOISY.iterations + 1, 3))
    expect_followed(rows, local_trajectory(z, step, MEAN, times, NOISY.iterations, averaged))


@pytest.mark.parametrize("start, ranks", [("per_agent", 2), ("same", 4)])
def test_fedgda_gt(tmp_path, start, ranks):
    """Without noise, where F_m(zbar) is a number of its own: all fields are recomputed."""
    setting = Setting(start=start)
    oracle, z, rows = run_rows(tmp_path, setting, 'kind = "fedgda-gt"\nlocal_steps = 5\n', ranks)
    trajectory = [z]
    z = everywhere(z.mean(0), z)
    for k in range(1, setting.iterations + 1):
        if k % 5 == 1:
            anchor = z
        at_anchor = oracle(anchor)
        z = z - setting.steps * (oracle(z) - at_anchor + at_anchor.mean(0))
        if k % 5 == 0:
            z = everywhere(z.mean(0), z)
        trajectory.append(z)
    expect_followed(rows, trajectory)


def test_fedgda_gt_corrects_by_the_first_sample_of_a_round(tmp_path):
    oracle, z, rows = run_rows(tmp_path, NOISY, 'kind = "fedgda-gt"\nlocal_steps = 5\n', 1)
    trajectory = [z]
    z = everywhere(z.mean(0), z)
    for k in range(1, NOISY.iterations + 1):
        g = oracle(z)
        if k % 5 == 1:
            correction = g.mean(0) - g
        z = z - NOISY.steps * (g + correction)
        if k % 5 == 0:
            z = everywhere(z.mean(0), z)
        trajectory.append(z)
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("probability, ranks", [(0.3, 1), (0.3, 2), (1.0, 4)])
def test_proxskip_vip(tmp_path, probability, ranks):
    """The coin is number 0 of agent 0's sequence of the iteration; control variates sum to 0."""
    lines = f'kind = "proxskip-vip"\nprobability = {probability}\n'
    oracle, z, rows = run_rows(tmp_path, NOISY, lines, ranks)
    gamma, h, trajectory, heads = NOISY.steps, np.zeros_like(z), [z], 0
    for k in range(1, NOISY.iterations + 1):
        moved = z - gamma * (oracle(z) - h)
        z = moved
        if philox.uniform(SEED, philox.COIN, 0, k, 1)[0] < probability:
            z = everywhere((moved - gamma / probability * h).mean(0), z)
            heads += 1
        h = h + probability / gamma * (z - moved)
        assert np.abs(h.sum(0)).max() < 1e-13
        trajectory.append(z)
    assert heads == NOISY.iterations if probability == 1 else 3 < heads < 30
    expect_followed(rows, trajectory)


def test_control_variates_are_kept_and_sum_to_zero(tmp_path):
    """h_m of the restart: sum to round-off, near F_m at the solution once the rows rest there."""
    setting = Setting(iterations=600, every=600)
    matrices, vectors = write_game(tmp_path, setting)
    lines = 'kind = "proxskip-vip"\nprobability = 0.4\n'
    result = run_well(tmp_path, setting.text() + lines, 2, ["--set", "record.restart_every=600"])
    with h5py.File(result.folder / "restart" / "00000600.h5") as file:
        h = file["state/method/h"][()]
    solution = np.linalg.solve(matrices.mean(0), -vectors.mean(0))
    assert np.abs(h).max() > 0.1
    assert np.abs(h.sum(0)).max() < 1e-14 * setting.agents * np.abs(h).max() / 0.13
    assert np.abs(h - (matrices @ solution + vectors)).max() < 1e-10


BALL = 0.4
IN_BALLS = f"[game.constraint.x]\nradius = {BALL}\n[game.constraint.y]\nradius = {BALL}\n"


def into_balls(z, dx):
    """Each player's part of each row onto its ball."""
    parts = (z[:, :dx], z[:, dx:])
    return np.hstack([p * np.minimum(1, BALL / np.linalg.norm(p, axis=1, keepdims=True))
                      for p in parts])


@pytest.mark.parametrize("kind, ranks", [("local-sgda", 2), ("extra-step-local-sgd", 1)])
def test_the_projection_follows_the_average(tmp_path, kind, ranks):
    lines = f'kind = "{kind}"\nlocal_steps = 3\n' + IN_BALLS
    oracle, z, rows = run_rows(tmp_path, NOISY, lines, ranks)
    z = into_balls(z, NOISY.dim_x)
    trajectory = [z]
    for k in range(1, NOISY.iterations + 1):
        at = z
        if kind == "extra-step-local-sgd":
            at = into_balls(z - NOISY.steps * oracle(z), NOISY.dim_x)
        z = z - NOISY.steps * oracle(at)
        z = into_balls(MEAN @ z if k % 3 == 0 else z, NOISY.dim_x)
        trajectory.append(z)
    norms = np.linalg.norm(trajectory[-1][:, :NOISY.dim_x], axis=1)
    assert np.abs(norms - BALL).min() < 1e-12, "the constraint holds nobody"
    expect_followed(rows, trajectory)


ONE_FORWARD_STEP = ("local-sgda", "fedgda-gt", "proxskip-vip")


def same_rows(a, b, tolerance=0.0):
    return all(np.abs(a[k] - b[k]).max() <= tolerance * np.abs(a[k]).max() for k in a)


@pytest.mark.parametrize("kind", ONE_FORWARD_STEP)
def test_averaging_in_every_iteration_is_the_centralized_step(tmp_path, kind):
    """H = 1, equal start: P(mean(z_m - eta F_m)) = P(z - eta mean F_m)."""
    setting = dataclasses.replace(NOISY, start="same")
    extra = "probability = 1.0\n" if kind == "proxskip-vip" else ""
    local = run_rows(tmp_path / kind, setting, f'kind = "{kind}"\n' + extra, 2)[2]
    central = run_rows(tmp_path / "sgd", setting, 'kind = "sgd"\nupdates = "simultaneous"\n', 1)[2]
    assert same_rows(central, local, 1e-13)


# Serial twins: with one agent the same arithmetic and so the same bits.
SERIAL = [("local-sgda", "local_steps = 3\n", "sgd", 'updates = "simultaneous"\n'),
          ("extra-step-local-sgd", "local_steps = 3\n", "minibatch-extra-step", ""),
          ("extra-step-local-sgd", 'average = "none"\n', "minibatch-extra-step", ""),
          ("local-adam-extra-step", "local_steps = 3\n", "extra-adam", "")]


@pytest.mark.parametrize("local, lines, serial, serial_lines", SERIAL)
def test_one_agent_is_serial(tmp_path, local, lines, serial, serial_lines):
    setting = dataclasses.replace(NOISY, agents=1)
    a = run_rows(tmp_path / "local", setting, f'kind = "{local}"\n{lines}')[2]
    b = run_rows(tmp_path / "serial", setting, f'kind = "{serial}"\n{serial_lines}')[2]
    assert same_rows(a, b)


@pytest.mark.parametrize("kind, lines", [
    ("local-sgda", "local_steps = 3\n"), ("local-sgda", 'average = "gossip"\n'),
    ("fedgda-gt", "local_steps = 3\n"), ("proxskip-vip", "probability = 0.4\n"),
    ("extra-step-local-sgd", "moments = [2, 9]\n"), ("local-adam-extra-step", "local_steps = 3\n")])
def test_equal_data_make_local_methods_serial(tmp_path, kind, lines):
    """Same data, start and steps on all agents: averaging changes nothing."""
    equal = Setting(start="same", equal_data=True)
    rows = run_rows(tmp_path / "all", equal, f'kind = "{kind}"\n{lines}')[2]
    serial = {"extra-step-local-sgd": "minibatch-extra-step",
              "local-adam-extra-step": "extra-adam"}.get(kind, "sgd")
    one = dataclasses.replace(equal, agents=1)
    extra = 'updates = "simultaneous"\n' if serial == "sgd" else ""
    alone = run_rows(tmp_path / "one", one, f'kind = "{serial}"\n{extra}', 1)[2]
    assert all(np.ptp(rows[k], axis=0).max() < 1e-12 for k in rows)
    assert same_rows({k: alone[k] for k in rows}, {k: rows[k][:1] for k in rows}, 1e-12)

# SPDX-License-Identifier: BSD-3-Clause
"""Methods that follow gradients over the graph (dsgda, gt-gda, gt-da, gt-eg, optimistic-gt,
dm-hsgd, dgda-vr, decentralized-extra-step): trajectories against transcriptions of their formulas
in NumPy with a dense W, the points where they rest against dense solves, and their serial limits.
"""

import dataclasses

import h5py
import numpy as np
import pytest
from scipy.linalg import block_diag
from support.runner import command, mixing_matrix, run_well, write_deck, write_quadratic
from support.trajectory import Setting, everywhere, expect_followed, run_rows

SETTING = Setting(agents=8, dim_x=3, dim_y=2, step_x=0.11, step_y=0.14, iterations=200, every=20)
AGENTS, DX, DY, STEPS = SETTING.agents, SETTING.dim_x, SETTING.dim_y, SETTING.steps


def resting(iterations):
    """A run that is looked at when it has come to rest."""
    return dataclasses.replace(SETTING, iterations=iterations, every=iterations)


def graph_of(keys):
    return f"\n[graph]\n{keys}\n"


# The transcriptions: a generator of Z_1, Z_2, ... per method.

def dsgda_pre(z, w, oracle):
    while True:
        z = w @ z - STEPS * oracle(z)
        yield z


def dsgda_post(z, w, oracle):
    while True:
        z = w @ (z - STEPS * oracle(z))
        yield z


def gt_gda(z, w, oracle):
    g = oracle(z)
    s, previous = g, g
    while True:
        s = w @ (s + g - previous)
        z = w @ (z - STEPS * s)
        yield z
        previous, g = g, oracle(z)


def gt_da(ascents):
    def method(z, w, oracle):
        x, y = z[:, :DX], z[:, DX:]
        previous = oracle(z)[:, :DX]
        d = previous
        while True:
            x = w @ x - STEPS[:DX] * d
            for _ in range(ascents):
                y = y - STEPS[DX:] * oracle(np.hstack([x, y]))[:, DX:]
            yield np.hstack([x, y])
            own = oracle(np.hstack([x, y]))[:, :DX]
            d, previous = w @ d + own - previous, own
    return method


def gt_eg(z, w, oracle):
    g = s = oracle(z)
    while True:
        half = z - STEPS * s
        z = w @ z - STEPS * (s + oracle.again(half) - g)
        yield z
        g_old, g = g, oracle(z)
        s = w @ s + g - g_old


def optimistic_gt(z, w, oracle):
    g = oracle(z)
    q = s = 2 * g - g
    q_previous = q
    while True:
        s = w @ (s + q - q_previous)
        z = w @ (z - STEPS * s)
        yield z
        q_previous, g_previous, g = q, g, oracle(z)
        q = 2 * g - g_previous


def dm_hsgd(beta_x, beta_y):
    beta = np.array([beta_x] * DX + [beta_y] * DY)

    def method(z, w, oracle):
        v = g_old = np.zeros_like(z)
        g = oracle(z)
        while True:
            v = w @ (v + g - g_old)
            z_old, z = z, w @ (z - STEPS * v)
            yield z
            g_old, g = g, oracle(z) + (1 - beta) * (g - oracle.again(z_old))
    return method


def dgda_vr(period):
    def method(z, w, oracle):
        v = d = oracle(z)
        k = 0
        while True:
            k += 1
            z_old, z = z, w @ z - STEPS * d
            yield z
            v_old, v = v, oracle(z) + (0 if k % period == 0 else v - oracle.again(z_old))
            d = w @ (d + v - v_old)
    return method


def decentralized_extra_step(z, w, oracle):
    while True:
        half = w @ (z - STEPS * oracle(z))
        z = w @ (z - STEPS * oracle(half))
        yield z


METHODS = {
    "dsgda-pre": ('kind = "dsgda"', dsgda_pre),
    "dsgda-post": ('kind = "dsgda"\nmix_order = "post"', dsgda_post),
    "gt-gda": ('kind = "gt-gda"', gt_gda),
    "gt-da": ('kind = "gt-da"', gt_da(1)),
    "gt-da-3": ('kind = "gt-da"\nascents = 3', gt_da(3)),
    "gt-eg": ('kind = "gt-eg"', gt_eg),
    "optimistic-gt": ('kind = "optimistic-gt"', optimistic_gt),
    "dm-hsgd": ('kind = "dm-hsgd"\nbeta = { x = 0.3, y = 0.2 }', dm_hsgd(0.3, 0.2)),
    "dgda-vr": ('kind = "dgda-vr"\nperiod = 7', dgda_vr(7)),
    "decentralized-extra-step": ('kind = "decentralized-extra-step"', decentralized_extra_step)}
EXACT = ("gt-gda", "gt-eg", "optimistic-gt", "dm-hsgd", "dgda-vr")
RANKS = {name: (1, 2, 4)[i % 3] for i, name in enumerate(METHODS)}


def expect_transcription(folder, name, graph, w, setting, ranks=1):
    method, transcription = METHODS[name]
    oracle, start, rows = run_rows(folder, setting, method + graph_of(graph), ranks)
    steps = transcription(start, w, oracle)
    trajectory = [start] + [next(steps) for _ in range(setting.iterations)]
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("name", METHODS)
def test_trajectory(tmp_path, name):
    """Two rounds on a graph whose W is not symmetric."""
    w = mixing_matrix("exponential", AGENTS)
    expect_transcription(tmp_path, name, 'kind = "exponential"\nrounds = 2', w @ w, SETTING,
                         RANKS[name])


@pytest.mark.parametrize("name", METHODS)
def test_trajectory_with_noise(tmp_path, name):
    """Two calls with one sample see the same noise; every other call sees its own."""
    noisy = dataclasses.replace(SETTING, agents=5, noise=0.3, iterations=60)
    expect_transcription(tmp_path, name, 'kind = "ring"', mixing_matrix("ring", 5), noisy)


# Where the methods rest.

def rest_of(name, w, matrices, vectors):
    """The fixed point Z = Z + ... of the linear map, by a dense solve in all agents' rows."""
    mix = np.kron(w, np.eye(len(STEPS)))
    identity = np.eye(len(mix))
    field, constant = block_diag(*(STEPS[:, None] * matrices)), (STEPS * vectors).ravel()
    if name == "dsgda-pre":
        left, right = identity - mix + field, -constant
    elif name == "dsgda-post":
        left, right = identity - mix @ (identity - field), -mix @ constant
    else:
        inner = mix @ (identity - field)
        left = identity - mix @ (identity - field @ inner)
        right = -mix @ (constant - field @ mix @ constant)
    return np.linalg.solve(left, right).reshape(AGENTS, -1)


def relative_error(rows, expected):
    return np.abs(rows - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("graph, ranks", [("ring", 4), ("star", 1), ("exponential", 1)])
@pytest.mark.parametrize("name", ["dsgda-pre", "dsgda-post", "decentralized-extra-step"])
def test_biased_methods_rest_at_their_dense_fixed_point(tmp_path, name, graph, ranks):
    oracle, _, rows = run_rows(tmp_path, resting(500),
                               METHODS[name][0] + graph_of(f'kind = "{graph}"'), ranks)
    rest = rest_of(name, mixing_matrix(graph, AGENTS), oracle.matrices, oracle.vectors)
    assert relative_error(rows[500], rest) < 1e-10
    assert np.ptp(rest, axis=0).max() > 1e-3


def saddle_of(matrices, vectors):
    return np.linalg.solve(matrices.mean(0), -vectors.mean(0))


@pytest.mark.parametrize("name", EXACT)
def test_exact_methods_reach_the_saddle_point_at_a_constant_step(tmp_path, name):
    oracle, _, rows = run_rows(tmp_path, resting(600), METHODS[name][0], RANKS[name])
    assert relative_error(rows[600], saddle_of(oracle.matrices, oracle.vectors)) < 1e-12


def test_extra_steps_become_exact_as_rounds_grow(tmp_path):
    errors = []
    for rounds, ranks in ((1, 2), (8, 1), (40, 1), (160, 1)):
        method = METHODS["decentralized-extra-step"][0] + graph_of(f"rounds = {rounds}")
        oracle, _, rows = run_rows(tmp_path / str(rounds), resting(330), method, ranks)
        w = np.linalg.matrix_power(mixing_matrix("ring", AGENTS), rounds)
        rest = rest_of("decentralized-extra-step", w, oracle.matrices, oracle.vectors)
        assert relative_error(rows[330], rest) < 1e-10
        errors.append(relative_error(rows[330], saddle_of(oracle.matrices, oracle.vectors)))
    assert errors[0] > 1e-3
    assert all(b < 0.5 * a for a, b in zip(errors[:-1], errors[1:], strict=True)), errors
    assert errors[-1] < 1e-12


def parts(matrices, vectors):
    """P, A, Q, b, c of every agent."""
    return (matrices[:, :DX, :DX], matrices[:, :DX, DX:], matrices[:, DX:, DX:], vectors[:, :DX],
            -vectors[:, DX:])


def own_maximisers(matrices, vectors):
    """Rows (x, y_m): x of min_x mean_m max_{y_m} f_m(x, y_m), y_m = Q_m^{-1} (A_m' x + c_m)."""
    p, a, q, b, c = parts(matrices, vectors)
    a_t = np.swapaxes(a, 1, 2)
    value = (p + a @ np.linalg.solve(q, a_t)).mean(0)
    slope = (b + np.einsum("mij,mj->mi", a, np.linalg.solve(q, c[:, :, None])[:, :, 0])).mean(0)
    x = np.linalg.solve(value, -slope)
    y = np.linalg.solve(q, (a_t @ x + c)[:, :, None])[:, :, 0]
    return np.hstack([np.tile(x, (AGENTS, 1)), y])


@pytest.mark.parametrize("ascents, ranks", [(1, 4), (4, 2)])
def test_gt_da_solves_the_game_of_own_maximisers(tmp_path, ascents, ranks):
    method = f'kind = "gt-da"\nascents = {ascents}'
    oracle, _, rows = run_rows(tmp_path, resting(600), method, ranks)
    expected = own_maximisers(oracle.matrices, oracle.vectors)
    assert relative_error(rows[600], expected) < 1e-12
    # Another point than the shared game's: the maximisers differ.
    shared = saddle_of(oracle.matrices, oracle.vectors)
    assert relative_error(expected[:, :DX], shared[:DX]) > 1e-2


def test_gt_da_solves_the_shared_game_where_the_maximisers_agree(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    with h5py.File(tmp_path / "game.h5", "r+") as file:
        for name in ("A", "Q", "c"):
            file[name][...] = np.broadcast_to(file[name][()].mean(0), file[name].shape)
    rows = run_well(tmp_path, resting(600).text() + 'kind = "gt-da"\n', 2).parameters()
    # A, Q and c were replaced by their means, which leaves the mean game as it was.
    assert relative_error(rows, saddle_of(matrices, vectors)) < 1e-12


# Serial limits: rows of the shared point z of one machine that sees the mean field.

def gda(z, field):
    while True:
        z = z - STEPS * field(z)
        yield z


def extragradient(z, field):
    while True:
        z = z - STEPS * field(z - STEPS * field(z))
        yield z


def optimistic(z, field):
    previous = field(z)
    while True:
        g = field(z)
        z, previous = z - STEPS * (2 * g - previous), g
        yield z


def alternating(z, field):
    """gt-da on one agent: x moves, then y at the new x."""
    while True:
        z = z - STEPS * field(z) * ([1] * DX + [0] * DY)
        z = z - STEPS * field(z) * ([0] * DX + [1] * DY)
        yield z


SERIAL = {
    "dsgda-pre": gda, "dsgda-post": gda, "gt-gda": gda, "dm-hsgd": gda, "dgda-vr": gda,
    "gt-da": alternating, "gt-eg": extragradient, "optimistic-gt": optimistic,
    "decentralized-extra-step": extragradient}


def expect_serial(folder, name, agents, graph, ranks):
    setting = dataclasses.replace(SETTING, agents=agents, iterations=100, start="same")
    oracle, start, rows = run_rows(folder, setting, METHODS[name][0] + graph, ranks)
    matrix, vector = oracle.matrices.mean(0), oracle.vectors.mean(0)
    steps = SERIAL[name](start[0], lambda z: matrix @ z + vector)
    trajectory = [start] + [everywhere(next(steps), start) for _ in range(setting.iterations)]
    expect_followed(rows, trajectory)


@pytest.mark.parametrize("name", SERIAL)
def test_one_agent_is_the_serial_method(tmp_path, name):
    expect_serial(tmp_path, name, 1, "", 1)


@pytest.mark.parametrize("name, ranks", [("dsgda-post", 2), ("gt-gda", 4), ("optimistic-gt", 1),
                                         ("dm-hsgd", 2), ("decentralized-extra-step", 4)])
def test_a_complete_graph_is_the_centralized_method(tmp_path, name, ranks):
    """W = J: the methods that mix all that they add."""
    expect_serial(tmp_path, name, 5, graph_of('kind = "complete"'), ranks)


# Keys.

def test_a_first_batch_without_data_is_refused(tmp_path):
    deck = SETTING.text().replace('file = "game.h5"', "") + 'kind = "dm-hsgd"\nfirst_batch = 50\n'
    code, text = command("check", write_deck(tmp_path, deck))
    assert code == 2
    assert "method.first_batch = 50: game quadratic has no data and ignores it" in text

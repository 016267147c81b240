# SPDX-License-Identifier: BSD-3-Clause
"""Methods that follow gradients over the graph (dsgda, gt-gda, gt-da, gt-eg, optimistic-gt, dm-hsgd,
dgda-vr, decentralized-extra-step): trajectories against transcriptions of their formulas in NumPy
with a dense W, the points where they rest against dense solves, and their serial limits.
"""

import re

import h5py
import numpy as np
import pytest
from support.philox import normal
from support.runner import command, mixing_matrix, run_well, write_deck, write_quadratic

AGENTS, DX, DY = 8, 3, 2
STEPS = np.array([0.11] * DX + [0.14] * DY)
INIT, ORACLE_NOISE = 1, 12  # core/sample.hpp
SEED = 7

DECK = f"""[run]
name = "tracking"
agents = AGENTS
iterations = ITERATIONS
precision = "double"
seed = {SEED}
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
noise = NOISE
[init]
agents = "START"
[record]
every = EVERY
snapshot_every = EVERY
[method]
step.x = {STEPS[0]}
step.y = {STEPS[-1]}
METHOD
"""


def deck_of(method, graph="", iterations=200, agents=AGENTS, start="per_agent", noise=0.0,
            every=None):
    """`method`: the lines of the section; `graph`: the lines of the section, or none."""
    values = {"AGENTS": agents, "ITERATIONS": iterations, "START": start, "NOISE": noise,
              "EVERY": every or max(iterations, 1), "METHOD": method}
    text = DECK
    for name, value in values.items():
        text = text.replace(name, str(value))
    return text + (f"[graph]\n{graph}\n" if graph else "")


class Oracle:
    """G(Z; draw): rows M_m z_m + q_m + noise xi, xi of agent m's oracle call number `draw`."""

    def __init__(self, matrices, vectors, noise=0.0):
        self.matrices, self.vectors, self.noise, self.draw = matrices, vectors, noise, -1

    def fresh(self):
        self.draw += 1
        return self.draw

    def __call__(self, z, draw=None):
        draw = self.fresh() if draw is None else draw
        g = np.einsum("mij,mj->mi", self.matrices, z) + self.vectors
        if self.noise == 0:
            return g
        return g + self.noise * np.stack([normal(SEED, ORACLE_NOISE, m, draw, z.shape[1])
                                          for m in range(len(z))])


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
    draw = oracle.fresh()
    g = oracle(z, draw)
    s = g
    while True:
        half = z - STEPS * s
        z = w @ z - STEPS * (s + oracle(half, draw) - g)
        yield z
        draw = oracle.fresh()
        s, g = w @ s - g, oracle(z, draw)
        s = s + g


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
            draw = oracle.fresh()
            g_old, g = g, oracle(z, draw) + (1 - beta) * (g - oracle(z_old, draw))
    return method


def dgda_vr(period):
    def method(z, w, oracle):
        v = d = oracle(z)
        k = 0
        while True:
            k += 1
            z_old, z = z, w @ z - STEPS * d
            yield z
            draw = oracle.fresh()
            v_old, v = v, oracle(z, draw) + (0 if k % period == 0 else v - oracle(z_old, draw))
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


def start_of(agents, start="per_agent"):
    """The rows that a run starts from: standard normal numbers, of agent 0 with start "same"."""
    return np.stack([normal(SEED, INIT, m if start == "per_agent" else 0, 0, DX + DY)
                     for m in range(agents)])


def expect_transcription(folder, name, graph, w, noise=0.0, agents=AGENTS, ranks=1):
    matrices, vectors = write_quadratic(folder / "game.h5", agents, DX, DY)
    method, transcription = METHODS[name]
    deck = deck_of(method, graph, agents=agents, noise=noise, every=20)
    z = start_of(agents)
    run = run_well(folder, deck, ranks)
    rows = transcription(z, w, Oracle(matrices, vectors, noise))
    for k in range(1, 201):
        z = next(rows)
        if k in (20, 100, 200):
            np.testing.assert_allclose(run.snapshot(k)["parameters"], z, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_trajectory(tmp_path, name):
    """Two rounds on a graph whose W is not symmetric."""
    w = mixing_matrix("exponential", AGENTS)
    expect_transcription(tmp_path, name, 'kind = "exponential"\nrounds = 2', w @ w,
                         ranks=RANKS[name])


@pytest.mark.parametrize("name", ["gt-gda", "gt-eg", "dm-hsgd", "dgda-vr"])
def test_trajectory_with_noise(tmp_path, name):
    """Two calls with one sample see the same noise; every other call sees its own."""
    expect_transcription(tmp_path, name, 'kind = "ring"', mixing_matrix("ring", 5), 0.3, 5, 2)


# Where the methods rest.

def blocks_of(matrices):
    dim = len(STEPS)
    out = np.zeros((AGENTS * dim, AGENTS * dim))
    for m, block in enumerate(matrices):
        out[m * dim:(m + 1) * dim, m * dim:(m + 1) * dim] = block
    return out


def rest_of(name, w, matrices, vectors):
    """The fixed point Z = Z + ... of the linear map, by a dense solve in all agents' rows."""
    mix = np.kron(w, np.eye(len(STEPS)))
    identity = np.eye(len(mix))
    field, constant = blocks_of(STEPS[:, None] * matrices), (STEPS * vectors).ravel()
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


@pytest.mark.parametrize("graph, ranks", [("ring", 4), ("star", 1), ("exponential", 2)])
@pytest.mark.parametrize("name", ["dsgda-pre", "dsgda-post", "decentralized-extra-step"])
def test_biased_methods_rest_at_their_dense_fixed_point(tmp_path, name, graph, ranks):
    game = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    rest = rest_of(name, mixing_matrix(graph, AGENTS), *game)
    run = run_well(tmp_path, deck_of(METHODS[name][0], f'kind = "{graph}"', 500), ranks)
    assert relative_error(run.parameters(), rest) < 1e-10
    assert np.ptp(rest, axis=0).max() > 1e-3


def saddle_of(matrices, vectors):
    return np.linalg.solve(matrices.mean(0), -vectors.mean(0))


@pytest.mark.parametrize("name", EXACT)
def test_exact_methods_reach_the_saddle_point_at_a_constant_step(tmp_path, name):
    saddle = saddle_of(*write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY))
    run = run_well(tmp_path, deck_of(METHODS[name][0], 'kind = "ring"', 600), RANKS[name])
    assert relative_error(run.parameters(), saddle) < 1e-12


def test_extra_steps_become_exact_as_rounds_grow(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    saddle = saddle_of(matrices, vectors)
    errors = []
    for rounds, ranks in ((1, 2), (8, 4), (40, 1), (160, 1)):
        w = np.linalg.matrix_power(mixing_matrix("ring", AGENTS), rounds)
        deck = deck_of(METHODS["decentralized-extra-step"][0], f"rounds = {rounds}", 330)
        rows = run_well(tmp_path, deck, ranks, words=("--overwrite",)).parameters()
        rest = rest_of("decentralized-extra-step", w, matrices, vectors)
        assert relative_error(rows, rest) < 1e-10
        errors.append(relative_error(rows, saddle))
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
    game = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    expected = own_maximisers(*game)
    deck = deck_of(f'kind = "gt-da"\nascents = {ascents}', 'kind = "ring"', 600)
    assert relative_error(run_well(tmp_path, deck, ranks).parameters(), expected) < 1e-12
    # Another point than the shared game's: the maximisers differ.
    assert relative_error(expected[:, :DX], saddle_of(*game)[:DX]) > 1e-2


def test_gt_da_solves_the_shared_game_where_the_maximisers_agree(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    with h5py.File(tmp_path / "game.h5", "r+") as file:
        for name in ("A", "Q", "c"):
            file[name][...] = np.broadcast_to(file[name][()].mean(0), file[name].shape)
    deck = deck_of('kind = "gt-da"', 'kind = "ring"', 600)
    rows = run_well(tmp_path, deck, 2).parameters()
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


SERIAL = {"dsgda-pre": gda, "dsgda-post": gda, "gt-gda": gda, "gt-da": None, "gt-eg": extragradient,
          "optimistic-gt": optimistic, "dm-hsgd": gda, "dgda-vr": gda,
          "decentralized-extra-step": extragradient}


def alternating(z, field):
    """gt-da on one agent: x moves, then y at the new x."""
    while True:
        z = z - STEPS * field(z) * ([1] * DX + [0] * DY)
        z = z - STEPS * field(z) * ([0] * DX + [1] * DY)
        yield z


def expect_serial(folder, name, agents, graph, ranks):
    matrices, vectors = write_quadratic(folder / "game.h5", agents, DX, DY)
    matrix, vector = matrices.mean(0), vectors.mean(0)
    deck = deck_of(METHODS[name][0], graph, 100, agents, start="same", every=10)
    z = start_of(agents, "same")[0]
    run = run_well(folder, deck, ranks)
    rows = (SERIAL[name] or alternating)(z, lambda z: matrix @ z + vector)
    for k in range(1, 101):
        z = next(rows)
        if k in (10, 40, 100):
            got = run.snapshot(k)["parameters"]
            np.testing.assert_allclose(got, np.tile(z, (agents, 1)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SERIAL)
def test_one_agent_is_the_serial_method(tmp_path, name):
    expect_serial(tmp_path, name, 1, "", 1)


@pytest.mark.parametrize("name, ranks", [("dsgda-post", 2), ("gt-gda", 4), ("optimistic-gt", 1),
                                         ("dm-hsgd", 2), ("decentralized-extra-step", 4)])
def test_a_complete_graph_is_the_centralized_method(tmp_path, name, ranks):
    """W = J: the methods that mix all that they add."""
    expect_serial(tmp_path, name, 5, 'kind = "complete"', ranks)


# Keys and plans.

def test_a_first_batch_without_data_is_refused(tmp_path):
    deck = deck_of('kind = "dm-hsgd"\nfirst_batch = 50').replace(
        'file = "game.h5"', "dim_x = 3\ndim_y = 2")
    code, text = command("check", write_deck(tmp_path, deck))
    assert code == 2
    assert "method.first_batch = 50: game quadratic has no data and ignores it" in text




# Stable steps: the limit that `parley check` names, against growth of the transcription.

GAMES = {
    # Fields whose matrix times the steps has the eigenvalues h, or +-ih for the coupled players.
    "quadratic": ("mu = 1\nsmoothness = 1\ncoupling = 0\nspread = 0",
                  lambda h: np.diag(h / STEPS * [1, 0.7, 0.4, 0.2, 0.9])),
    "bilinear": ("sigma_min = 1\nsigma_max = 1", lambda h: h / np.sqrt(STEPS[0] * STEPS[-1]) * (
        np.eye(DX + DY, k=DX) - np.eye(DX + DY, k=-DX)))}


def grows(transcription, w, matrix):
    """Whether the players' movable coordinates grow from a start of norm about 1."""
    rows = transcription(start_of(AGENTS), w, Oracle(np.tile(matrix, (AGENTS, 1, 1)), 0.0))
    z = [next(rows) for _ in range(1500)][-1] @ matrix.T
    size = np.abs(z).max()
    assert not 1e-3 < size < 1e2
    return size > 1


@pytest.mark.parametrize("lazy", ["false", "true"])
@pytest.mark.parametrize("name, game", [
    ("dsgda-pre", "quadratic"), ("dsgda-post", "quadratic"), ("gt-gda", "quadratic"),
    ("dm-hsgd", "quadratic"), ("dgda-vr", "quadratic"), ("gt-eg", "bilinear"),
    ("optimistic-gt", "bilinear"), ("decentralized-extra-step", "bilinear")])
def test_the_largest_stable_step(tmp_path, name, game, lazy):
    method, transcription = METHODS[name]
    keys, matrix = GAMES[game]
    deck = deck_of(method, f"lazy = {lazy}").replace(
        'kind = "quadratic"\nfile = "game.h5"', f'kind = "{game}"\n{keys}').replace(
        f"x = {STEPS[0]}\n", "x = 9\n").replace(f"y = {STEPS[-1]}\n", "y = 9\n")
    code, text = command("check", write_deck(tmp_path, deck))
    assert code == 0, text
    limit = float(re.search(r"eta L = 9 is above ([0-9.]+), the largest stable step", text)[1])
    w = mixing_matrix("ring", AGENTS)
    w = (np.eye(AGENTS) + w) / 2 if lazy == "true" else w
    assert not grows(transcription, w, matrix(0.94 * limit))
    assert grows(transcription, w, matrix(1.06 * limit))


@pytest.mark.parametrize("name", ["dsgda-post", "gt-gda", "dm-hsgd", "dgda-vr"])
def test_forward_steps_are_warned_of_on_a_bilinear_game(tmp_path, name):
    deck = deck_of(METHODS[name][0]).replace('kind = "quadratic"\nfile = "game.h5"',
                                             'kind = "bilinear"')
    code, text = command("check", write_deck(tmp_path, deck))
    assert code == 0, text
    assert "diverges on a bilinear game at any step size" in text
    assert grows(METHODS[name][1], mixing_matrix("ring", AGENTS), GAMES["bilinear"][1](0.15))

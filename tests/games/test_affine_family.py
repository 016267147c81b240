# SPDX-License-Identifier: BSD-3-Clause
"""chain, linear-wgan and pl-game: their fields against NumPy transcriptions of the formulas, whole
runs that end in the known solution, and how fast information can cross the chain."""

import h5py
import numpy as np
import pytest
from support import philox
from support.field_tool import evaluate
from support.runner import command, run_well, write_deck

DECK = """[run]
agents = {agents}
iterations = {iterations}
precision = "double"
output = "OUTPUT"
[game]
{game}
[method]
kind = "{method}"
step = {{ x = {step}, y = {step} }}
{more}
"""


def deck_of(game, agents, iterations=1, method="cp-osg", step=0.1, more=""):
    return DECK.format(agents=agents, iterations=iterations, game=game, method=method, step=step,
                       more=more)


def jacobians(folder, deck, agents, dim):
    """M_m (agents x dim x dim) and q_m, read off the field: it must be affine."""
    points = np.concatenate([np.zeros((1, dim)), np.eye(dim), 2 * np.eye(dim)[:1]])
    field = evaluate(folder, deck, np.repeat(points[:, None], agents, axis=1))["field"]
    q = field[0]
    m = np.moveaxis(field[1:dim + 1] - q, 0, 2)
    np.testing.assert_allclose(field[-1] - q, 2 * m[:, :, 0], atol=1e-12)
    return m, q


def chain_agents(agents, dim, smoothness, mu, group):
    """M_m and q_m from the formulas, with i counted from 1."""
    a = {1: np.eye(dim), 2: np.eye(dim)}
    for i in range(1, dim):
        a[1 if i % 2 == 0 else 2][i - 1, i] = -2
    m, q = [], []
    share = agents / (2 * group)
    for agent in range(agents):
        which = 1 if agent < group else 2 if agent >= agents - group else 0
        coupling = share * smoothness / 2 * a[which] if which else np.zeros((dim, dim))
        m.append(np.block([[mu * np.eye(dim), coupling], [-coupling.T, mu * np.eye(dim)]]))
        q.append(np.zeros(2 * dim))
        if which == 1:
            q[-1][dim] = -share * smoothness**2 / (2 * mu)
    return np.array(m), np.array(q)


@pytest.mark.parametrize("agents, group", [(4, 1), (7, 2)])
def test_chain(tmp_path, agents, group):
    dim, smoothness, mu = 6, 1.5, 0.2
    game = f'kind = "chain"\ndim = {dim}\nsmoothness = {smoothness}\nmu = {mu}\ngroup = {group}'
    m, q = chain_agents(agents, dim, smoothness, mu, group)
    got_m, got_q = jacobians(tmp_path, deck_of(game, agents), agents, 2 * dim)
    np.testing.assert_allclose(got_m, m, atol=1e-13)
    np.testing.assert_allclose(got_q, q, atol=1e-13)
    # The mean coupling is L/2 times the chain with unit diagonal and superdiagonal -1.
    chain = smoothness / 2 * (np.eye(dim) - np.diag(np.ones(dim - 1), 1))
    np.testing.assert_allclose(m.mean(0)[:dim, dim:], chain, atol=1e-15)
    solution = np.linalg.solve(m.mean(0), -q.mean(0))
    result = run_well(tmp_path / "run", deck_of(game, agents, 1500, "cp-osg", 0.25))
    np.testing.assert_allclose(result.snapshot()["mean"].ravel(), solution, atol=1e-10)
    assert result.log()["distance_to_solution"][-1] < 1e-10


def first_iterations(agents, dim, iterations):
    """When x_i or y_i of any agent may first be nonzero: the support spreads over agents by one hop
    an iteration, and over coordinates along the entries of the agent's own A. One iteration of
    dposg: fields at the point before, then one mix."""
    m, q = chain_agents(agents, dim, 1, 1, 1)
    couples, gives = np.abs(m) > 0, np.abs(q) > 0
    support = np.zeros((agents, 2 * dim), bool)
    direction = [gives]
    found = np.full(2 * dim, iterations + 1)
    for k in range(1, iterations + 1):
        field = gives | np.einsum("mij,mj->mi", couples, support)
        moved = support | field | direction[-1]
        direction.append(field)
        support = moved.copy()
        support[1:] |= moved[:-1]
        support[:-1] |= moved[1:]
        found = np.where(support.any(0) & (found > k), k, found)
    return found


def test_one_coordinate_of_the_chain_per_diameter(tmp_path):
    agents, dim, iterations = 5, 6, 40
    game = f'kind = "chain"\ndim = {dim}'
    (tmp_path / "path.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(agents - 1)))
    more = f'[graph]\nkind = "file"\nfile = "{tmp_path / "path.txt"}"\n[record]\nsnapshot_every = 1'
    result = run_well(tmp_path, deck_of(game, agents, iterations, "dposg", 0.05, more))
    seen = np.full(2 * dim, iterations + 1)
    for k in range(iterations, 0, -1):
        rows = result.snapshot(k)["parameters"]
        seen[(rows != 0).any(0)] = k
    np.testing.assert_array_equal(seen, first_iterations(agents, dim, iterations))
    # x_i and y_i for i = 1, 2, ...: a new coordinate needs a walk to the other end.
    gained = np.minimum(seen[:dim], seen[dim:])
    gained = gained[gained <= iterations]
    assert len(gained) >= 5
    assert (np.diff(gained) >= agents - 1).all()


def test_linear_wgan_learns_the_mean_of_different_agents(tmp_path):
    agents, dim = 3, 4
    game = f'kind = "linear-wgan"\ndim = {dim}\nspread = 0.7\nseed = 5'
    m, q = jacobians(tmp_path, deck_of(game, agents), agents, 2 * dim)
    zero, eye = np.zeros((dim, dim)), np.eye(dim)
    np.testing.assert_array_equal(m, np.broadcast_to(np.block([[zero, -eye], [eye, zero]]),
                                                     m.shape))
    means = -q[:, dim:]
    assert np.linalg.norm(means[0] - means[1]) > 0.1 and np.linalg.norm(means.mean(0)) > 0.1
    np.testing.assert_array_equal(q[:, :dim], 0)
    result = run_well(tmp_path / "run", deck_of(game, agents, 1500, "cp-osg", 0.3))
    mean = result.snapshot()["mean"].ravel()
    np.testing.assert_allclose(mean[:dim], means.mean(0), atol=1e-12)
    np.testing.assert_allclose(mean[dim:], 0, atol=1e-12)


def test_linear_wgan_with_samples(tmp_path):
    """A batch of n: only the critic's gradient is noisy, with covariance (2/n) I."""
    dim, n, draws = 150, 8, 4
    game = f'kind = "linear-wgan"\ndim = {dim}\nsamples = {n}'
    z = np.random.default_rng(1).normal(size=(2, 2 * dim))
    exact = evaluate(tmp_path, deck_of(game.replace(f"samples = {n}", "samples = 0"), 2), z)
    deck = deck_of(game, 2)
    noise = np.array([evaluate(tmp_path, deck, z, draw=draw)["field"] - exact["field"]
                      for draw in range(draws)])
    np.testing.assert_array_equal(noise[..., :dim], 0)
    own = noise[..., dim:]
    assert own.std() == pytest.approx(np.sqrt(2 / n), rel=0.07)
    assert abs(own.mean()) < 4 * np.sqrt(2 / n / own.size)
    # Draws and agents are independent.
    assert abs(np.corrcoef(own[0, 0], own[1, 0])[0, 1]) < 4 / np.sqrt(dim)
    assert abs(np.corrcoef(own[:, 0].ravel(), own[:, 1].ravel())[0, 1]) < 4 / np.sqrt(dim * draws)


def factor(dim, rank, low, high, seed, draw):
    basis = np.linalg.qr(philox.normal(seed, philox.GENERATE, 0, draw, dim * dim)
                         .reshape(dim, dim))[0]
    return basis[:, :rank] * np.linspace(low, high, rank)


def root(a):
    values, vectors = np.linalg.eigh(a)
    return vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T


def covariances(dim, rank, samples, agents, seed, draw, low, high):
    """Of every agent's share of the samples."""
    u = factor(dim, rank, np.sqrt(low), np.sqrt(high), seed, 48 + draw)
    g = philox.normal(seed, philox.GENERATE, 0, 51 + draw, samples * rank).reshape(samples, rank)
    cut = [samples * m // agents for m in range(agents + 1)]
    s = g @ u.T
    return np.array([s[a:b].T @ s[a:b] / (b - a) for a, b in zip(cut, cut[1:])])


@pytest.mark.parametrize("shift", [0, 20])
def test_pl_game(tmp_path, shift):
    agents, dim, rank, samples = 3, 10, 5, 800
    coupling, step = (0.5, 0.4) if shift == 0 else (20, 0.012)
    game = (f'kind = "pl-game"\nsamples = {samples}\nshift = {shift}\nseed = 2\n'
            f'coupling = {coupling}')
    deck = deck_of(game, agents, 10000, "cp-osg", step)
    m, q = jacobians(tmp_path, deck, agents, 2 * dim)
    np.testing.assert_array_equal(q, 0)
    p = covariances(dim, rank, samples, agents, 2, 0, 0.1, 1)
    h = covariances(dim, rank, samples, agents, 2, 1, 0.1, 1)
    np.testing.assert_allclose(m[:, :dim, :dim], p, atol=1e-12)
    np.testing.assert_allclose(m[:, dim:, dim:], h + shift * np.eye(dim), atol=1e-12)
    r = m[:, :dim, dim:]
    np.testing.assert_array_equal(m[:, dim:, :dim], -np.swapaxes(r, 1, 2))
    mean_p, mean_h, mean_r = p.mean(0), h.mean(0), r.mean(0)
    assert np.linalg.matrix_rank(mean_p) == rank
    if shift:
        expected = covariances(dim, dim, samples, agents, 2, 2, coupling / 10, coupling)
        np.testing.assert_allclose(r, expected, atol=1e-12)
    else:
        # R = P^(1/2) K Q^(1/2) keeps both best answers finite, agent by agent and in the mean.
        for left, right, both in [*zip(p, h, r), (mean_p, mean_h, mean_r)]:
            k = np.linalg.pinv(root(left), rcond=1e-7) @ both @ np.linalg.pinv(root(right),
                                                                               rcond=1e-7)
            np.testing.assert_allclose(root(left) @ k @ root(right), both, atol=1e-9)
            assert 0.05 < np.linalg.norm(k, 2) < 0.5 + 1e-6
    result = run_well(tmp_path / "run", deck)
    log, z = result.log(), result.snapshot()["mean"].ravel()
    assert log["field_norm"][0] > 0.1 and log["field_norm"][-1] < 1e-9
    # Distance to the null space of the mean field, where all saddle points lie.
    space = np.linalg.svd(m.mean(0))
    rows = space[2][space[1] > 1e-9]
    assert len(rows) == (2 * rank if shift == 0 else 2 * dim)
    assert log["distance_to_solution"][-1] < 1e-7
    np.testing.assert_allclose(np.linalg.norm(rows @ z), log["distance_to_solution"][-1],
                               atol=1e-12)
    start = result.log()["distance_to_solution"][0]
    assert start > 0.5


@pytest.mark.parametrize("game, agents, message", [
    ('kind = "chain"\ngroup = 2', 3, "take at least 4 agents"),
    ('kind = "pl-game"\nsamples = 2', 3, "take at least 3"),
    ('kind = "pl-game"\nrank = 11', 3, "must not be above dim"),
])
def test_bad_decks(tmp_path, game, agents, message):
    code, output = command("check", write_deck(tmp_path, deck_of(game, agents)))
    assert code == 2 and message in output and "deck.toml:" in output

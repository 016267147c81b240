# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the games on data that end where closed forms and dense solves say, what their logs hold,
and the same bits on any number of ranks.
"""

import numpy as np
import pytest
from scipy.optimize import minimize
from support import data_games as games
from support.runner import different_columns, run_well, same_bits

ROWS, FEATURES, AGENTS = 47, 4, 3
METHOD = 'kind = "cp-osg"\n'  # exact on different data at constant steps


def prepare(folder, game, task, steps, iterations, more=""):
    """(deck text, x in [-1, 1], y, held-out x and y, rows of every agent)."""
    x, y = games.make_data(2 * ROWS, FEATURES, task)
    games.write_data(folder / "data.h5", x[:ROWS], y[:ROWS])
    games.write_data(folder / "test.h5", x[ROWS:], y[ROWS:])
    deck = games.deck_of(game, folder / "data.h5", AGENTS)
    deck = deck.replace("iterations = 1", f"iterations = {iterations}")
    deck = deck.replace('file = "', f'test_file = "{folder}/test.h5"\nfile = "', 1)
    deck = deck.replace('kind = "dposg"', f"{METHOD}step = {{ x = {steps[0]}, y = {steps[1]} }}")
    deck += more + f"[record]\nevery = {iterations}\n"
    parts = games.shards(x[:ROWS], y[:ROWS], AGENTS)
    signs = np.where(y > 0, 1.0, -1.0) if task == "class" else y
    x = 2 * x / 9 - 1
    return deck, x[:ROWS], signs[:ROWS], (x[ROWS:], signs[ROWS:]), parts


def last(result):
    """(mean row, {column: last value})."""
    return result.snapshot()["mean"].ravel(), {n: v[-1] for n, v in result.log().items()}


def weights_of(parts):
    """Weight of each row in the mean of the agents' means."""
    return np.concatenate([np.full(len(p.x), 1 / (len(parts) * len(p.x))) for p in parts])


def test_robust_linear_regression_reaches_its_closed_form(tmp_path):
    deck, x, y, (test_x, test_y), parts = prepare(
        tmp_path, 'kind = "robust-linear-regression"\nlambda = 0.2\nbeta = 30.0', "real",
        (0.1, 0.02), 3000)
    z, log = last(run_well(tmp_path, deck))
    w, d = np.split(z, 2)
    c = weights_of(parts)

    def primal(v):
        r = x @ v - y
        s = v @ v
        return c @ r**2 / 2 + (c @ r) ** 2 * s / (2 * (30 - s)) + 0.1 * s

    truth = minimize(primal, np.zeros(FEATURES), tol=1e-14, options={"gtol": 1e-12})
    np.testing.assert_allclose(w, truth.x, atol=1e-6)
    assert abs(log["primal"] - truth.fun) < 1e-12
    np.testing.assert_allclose(d, c @ (x @ w - y) * w / (30 - w @ w), rtol=1e-9)
    assert abs(log["inner_gap"]) < 1e-12 and log["field_norm"] < 1e-10
    assert abs(log["value"] - log["primal"]) < 1e-12
    assert abs(log["test_error"] - ((test_x @ w - test_y) ** 2).mean()) < 1e-12


def test_the_inner_gap_is_what_it_says(tmp_path):
    deck, x, y, _, parts = prepare(
        tmp_path, 'kind = "robust-linear-regression"\nbeta = 5.0\nshift_start = 0.5', "real",
        (0.1, 0.1), 0)
    deck = deck.replace("every = 0", "every = 1")
    z, log = last(run_well(tmp_path, deck))
    w, d = np.split(z, 2)
    c, r = weights_of(parts), x @ w - y

    def value(shift):
        return c @ (r + shift @ w) ** 2 / 2 + 0.05 * w @ w - 2.5 * shift @ shift

    best = minimize(lambda shift: -value(shift), d, options={"gtol": 1e-12})
    assert abs(log["primal"] + best.fun) < 1e-10
    assert abs(log["inner_gap"] - (-best.fun - value(d))) < 1e-10 and log["inner_gap"] > 1e-3
    # Beyond the ball ||w||^2 < beta the maximum is infinite.
    log = last(run_well(tmp_path, deck.replace("beta = 5.0", "beta = 0.001\nstart = 1.0"),
                        words=("--overwrite",)))[1]
    assert log["primal"] == np.inf


def test_robust_nonconvex_regression_comes_to_rest(tmp_path):
    deck, x, y, (test_x, test_y), parts = prepare(
        tmp_path, 'kind = "robust-nonconvex-regression"', "class", (0.2, 0.2), 3000)
    z, log = last(run_well(tmp_path, deck))
    w, d = np.split(z, 2)
    r = (x + d) @ w - y
    assert log["field_norm"] < 1e-9
    assert abs(log["objective"] - weights_of(parts) @ np.log(1 + r**2 / 2)) < 1e-12
    assert abs(log["value"] - (2 * log["objective"] - d @ d / 2)) < 1e-12
    assert abs(log["accuracy"] - (test_x @ w * test_y > 0).mean()) < 1e-12


def test_records_are_exact_whatever_the_batch(tmp_path):
    deck, _, _, _, parts = prepare(tmp_path, 'kind = "robust-nonconvex-regression"', "class",
                                   (0.1, 0.1), 3, '[init]\nagents = "per_agent"\n')
    deck = deck.replace(METHOD, 'kind = "dposg"\nbatch = 2\n')
    z, log = last(run_well(tmp_path, deck))
    fields = [games.shift_game(z, rows, 1, games.log_quadratic, 0, 1) for rows in parts]
    norm = np.linalg.norm(np.mean([field for _, field in fields], axis=0))
    assert abs(log["field_norm"] - norm) < 1e-12
    assert abs(log["value"] - np.mean([value for value, _ in fields])) < 1e-12


# Under linf the radius is small enough that no number of w rests at the kink of |w|, around which a
# constant step would oscillate.
@pytest.mark.parametrize("norm, dual, radius", [("l2", 2, 0.2), ("linf", 1, 0.02)])
def test_robust_logistic_with_either_kind_of_perturbation(tmp_path, norm, dual, radius):
    game = f'kind = "robust-logistic"\nradius = {radius}\nlambda = 0.1\nnorm = "{norm}"'
    deck, x, y, _, parts = prepare(tmp_path, game, "class", (0.5, 0.5), 1500)
    c = weights_of(parts)

    def primal(w):
        return (c @ games.log_loss(y * (x @ w) - radius * np.linalg.norm(w, dual))
                + 0.05 * w @ w)

    truth = minimize(primal, np.full(FEATURES, 0.1), tol=1e-13, method="Nelder-Mead",
                     options={"maxfev": 20000, "maxiter": 20000, "xatol": 1e-10})
    w, log = last(run_well(tmp_path / "best", deck))
    assert abs(log["primal"] - truth.fun) < 1e-9 and log["primal"] == log["value"]
    assert w.size == FEATURES and log["consensus_y"] == 0
    explicit = deck.replace('"robust-logistic"', '"robust-logistic"\nperturbation = "explicit"')
    # A perturbation's field is of the size of its row's weight.
    explicit = explicit.replace("y = 0.5", "y = 50.0")
    z, log = last(run_well(tmp_path / "explicit", explicit))
    assert abs(log["primal"] - truth.fun) < 1e-6 and abs(log["inner_gap"]) < 1e-6
    d = z[FEATURES:].reshape(ROWS, FEATURES)
    assert np.linalg.norm(d, 2 if norm == "l2" else np.inf, axis=1).max() <= radius + 1e-12


def test_dro_logistic_finds_the_worst_weights(tmp_path):
    deck, x, y, _, _ = prepare(tmp_path, 'kind = "dro-logistic"\nlambda = 0.01', "class",
                               (0.05, 0.1), 6000)
    z, log = last(run_well(tmp_path, deck))
    w, p = z[:FEATURES], z[FEATURES:]
    losses = games.log_loss(y * (x @ w))
    best = games.project_simplex(losses + 1 / ROWS)
    np.testing.assert_allclose(p, best, atol=1e-9)

    def primal(v):
        each = games.log_loss(y * (x @ v))
        q = games.project_simplex(each + 1 / ROWS)
        square = 10 * v**2
        return q @ each - ((q - 1 / ROWS) ** 2).sum() / 2 + 0.01 * (square / (1 + square)).sum()

    assert abs(log["primal"] - primal(w)) < 1e-12
    assert abs(log["inner_gap"]) < 1e-12
    nearby = minimize(primal, w, options={"gtol": 1e-9})
    assert log["primal"] - nearby.fun < 1e-10


def test_auc_reaches_its_closed_form(tmp_path):
    deck, x, y, (test_x, test_y), _ = prepare(tmp_path, 'kind = "auc"', "class", (0.5, 0.5), 6000)
    z, log = last(run_well(tmp_path, deck))
    up, down = x[y > 0], x[y < 0]
    p = len(up) / ROWS
    s = np.cov(up.T, bias=True) + np.cov(down.T, bias=True)
    gap = up.mean(axis=0) - down.mean(axis=0)
    w = np.linalg.solve(s + np.outer(gap, gap), gap)
    loss = 1 / (1 + gap @ np.linalg.solve(s, gap))
    np.testing.assert_allclose(z[:FEATURES], w, atol=1e-9)
    np.testing.assert_allclose(z[FEATURES:], [up.mean(axis=0) @ w, down.mean(axis=0) @ w,
                                              -gap @ w], atol=1e-9)
    assert abs(log["pairwise_loss"] - loss) < 1e-12
    assert abs(log["value"] - p * (1 - p) * (loss - 1)) < 1e-12
    assert abs(log["primal"] - log["value"]) < 1e-12
    h = test_x @ z[:FEATURES]
    pairs = h[test_y > 0][:, None] - h[test_y < 0]
    assert abs(log["auc"] - ((pairs > 0) + 0.5 * (pairs == 0)).mean()) < 1e-12


def test_ties_count_half_in_the_auc(tmp_path):
    deck = prepare(tmp_path, 'kind = "auc"\nstart = 0.0', "class", (0.1, 0.1), 0)[0]
    log = last(run_well(tmp_path, deck.replace("every = 0", "every = 1")))[1]
    assert log["auc"] == 0.5 and log["pairwise_loss"] == 1


GAMES = {"robust-linear-regression": "real", "robust-nonconvex-regression": "class",
         "robust-logistic": "class", 'robust-logistic"\nperturbation = "explicit': "class",
         "dro-logistic": "class", "auc": "class"}


@pytest.mark.parametrize("game", GAMES)
def test_the_same_bits_on_any_number_of_ranks(tmp_path, game):
    deck = prepare(tmp_path, f'kind = "{game}"', GAMES[game], (0.1, 0.1), 12)[0]
    deck = deck.replace(METHOD, 'kind = "dposg"\nbatch = 5\n').replace("double", "single")
    deck = deck.replace(f"agents = {AGENTS}", "agents = 5")
    deck = deck.replace("every = 12", 'every = 4\n[init]\nagents = "per_agent"')
    runs = {ranks: run_well(tmp_path / str(ranks), deck, ranks) for ranks in (1, 2, 4)}
    log = runs[1].log()
    assert len(log["iteration"]) == 4 and np.isfinite(log["value"]).all()
    np.testing.assert_allclose(
        log["stationarity"], log["field_norm"] ** 2 + log["consensus_x"] + log["consensus_y"])
    assert abs(log["epoch"][-1] - log["oracle_calls"][-1] * 25 / ROWS) < 1e-12
    for ranks in (2, 4):
        assert same_bits(runs[1].parameters(), runs[ranks].parameters())
        assert different_columns(log, runs[ranks].log(),
                                 ("wall_train", "wall_total", "bytes")) == []


def test_copies_of_all_rows_change_nothing(tmp_path):
    """partition = replicated: every agent holds all rows, and f is the same function."""
    for game in ("dro-logistic", "auc"):
        deck = prepare(tmp_path, f'kind = "{game}"', "class", (0.1, 0.1), 30)[0]
        logs = []
        for kind in ("contiguous", "replicated"):
            text = deck.replace("contiguous", kind)
            z, log = last(run_well(tmp_path / game / kind, text))
            logs.append((z, log))
        np.testing.assert_allclose(logs[0][0], logs[1][0], rtol=1e-11, atol=1e-13)
        for name in ("value", "primal", "field_norm"):
            assert abs(logs[0][1][name] - logs[1][1][name]) < 1e-12

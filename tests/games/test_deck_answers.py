# SPDX-License-Identifier: BSD-3-Clause
"""The answers that the decks of inputs/games expect, from closed forms and dense solves on the data
that the decks describe: a deck's bound must lie just above the true value.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from support import data_games as games

DECKS = Path(__file__).parents[2] / "inputs" / "games"


def load(name):
    """(deck, x, targets or signs, weight of each row in the mean of the agents' means)."""
    deck = tomllib.loads((DECKS / f"{name}.toml").read_text())
    data = deck["data"]
    x, y = games.linear_source(deck["run"].get("seed", 1), data["features"], data["samples"],
                               data["noise"], data.get("offset", 0))
    if data.get("task") == "classification":
        y = np.where(y > 0, 1.0, -1.0)
    parts = np.array_split(np.arange(len(x)), deck["run"]["agents"])
    weights = np.concatenate([np.full(len(p), 1 / (len(parts) * len(p))) for p in parts])
    return deck, x, y, weights


def bounds(deck, measure):
    """All bounds from above of a measure, the variants' too."""
    lists = [deck["expect"], *(v.get("expect", []) for v in deck.get("variant", {}).values())]
    return [each["below"] for expect in lists for each in expect if each["measure"] == measure]


def robust_linear():
    deck, x, y, c = load("robust_linear")
    lam, beta = deck["game"]["lambda"], deck["game"]["beta"]

    def primal(w):
        r, s = x @ w - y, w @ w
        return c @ r**2 / 2 + (c @ r) ** 2 * s / (2 * (beta - s)) + lam / 2 * s

    return bounds(deck, "primal"), minimize(primal, np.zeros(x.shape[1]), tol=1e-12).fun


def robust_logistic():
    deck, x, y, c = load("robust_logistic")
    lam, radius = deck["game"]["lambda"], deck["game"]["radius"]

    def primal(w):
        return (c @ games.log_loss(y * (x @ w) - radius * np.linalg.norm(w)) + lam / 2 * w @ w)

    return bounds(deck, "primal"), minimize(primal, np.full(x.shape[1], 0.1), tol=1e-12).fun


def dro_logistic():
    deck, x, y, _ = load("dro_logistic")
    lam, n = deck["game"]["lambda"], len(x)

    def primal(w):
        loss, square = games.log_loss(y * (x @ w)), 10 * w**2
        p = games.project_simplex(loss + 1 / n)
        return p @ loss - ((p - 1 / n) ** 2).sum() / 2 + lam * (square / (1 + square)).sum()

    starts = np.random.default_rng(1).normal(size=(8, x.shape[1]))
    return bounds(deck, "primal"), min(minimize(primal, w, tol=1e-12).fun for w in starts)


def auc():
    deck, x, y, _ = load("auc")
    up, down = x[y > 0], x[y < 0]
    s = np.cov(up.T, bias=True) + np.cov(down.T, bias=True)
    gap = up.mean(axis=0) - down.mean(axis=0)
    return bounds(deck, "pairwise_loss"), 1 / (1 + gap @ np.linalg.solve(s, gap))


@pytest.mark.parametrize("answer", [robust_linear, robust_logistic, dro_logistic, auc])
def test_a_deck_expects_the_true_answer(answer):
    limits, truth = answer()
    assert limits
    for limit in limits:
        assert truth < limit < truth + 2e-6

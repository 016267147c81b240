# SPDX-License-Identifier: BSD-3-Clause
"""Fields, losses, proximal steps and measures of the games on data against NumPy transcriptions and
central differences, for full data and drawn batches, unequal parts and every stored type.
"""

import numpy as np
import pytest
from support import data_games as games
from support.field_tool import differences, evaluate

ROWS, FEATURES, AGENTS = 23, 5, 3
# kind: (deck lines, answers, dimension, of x, truth(z, rows, share of the agent, all rows))
CASES = {
    "linear": ('kind = "robust-linear-regression"\nlambda = 0.2\nbeta = 3.0', "real", 10, 5,
               lambda z, r, s, _: games.shift_game(z, r, s(0), games.squared, 0.2, 3.0)),
    "linear-classes": ('kind = "robust-linear-regression"\nweighting = "rows"', "class", 10, 5,
                       lambda z, r, s, _: games.shift_game(z, r, s(1), games.squared, 0.1, 10.0)),
    "nonconvex": ('kind = "robust-nonconvex-regression"', "class", 10, 5,
                  lambda z, r, s, _: games.shift_game(z, r, s(0), games.log_quadratic, 0, 1)),
    "logistic-l2": ('kind = "robust-logistic"\nradius = 0.3', "class", 5, 5,
                    lambda z, r, s, _: games.robust_logistic(z, r, s(0), 0.01, 0.3, "l2")),
    "logistic-linf": ('kind = "robust-logistic"\nnorm = "linf"\nweighting = "rows"', "class", 5, 5,
                      lambda z, r, s, _: games.robust_logistic(z, r, s(1), 0.01, 0.1, "linf")),
    "logistic-explicit": (
        'kind = "robust-logistic"\nperturbation = "explicit"', "class", 5 + ROWS * 5, 5,
        lambda z, r, s, _: games.robust_logistic_explicit(z, r, s(0), 0.01, ROWS)),
    "dro": ('kind = "dro-logistic"\nlambda = 0.05', "class", 5 + ROWS, 5,
            lambda z, r, s, _: games.dro_logistic(z, r, s(1) * ROWS, 0.05, 10, ROWS)),
    "auc": ('kind = "auc"\nlambda = 0.02', "class", 8, 7,
            lambda z, r, s, p: games.auc(z, r, s(1), 0.02, p)),
}


def prepare(folder, name, kind=np.float64, precision="double"):
    """(deck, rows of every agent, share of positive rows)."""
    folder.mkdir(exist_ok=True)
    x, y = games.make_data(ROWS, FEATURES, CASES[name][1])
    games.write_data(folder / "data.h5", x, y, kind)
    deck = games.deck_of(CASES[name][0], folder / "data.h5", AGENTS, precision)
    return deck, games.shards(x, y, AGENTS), (y > 0).mean()


def truth_of(name, z, parts, p, batch, draw):
    """(values, fields) of all agents at z, agents x dim."""
    found = []
    for m, own in enumerate(parts):
        rows = games.batch_of(own, 3, m, draw, batch)
        shares = [games.share(parts, own, weighting) for weighting in ("agents", "rows")]
        found.append(CASES[name][4](z[m], rows, shares.__getitem__, p))
    return np.array([value for value, _ in found]), np.array([field for _, field in found])


def point_of(name, seed=1):
    return 0.7 * np.random.default_rng(seed).normal(size=(AGENTS, CASES[name][2]))


@pytest.mark.parametrize("batch, draw", [(0, 0), (4, 5), (60, 1)])
@pytest.mark.parametrize("name", CASES)
def test_field_and_value(tmp_path, name, batch, draw):
    deck, parts, p = prepare(tmp_path, name)
    z = point_of(name)
    values, fields = truth_of(name, z, parts, p, batch, draw)
    found = evaluate(tmp_path, deck, z, batch=batch, draw=draw)
    np.testing.assert_allclose(found["field"], fields, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(found["loss_x"], values, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(found["loss_y"], -found["loss_x"])


@pytest.mark.parametrize("name", CASES)
def test_field_is_the_slope_of_the_value(tmp_path, name):
    deck, _, _ = prepare(tmp_path, name)
    z = point_of(name, 2)
    field = evaluate(tmp_path, deck, z, batch=4, draw=2)["field"][1]
    slopes = differences(tmp_path, deck, z, 1, CASES[name][3], batch=4, draw=2)
    np.testing.assert_allclose(slopes, field, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["nonconvex", "dro", "auc", "linear"])
def test_stored_types_and_precisions_agree(tmp_path, name):
    z = point_of(name)
    found = {}
    for kind in (np.uint8, np.float32, np.float64):
        deck, _, _ = prepare(tmp_path, name, kind)
        found[kind] = evaluate(tmp_path, deck, z, batch=4, draw=3)
        single = evaluate(tmp_path, deck.replace('"double"', '"single"'), z, batch=4, draw=3)
        np.testing.assert_allclose(single["field"], found[kind]["field"], rtol=2e-5, atol=2e-6)
    for kind in (np.uint8, np.float32):
        for quantity, values in found[kind].items():
            np.testing.assert_array_equal(values, found[np.float64][quantity], quantity)


@pytest.mark.parametrize("game, dim, truth", [
    ('kind = "robust-linear-regression"\nl1 = 2.0\nradius_d = 0.5', 10,
     lambda w, d: (np.sign(w) * np.maximum(np.abs(w) - 0.1 * 2, 0), d * 0.5 / np.linalg.norm(d))),
    ('kind = "robust-nonconvex-regression"\nradius_w = 0.25', 10,
     lambda w, d: (w * 0.25 / np.linalg.norm(w), d)),
    ('kind = "robust-logistic"\nperturbation = "explicit"\nradius = 0.6', 5 + 5 * ROWS,
     lambda w, d: (w, np.concatenate([each * min(1, 0.6 / np.linalg.norm(each))
                                      for each in d.reshape(ROWS, 5)]))),
    ('kind = "robust-logistic"\nperturbation = "explicit"\nradius = 0.6\nnorm = "linf"',
     5 + 5 * ROWS,
     lambda w, d: (w, np.clip(d, -0.6, 0.6))),
    ('kind = "dro-logistic"', 5 + ROWS, lambda w, y: (w, games.project_simplex(y)))])
def test_prox(tmp_path, game, dim, truth):
    x, y = games.make_data(ROWS, FEATURES, "class")
    games.write_data(tmp_path / "data.h5", x, y)
    deck = games.deck_of(game, tmp_path / "data.h5", AGENTS)
    z = 0.7 * np.random.default_rng(4).normal(size=(AGENTS, dim))
    found = evaluate(tmp_path, deck, z, eta=(0.1, 0.3))["prox"]
    for m in range(AGENTS):
        expected = np.concatenate(truth(z[m, :FEATURES], z[m, FEATURES:]))
        np.testing.assert_allclose(found[m], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("game, classes, message", [
    ("auc", 0, "needs rows of two classes; these have real-valued targets"),
    ("dro-logistic", 3, "needs rows of two classes; these have 3 classes"),
    ("robust-linear-regression", 3, "or with real-valued targets; these have 3 classes")])
def test_rows_of_the_wrong_kind_are_refused(tmp_path, game, classes, message):
    x = games.make_data(ROWS, FEATURES, "class")[0]
    y = np.arange(ROWS) % classes if classes else np.linspace(0, 1, ROWS)
    games.write_data(tmp_path / "data.h5", x, y)
    deck = games.deck_of(f'kind = "{game}"', tmp_path / "data.h5", AGENTS)
    with pytest.raises(AssertionError) as refused:
        evaluate(tmp_path, deck, np.zeros((AGENTS, 1)))
    assert message in str(refused.value) and "data.kind" in str(refused.value)

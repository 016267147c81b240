# SPDX-License-Identifier: BSD-3-Clause
"""Matrix games: fields, projections and gaps against NumPy and SciPy's linear programs; runs that
reach closed-form equilibria; mirror-prox as multiplicative weights, iterate by iterate."""

import h5py
import numpy as np
import pytest
from scipy.optimize import linprog
from support import philox
from support.field_tool import evaluate
from support.runner import command, run_well, write_deck

DECK = """[run]
agents = {agents}
iterations = {iterations}
precision = "double"
output = "OUTPUT"
[game]
kind = "matrix_game"
{game}
[method]
kind = "{method}"
step = {{ x = {step}, y = {step} }}
{more}
"""
ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def deck_of(game, agents=1, iterations=1, method="cp-osg", step=0.1, more=""):
    return DECK.format(agents=agents, iterations=iterations, game=game, method=method, step=step,
                       more=more)


def write_payoffs(file, shape, seed=4):
    a = np.random.default_rng(seed).normal(size=shape)
    with h5py.File(file, "w") as out:
        out["A"] = a
    return a


def softmax(u):
    e = np.exp(u - u.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def nearest_of_simplex(v):
    """By bisection on the threshold."""
    low, high = v.min() - 1, v.max()
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if np.maximum(v - t, 0).sum() > 1 else (low, t)
    return np.maximum(v - high, 0)


def solve_by_program(a):
    """(value, x) of min over x, max over y of y'Ax: min t with A x <= t."""
    rows, columns = a.shape
    found = linprog(np.r_[np.zeros(columns), 1], A_ub=np.hstack([a, -np.ones((rows, 1))]),
                    b_ub=np.zeros(rows), A_eq=[np.r_[np.ones(columns), 0]], b_eq=[1],
                    bounds=[(0, None)] * columns + [(None, None)])
    return found.fun, found.x[:columns]


def gap_of(a, x, y):
    return (a @ x).max() - (a.T @ y).min()


@pytest.mark.parametrize("geometry", ["euclidean", "entropy"])
def test_field_prox_and_measures(tmp_path, geometry):
    a = write_payoffs(tmp_path / "a.h5", (2, 4, 3))
    game = f'instance = "file"\nfile = "{tmp_path / "a.h5"}"\ngeometry = "{geometry}"'
    z = np.random.default_rng(5).normal(size=(3, 2, 7))
    found = evaluate(tmp_path, deck_of(game, agents=2), z, eta=(0.1, 0.2))
    at = z if geometry == "euclidean" else np.concatenate(
        [softmax(z[..., :3]), softmax(z[..., 3:])], axis=-1)
    x, y = at[..., :3], at[..., 3:]
    field = np.concatenate([np.einsum("mij,nmi->nmj", a, y), -np.einsum("mij,nmj->nmi", a, x)],
                           axis=-1)
    np.testing.assert_allclose(found["field"], field, atol=1e-13)
    np.testing.assert_allclose(found["loss_x"], np.einsum("nmi,mij,nmj->nm", y, a, x), atol=1e-13)
    if geometry == "entropy":
        np.testing.assert_array_equal(found["prox"], z)
    for n, m in np.ndindex(3, 2):
        gap = gap_of(a.mean(0), x[n, m], y[n, m])
        if geometry == "euclidean":
            expected = [*nearest_of_simplex(x[n, m]), *nearest_of_simplex(y[n, m])]
            np.testing.assert_allclose(found["prox"][n, m], expected, atol=1e-12)
            continue
        np.testing.assert_allclose(found["gap"][n, m], gap, rtol=1e-12)
        np.testing.assert_allclose(found["value"][n, m], y[n, m] @ a.mean(0) @ x[n, m], atol=1e-13)


def test_the_program_itself():
    assert solve_by_program(ROCK)[0] == pytest.approx(0, abs=1e-12)
    value, x = solve_by_program(np.array([[3.0, -1], [-2, 4]]))
    assert value == pytest.approx((3 * 4 - 2) / (3 + 4 + 1 + 2))
    np.testing.assert_allclose(x, [0.5, 0.5])


@pytest.mark.parametrize("method, more", [
    ("cp-osg", ""), ("extra-step-local-sgd", ""), ("dposg", '[graph]\nkind = "complete"')])
@pytest.mark.parametrize("geometry", ["euclidean", "entropy"])
def test_rock_paper_scissors_ends_in_the_uniform_strategy(tmp_path, geometry, method, more):
    game = f'geometry = "{geometry}"\nstart = 1.0'
    deck = deck_of(game, 2, 2000, method, 0.25 if geometry == "euclidean" else 0.5, more)
    result = run_well(tmp_path, deck)
    gap = result.log()["gap"]
    assert gap[0] > 0.1 and abs(gap[-1]) < 1e-10
    mean = result.snapshot()["mean"].reshape(2, 3)
    played = mean if geometry == "euclidean" else softmax(mean)
    np.testing.assert_allclose(played, np.full((2, 3), 1 / 3), atol=1e-10)
    assert abs(result.log()["value"][-1]) < 1e-10


@pytest.mark.parametrize("geometry", ["euclidean", "entropy"])
def test_two_by_two_with_different_agents(tmp_path, geometry):
    """Without a saddle in pure strategies: value (ad - bc)/(a + d - b - c), x = (d - b)/(...)."""
    a, b, c, d = 3.0, -1.0, -2.0, 4.0
    game = (f'instance = "given"\nentries = [{a}, {b}, {c}, {d}]\nheterogeneity = 0.5\n'
            f'geometry = "{geometry}"\nstart = 0.5')
    result = run_well(tmp_path, deck_of(game, 3, 3000, "cp-osg", 0.06))
    log, total = result.log(), a + d - b - c
    assert abs(log["gap"][-1]) < 1e-10
    assert log["value"][-1] == pytest.approx((a * d - b * c) / total, abs=1e-10)
    mean = result.snapshot()["mean"].reshape(2, 2)
    played = mean if geometry == "euclidean" else softmax(mean)
    np.testing.assert_allclose(played[:, 0], [(d - b) / total, (d - c) / total], atol=1e-10)


def burglar(n, seed):
    """The instance from its formula and the generator's numbers."""
    wealth = np.abs(philox.normal(seed, philox.GENERATE, 0, 32, n))
    i = np.arange(n)
    return wealth[:, None] * (1 - np.exp(-0.8 * np.abs(i[:, None] - i[None])))


def test_policeman_and_burglar_by_mirror_prox(tmp_path):
    """The average of the half points: gap <= 2 L log(n)... / k; the value between both sides."""
    n, iterations = 50, 4000
    a = burglar(n, 7)
    size = 1 / (2 * a.max())
    game = f'instance = "policeman-burglar"\nsize = {n}\nseed = 7\ngeometry = "entropy"'
    result = run_well(tmp_path, deck_of(game, 1, iterations, "extra-step-local-sgd", size,
                                        'iterate_average = "uniform"'))
    value, _ = solve_by_program(a)
    log = result.log()
    assert 0 < log["gap_avg"][-1] <= 2 * np.log(n) / (size * iterations)
    assert abs(log["value_avg"][-1] - value) <= log["gap_avg"][-1]
    with h5py.File(result.folder / "snapshots" / f"{iterations:08}.h5") as file:
        logits = file["average"][()].ravel()
    x, y = softmax(logits[:n]), softmax(logits[n:])
    assert log["gap_avg"][-1] == pytest.approx(gap_of(a, x, y), rel=1e-9)
    assert (a.T @ y).min() <= value <= (a @ x).max()


def test_extra_steps_on_logits_are_mirror_prox(tmp_path):
    """p <- p exp(-eta g) / sum, half step and step, from the same start: strategies to 1e-12."""
    a = write_payoffs(tmp_path / "a.h5", (4, 3))
    eta, iterations = 0.2, 60
    game = f'instance = "file"\nfile = "{tmp_path / "a.h5"}"\ngeometry = "entropy"'
    result = run_well(tmp_path, deck_of(game, 1, iterations, "extra-step-local-sgd", eta))
    x, y = np.full(3, 1 / 3), np.full(4, 1 / 4)

    def moved(p, direction):
        p = p * np.exp(direction)
        return p / p.sum()

    for _ in range(iterations):
        half_x, half_y = moved(x, -eta * (a.T @ y)), moved(y, eta * (a @ x))
        x, y = moved(x, -eta * (a.T @ half_y)), moved(y, eta * (a @ half_x))
    mean = result.snapshot()["mean"].ravel()
    np.testing.assert_allclose(softmax(mean[:3]), x, atol=1e-12)
    np.testing.assert_allclose(softmax(mean[3:]), y, atol=1e-12)


def test_random_instances_of_all_sizes(tmp_path):
    """The generated matrix, read off the field at pure strategies, and its value by the program."""
    game = 'instance = "random"\nrows = 5\ncolumns = 4\nseed = 3'
    pure = np.zeros((5, 1, 9))
    pure[:, 0, 0] = 1
    pure[np.arange(5), 0, 4 + np.arange(5)] = 1
    a = evaluate(tmp_path, deck_of(game), pure)["field"][:, 0, :4]
    numbers = philox.normal(3, philox.GENERATE, 0, 33, 20)
    np.testing.assert_allclose(a.ravel(), numbers, rtol=1e-12)
    log = run_well(tmp_path, deck_of(game, 1, 8000, "cp-osg", 0.12)).log()
    assert abs(log["gap"][-1]) < 1e-9
    assert log["value"][-1] == pytest.approx(solve_by_program(a)[0], abs=1e-9)


@pytest.mark.parametrize("game, message", [
    ('instance = "given"\nentries = [1.0, 2.0]', "rows x columns = 4 numbers, not 2"),
    ('instance = "file"', "needs the key file"),
    ('instance = "file"\nfile = "nowhere.h5"', "nowhere.h5"),
    ('instance = "random"\nentries = [1.0]', "entries"),
])
def test_bad_decks(tmp_path, game, message):
    code, output = command("check", write_deck(tmp_path, deck_of(game)))
    assert code == 2 and message in output and "deck.toml:" in output

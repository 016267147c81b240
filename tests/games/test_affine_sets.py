# SPDX-License-Identifier: BSD-3-Clause
"""Affine games on balls, boxes and with l1 terms: proximal maps and merit functions through the
field tool against SciPy, whole runs that reach the constrained saddle point, and the user's own
coefficients from a file.
"""

import h5py
import numpy as np
import pytest
from scipy.optimize import minimize
from support.field_tool import evaluate
from support.runner import command, run_well, write_deck, write_quadratic

HEAD = """[run]
agents = {agents}
iterations = {iterations}
precision = "double"
output = "OUTPUT"
[game]
kind = "{kind}"
file = "{file}"
"""
TAIL = """
[method]
kind = "cp-osg"
step = {{ x = {step}, y = {step} }}
[record]
every = 500
"""


def write_bilinear(file, agents, dx, dy, common=False, seed=3):
    """(A, b, c) with a first axis of agents; `common`: the file's A has none."""
    random = np.random.default_rng(seed)
    a = 6 * np.eye(dx, dy) + random.normal(size=(dx, dy)) + np.zeros((agents, 1, 1))
    if not common:
        a = a + 0.3 * random.normal(size=(agents, dx, dy))
    b, c = random.normal(size=(agents, dx)), random.normal(size=(agents, dy))
    with h5py.File(file, "w") as out:
        out["A"] = a[0] if common else a
        out["b"], out["c"] = b, c
    return a, b, c


def prox_by_numpy(v, eta, radius=None, low=-np.inf, high=np.inf, l1=0.0):
    v = np.sign(v) * np.maximum(np.abs(v) - eta * l1, 0)
    if radius is not None:
        v = v * min(1, radius / np.linalg.norm(v))
    return np.clip(v, low, high)


def best_answer(slopes, radius=None, low=None, high=None, l1=0.0):
    """max over the set of slopes'v - l1 |v|_1 by SciPy: v = plus - minus makes it smooth."""
    n = len(slopes)
    top = radius if radius is not None else max(abs(low), abs(high))
    both = np.concatenate([slopes - l1, -slopes - l1])
    limits = []
    if radius is not None:
        limits.append({"type": "ineq", "jac": lambda u: np.concatenate(
            [-2 * (u[:n] - u[n:]), 2 * (u[:n] - u[n:])]),
            "fun": lambda u: radius**2 - np.sum((u[:n] - u[n:])**2)})
    else:
        eye = np.hstack([np.eye(n), -np.eye(n)])
        limits.append({"type": "ineq", "fun": lambda u: high - eye @ u, "jac": lambda u: -eye})
        limits.append({"type": "ineq", "fun": lambda u: eye @ u - low, "jac": lambda u: eye})
    start = np.full(2 * n, 0.3 * top)
    start[:n] += 0 if radius is not None else (low + high) / 2
    found = minimize(lambda u: -both @ u, start, jac=lambda u: -both, constraints=limits,
                     bounds=[(0, 3 * top)] * (2 * n), method="SLSQP",
                     options={"ftol": 1e-15, "maxiter": 500})
    return -found.fun


SETS = [
    ({"radius": 0.7}, {"low": -0.5, "high": 1.5}),
    ({"radius": 1.2, "l1": 0.4}, {"radius": 2.0}),
    ({"low": -1.0, "high": 1.0, "l1": 0.3}, {"low": -2.0, "high": 0.5, "l1": 0.2}),
]


def constraint(sets):
    return "".join(f"constraint.{player}.{key} = {value}\n" for player, keys in zip("xy", sets)
                   for key, value in keys.items())


@pytest.mark.parametrize("sets", SETS)
def test_prox_gap_and_residual(tmp_path, sets):
    agents, dx, dy = 2, 4, 3
    a, b, c = write_bilinear(tmp_path / "game.h5", agents, dx, dy)
    deck = HEAD.format(agents=agents, iterations=1, kind="bilinear",
                       file=tmp_path / "game.h5") + constraint(sets) + TAIL.format(step=0.05)
    eta = (0.3, 0.6)
    z = np.random.default_rng(1).normal(size=(3, agents, dx + dy))
    prox = evaluate(tmp_path, deck, z, eta=eta)["prox"]
    for got, row in zip(prox.reshape(-1, dx + dy), z.reshape(-1, dx + dy)):
        expected = np.concatenate([prox_by_numpy(row[:dx], eta[0], **sets[0]),
                                   prox_by_numpy(row[dx:], eta[1], **sets[1])])
        np.testing.assert_allclose(got, expected, atol=1e-14)
    a, b, c = a.mean(0), b.mean(0), c.mean(0)
    found = evaluate(tmp_path, deck, prox)
    l1 = [keys.get("l1", 0) for keys in sets]
    for i, row in enumerate(prox[:, 0]):
        x, y = row[:dx], row[dx:]
        slopes_x, slopes_y = a @ y + b, a.T @ x + c
        gap = (best_answer(slopes_y, **sets[1]) + b @ x + l1[0] * np.abs(x).sum()
               + best_answer(-slopes_x, **sets[0]) - c @ y + l1[1] * np.abs(y).sum())
        np.testing.assert_allclose(found["gap"][i, 0], gap, rtol=1e-7)
        moved = np.concatenate([prox_by_numpy(x - slopes_x, 1, **sets[0]),
                                prox_by_numpy(y + slopes_y, 1, **sets[1])])
        np.testing.assert_allclose(found["residual"][i, 0], np.linalg.norm(row - moved), rtol=1e-12)
        value = x @ a @ y + b @ x + c @ y + l1[0] * np.abs(x).sum() - l1[1] * np.abs(y).sum()
        np.testing.assert_allclose(found["value"][i, 0], value, rtol=1e-12)


@pytest.mark.parametrize("sets", SETS)
def test_optimistic_steps_reach_the_constrained_saddle_point(tmp_path, sets):
    write_bilinear(tmp_path / "game.h5", 2, 4, 4)
    deck = HEAD.format(agents=2, iterations=10000, kind="bilinear",
                       file=tmp_path / "game.h5") + constraint(sets) + TAIL.format(step=0.05)
    log = run_well(tmp_path, deck).log()
    assert log["gap"][0] > 0.1
    assert 0 <= log["gap"][-1] + 1e-13 < 1e-9
    assert log["residual"][-1] < 1e-9


def test_gap_of_a_definite_game(tmp_path):
    """max_y f(x, y) - min_x f(x, y) from SciPy's solves of the two inner problems."""
    matrices, vectors = write_quadratic(tmp_path / "game.h5", 3, 4, 2)
    deck = HEAD.format(agents=3, iterations=1, kind="quadratic",
                       file=tmp_path / "game.h5") + TAIL.format(step=0.05)
    m, q = matrices.mean(0), vectors.mean(0)
    p, a, h, b, c = m[:4, :4], m[:4, 4:], m[4:, 4:], q[:4], -q[4:]
    z = np.random.default_rng(2).normal(size=(2, 3, 6))
    found = evaluate(tmp_path, deck, z)

    def f(x, y):
        return x @ p @ x / 2 + x @ a @ y - y @ h @ y / 2 + b @ x + c @ y

    for i in range(2):
        x, y = z[i, 1, :4], z[i, 1, 4:]
        best_y = minimize(lambda v: -f(x, v), y, method="BFGS", options={"gtol": 1e-9}).x
        best_x = minimize(lambda u: f(u, y), x, method="BFGS", options={"gtol": 1e-9}).x
        np.testing.assert_allclose(found["gap"][i, 1], f(x, best_y) - f(best_x, y), rtol=1e-7)


@pytest.mark.parametrize("common", [False, True])
def test_bilinear_of_a_file(tmp_path, common):
    a, b, c = write_bilinear(tmp_path / "game.h5", 3, 5, 5, common)
    deck = HEAD.format(agents=3, iterations=4000, kind="bilinear",
                       file=tmp_path / "game.h5") + TAIL.format(step=0.05)
    z = np.random.default_rng(1).normal(size=(3, 10))
    field = np.concatenate([np.einsum("mij,mj->mi", a, z[:, 5:]) + b,
                            -np.einsum("mij,mi->mj", a, z[:, :5]) - c], axis=1)
    np.testing.assert_allclose(evaluate(tmp_path, deck, z)["field"], field, atol=1e-13)
    a, b, c = a.mean(0), b.mean(0), c.mean(0)
    mean = run_well(tmp_path / "run", deck).snapshot()["mean"]
    saddle = np.concatenate([-np.linalg.solve(a.T, c), -np.linalg.solve(a, b)])
    np.testing.assert_allclose(mean.ravel(), saddle, atol=1e-8)


@pytest.mark.parametrize("change, message", [
    (lambda file: file.pop("b"), "no data set b"),
    (lambda file: (file.pop("c"), file.create_dataset("c", data=np.ones(4))), "but A asks for [5]"),
    (lambda file: (file.pop("A"), file.create_dataset("A", data=np.ones((2, 5, 5)))),
     "set run.agents = 2"),
    (lambda file: file["A"].write_direct(np.full((3, 5, 5), np.nan)), "non-finite"),
    (lambda file: file["A"].write_direct(np.ones((3, 5, 5))), "singular"),
])
def test_a_bad_file_is_refused(tmp_path, change, message):
    write_bilinear(tmp_path / "game.h5", 3, 5, 5)
    with h5py.File(tmp_path / "game.h5", "r+") as file:
        change(file)
    deck = HEAD.format(agents=3, iterations=4, kind="bilinear",
                       file=tmp_path / "game.h5") + TAIL.format(step=0.05)
    code, output = command("run", write_deck(tmp_path, deck))
    assert code == 2
    assert message in output and "deck.toml:" in output

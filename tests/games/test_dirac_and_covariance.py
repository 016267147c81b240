# SPDX-License-Identifier: BSD-3-Clause
"""dirac-gan and covariance: fields against differences and NumPy, the eigenvalues of the flow, and
runs that end in the known equilibrium."""

import numpy as np
import pytest
from support import philox
from support.field_tool import differences, evaluate
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


def deck_of(game, agents=1, iterations=1, method="cp-osg", step=0.1, more=""):
    return DECK.format(agents=agents, iterations=iterations, game=game, method=method, step=step,
                       more=more)


@pytest.mark.parametrize("loss, slope", [("logistic", 0.5), ("linear", 1.0)])
@pytest.mark.parametrize("gamma", [0, 0.6, 3])
def test_eigenvalues_of_the_flow(tmp_path, loss, slope, gamma):
    """-gamma/2 +- sqrt(gamma^2/4 - g'(0)^2) at the equilibrium 0, for agents with one point."""
    game = f'kind = "dirac-gan"\nloss = "{loss}"\npenalty = {gamma}'
    h = 1e-5
    points = np.array([[[h, 0]], [[-h, 0]], [[0, h]], [[0, -h]], [[0, 0]]])
    field = evaluate(tmp_path, deck_of(game), points)["field"][:, 0]
    np.testing.assert_array_equal(field[4], 0)
    flow = -np.stack([field[0] - field[1], field[2] - field[3]], axis=1) / (2 * h)
    expected = [-gamma / 2 + sign * np.sqrt(complex(gamma**2 / 4 - slope**2)) for sign in (1, -1)]
    found = np.sort_complex(np.round(np.linalg.eigvals(flow), 8))
    np.testing.assert_allclose(found, np.sort_complex(np.round(expected, 8)), atol=3e-8)


@pytest.mark.parametrize("loss", ["logistic", "linear"])
def test_dirac_field_and_losses(tmp_path, loss):
    game = f'kind = "dirac-gan"\nloss = "{loss}"\npenalty = 0.4\nspread = 0.8'
    deck = deck_of(game, 3)
    z = np.random.default_rng(3).normal(size=(3, 2))
    found = evaluate(tmp_path, deck, z)
    for agent in range(3):
        np.testing.assert_allclose(differences(tmp_path, deck, z, agent, 1), found["field"][agent],
                                   atol=1e-9)
    # The agents' points, from the losses: their mean is 0.
    def inverse(value):
        return value if loss == "linear" else -np.log(np.expm1(-value))

    def g(t):
        return t if loss == "linear" else -np.log1p(np.exp(-t))
    theta, psi = z.T
    rest = found["loss_x"] - g(psi * theta) + 0.2 * psi**2
    points = -inverse(rest) / psi
    assert np.ptp(points) > 0.1
    assert abs(points.mean()) < 1e-12


@pytest.mark.parametrize("loss", ["logistic", "linear"])
@pytest.mark.parametrize("method", ["cp-osg", "extra-step-local-sgd"])
def test_dirac_runs_end_in_the_equilibrium(tmp_path, loss, method):
    game = f'kind = "dirac-gan"\nloss = "{loss}"\nstart = 0.7'
    log = run_well(tmp_path, deck_of(game, 2, 1500, method, 0.4)).log()
    assert log["distance_to_solution"][0] > 0.3
    assert log["distance_to_solution"][-1] < 1e-10


def test_simultaneous_steps_circle_away_and_the_penalty_holds_them(tmp_path):
    game = 'kind = "dirac-gan"\nloss = "linear"'
    away = run_well(tmp_path / "a", deck_of(game, 1, 100, "dsgda", 0.1)).log()
    # |1 +- i eta| an iteration.
    ratio = away["distance_to_solution"][-1] / away["distance_to_solution"][0]
    assert ratio == pytest.approx(1.01**50, rel=1e-9)
    held = run_well(tmp_path / "b", deck_of(game + "\npenalty = 1.0", 1, 800, "dsgda", 0.1)).log()
    assert held["distance_to_solution"][-1] < 1e-10


def test_dirac_agents_with_different_points(tmp_path):
    """Logistic losses bend, so that the mean field's zero stays at 0 only for psi = 0: it does."""
    game = 'kind = "dirac-gan"\npenalty = 0.5\nspread = 1.0'
    log = run_well(tmp_path, deck_of(game, 4, 3000, "cp-osg", 0.3)).log()
    assert log["distance_to_solution"][-1] < 1e-10


def covariance_field(v, w, data, latent):
    return np.concatenate([(-(w + w.T) @ v @ latent).ravel(), (v @ latent @ v.T - data).ravel()])


def test_covariance_field(tmp_path):
    agents, n = 3, 4
    game = f'kind = "covariance"\ndim = {n}\nheterogeneity = 0.1\nseed = 4'
    z = np.random.default_rng(1).normal(size=(2, agents, 2 * n * n))
    z[1] = 0
    found = evaluate(tmp_path, deck_of(game, agents), z)
    data = -found["field"][1][:, n * n:].reshape(agents, n, n)
    np.testing.assert_allclose(data, np.swapaxes(data, 1, 2), atol=1e-15)
    assert np.linalg.norm(data[0] - data[1]) > 0.01
    np.testing.assert_allclose(np.linalg.eigvalsh(data.mean(0)), np.linspace(0.5, 1.5, n),
                               atol=1e-12)
    for agent in range(agents):
        v, w = z[0, agent].reshape(2, n, n)
        np.testing.assert_allclose(found["field"][0, agent],
                                   covariance_field(v, w, data[agent], np.eye(n)), atol=1e-13)
        value = np.sum(w * (data[agent] - v @ v.T))
        np.testing.assert_allclose(found["loss_x"][0, agent], value, atol=1e-12)
        np.testing.assert_allclose(found["covariance_error"][0, agent],
                                   np.linalg.norm(v @ v.T - data.mean(0)), rtol=1e-12)
        np.testing.assert_allclose(found["critic_norm"][0, agent], np.linalg.norm(w), rtol=1e-12)


def test_covariance_with_samples(tmp_path):
    """The same field with the second moments of the draw's own vectors."""
    n, samples, draw = 3, 5, 6
    game = f'kind = "covariance"\ndim = {n}\nsamples = {samples}\nseed = 4'
    z = np.random.default_rng(1).normal(size=(2, 2, 2 * n * n))
    z[1] = 0
    exact = game.replace(f"samples = {samples}", "samples = 0")
    data = -evaluate(tmp_path, deck_of(exact, 2), z)["field"][1, 0, n * n:].reshape(n, n)
    found = evaluate(tmp_path, deck_of(game, 2), z, draw=draw)["field"]
    for agent in range(2):
        x = philox.normal(1, philox.ORACLE_NOISE, agent, draw, samples * n).reshape(samples, n)
        x = x @ np.linalg.cholesky(data).T
        g = philox.normal(1, philox.NOISE, agent, draw, samples * n).reshape(samples, n)
        v, w = z[0, agent].reshape(2, n, n)
        expected = covariance_field(v, w, x.T @ x / samples, g.T @ g / samples)
        np.testing.assert_allclose(found[0, agent], expected, atol=1e-12)


def test_covariance_is_learnt(tmp_path):
    game = 'kind = "covariance"\ndim = 3\nheterogeneity = 0.1\nstart = 0.5'
    result = run_well(tmp_path, deck_of(game, 3, 6000, "cp-osg", 0.08))
    log = result.log()
    assert log["covariance_error"][0] > 0.5
    assert log["covariance_error"][-1] < 1e-9 and log["critic_norm"][-1] < 1e-9
    w = result.snapshot()["mean"].ravel()[9:].reshape(3, 3)
    np.testing.assert_array_equal(w, w.T)


def test_a_covariance_that_is_none_is_refused(tmp_path):
    deck = write_deck(tmp_path, deck_of('kind = "covariance"\nheterogeneity = 3.0', 4))
    code, output = command("run", deck)
    assert code == 2 and "not positive definite" in output and "deck.toml:" in output

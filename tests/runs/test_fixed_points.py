# SPDX-License-Identifier: BSD-3-Clause
"""Where the linear methods come to rest on different data, against dense solves of their own maps.

The games come from files whose matrices this test makes; W is written down from its definition.
"""

import itertools

import numpy as np
import pytest
from scipy.linalg import block_diag
from support.runner import mixing_matrix, run_well, write_quadratic

AGENTS, DX, DY = 8, 3, 2
STEP_X, STEP_Y = 0.17, 0.21
STEPS = np.array([STEP_X] * DX + [STEP_Y] * DY)
GRAPHS = ("ring", "star", "torus", "exponential")

DECK = f"""[run]
name = "fixed"
agents = {AGENTS}
iterations = 400
precision = "double"
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
[init]
agents = "per_agent"
[record]
every = 400
[method]
kind = "KIND"
step.x = {STEP_X}
step.y = {STEP_Y}
"""


def solve(matrix, right):
    """Rows of the solution of a linear system in the stacked rows of all agents."""
    return np.linalg.solve(matrix, right).reshape(AGENTS, -1)


def rest_of_dposg(order, w, matrices, vectors):
    """pre: (I - W) Z + G(Z) E = 0;  post: Z = W (Z - G(Z) E)."""
    mix = np.kron(w, np.eye(len(STEPS)))
    identity = np.eye(len(mix))
    field, constant = block_diag(*(STEPS[:, None] * matrices)), (STEPS * vectors).ravel()
    if order == "pre":
        return solve(identity - mix + field, -constant)
    return solve(identity - mix @ (identity - field), -mix @ constant)


def rest_of_extra_step(local_steps, w, matrices, vectors):
    """Z = W applied to H local extragradient steps z -> A z + b, A = I - E M + (E M)^2."""
    scaled = STEPS[:, None] * matrices
    identity = np.eye(len(STEPS))
    a = identity - scaled + scaled @ scaled
    b = -np.einsum("mij,mj->mi", identity - scaled, STEPS * vectors)
    power, shift = np.broadcast_to(identity, a.shape), np.zeros_like(b)
    for _ in range(local_steps):
        power, shift = a @ power, np.einsum("mij,mj->mi", a, shift) + b
    mix = np.kron(w, identity)
    return solve(np.eye(len(mix)) - mix @ block_diag(*power), mix @ shift.ravel())


def rest_of_local_sgda(local_steps, w, matrices, vectors):
    """Z = W applied to H local steps z -> A z + b, A = I - E M, b = -E q."""
    a = np.eye(len(STEPS)) - STEPS[:, None] * matrices
    b = -STEPS * vectors
    power = np.stack([np.linalg.matrix_power(each, local_steps) for each in a])
    shift = sum(np.einsum("mij,mj->mi", np.stack([np.linalg.matrix_power(each, i) for each in a]),
                          b) for i in range(local_steps))
    mix = np.kron(w, np.eye(len(STEPS)))
    return solve(np.eye(len(mix)) - mix @ block_diag(*power), mix @ shift.ravel())


def graph_section(kind, rounds):
    return f'[graph]\nkind = "{kind}"\nrounds = {rounds}\n'


def expect_rest(folder, deck, ranks, make, tolerance=1e-10):
    """Runs `deck` on the file game and compares the last rows with make(matrices, vectors)."""
    matrices, vectors = write_quadratic(folder / "game.h5", AGENTS, DX, DY)
    expected = make(matrices, vectors)
    rows = run_well(folder, deck, ranks).parameters()
    error = np.abs(rows - expected).max() / np.abs(expected).max()
    assert error < tolerance
    return expected


# Every order and number of rounds on every graph; the number of ranks goes round.
CASES = [(*case, (1, 2, 4, 1, 1)[i % 5]) for i, case in
         enumerate(itertools.product(GRAPHS, ("pre", "post", "post-one"), (1, 3)))]


@pytest.mark.parametrize("graph, order, rounds, ranks", CASES)
def test_dposg(tmp_path, graph, order, rounds, ranks):
    deck = DECK.replace("KIND", "dposg") + f'mix_order = "{order}"\n' + graph_section(graph, rounds)
    w = np.linalg.matrix_power(mixing_matrix(graph, AGENTS), rounds)
    rest = expect_rest(tmp_path, deck, ranks, lambda m, q: rest_of_dposg(order, w, m, q))
    # The data differ: none of the agents rests at the solution.
    assert np.ptp(rest, axis=0).max() > 1e-3


@pytest.mark.parametrize("local_steps", (1, 5))
@pytest.mark.parametrize("graph, ranks", [("ring", 4), ("star", 2), ("torus", 1),
                                          ("exponential", 4)])
def test_extra_step_with_gossip(tmp_path, graph, ranks, local_steps):
    deck = (DECK.replace("KIND", "extra-step-local-sgd")
            + f'average = "gossip"\nlocal_steps = {local_steps}\n' + graph_section(graph, 1))
    w = mixing_matrix(graph, AGENTS)
    expect_rest(tmp_path, deck, ranks, lambda m, q: rest_of_extra_step(local_steps, w, m, q))


@pytest.mark.parametrize("local_steps", (1, 5))
@pytest.mark.parametrize("ranks", (1, 2, 4))
def test_extra_step_with_means(tmp_path, ranks, local_steps):
    deck = DECK.replace("KIND", "extra-step-local-sgd") + f"local_steps = {local_steps}\n"
    mean = np.full((AGENTS, AGENTS), 1 / AGENTS)
    rest = expect_rest(tmp_path, deck, ranks,
                       lambda m, q: rest_of_extra_step(local_steps, mean, m, q))
    assert np.ptp(rest, axis=0).max() < 1e-12


@pytest.mark.parametrize("local_steps, ranks", [(1, 4), (4, 2), (10, 1)])
def test_local_sgda_with_means(tmp_path, local_steps, ranks):
    deck = DECK.replace("KIND", "local-sgda") + f"local_steps = {local_steps}\n"
    mean = np.full((AGENTS, AGENTS), 1 / AGENTS)
    rest = expect_rest(tmp_path, deck, ranks,
                       lambda m, q: rest_of_local_sgda(local_steps, mean, m, q))
    assert np.ptp(rest, axis=0).max() < 1e-12


@pytest.mark.parametrize("graph, local_steps, ranks", [("ring", 4, 2), ("exponential", 1, 4)])
def test_local_sgda_with_gossip(tmp_path, graph, local_steps, ranks):
    deck = (DECK.replace("KIND", "local-sgda") + 'average = "gossip"\n'
            + f"local_steps = {local_steps}\n" + graph_section(graph, 1))
    w = mixing_matrix(graph, AGENTS)
    expect_rest(tmp_path, deck, ranks, lambda m, q: rest_of_local_sgda(local_steps, w, m, q))


def test_agents_that_never_meet_rest_at_solutions_of_their_own(tmp_path):
    deck = DECK.replace("KIND", "extra-step-local-sgd") + 'average = "none"\n'
    expect_rest(tmp_path, deck, 2, lambda m, q: np.linalg.solve(m, -q[..., None])[..., 0], 1e-12)


# Methods that end at the solution itself on different data, at a constant step.
EXACT = [("cp-osg", "", 1), ("cp-osg", "", 4), ("minibatch-extra-step", "", 2),
         ("sgd", "n_critic = 2\n", 4), ("sgd", 'updates = "simultaneous"\n', 1),
         ("fedgda-gt", "local_steps = 1\n", 1), ("fedgda-gt", "local_steps = 5\n", 4),
         ("proxskip-vip", "probability = 0.3\n", 2), ("proxskip-vip", "probability = 0.7\n", 4)]


@pytest.mark.parametrize("method, extra, ranks", EXACT)
def test_exact_methods_find_the_solution(tmp_path, method, extra, ranks):
    """The dense saddle point of the mean game, to 1e-12, although the agents' own lie elsewhere."""
    deck = DECK.replace("KIND", method).replace("iterations = 400", "iterations = 500") + extra

    def saddle(matrices, vectors):
        own = np.linalg.solve(matrices, -vectors[..., None])[..., 0]
        assert np.ptp(own, axis=0).max() > 0.1
        return np.tile(np.linalg.solve(matrices.mean(0), -vectors.mean(0)), (AGENTS, 1))

    expect_rest(tmp_path, deck, ranks, saddle, 1e-12)


@pytest.mark.parametrize("method, extra", [("dposg", 'mix_order = "post"'), ("cp-osg", "")])
def test_generated_games_with_equal_jacobians_are_solved_in_the_mean(tmp_path, method, extra):
    """heterogeneity = 0: the mean of a linear method is exact, whatever the steps."""
    deck = DECK.replace("KIND", method).replace("per_agent", "same").replace(
        'file = "game.h5"', "dim_x = 4\ndim_y = 3\nmu = 0.5\nspread = 2.0") + extra + "\n"
    log = run_well(tmp_path, deck, 2).log()
    assert log["distance_to_solution"][0] > 0.1
    assert log["distance_to_solution"][-1] < 1e-10
    assert log["field_norm"][-1] < 1e-10

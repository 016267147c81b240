# SPDX-License-Identifier: BSD-3-Clause
"""Graphs as a run and its files have them: edges and W of every kind by definition, matrices that
vary transcribed from (seed, round), the spectrum against NumPy, the contraction that is measured,
iterates on graphs that vary against dense products, the same bits on any number of ranks and across
a restart, refusals.
"""

import numpy as np
import pytest
from reader import read_run
from support.philox import below, uniform
from support.runner import (command, different_columns, metropolis, mixing_matrix, neighbours_of,
                            one_peer_matrices, run_well, same_bits, write_deck, write_quadratic)

GRAPH = 11  # Purpose of core/sample.hpp
EDGES, MATCHING, ORDER = 0, 3, 4  # GraphDraw of comm/host/topologies.hpp
DX, DY = 3, 2
STEPS = np.array([0.1] * DX + [0.15] * DY)

DECK = """[run]
name = "graphs"
agents = AGENTS
iterations = ITERATIONS
precision = "double"
output = "OUTPUT"
[game]
kind = "quadratic"
dim_x = 3
dim_y = 2
heterogeneity = 0.3
[init]
agents = "per_agent"
[record]
every = 4
[method]
kind = "METHOD"
step.x = 0.1
step.y = 0.15
[graph]
"""
ONE_PEER = 'kind = "one-peer-exponential"\n'
PERMUTATION = 'kind = "random-permutation"\nseed = 5\n'
MATCHING_KEYS = 'kind = "torus"\nschedule = "random-matching"\nschedule_seed = 9\n'
VARYING = {"one-peer": ONE_PEER, "permutation": PERMUTATION, "matching": MATCHING_KEYS,
           "round-robin": 'kind = "ring"\nschedule = "round-robin"\n'}


def deck_of(graph, agents, iterations=0, method="dposg"):
    return (DECK.replace("AGENTS", str(agents)).replace("ITERATIONS", str(iterations))
            .replace("METHOD", method) + graph)


def graph_in(folder, graph, agents):
    """The graph of a run's log."""
    return read_run(run_well(folder, deck_of(graph, agents)).folder).graph


def norm_off_mean(w):
    return np.linalg.norm(w - 1 / len(w), 2)


@pytest.mark.parametrize("kind, agents", [
    ("ring", 7), ("path", 6), ("grid", 12), ("torus", 12), ("ladder", 10), ("hypercube", 8),
    ("complete", 5), ("star", 6), ("binary-tree", 10), ("exponential", 10), ("ring", 2),
    ("path", 1)])
def test_edges_and_weights_of_every_kind(tmp_path, kind, agents):
    graph = graph_in(tmp_path, f'kind = "{kind}"\n', agents)
    near = neighbours_of(kind, agents)
    found = {tuple(edge) for edge in graph.edges}
    if kind == "exponential":
        assert found == {(j, i) for i in range(agents) for j in near[i]}
    else:
        assert found == {(i, j) for i in range(agents) for j in near[i] if i < j}
    w = mixing_matrix(kind, agents)
    np.testing.assert_allclose(graph.weights, w, atol=1e-15)
    rho = norm_off_mean(w)
    assert graph.attributes["rho"] == pytest.approx(rho, abs=1e-12)
    assert graph.attributes["gap"] == pytest.approx(1 - rho, abs=1e-12)


CLOSED_FORMS = {
    "path": (9, (1 + 2 * np.cos(np.pi / 9)) / 3), "hypercube": (16, 1 - 2 / 5),
    "complete": (6, 0.0), "star": (7, 1 - 1 / 7),
    "torus": (30, (3 + 2 * np.cos(2 * np.pi / 6)) / 5),
    "ring": (12, (1 + 2 * np.cos(2 * np.pi / 12)) / 3)}


@pytest.mark.parametrize("kind", CLOSED_FORMS)
def test_closed_forms_and_what_a_probe_measures(tmp_path, kind):
    """Laplacian spectra of regular graphs; the star's leaves that differ keep 1 - 1/n; the path of
    Metropolis weights has the eigenvalues (1 + 2 cos(pi j / n)) / 3."""
    agents, exact = CLOSED_FORMS[kind]
    result = run_well(tmp_path, deck_of(f'kind = "{kind}"\nrounds = 2\n', agents), 2)
    notes = read_run(result.folder).graph.attributes
    assert notes["rho"] == pytest.approx(exact, abs=1e-12)
    assert notes["contraction"] == pytest.approx(exact**2, abs=1e-12)
    assert notes["measured"] == pytest.approx(exact**2, rel=0.02, abs=1e-12)
    assert notes["measured"] <= exact**2 + 1e-9
    assert "as measured" in result.output


def test_max_degree_weights(tmp_path):
    near = neighbours_of("star", 6)
    laplacian = np.diag([float(len(row)) for row in near])
    for i, row in enumerate(near):
        laplacian[i, list(row)] = -1
    graph = graph_in(tmp_path, 'kind = "star"\nweights = "max-degree"\n', 6)
    np.testing.assert_allclose(graph.weights, np.eye(6) - laplacian / 6, atol=1e-15)


def test_erdos_renyi_follows_from_its_seed(tmp_path):
    """Pairs (i, j), i < j, row after row, are edges where the uniform number is below p; the first
    connected attempt counts."""
    agents, p, seed = 9, 0.3, 3
    graph = graph_in(tmp_path, f'kind = "erdos-renyi"\np = {p}\nseed = {seed}\n', agents)
    for attempt in range(100):
        numbers = uniform(seed, GRAPH, EDGES, attempt, agents * (agents - 1) // 2)
        near = [set() for _ in range(agents)]
        for (i, j), number in zip(zip(*np.triu_indices(agents, 1), strict=True), numbers,
                                  strict=True):
            if number < p:
                near[i].add(int(j))
                near[j].add(int(i))
        adjacency = np.eye(agents)
        for i, row in enumerate(near):
            adjacency[i, list(row)] = 1
        if (np.linalg.matrix_power(adjacency, agents) > 0).all():
            break
    np.testing.assert_allclose(graph.weights, metropolis(near), atol=1e-15)


def shuffled(items, agent, draw, seed):
    """Fisher and Yates from the end, number i of the sequence in [0, i)."""
    items = list(items)
    for i in range(len(items), 1, -1):
        j = below(seed, GRAPH, agent, draw, i + 1, i)[i]
        items[i - 1], items[j] = items[j], items[i - 1]
    return items


def permutation_matrix(n, seed, r):
    return (np.eye(n) + np.eye(n)[shuffled(range(n), ORDER, r, seed)]) / 2


def matching_matrix(near, seed, r):
    """The edges (i, j), i < j, in shuffled order, each one that meets none before it."""
    w, taken = np.eye(len(near)), set()
    for i, j in shuffled([(i, j) for i, row in enumerate(near) for j in sorted(row) if i < j],
                         MATCHING, r, seed):
        if not {i, j} & taken:
            taken |= {i, j}
            w[i, i] = w[j, j] = w[i, j] = w[j, i] = 0.5
    return w


def matrices_of(name, agents, rounds):
    """W of rounds 0..rounds-1, from the definitions."""
    if name == "one-peer":
        period = one_peer_matrices(agents)
        return [period[r % len(period)] for r in range(rounds)]
    if name == "permutation":
        return [permutation_matrix(agents, 5, r) for r in range(rounds)]
    return [matching_matrix(neighbours_of("torus", agents), 9, r) for r in range(rounds)]


@pytest.mark.parametrize("name, agents, period", [
    ("one-peer", 8, 3), ("one-peer", 6, 3), ("permutation", 7, 0), ("matching", 9, 0)])
def test_matrices_that_vary(tmp_path, name, agents, period):
    graph = graph_in(tmp_path, VARYING[name], agents)
    assert graph.attributes["period"] == period
    expected = matrices_of(name, agents, period or 64)
    np.testing.assert_array_equal(graph.weights, expected)
    if period > 0:
        rho = norm_off_mean(np.linalg.multi_dot(expected[::-1]))
    else:
        square = np.mean([w.T @ w for w in matrices_of(name, agents, 4096)], axis=0)
        rho = np.sqrt(norm_off_mean(square))
    # The square root of rounding where a period is exact.
    assert graph.attributes["rho"] == pytest.approx(rho, abs=1e-7)
    assert graph.attributes["contraction"] == pytest.approx(rho ** (1 / max(period, 1)), abs=1e-2)


@pytest.mark.parametrize("name, rounds, ranks", [("one-peer", 1, 2), ("one-peer", 2, 3),
                                                 ("permutation", 1, 4), ("matching", 3, 2)])
def test_iterates_are_those_of_the_products(tmp_path, name, rounds, ranks):
    """dsgda, Z = W^t Z - E G(Z), from one snapshot to the next."""
    agents, iterations = 8, 9
    matrices, vectors = write_quadratic(tmp_path / "game.h5", agents, DX, DY)
    deck = deck_of(VARYING[name] + f"rounds = {rounds}\n", agents, iterations, "dsgda")
    deck = deck.replace("dim_x = 3\ndim_y = 2\nheterogeneity = 0.3",
                        f'file = "{tmp_path / "game.h5"}"')
    result = run_well(tmp_path, deck.replace("every = 4", "every = 4\nsnapshot_every = 1"), ranks)
    w = matrices_of(name, agents, rounds * iterations)
    for k in range(1, iterations):
        z, mixed = result.snapshot(k)["parameters"], result.snapshot(k)["parameters"]
        for r in range(k * rounds, (k + 1) * rounds):
            mixed = w[r] @ mixed
        field = np.einsum("mij,mj->mi", matrices, z) + vectors
        np.testing.assert_allclose(result.snapshot(k + 1)["parameters"], mixed - STEPS * field,
                                   rtol=0, atol=1e-12)


SKIP = ("wall_train", "wall_total", "bytes")


def expect_same(one, other):
    assert same_bits(one.parameters(), other.parameters())
    assert different_columns(one.log(), other.log(), SKIP) == []


@pytest.mark.parametrize("name", VARYING)
def test_the_same_bits_on_any_ranks_and_across_a_restart(tmp_path, name):
    """dposg "pre": 1, 2, 3, 4 ranks; a run that stopped after 7 iterations goes on to 16."""
    deck = deck_of(VARYING[name], 9, 16).replace("[record]", "[record]\nrestart_every = 7")
    alone = run_well(tmp_path / "1", deck)
    for ranks in (2, 3, 4):
        expect_same(run_well(tmp_path / str(ranks), deck, ranks), alone)
    run_well(tmp_path / "again", deck.replace("iterations = 16", "iterations = 7"), 2)
    resumed = run_well(tmp_path / "again", deck, 3, ["--resume", "require"])
    assert "resumed at iteration 7" in resumed.output
    assert same_bits(resumed.parameters(), alone.parameters())


def test_rand_dp_oadam_needs_a_random_graph(tmp_path):
    code, output = command("check", write_deck(tmp_path, deck_of('kind = "ring"\n', 6, 4,
                                                                 "rand-dp-oadam")))
    assert code == 2 and 'graph.schedule = "random-matching"' in output
    deck = deck_of(MATCHING_KEYS, 6, 12, "rand-dp-oadam")
    expect_same(run_well(tmp_path / "3", deck, 3), run_well(tmp_path / "1", deck))


def test_only_rows_that_a_round_needs_travel(tmp_path):
    """One-peer on a rank per agent: one row and one header an agent and iteration."""
    result = run_well(tmp_path, deck_of(ONE_PEER, 4, 12), 4)
    sent = result.log()["bytes"]
    # Records add means of their own: compare with the ring, whose agents send two rows.
    ring = run_well(tmp_path / "ring", deck_of('kind = "ring"\n', 4, 12), 4).log()["bytes"]
    assert (ring[-1] - ring[0]) - (sent[-1] - sent[0]) == 12 * 4 * ((DX + DY) * 8 + 64)


def test_a_file_of_each_format(tmp_path):
    near = [{1, 2}, {0, 2}, {0, 1, 3}, {2}]
    (tmp_path / "edges").write_text("0 1\n0 2\n1 2\n2 3\n")
    (tmp_path / "matrix").write_text("0 1 1 0\n1 0 1 0\n1 1 0 1\n0 0 1 0\n")
    for name, form in (("edges", "edges"), ("matrix", "adjacency")):
        keys = f'kind = "file"\nfile = "{tmp_path / name}"\nformat = "{form}"\n'
        graph = graph_in(tmp_path / f"run-{form}", keys, 4)
        np.testing.assert_allclose(graph.weights, metropolis(near), atol=1e-15)
    (tmp_path / "first").write_text("0 1\n2 3\n")
    (tmp_path / "second").write_text("1 2\n")
    keys = f'kind = "files"\nfiles = ["{tmp_path / "first"}", "{tmp_path / "second"}"]\n'
    graph = graph_in(tmp_path / "run-files", keys, 4)
    assert graph.weights.shape == (2, 4, 4)
    np.testing.assert_allclose(graph.weights[0], metropolis([{1}, {0}, {3}, {2}]))
    np.testing.assert_allclose(graph.weights[1], metropolis([set(), {2}, {1}, set()]))


def test_directed_weights_from_a_file(tmp_path):
    """A directed cycle of halves: row i reads i - 1."""
    (tmp_path / "cycle").write_text("".join(f"{i} {(i + 1) % 5} 0.5\n" for i in range(5)))
    keys = (f'kind = "file"\nfile = "{tmp_path / "cycle"}"\ndirected = true\n'
            'weights = "given"\n')
    graph = graph_in(tmp_path, keys, 5)
    np.testing.assert_array_equal(graph.weights, one_peer_matrices(5)[0])
    assert {tuple(edge) for edge in graph.edges} == {(i, (i + 1) % 5) for i in range(5)}


@pytest.mark.parametrize("graph, texts", [
    ('kind = "hypercube"\n', ["graph.kind", "power of two"]),
    ('kind = "exponential"\nschedule = "round-robin"\n', ["graph.schedule", "directed"]),
    (ONE_PEER + 'schedule = "round-robin"\n', ["varies by itself"]),
    (ONE_PEER + 'weights = "max-degree"\n', ["graph.weights", "ignore"]),
    ('kind = "ring"\nschedule_seed = 3\n', ["schedule_seed", "random-matching"]),
    ('kind = "ring"\nschedule = "random-matching"\nweights = "max-degree"\n', ["ignore"]),
    ('kind = "files"\nfiles = []\n', ["graph.files is empty"]),
    ('kind = "random-regular"\ndegree = 7\n', ["graph.degree = 7"]),
    ('kind = "watts-strogatz"\nk = 3\n', ["graph.k = 3"])])
def test_refusals_name_the_key_and_the_reason(tmp_path, graph, texts):
    code, output = command("check", write_deck(tmp_path, deck_of(graph, 6)))
    assert code == 2, output
    for text in ["deck.toml:", *texts]:
        assert text in output


def test_rounds_whose_union_is_not_connected_are_refused(tmp_path):
    (tmp_path / "first").write_text("0 1\n")
    (tmp_path / "second").write_text("2 3\n")
    keys = f'kind = "files"\nfiles = ["{tmp_path / "first"}", "{tmp_path / "second"}"]\n'
    code, output = command("check", write_deck(tmp_path, deck_of(keys, 4)))
    assert code == 2 and "all rounds together are not connected" in output


def test_check_tells_the_graph(tmp_path):
    code, output = command("check", write_deck(tmp_path, deck_of(ONE_PEER, 6)))
    assert code == 0, output
    rho = norm_off_mean(np.linalg.multi_dot(one_peer_matrices(6)[::-1]))
    assert f"diameter 2, rho {rho:.6g} over a period of 3 rounds" in output
    assert f"(contraction {rho ** (1 / 3):.3g})" in output
    assert f"sent         {(DX + DY) * 8 + 64} B an agent" in output
    code, output = command("check", write_deck(tmp_path, deck_of(MATCHING_KEYS, 9)))
    assert code == 0 and "torus, random-matching: diameter 2" in output
    assert "a round in the mean square" in output

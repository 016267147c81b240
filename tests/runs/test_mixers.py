# SPDX-License-Identifier: BSD-3-Clause
"""Accelerated, compressed and push-sum mixing in whole runs: trajectories against transcriptions in
NumPy, resting points against dense solves, refusals by their messages, bits by ranks and restarts.
"""

import numpy as np
import pytest
from support import philox
from support.runner import (command, different_columns, mixing_matrix, run, run_well, same_bits,
                            write_deck, write_quadratic)

AGENTS, DX, DY = 8, 5, 5
DIM = DX + DY
STEP_X, STEP_Y = 0.11, 0.13
STEPS = np.array([STEP_X] * DX + [STEP_Y] * DY)
SEED, COMPRESSION = 3, 14  # core/sample.hpp

DECK = f"""[run]
name = "mixers"
agents = {AGENTS}
iterations = ITERATIONS
precision = "double"
seed = {SEED}
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
[init]
agents = "START"
[record]
every = 1000
[method]
step.x = {STEP_X}
step.y = {STEP_Y}
"""
RULES = {"identity": 'compression = { kind = "identity" }',
         "top-k": 'compression = { kind = "top-k", share = 0.3, step = 0.35 }',
         "rand-k": 'compression = { kind = "rand-k", share = 0.3, step = 0.25 }',
         "bf16": 'compression = { kind = "bf16" }'}
KEPT = 3  # round(0.3 * 10)
GRAPH_STEP = {"identity": 1.0, "top-k": 0.35, "rand-k": 0.25, "bf16": 1.0}


def deck_of(method, graph, iterations=60, start="per_agent"):
    text = DECK.replace("ITERATIONS", str(iterations)).replace("START", start)
    return text + method + "\n[graph]\n" + graph + "\n"


def start_of(folder, deck):
    """The rows that a deck starts from."""
    return run_well(folder / "start", deck.replace("iterations = 60", "iterations = 0")
                    .replace('file = "game.h5"', 'file = "../game.h5"')).parameters()


# Choco, written down from the table:
# q = Q(x - xhat), xhat += q, x += g_c sum_j W_ij (xhat_j - xhat_i).

def top_k(row, *_):
    out = np.zeros_like(row)
    best = np.lexsort((np.arange(row.size), -np.abs(row)))[:KEPT]
    out[best] = row[best]
    return out


def rand_k(row, agent, draw):
    """Floyd's sample of KEPT of row.size places."""
    out, drawn, size = np.zeros_like(row), set(), row.size
    bits = philox.pairs(SEED, COMPRESSION, agent, draw, KEPT)
    for n in range(KEPT):
        last = size - KEPT + n
        one = (int(bits[n]) * (last + 1)) >> 64
        drawn.add(last if one in drawn else one)
    places = sorted(drawn)
    out[places] = row[places]
    return out


def bfloat16(row, *_):
    """Nearest number of 8 significant bits, ties to even."""
    mantissa, exponent = np.frexp(row)
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


Q = {"identity": lambda row, *_: row, "top-k": top_k, "rand-k": rand_k, "bf16": bfloat16}


class Choco:
    """One channel in NumPy; `number` counts the channels of a run."""

    def __init__(self, rule, w, start, number=0):
        self.rule, self.w, self.xhat = Q[rule], w, start.copy()
        self.step, self.number = GRAPH_STEP[rule], number

    def mix(self, k, x):
        draw = (self.number << 40) | (k - 1)
        self.xhat = self.xhat + np.array(
            [self.rule(row, i, draw) for i, row in enumerate(x - self.xhat)])
        return x + self.step * (self.w @ self.xhat - self.xhat)


def field_of(matrices, vectors):
    return lambda z: np.einsum("mij,mj->mi", matrices, z) + vectors


def dsgda_by_hand(order, channel, field, z, iterations):
    for k in range(1, iterations + 1):
        step = STEPS * field(z)
        z = channel.mix(k, z) - step if order == "pre" else channel.mix(k, z - step)
    return z


def dposg_post_by_hand(to_z, to_x, field, x, iterations):
    """Two mixes an iteration, numbered 1, 2, 3, ..."""
    g = field(x)
    for k in range(1, iterations + 1):
        z = to_z.mix(2 * k - 1, x - STEPS * g)
        g = field(z)
        x = to_x.mix(2 * k, x - STEPS * g)
    return z


def relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("order", ["pre", "post"])
@pytest.mark.parametrize("rule, start, ranks", [
    ("identity", "same", 2), ("top-k", "per_agent", 4), ("top-k", "same", 1),
    ("rand-k", "per_agent", 3), ("rand-k", "same", 1), ("bf16", "per_agent", 2)])
def test_compressed_dsgda_is_the_table(tmp_path, rule, start, order, ranks):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of(f'kind = "dsgda"\nmix_order = "{order}"', RULES[rule], start=start)
    found = run_well(tmp_path, deck, ranks).parameters()
    z = start_of(tmp_path, deck)
    channel = Choco(rule, mixing_matrix("ring", AGENTS), z if start == "same" else 0 * z)
    expected = dsgda_by_hand(order, channel, field_of(matrices, vectors), z, 60)
    assert relative(found, expected) < 1e-12
    assert np.ptp(expected, axis=0).max() > 1e-3


@pytest.mark.parametrize("rule, ranks", [("top-k", 2), ("rand-k", 4), ("bf16", 1)])
def test_compressed_dposg_post_has_a_memory_per_sent_vector(tmp_path, rule, ranks):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of('kind = "dposg"\nmix_order = "post"', RULES[rule])
    found = run_well(tmp_path, deck, ranks).parameters()
    z, w = start_of(tmp_path, deck), mixing_matrix("ring", AGENTS)
    expected = dposg_post_by_hand(Choco(rule, w, 0 * z, 0), Choco(rule, w, 0 * z, 1),
                                  field_of(matrices, vectors), z, 60)
    assert relative(found, expected) < 1e-12


@pytest.mark.parametrize("method", ['kind = "dsgda"\nmix_order = "pre"',
                                    'kind = "dsgda"\nmix_order = "post"',
                                    'kind = "dposg"\nmix_order = "pre"',
                                    'kind = "dposg"\nmix_order = "post"'])
def test_the_identity_is_the_plain_method_of_its_order(tmp_path, method):
    write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    plain = run_well(tmp_path / "a", deck_of(method, "").replace("game.h5", "../game.h5"))
    choco = run_well(tmp_path / "b",
                     deck_of(method, RULES["identity"]).replace("game.h5", "../game.h5"), 2)
    assert relative(choco.parameters(), plain.parameters()) < 1e-12


@pytest.mark.parametrize("rule", ["top-k", "rand-k", "bf16"])
def test_tracking_survives_compression(tmp_path, rule):
    """gt-gda's invariant, mean S = mean G, makes it exact: the consensus point is the solution."""
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of('kind = "gt-gda"', RULES[rule], 3000).replace(
        str(STEP_X), "0.05").replace(str(STEP_Y), "0.05")
    rows = run_well(tmp_path, deck).parameters()
    saddle = np.linalg.solve(matrices.mean(0), -vectors.mean(0))
    assert relative(rows, np.tile(saddle, (AGENTS, 1))) < 1e-9


# Which steps suit which rule, ring of 8 agents with 50 numbers [algorithms.md]. The game only asks
# for consensus: steps so small that the rows hardly move.
CONSENSUS = """[run]
name = "consensus"
agents = 8
iterations = 1500
precision = "double"
output = "OUTPUT"
[game]
kind = "quadratic"
dim_x = 25
dim_y = 25
[init]
agents = "per_agent"
[record]
every = 1500
[method]
kind = "dsgda"
step.x = 1e-9
step.y = 1e-9
[graph]
compression = { COMPRESSION }
"""


@pytest.mark.parametrize("rule, converges", [
    ('kind = "top-k", share = 0.1, step = 0.5', False),
    ('kind = "top-k", share = 0.1, step = 0.2', True),
    ('kind = "rand-k", share = 0.1, step = 0.2', False),
    ('kind = "rand-k", share = 0.1, step = 0.1', True),
    ('kind = "bf16", step = 1.0', True)])
def test_steps_that_suit_their_rules(tmp_path, rule, converges):
    result = run(tmp_path, CONSENSUS.replace("COMPRESSION", rule))
    if result.code == 3:  # grown beyond all numbers
        assert not converges, result.output
        return
    assert result.code == 0, result.output
    consensus = result.log()["consensus_x"]
    assert (consensus[-1] < 1e-3 * consensus[0]) == converges
    assert converges or consensus[-1] > consensus[0]


# Push-sum on weights that are far from doubly stochastic.

def push_matrix(kind, n):
    reads = (mixing_matrix(kind, n) > 0).astype(float)
    return reads / reads.sum(axis=0)


PUSH = 'kind = "star"\nweights = "push-sum"'


def push_dsgda_by_hand(a, field, x, iterations, order):
    """x = A (x - E G(x/w)) or A x - E G(x/w), w = A w; the rows x/w."""
    w = np.ones((len(x), 1))
    for _ in range(iterations):
        step = STEPS * field(x / w)
        x = a @ x - step if order == "pre" else a @ (x - step)
        w = a @ w
    return x / w


@pytest.mark.parametrize("order, ranks", [("pre", 2), ("post", 3)])
def test_push_sum_dsgda_rests_at_its_dense_fixed_point(tmp_path, order, ranks):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of(f'kind = "dsgda"\nmix_order = "{order}"', PUSH, 700)
    found = run_well(tmp_path, deck, ranks).parameters()
    a = push_matrix("star", AGENTS)
    assert np.abs(a.sum(axis=1) - 1).max() > 0.1
    values, modes = np.linalg.eig(a)
    w = np.real(modes[:, np.argmin(np.abs(values - 1))])
    w *= AGENTS / w.sum()
    # At rest x = w z: W z rows, steps E (M z + q).
    weigh = np.kron(np.diag(w), np.eye(DIM))
    mix = np.kron(a, np.eye(DIM))
    blocks = np.zeros((AGENTS * DIM, AGENTS * DIM))
    for m, matrix in enumerate(matrices):
        blocks[m * DIM:(m + 1) * DIM, m * DIM:(m + 1) * DIM] = STEPS[:, None] * matrix
    through = np.eye(AGENTS * DIM) if order == "pre" else mix
    rest = np.linalg.solve(weigh - mix @ weigh + through @ blocks,
                           -through @ (STEPS * vectors).ravel())
    assert relative(found, rest.reshape(AGENTS, DIM)) < 1e-10
    assert np.ptp(rest.reshape(AGENTS, DIM), axis=0).max() > 1e-3


def test_push_sum_trajectory(tmp_path):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of('kind = "dsgda"', PUSH)
    found = run_well(tmp_path, deck, 3).parameters()
    expected = push_dsgda_by_hand(push_matrix("star", AGENTS), field_of(matrices, vectors),
                                  start_of(tmp_path, deck), 60, "pre")
    assert relative(found, expected) < 1e-12


@pytest.mark.parametrize("method", ["gt-gda", "optimistic-gt"])
def test_push_sum_tracking_finds_the_saddle_point(tmp_path, method):
    """Push-DIGing: exact on a graph whose weights are far from doubly stochastic."""
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of(f'kind = "{method}"', PUSH, 6000).replace(str(STEP_X), "0.03").replace(
        str(STEP_Y), "0.03")
    rows = run_well(tmp_path, deck).parameters()
    saddle = np.linalg.solve(matrices.mean(0), -vectors.mean(0))
    assert relative(rows, np.tile(saddle, (AGENTS, 1))) < 1e-10


@pytest.mark.parametrize("order, ranks", [("pre", 2), ("post", 1)])
def test_push_sum_on_a_directed_graph_from_a_file(tmp_path, order, ranks):
    """A directed ring with short cuts out of agent 0 and one into it: line `i j` sends i to j."""
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    edges = sorted({(i, (i + 1) % AGENTS) for i in range(AGENTS)}
                   | {(0, j) for j in range(2, AGENTS, 2)} | {(AGENTS - 2, 0)})
    (tmp_path / "edges.txt").write_text("".join(f"{i} {j}\n" for i, j in edges))
    a = np.eye(AGENTS)
    for source, reader in edges:
        a[reader, source] = 1
    a /= a.sum(axis=0)
    graph = (f'kind = "file"\nfile = "{tmp_path}/edges.txt"\ndirected = true\n'
             'weights = "push-sum"')
    deck = deck_of(f'kind = "dsgda"\nmix_order = "{order}"', graph)
    found = run_well(tmp_path, deck, ranks).parameters()
    expected = push_dsgda_by_hand(a, field_of(matrices, vectors), start_of(tmp_path, deck), 60,
                                  order)
    assert relative(found, expected) < 1e-12
    exact = deck_of('kind = "gt-gda"', graph, 6000).replace(str(STEP_X), "0.03").replace(
        str(STEP_Y), "0.03").replace('"game.h5"', '"../game.h5"')
    rows = run_well(tmp_path / "exact", exact, ranks).parameters()
    saddle = np.linalg.solve(matrices.mean(0), -vectors.mean(0))
    assert relative(rows, np.tile(saddle, (AGENTS, 1))) < 1e-10


# Accelerated.

@pytest.mark.parametrize("acceleration, ranks", [("chebyshev", 2), ("fastmix", 3)])
def test_accelerated_dsgda_rests_at_its_dense_fixed_point(tmp_path, acceleration, ranks):
    matrices, vectors = write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    deck = deck_of('kind = "dsgda"\nmix_order = "post"',
                   f'acceleration = "{acceleration}"\nrounds = 3', 300)
    found = run_well(tmp_path, deck, ranks).parameters()
    w = mixing_matrix("ring", AGENTS)
    values, modes = np.linalg.eigh(w)
    rho = max(abs(values[0]), abs(values[-2]))
    if acceleration == "chebyshev":
        p = np.polynomial.chebyshev.Chebyshev([0, 0, 0, 1])
        mixed = p(values / rho) / p(1 / rho)
    else:
        e = (1 - np.sqrt(1 - rho**2)) / (1 + np.sqrt(1 - rho**2))
        before, mixed = np.ones(AGENTS), np.ones(AGENTS)
        for _ in range(3):
            before, mixed = mixed, (1 + e) * values * mixed - e * before
    mix = np.kron(modes @ np.diag(mixed) @ modes.T, np.eye(DIM))
    blocks = np.zeros((AGENTS * DIM, AGENTS * DIM))
    for m, matrix in enumerate(matrices):
        blocks[m * DIM:(m + 1) * DIM, m * DIM:(m + 1) * DIM] = STEPS[:, None] * matrix
    identity = np.eye(AGENTS * DIM)
    rest = np.linalg.solve(identity - mix @ (identity - blocks), -mix @ (STEPS * vectors).ravel())
    assert relative(found, rest.reshape(AGENTS, DIM)) < 1e-10


# Refusals.

BASE = """[run]
agents = 8
[game]
kind = "quadratic"
dim_x = 20
dim_y = 20
[method]
METHOD
step = { x = 0.1, y = 0.1 }
[graph]
"""


@pytest.mark.parametrize("method, graph, words", [
    ("dsgda", 'kind = "exponential"\nacceleration = "chebyshev"',
     ["graph.acceleration", "symmetric mixing weights", "directed"]),
    ("dsgda", 'kind = "one-peer-exponential"\nacceleration = "chebyshev"',
     ["graph.acceleration", "varies from round to round"]),
    ("dsgda", 'kind = "one-peer-exponential"\ncompression.kind = "bf16"',
     ["graph.compression.kind", "needs one W for all rounds"]),
    ("dsgda", 'weights = "push-sum"\nacceleration = "fastmix"',
     ["graph.acceleration", "push-sum's are not"]),
    ("dsgda", 'weights = "push-sum"\ncompression.kind = "top-k"',
     ["graph.compression.kind", "doubly stochastic"]),
    ("dsgda", 'acceleration = "chebyshev"\ncompression.kind = "bf16"',
     ["graph.compression.kind", "does not go with acceleration"]),
    ('dposg"\nmix_order = "post', 'weights = "push-sum"',
     ["graph.weights", "method dposg needs doubly stochastic mixing weights"]),
    ('dp-oadam"\nmix_moments = "v', 'acceleration = "chebyshev"\nrounds = 2',
     ["method dp-oadam", "needs a convex mixer"]),
    ('dp-oadam"\nmix_moments = "m,v', 'compression.kind = "bf16"',
     ["method dp-oadam", "needs a convex mixer"]),
    ("cp-osg", 'acceleration = "chebyshev"', ["does not gossip and ignores [graph]"]),
    ("cp-osg", 'compression.kind = "bf16"', ["does not gossip and ignores [graph]"]),
    ("dsgda", 'compression = { kind = "bf16", share = 0.5 }', ["share", "top-k"]),
    ("dsgda", 'compression = { kind = "top-k", share = 0.0 }', ["graph.compression.share"])])
def test_wrong_pairs_are_refused(tmp_path, method, graph, words):
    deck = write_deck(tmp_path, BASE.replace("METHOD", f'kind = "{method}"') + graph + "\n")
    code, output = command("check", deck)
    assert code == 2, output
    for word in words:
        assert word in output


def test_check_tells_what_is_sent(tmp_path):
    """A ring of 8, single precision, 40 numbers: 2 neighbours, header 64 bytes."""
    def sent(graph):
        deck = write_deck(tmp_path, BASE.replace("METHOD", 'kind = "dsgda"') + graph + "\n")
        code, output = command("check", deck)
        assert code == 0, output
        return output

    assert "448 B" in sent("")
    assert "1.3 kB" in sent('acceleration = "chebyshev"\nrounds = 3')
    assert "chebyshev" in sent('acceleration = "chebyshev"\nrounds = 3')
    top = sent('compression = { kind = "top-k", share = 0.1 }')
    assert f"{2 * (64 + 4 * 8)} B" in top and "choco with top-k" in top
    assert f"{2 * (64 + 4 * 4)} B" in sent('compression = { kind = "rand-k", share = 0.1 }')
    assert f"{2 * (64 + 80)} B" in sent('compression = { kind = "bf16" }')
    assert "push-sum" in sent('weights = "push-sum"')


# Bits.

MIXERS = {"chebyshev": 'acceleration = "chebyshev"\nrounds = 3',
          "fastmix": 'acceleration = "fastmix"\nrounds = 2',
          "top-k": RULES["top-k"], "rand-k": RULES["rand-k"] + "\nrounds = 2",
          "bf16": RULES["bf16"], "push-sum": PUSH + "\nrounds = 2"}
SKIP = ("wall_train", "wall_total", "bytes")


@pytest.mark.parametrize("name", MIXERS)
def test_bits_do_not_depend_on_ranks_or_restarts(tmp_path, name):
    write_quadratic(tmp_path / "game.h5", AGENTS, DX, DY)
    method = 'kind = "gt-gda"' if name in ("push-sum", "rand-k") else 'kind = "dposg"'
    deck = (deck_of(method, MIXERS[name]).replace('"game.h5"', f'"{tmp_path}/game.h5"')
            .replace('"double"', '"single"').replace("every = 1000", "every = 10"))
    first = run_well(tmp_path / "1", deck)
    for ranks in (2, 4):
        other = run_well(tmp_path / str(ranks), deck, ranks)
        assert same_bits(first.parameters(), other.parameters()), f"{ranks} ranks"
        assert different_columns(first.log(), other.log(), SKIP) == []
    half = deck.replace("iterations = 60", "iterations = 30").replace(
        "every = 10", "every = 10\nrestart_every = 30")
    run_well(tmp_path / "half", half)
    resumed = run_well(tmp_path / "half", half.replace("iterations = 30", "iterations = 60"), 3,
                       ["--resume", "require"])
    assert same_bits(first.parameters(), resumed.parameters())
    assert different_columns(first.log(), resumed.log(), SKIP) == []

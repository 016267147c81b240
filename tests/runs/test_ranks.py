# SPDX-License-Identifier: BSD-3-Clause
"""The same deck on any number of ranks: the same bits of every parameter and of every column of the
log but time, and bytes, which count what travels between ranks. So for every method of the registry
and every mixer, with a restart in between.
"""

import itertools
import re

import pytest
from support.runner import command, different_columns, run_alone, run_well, same_bits

SKIP = ("wall_train", "wall_total", "bytes")

RUN = """[run]
name = "ranks"
agents = AGENTS
iterations = 20
output = "OUTPUT"
precision = "PRECISION"
[record]
every = 10
samples = 16
[init]
agents = "START"
"""
QUADRATIC = """[game]
kind = "quadratic"
dim_x = 37
dim_y = 21
heterogeneity = 0.1
noise = 0.05
"""
BILINEAR = """[game]
kind = "bilinear"
dim = 19
spread = 1.0
"""
GAN = """[game]
kind = "gan"
loss = "wgan-gp"
noise = 5
generator = [
  { kind = "dense", width = 24 }, { kind = "relu" }, { kind = "dense", width = 2 }]
discriminator = [
  { kind = "dense", width = 24 }, { kind = "leaky_relu" }, { kind = "dense", width = 1 }]
[data]
kind = "ring"
samples = 500
test = 64
partition = { kind = "label", labels_per_agent = 3 }
"""
STEP = "[method]\nstep.x = 0.01\nstep.y = 0.02\nema = 0.9\n"
# Plain gradients of a penalized critic need small steps.
GAN_STEP = "[method]\nstep.x = 0.0005\nstep.y = 0.001\nema = 0.9\nbatch = 16\n"


def deck_of(game, method, graph, agents, start="per_agent", precision="single"):
    text = RUN.replace("AGENTS", str(agents)).replace("START", start)
    step = GAN_STEP if "[data]" in game else STEP
    return text.replace("PRECISION", precision) + game + step + method + graph


def expect_equal(result, other, what):
    """The same bits in the newest snapshot and in every column but the times and the bytes."""
    first, snapshot = result.snapshot(), other.snapshot()
    assert set(snapshot) == set(first)
    for name, values in first.items():
        assert same_bits(values, snapshot[name]), f"{name}: {what}"
    assert len(result.log()["iteration"]) == 3
    assert different_columns(result.log(), other.log(), SKIP) == [], what
    assert different_columns(result.agent_log(), other.agent_log(), ()) == [], what


def expect_same_bits(folder, deck, ranks):
    runs = [run_well(folder / str(n), deck, n) for n in ranks]
    for other, n in zip(runs[1:], ranks[1:], strict=True):
        expect_equal(runs[0], other, f"{n} ranks")
    return runs


METHODS = {
    "dposg": 'kind = "dposg"\n', "dposg-post": 'kind = "dposg"\nmix_order = "post"\n',
    "dposg-post-one": 'kind = "dposg"\nmix_order = "post-one"\n',
    "dp-oadam": 'kind = "dp-oadam"\nmix_moments = "m,v"\n',
    "dp-oadam-post": 'kind = "dp-oadam"\norder = "post"\n',
    "extra-step": 'kind = "extra-step-local-sgd"\nlocal_steps = 3\n',
    "extra-step-gossip": 'kind = "extra-step-local-sgd"\naverage = "gossip"\n',
    "cp-osg": 'kind = "cp-osg"\n', "cp-oadam": 'kind = "cp-oadam"\n'}


def graph_of(kind, rounds=1):
    return f'[graph]\nkind = "{kind}"\nrounds = {rounds}\n'


def registered_methods():
    """The kinds of `parley list methods`: a method of the registry needs no line here."""
    code, text = command("list", "methods")
    assert code == 0, text
    return re.findall(r"^  (\S+)", text, re.MULTILINE)


# What a method asks of its graph.
GRAPH_FOR = {"rand-dp-oadam": '[graph]\nkind = "ring"\nschedule = "random-matching"\n'}
CASES = {
    **{name: (f'kind = "{name}"\n', GRAPH_FOR.get(name, "")) for name in registered_methods()},
    **{name: (lines, "") for name, lines in METHODS.items()},
    **{f"{method}-{mixer}": (METHODS.get(method, f'kind = "{method}"\n'), "[graph]\n" + lines)
       for method, mixer, lines in [
           ("dposg-post", "lazy", "lazy = true\nrounds = 2\n"),
           ("gt-eg", "one-peer", 'kind = "one-peer-exponential"\n'),
           ("dposg", "one-peer", 'kind = "one-peer-exponential"\nrounds = 2\n'),
           ("gt-gda", "permutation", 'kind = "random-permutation"\n'),
           ("dsgda", "matching", 'kind = "complete"\nschedule = "random-matching"\n'),
           ("optimistic-gt", "round-robin", 'schedule = "round-robin"\n'),
           ("dposg", "chebyshev", 'rounds = 3\nacceleration = "chebyshev"\n'),
           ("decentralized-extra-step", "fastmix", 'rounds = 3\nacceleration = "fastmix"\n'),
           ("dposg", "top-k", 'compression = { kind = "top-k" }\n'),
           ("gt-gda", "top-k", 'compression = { kind = "top-k", share = 0.3 }\n'),
           ("dsgda", "rand-k", 'compression = { kind = "rand-k" }\n'),
           ("dposg-post", "bf16", 'compression = { kind = "bf16" }\n'),
           ("dp-oadam-post", "identity", 'compression = { kind = "identity", step = 0.5 }\n'),
           ("gt-eg", "push-sum", 'kind = "exponential"\nweights = "push-sum"\n'),
           ("dsgda", "push-sum", 'kind = "exponential"\nweights = "push-sum"\nrounds = 2\n')]}}
RANKS = itertools.cycle(itertools.permutations((1, 2, 3, 4), 2))


@pytest.mark.parametrize("name, first, second", [(name, *next(RANKS)) for name in CASES])
def test_every_method_and_mixer(tmp_path, name, first, second):
    """One rank without a stop, against `first` ranks up to a restart in the middle and `second`
    ranks from there."""
    deck = deck_of(QUADRATIC, *CASES[name], 5)
    whole = run_alone(tmp_path / "whole", deck)
    half = run_well(tmp_path / "resumed", deck, first,
                    ("--set", "run.iterations=10", "--set", "record.restart_every=10"))
    assert half.snapshot()["parameters"].tobytes() != whole.snapshot()["parameters"].tobytes()
    resumed = run_well(tmp_path / "resumed", deck, second, ("--resume", "require"))
    assert "resumed at iteration 10" in resumed.output
    expect_equal(whole, resumed, f"{first}, then {second} ranks")


@pytest.mark.parametrize("graph, rounds, ranks", [
    ("torus", 1, (1, 4)), ("complete", 1, (1, 3)), ("star", 2, (1, 2)),
    ("exponential", 2, (1, 3, 4)), ("ring", 3, (1, 8)), ("random-regular", 1, (1, 4)),
    ("erdos-renyi", 2, (1, 2)), ("watts-strogatz", 1, (1, 3))])
def test_every_graph(tmp_path, graph, rounds, ranks):
    degree = "degree = 4\n" if graph == "random-regular" else ""
    deck = deck_of(QUADRATIC, METHODS["dposg"], graph_of(graph, rounds) + degree, 9)
    expect_same_bits(tmp_path, deck, ranks)


def test_a_graph_from_a_file(tmp_path):
    edges = tmp_path / "edges.txt"
    edges.write_text("0 1\n1 2\n2 3\n3 4\n4 0\n0 2\n")
    graph = f'[graph]\nkind = "file"\nfile = "{edges}"\nlazy = true\n'
    expect_same_bits(tmp_path, deck_of(QUADRATIC, METHODS["dposg-post"], graph, 5), (1, 3))


def test_double_precision(tmp_path):
    expect_same_bits(tmp_path, deck_of(BILINEAR, METHODS["dp-oadam"], graph_of("exponential"), 6,
                                       precision="double"), (1, 4))


@pytest.mark.parametrize("name, graph, ranks", [("dp-oadam", graph_of("ring"), (1, 2, 4)),
                                                ("extra-step", "", (1, 3)),
                                                ("cp-oadam", "", (1, 2))])
def test_a_gan_on_a_mixture(tmp_path, name, graph, ranks):
    runs = expect_same_bits(tmp_path, deck_of(GAN, METHODS[name], graph, 4, "same"), ranks)
    assert runs[0].snapshot()["samples"].shape == (16, 2)
    assert {"swd", "share_ema", "modes_ema"} <= set(runs[0].log())


@pytest.mark.parametrize("agents, ranks", [(1, (1, 3)), (2, (1, 2, 4)), (3, (1, 4))])
def test_ranks_without_agents(tmp_path, agents, ranks):
    deck = deck_of(QUADRATIC, METHODS["dp-oadam"], graph_of("ring"), agents)
    runs = expect_same_bits(tmp_path, deck, ranks)
    assert "warning" in runs[-1].output and "own no agent" in runs[-1].output


def test_bytes_count_what_travels_between_ranks(tmp_path):
    """dposg on a ring: one row of 58 numbers to each neighbour on another rank, and a header."""
    deck = deck_of(QUADRATIC, METHODS["dposg"], graph_of("ring"), 4)
    alone, two, four = (run_well(tmp_path / str(n), deck, n).log()["bytes"] for n in (1, 2, 4))
    assert (alone == 0).all() and two[0] == 0
    # Two ranks: two rows each way cross the cut per round; four ranks: every agent sends two rows.
    per_round = {name: (sent[-1] - sent[0]) / 20 for name, sent in {2: two, 4: four}.items()}
    assert per_round[4] == 2 * per_round[2]
    assert 58 * 4 * 4 < per_round[2] < 58 * 4 * 4 + 4 * 128

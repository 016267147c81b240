# SPDX-License-Identifier: BSD-3-Clause
"""What holds for every linear method of the registry: where the agents' Jacobians are equal, the
mean over agents moves like the one agent of the mean game, whatever the graph; and dposg's known
special cases.
"""

import itertools
import json

import numpy as np
import pytest
from support.runner import command, run_alone, run_well

ITERATIONS = 30
DECK = """[run]
name = "invariants"
agents = AGENTS
iterations = ITERATIONS
precision = "double"
output = "OUTPUT"
[game]
kind = "quadratic"
dim_x = 5
dim_y = 4
spread = 2.0
heterogeneity = HETEROGENEITY
[init]
INIT
[record]
every = 30
[method]
step.x = 0.06
step.y = 0.09
"""
GRAPHS = itertools.cycle((
    'kind = "ring"\n', 'kind = "star"\nlazy = true\n', 'kind = "one-peer-exponential"\n',
    'kind = "exponential"\nrounds = 2\n', 'kind = "ring"\nschedule = "random-matching"\n'))


def linear_methods():
    """Kinds of the methods whose schema has no moments of Adam."""
    code, text = command("schema")
    assert code == 0, text
    kinds = json.loads(text)["properties"]["method"]["oneOf"]
    return [kind["title"] for kind in kinds if "beta1" not in kind["properties"]]


def deck_of(method, graph="", agents=6, iterations=ITERATIONS, init='agents = "per_agent"',
            heterogeneity=0.0):
    text = DECK
    for word, value in {"AGENTS": agents, "ITERATIONS": iterations, "INIT": init,
                        "HETEROGENEITY": heterogeneity}.items():
        text = text.replace(word, str(value))
    return text + method + graph


def gossips(folder, method):
    """Whether the plan has gossip: only then does a deck take a [graph]."""
    folder.mkdir()
    deck = folder / "deck.toml"
    deck.write_text(deck_of(method))
    code, text = command("check", deck)
    assert code == 0, text
    return " 0 gossip mixes" not in text


@pytest.mark.parametrize("kind, graph", [(kind, next(GRAPHS)) for kind in linear_methods()])
def test_the_mean_moves_like_one_agent(tmp_path, kind, graph):
    """A mix keeps the mean, trackers and control variates add nothing to it: to round-off."""
    method = f'kind = "{kind}"\n'
    graph = "[graph]\n" + graph if gossips(tmp_path / "check", method) else ""
    start = run_alone(tmp_path / "start", deck_of(method, graph, iterations=0))
    many = run_well(tmp_path / "many", deck_of(method, graph), 2)
    file = start.folder / "snapshots" / "00000000.h5"
    one = run_alone(tmp_path / "one", deck_of(method, agents=1,
                                              init=f'snapshot = "{file}"\nfrom = "mean"'))
    mean, alone = many.parameters().mean(0), one.parameters()[0]
    np.testing.assert_allclose(mean, alone, rtol=0, atol=1e-12)
    assert np.abs(alone - start.parameters().mean(0)).max() > 0.1


@pytest.mark.parametrize("order", ("post", "post-one"))
def test_dposg_post_on_a_complete_graph_is_cp_osg(tmp_path, order):
    """W = J and a common start: the centralized method, on different data."""
    lines = f'kind = "dposg"\nmix_order = "{order}"\n'
    options = {"init": 'agents = "same"', "heterogeneity": 0.3}
    deck = deck_of(lines, '[graph]\nkind = "complete"\n', **options)
    gossip = run_well(tmp_path / "gossip", deck, 3).parameters()
    central = run_alone(tmp_path / "central", deck_of('kind = "cp-osg"\n', **options)).parameters()
    np.testing.assert_allclose(gossip, central, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ("pre", "post", "post-one"))
def test_dposg_of_one_agent_is_cp_osg(tmp_path, order):
    lines = f'kind = "dposg"\nmix_order = "{order}"\n'
    alone = run_alone(tmp_path / "dposg", deck_of(lines, agents=1)).parameters()
    central = run_alone(tmp_path / "osg", deck_of('kind = "cp-osg"\n', agents=1)).parameters()
    np.testing.assert_allclose(alone, central, rtol=0, atol=1e-13)

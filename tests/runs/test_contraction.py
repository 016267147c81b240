# SPDX-License-Identifier: BSD-3-Clause
"""Contraction on f = x y with one agent, whose factors are known in closed form: gradient steps
sqrt(1 + e^2) and extragradient sqrt(1 - e^2 + e^4) at each step, optimistic steps
sqrt((1 + sqrt(1 - 4 e^2)) / 2) in the long run
(Daskalakis et al. 2018; roots of the 2-step recurrence), the same for one agent or many replicas.
"""

import math

import numpy as np
import pytest
from support.runner import run_well

STEP = 0.3
GRADIENT = 1.0440306508911
EXTRAGRADIENT = 0.9581753492967
OPTIMISTIC = 0.9486832980505

DECK = f"""[run]
name = "contraction"
agents = AGENTS
iterations = 300
precision = "double"
output = "OUTPUT"
[game]
kind = "bilinear"
[record]
every = 1
[method]
kind = "KIND"
step.x = {STEP}
step.y = {STEP}
"""


def norms(folder, kind, agents=1, extra=""):
    """||z_k|| for k = 0, 1, ...: the saddle point of f = x y is 0."""
    deck = DECK.replace("AGENTS", str(agents)).replace("KIND", kind) + extra
    distance = run_well(folder, deck).log()["distance_to_solution"]
    assert len(distance) == 301
    return distance


def test_the_constants_are_those_of_the_formulas():
    assert GRADIENT == pytest.approx(math.sqrt(1 + STEP**2), abs=1e-12)
    assert EXTRAGRADIENT == pytest.approx(math.sqrt(1 - STEP**2 + STEP**4), abs=1e-12)
    assert OPTIMISTIC == pytest.approx(math.sqrt((1 + math.sqrt(1 - 4 * STEP**2)) / 2), abs=1e-12)


@pytest.mark.parametrize("agents", [1, 3])
def test_simultaneous_gradient_steps_grow_alike_at_each_step(tmp_path, agents):
    distance = norms(tmp_path, "dsgda", agents)
    np.testing.assert_allclose(distance[1:] / distance[:-1], GRADIENT, atol=1e-9)


@pytest.mark.parametrize("agents, extra", [(1, ""), (3, ""), (2, 'average = "gossip"\n')])
def test_extragradient_contracts_alike_at_each_step(tmp_path, agents, extra):
    distance = norms(tmp_path, "extra-step-local-sgd", agents, extra)
    np.testing.assert_allclose(distance[1:] / distance[:-1], EXTRAGRADIENT, atol=1e-9)


@pytest.mark.parametrize("kind, agents, extra", [
    ("dposg", 1, 'mix_order = "pre"\n'), ("dposg", 1, 'mix_order = "post"\n'),
    ("dposg", 1, 'mix_order = "post-one"\n'), ("dposg", 4, ""), ("cp-osg", 1, ""),
    ("cp-osg", 3, "")])
def test_optimistic_steps_contract_in_the_long_run(tmp_path, kind, agents, extra):
    """The slow root comes with a rotation of the plane: the norm's factor is smooth, since the fast
    root (0.316) has died out long before."""
    distance = norms(tmp_path, kind, agents, extra)
    np.testing.assert_allclose(distance[101:201] / distance[100:200], OPTIMISTIC, atol=1e-6)


def test_a_step_beyond_the_stable_range_grows(tmp_path):
    """Optimistic steps converge for e < 1/sqrt(3) only: 0.6 must grow, 0.57 must shrink."""
    big = DECK.replace("AGENTS", "1").replace("KIND", "dposg")
    grows = run_well(tmp_path / "a", big.replace(str(STEP), "0.6")).log()["distance_to_solution"]
    shrinks = run_well(tmp_path / "b", big.replace(str(STEP), "0.57")).log()["distance_to_solution"]
    assert grows[-1] > 10 * grows[0]
    assert shrinks[-1] < 0.5 * shrinks[0]

# SPDX-License-Identifier: BSD-3-Clause
"""The largest stable eta L of every method, on a ring whose smallest eigenvalue is -1/3 and on its
lazy form: the dense linear map of each method in NumPy, whole runs a few per cent below and above,
and the warnings of `parley check`.

Games of one coordinate per player and L = 1: f = xy (bilinear) and x^2/2 - y^2/2 (symmetric).
"""

import dataclasses

import numpy as np
import pytest
from support.runner import Result, command, mixing_matrix, run_well, write_deck

AGENTS = 8
ITERATIONS = 1500
FIELDS = {"bilinear": np.array([[0.0, 1.0], [-1.0, 0.0]]), "symmetric": np.eye(2)}
GAMES = {"bilinear": 'kind = "bilinear"\n',
         "symmetric": 'kind = "quadratic"\ndim_x = 1\ndim_y = 1\nmu = 1\nsmoothness = 1\n'
                      "coupling = 0\noffset = 0\nspread = 0\n"}
DECK = f"""[run]
name = "stable"
agents = {AGENTS}
iterations = {ITERATIONS}
precision = "double"
output = "OUTPUT"
[init]
agents = "per_agent"
[record]
every = {ITERATIONS}
[game]
GAME[method]
step = {{ x = STEP, y = STEP }}
METHOD"""
LAZY = "[graph]\nlazy = true\n"
# No direction but the field's: d = g / (|g| + epsilon) with a large epsilon, and steps to match.
PLAIN_ADAM = 'kind = "dp-oadam"\nbeta1 = 0\nbeta2 = 0\nepsilon = 1e8\n'


# One iteration of each method on the rows of all agents, w: the mix, g: eta times the field.
def dsgda(w, g, z):
    return (w @ z - g(z),)


def dsgda_post(w, g, z):
    return (w @ (z - g(z)),)


def dposg_pre(w, g, x, z):
    new = w @ x - g(z)
    return w @ x - g(new), new


def dposg_post(w, g, x, z):
    new = w @ (x - g(z))
    return w @ (x - g(new)), new


def optimistic_post(w, g, z, last):
    return w @ (z - 2 * g(z) + g(last)), z


def optimistic_overlap(w, g, z, last):
    return w @ z - 2 * g(z) + g(last), z


def gt_gda(w, g, z, s, last):
    s = w @ (s + g(z) - g(last))
    return w @ (z - s), s, z


def gt_eg(w, g, z, s):
    half = z - s
    new = w @ z - (s + g(half) - g(z))
    return new, w @ s + g(new) - g(z)


def optimistic_gt(w, g, z, s, last, before):
    s = w @ (s + 2 * g(z) - g(last) - (2 * g(last) - g(before)))
    return w @ (z - s), s, z, last


def extra_step(w, g, z):
    return (w @ (z - g(z - g(z))),)


def decentralized_extra_step(w, g, z):
    return (w @ (z - g(w @ (z - g(z)))),)


@dataclasses.dataclass
class Row:
    """A row of the table: lines of the deck, the map with its number of rows of state, and limits
    (plain, lazy); 0: diverges at any step; scale: step of the deck per step of the table."""

    lines: str
    step: object
    rows: int
    bilinear: tuple
    symmetric: tuple
    conserved: int = 0
    scale: float = 1
    warned: bool = True


OPTIMISTIC = (0.577, 0.577), (0.667, 0.667)
TABLE = {
    "dsgda": Row('kind = "dsgda"\n', dsgda, 1, (0, 0), (0.667, 1.333)),
    "dsgda-post": Row('kind = "dsgda"\nmix_order = "post"\n', dsgda_post, 1, (0, 0), (2, 2)),
    "gt-gda": Row('kind = "gt-gda"\n', gt_gda, 3, (0, 0), (2, 2), conserved=2),
    "dposg-pre": Row('kind = "dposg"\n', dposg_pre, 2, *OPTIMISTIC),
    "dposg-post": Row('kind = "dposg"\nmix_order = "post"\n', dposg_post, 2, *OPTIMISTIC),
    "dposg-post-one": Row('kind = "dposg"\nmix_order = "post-one"\n', optimistic_post, 2,
                          *OPTIMISTIC),
    "dp-oadam-post": Row(PLAIN_ADAM + 'order = "post"\n', optimistic_post, 2, *OPTIMISTIC,
                         scale=1e8, warned=False),
    "dp-oadam-overlap": Row(PLAIN_ADAM, optimistic_overlap, 2, (0.313, 0.466), (0.222, 0.444),
                            scale=1e8, warned=False),
    "optimistic-gt": Row('kind = "optimistic-gt"\n', optimistic_gt, 4, *OPTIMISTIC, conserved=2),
    "gt-eg": Row('kind = "gt-eg"\n', gt_eg, 2, (0.272, 0.693), (0.333, 1), conserved=2),
    "extra-step": Row('kind = "extra-step-local-sgd"\naverage = "gossip"\n', extra_step, 1, (1, 1),
                      (1, 1)),
    "decentralized-extra-step": Row('kind = "decentralized-extra-step"\n',
                                    decentralized_extra_step, 1, (1, 1), (1, 1))}
CASES = [(name, game, lazy) for name in TABLE for game in FIELDS for lazy in (False, True)]
# One forward step an iteration.
FORWARD = {
    "dsgda": "", "gt-gda": "", "dm-hsgd": "", "dgda-vr": "", "local-sgda": "local_steps = 3\n",
    "local-sgda+": "local_steps = 3\nrefresh = 2\n", "fedgda-gt": "local_steps = 3\n",
    "proxskip-vip": "", "sgd": 'updates = "simultaneous"\n'}


def limit_of(name, game, lazy):
    return getattr(TABLE[name], game)[lazy]


def radius(row, game, lazy, step):
    """Spectral radius of the method's map on the states that it can be in: what it conserves (the
    sum of a tracker) stays at its value, an eigenvalue 1 each."""
    w = mixing_matrix("ring", AGENTS)
    w = (w + np.eye(AGENTS)) / 2 if lazy else w

    def g(z):
        return step * z @ FIELDS[game].T

    columns = []
    for unit in np.eye(row.rows * AGENTS * 2):
        state = unit.reshape(row.rows, AGENTS, 2)
        columns.append(np.concatenate([part.ravel() for part in row.step(w, g, *state)]))
    values = np.linalg.eigvals(np.array(columns).T)
    for _ in range(row.conserved):
        values = np.delete(values, np.abs(values - 1).argmin())
    return np.abs(values).max()


def largest_stable(row, game, lazy):
    """By bisection, to 1e-4; 0 when a small step is unstable."""
    low, high = 0.0, 4.0
    if radius(row, game, lazy, 1e-3) >= 1:
        return 0.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        if radius(row, game, lazy, middle) < 1:
            low = middle
        else:
            high = middle
    return low


@pytest.mark.parametrize("name, game, lazy", CASES)
def test_the_dense_maps_have_the_limits_of_the_table(name, game, lazy):
    found = largest_stable(TABLE[name], game, lazy)
    assert found == pytest.approx(limit_of(name, game, lazy), abs=1.5e-3)


def deck_of(game, lines, step, graph=""):
    values = {"GAME": GAMES[game], "METHOD": lines, "STEP": repr(float(step))}
    text = DECK
    for word, value in values.items():
        text = text.replace(word, value)
    return text + graph


def final_norm(folder, deck):
    """Norm of all agents' rows at the end of a run; infinite when it diverged. They start as
    standard normals."""
    path = write_deck(folder, deck)
    code, output = command("run", path)
    if code == 3:
        return np.inf
    assert code == 0, output
    return np.linalg.norm(Result(code, output, folder / "run").parameters())


def warns(folder, deck):
    code, output = command("check", write_deck(folder, deck))
    assert code == 0, output
    return "eta L = " in output


@pytest.mark.parametrize("name, game", [(name, game) for name in TABLE for game in FIELDS])
def test_runs_are_stable_up_to_the_limit(tmp_path, name, game):
    """7 % below the limit the rows vanish, 7 % above they grow, and `parley check` knows."""
    row = TABLE[name]
    for lazy in (False, True):
        limit = limit_of(name, game, lazy)
        if limit == 0:
            continue  # below
        for factor in (0.93, 1.07):
            folder = tmp_path / f"{lazy}-{factor}"
            deck = deck_of(game, row.lines, row.scale * factor * limit, LAZY if lazy else "")
            norm = final_norm(folder, deck)
            assert norm < 1e-2 if factor < 1 else norm > 1e2, (lazy, factor)
            assert warns(folder, deck) == (factor > 1 and row.warned), (lazy, factor)


@pytest.mark.parametrize("name", FORWARD)
def test_one_forward_step_diverges_on_a_bilinear_game(tmp_path, name):
    """At any step: sqrt(1 + e^2) an iteration; `parley check` says so."""
    for step in (0.08, 0.3):
        folder = tmp_path / str(step)
        deck = deck_of("bilinear", f'kind = "{name}"\n' + FORWARD[name], step)
        assert final_norm(folder, deck) > 1e2
        text = command("check", folder / "deck.toml")[1]
        assert f"{name} takes one forward step" in text
        assert "diverges on a bilinear game at any step size" in text


def test_one_forward_step_circles_inside_the_sets_of_a_bilinear_game(tmp_path):
    """A box keeps the iterates, which do not come to rest; `parley check` says that instead."""
    deck = deck_of("bilinear", 'kind = "dsgda"\n', 0.1).replace(
        "[method]", "constraint.x = { low = -1.0, high = 1.0 }\n"
        "constraint.y = { low = -1.0, high = 1.0 }\n[method]", 1)
    run = run_well(tmp_path, deck)
    assert 0.5 < np.abs(run.parameters()).max() <= 1
    assert run.log()["gap"][-1] > 0.5
    text = command("check", tmp_path / "deck.toml")[1]
    assert "circles instead of converging on a bilinear game at any step size" in text


def test_gt_da_cycles_while_the_agents_ys_drift_apart(tmp_path):
    """The mean turns without end, and every agent's y climbs its own slope."""
    deck = deck_of("bilinear", 'kind = "gt-da"\n', 0.2).replace(
        f"every = {ITERATIONS}", "every = 50").replace("[method]", "spread = 1\n[method]")
    log = run_well(tmp_path, deck).log()
    distance = log["distance_to_solution"]
    assert 0.3 < distance.min() / distance.max() and distance[-1] > 0.3 * distance[0]
    # Squares of distances that grow by the same amount an iteration.
    assert log["consensus_y"][-1] == pytest.approx(4 * log["consensus_y"][15], rel=0.05)
    assert log["consensus_y"][-1] > 100 * log["consensus_y"][0]

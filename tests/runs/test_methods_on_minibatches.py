# SPDX-License-Identifier: BSD-3-Clause
"""The variance-reduced methods on minibatches of rows, against transcriptions from their formulas
with the same draws and a dense W; and how the log counts passes over the data.
"""

import numpy as np
import pytest
from support import data_games as games
from support.runner import mixing_matrix, run_well

ROWS, FEATURES, AGENTS, BATCH, SEED = 53, 4, 5, 6, 3
ITERATIONS = 40
ETA = np.array([0.05] * FEATURES + [0.08] * FEATURES)
BETA = np.array([0.3] * FEATURES + [0.6] * FEATURES)
GAME = 'kind = "robust-nonconvex-regression"'
METHODS = {
    "dgda-vr": "period = 7\n",
    "dm-hsgd": "beta = { x = 0.3, y = 0.6 }\nfirst_batch = 9\n",
}


class Oracle:
    """Rows of F_m(z_m) on the batch of a draw; counts what it sees."""

    def __init__(self, parts):
        self.parts, self.draw, self.full, self.samples = parts, -1, 0, 0

    def fresh(self, z, batch):
        self.draw += 1
        return self.again(z, batch)

    def again(self, z, batch):
        self.full += batch == 0
        self.samples += batch
        return np.array([
            games.shift_game(row, games.batch_of(part, SEED, agent, self.draw, batch), 1.0,
                             games.log_quadratic, 0.0, 1.0)[1]
            for agent, (row, part) in enumerate(zip(z, self.parts, strict=True))])


def dgda_vr(z, w, oracle):
    """Z = W Z - eta D; V full every 7th iteration, else V + F(Z; xi) - F(Z_before; xi)."""
    v = d = oracle.fresh(z, 0)
    for k in range(1, ITERATIONS + 1):
        before, v_before = z, v
        z = w @ z - ETA * d
        if k % 7 == 0:
            v = oracle.fresh(z, 0)
        else:
            v = v + oracle.fresh(z, BATCH) - oracle.again(before, BATCH)
        d = w @ (d + v - v_before)
    return z


def dm_hsgd(z, w, oracle):
    """v = W (v + g - g_before); Z = W (Z - eta v); g = F(Z; xi) + (1-b)(g - F(Z_before; xi))."""
    v = g_before = np.zeros_like(z)
    g = oracle.fresh(z, 9)
    for _ in range(ITERATIONS):
        before = z
        v = w @ (v + g - g_before)
        z = w @ (z - ETA * v)
        new = oracle.fresh(z, BATCH)
        g_before, g = g, new + (1 - BETA) * (g - oracle.again(before, BATCH))
    return z


@pytest.mark.parametrize("method, ranks", [("dgda-vr", 2), ("dm-hsgd", 3)])
def test_minibatches(tmp_path, method, ranks):
    x, y = games.make_data(ROWS, FEATURES, "class")
    games.write_data(tmp_path / "data.h5", x, y, np.uint8)
    deck = games.deck_of(GAME, tmp_path / "data.h5", AGENTS)
    deck = deck.replace("iterations = 1", f"iterations = {ITERATIONS}")
    deck = deck.replace('kind = "dposg"', f'kind = "{method}"\nbatch = {BATCH}\n'
                        f"step = {{ x = {ETA[0]}, y = {ETA[-1]} }}")
    deck += METHODS[method] + f'[init]\nagents = "per_agent"\n[record]\nevery = {ITERATIONS}\n'
    start = run_well(tmp_path / "start", deck.replace(f"iterations = {ITERATIONS}",
                                                      "iterations = 0"))
    result = run_well(tmp_path / "run", deck, ranks)
    oracle = Oracle(games.shards(x, y, AGENTS))
    transcription = {"dgda-vr": dgda_vr, "dm-hsgd": dm_hsgd}[method]
    expected = transcription(start.parameters(), mixing_matrix("ring", AGENTS), oracle)
    assert np.abs(expected - start.parameters()).max() > 0.1
    np.testing.assert_allclose(result.parameters(), expected, rtol=0, atol=1e-12)
    # A call on all rows is a whole pass, whatever the batch of the others.
    passes = oracle.full + oracle.samples / (ROWS / AGENTS)
    assert abs(result.log()["epoch"][-1] - passes) < 1e-12 * passes

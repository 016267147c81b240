# SPDX-License-Identifier: BSD-3-Clause
"""The small games' sample decks give the same bits on 1 and 3 ranks, gossip included."""

from pathlib import Path

import pytest
from support.runner import TIMES, different_columns, run_well, same_bits

GAMES = Path(__file__).parents[2] / "inputs" / "games"
SETTINGS = ["run.iterations=40", "record.every=10", 'method.kind="dposg"',
            'init.agents="per_agent"']
# What the deck's own method alone takes.
OWN = {"matrix_game": ['method.iterate_average="linear"', "game.noise=0.1"],
       "linear_wgan": ["game.samples=16"], "covariance": ["game.samples=16"],
       "chain": [], "pl_game": ["game.noise=0.1"], "dirac_gan": ["game.noise=0.1"],
       "robust_network": []}


@pytest.mark.parametrize("name", OWN)
def test_same_bits(tmp_path, name):
    deck = (GAMES / f"{name}.toml").read_text().split("[[expect]]")[0].split("[expect]")[0]
    deck = deck.replace("[run]\n", '[run]\noutput = "OUTPUT"\n', 1)
    words = [word for setting in SETTINGS + OWN[name] for word in ("--set", setting)]
    one = run_well(tmp_path / "one", deck, 1, words)
    three = run_well(tmp_path / "three", deck, 3, words)
    assert not different_columns(one.log(), three.log(), (*TIMES, "bytes"))
    assert same_bits(one.parameters(), three.parameters())
    rows = one.parameters()
    assert (rows[0] != rows[1]).any() and (rows != 0).any()

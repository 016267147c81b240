# SPDX-License-Identifier: BSD-3-Clause
"""Decks that are tests of themselves: every variant of inputs/methods.toml and of
inputs/games/*.toml meets its [[expect]], the former for every method that the binary knows.
"""

import re
import tomllib
from pathlib import Path

import pytest
from support.runner import command

INPUTS = Path(__file__).parents[2] / "inputs"
METHODS = INPUTS / "methods.toml"


def variants_of(deck):
    """Names of the variants; a deck with expectations of its own comes first, as ""."""
    tree = tomllib.loads(deck.read_text())
    return [""] * ("expect" in tree) + list(tree.get("variant", {}))


CASES = [(deck, variant) for deck in (METHODS, *sorted(INPUTS.glob("games/*.toml")))
         for variant in variants_of(deck)]


def run_variant(folder, deck, variant, *settings):
    words = ["run", deck, "--set", f'run.output={folder / "run"}']
    for setting in settings:
        words += ["--set", setting]
    return command(*words, *(["--variant", variant] if variant else []))


@pytest.mark.parametrize("deck, variant", CASES, ids=[f"{d.stem}-{v}" for d, v in CASES])
def test_every_variant_meets_its_expectations(tmp_path, deck, variant):
    code, text = run_variant(tmp_path, deck, variant)
    assert code == 0, text


@pytest.mark.parametrize("variant", variants_of(METHODS))
def test_the_start_does_not_meet_them(tmp_path, variant):
    """What is expected of a method is more than where it begins."""
    code, text = run_variant(tmp_path, METHODS, variant, "run.iterations=0")
    assert code == 4, text


def test_every_method_has_a_variant():
    code, text = command("list")
    assert code == 0, text
    known = re.search(r"^methods\n(.*?)^\S", text, re.MULTILINE | re.DOTALL)[1]
    names = set(re.findall(r"^  ([a-z][a-z0-9+-]*) ", known, re.MULTILINE))
    assert {"dposg", "gt-eg", "adam"} <= names
    tree = tomllib.loads(METHODS.read_text())
    assert {each["method"]["kind"] for each in tree["variant"].values()} == names
    assert all(each["expect"] for each in tree["variant"].values())

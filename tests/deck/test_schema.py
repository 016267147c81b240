# SPDX-License-Identifier: BSD-3-Clause
# The JSON Schema that `parley schema` prints against the decks of inputs/ and tests/deck/bad, and
# `parley check` on the same decks. Knows no solver: only the command and the decks' own comments.
#
# A bad deck says in its first line `# expect: TEXT` (part of the message) and in its second line
# whether the schema rejects it, accepts it (mistakes between keys) or cannot read it (not TOML).
import json
import os
import pathlib
import subprocess
import tomllib

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = sorted((ROOT / "inputs").glob("*.toml"))
BAD = sorted((ROOT / "tests" / "deck" / "bad").glob("*.toml"))


def parley(*words):
    return subprocess.run(
        [os.environ["PARLEY"], *map(str, words)], capture_output=True, timeout=120, cwd=ROOT
    )


@pytest.fixture(scope="module")
def validator():
    result = parley("schema")
    assert result.returncode == 0, result.stderr
    schema = json.loads(result.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def comment(deck, line, word):
    text = deck.read_bytes().splitlines()[line].decode()
    assert text.startswith(f"# {word}: "), f"{deck.name}: line {line + 1} is not '# {word}: ...'"
    return text.removeprefix(f"# {word}: ")


def messages(result):
    return result.stderr.decode(errors="replace").removeprefix("parley: ").strip()


def runs_of(deck):
    """The deck itself and each of its variants, as words after `parley check DECK`."""
    variants = tomllib.loads(deck.read_text()).get("variant", {})
    return [[]] + [["--variant", name] for name in variants]


@pytest.mark.parametrize("deck", GOOD, ids=[deck.stem for deck in GOOD])
def test_schema_accepts_the_decks_of_inputs(validator, deck):
    validator.validate(tomllib.loads(deck.read_text()))


@pytest.mark.parametrize("deck", GOOD, ids=[deck.stem for deck in GOOD])
def test_check_accepts_the_decks_of_inputs(deck):
    for words in runs_of(deck):
        result = parley("check", deck, *words)
        if result.returncode == 0:
            continue
        # Data sets are made by inputs/import_dataset.py: without them nothing else may be wrong.
        assert result.returncode == 2, messages(result)
        for line in messages(result).splitlines():
            assert "no such file" in line, f"{deck.name} {words}: {line}"


def test_the_reference_deck_is_what_the_command_prints():
    result = parley("schema", "reference")
    assert result.returncode == 0, result.stderr
    assert (ROOT / "inputs" / "reference.toml").read_bytes() == result.stdout


def test_there_are_twenty_bad_decks_with_messages_of_their_own():
    expected = [comment(deck, 0, "expect") for deck in BAD]
    assert len(expected) >= 20
    assert len(set(expected)) == len(expected)


@pytest.mark.parametrize("deck", BAD, ids=[deck.stem for deck in BAD])
def test_check_refuses_a_bad_deck_with_its_message(deck):
    result = parley("check", deck)
    assert result.returncode == 2, messages(result)
    assert comment(deck, 0, "expect") in messages(result)
    assert f"{deck.name}" in messages(result)
    # One mistake each: nothing else is complained about.
    assert len(messages(result).splitlines()) == 1, messages(result)


@pytest.mark.parametrize("deck", BAD, ids=[deck.stem for deck in BAD])
def test_the_schema_judges_a_bad_deck_as_the_deck_says(validator, deck):
    verdict = comment(deck, 1, "schema")
    if verdict == "not TOML":
        return
    values = tomllib.loads(deck.read_text())
    assert validator.is_valid(values) == {"accepts": True, "rejects": False}[verdict]

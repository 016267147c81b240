# SPDX-License-Identifier: BSD-3-Clause
"""The command as a user meets it: exit codes, refusals, what is written and what is left alone."""

import json
import time

import h5py
import numpy as np
import pytest
from support.runner import command, different_columns, run, run_well, same_bits, write_deck

DECK = """[run]
name = "small"
agents = 4
iterations = 20
output = "OUTPUT"
[game]
kind = "quadratic"
dim_x = 3
dim_y = 2
[method]
kind = "dposg"
step.x = 0.1
step.y = 0.1
[record]
every = 10
"""
# An MPI that cannot start: the library finds none of its own parts.
NO_MPI = {"OPAL_PREFIX": "/nonexistent", "OMPI_MCA_btl": "nonsense", "PMIX_PREFIX": "/nonexistent"}


def test_help_and_version_need_no_mpi(tmp_path):
    code, text = command("--help", env=NO_MPI)
    assert code == 0 and "run" in text and "check" in text
    code, text = command("--version", env=NO_MPI)
    assert code == 0 and text.startswith("parley ") and "HDF5" in text
    code, text = command("run", "--help", env=NO_MPI)
    assert code == 0 and "--resume" in text
    code, _ = command("run", write_deck(tmp_path, DECK), env=NO_MPI)
    assert code != 0
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("words", [(), ("walk",), ("run",), ("list", "rivers"), ("check",),
                                   ("run", "deck.toml", "--resume", "perhaps"),
                                   ("check", "deck.toml", "--ranks", "0")])
def test_wrong_words_are_user_errors(words):
    assert command(*words)[0] == 2


@pytest.mark.parametrize("setting, names", [
    ("method.step.z=1", ["method.step.z"]), ("method.step.x=fast", ["method.step.x"]),
    ("nonsense", ["nonsense"]), ("run.agents=0", ["run.agents", "0"]),
    ("graph.kind='\"rings\"'", ["graph.kind", "rings"])])
def test_wrong_settings_are_named(tmp_path, setting, names):
    deck = write_deck(tmp_path, DECK)
    code, text = command("check", deck, "--set", setting)
    assert code == 2, text
    for name in names:
        assert name in text
    assert "internal" not in text


def test_a_wrong_setting_stops_all_ranks(tmp_path):
    result = run(tmp_path, DECK, 2, ["--set", "run.agent=2"], timeout=30)
    assert result.code == 2
    # One rank speaks for all, and MPI_Abort has nothing to add.
    assert result.output.count("run.agent = 2") == 1 and "did you mean agents" in result.output
    assert "MPI_ABORT" not in result.output
    assert not result.folder.exists()


def test_a_missing_deck_is_a_user_error(tmp_path):
    code, text = command("check", tmp_path / "none.toml")
    assert code == 2 and "none.toml" in text


def test_check_plans_many_ranks_on_one_process(tmp_path):
    deck = write_deck(tmp_path, DECK)
    code, text = command("check", deck, "--ranks", 64, "--set", "run.agents=64", env=NO_MPI)
    assert code == 0, text
    assert "64 agents on 64 ranks" in text
    # A ring of 64 with weights 1/3: rho = (1 + 2 cos(2 pi / 64)) / 3.
    assert f"rho {(1 + 2 * np.cos(2 * np.pi / 64)) / 3:.6g}" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deck.toml"]


def test_check_reports_every_mistake_at_once(tmp_path):
    deck = write_deck(tmp_path, DECK.replace("dim_x", "dim_z").replace("every", "evry"))
    code, text = command("check", deck)
    assert code == 2
    assert "dim_z" in text and "evry" in text and "deck.toml:8" in text


def test_an_existing_run_is_not_overwritten_unasked(tmp_path):
    first = run_well(tmp_path, DECK)
    before = {path.name: path.read_bytes() for path in first.folder.glob("**/*") if path.is_file()}
    again = run(tmp_path, DECK, words=["--set", "run.seed=2"])
    assert again.code == 2
    assert "--overwrite" in again.output and "--resume" in again.output
    after = {path.name: path.read_bytes() for path in first.folder.glob("**/*") if path.is_file()}
    assert before == after
    note = first.folder / "note.txt"
    note.write_text("mine")
    other = run_well(tmp_path, DECK, words=["--set", "run.seed=2", "--overwrite"])
    assert note.read_text() == "mine"
    assert before["00000020.h5"] != (other.folder / "snapshots/00000020.h5").read_bytes()


def test_the_resolved_deck_gives_the_same_run(tmp_path):
    deck = DECK.replace("[game]", '[init]\nagents = "per_agent"\n[game]') + """
[variant.other]
method.kind = "dp-oadam"
method.step.x = 0.02
graph.kind = "star"
"""
    words = ["--variant", "other", "--set", "run.seed=9", "--set", "game.spread=2"]
    first = run_well(tmp_path / "a", deck, 2, words)
    text = (first.folder / "deck.toml").read_text()
    assert str(first.folder) in text and "dp-oadam" in text
    second = run_well(tmp_path / "b", text.replace(str(first.folder), "OUTPUT"), 1)
    assert same_bits(first.parameters(), second.parameters())
    assert different_columns(first.log(), second.log(), ("wall_train", "wall_total", "bytes")) == []
    assert (second.folder / "deck.toml").read_text().replace(
        str(second.folder), str(first.folder)) == text


def test_divergence_names_the_agent_and_keeps_the_restart(tmp_path):
    """Steps far beyond the stable range: single precision overflows within some 100 iterations."""
    deck = DECK.replace("iterations = 20", "iterations = 5000").replace(
        "every = 10", "every = 50\nrestart_every = 10\nkeep = 1").replace("= 0.1", "= 3.0")
    result = run(tmp_path, deck, 2, timeout=60)
    assert result.code == 3, result.output
    assert "agent" in result.output and "non-finite" in result.output
    assert result.output.count("diverged") == 1
    restarts = sorted((result.folder / "restart").glob("*.h5"))
    assert len(restarts) == 1
    with h5py.File(restarts[0]) as file:
        rows = file["state/method/z"][()]
        assert np.isfinite(rows).all()
        assert 0 < file.attrs["iteration"] < 5000
    assert np.isfinite(result.log()["loss_x"][0])


def test_a_missed_expectation_is_exit_4(tmp_path):
    expect = '[[expect]]\nmeasure = "distance_to_solution"\nbelow = {}\n'
    met = run(tmp_path / "a", DECK + expect.format("1e6"), 2)
    assert met.code == 0 and "met" in met.output
    missed = run(tmp_path / "b", DECK + expect.format("1e-12"), 2)
    assert missed.code == 4 and "MISSED" in missed.output
    # The run is complete all the same.
    assert missed.parameters().shape == (4, 5)


def test_an_unknown_measure_is_refused_before_the_run(tmp_path):
    result = run(tmp_path, DECK + '[[expect]]\nmeasure = "distanc"\nbelow = 1\n', 2)
    assert result.code == 2
    assert "distance_to_solution" in result.output
    assert not result.folder.exists()


@pytest.mark.parametrize("ranks", (1, 2))
def test_until_stops_soon_after_the_bound_is_passed(tmp_path, ranks):
    deck = DECK.replace("iterations = 20", 'iterations = 100000\nprecision = "double"\n'
                        'until = { measure = "distance_to_solution", below = 1e-3 }')
    result = run_well(tmp_path, deck, ranks)
    log = result.log()
    distance, iteration = log["distance_to_solution"], log["iteration"]
    passed = iteration[np.argmax(distance < 1e-3)]
    assert distance[-1] < 1e-3
    # One iteration until the flag word is posted and 8 more until all ranks act on it.
    assert iteration[-1] == passed + 9
    assert sorted(path.name for path in (result.folder / "snapshots").iterdir()) == [
        f"{iteration[-1]:08}.h5"]


@pytest.mark.parametrize("name", ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"))
def test_a_launcher_that_mpi_does_not_know_is_refused(tmp_path, name):
    deck = write_deck(tmp_path, DECK)
    code, text = command("run", deck, env={name: "4"})
    assert code == 2, text
    assert name in text and "mpirun" in text
    assert not (tmp_path / "run").exists()


def test_one_rank_that_fails_ends_all(tmp_path):
    """The snapshots' folder cannot be made: a file is in its place, and rank 0 alone notices."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "snapshots").write_text("in the way")
    begin = time.monotonic()
    result = run(tmp_path, DECK, 4, timeout=60)
    assert result.code in (1, 2), result.output
    assert "snapshots" in result.output and "internal" not in result.output
    assert time.monotonic() - begin < 30


def test_a_disk_error_in_the_middle_ends_all(tmp_path):
    """A snapshot's temporary name is taken by a folder: one rank fails while the others run on."""
    (tmp_path / "run" / "snapshots" / "00000010.h5.tmp").mkdir(parents=True)
    result = run(tmp_path, DECK.replace("every = 10", "every = 10\nsnapshot_every = 10"), 3,
                 timeout=60)
    assert result.code == 1, result.output
    assert "00000010.h5.tmp" in result.output


def test_show_prints_a_finished_run(tmp_path):
    result = run_well(tmp_path, DECK)
    code, text = command("show", result.folder, env=NO_MPI)
    assert code == 0, text
    assert "small" in text and "dposg" in text and "20" in text
    code, text = command("show", tmp_path / "nowhere")
    assert code == 2 and "nowhere" in text


def test_list_and_schema_need_no_mpi():
    code, text = command("list", env=NO_MPI)
    assert code == 0
    for name in ("dp-oadam", "extra-step-local-sgd", "quadratic", "exponential", "dirichlet"):
        assert name in text
    code, text = command("list", "graphs", env=NO_MPI)
    assert code == 0 and "torus" in text and "dposg" not in text
    code, text = command("schema", env=NO_MPI)
    assert code == 0 and "properties" in json.loads(text)
    code, text = command("schema", "reference", env=NO_MPI)
    assert code == 0 and "[method]" in text

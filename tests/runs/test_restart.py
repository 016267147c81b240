# SPDX-License-Identifier: BSD-3-Clause
"""Kills, signals, walltimes and damaged files: a run that goes on ends where the undisturbed one
does, to the bit.
"""

import random
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from support.runner import (different_columns, environment, kill_all, run, run_well, same_bits,
                            words_of, write_deck)

DECK = """[run]
name = "restart"
agents = 4
iterations = ITERATIONS
output = "OUTPUT"
[game]
kind = "quadratic"
dim_x = 30
dim_y = 20
noise = 0.1
heterogeneity = 0.1
[init]
agents = "per_agent"
[method]
kind = "dp-oadam"
mix_moments = "v"
step.x = 0.002
step.y = 0.003
ema = 0.99
[record]
every = 20
restart_every = RESTART
keep = 3
"""
SKIP = ("wall_train", "wall_total", "bytes")


def deck_of(iterations, restart_every):
    return DECK.replace("ITERATIONS", str(iterations)).replace("RESTART", str(restart_every))


def start(folder, text, ranks, words=()):
    return subprocess.Popen(words_of(write_deck(folder, text), ranks, words),
                            env=environment(), text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, start_new_session=True)


def wait_for(condition, seconds=60):
    """True once the condition holds, False when the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def newest_restart(folder):
    """The iteration of the newest generation, -1 without one."""
    return max((int(path.stem) for path in folder.glob("restart/*.h5")), default=-1)


def expect_same(result, undisturbed, skip=SKIP):
    snapshot, expected = result.snapshot(), undisturbed.snapshot()
    assert set(snapshot) == set(expected)
    for name, values in expected.items():
        assert same_bits(values, snapshot[name]), name
    assert different_columns(result.log(), undisturbed.log(), skip) == []
    assert different_columns(result.agent_log(), undisturbed.agent_log(), ()) == []


def expect_open(log):
    """log.h5 opens at any moment and its columns are of one length."""
    with h5py.File(log) as file:
        lengths = {len(item) for item in file["log"].values()}
        assert len(lengths) == 1
        iterations = file["log/iteration"][()]
        assert (np.diff(iterations) > 0).all()


def test_kills_at_any_moment_do_not_change_the_result(tmp_path):
    """Ten times: start or go on, then SIGKILL all ranks, in turn at a random moment of the start or
    at one shortly after a new restart, on 1, 2 and 4 ranks in turn."""
    text = deck_of(8000, 100)
    undisturbed = run_well(tmp_path / "undisturbed", text, 1)
    folder = tmp_path / "killed" / "run"
    moments = random.Random(7)
    went_on = 0
    for number in range(10):
        before = newest_restart(folder)
        with start(tmp_path / "killed", text, (1, 2, 4)[number % 3],
                   ["--resume", "auto"]) as process:
            if number % 2 == 0:
                assert wait_for(lambda seen=before: newest_restart(folder) > seen)
                time.sleep(moments.uniform(0, 0.1))
                went_on += 1
            else:
                time.sleep(moments.uniform(0.005, 0.35))
            assert process.poll() is None, process.communicate()[0]
            kill_all(process)
        if (folder / "log.h5").exists():
            expect_open(folder / "log.h5")
        assert newest_restart(folder) < 8000, "the run was over before the kill"
    assert went_on == 5
    last = run_well(tmp_path / "killed", text, 1, ["--resume", "require"])
    assert "resumed at iteration" in last.output
    expect_same(last, undisturbed)


@pytest.mark.parametrize("first, second", [(2, 1), (1, 2)])
def test_a_signal_stops_with_a_restart(tmp_path, first, second):
    """SIGUSR1 to the ranks: exit 75 and a run that goes on; with equal ranks even bytes agree."""
    text = deck_of(4000, 0).replace("every = 20", "every = 100")
    with start(tmp_path / "stopped", text, first) as process:
        assert wait_for((tmp_path / "stopped/run/log.h5").exists)
        kill_all(process, signal.SIGUSR1)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 75, output
    assert "stopped early at iteration" in output and "--resume auto" in output
    stopped_at = newest_restart(tmp_path / "stopped/run")
    assert 0 < stopped_at < 4000
    last = run_well(tmp_path / "stopped", text, second, ["--resume", "require"])
    assert f"resumed at iteration {stopped_at}" in last.output
    expect_same(last, run_well(tmp_path / "undisturbed", text, second))


def test_bytes_agree_when_ranks_do(tmp_path):
    text = deck_of(400, 100)
    undisturbed = run_well(tmp_path / "a", text, 2)
    run_well(tmp_path / "b", text.replace("= 400", "= 300"), 2)
    last = run_well(tmp_path / "b", text, 2, ["--resume", "require"])
    expect_same(last, undisturbed, ("wall_train", "wall_total"))
    # Time goes on where the restart left it.
    for name in ("wall_train", "wall_total"):
        assert (np.diff(last.log()[name]) >= 0).all()


def test_the_walltime_ends_a_run_in_time(tmp_path):
    text = deck_of(100000000, 0)
    begin = time.monotonic()
    result = run(tmp_path, text.replace("every = 20", "every = 100000"), 2, ["--walltime", "3s"])
    assert result.code == 75, result.output
    assert 1 < time.monotonic() - begin < 15
    assert newest_restart(result.folder) > 0
    assert result.log()["wall_total"][-1] < 3


def test_a_damaged_restart_is_passed_over(tmp_path):
    text = deck_of(400, 100)
    undisturbed = run_well(tmp_path, text)
    for name in ("00000400.h5", "00000300.h5"):
        file = undisturbed.folder / "restart" / name
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    expected, log = undisturbed.snapshot(), undisturbed.log()
    last = run_well(tmp_path, text, 2, ["--resume", "require"])
    assert "resumed at iteration 200" in last.output
    assert same_bits(last.parameters(), expected["parameters"])
    assert different_columns(last.log(), log, SKIP) == []


def test_require_needs_a_valid_restart(tmp_path):
    missing = run(tmp_path, deck_of(20, 0), 2, ["--resume", "require"])
    assert missing.code == 2 and "no valid restart" in missing.output
    run_well(tmp_path, deck_of(20, 10), 1, ["--resume", "auto"])
    for file in (tmp_path / "run/restart").glob("*.h5"):
        file.write_bytes(file.read_bytes()[:-100])
    damaged = run(tmp_path, deck_of(20, 10), 2, ["--resume", "require"])
    assert damaged.code == 2 and "no valid restart" in damaged.output


@pytest.mark.parametrize("old, new, key", [("step.x = 0.002", "step.x = 0.003", "method.step.x"),
                                           ("dim_x = 30", "dim_x = 31", "game.dim_x"),
                                           ("agents = 4", "agents = 5", "run.agents")])
def test_another_deck_is_refused(tmp_path, old, new, key):
    text = deck_of(20, 10)
    assert text.count(old) == 1
    first = run_well(tmp_path, text)
    before = first.snapshot()["parameters"]
    result = run(tmp_path, text.replace(old, new), 2, ["--resume", "auto"])
    assert result.code == 2, result.output
    assert key in result.output
    assert same_bits(first.parameters(), before)


def test_more_iterations_are_accepted(tmp_path):
    run_well(tmp_path, deck_of(60, 20))
    longer = run_well(tmp_path, deck_of(120, 20), 2, ["--resume", "require"])
    assert "resumed at iteration 60" in longer.output
    assert list(longer.log()["iteration"]) == list(range(0, 121, 20))
    expect_same(longer, run_well(tmp_path / "undisturbed", deck_of(120, 20)))


def test_a_resume_between_the_bound_and_the_stop_stops_at_the_same_iteration(tmp_path):
    """The restart written after the record that met `until` knows of it."""
    deck = deck_of(4000, 2).replace('output = "OUTPUT"\n', 'output = "OUTPUT"\nuntil = { measure = '
                                    '"iteration", above = 30 }\n')
    whole = run_well(tmp_path, deck, 2)
    last = sorted((whole.folder / "snapshots").glob("*.h5"))[-1].name
    assert last == "00000049.h5", "nine iterations after the record at 40"
    before = whole.parameters()
    for file in (whole.folder / "restart").glob(last + "*"):
        file.unlink()
    (whole.folder / "snapshots" / last).unlink()
    again = run_well(tmp_path, deck, 4, ["--resume", "require"])
    assert "resumed at iteration" in again.output
    assert [file.name for file in (again.folder / "snapshots").glob("*.h5")] == [last]
    assert np.array_equal(before, again.parameters())

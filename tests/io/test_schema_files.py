# SPDX-License-Identifier: BSD-3-Clause
"""Files written by the C++ side, read by h5py and by the schema reader."""

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import reader

PROVENANCE = ("parley_version", "git", "compiler", "bit_class", "mpi", "hdf5", "kokkos", "hosts",
              "name", "game", "method", "ranks", "agents", "seed")


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    tool = Path(os.environ["PARLEY_TOOLS"]) / "schema_files_tool.double"
    subprocess.run([tool, folder], check=True, timeout=60)
    return folder


@pytest.mark.parametrize("name", ["log.h5", "snapshots/00000300.h5", "restart/00000300.h5"])
def test_every_file_says_where_it_comes_from(run_folder, name):
    with h5py.File(run_folder / name) as file:
        assert set(PROVENANCE) <= set(file.attrs)
        assert file.attrs["name"] == "café"
        assert file.attrs["hosts"] == "one two"
        assert file.attrs["agents"] == 3 and file.attrs["agents"].dtype == np.int64
        assert file.attrs["hdf5"].count(".") == 2
        assert file["deck"].shape == ()
        assert file["deck"][()].decode() == '[run]\nname = "café"\nagents = 3\n'


def test_log(run_folder):
    with h5py.File(run_folder / "log.h5") as file:
        assert file["log/iteration"].dtype == np.int64
        assert file["log/loss_y"].dtype == np.float64
        np.testing.assert_array_equal(file["log/bytes"], [6, 106, 206, 306])
        np.testing.assert_array_equal(file["log/loss_x"], [7, 107, np.nan, 307])
        assert file["log/wall_train"].attrs["unit"] == "s"
        np.testing.assert_array_equal(file["agents/loss_x"],
                                      np.arange(4)[:, None] + np.arange(3)[None, :])
        np.testing.assert_array_equal(file["graph/edges"], [[0, 1], [0, 2], [1, 2]])
        assert file["graph/W"].shape == (3, 3)
        assert file["graph"].attrs["kind"] == "ring"
        assert file["graph"].attrs["gap"] == 0.75


def test_snapshot(run_folder):
    with h5py.File(run_folder / "snapshots/00000300.h5") as file:
        assert file.attrs["iteration"] == 300
        np.testing.assert_array_equal(file["parameters"], np.arange(21).reshape(3, 7) / 2)
        np.testing.assert_array_equal(file["mean"], -np.arange(7.0))
        assert file["mean"].dtype == np.float32
        assert [name.decode() for name in file["layout/name"]] == ["x/weight", "y"]
        np.testing.assert_array_equal(file["layout/shape"], [[2, 2, 0, 0], [3, 0, 0, 0]])
        np.testing.assert_array_equal(file["samples"].attrs["shape"], [1, 2, 2])


def test_restart(run_folder):
    with h5py.File(run_folder / "restart/00000300.h5") as file:
        np.testing.assert_array_equal(file["state/method/moments"], np.arange(21).reshape(3, 7) / 2)
        assert file["state/sampler/draw"][0] == 41
    size = (run_folder / "restart/00000300.h5").stat().st_size
    assert (run_folder / "restart/00000300.h5.sum").read_text().split()[2] == str(size)
    assert (run_folder / "restart/latest").read_text() == "00000300.h5\n"


def test_the_schema_reader_reads_them(run_folder):
    (run_folder / "deck.toml").write_text('[run]\nname = "café"\nagents = 3\n')
    run = reader.read_run(run_folder)
    assert run.last("iteration") == 300
    assert run.column("wall_total").unit == "s"
    snapshot = reader.read_snapshot(run_folder / "snapshots/00000300.h5")
    np.testing.assert_array_equal(snapshot.block("x/weight"), -np.arange(4.0).reshape(2, 2))

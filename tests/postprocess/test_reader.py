# SPDX-License-Identifier: BSD-3-Clause
"""The schema reader: values, names and units come back; what is wrong is named."""

import h5py
import numpy as np
import pytest

import reader
from postprocess import make_run


def test_run_comes_back(tmp_path):
    run = reader.read_run(make_run.write_log(tmp_path / "a", seed=7))
    assert list(run.columns)[:12] == list(reader.BASE_COLUMNS)
    assert run.measures() == ["swd"]
    assert run.column("loss_x").values.tolist() == [7, 8, 9, 10, 11]
    assert run.column("wall_train").label() == "wall_train [s]"
    assert run.column("loss_x").label() == "loss_x"
    assert run.column("bytes").meaning == "what bytes means"
    assert run.agents["loss_y"].values.shape == (5, 3)
    assert run.graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert run.graph.attributes == {"kind": "ring"}
    assert run.attributes["seed"] == 7 and run.attributes["game"] == "gan"
    assert run.parse_deck()["run"]["iterations"] == 100
    assert run.label == "a"


def test_matrices_of_a_graph_that_varies_come_back(tmp_path):
    folder = make_run.write_log(tmp_path / "a")
    with h5py.File(folder / "log.h5", "a") as file:
        del file["graph/W"]
        file["graph/W"] = np.stack([np.eye(3), np.full((3, 3), 1 / 3)])
        file["graph"].attrs["period"] = 2
    graph = reader.read_run(folder).graph
    assert graph.weights.shape == (2, 3, 3) and graph.weights[0, 0, 0] == 1
    with h5py.File(folder / "log.h5", "a") as file:
        file["graph"].attrs["period"] = 1
    with pytest.raises(reader.SchemaError, match="graph/W"):
        reader.read_run(folder)


def test_data_scale_comes_from_the_deck(tmp_path):
    assert reader.read_run(make_run.write_log(tmp_path / "a", scale="unit")).data_scale() == "unit"
    run = reader.read_run(make_run.write_log(tmp_path / "b", scale="log"))
    with pytest.raises(reader.SchemaError, match="data.scale = 'log' is none of symmetric, unit"):
        run.data_scale()


def test_last_skips_what_was_not_evaluated(tmp_path):
    run = reader.read_run(make_run.write_log(tmp_path / "a", records=4))
    assert np.isnan(run.column("swd").values[-1])
    assert run.last("swd") == pytest.approx(0.5 / 3)
    empty = reader.read_run(make_run.write_log(tmp_path / "b", records=0))
    assert np.isnan(empty.last("swd"))


def test_snapshot_blocks(tmp_path):
    folder = make_run.write_log(tmp_path / "a")
    make_run.write_snapshot(folder, 20, average=np.full(12, 0.25))
    make_run.write_snapshot(folder, 100, ema=np.full(12, 0.5))
    (folder / "snapshots" / "00000120.h5.tmp").write_text("half written")
    run = reader.read_run(folder)
    assert [iteration for iteration, _ in run.snapshots()] == [20, 100]
    snapshot = run.snapshot()
    assert snapshot.iteration == 100 and snapshot.samples is None
    assert snapshot.block("generator.0.weight", 1).tolist() == [[12, 13, 14], [15, 16, 17]]
    assert snapshot.block("generator.0.bias").tolist() == [18, 19]
    assert snapshot.block("score", "ema").tolist() == [0.5] * 4
    assert [block.player for block in snapshot.blocks] == ["x", "x", "y"]
    assert snapshot.average is None and run.snapshot(20).ema is None
    assert run.snapshot(20).block("score", "average").tolist() == [0.25] * 4


def test_snapshot_mistakes_are_named(tmp_path):
    folder = make_run.write_log(tmp_path / "a")
    with pytest.raises(reader.SchemaError, match="no snapshot yet"):
        reader.read_run(folder).snapshot()
    path = make_run.write_snapshot(folder, 20)
    with pytest.raises(reader.SchemaError, match="no snapshot 40; there are 20"):
        reader.read_run(folder).snapshot(40)
    snapshot = reader.read_snapshot(path)
    with pytest.raises(reader.SchemaError, match="no block 'x'; it has generator.0.weight"):
        snapshot.block("x")
    with pytest.raises(reader.SchemaError, match="no 'ema' parameters"):
        snapshot.block("score", "ema")
    with pytest.raises(reader.SchemaError, match="no agent 3 among 3"):
        snapshot.block("score", 3)
    with h5py.File(path, "a") as file:
        file["layout/size"][2] = 5
    with pytest.raises(reader.SchemaError, match="block score: offset 8, size 5"):
        reader.read_snapshot(path)


def test_log_mistakes_are_named(tmp_path):
    with pytest.raises(reader.SchemaError, match="no such file; is this a run folder"):
        reader.read_run(tmp_path)
    (tmp_path / "log.h5").write_bytes(b"not HDF5")
    with pytest.raises(reader.SchemaError, match="not a readable HDF5 file"):
        reader.read_run(tmp_path)
    for break_it, message in ((lambda f: f.__delitem__("log/bytes"), "no column bytes"),
                              (lambda f: f["log/bytes"].attrs.__delitem__("unit"), "'unit'"),
                              (lambda f: f.__delitem__("graph"), "graph/edges"),
                              (lambda f: f.__setitem__("log/z", np.zeros(9)), "no attribute"),
                              (lambda f: f.__setitem__("log/z", np.zeros((5, 2))), "2 dimensions")):
        folder = make_run.write_log(tmp_path / "b")
        with h5py.File(folder / "log.h5", "a") as file:
            break_it(file)
        with pytest.raises(reader.SchemaError, match=message):
            reader.read_run(folder)


def test_columns_of_other_length_are_refused(tmp_path):
    folder = make_run.write_log(tmp_path / "a", measures={"gap": np.zeros(4)})
    with pytest.raises(reader.SchemaError, match="differ in length"):
        reader.read_run(folder)


def test_dataset_is_scaled(tmp_path):
    path = make_run.write_dataset(tmp_path / "d.h5", np.array([[0, 8], [16, 4]], np.uint8), (0, 16))
    data = reader.read_dataset(path)
    assert data.scaled("symmetric").tolist() == [[-1, 0], [1, -0.5]]
    assert data.scaled("unit").tolist() == [[0, 0.5], [1, 0.25]]
    assert data.scaled("none").tolist() == [[0, 8], [16, 4]]
    assert data.labels is None and data.classes == 0
    make_run.write_dataset(path, np.zeros((2, 2)), (1, 1))
    with pytest.raises(reader.SchemaError, match="value_min 1 is not below value_max 1"):
        reader.read_dataset(path)

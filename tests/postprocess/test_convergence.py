# SPDX-License-Identifier: BSD-3-Clause
"""Convergence curves: grouping by seed, the numbers drawn, and the picture as a user gets it."""

import matplotlib.image
import numpy as np
import pytest

import convergence
import reader
from postprocess import make_run


def read_runs(*folders):
    return [reader.read_run(folder) for folder in folders]


def test_runs_group_by_seed(tmp_path):
    runs = read_runs(make_run.write_log(tmp_path / "a", seed=1),
                     make_run.write_log(tmp_path / "b", seed=2, step=0.5),
                     make_run.write_log(tmp_path / "c", seed=3))
    groups = convergence.group_runs(runs, True)
    assert [[run.label for run in members] for _, members in groups] == [["a", "c"], ["b"]]
    assert groups[0][0] == "a and 1 more seeds"
    assert len(convergence.group_runs(runs, False)) == 3


def test_band_is_median_and_range(tmp_path):
    runs = read_runs(*(make_run.write_log(tmp_path / str(seed), seed=seed, records=records)
                       for seed, records in ((1, 5), (2, 4), (9, 5))))
    curve = convergence.build_curve(runs, "wall_train", "loss_x")
    assert curve.middle.tolist() == [2, 3, 4, 5]
    assert curve.low.tolist() == [1, 2, 3, 4]
    assert curve.high.tolist() == [9, 10, 11, 12]
    assert curve.x.tolist() == [0, 2, 4, 6]


def test_curve_leaves_out_what_was_not_evaluated(tmp_path):
    run = read_runs(make_run.write_log(tmp_path / "a"))
    curve = convergence.build_curve(run, "iteration", "swd")
    assert curve.x.tolist() == [0, 40, 80]
    assert curve.middle == pytest.approx([0.5, 0.5 / 3, 0.1])
    assert curve.low is None


def test_panels(tmp_path):
    names = ("swd", "swd_ema", "modes_ema", "distance_to_solution", "gap", "gap_avg")
    measures = {name: np.ones(5) for name in names}
    run = read_runs(make_run.write_log(tmp_path / "a", measures=measures))
    panels = dict(convergence.choose_panels(run, []))
    assert panels["losses"] == ["loss_x", "loss_y"]
    assert panels["swd"] == ["swd", "swd_ema"]
    assert panels["modes"] == ["modes_ema"]
    assert panels["gap"] == ["gap", "gap_avg"]
    assert panels["distance to solution"] == ["distance_to_solution"]
    assert convergence.choose_panels(run, ["swd"]) == [("swd", ["swd"])]


@pytest.mark.parametrize("values, is_log", [([1, 0.5, 1e-3], True), ([1, 0.5, 0.2], False),
                                            ([0, 1e-5, 1e-2], True), ([1, -1e-3], False),
                                            ([0, 0], False)])
def test_log_axis(values, is_log):
    curve = convergence.Curve(np.arange(len(values)), np.array(values, float))
    assert convergence.wants_log([curve]) is is_log


def test_figure_draws_the_columns(tmp_path):
    runs = read_runs(make_run.write_log(tmp_path / "a", seed=1),
                     make_run.write_log(tmp_path / "b", seed=2))
    groups = convergence.group_runs(runs, False)
    figure = convergence.draw_figure(groups, "bytes", convergence.choose_panels(runs, []))
    losses, norm, consensus, swd = [axes for axes in figure.axes if axes.get_visible()]
    assert [line.get_label() for line in losses.lines] == ["a, loss_x", "a, loss_y",
                                                           "b, loss_x", "b, loss_y"]
    assert losses.lines[2].get_xydata().tolist() == [[4000 * k, 2 + k] for k in range(5)]
    assert norm.get_yscale() == "log" and losses.get_yscale() == "linear"
    assert swd.get_xlabel() == "bytes [B]" and swd.get_ylabel() == "swd"
    assert consensus.get_title(loc="left") == "consensus"


def test_band_is_drawn(tmp_path):
    runs = read_runs(make_run.write_log(tmp_path / "a", seed=1),
                     make_run.write_log(tmp_path / "b", seed=2))
    figure = convergence.draw_figure(convergence.group_runs(runs, True), "iteration",
                                     [("loss_x", ["loss_x"])])
    (band,) = figure.axes[0].collections
    outline = band.get_paths()[0].vertices
    assert outline[:, 1].min() == 1 and outline[:, 1].max() == 6
    assert figure.axes[0].lines[0].get_ydata().tolist() == [1.5, 2.5, 3.5, 4.5, 5.5]


def test_command_writes_and_names_the_picture(tmp_path, capsys):
    run = make_run.write_log(tmp_path / "a")
    assert convergence.main([str(run), "--x", "wall"]) == 0
    path = run / "convergence.png"
    assert capsys.readouterr().out == f"{path}\n"
    picture = matplotlib.image.imread(path)
    assert picture.shape[1] > 900 and picture[..., :3].std() > 0.05


def test_command_on_runs_without_rows_and_with_one(tmp_path):
    for records in (0, 1):
        run = make_run.write_log(tmp_path / str(records), records=records)
        assert convergence.main([str(run), "-o", str(tmp_path / "p.png")]) == 0
        assert (tmp_path / "p.png").stat().st_size > 5000


def test_command_refuses(tmp_path, capsys):
    run = make_run.write_log(tmp_path / "a")
    assert convergence.main([str(tmp_path / "none")]) == 2
    assert "no such file" in capsys.readouterr().err
    assert convergence.main([str(run), "--y", "swdd"]) == 2
    assert "no column 'swdd'; it has iteration" in capsys.readouterr().err
    assert convergence.main([str(run), "-o", str(tmp_path / "no" / "p.png")]) == 2
    assert "cannot write" in capsys.readouterr().err

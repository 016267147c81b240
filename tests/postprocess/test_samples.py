# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of samples: every pixel of the grid is the sample's, the scatter holds the points."""

import matplotlib.image
import numpy as np
import pytest

import reader
import samples
from postprocess import make_run


def read_png(path):
    return np.rint(matplotlib.image.imread(path)[..., :3] * 255).astype(int)


def test_picture_holds_the_samples_pixel_by_pixel(tmp_path, capsys):
    draws = np.random.default_rng(1).uniform(-1, 1, (6, 1, 4, 5))
    real = np.random.default_rng(2).integers(0, 17, (9, 1, 4, 5)).astype(np.uint8)
    run = make_run.write_log(tmp_path / "a")
    make_run.write_snapshot(run, 40, draws, (1, 4, 5))
    data = make_run.write_dataset(tmp_path / "d.h5", real, (0, 16))
    output = tmp_path / "p.png"
    assert samples.main([str(run), "-o", str(output), "--data", str(data), "--rows", "2",
                         "--columns", "3", "--zoom", "7"]) == 0
    assert capsys.readouterr().out == f"{output}\n"
    picture = read_png(output)
    height, width = 2 * 5 * 7 - 7, 3 * 6 * 7 - 7
    assert picture.shape[:2] == (height + samples.TITLE + samples.MARGIN,
                                 2 * width + 3 * samples.MARGIN)
    for panel, images in enumerate((np.rint((draws + 1) * 127.5), np.rint(real / 16 * 255))):
        for i in range(6):
            top = samples.TITLE + i // 3 * 35
            left = samples.MARGIN + panel * (width + samples.MARGIN) + i % 3 * 42
            seen = picture[top:top + 28, left:left + 35]
            expected = np.kron(images[i, 0], np.ones((7, 7)))[..., None]
            assert np.abs(seen - expected).max() <= 1, (panel, i)


def test_colour_images_and_clipping():
    images = np.zeros((1, 3, 1, 2))
    images[0, :, 0, 0] = [-1, 0, 1]
    images[0, :, 0, 1] = [-3, 1, 3]
    assert samples.colour_images(images, (-1, 1))[0, 0].tolist() == [[0, 128, 255],
                                                                     [0, 255, 255]]
    with pytest.raises(reader.SchemaError, match="images of 2 channels"):
        samples.colour_images(np.zeros((1, 2, 4, 4)), (0, 1))


@pytest.mark.parametrize("scale, with_data, span", [
    ("symmetric", True, (-1, 1)), ("unit", True, (0, 1)), ("none", True, (0, 16)),
    ("none", False, (2, 5))])
def test_grey_levels_follow_the_decks_scale(tmp_path, scale, with_data, span):
    run = make_run.write_log(tmp_path / "a", scale=scale)
    draws = np.array([[2.0, 3.0], [4.0, 5.0]]).reshape(1, 1, 2, 2)
    snapshot = reader.read_snapshot(make_run.write_snapshot(run, 20, draws, (1, 2, 2)))
    path = make_run.write_dataset(tmp_path / "d.h5", np.full((3, 1, 2, 2), 4), (0, 16))
    real = reader.read_dataset(path) if with_data else None
    assert reader.read_run(run).data_scale() == scale
    assert samples.choose_span(snapshot, real, scale) == span
    assert samples.main([str(run), "--data", str(path), "--rows", "1", "--columns", "1",
                         "--zoom", "1"]) == 0
    assert read_png(run / "samples.png")[samples.TITLE, -samples.MARGIN - 1].tolist() == [64] * 3


def test_fewer_images_than_places_leave_white():
    canvas = samples.tile_images(np.zeros((2, 3, 3, 3), np.uint8), (2, 2), 2)
    assert canvas.shape == (14, 14, 3)
    assert (canvas[:6, :6] == 0).all() and (canvas[:6, 8:] == 0).all()
    assert (canvas[:6, 6:8] == samples.LINE).all()
    assert (canvas[8:] == 255).all()


def test_scatter_holds_the_points(tmp_path):
    points = np.random.default_rng(3).normal(size=(50, 2)).astype(np.float32)
    run = make_run.write_log(tmp_path / "a")
    path = make_run.write_snapshot(run, 40, points, (2,))
    figure = samples.draw_scatter(reader.read_snapshot(path), None, "none")
    assert np.asarray(figure.axes[0].collections[0].get_offsets()).tolist() == points.tolist()
    assert "iteration 40" in figure.axes[0].get_title(loc="left")
    assert samples.main([str(run)]) == 0
    assert (run / "samples.png").stat().st_size > 5000


def test_last_or_chosen_snapshot(tmp_path, capsys):
    run = make_run.write_log(tmp_path / "a")
    make_run.write_snapshot(run, 20, np.full((4, 1, 2, 2), -1), (1, 2, 2))
    make_run.write_snapshot(run, 40, np.full((4, 1, 2, 2), 1), (1, 2, 2))
    for choice, colour in (([], 255), (["--iteration", "20"], 0)):
        assert samples.main([str(run), "--rows", "1", "--columns", "1", *choice]) == 0
        picture = read_png(run / "samples.png")
        assert (picture[samples.TITLE:-samples.MARGIN, samples.MARGIN:-samples.MARGIN]
                == colour).all()
    assert samples.main([str(run), "--iteration", "30"]) == 2
    assert "no snapshot 30; there are 20, 40" in capsys.readouterr().err


def test_command_refuses(tmp_path, capsys):
    run = make_run.write_log(tmp_path / "a")
    make_run.write_snapshot(run, 20)
    assert samples.main([str(run)]) == 2
    assert "no samples" in capsys.readouterr().err
    make_run.write_snapshot(run, 40, np.zeros((4, 1, 2, 2)), (1, 2, 2))
    data = make_run.write_dataset(tmp_path / "d.h5", np.zeros((3, 5)), (0, 1))
    assert samples.main([str(run), "--data", str(data)]) == 2
    assert "rows of shape (5,)" in capsys.readouterr().err
    make_run.write_snapshot(run, 60, np.zeros((4, 7)), (7,))
    assert samples.main([str(run)]) == 2
    assert "samples of shape (7,)" in capsys.readouterr().err

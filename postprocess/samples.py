#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generated samples of a snapshot: a grid of images beside real ones, or a scatter of 2-D points.

Samples are as the game sees them; the deck's data.scale tells which value is black and which white.
Must not know networks or training.
"""

import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import reader
import style

MARGIN, TITLE = 12, 40  # pixels around a panel, and for its title
DPI = 100
LINE = 64  # grey level of the lines between images


def colour_images(images, span):
    """n x C x H x W -> n x H x W x 3 uint8, span = (black, white); one channel becomes grey."""
    channels = images.shape[1]
    if channels not in (1, 3):
        raise reader.SchemaError(f"images of {channels} channels: only 1 or 3 can be drawn")
    levels = 255 * (images.astype(float) - span[0]) / (span[1] - span[0])
    pixels = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    return np.repeat(pixels, 3 // channels, axis=1).transpose(0, 2, 3, 1)


def tile_images(images, grid, zoom):
    """One uint8 canvas (height x width x 3): rows x columns of images, each pixel zoom x zoom.

    A dark line of zoom pixels separates the images; empty places stay white.
    """
    rows, columns = grid
    images = images.repeat(zoom, axis=1).repeat(zoom, axis=2)
    height, width = images.shape[1] + zoom, images.shape[2] + zoom
    canvas = np.full((rows * height - zoom, columns * width - zoom, 3), 255, np.uint8)
    for i, image in enumerate(images[:rows * columns]):
        top, left = i // columns * height, i % columns * width
        frame = canvas[max(top - zoom, 0):top + height, max(left - zoom, 0):left + width]
        frame[:] = LINE
        canvas[top:top + height - zoom, left:left + width - zoom] = image
    return canvas


def draw_panels(panels):
    """The figure of [(title, canvas)] side by side; every canvas pixel is a pixel of the PNG."""
    height = max(canvas.shape[0] for _, canvas in panels) + TITLE + MARGIN
    width = sum(canvas.shape[1] + MARGIN for _, canvas in panels) + MARGIN
    # matplotlib cuts inches times dpi to whole pixels: keep round-off on the upper side.
    figure = plt.figure(figsize=((width + 0.01) / DPI, (height + 0.01) / DPI), dpi=DPI)
    left = MARGIN
    for title, canvas in panels:
        figure.figimage(canvas, left, height - TITLE - canvas.shape[0], origin="upper")
        figure.text(left / width, 1 - 0.5 * TITLE / height, title, va="center", fontsize=10)
        left += canvas.shape[1] + MARGIN
    return figure


def choose_span(snapshot, real, scale):
    """(black, white) as the game sees them: by data.scale, or the range of data or samples."""
    if reader.SPANS[scale] is not None:
        return reader.SPANS[scale]
    if real is not None:
        return real.value_range
    low, high = float(snapshot.samples.min()), float(snapshot.samples.max())
    return (low, high) if low < high else (low, low + 1)


def draw_images(snapshot, real, scale, options):
    """Generated images, and real ones beside them where there are any."""
    count = options.rows * options.columns
    zoom = options.zoom or max(1, 48 // snapshot.sample_shape[1])
    parts = [(f"generated ({snapshot.sample_source}), iteration {snapshot.iteration}",
              snapshot.samples.reshape(-1, *snapshot.sample_shape))]
    if real is not None:
        if real.values.shape[1:] != snapshot.sample_shape:
            raise reader.SchemaError(f"{real.path}: rows of shape {real.values.shape[1:]}, but the "
                                     f"samples have {snapshot.sample_shape}; give the data set of "
                                     "this run")
        parts.append(("real", real.scaled(scale)))
    grid, span = (options.rows, options.columns), choose_span(snapshot, real, scale)
    return draw_panels([(title, tile_images(colour_images(images[:count], span), grid, zoom))
                        for title, images in parts])


def draw_scatter(snapshot, real, scale):
    """Generated points over real ones, both axes alike."""
    if real is not None and real.values.shape[1:] != (2,):
        raise reader.SchemaError(f"{real.path}: rows of shape {real.values.shape[1:]}, but the "
                                 "samples are points of the plane")
    figure, axes = plt.subplots(figsize=(5.4, 5.2), layout="constrained")
    if real is not None:
        axes.scatter(*real.scaled(scale)[:len(snapshot.samples)].T, s=6, alpha=0.5, linewidths=0,
                     color=style.COLOURS[1], label="real")
    axes.scatter(*snapshot.samples.T, s=6, alpha=0.5, linewidths=0, color=style.COLOURS[0],
                 label=f"generated ({snapshot.sample_source})")
    axes.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    axes.set_title(f"{len(snapshot.samples)} samples, iteration {snapshot.iteration}", loc="left")
    axes.legend(loc="upper right", markerscale=3)
    return figure


def plot_samples(options):
    """Reads the snapshot, draws and saves."""
    run = reader.read_run(options.run)
    snapshot, scale = run.snapshot(options.iteration), run.data_scale()
    if snapshot.samples is None:
        raise reader.SchemaError(f"{snapshot.path}: no samples; only a gan writes them, when "
                                 "record.samples is above 0")
    real = reader.read_dataset(options.data) if options.data else None
    style.apply_style()
    if len(snapshot.sample_shape) == 3:
        figure = draw_images(snapshot, real, scale, options)
        plt.rcParams["savefig.dpi"] = DPI
    elif snapshot.sample_shape == (2,):
        figure = draw_scatter(snapshot, real, scale)
    else:
        raise reader.SchemaError(f"{snapshot.path}: samples of shape {snapshot.sample_shape}; only "
                                 "images (C, H, W) and points of the plane can be drawn")
    style.save_figure(figure, options.output or options.run / "samples.png")


def positive(text):
    """An integer of at least 1 from the command line."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is below 1")
    return value


def main(arguments=None):
    """Exit code: 0 drawn, 2 a run that cannot be read or a wrong command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("-o", "--output", type=Path, help="PNG (default: samples.png in RUN)")
    parser.add_argument("--data", type=Path, help="data set file with the real samples")
    parser.add_argument("--iteration", type=int, help="of the snapshot (default: the last)")
    parser.add_argument("--rows", type=positive, default=8, help="of images (default 8)")
    parser.add_argument("--columns", type=positive, default=10, help="of images (default 10)")
    parser.add_argument("--zoom", type=positive, help="pixels of the picture per image pixel")
    return style.run_script(plot_samples, parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Looks and endings that the scripts share. Must not know the schema's content."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)

import reader  # noqa: E402

# Okabe and Ito (2008): tells apart under every common colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
DASHES = ("-", "--", ":", "-.")


def apply_style():
    """Quiet axes and readable sizes for every figure."""
    plt.rcParams.update({
        "axes.grid": True, "axes.spines.right": False, "axes.spines.top": False,
        "axes.titlesize": 11, "figure.dpi": 120, "font.size": 9.5,
        "grid.alpha": 0.3, "legend.fontsize": 8, "legend.frameon": False, "lines.linewidth": 1.4,
        "savefig.dpi": 120})


def save_figure(figure, path):
    """Writes the picture and prints its path. SchemaError where the folder cannot be written."""
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise reader.SchemaError(f"{path}: cannot write the picture ({error})") from error
    plt.close(figure)
    print(path)


def run_script(work, options):
    """Calls work(options); the exit code: 0, or 2 with the message of a SchemaError."""
    try:
        work(options)
    except reader.SchemaError as error:
        print(error, file=sys.stderr)
        return 2
    return 0

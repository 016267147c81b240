#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every variant of a deck, draws them side by side and says in a caption what is seen.

DECK's neighbour NAME.figure.toml names the panels, the looks of the lines, the numbers that are
taken from the logs and the caption that quotes them. A finished run is used again as long as deck,
variant, ranks, data files and solver are the same. Must not know any particular game or method.
"""

import argparse
import math
import os
import re
import shutil
import sys
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import convergence
import reader
import style
import study_plan
import study_runs
import summary

CAPTION_SIZE = 8.5  # points
PANEL_WIDTH, PANEL_HEIGHT = 4.8, 3.1  # inches


# --- numbers and caption -----------------------------------------------------------------------

def take_value(run, spec):
    """One number of one run, as [numbers] asks for it; NaN where the bound was never passed."""
    values = run.column(spec.column).values
    if spec.below is not None:
        met = np.flatnonzero(values < spec.below)
        return float(run.column(spec.at).values[met[0]]) if len(met) else math.nan
    if spec.take == "tail":
        return float(np.nanmedian(values[-max(1, len(values) // 4):]))
    return run.last(spec.column) if spec.take == "last" else float(np.nanmin(values))


def compute_number(plan, groups, name, variant):
    """The number of a variant, the median over its seeds; NaN for what was never reached."""
    spec = plan.numbers[name]
    if not spec.ratio:
        return float(np.median([take_value(run, spec) for run in groups[variant]]))
    own, other = (compute_number(plan, groups, spec.ratio, of)
                  for of in (variant, spec.to or spec.of))
    upper, lower = (own, other) if spec.to else (other, own)
    return upper / lower if lower else math.nan


def write_caption(plan, groups):
    """The caption with its numbers, one line per paragraph."""
    text = ""
    for before, name, variant, form in plan.quotes:
        text += before
        if name:
            value = compute_number(plan, groups, name, variant)
            text += "never" if math.isnan(value) else format(value, form)
    return "\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def wrap_caption(caption, letters):
    """The caption in lines of at most so many letters."""
    wrapper = textwrap.TextWrapper(letters, break_on_hyphens=False)
    return "\n".join(line for part in caption.splitlines() for line in wrapper.wrap(part))


# --- the picture -------------------------------------------------------------------------------

def draw_panel(axes, plan, panel, groups):
    """One panel: every variant that it asks for, looking as [lines] says."""
    curves = []
    for variant in panel.variants:
        runs = groups[variant]
        curves.append(convergence.build_curve(runs, panel.x, panel.y))
        line = plan.line_of(variant)
        convergence.draw_curve(axes, curves[-1], style.COLOURS[line.colour % len(style.COLOURS)],
                               style.DASHES[line.dash % len(style.DASHES)], line.label)
    first = groups[panel.variants[0]][0]
    convergence.finish_axes(axes, curves, first.column(panel.x).label(),
                            first.column(panel.y).label())
    axes.set_title(panel.title, loc="left")
    axes.set_xscale(panel.x_scale)
    if panel.x_limits:
        axes.set_xlim(panel.x_limits)
    if panel.y_limits:
        axes.set_ylim(panel.y_limits)


def draw_legends(grid):
    """A legend in each panel whose lines an earlier panel has not explained."""
    explained = []
    for axes in grid:
        labels = axes.get_legend_handles_labels()[1]
        if labels not in explained:
            explained.append(labels)
            axes.legend()


def draw_figure(plan, groups, caption):
    """The figure: the panels in rows, the caption below them."""
    columns = min(plan.columns, len(plan.panels))
    rows = -(-len(plan.panels) // columns)
    width = PANEL_WIDTH * columns
    text = wrap_caption(caption, int(width * 72 / (0.54 * CAPTION_SIZE)))
    below = ((text.count("\n") + 1) * 1.35 * CAPTION_SIZE + 10) / 72
    height = PANEL_HEIGHT * rows + 0.4 + below
    figure, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                figsize=(width, height))
    figure.get_layout_engine().set(rect=(0, below / height, 1, 1 - below / height), hspace=0.02)
    for axes, panel in zip(grid.flat, plan.panels):
        draw_panel(axes, plan, panel, groups)
    draw_legends(grid.flat[:len(plan.panels)])
    for axes in grid.flat[len(plan.panels):]:
        axes.set_visible(False)
    figure.suptitle(plan.title, x=0.01, ha="left", fontsize=12)
    figure.text(0.012, (below - 4 / 72) / height, text, va="top", linespacing=1.35,
                fontsize=CAPTION_SIZE, parse_math=False)
    return figure


# --- the table ---------------------------------------------------------------------------------

def build_table(plan, groups, outcomes):
    """Text: one line per variant with its cost and the last values of what is drawn (medians)."""
    drawn = list(dict.fromkeys(panel.y for panel in plan.panels))
    names = ["iteration", *summary.COSTS, *drawn]
    labels = {name: run.columns[name].label() for runs in groups.values() for run in runs
              for name in names if name in run.columns}
    rows = [["variant", "runs", *(labels[name] for name in names), "end"]]
    for variant, runs in groups.items():
        cells = [np.median([run.last(name) for run in runs]) if name in runs[0].columns
                 else math.nan for name in names]
        ends = sorted({outcomes[run.path] for run in runs})
        rows.append([variant, str(len(runs)), *map(summary.format_number, cells),
                     ", ".join(study_runs.ENDS[end] for end in ends)])
    first, *others = zip(*rows)
    return summary.transpose_table(first, others)


# --- the command -------------------------------------------------------------------------------

def find_parley(given):
    """The solver: as given, or the one built in this repository, or the one in PATH."""
    built = Path(__file__).resolve().parents[1] / "build/release/parley"
    found = shutil.which(given or (built if built.exists() else "parley"))
    if not found:
        raise reader.SchemaError(f"{given or 'parley'}: no such program; build it, or give "
                                 "--parley BIN")
    return Path(found).resolve()


def make_study(options):
    """Runs what is missing, then writes picture, caption and table."""
    plan = study_plan.read_plan(options.deck, options.figure)
    folder = options.runs or Path("runs") / options.deck.stem
    ranks = options.ranks or plan.ranks
    request = study_runs.Request(options.deck, folder.resolve(), find_parley(options.parley), ranks,
                                 options.set, options.fresh)
    jobs = options.jobs or max(1, (os.cpu_count() or 1) // ranks)
    groups, outcomes = study_runs.run_variants(request, plan, jobs)
    caption = write_caption(plan, groups)
    table = build_table(plan, groups, outcomes)
    sys.stdout.write(f"\n{table}\n{wrap_caption(caption, 100)}\n\n")
    output = options.out or folder / f"{options.deck.stem}.png"
    style.apply_style()
    style.save_figure(draw_figure(plan, groups, caption), output)
    text = output.with_suffix(".txt")
    text.write_text(f"{plan.title}\n\n{caption}\n\n{table}", encoding="utf-8")
    print(text)


def main(arguments=None):
    """Exit code: 0 drawn, 2 a wrong command line, deck, figure file or a run that failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deck", type=Path, metavar="DECK")
    parser.add_argument("--figure", type=Path, help="default: NAME.figure.toml beside DECK")
    parser.add_argument("--parley", metavar="BIN", help="default: build/release/parley, or PATH")
    parser.add_argument("--ranks", type=study_plan.positive, metavar="N",
                        help="mpirun each variant on N ranks (default: the figure file's)")
    parser.add_argument("--runs", type=Path, metavar="FOLDER",
                        help="of the run folders (default: runs/NAME)")
    parser.add_argument("-o", "--out", type=Path, metavar="PNG",
                        help="default: NAME.png in that folder; the caption goes beside it")
    parser.add_argument("--jobs", type=study_plan.positive, metavar="N",
                        help="variants that run at once (default: cores / ranks)")
    parser.add_argument("--set", action="append", default=[], metavar="K=V",
                        help="override a key of the deck in every variant")
    parser.add_argument("--fresh", action="store_true", help="run again what is there already")
    return style.run_script(make_study, parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())

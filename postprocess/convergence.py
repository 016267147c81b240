#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Convergence curves of one or several runs: losses, field norm, consensus and the game's measures.

Reads the log only; works on runs that are still going on. Must not know any particular game.
"""

import argparse
import dataclasses
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import reader
import style

X_COLUMNS = {"iteration": "iteration", "wall": "wall_train", "bytes": "bytes"}
LOG_SPREAD = 30.0  # a positive quantity that moves by more than this factor gets a log axis


@dataclasses.dataclass
class Curve:
    """One quantity of one run or group over x; low and high are None without a band."""

    x: np.ndarray
    middle: np.ndarray
    low: np.ndarray = None
    high: np.ndarray = None


def drop_seeds(deck):
    """The deck without what may differ within a band: seeds, the run's name and its output."""
    if not isinstance(deck, dict):
        return deck
    return {key: drop_seeds(value) for key, value in deck.items() if key != "seed"}


def group_runs(runs, band):
    """[(label, runs)]: each run alone, or with band the runs whose decks differ only by seed."""
    if not band:
        return [(run.label, [run]) for run in runs]
    groups = []
    for run in runs:
        deck = drop_seeds(run.parse_deck())
        deck["run"] = {key: value for key, value in deck.get("run", {}).items()
                       if key not in ("name", "output")}
        for known, members in groups:
            if known == deck:
                members.append(run)
                break
        else:
            groups.append((deck, [run]))
    return [(members[0].label if len(members) == 1
             else f"{members[0].label} and {len(members) - 1} more seeds", members)
            for _, members in groups]


def build_curve(runs, x_name, y_name):
    """The Curve of one group: at the iterations that all its runs have and evaluated.

    x is the median over the runs too, since wall times differ from seed to seed.
    """
    tables = []
    for run in runs:
        y = run.column(y_name).values
        rows = zip(run.column("iteration").values, run.column(x_name).values, y)
        tables.append({int(k): (x, value) for k, x, value in rows if np.isfinite(value)})
    common = sorted(set.intersection(*(set(table) for table in tables)))
    x = np.array([[table[k][0] for k in common] for table in tables], float)
    y = np.array([[table[k][1] for k in common] for table in tables], float)
    if len(runs) == 1:
        return Curve(x[0], y[0])
    return Curve(np.median(x, axis=0), np.median(y, axis=0), y.min(axis=0), y.max(axis=0))


def choose_panels(runs, chosen):
    """[(title, column names)]: one panel for each chosen column, or the standard ones.

    Measures that differ only by the ending _x, _y, _ema or _avg share a panel.
    """
    if chosen:
        return [(name, [name]) for name in chosen]
    panels = {"losses": ["loss_x", "loss_y"], "field norm": ["field_norm"],
              "consensus": ["consensus_x", "consensus_y"]}
    for run in runs:
        for name in run.measures():
            stem = name
            for ending in ("_x", "_y", "_ema", "_avg"):
                stem = stem.removesuffix(ending)
            members = panels.setdefault(stem.replace("_", " "), [])
            if name not in members:
                members.append(name)
    return list(panels.items())


def wants_log(curves):
    """True when the finite values are positive (zeros aside) and spread widely."""
    values = np.concatenate([curve.middle for curve in curves] or [[]])
    positive = values[values > 0]
    if len(positive) == 0 or (values < 0).any():
        return False
    return bool(positive.max() > LOG_SPREAD * positive.min())


def draw_curve(axes, curve, colour, dashes, label):
    """A line, with a marker when there is one point only, and the band where there is one."""
    marker = "o" if len(curve.x) == 1 else None
    axes.plot(curve.x, curve.middle, dashes, color=colour, label=label, marker=marker,
              markersize=4)
    if curve.low is not None:
        axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)


def finish_axes(axes, curves, x_label, y_label):
    """Labels, the scale that suits the curves' values, and a word where there are none."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    if wants_log(curves):
        axes.set_yscale("log", nonpositive="mask")
    if not any(len(curve.x) for curve in curves):
        axes.text(0.5, 0.5, "no values yet", transform=axes.transAxes, ha="center", color="0.4")
    axes.margins(x=0.02)


def draw_panel(axes, groups, x_name, panel):
    """One panel: colours tell groups apart and dashes columns; alone, colours tell columns."""
    title, names = panel
    curves, label = [], ""
    for g, (group, runs) in enumerate(groups):
        for n, name in enumerate(names):
            if not all(name in run.columns for run in runs):
                continue
            label = label or runs[0].column(name).label()
            curve = build_curve(runs, x_name, name)
            curves.append(curve)
            alone = len(groups) == 1
            parts = [] if alone else [group]
            parts += [name] if len(names) > 1 or alone else []
            draw_curve(axes, curve, style.COLOURS[(n if alone else g) % len(style.COLOURS)],
                       "-" if alone else style.DASHES[n % len(style.DASHES)], ", ".join(parts))
    axes.set_title(title, loc="left")
    finish_axes(axes, curves, groups[0][1][0].column(x_name).label(),
                label if len(names) == 1 else label.replace(names[0], title))


def draw_figure(groups, x_name, panels):
    """The figure of all panels, with one legend per panel where it tells something."""
    columns = 2 if len(panels) == 4 else min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                figsize=(4.2 * columns, 0.5 + 3.0 * rows))
    for axes, panel in zip(grid.flat, panels):
        draw_panel(axes, groups, x_name, panel)
        if len(axes.get_legend_handles_labels()[0]) > 1:
            axes.legend()
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    first = groups[0][1][0].attributes
    title = [str(first.get(key, "")) for key in ("game", "method")]
    if len(groups) == 1:
        title = [groups[0][0]] + title + [f"{first.get('agents', '?')} agents"]
        if len(groups[0][1]) > 1:
            title.append("median and range over seeds")
        figure.suptitle(", ".join(filter(None, title)), x=0.01, ha="left", fontsize=12)
    return figure


def plot_runs(options):
    """Reads the runs, draws and saves."""
    runs = [reader.read_run(path) for path in options.runs]
    for name in options.y:
        if not any(name in run.columns for run in runs):
            runs[0].column(name)
    groups = group_runs(runs, options.band)
    style.apply_style()
    figure = draw_figure(groups, X_COLUMNS[options.x], choose_panels(runs, options.y))
    style.save_figure(figure, options.output or options.runs[0] / "convergence.png")


def main(arguments=None):
    """Exit code: 0 drawn, 2 a run that cannot be read or a wrong command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("-o", "--output", type=Path, help="PNG (default: convergence.png in RUN)")
    parser.add_argument("--x", choices=X_COLUMNS, default="iteration")
    parser.add_argument("--y", nargs="+", default=[], metavar="COLUMN",
                        help="these columns instead of the standard panels")
    parser.add_argument("--band", action="store_true",
                        help="runs that differ only by seed become a median and its range")
    return style.run_script(plot_runs, parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Text table of runs: how far each is, its cost, and the last value of every measure.

Reads the log only; works on runs that are still going on. Must not know any particular game.
"""

import argparse
import math
import sys
from pathlib import Path

import reader

NOTES = ("game", "method", "agents", "ranks", "seed")
COSTS = ("wall_train", "oracle_calls", "rounds", "bytes")
FINALS = ("loss_x", "loss_y", "field_norm", "consensus_x", "consensus_y")


def format_number(value):
    """At most five significant digits; a dash for what was never evaluated."""
    return "-" if math.isnan(value) else f"{value:.5g}"


def describe_progress(run):
    """"done/planned" iterations; the planned ones only where the deck names them."""
    done = run.last("iteration")
    planned = run.parse_deck().get("run", {}).get("iterations")
    done = "0" if math.isnan(done) else f"{done:.0f}"
    return done if planned is None else f"{done}/{planned}"


def build_rows(runs):
    """(header, rows) of text: one row per run, one column per note, cost and measure."""
    names = [*COSTS, *FINALS]
    labels = {}
    for run in runs:
        names += [name for name in run.measures() if name not in names]
        labels.update({name: column.label() for name, column in run.columns.items()})
    header = ["run", *NOTES, "iteration", *(labels[name] for name in names)]
    rows = []
    for run in runs:
        cells = [run.label, *(str(run.attributes.get(note, "-")) for note in NOTES),
                 describe_progress(run)]
        cells += [format_number(run.last(name)) if name in run.columns else "-" for name in names]
        rows.append(cells)
    return header, rows


def transpose_table(header, rows):
    """The table turned: one line per quantity and one column per run, which fits a terminal."""
    lines = list(zip(header, *rows))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]),
                   *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))])
        for line in lines) + "\n"


def summarize(options):
    """Reads the runs and prints the table, or writes it and prints the path."""
    text = transpose_table(*build_rows([reader.read_run(path) for path in options.runs]))
    if options.output is None:
        sys.stdout.write(text)
        return
    try:
        options.output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise reader.SchemaError(f"{options.output}: cannot write ({error.strerror})") from error
    print(options.output)


def main(arguments=None):
    """Exit code: 0 printed, 2 a run that cannot be read or a wrong command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("-o", "--output", type=Path, help="file instead of the terminal")
    try:
        summarize(parser.parse_args(arguments))
    except reader.SchemaError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

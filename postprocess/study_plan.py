# SPDX-License-Identifier: BSD-3-Clause
"""What a study draws: the figure file beside a deck, read and checked before anything runs.

    title, caption       texts; the caption quotes [numbers] as {NAME[VARIANT]:.2g}
    columns, ranks       panels in a row (2); ranks on which the variants run (1)
    seeds                run.seed of repeated runs: median and range are drawn (absent: one run)
    [[panels]]           title, x and y (columns of the log), variants (names, * and ? match);
                         x_scale = "log", x_limits, y_limits
    [lines."PATTERN"]    label, colour and dash (numbers) of the variants that the first matching
                         pattern names
    [numbers]            what the caption may quote of every variant:
                         NAME = { column, take = "last" | "min" | "tail" }, tail: the
                         median over the last quarter of the records
                         NAME = { column, below, at }: the value of column `at` at the first record
                         where `column` is below the bound
                         NAME = { ratio = "NAME", to = "VARIANT" }: over that of VARIANT
                         NAME = { ratio = "NAME", of = "VARIANT" }: that of VARIANT over it

Must not know how runs are made or drawn.
"""

import argparse
import dataclasses
import re
import string
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import reader


@dataclasses.dataclass
class Panel:
    """One pair of axes; variants: the names after matching, in the deck's order."""

    x: str
    y: str
    title: str = ""
    variants: list = dataclasses.field(default_factory=lambda: ["*"])
    x_scale: str = "linear"
    x_limits: list = None
    y_limits: list = None


@dataclasses.dataclass
class Line:
    """How a variant looks: colour and dash are numbers of style.COLOURS and style.DASHES."""

    label: str
    colour: int = 0
    dash: int = 0


@dataclasses.dataclass
class NumberSpec:
    """Where a number of the caption comes from, for every variant alike."""

    column: str = ""
    take: str = "last"
    below: float = None
    at: str = ""
    ratio: str = ""
    to: str = ""
    of: str = ""


@dataclasses.dataclass
class Plan:
    """A figure file that fits its deck; deck: the parsed deck; variants: their names.

    quotes: [(text, number's name, variant, format)], the caption cut at what it quotes; the last
    text may stand alone, with None for the rest.
    """

    path: Path
    deck: dict
    variants: list
    title: str
    columns: int
    ranks: int
    seeds: list
    panels: list
    lines: dict
    numbers: dict
    quotes: list

    def line_of(self, variant):
        """The Line of the first pattern that matches; alone it is labelled by its name."""
        for pattern, line in self.lines.items():
            if fnmatchcase(variant, pattern):
                return line
        return Line(variant, self.variants.index(variant))

    def columns_of(self, variant):
        """[(column, where it is asked for)] that the logs of this variant must have."""
        asked = [(name, f"panel {p + 1}") for p, panel in enumerate(self.panels)
                 if variant in panel.variants for name in (panel.x, panel.y)]
        for _, number, quoted, _ in self.quotes:
            while number and self.numbers[number].ratio:
                spec = self.numbers[number]
                number, quoted = spec.ratio, quoted if quoted == variant else spec.to or spec.of
            if number and quoted == variant:
                spec = self.numbers[number]
                asked += [(name, f"number {number}") for name in (spec.column, spec.at) if name]
        return asked


def positive(text):
    """An integer of at least 1 from the command line."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is below 1")
    return value


def read_toml(path):
    """The file as nested dicts; SchemaError names the file and the place."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise reader.SchemaError(f"{path}: {error.strerror}; check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise reader.SchemaError(f"{path}: not TOML: {error}") from error


def make_part(kind, table, where):
    """The dataclass from a TOML table; SchemaError on unknown, missing or mistyped keys."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if not isinstance(table, dict):
        raise reader.SchemaError(f"{where}: must be a table with {', '.join(fields)}")
    for key, value in table.items():
        if key not in fields:
            raise reader.SchemaError(f"{where}: unknown key {key!r}; it may have "
                                     f"{', '.join(fields)}")
        wanted = fields[key].type
        if not isinstance(value, (int, float) if wanted is float else wanted):
            raise reader.SchemaError(f"{where}: {key} = {value!r} must be of type "
                                     f"{wanted.__name__}")
    missing = [key for key, field in fields.items() if key not in table
               and field.default is field.default_factory is dataclasses.MISSING]
    if missing:
        raise reader.SchemaError(f"{where}: {', '.join(missing)} is missing")
    return kind(**table)


def match_variants(patterns, variants, where):
    """The names that match a pattern, in the deck's order; each pattern must match one."""
    for pattern in patterns:
        if not any(fnmatchcase(name, str(pattern)) for name in variants):
            raise reader.SchemaError(f"{where}: no variant {pattern!r} in the deck; it has "
                                     f"{', '.join(variants)}")
    return [name for name in variants if any(fnmatchcase(name, p) for p in patterns)]


def check_number(spec, known, variants, where):
    """A number needs a column, or a number above it and a variant to compare with."""
    if spec.ratio:
        if spec.ratio not in known:
            raise reader.SchemaError(f"{where}: ratio = {spec.ratio!r} must name a number above "
                                     f"it: {', '.join(known) or 'none yet'}")
        if bool(spec.to) == bool(spec.of):
            raise reader.SchemaError(f"{where}: a ratio needs a variant, as `to` or as `of`")
        check_variant(spec.to or spec.of, variants, where)
        return
    if not spec.column:
        raise reader.SchemaError(f"{where}: needs a column, or a ratio")
    if spec.take not in ("last", "min", "tail"):
        raise reader.SchemaError(f"{where}: take = {spec.take!r} must be last, min or tail")
    if (spec.below is None) != (not spec.at):
        raise reader.SchemaError(f"{where}: below and at go together: the value of column `at` at "
                                 "the first record below the bound")


def check_variant(name, variants, where):
    """SchemaError where the deck has no such variant."""
    if name not in variants:
        raise reader.SchemaError(f"{where}: no variant {name!r} in the deck; it has "
                                 f"{', '.join(variants)}")


def parse_caption(caption, numbers, variants, where):
    """The caption as Plan.quotes; SchemaError on what it cannot quote."""
    try:
        parts = list(string.Formatter().parse(caption))
    except ValueError as error:
        raise reader.SchemaError(f"{where}: {error}; write {{{{ and }}}} for braces") from error
    quotes = []
    for text, field, form, _ in parts:
        if field is None:
            quotes.append((text, None, None, None))
            continue
        quoted = re.fullmatch(r"(\w+)\[([^\]]+)\]", field)
        if not quoted:
            raise reader.SchemaError(f"{where}: {{{field}}}: write {{NUMBER[VARIANT]:.2g}}")
        name, variant = quoted.groups()
        if name not in numbers:
            raise reader.SchemaError(f"{where}: {{{field}}}: no number {name!r}; [numbers] has "
                                     f"{', '.join(numbers) or 'none'}")
        check_variant(variant, variants, f"{where}: {{{field}}}")
        try:
            format(1.0, form)
        except ValueError as error:
            raise reader.SchemaError(f"{where}: {{{field}:{form}}}: {error}") from error
        quotes.append((text, name, variant, form))
    return quotes


@dataclasses.dataclass
class FigureFile:
    """The figure file's own keys."""

    title: str
    caption: str
    panels: list
    columns: int = 2
    ranks: int = 1
    seeds: list = dataclasses.field(default_factory=list)
    lines: dict = dataclasses.field(default_factory=dict)
    numbers: dict = dataclasses.field(default_factory=dict)


def read_plan(deck_path, figure_path=None):
    """The Plan of a deck; SchemaError when the deck has no variants or the two do not fit."""
    deck = read_toml(deck_path)
    variants = list(deck.get("variant", {}))
    if not variants:
        raise reader.SchemaError(f"{deck_path}: no [variant.NAME]; a study compares variants")
    path = figure_path or deck_path.with_name(f"{deck_path.stem}.figure.toml")
    file = make_part(FigureFile, read_toml(path), path)
    for key in ("columns", "ranks"):
        if getattr(file, key) < 1:
            raise reader.SchemaError(f"{path}: {key} = {getattr(file, key)} must be at least 1")
    if not file.panels:
        raise reader.SchemaError(f"{path}: no [[panels]]; there is nothing to draw")
    panels = []
    for p, table in enumerate(file.panels):
        panels.append(make_part(Panel, table, f"{path}: panel {p + 1}"))
        panels[-1].variants = match_variants(panels[-1].variants, variants,
                                             f"{path}: panel {p + 1}")
    lines = {}
    for pattern, table in file.lines.items():
        match_variants([pattern], variants, f"{path}: lines")
        lines[pattern] = make_part(Line, table, f"{path}: lines.{pattern!r}")
    numbers = {}
    for name, table in file.numbers.items():
        where = f"{path}: number {name}"
        spec = make_part(NumberSpec, table, where)
        check_number(spec, numbers, variants, where)
        numbers[name] = spec
    quotes = parse_caption(file.caption, numbers, variants, f"{path}: caption")
    return Plan(path, deck, variants, file.title, file.columns, file.ranks, file.seeds, panels,
                lines, numbers, quotes)

# SPDX-License-Identifier: BSD-3-Clause
"""The one reader of Parley's HDF5 schema: run folders, logs, snapshots, data set files.

Everything is read at once into NumPy arrays, so that a run which is still going on can be read
safely: log.h5 and the snapshots appear by renaming. Must not know plots or tables.
"""

import dataclasses
import re
import tomllib
from pathlib import Path

import h5py
import numpy as np

SNAPSHOT_NAME = re.compile(r"\d{8,}\.h5")
# The columns that every run has; whatever else is in /log is a measure of the game.
BASE_COLUMNS = ("iteration", "epoch", "wall_train", "wall_total", "oracle_calls", "rounds", "bytes",
                "loss_x", "loss_y", "field_norm", "consensus_x", "consensus_y")
# Where the deck's data.scale takes the range of the stored values; none leaves them alone.
SPANS = {"symmetric": (-1.0, 1.0), "unit": (0.0, 1.0), "none": None}


class SchemaError(Exception):
    """A file is missing, damaged or not of Parley's schema; the message names it and the remedy."""


@dataclasses.dataclass
class Column:
    """One quantity of the log: values (rows) or (rows x agents), unit and meaning as text."""

    name: str
    values: np.ndarray
    unit: str
    meaning: str

    def label(self):
        """Name and unit for an axis or a table."""
        told = self.unit in ("", "1", self.name)
        return self.name if told else f"{self.name} [{self.unit}]"


@dataclasses.dataclass
class Graph:
    """edges: E x 2 agent numbers, those of all rounds; weights: the M x M mixing matrix, or R x M
    x M of the period (attribute period > 1) or of the first rounds (period 0: random) of a graph
    that varies; attributes: kind, schedule, rounds, period, rho, gap.
    """

    edges: np.ndarray
    weights: np.ndarray
    attributes: dict


@dataclasses.dataclass
class Block:
    """A named block of the packed parameter vector; player is "x" or "y"."""

    name: str
    offset: int
    size: int
    player: str
    shape: tuple


@dataclasses.dataclass
class Snapshot:
    """Parameters of all agents at one iteration; ema, average and samples are None where absent."""

    path: Path
    iteration: int
    parameters: np.ndarray
    mean: np.ndarray
    ema: np.ndarray
    average: np.ndarray
    samples: np.ndarray
    sample_shape: tuple
    sample_source: str
    blocks: list
    attributes: dict

    def block(self, name, source="mean"):
        """The block as an array of its shape; source: "mean", "ema", "average" or an agent's
        number."""
        for block in self.blocks:
            if block.name == name:
                row = self._row(source)
                return row[block.offset:block.offset + block.size].reshape(block.shape)
        known = ", ".join(block.name for block in self.blocks)
        raise SchemaError(f"{self.path}: no block {name!r}; it has {known}")

    def _row(self, source):
        if isinstance(source, int):
            if not 0 <= source < len(self.parameters):
                raise SchemaError(f"{self.path}: no agent {source} among {len(self.parameters)}")
            return self.parameters[source]
        row = {"mean": self.mean, "ema": self.ema, "average": self.average}.get(source)
        if row is None:
            raise SchemaError(f"{self.path}: no {source!r} parameters in this snapshot")
        return row


@dataclasses.dataclass
class Dataset:
    """values: rows x ..., as stored; labels (rows) or None; value_range: (min, max)."""

    path: Path
    values: np.ndarray
    labels: np.ndarray
    value_range: tuple
    classes: int

    def scaled(self, scale):
        """The values as the game saw them, float64; scale: a key of SPANS, as in the deck."""
        values = self.values.astype(float)
        if SPANS[scale] is None:
            return values
        (low, high), (bottom, top) = self.value_range, SPANS[scale]
        return bottom + (values - low) / (high - low) * (top - bottom)


@dataclasses.dataclass
class Run:
    """A run folder: log columns, per-agent columns, graph, provenance and the resolved deck."""

    path: Path
    columns: dict
    agents: dict
    graph: Graph
    attributes: dict
    deck: str

    @property
    def label(self):
        """The folder's name, which tells runs of one deck apart."""
        return self.path.resolve().name

    def column(self, name):
        """A column of /log; SchemaError with the known names if there is none."""
        if name not in self.columns:
            raise SchemaError(f"{self.path / 'log.h5'}: no column {name!r}; it has "
                              f"{', '.join(self.columns)}")
        return self.columns[name]

    def measures(self):
        """Names of the game's own measures."""
        return [name for name in self.columns if name not in BASE_COLUMNS]

    def last(self, name):
        """The last value of a column that was evaluated; NaN if there is none yet."""
        values = self.column(name).values
        finite = values[~np.isnan(values)]
        return float(finite[-1]) if len(finite) else float("nan")

    def parse_deck(self):
        """The resolved deck as nested dicts."""
        try:
            return tomllib.loads(self.deck)
        except tomllib.TOMLDecodeError as error:
            raise SchemaError(f"{self.path / 'log.h5'}: /deck is not TOML: {error}") from error

    def data_scale(self):
        """The deck's data.scale, a key of SPANS; "none" for games without it."""
        scale = self.parse_deck().get("data", {}).get("scale", "none")
        if scale not in SPANS:
            raise SchemaError(f"{self.path / 'log.h5'}: /deck: data.scale = {scale!r} is none of "
                              f"{', '.join(SPANS)}")
        return scale

    def snapshots(self):
        """[(iteration, path)] of the snapshots, ascending."""
        found = (self.path / "snapshots").glob("*.h5")
        return sorted((int(path.stem), path) for path in found
                      if SNAPSHOT_NAME.fullmatch(path.name))

    def snapshot(self, iteration=None):
        """The snapshot of that iteration, or the last one."""
        known = dict(self.snapshots())
        if not known:
            raise SchemaError(f"{self.path / 'snapshots'}: no snapshot yet; wait, or set "
                              "record.snapshot_every")
        iteration = max(known) if iteration is None else iteration
        if iteration not in known:
            raise SchemaError(f"{self.path / 'snapshots'}: no snapshot {iteration}; there are "
                              f"{', '.join(map(str, known))}")
        return read_snapshot(known[iteration])


def _open(path):
    try:
        return h5py.File(path, "r")
    except FileNotFoundError as error:
        raise SchemaError(f"{path}: no such file; is this a run folder, and has it written its "
                          "first record?") from error
    except OSError as error:
        raise SchemaError(f"{path}: not a readable HDF5 file ({error})") from error


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _attributes(item):
    plain = {}
    for name, value in item.attrs.items():
        if isinstance(value, (bytes, str)):
            plain[name] = _text(value)
        else:
            plain[name] = value.item() if np.ndim(value) == 0 else value
    return plain


def _dataset(file, name, dimensions):
    item = file.get(name)
    if not isinstance(item, h5py.Dataset):
        raise SchemaError(f"{file.filename}: no data set {name!r}; is it of this schema?")
    if item.ndim != dimensions:
        raise SchemaError(f"{file.filename}: {name} has {item.ndim} dimensions, not {dimensions}")
    return item[()]


def _optional(file, name, dimensions):
    return _dataset(file, name, dimensions) if name in file else None


def _group(file, name):
    item = file.get(name)
    if not isinstance(item, h5py.Group):
        raise SchemaError(f"{file.filename}: no group {name!r}; is it of this schema?")
    return item


def _attribute(file, attributes, name, owner):
    if name not in attributes:
        raise SchemaError(f"{file.filename}: {owner} has no attribute {name!r}")
    return attributes[name]


def _columns(file, group, dimensions):
    columns = {}
    for name in _group(file, group):
        values = _dataset(file, f"{group}/{name}", dimensions)
        notes = _attributes(file[group][name])
        columns[name] = Column(name, values, *(_text(_attribute(file, notes, key, name))
                                               for key in ("unit", "meaning")))
    if len({len(column.values) for column in columns.values()}) > 1:
        raise SchemaError(f"{file.filename}: the columns of {group} differ in length")
    return columns


def read_run(path):
    """A Run from its folder. SchemaError when log.h5 is missing, damaged or of another schema."""
    path = Path(path)
    with _open(path / "log.h5") as file:
        columns = _columns(file, "log", 1)
        missing = [name for name in BASE_COLUMNS if name not in columns]
        if missing:
            raise SchemaError(f"{file.filename}: no column {', '.join(missing)} in /log")
        edges = _dataset(file, "graph/edges", 2)
        notes = _attributes(file["graph"])
        varies = notes.get("period", 1) != 1
        graph = Graph(edges, _dataset(file, "graph/W", 3 if varies else 2), notes)
        ordered = {name: columns[name] for name in BASE_COLUMNS}
        return Run(path, {**ordered, **columns}, _columns(file, "agents", 2), graph,
                   _attributes(file), _text(_dataset(file, "deck", 0)))


def _blocks(file, dimension):
    names, offsets, sizes, players = (_dataset(file, f"layout/{key}", 1)
                                      for key in ("name", "offset", "size", "player"))
    shapes = _dataset(file, "layout/shape", 2)
    blocks = []
    for i, name in enumerate(names):
        shape = tuple(int(n) for n in shapes[i] if n > 0)
        block = Block(_text(name), int(offsets[i]), int(sizes[i]), "xy"[players[i]], shape)
        if int(np.prod(shape)) != block.size or not 0 <= block.offset <= dimension - block.size:
            raise SchemaError(f"{file.filename}: block {block.name}: offset {block.offset}, size "
                              f"{block.size}, shape {shape} do not fit {dimension} parameters")
        blocks.append(block)
    return blocks


def read_snapshot(path):
    """A Snapshot from its file, every block checked against the parameters."""
    with _open(path) as file:
        attributes = _attributes(file)
        parameters = _dataset(file, "parameters", 2)
        samples = _optional(file, "samples", 2)
        shape, source = (), ""
        if samples is not None:
            notes = _attributes(file["samples"])
            shape = np.atleast_1d(_attribute(file, notes, "shape", "samples"))
            shape = tuple(int(n) for n in shape)
            source = _text(_attribute(file, notes, "source", "samples"))
            if int(np.prod(shape)) != samples.shape[1]:
                raise SchemaError(f"{path}: samples of {samples.shape[1]} features do not have "
                                  f"shape {shape}")
        return Snapshot(Path(path), int(_attribute(file, attributes, "iteration", "the root")),
                        parameters, _dataset(file, "mean", 1), _optional(file, "ema", 1),
                        _optional(file, "average", 1), samples, shape, source,
                        _blocks(file, parameters.shape[1]), attributes)


def read_dataset(path):
    """A Dataset from a file made by inputs/import_dataset.py."""
    with _open(path) as file:
        notes = _attributes(file)
        if "x" not in file or file["x"].ndim < 2:
            raise SchemaError(f"{path}: no data set 'x' of rows; make it with import_dataset.py")
        low, high = (float(_attribute(file, notes, f"value_{end}", "the root"))
                     for end in ("min", "max"))
        if not low < high:
            raise SchemaError(f"{path}: value_min {low:g} is not below value_max {high:g}")
        return Dataset(Path(path), file["x"][()], _optional(file, "y", 1), (low, high),
                       int(_attribute(file, notes, "classes", "the root")))

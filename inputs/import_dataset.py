#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes Parley's HDF5 data set file from digits, IDX, LIBSVM text or CSV.

Refuses whatever is truncated or inconsistent (exit 2). Must not know games, decks or agents:
scaling and partitioning happen in the solver.
"""

import argparse
import contextlib
import csv
import dataclasses
import gzip
import hashlib
import importlib.util
import io
import math
import os
import struct
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np

IMPORTER = "import_dataset.py 1"
IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
MOST_CELLS = 2 ** 32  # of a dense text import; beyond it the file would not fit in common memories


class ImportFault(Exception):
    """A mistake in the input that the user can mend: file, place, value, remedy. Exit 2."""


@dataclasses.dataclass
class Dataset:
    """rows x ... values, and either labels 0..classes-1 with the values that they had in the
    source, or real-valued targets."""

    values: np.ndarray
    value_range: tuple
    source: str
    labels: np.ndarray = None
    label_values: list = None
    targets: np.ndarray = None

    @property
    def classes(self):
        """Number of classes, 0 without labels."""
        return 0 if self.labels is None else len(self.label_values)


def read_bytes(path):
    """The content of a plain or gzip file."""
    try:
        data = Path(path).read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (EOFError, gzip.BadGzipFile, zlib.error, struct.error) as error:
        raise ImportFault(f"{path}: damaged or truncated gzip ({error}); get the file again") \
            from error
    except OSError as error:
        raise ImportFault(f"{path}: {error.strerror}; check the path") from error


def read_text(path):
    """The lines of a plain or gzip text file."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ImportFault(f"{path}: byte {error.start} is not UTF-8 text; is this the right "
                          "format?") from error


def parse_number(text, where):
    """A finite float; where = "file:line" for the message."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise ImportFault(f"{where}: {text!r} is not a finite number; mend or remove this row")
    return value


def map_labels(raw, path):
    """Labels of two or more values to 0..classes-1 in sorted order: (labels, label_values)."""
    values, labels = np.unique(np.asarray(raw), return_inverse=True)
    values = values.tolist()
    if len(values) < 2:
        raise ImportFault(f"{path}: every label is {values[0]!r}; two or more values are needed")
    return labels.astype(np.int64), values


def set_target(dataset, numbers, target, path):
    """Stores the column that is to be learned: as classes, or as it is (target = "real")."""
    if target == "real":
        dataset.targets = np.asarray(numbers, np.float64)
    else:
        dataset.labels, dataset.label_values = map_labels(numbers, path)


def as_stored(values, path, precision):
    """The values in the type that `precision` asks for. Auto: uint8 for integers 0..255, of which
    the solver reads a quarter of what float32 would take, else float32.
    """
    if precision in ("single", "double"):
        return values
    bad = np.argwhere((values < 0) | (values > 255) | (values != np.floor(values)))
    if precision == "auto" and len(bad):
        return values
    if len(bad):
        row, column = bad[0]
        raise ImportFault(f"{path}: value {values[row, column]:g} in row {row + 1}, feature "
                          f"{column + 1} is no integer 0..255; leave out --precision byte")
    return values.astype(np.uint8)


def measure_range(values, path):
    """(min, max) of the values; they must differ, since the solver scales by their distance."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        raise ImportFault(f"{path}: every value is {low:g}; there is nothing to learn from")
    return low, high


# --- the formats -------------------------------------------------------------------------------

def find_digits():
    """The digits file of the installed scikit-learn, found without importing it."""
    package = importlib.util.find_spec("sklearn")
    for folder in package.submodule_search_locations if package else []:
        path = Path(folder) / "datasets" / "data" / "digits.csv.gz"
        if path.is_file():
            return path
    raise ImportFault("digits.csv.gz: not found; install python3-sklearn or give --input PATH")


def read_digits(path):
    """scikit-learn's 1,797 digits: rows of 64 counts 0..16 and the digit -> N x 1 x 8 x 8 uint8."""
    table = read_table(path, ",", "absent")[1]
    values = np.array([[parse_number(cell, f"{path}:{line}") for cell in row]
                       for line, row in table])
    if values.shape != (1797, 65):
        raise ImportFault(f"{path}: {values.shape[0]} rows of {values.shape[1]} columns, not 1797 "
                          "of 65; the file is truncated or another one")
    low, high = np.zeros(65), np.append(np.full(64, 16), 9)
    bad = np.argwhere((values < low) | (values > high) | (values != np.floor(values)))
    if len(bad):
        row, column = bad[0]
        raise ImportFault(f"{path}:{table[row][0]}: column {column + 1} is "
                          f"{values[row, column]:g}, not an integer 0..{high[column]:.0f}; get "
                          "the file again")
    labels, label_values = map_labels(values[:, 64].astype(np.int64), path)
    images = values[:, :64].astype(np.uint8).reshape(-1, 1, 8, 8)
    return Dataset(images, (0.0, 16.0), str(path.name), labels, label_values)


def parse_idx(path):
    """The array of an IDX file (LeCun's format): its byte count must be exactly as promised."""
    data = read_bytes(path)
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in IDX_TYPES or data[3] == 0:
        raise ImportFault(f"{path}: byte 0: {data[:4].hex(' ') or 'nothing'} is no IDX header "
                          "(00 00 type dimensions); is this an IDX file?")
    dtype, header = np.dtype(IDX_TYPES[data[2]]), 4 + 4 * data[3]
    if len(data) < header:
        raise ImportFault(f"{path}: byte {len(data)}: the header stops before its {data[3]} sizes; "
                          "get the file again")
    shape = struct.unpack(f">{data[3]}I", data[4:header])
    promised = header + math.prod(shape) * dtype.itemsize
    if len(data) != promised:
        what = "truncated" if len(data) < promised else "followed by trailing bytes"
        raise ImportFault(f"{path}: byte {min(len(data), promised)}: {what}: {len(data)} bytes, "
                          f"but shape {shape} promises {promised}; get the file again")
    if 0 in shape:
        raise ImportFault(f"{path}: byte 4: shape {shape} holds nothing; give another file")
    return np.frombuffer(data, dtype, offset=header).reshape(shape)


def read_idx(images_path, labels_path):
    """IDX images (N x H x W, N x C x H x W or N x features) and, if given, integer labels (N)."""
    images = parse_idx(images_path)
    if images.ndim not in (2, 3, 4):
        raise ImportFault(f"{images_path}: byte 3: {images.ndim} dimensions; images have 2 to 4. "
                          "Are these the labels?")
    if images.ndim == 3:
        images = images[:, None]
    if images.dtype == np.uint8:
        dataset = Dataset(images, (0.0, 255.0), str(Path(images_path).name))
    else:
        images = images.astype(np.float64 if images.dtype.itemsize == 8 else np.float32)
        if not np.isfinite(images).all():
            row = np.argwhere(~np.isfinite(images))[0][0]
            raise ImportFault(f"{images_path}: row {row} holds a value that is not finite; "
                              "mend or remove this row")
        dataset = Dataset(images, measure_range(images, images_path), str(Path(images_path).name))
    if labels_path is not None:
        labels = parse_idx(labels_path)
        if labels.ndim != 1 or labels.dtype.kind not in "ui":
            raise ImportFault(f"{labels_path}: byte 2: type and shape {labels.dtype.name} "
                              f"{labels.shape}; labels are integers in one dimension")
        if len(labels) != len(images):
            raise ImportFault(f"{labels_path}: {len(labels)} labels for {len(images)} images of "
                              f"{images_path}; give the pair that belongs together")
        dataset.labels, dataset.label_values = map_labels(labels, labels_path)
    return dataset


def parse_libsvm_line(text, where):
    """(label, indices from 0, values) of one line "label index:value ...", indices increasing."""
    tokens = text.split()
    label, indices, values = parse_number(tokens[0], where), [], []
    for token in tokens[1:]:
        index, colon, value = token.partition(":")
        if not (colon and index.isascii() and index.isdigit() and int(index) > 0):
            raise ImportFault(f"{where}: {token!r} is no index:value pair with an index from 1; "
                              "the file is truncated or not LIBSVM text")
        if indices and int(index) - 1 <= indices[-1]:
            raise ImportFault(f"{where}: index {index} after {indices[-1] + 1}; indices must "
                              "increase, sort or mend this row")
        indices.append(int(index) - 1)
        values.append(parse_number(value, where))
    return label, indices, values


def read_libsvm(path, options):
    """LIBSVM text as dense rows x features; options.features = None takes the largest index."""
    features = options.features
    labels, rows = [], []
    for line, text in enumerate(read_text(path), 1):
        text = text.partition("#")[0].strip()
        if not text:
            continue
        label, indices, values = parse_libsvm_line(text, f"{path}:{line}")
        if features is not None and indices and indices[-1] >= features:
            raise ImportFault(f"{path}:{line}: index {indices[-1] + 1} beyond --features "
                              f"{features}; raise it")
        labels.append(label)
        rows.append((indices, values))
    width = features or 1 + max((indices[-1] for indices, _ in rows if indices), default=-1)
    if not rows or width == 0:
        raise ImportFault(f"{path}: no row with a value; is the file empty?")
    if len(rows) * width > MOST_CELLS:
        raise ImportFault(f"{path}: {len(rows)} rows of {width} features are too many for a dense "
                          f"file (at most {MOST_CELLS} values); select features or rows first")
    dense = np.zeros((len(rows), width), options.dtype)
    for row, (indices, values) in enumerate(rows):
        dense[row, indices] = values
    dataset = Dataset(dense, measure_range(dense, path), str(Path(path).name))
    set_target(dataset, labels, options.target, path)
    return dataset


def is_number(text):
    """True when the cell reads as a float."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_table(path, delimiter, header):
    """(names or None, [(line, cells)]) of a CSV whose rows all have as many cells as the first."""
    reader = csv.reader(io.StringIO("\n".join(read_text(path))), delimiter=delimiter, strict=True)
    table = []
    try:
        for row in reader:
            if row:
                table.append((reader.line_num, [cell.strip() for cell in row]))
    except csv.Error as error:
        raise ImportFault(f"{path}:{reader.line_num}: {error}; the file is truncated or its quotes "
                          "do not match") from error
    if not table:
        raise ImportFault(f"{path}: no rows; is the file empty?")
    for line, row in table:
        if len(row) != len(table[0][1]):
            raise ImportFault(f"{path}:{line}: {len(row)} columns where the first row has "
                              f"{len(table[0][1])}; the file is truncated or --delimiter is wrong")
    if header == "auto":
        header = "absent" if any(map(is_number, table[0][1])) else "present"
    names = table.pop(0)[1] if header == "present" else None
    if not table:
        raise ImportFault(f"{path}: a header and no rows; is the file truncated?")
    return names, table


def find_column(column, names, width, path):
    """The index of --label-column: none, first, last, a name of the header, or a number from 1."""
    if column in ("none", "first", "last"):
        return {"none": None, "first": 0, "last": width - 1}[column]
    if names and column in names:
        return names.index(column)
    if column.isascii() and column.isdigit() and 1 <= int(column) <= width:
        return int(column) - 1
    known = f", or one of {', '.join(names)}" if names else ""
    raise ImportFault(f"{path}: no label column {column!r}; use none, first, last, 1..{width}"
                      f"{known}")


def read_csv(path, options):
    """CSV of numbers, one row per sample; labels may be words. options: the parsed arguments."""
    names, table = read_table(path, options.delimiter, options.header)
    width = len(table[0][1])
    column = find_column(options.label_column, names, width, path)
    features = [j for j in range(width) if j != column]
    if not features:
        raise ImportFault(f"{path}: the label column is the only one; give --label-column none")
    values = np.array([[parse_number(row[j], f"{path}:{line}") for j in features]
                       for line, row in table], options.dtype)
    dataset = Dataset(values, measure_range(values, path), str(Path(path).name))
    if column is not None:
        raw = [row[column] for _, row in table]
        if "" in raw:
            raise ImportFault(f"{path}:{table[raw.index('')][0]}: the label is empty; mend or "
                              "remove this row")
        if all(map(is_number, raw)):
            raw = [parse_number(cell, f"{path}:{line}") for (line, _), cell in zip(table, raw)]
        elif options.target == "real":
            line, cell = next((line, cell) for (line, _), cell in zip(table, raw)
                              if not is_number(cell))
            raise ImportFault(f"{path}:{line}: target {cell!r} is no number; mend or remove this "
                              "row, or leave out --target real")
        set_target(dataset, raw, options.target, path)
    return dataset


# --- checks and writing ------------------------------------------------------------------------

def apply_options(dataset, options, path):
    """Checks --rows, gives the rows --shape, and replaces the range by --range."""
    count = len(dataset.values)
    if options.rows is not None and count != options.rows:
        raise ImportFault(f"{path}: {count} rows, but --rows {options.rows} were promised; the "
                          "file is truncated or another one")
    if options.shape is not None:
        if math.prod(options.shape) != math.prod(dataset.values.shape[1:]):
            raise ImportFault(f"{path}: rows of shape {dataset.values.shape[1:]} do not fill "
                              f"--shape {options.shape}; their products must agree")
        dataset.values = dataset.values.reshape(count, *options.shape)
    if options.range is not None:
        low, high = options.range
        found = float(dataset.values.min()), float(dataset.values.max())
        if not (math.isfinite(low) and math.isfinite(high) and low < high
                and low <= found[0] and found[1] <= high):
            raise ImportFault(f"{path}: values {found[0]:g}..{found[1]:g} do not lie within "
                              f"--range {low:g} {high:g}; widen it")
        dataset.value_range = low, high


def shuffle_rows(count, seed):
    """A permutation of 0..count-1 that depends on seed and count alone, on every system."""
    def key(row):
        return hashlib.sha256(f"{seed}:{row}".encode()).digest()
    return np.array(sorted(range(count), key=key))


def split_rows(dataset, hold_out, seed):
    """(training, held out) as shuffled row numbers; (None, None) means all rows as they stand."""
    if hold_out == 0:
        return None, None
    count = len(dataset.values)
    if not 0 < hold_out < count:
        raise ImportFault(f"--hold-out {hold_out}: {count} rows allow 1..{count - 1}")
    order = shuffle_rows(count, seed)
    return order[hold_out:], order[:hold_out]


def write_dataset(path, dataset, rows):
    """Writes the rows (None: all) and makes sure that they have reached the disk."""
    values = dataset.values if rows is None else dataset.values[rows]
    with h5py.File(path, "w") as file:
        # IDX is big-endian on disk; the solver reads the native order.
        file["x"] = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
        if dataset.labels is not None:
            file["y"] = dataset.labels if rows is None else dataset.labels[rows]
            file.attrs["label_values"] = dataset.label_values
        if dataset.targets is not None:
            file["y"] = dataset.targets if rows is None else dataset.targets[rows]
        file.attrs["value_min"], file.attrs["value_max"] = map(float, dataset.value_range)
        file.attrs["classes"] = np.int64(dataset.classes)
        file.attrs["source"] = dataset.source
        file.attrs["importer"] = IMPORTER
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def write_outputs(dataset, options):
    """Writes --output and, with --hold-out, its -test sibling; each appears whole or not at all."""
    training, held_out = split_rows(dataset, options.hold_out, options.seed)
    parts = [(options.output, training)]
    if held_out is not None:
        output = options.output
        parts.append((output.with_name(f"{output.stem}-test{output.suffix}"), held_out))
    temporaries = [path.with_name(f".{path.name}.{os.getpid()}.tmp") for path, _ in parts]
    try:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        for (_, rows), temporary in zip(parts, temporaries):
            write_dataset(temporary, dataset, rows)
        for (path, _), temporary in zip(parts, temporaries):
            os.replace(temporary, path)
    except OSError as error:
        raise ImportFault(f"{options.output}: cannot write ({error}); check folder, rights and "
                          "space") from error
    finally:
        for temporary in temporaries:
            with contextlib.suppress(OSError):
                temporary.unlink()
    for path, rows in parts:
        count = len(dataset.values) if rows is None else len(rows)
        shape = " x ".join(map(str, (count, *dataset.values.shape[1:])))
        learned = "real targets" if dataset.targets is not None else f"{dataset.classes} classes"
        print(f"{path}: {shape} {dataset.values.dtype.name}, {learned}")


def count_argument(text):
    """A non-negative integer of the command line."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value} is negative")
    return value


def parse_arguments(arguments):
    """The command line; argparse itself exits with 2 on a mistake."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--output", type=Path, required=True, help="HDF5 file to write")
    common.add_argument("--hold-out", type=count_argument, default=0, metavar="N",
                        help="shuffle, and write N rows to OUTPUT-test, the others to OUTPUT")
    common.add_argument("--seed", type=int, default=1, help="of the shuffle (default 1)")
    common.add_argument("--rows", type=count_argument, help="refuse another number of rows")
    common.add_argument("--range", type=float, nargs=2, metavar=("MIN", "MAX"),
                        help="range of the values if wider than the data show")
    common.add_argument("--shape", type=count_argument, nargs="+", metavar="N",
                        help="shape of a row, for example 1 28 28")
    text = argparse.ArgumentParser(add_help=False)
    text.add_argument("file", type=Path)
    text.add_argument("--precision", choices=("auto", "byte", "single", "double"), default="auto",
                      help="how features are stored; byte: uint8, integers 0..255 only; auto "
                           "(default): byte if every value allows it, else single")
    text.add_argument("--target", choices=("class", "real"), default="class",
                      help="what the label column holds; real: numbers for regression")

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    formats = parser.add_subparsers(dest="format", required=True, metavar="FORMAT")
    digits = formats.add_parser("digits", parents=[common], help="scikit-learn's 8x8 digits")
    digits.add_argument("--input", type=Path, help="digits.csv.gz if scikit-learn is elsewhere")
    idx = formats.add_parser("idx", parents=[common], help="IDX images and labels, plain or gzip")
    idx.add_argument("images", type=Path)
    idx.add_argument("labels", type=Path, nargs="?")
    libsvm = formats.add_parser("libsvm", parents=[common, text], help="LIBSVM text")
    libsvm.add_argument("--features", type=count_argument, help="columns (default: largest index)")
    table = formats.add_parser("csv", parents=[common, text], help="comma-separated values")
    table.add_argument("--label-column", required=True,
                       help="none, first, last, a name of the header, or a number from 1")
    table.add_argument("--delimiter", default=",")
    table.add_argument("--header", choices=("auto", "present", "absent"), default="auto",
                       help="auto: a first row without any number is a header")
    return parser.parse_args(arguments)


def read_input(options):
    """(dataset, path for messages) of the chosen format."""
    if options.format == "digits":
        path = options.input or find_digits()
        return read_digits(path), path
    if options.format == "idx":
        return read_idx(options.images, options.labels), options.images
    options.dtype = np.float32 if options.precision in ("auto", "single") else np.float64
    read = read_libsvm if options.format == "libsvm" else read_csv
    dataset = read(options.file, options)
    dataset.values = as_stored(dataset.values, options.file, options.precision)
    return dataset, options.file


def main(arguments=None):
    """Exit code: 0 written, 2 a mistake in the input or on the command line."""
    options = parse_arguments(arguments)
    try:
        dataset, path = read_input(options)
        apply_options(dataset, options, path)
        write_outputs(dataset, options)
    except ImportFault as fault:
        print(f"import_dataset.py: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

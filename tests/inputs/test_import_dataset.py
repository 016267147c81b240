# SPDX-License-Identifier: BSD-3-Clause
"""The importer as a user meets it: values come through, and what is broken is refused by name."""

import gzip
import os
import struct
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

PROGRAM = Path(__file__).parents[2] / "inputs" / "import_dataset.py"
REAL = Path(os.environ.get("PARLEY_DATA", PROGRAM.parents[2] / "shared" / "data"))


def run_importer(*arguments):
    return subprocess.run([sys.executable, PROGRAM, *map(str, arguments)], capture_output=True,
                          text=True)


def import_file(folder, *arguments):
    result = run_importer(*arguments, "--output", folder / "out.h5")
    assert result.returncode == 0, result.stderr
    return read_file(folder / "out.h5")


def read_file(path):
    with h5py.File(path, "r") as file:
        return ({name: item[()] for name, item in file.items()}, dict(file.attrs))


def assert_refused(folder, message, *arguments):
    result = run_importer(*arguments, "--output", folder / "out.h5")
    assert result.returncode == 2, result.stdout
    assert message in result.stderr, result.stderr
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert not list(folder.glob("*.h5")) and not list(folder.glob(".*"))


def write_idx(path, array, code=0x08):
    array = np.asarray(array)
    path.write_bytes(struct.pack(f">HBB{array.ndim}I", 0, code, array.ndim, *array.shape)
                     + array.tobytes())
    return path


# --- digits ------------------------------------------------------------------------------------

def test_digits_are_scikit_learns(tmp_path):
    sets, notes = import_file(tmp_path, "digits")
    assert sets["x"].shape == (1797, 1, 8, 8) and sets["x"].dtype == np.uint8
    assert (notes["value_min"], notes["value_max"], notes["classes"]) == (0, 16, 10)
    assert isinstance(notes["value_min"], float) and notes["source"] == "digits.csv.gz"
    digits = pytest.importorskip("sklearn.datasets").load_digits()
    assert (sets["x"][:, 0] == digits.images).all() and (sets["y"] == digits.target).all()
    assert sets["y"].dtype == np.int64


def test_hold_out_splits_without_loss(tmp_path):
    parts = []
    for seed in (1, 1, 2):
        result = run_importer("digits", "--output", tmp_path / "new" / "d.h5", "--hold-out", 360,
                              "--seed", seed)
        assert result.returncode == 0
        assert result.stdout.splitlines()[1].startswith(f"{tmp_path}/new/d-test.h5: 360 x 1 x 8")
        assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["d-test.h5", "d.h5"]
        parts.append([read_file(tmp_path / "new" / name)[0] for name in ("d.h5", "d-test.h5")])
    for key in ("x", "y"):
        assert (parts[0][0][key] == parts[1][0][key]).all()
        assert (parts[0][1][key] == parts[1][1][key]).all()
    assert (parts[0][1]["y"] != parts[2][1]["y"]).any()
    whole = import_file(tmp_path, "digits")[0]

    def rows(part):
        return [bytes(x) + bytes([y]) for x, y in zip(part["x"], part["y"])]

    assert sorted(rows(parts[0][0]) + rows(parts[0][1])) == sorted(rows(whole))
    assert len(parts[0][1]["y"]) == 360 and len(set(parts[0][1]["y"])) == 10


@pytest.mark.parametrize("line, message", [
    (b"17" + b",0" * 64, "digits.csv:3: column 1 is 17, not an integer 0..16"),
    (b"0,0.5" + b",0" * 63, "digits.csv:3: column 2 is 0.5"),
    (b"0" + b",0" * 63 + b",11", "digits.csv:3: column 65 is 11, not an integer 0..9"),
    (b"0" + b",0" * 63, "digits.csv:3: 64 columns where the first row has 65"),
    (b"0" + b",0" * 63 + b",x", "digits.csv:3: 'x' is not a finite number"),
    (None, "1796 rows of 65 columns, not 1797 of 65")])
def test_damaged_digits_are_refused(tmp_path, line, message):
    lines = [b"0" + b",0" * 63 + b",%d" % (row % 10) for row in range(1797)]
    lines[2:3] = [] if line is None else [line]
    path = tmp_path / "digits.csv"
    path.write_bytes(b"\n".join(lines) + b"\n")
    assert_refused(tmp_path, message, "digits", "--input", path)


# --- IDX ---------------------------------------------------------------------------------------

def test_idx_images_and_labels(tmp_path):
    images = np.random.default_rng(1).integers(0, 256, (5, 3, 4)).astype(np.uint8)
    packed = tmp_path / "images.gz"
    packed.write_bytes(gzip.compress(write_idx(tmp_path / "images", images).read_bytes()))
    labels = write_idx(tmp_path / "labels", np.array([3, 0, 3, 7, 0], np.uint8))
    for path in (tmp_path / "images", packed):
        sets, notes = import_file(tmp_path, "idx", path, labels)
        assert sets["x"].dtype == np.uint8 and (sets["x"][:, 0] == images).all()
        assert sets["y"].tolist() == [1, 0, 1, 2, 0]
        assert notes["label_values"].tolist() == [0, 3, 7] and notes["classes"] == 3
        assert (notes["value_min"], notes["value_max"]) == (0, 255)


@pytest.mark.parametrize("code, dtype, kept", [(0x0D, ">f4", "<f4"), (0x0E, ">f8", "<f8"),
                                               (0x0B, ">i2", "<f4")])
def test_idx_floats_without_labels(tmp_path, code, dtype, kept):
    values = np.array([[1, -2, 3], [4, 5, 6]], dtype)
    sets, notes = import_file(tmp_path, "idx", write_idx(tmp_path / "v", values, code))
    assert (sets["x"] == values).all() and sets["x"].dtype == kept and "y" not in sets
    assert (notes["value_min"], notes["value_max"], notes["classes"]) == (-2, 6, 0)


def test_damaged_idx_is_refused(tmp_path):
    good = write_idx(tmp_path / "good", np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    data, bad = good.read_bytes(), tmp_path / "bad"
    for content, message in (
            (data[:-1], "byte 39: truncated: 39 bytes, but shape (2, 3, 4) promises 40"),
            (data + b"\0", "byte 40: followed by trailing bytes: 41 bytes"),
            (data[:9], "byte 9: the header stops before its 3 sizes"),
            (b"\x01" + data[1:], "byte 0: 01 00 08 03 is no IDX header"),
            (b"", "byte 0: nothing is no IDX header"),
            (data[:2] + b"\x07" + data[3:], "00 00 07 03 is no IDX header"),
            (gzip.compress(data)[:-9], "damaged or truncated gzip"),
            (gzip.compress(data)[:-8] + b"\0" * 8, "damaged or truncated gzip")):
        bad.write_bytes(content)
        assert_refused(tmp_path, message, "idx", bad)
    labels = write_idx(tmp_path / "labels", np.array([1, 2, 3], np.uint8))
    assert_refused(tmp_path, "3 labels for 2 images", "idx", good, labels)
    assert_refused(tmp_path, "Are these the labels?", "idx", labels)
    assert_refused(tmp_path, "labels are integers in one dimension", "idx", good, good)
    same = write_idx(tmp_path / "same", np.array([4, 4], np.uint8))
    assert_refused(tmp_path, "every label is 4", "idx", good, same)
    empty = write_idx(tmp_path / "empty", np.zeros((0, 3, 4), np.uint8))
    assert_refused(tmp_path, "shape (0, 3, 4) holds nothing", "idx", empty)
    nan = write_idx(tmp_path / "nan", np.array([[0, 1], [2, np.nan]], ">f4"), 0x0D)
    assert_refused(tmp_path, "row 1 holds a value that is not finite", "idx", nan)


# --- LIBSVM ------------------------------------------------------------------------------------

def test_libsvm_labels_and_values(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1.0 1:0.5 4:-2 # note\n\n-1.0 2:1e-3\n+1\n")
    for arguments, width in (((), 4), (("--features", 6), 6)):
        sets, notes = import_file(tmp_path, "libsvm", path, *arguments)
        expected = np.zeros((3, width), np.float32)
        expected[0, [0, 3]], expected[1, 1] = [0.5, -2], 1e-3
        assert sets["x"].dtype == np.float32 and (sets["x"] == expected).all()
        assert sets["y"].tolist() == [1, 0, 1]
        assert notes["label_values"].tolist() == [-1, 1] and notes["classes"] == 2
        assert (notes["value_min"], notes["value_max"]) == (-2, 0.5)
    sets, _ = import_file(tmp_path, "libsvm", path, "--precision", "double", "--range", -4, 4)
    assert sets["x"][1, 1] == 1e-3


def test_libsvm_real_targets_and_bytes(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0.25 1:3 2:255\n-1.5 2:7\n0.25 1:1\n")
    for words in ((), ("--precision", "byte")):
        sets, notes = import_file(tmp_path, "libsvm", path, "--target", "real", *words)
        assert sets["x"].dtype == np.uint8 and sets["x"].tolist() == [[3, 255], [0, 7], [1, 0]]
    assert sets["y"].dtype == np.float64 and sets["y"].tolist() == [0.25, -1.5, 0.25]
    assert notes["classes"] == 0 and "label_values" not in notes
    for value in ("256", "0.5", "-1"):
        path.write_text(f"1 1:1\n2 2:{value}\n")
        (tmp_path / "out.h5").unlink(missing_ok=True)
        assert_refused(tmp_path, f"value {value} in row 2, feature 2 is no integer 0..255",
                       "libsvm", path, "--precision", "byte")
        sets, _ = import_file(tmp_path, "libsvm", path)
        assert sets["x"].dtype == np.float32 and sets["x"][1, 1] == float(value)


def test_csv_real_targets(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2,0.5\n3,4,-7\n")
    words = ("csv", path, "--label-column", "last", "--target", "real")
    sets, _ = import_file(tmp_path, *words, "--precision", "double")
    assert sets["x"].tolist() == [[1, 2], [3, 4]] and sets["y"].tolist() == [0.5, -7]
    path.write_text("1,2,0.5\n3,4,cat\n")
    (tmp_path / "out.h5").unlink()
    assert_refused(tmp_path, "a.csv:2: target 'cat' is no number", *words)


@pytest.mark.parametrize("text, message", [
    ("1 1:1\n-1 3:", "bad:2: '' is not a finite number"),
    ("1 1:1\n-1 3", "bad:2: '3' is no index:value pair"),
    ("1 0:1\n-1 1:1\n", "bad:1: '0:1' is no index:value pair with an index from 1"),
    ("1 2:1 2:5\n", "bad:1: index 2 after 2; indices must increase"),
    ("1 3:1 2:5\n", "bad:1: index 2 after 3"),
    ("1 1:1\n-1 1:nan\n", "bad:2: 'nan' is not a finite number"),
    ("1 1:1\n-1 1:1_0\n", "bad:2: '1_0' is not a finite number"),
    ("x 1:1\n", "bad:1: 'x' is not a finite number"),
    ("1 qid:3 1:1\n", "bad:1: 'qid:3' is no index:value pair"),
    ("1 1:1\n-1 9:1\n", "bad:2: index 9 beyond --features 5"),
    ("1 1:1\n1 2:1\n", "every label is 1.0"),
    ("1 99999999999:1\n-1 1:1\n", "bad:1: index 99999999999 beyond --features 5"),
    ("\n", "no row with a value")])
def test_damaged_libsvm_is_refused(tmp_path, text, message):
    (tmp_path / "bad").write_text(text)
    assert_refused(tmp_path, message, "libsvm", tmp_path / "bad", "--features", 5)


def test_libsvm_too_wide_for_a_dense_file(tmp_path):
    (tmp_path / "bad").write_text("1 99999999999:1\n-1 1:1\n")
    assert_refused(tmp_path, "too many for a dense file", "libsvm", tmp_path / "bad")


# --- CSV ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("header, column", [("a,b,kind\n", "kind"), ("", "last"), ("", "3")])
def test_csv_label_columns(tmp_path, header, column):
    (tmp_path / "a.csv").write_text(header + "1,2.5,cat\n3,-4,dog\n5,6,cat\n")
    sets, notes = import_file(tmp_path, "csv", tmp_path / "a.csv", "--label-column", column)
    assert sets["x"].tolist() == [[1, 2.5], [3, -4], [5, 6]]
    assert sets["y"].tolist() == [0, 1, 0] and notes["label_values"].tolist() == ["cat", "dog"]


def test_csv_shapes_and_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("10;0;1;2;3\n9;4;5;6;7\n")
    sets, notes = import_file(tmp_path, "csv", path, "--delimiter", ";", "--label-column", "first",
                              "--shape", 1, 2, 2, "--range", 0, 16, "--rows", 2)
    assert sets["x"].tolist() == [[[[0, 1], [2, 3]]], [[[4, 5], [6, 7]]]]
    assert sets["y"].tolist() == [1, 0] and notes["label_values"].tolist() == [9, 10]
    assert (notes["value_min"], notes["value_max"]) == (0, 16)
    sets, notes = import_file(tmp_path, "csv", path, "--delimiter", ";", "--label-column", "none")
    assert sets["x"].shape == (2, 5) and "y" not in sets and notes["classes"] == 0


@pytest.mark.parametrize("text, arguments, message", [
    ("1,2,0\n3,4\n", ("last",), "bad:2: 2 columns where the first row has 3"),
    ("1,2,0\n3,4,1,5\n", ("last",), "bad:2: 4 columns"),
    ("1,2,0\n3,x,1\n", ("last",), "bad:2: 'x' is not a finite number"),
    ("1,2,0\n3,,1\n", ("last",), "bad:2: '' is not a finite number"),
    ("1,2,0\n3,4,\n", ("last",), "bad:2: the label is empty"),
    ("1,2,0\n3,inf,1\n", ("last",), "'inf' is not a finite number"),
    ("a,b\n1,2\n", ("c",), "no label column 'c'; use none, first, last, 1..2, or one of a, b"),
    ("1,2\n3,4\n", ("3",), "no label column '3'"),
    ("1\n2\n", ("last",), "the label column is the only one"),
    ("a,b\n", ("last",), "a header and no rows"),
    ("", ("last",), "no rows"),
    ('1,"2\n', ("last",), "the file is truncated or its quotes do not match"),
    ("1,1,0\n1,1,1\n", ("last",), "every value is 1"),
    ("1,2,0\n3,4,1\n", ("last", "--rows", 3), "2 rows, but --rows 3 were promised"),
    ("1,2,0\n3,4,1\n", ("last", "--shape", 3), "do not fill --shape"),
    ("1,2,0\n3,4,1\n", ("last", "--range", 0, 3), "values 1..4 do not lie within --range 0 3"),
    ("1,2,0\n3,4,1\n", ("last", "--hold-out", 2), "--hold-out 2: 2 rows allow 1..1")])
def test_damaged_csv_is_refused(tmp_path, text, arguments, message):
    (tmp_path / "bad").write_text(text)
    assert_refused(tmp_path, message, "csv", tmp_path / "bad", "--label-column", *arguments)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "bad").write_bytes(b"1,2\n\xff\xfe")
    assert_refused(tmp_path, "byte 4 is not UTF-8", "csv", tmp_path / "bad", "--label-column",
                   "none")
    assert_refused(tmp_path, "no: No such file or directory", "libsvm", tmp_path / "no")


def test_output_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    result = run_importer("digits", "--output", tmp_path / "file" / "d.h5")
    assert result.returncode == 2 and "cannot write" in result.stderr


def test_old_output_stays_when_the_input_is_bad(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    before = import_file(tmp_path, "csv", tmp_path / "a.csv", "--label-column", "none")[0]["x"]
    (tmp_path / "a.csv").write_text("1,2\n3\n")
    result = run_importer("csv", tmp_path / "a.csv", "--label-column", "none", "--output",
                          tmp_path / "out.h5")
    assert result.returncode == 2
    assert (read_file(tmp_path / "out.h5")[0]["x"] == before).all()


def test_command_line_mistakes_exit_with_2(tmp_path):
    for arguments in ((), ("digits",), ("png", "--output", "x"),
                      ("digits", "--output", tmp_path / "d.h5", "--hold-out", -1)):
        assert run_importer(*arguments).returncode == 2


# --- the real files ----------------------------------------------------------------------------

@pytest.mark.skipif(not REAL.is_dir(), reason="no data")
@pytest.mark.parametrize("name, rows, features, positive", [
    ("a9a", 32561, 123, 7841), ("phishing", 11055, 68, None), ("ijcnn1", 49990, 22, 4853),
    ("w8a", 49749, 300, 1479), ("german.numer_scale", 1000, 24, None)])
def test_real_libsvm(tmp_path, name, rows, features, positive):
    sets, notes = import_file(tmp_path, "libsvm", REAL / "libsvm" / f"{name}.gz", "--rows", rows)
    assert sets["x"].shape == (rows, features) and notes["classes"] == 2
    assert positive in (None, sets["y"].sum())


@pytest.mark.skipif(not REAL.is_dir(), reason="no data")
@pytest.mark.parametrize("folder", ["mnist", "fashion-mnist"])
def test_real_idx(tmp_path, folder):
    files = [REAL / folder / f"t10k-{kind}.gz" for kind in ("images-idx3-ubyte",
                                                            "labels-idx1-ubyte")]
    sets, notes = import_file(tmp_path, "idx", *files)
    assert sets["x"].shape == (10000, 1, 28, 28) and sets["x"].max() == 255
    assert np.bincount(sets["y"]).min() >= 892 and notes["classes"] == 10

# SPDX-License-Identifier: BSD-3-Clause
"""The table of runs: its numbers are the log's last ones."""

import numpy as np

import summary
from postprocess import make_run


def read_table(text):
    return {line.split("  ")[0]: line.split()[-2:] for line in text.splitlines()}


def test_table_numbers(tmp_path, capsys):
    first = make_run.write_log(tmp_path / "first", seed=3)
    second = make_run.write_log(tmp_path / "second", seed=4, records=2,
                                measures={"gap": np.array([1.0, 0.123456789])})
    assert summary.main([str(first), str(second)]) == 0
    text = capsys.readouterr().out
    table = read_table(text)
    assert table["run"] == ["first", "second"]
    assert table["seed"] == ["3", "4"] and table["ranks"] == ["2", "2"]
    assert table["iteration"] == ["80/100", "20/100"]
    assert table["wall_train [s]"] == ["12", "4"]
    assert table["bytes [B]"] == ["16000", "4000"]
    assert table["loss_x"] == ["7", "5"]
    assert table["field_norm"] == ["0.0001", "0.1"]
    assert table["swd"] == ["0.1", "-"]
    assert table["gap"] == ["-", "0.12346"]
    assert len({len(line) for line in text.splitlines()}) == 1


def test_run_without_rows(tmp_path, capsys):
    run = make_run.write_log(tmp_path / "a", records=0)
    assert summary.main([str(run)]) == 0
    assert "0/100" in capsys.readouterr().out


def test_output_file_is_named(tmp_path, capsys):
    run, path = make_run.write_log(tmp_path / "a"), tmp_path / "table.txt"
    assert summary.main([str(run), "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert "80/100" in path.read_text()


def test_command_refuses(tmp_path, capsys):
    assert summary.main([str(tmp_path)]) == 2
    assert "log.h5: no such file" in capsys.readouterr().err
    run = make_run.write_log(tmp_path / "a")
    assert summary.main([str(run), "-o", str(tmp_path / "no" / "t")]) == 2
    assert "cannot write" in capsys.readouterr().err

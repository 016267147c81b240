# SPDX-License-Identifier: BSD-3-Clause
"""A study of a tiny deck through the whole binary: its numbers against the logs as h5py reads them,
what is run again and what is not, and the mistakes that a user can make. The decks of
inputs/studies and their figure files must fit each other and pass `parley check`.
"""

import subprocess
import sys
from pathlib import Path

import h5py
import matplotlib.image
import numpy as np
import pytest
from support.runner import PARLEY, command, environment

import reader
import study
import study_plan

ROOT = Path(__file__).parents[2]
DECKS = sorted(path for path in (ROOT / "inputs/studies").glob("*.toml")
               if not path.name.endswith(".figure.toml"))
DECK = """[run]
agents = 4
iterations = 60
precision = "double"
[game]
kind = "quadratic"
dim_x = 3
dim_y = 3
mu = 0.5
heterogeneity = 0.2
[method]
kind = "dposg"
step = { x = 0.1, y = 0.1 }
[graph]
kind = "ring"
[record]
every = 10
[variant.small]
[variant.large]
method.step = { x = 0.2, y = 0.2 }
"""
FIGURE = """title = "two steps"
caption = \"\"\"
Ends at {end[small]:.6e} and
{end[large]:.6e}: {times[small]:.6e} and {share[small]:.6e} times.

Below 2 after {reached[large]:.0f} rounds, below 0 {nothing[large]:.0f}; smallest
{least[small]:.6e}, tail {tail[small]:.6e}.\"\"\"
[[panels]]
x = "rounds"
y = "distance_to_solution"
[[panels]]
x = "iteration"
y = "field_norm"
variants = ["sm*"]
x_scale = "log"
[lines]
"large" = { label = "twice the step", colour = 3 }
[numbers]
end = { column = "distance_to_solution" }
times = { ratio = "end", to = "large" }
share = { ratio = "end", of = "large" }
reached = { column = "distance_to_solution", below = 2, at = "rounds" }
nothing = { column = "field_norm", below = 0, at = "rounds" }
tail = { column = "field_norm", take = "tail" }
least = { column = "field_norm", take = "min" }
"""


@pytest.fixture
def deck(tmp_path):
    """tiny.toml and its figure file."""
    (tmp_path / "tiny.figure.toml").write_text(FIGURE)
    path = tmp_path / "tiny.toml"
    path.write_text(DECK)
    return path


@pytest.fixture
def no_picture(monkeypatch):
    """An empty picture for the tests of the runs alone, which would draw it many times."""
    monkeypatch.setattr(study, "draw_figure", lambda *_: study.plt.figure())


def draw(deck, *words):
    """Exit code of the script on the deck, its runs beside it."""
    return study.main([str(deck), "--parley", PARLEY, "--runs", str(deck.parent / "runs"), *words])


def log_of(deck, run):
    with h5py.File(deck.parent / "runs" / run / "log.h5") as file:
        return {name: item[()] for name, item in file["log"].items()}


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_caption_holds_the_numbers_of_the_logs(deck, capsys):
    assert draw(deck) == 0
    small, large = log_of(deck, "small"), log_of(deck, "large")
    ends = [log["distance_to_solution"][-1] for log in (small, large)]
    first = next(i for i, value in enumerate(large["distance_to_solution"]) if value < 2)
    assert 0 < first < len(large["rounds"]) - 1
    caption = (f"Ends at {ends[0]:.6e} and {ends[1]:.6e}: {ends[0] / ends[1]:.6e} and "
               f"{ends[1] / ends[0]:.6e} times.\n"
               f"Below 2 after {large['rounds'][first]:.0f} rounds, below 0 never; smallest "
               f"{np.min(small['field_norm']):.6e}, tail {small['field_norm'][-1]:.6e}.")
    text = (deck.parent / "runs/tiny.txt").read_text()
    assert text.startswith(f"two steps\n\n{caption}\n\n")
    row = next(line for line in text.splitlines() if line.startswith("large")).split()
    assert row[1:3] == ["1", "60"] and row[-2:] == [f"{large['field_norm'][-1]:.5g}", "done"]
    assert f"{ends[1]:.5g}" in row
    picture = matplotlib.image.imread(deck.parent / "runs/tiny.png")
    assert picture.shape[1] > 1000 and picture.std() > 0.05
    assert "small: done in" in capsys.readouterr().out


def test_lines_drawn_are_those_of_the_logs(deck):
    assert draw(deck) == 0
    plan = study_plan.read_plan(deck)
    groups = {name: [reader.read_run(deck.parent / "runs" / name)] for name in plan.variants}
    left, right = study.draw_figure(plan, groups, "caption").axes
    assert [line.get_label() for line in left.lines] == ["small", "twice the step"]
    assert left.lines[1].get_color() == study.style.COLOURS[3]
    large, small = log_of(deck, "large"), log_of(deck, "small")
    assert left.lines[1].get_xdata().tolist() == large["rounds"].tolist()
    assert left.lines[1].get_ydata().tolist() == large["distance_to_solution"].tolist()
    assert [line.get_ydata().tolist() for line in right.lines] == [small["field_norm"].tolist()]
    assert right.get_xscale() == "log" and left.get_xscale() == "linear"


def test_finished_runs_are_used_again_until_something_changes(deck, capsys, no_picture):
    def ran():
        """Runs that were made in this call."""
        assert draw(deck) == 0
        return [line.split(":")[0] for line in capsys.readouterr().out.splitlines()
                if ": done in" in line]

    assert sorted(ran()) == ["large", "small"]
    assert ran() == []
    replace(deck, "x = 0.2, y = 0.2", "x = 0.15, y = 0.2")
    assert ran() == ["large"]
    (deck.parent / "runs/small/study.json").write_text("{")
    assert ran() == ["small"]
    (deck.parent / "runs/large/log.h5").unlink()
    assert ran() == ["large"]
    assert draw(deck, "--fresh") == 0
    assert "small: done in" in capsys.readouterr().out
    assert draw(deck, "--set", "run.iterations=40") == 0
    assert log_of(deck, "small")["iteration"][-1] == 40


def test_a_changed_input_file_is_noticed(deck, capsys, no_picture):
    (deck.parent / "ring.txt").write_text("0 1\n1 2\n2 3\n3 0\n")
    replace(deck, 'kind = "ring"', f'kind = "file"\nfile = "{deck.parent / "ring.txt"}"')
    assert draw(deck) == 0 and draw(deck) == 0
    assert capsys.readouterr().out.count("as it was") == 2
    (deck.parent / "ring.txt").write_text("0 1\n1 2\n2 3\n3 0\n0 2\n")
    assert draw(deck) == 0
    assert capsys.readouterr().out.count("done in") == 2


def test_seeds_give_a_median_and_its_range(deck):
    replace(deck, "heterogeneity = 0.2", "heterogeneity = 0.2\nnoise = 0.5")
    replace(deck.with_name("tiny.figure.toml"), 'title = "two steps"',
            'title = "two steps"\nseeds = [1, 2, 3]')
    assert draw(deck) == 0
    ends = [log_of(deck, f"small-seed{seed}")["distance_to_solution"][-1] for seed in (1, 2, 3)]
    assert len(set(ends)) == 3
    text = (deck.parent / "runs/tiny.txt").read_text()
    assert f"Ends at {sorted(ends)[1]:.6e} and" in text


def test_ranks_change_bytes_alone(deck, no_picture):
    assert draw(deck) == 0
    alone = log_of(deck, "small")
    assert draw(deck, "--ranks", "2") == 0
    both = log_of(deck, "small")
    assert alone["bytes"][-1] == 0 and both["bytes"][-1] > 0
    assert alone["distance_to_solution"].tolist() == both["distance_to_solution"].tolist()


def test_a_diverged_variant_is_drawn_and_named(deck):
    replace(deck, "x = 0.2, y = 0.2", "x = 1e300, y = 1e300")
    assert draw(deck) == 0
    text = (deck.parent / "runs/tiny.txt").read_text()
    assert next(line for line in text.splitlines() if line.startswith("large")).endswith("diverged")


@pytest.mark.parametrize("old, new, message", [
    ('variants = ["sm*"]', 'variants = ["big*"]',
     "panel 2: no variant 'big*' in the deck; it has small, large"),
    ('y = "field_norm"', 'y = "no_such"',
     "panel 2: no column 'no_such' in the log of variant small; it has iteration"),
    ('take = "min"', 'take = "max"', "number least: take = 'max' must be last, min or tail"),
    ('ratio = "end", to', 'ratio = "least", to', "ratio = 'least' must name a number above it"),
    ('to = "large"', 'to = "huge"', "number times: no variant 'huge' in the deck; it has small"),
    ('to = "large"', 'to = "large", of = "small"', "number times: a ratio needs a variant, as"),
    (', at = "rounds"', "", "number reached: below and at go together"),
    ("{reached[large]", "{reach[large]", "{reach[large]}: no number 'reach'; [numbers] has end"),
    ("{reached[large]", "{reached[big]", "{reached[big]}: no variant 'big' in the deck"),
    ("{reached[large]", "{reached", "{reached}: write {NUMBER[VARIANT]:.2g}"),
    ("{reached[large]:.0f}", "{reached[large]:.0q}", "{reached[large]:.0q}: "),
    ("below 0 {nothing", "below 0 {{nothing", "caption: Single '}'"),
    ('column = "distance_to_solution" }', 'column = "distance" }',
     "number end: no column 'distance' in the log of variant small; it has iteration"),
    ("x_scale = ", "scale = ", "panel 2: unknown key 'scale'; it may have x, y"),
    ('x = "rounds"\n', "", "panel 1: x is missing"),
    ("colour = 3", 'colour = "red"', "lines.'large': colour = 'red' must be of type int"),
    ('title = "two steps"', "title = two", "not TOML")])
def test_mistakes_in_the_figure_file(deck, capsys, old, new, message):
    replace(deck.with_name("tiny.figure.toml"), old, new)
    assert draw(deck, "--jobs", "1") == 2
    error = capsys.readouterr().err
    assert message in error and "tiny.figure.toml" in error
    assert not (deck.parent / "runs/tiny.png").exists()


def test_mistakes_elsewhere(deck, capsys):
    assert draw(deck, "--set", "method.kind=\"dposgg\"", "--jobs", "1") == 2
    error = capsys.readouterr().err
    assert "variant small: the solver ended with exit code 2" in error and "dposgg" in error
    assert draw(deck, "--parley", "no-such-program") == 2
    assert "no-such-program: no such program" in capsys.readouterr().err
    assert draw(deck, "--figure", str(deck.parent / "none.toml")) == 2
    assert "none.toml: No such file" in capsys.readouterr().err
    deck.write_text(DECK[:DECK.index("[variant.small]")])
    assert draw(deck) == 2
    assert "no [variant.NAME]" in capsys.readouterr().err


def test_as_a_script(deck):
    done = subprocess.run([sys.executable, ROOT / "postprocess/study.py", deck, "--parley", PARLEY],
                          cwd=deck.parent, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (deck.parent / "runs/tiny/tiny.png").stat().st_size > 0
    assert (deck.parent / "runs/tiny/large/log.h5").exists()


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
def test_the_studies_pass_the_check(path, tmp_path, monkeypatch):
    """Data files are looked up in the working folder: small ones stand in for the real ones."""
    for name, features in (("a9a", 123), ("a9a-test", 123), ("ijcnn1", 22)):
        (tmp_path / name).write_text("".join(
            f"{(-1) ** i} {1 + i % 5}:1 {features - i % 7}:1\n" for i in range(40)))
        subprocess.run([sys.executable, ROOT / "inputs/import_dataset.py", "libsvm",
                        tmp_path / name, "--output", tmp_path / f"data/{name}.h5"], check=True)
    monkeypatch.chdir(tmp_path)
    for variant in study_plan.read_plan(path).variants:
        code, output = command("check", path, "--variant", variant)
        assert code == 0, f"{variant}: {output}"


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
def test_the_studies_quote_what_they_take(path):
    """Every name of the figure file exists (or reading it fails), and every number is quoted."""
    plan = study_plan.read_plan(path)
    quoted = {name for _, name, _, _ in plan.quotes} | {spec.ratio
                                                        for spec in plan.numbers.values()}
    assert set(plan.numbers) <= quoted

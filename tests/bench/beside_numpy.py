# SPDX-License-Identifier: BSD-3-Clause
"""One iteration of dposg on robust nonconvex regression, ring of 20, batch 32, double: parley
beside NumPy, one thread each, in turns; prints medians of processor time and their ratios.

Usage: beside_numpy.py PARLEY TRAIN.h5 [ROUNDS], TRAIN.h5 made by import_dataset.py, a9a say. NumPy
is measured twice: agent by agent, as such programs are written, and with all agents in one array.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import pathlib  # noqa: E402
import resource  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402

import h5py  # noqa: E402
import numpy as np  # noqa: E402

AGENTS, BATCH, STEP_X, STEP_Y = 20, 32, 0.01, 0.1
DECK = f"""[run]
agents = {AGENTS}
iterations = 1
precision = "double"
output = "OUTPUT"
[game]
kind = "robust-nonconvex-regression"
[data]
kind = "file"
file = "FILE"
partition = {{ kind = "contiguous" }}
[init]
agents = "per_agent"
[method]
kind = "dposg"
step = {{ x = {STEP_X}, y = {STEP_Y} }}
batch = {BATCH}
[record]
every = 1000000
"""


def slopes_of(t, y):
    """phi'(t - y) / batch of phi(r) = 2 log(1 + r^2/2)."""
    r = t - y
    return 2 * r / (1 + r * r / 2) / BATCH


class Start:
    """Data in double, and the rows of all agents."""

    def __init__(self, file):
        with h5py.File(file) as data:
            self.x, labels = data["x"][()].astype(float), data["y"][()]
        self.y = np.where(labels == 1, 1.0, -1.0)
        features = self.x.shape[1]
        self.random = np.random.default_rng(1)
        self.iterates = np.full((AGENTS, 2 * features), 1 / features)
        self.iterates[:, :features] = 0.1 * self.random.normal(size=(AGENTS, features))
        self.field = np.zeros_like(self.iterates)
        self.eta = np.repeat([STEP_X, STEP_Y], features)
        mix = np.eye(AGENTS) / 3
        self.mix = mix + np.roll(mix, 1, axis=0) + np.roll(mix, -1, axis=0)
        parts = np.array_split(np.arange(len(self.y)), AGENTS)
        self.begin, self.count = np.array([(p[0], len(p)) for p in parts]).T

    def step(self, field):
        """Z = W X - eta G; G = field(Z); X = W X - eta G."""
        mixed = self.mix @ self.iterates
        self.field = field(mixed - self.eta * self.field)
        self.iterates = mixed - self.eta * self.field


def field_by_agent(start):
    """The field of all agents, one after the other."""
    def field(z):
        out = np.empty_like(z)
        for m in range(AGENTS):
            w, d = np.split(z[m], 2)
            rows = start.begin[m] + start.random.integers(start.count[m], size=BATCH)
            x = start.x[rows] + d
            c = slopes_of(x @ w, start.y[rows])
            out[m] = np.concatenate([c @ x, d - c.sum() * w])
        return out
    return field


def field_at_once(start):
    """The same with all agents in one array."""
    def field(z):
        w, d = np.split(z, 2, axis=1)
        rows = start.begin[:, None] + start.random.integers(start.count[:, None],
                                                            size=(AGENTS, BATCH))
        x = start.x[rows]
        t = (x @ w[:, :, None])[:, :, 0] + (w * d).sum(axis=1)[:, None]
        c = slopes_of(t, start.y[rows])
        total = c.sum(axis=1)[:, None]
        return np.concatenate([(c[:, None, :] @ x)[:, 0] + total * d, d - total * w], axis=1)
    return field


def time_numpy(start, field, steps=300):
    """Processor microseconds of a step."""
    begin = time.process_time()
    for _ in range(steps):
        start.step(field)
    return 1e6 * (time.process_time() - begin) / steps


def time_parley(program, deck, steps=10000):
    """Processor microseconds of an iteration: a long run less a short one."""
    def seconds(iterations):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "run", deck, "--overwrite", "--set",
                        f"run.iterations={iterations}"], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return 1e6 * (seconds(steps + 10) - seconds(10)) / steps


def main():
    program, file = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    times = {"NumPy, agent by agent": [], "NumPy, at once": [], "parley": []}
    start = Start(file)
    with tempfile.TemporaryDirectory() as folder:
        deck = pathlib.Path(folder) / "deck.toml"
        deck.write_text(DECK.replace("FILE", file).replace("OUTPUT", f"{folder}/run"))
        for _ in range(rounds):
            times["NumPy, agent by agent"].append(time_numpy(start, field_by_agent(start)))
            times["NumPy, at once"].append(time_numpy(start, field_at_once(start)))
            times["parley"].append(time_parley(program, deck))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:24}{value:9.1f} us an iteration, parley's times "
              f"{value / medians['parley']:.1f}")


if __name__ == "__main__":
    main()

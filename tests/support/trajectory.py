# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the binary on a quadratic game of given matrices, and the same oracle in NumPy, noise
included: what a transcription of a method needs to follow its rows from iteration to iteration.
"""

import dataclasses
import functools
import tempfile
from pathlib import Path

import numpy as np
from support import philox
from support.runner import Result, command, run_well, write_deck, write_quadratic

SEED = 3

DECK = f"""[run]
name = "trajectory"
agents = AGENTS
iterations = ITERATIONS
precision = "double"
seed = {SEED}
output = "OUTPUT"
[game]
kind = "quadratic"
file = "game.h5"
noise = NOISE
[init]
agents = "START"
[record]
every = EVERY
snapshot_every = EVERY
[method]
step.x = STEP_X
step.y = STEP_Y
"""


class Oracle:
    """Rows of F_m(z_m) = M_m z_m + q_m plus the noise of a draw; draws count the calls."""

    def __init__(self, matrices, vectors, noise):
        self.matrices, self.vectors, self.noise, self.draw = matrices, vectors, noise, -1

    def __call__(self, z):
        """At a fresh sample."""
        self.draw += 1
        return self.again(z)

    def again(self, z):
        """At the latest sample."""
        exact = np.einsum("mij,mj->mi", self.matrices, z) + self.vectors
        if self.noise == 0:
            return exact
        agents, dim = self.vectors.shape
        return exact + self.noise * np.array(
            [philox.normal(SEED, philox.ORACLE_NOISE, m, self.draw, dim) for m in range(agents)])


@dataclasses.dataclass(frozen=True)
class Setting:
    """Sizes, steps per coordinate and noise of one comparison."""

    agents: int = 6
    dim_x: int = 4
    dim_y: int = 3
    step_x: float = 0.13
    step_y: float = 0.17
    noise: float = 0.0
    iterations: int = 40
    every: int = 10
    start: str = "per_agent"
    equal_data: bool = False
    seed: int = 8

    @property
    def steps(self):
        return np.array([self.step_x] * self.dim_x + [self.step_y] * self.dim_y)

    @property
    def kept(self):
        return range(self.every, self.iterations + 1, self.every)

    def text(self):
        words = {"AGENTS": self.agents, "ITERATIONS": self.iterations, "NOISE": self.noise,
                 "START": self.start, "EVERY": self.every, "STEP_X": self.step_x,
                 "STEP_Y": self.step_y}
        text = DECK
        for name, value in words.items():
            text = text.replace(name, str(value))
        return text


@functools.cache
def start_rows(setting):
    """Rows of the start, which belong to the game and not to the method: a run of no iterations."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_game(folder, setting)
        text = dataclasses.replace(setting, iterations=0).text() + 'kind = "local-sgda"\n'
        return run_alone(folder, text).parameters()


def write_game(folder, setting):
    return write_quadratic(folder / "game.h5", setting.agents, setting.dim_x, setting.dim_y,
                           setting.seed, equal=setting.equal_data)


def run_alone(folder, text):
    """One rank without a launcher, which spares a second."""
    code, output = command("run", write_deck(folder, text))
    assert code == 0, output
    return Result(code, output, folder / "run")


def run_rows(folder, setting, method, ranks=1):
    """(oracle, rows of the start, {iteration: rows}) of a run; `method` continues [method]."""
    folder.mkdir(exist_ok=True)
    matrices, vectors = write_game(folder, setting)
    text = setting.text() + method
    result = run_alone(folder, text) if ranks == 1 else run_well(folder, text, ranks)
    rows = {k: result.snapshot(k)["parameters"] for k in setting.kept}
    return Oracle(matrices, vectors, setting.noise), start_rows(setting), rows


def expect_followed(rows, trajectory, moved=0.1):
    """Rows equal to the transcription's to 1e-12, which goes somewhere."""
    for k, row in rows.items():
        error = np.abs(row - trajectory[k]).max() / np.abs(trajectory[k]).max()
        assert error < 1e-12, f"iteration {k}: relative error {error}"
    assert np.abs(trajectory[max(rows)] - trajectory[0]).max() > moved


def everywhere(mean, z):
    """One row on every agent."""
    return np.broadcast_to(mean, z.shape)

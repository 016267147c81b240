# SPDX-License-Identifier: BSD-3-Clause
"""Runs the parley binary (environment variable PARLEY) for the whole-binary tests, and opens what
it wrote with h5py alone: the product's own reader must not vouch for the product's files.
"""

import dataclasses
import os
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np

PARLEY = os.environ.get("PARLEY", "parley")
MPIRUN = ["mpirun", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMP_NUM_THREADS": "1",
    "OMP_PROC_BIND": "false"}
# Columns of the log that may differ between two runs of the same deck.
TIMES = ("wall_train", "wall_total")


@dataclasses.dataclass
class Result:
    """Exit code, stdout and stderr together, and the run folder."""

    code: int
    output: str
    folder: Path

    def log(self):
        """{name: values} of /log."""
        with h5py.File(self.folder / "log.h5") as file:
            return {name: item[()] for name, item in file["log"].items()}

    def agent_log(self):
        """{name: rows x agents} of /agents."""
        with h5py.File(self.folder / "log.h5") as file:
            return {name: item[()] for name, item in file["agents"].items()}

    def snapshot(self, iteration=None):
        """{name: array} of a snapshot's parameters, means and samples; default: the newest."""
        files = sorted((self.folder / "snapshots").glob("*.h5"))
        name = f"{iteration:08}.h5" if iteration is not None else files[-1].name
        with h5py.File(self.folder / "snapshots" / name) as file:
            names = ("parameters", "mean", "ema", "average", "samples")
            return {key: file[key][()] for key in names if key in file}

    def parameters(self):
        """M x dim of the newest snapshot."""
        return self.snapshot()["parameters"]


def environment(extra=None):
    return {**os.environ, **MPI_ENVIRONMENT, **(extra or {})}


def words_of(deck, ranks, words=()):
    """The command line that runs a deck file."""
    return [*MPIRUN, "-n", str(ranks), PARLEY, "run", str(deck), *words]


def write_deck(folder, text, output=None):
    """deck.toml in `folder`; the run's output goes to `output`, default folder/run."""
    folder.mkdir(parents=True, exist_ok=True)
    deck = folder / "deck.toml"
    deck.write_text(text.replace("OUTPUT", str(output or folder / "run")))
    return deck


def command(*words, env=None, timeout=60):
    """The binary without mpirun: (exit code, stdout and stderr together)."""
    done = subprocess.run([PARLEY, *map(str, words)], env=environment(env), timeout=timeout,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def run(folder, text, ranks=1, words=(), env=None, timeout=120):
    """Runs the deck `text`, whose run.output must read "OUTPUT", on `ranks` ranks."""
    deck = write_deck(folder, text)
    with subprocess.Popen(words_of(deck, ranks, words), env=environment(env), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            kill_all(process)
            output, _ = process.communicate()
            raise AssertionError(f"still running after {timeout} s:\n{output}") from None
    return Result(process.returncode, output, folder / "run")


def run_well(folder, text, ranks=1, words=()):
    """The same; the run must exit with 0."""
    result = run(folder, text, ranks, words)
    assert result.code == 0, result.output
    return result


def run_alone(folder, text):
    """The run on one rank, without a launcher; it must exit with 0."""
    code, output = command("run", write_deck(folder, text), timeout=120)
    assert code == 0, output
    return Result(code, output, folder / "run")


def ranks_under(process):
    """Process numbers of the parley ranks that a launcher started, directly or through a daemon."""
    found, open_ = [], [process.pid]
    while open_:
        for task in Path(f"/proc/{open_.pop()}/task").glob("*/children"):
            try:
                children = [int(child) for child in task.read_text().split()]
            except OSError:
                continue
            open_ += children
            found += children
    return found


def kill_all(process, number=signal.SIGKILL):
    """SIGKILLs the launcher and all ranks at once, as a machine that goes down does."""
    children = ranks_under(process)
    for each in [*children, process.pid] if number == signal.SIGKILL else children:
        try:
            os.kill(each, number)
        except ProcessLookupError:
            pass


def same_bits(a, b):
    """Equal shapes, types and bytes."""
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def different_columns(a, b, skip=TIMES):
    """Names of the log columns whose bits differ; NaN equals NaN."""
    assert set(a) == set(b)
    return [name for name in a if name not in skip and not same_bits(a[name], b[name])]


def write_quadratic(file, agents, dx, dy, seed=5, heterogeneity=0.4, equal=False):
    """A quadratic game's file with positive definite P, Q for every agent and coupled players;
    `equal`: all agents hold those of the file for one agent.

    Returns (matrices M x d x d, vectors M x d) of the field M_m z + q_m, d = dx + dy.
    """
    random = np.random.default_rng(seed)
    different = 1 if equal else agents

    def definite(n):
        common = random.normal(size=(n, n))
        own = heterogeneity * random.normal(size=(different, n, n))
        square = (common + own) @ np.swapaxes(common + own, 1, 2)
        return square / np.linalg.norm(square, 2, axis=(1, 2), keepdims=True) + 0.6 * np.eye(n)

    p, q = definite(dx), definite(dy)
    a = 0.5 * (random.normal(size=(dx, dy))
               + heterogeneity * random.normal(size=(different, dx, dy)))
    b, c = random.normal(size=(different, dx)), random.normal(size=(different, dy))
    if equal:
        p, q, a, b, c = (np.repeat(each, agents, axis=0) for each in (p, q, a, b, c))
    with h5py.File(file, "w") as out:
        for name, values in {"P": p, "A": a, "Q": q, "b": b, "c": c}.items():
            out.create_dataset(name, data=values)
    matrices = np.block([[p, a], [-np.swapaxes(a, 1, 2), q]])
    return matrices, np.concatenate([b, -c], axis=1)


def neighbours_of(kind, n):
    """Per agent the set of agents that it reads, by definition."""
    near = [set() for _ in range(n)]
    rows = max(r for r in range(1, int(n**0.5) + 1) if n % r == 0)
    columns = n // rows
    for i in range(n):
        r, c = divmod(i, columns)
        if kind == "ring":
            near[i] = {(i - 1) % n, (i + 1) % n}
        elif kind == "path":
            near[i] = {i - 1, i + 1} & set(range(n))
        elif kind == "complete":
            near[i] = set(range(n))
        elif kind == "star":
            near[i] = set(range(1, n)) if i == 0 else {0}
        elif kind == "torus":
            near[i] = {r * columns + (c + 1) % columns, r * columns + (c - 1) % columns,
                       (r + 1) % rows * columns + c, (r - 1) % rows * columns + c}
        elif kind == "grid":
            near[i] = {p * columns + q for p in range(rows) for q in range(columns)
                       if abs(p - r) + abs(q - c) == 1}
        elif kind == "ladder":
            near[i] = {j for j in range(n) if j % (n // 2) == i % (n // 2)
                       or (j // (n // 2) == i // (n // 2) and abs(i - j) == 1)}
        elif kind == "hypercube":
            near[i] = {j for j in range(n) if bin(i ^ j).count("1") == 1}
        elif kind == "binary-tree":
            near[i] = {(i - 1) // 2, 2 * i + 1, 2 * i + 2} & set(range(n))
        elif kind == "exponential":
            near[i] = {(i + 2**j) % n for j in range((n - 1).bit_length())}
        near[i] -= {i}
    return near


def metropolis(near):
    """W_ij = 1/(1 + max(degrees)) where i reads j; the rest on the diagonal."""
    n = len(near)
    w = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            w[i, j] = 1 / (1 + max(len(near[i]), len(near[j])))
        w[i, i] = 1 - w[i].sum()
    return w


def mixing_matrix(kind, n):
    """W of a kind: Metropolis, but for exponential equal weights (Ying et al., arXiv 2110.13363),
    which are the same since all agents read equally many."""
    return metropolis(neighbours_of(kind, n))


def one_peer_matrices(n):
    """The period of the one-peer exponential graph: row i averages with i - 2^r mod n."""
    out = []
    for r in range(max((n - 1).bit_length(), 1)):
        w = np.eye(n) / 2
        for i in range(n):
            w[i, (i - 2**r) % n] += 0.5
        out.append(w)
    return out

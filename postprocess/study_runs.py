# SPDX-License-Identifier: BSD-3-Clause
"""The runs of a study: one per variant and seed, made by the solver unless they are there already.

A run folder of a study holds study.json beside the log: what the run was made from and how it
ended. Must not know what is drawn.
"""

import concurrent.futures
import dataclasses
import json
import os
import subprocess
import time
from pathlib import Path

import reader

# Exit codes of the solver that leave a log worth drawing.
ENDS = {0: "done", 3: "diverged", 4: "missed [expect]"}
STAMP = "study.json"
# Open MPI wants to be told that ranks may share cores, and told twice that root may start them;
# other launchers do not read these.
LAUNCHER = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "PRTE_MCA_hwloc_default_binding_policy": "none"}
if os.geteuid() == 0:
    LAUNCHER.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
LAST_LINES = 12  # of the solver's output in the message of a failed run


@dataclasses.dataclass
class Request:
    """What all runs share: settings are texts K=V for --set; fresh runs everything anew."""

    deck: Path
    folder: Path
    parley: Path
    ranks: int
    settings: list
    fresh: bool


@dataclasses.dataclass
class Job:
    """One run: its folder, command line and stamp."""

    variant: str
    folder: Path
    words: list
    stamp: dict


def find_files(value, folder):
    """{path: (bytes, time of change)} of the texts in a deck that name a file."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        found = {}
        for part in value:
            found.update(find_files(part, folder))
        return found
    if not isinstance(value, str) or not value:
        return {}
    for path in (folder / value, Path(value)):
        try:
            if path.is_file():
                status = path.stat()
                return {str(path.resolve()): [status.st_size, status.st_mtime_ns]}
        except OSError:  # a text too long for a path
            continue
    return {}


def ask_version(parley):
    """The solver's `--version`, which tells builds apart."""
    done = subprocess.run([parley, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        raise reader.SchemaError(f"{parley}: --version failed:\n{done.stdout}")
    return done.stdout.strip()


def list_jobs(request, plan):
    """A Job for each variant and seed."""
    version = ask_version(request.parley)
    base = {key: value for key, value in plan.deck.items() if key != "variant"}
    launcher = ["mpirun", "-n", str(request.ranks)] if request.ranks > 1 else []
    jobs = []
    for variant in plan.variants:
        own = plan.deck["variant"][variant]
        for seed in plan.seeds or [None]:
            folder = request.folder / (variant if seed is None else f"{variant}-seed{seed}")
            seeds = [] if seed is None else [f"run.seed={seed}"]
            settings = [*seeds, *request.settings]
            values = [text.partition("=")[2] for text in request.settings]
            stamp = {"deck": base, "variant": own, "set": settings, "ranks": request.ranks,
                     "version": version,
                     "files": find_files([base, own, values], request.deck.parent)}
            words = [*launcher, str(request.parley), "run", str(request.deck), "--variant", variant,
                     "--overwrite"]
            for setting in [*settings, f"run.output={json.dumps(str(folder))}"]:
                words += ["--set", setting]
            jobs.append(Job(variant, folder, words, json.loads(json.dumps(stamp, default=str))))
    return jobs


def earlier_end(job):
    """The exit code of an earlier run of the same job that left its log; None: there is none."""
    try:
        known = json.loads((job.folder / STAMP).read_text(encoding="utf-8"))
        end = known.pop("end")
    except (OSError, ValueError, KeyError, AttributeError):
        return None
    return end if known == job.stamp and (job.folder / "log.h5").is_file() else None


def perform(job, fresh):
    """(exit code, what to say): runs the job, or finds that it was run before."""
    end = None if fresh else earlier_end(job)
    if end is not None:
        return end, f"{job.folder.name}: as it was"
    (job.folder / STAMP).unlink(missing_ok=True)
    begun = time.monotonic()
    try:
        done = subprocess.run(job.words, env={**LAUNCHER, **os.environ}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    except OSError as error:
        raise reader.SchemaError(f"{job.words[0]}: {error.strerror}; is MPI installed?") from error
    if done.returncode not in ENDS or not (job.folder / "log.h5").is_file():
        tail = "\n".join(done.stdout.splitlines()[-LAST_LINES:])
        raise reader.SchemaError(f"variant {job.variant}: the solver ended with exit code "
                                 f"{done.returncode}:\n{tail}")
    (job.folder / STAMP).write_text(json.dumps({**job.stamp, "end": done.returncode}, indent=1),
                                    encoding="utf-8")
    return done.returncode, (f"{job.folder.name}: {ENDS[done.returncode]} in "
                             f"{time.monotonic() - begun:.1f} s")


def open_run(job, plan):
    """The Run; SchemaError when it lacks a column that the figure file asks for."""
    run = reader.read_run(job.folder)
    for column, where in plan.columns_of(job.variant):
        if column not in run.columns:
            raise reader.SchemaError(f"{plan.path}: {where}: no column {column!r} in the log of "
                                     f"variant {job.variant}; it has {', '.join(run.columns)}")
    return run


def run_variants(request, plan, at_once):
    """({variant: [Run]}, {run folder: exit code}); the first failure stops what has not begun."""
    jobs = list_jobs(request, plan)
    request.folder.mkdir(parents=True, exist_ok=True)
    groups, ends = {variant: [] for variant in plan.variants}, {}
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        running = {pool.submit(perform, job, request.fresh): job for job in jobs}
        try:
            for future in concurrent.futures.as_completed(running):
                end, line = future.result()
                print(line, flush=True)
                open_run(running[future], plan)
                ends[running[future].folder] = end
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    for job in jobs:
        groups[job.variant].append(open_run(job, plan))
    return groups, ends

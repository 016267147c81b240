# SPDX-License-Identifier: BSD-3-Clause
"""Small run folders by the HDF5 schema, written with h5py alone, for the postprocess tests."""

import h5py
import numpy as np

DECK = """[run]
name = "{name}"
iterations = 100
seed = {seed}
output = "runs/{name}"
[data]
scale = "{scale}"
[method]
kind = "dp-oadam"
[method.step]
x = {step}
"""
UNITS = {"wall_train": "s", "wall_total": "s", "bytes": "B"}


def write_log(folder, seed=1, step=0.001, records=5, measures=None,
              scale="symmetric"):
    """RUN/log.h5 of 3 agents: iteration 0, 20, 40, ...; loss_x = seed + row; swd every 2nd row."""
    folder.mkdir(parents=True, exist_ok=True)
    row = np.arange(records, dtype=float)
    columns = {"iteration": 20 * np.arange(records), "epoch": row, "wall_train": row * seed,
               "wall_total": 2 * row, "oracle_calls": 20 * np.arange(records),
               "rounds": 20 * np.arange(records), "bytes": 4000 * np.arange(records),
               "loss_x": seed + row, "loss_y": -row, "field_norm": 10.0 ** -row,
               "consensus_x": 1e-3 * row, "consensus_y": 2e-3 * row}
    columns.update(measures if measures is not None
                   else {"swd": np.where(row % 2 == 0, 0.5 / (1 + row), np.nan)})
    with h5py.File(folder / "log.h5", "w") as file:
        for name, values in columns.items():
            item = file.create_dataset(f"log/{name}", data=values)
            item.attrs["unit"] = np.bytes_(UNITS.get(name, "1"))
            item.attrs["meaning"] = f"what {name} means"
        for name in ("loss_x", "loss_y"):
            item = file.create_dataset(f"agents/{name}", data=np.zeros((records, 3)))
            item.attrs["unit"], item.attrs["meaning"] = "1", "loss of each agent"
        file["graph/edges"] = np.array([[0, 1], [0, 2], [1, 2]])
        file["graph/W"] = np.full((3, 3), 1 / 3)
        file["graph"].attrs["kind"] = "ring"
        file["deck"] = DECK.format(name=folder.name, seed=seed, step=step,
                                   scale=scale)
        for key, value in {"game": "gan", "method": "dp-oadam", "name": folder.name,
                           "agents": 3, "ranks": 2, "seed": seed}.items():
            file.attrs[key] = value
    return folder


def write_snapshot(folder, iteration, samples=None, shape=(), ema=None, average=None):
    """RUN/snapshots/ITERATION.h5: 3 agents, blocks weight (2 x 3, x), bias (2, x), score (4, y)."""
    (folder / "snapshots").mkdir(parents=True, exist_ok=True)
    path = folder / "snapshots" / f"{iteration:08d}.h5"
    parameters = np.arange(36, dtype=np.float32).reshape(3, 12)
    with h5py.File(path, "w") as file:
        file.attrs["iteration"] = iteration
        file["parameters"], file["mean"] = parameters, parameters.mean(axis=0)
        if ema is not None:
            file["ema"] = ema
        if average is not None:
            file["average"] = average
        if samples is not None:
            file["samples"] = np.asarray(samples, np.float32).reshape(len(samples), -1)
            file["samples"].attrs["shape"] = np.array(shape)
            file["samples"].attrs["source"] = "ema"
        file["layout/name"] = ["generator.0.weight", "generator.0.bias", "score"]
        file["layout/offset"], file["layout/size"] = [0, 6, 8], [6, 2, 4]
        file["layout/player"] = [0, 0, 1]
        file["layout/shape"] = [[2, 3, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]]
    return path


def write_dataset(path, values, value_range):
    """A data set file as import_dataset.py makes them, without labels."""
    with h5py.File(path, "w") as file:
        file["x"] = values
        file.attrs["value_min"], file.attrs["value_max"] = map(float, value_range)
        file.attrs["classes"] = 0
    return path

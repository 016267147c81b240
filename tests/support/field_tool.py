# SPDX-License-Identifier: BSD-3-Clause
"""Calls field_tool (folder in environment variable PARLEY_TOOLS): a deck's game at given points."""

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
from support.runner import environment

TOOLS = Path(os.environ.get("PARLEY_TOOLS", "."))


def evaluate(folder, deck, z, batch=0, draw=0, eta=None):
    """{"field", "prox", "loss_x", "loss_y", measure names} of the game of deck text `deck` at z,
    n x agents x dim (or agents x dim, then without the first axis); eta: step sizes of prox."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tool.toml").write_text(deck)
    z = np.asarray(z, float)
    with h5py.File(folder / "points.h5", "w") as file:
        file["z"] = z if z.ndim == 3 else z[None]
        file.attrs["batch"], file.attrs["draw"] = np.int64(batch), np.int64(draw)
        if eta is not None:
            file.attrs["eta_x"], file.attrs["eta_y"] = map(float, eta)
    precision = "double" if 'precision = "double"' in deck else "single"
    done = subprocess.run([TOOLS / f"field_tool.{precision}", folder / "tool.toml",
                           folder / "points.h5", folder / "values.h5"], env=environment(),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    with h5py.File(folder / "values.h5") as file:
        found = {name: file[name][()] for name in ("field", "prox", "loss_x", "loss_y")}
        found.update({name: item[()] for name, item in file.get("measures", {}).items()})
    return found if z.ndim == 3 else {name: values[0] for name, values in found.items()}


def differences(folder, deck, z, agent, dim_x, step=1e-5, **sample):
    """(grad_x f_m, -grad_y f_m) of one agent by central differences of its loss_x, dim numbers."""
    z = np.asarray(z, float)
    dim = z.shape[1]
    points = np.repeat(z[None], 2 * dim, axis=0)
    for j in range(dim):
        points[2 * j, agent, j] += step
        points[2 * j + 1, agent, j] -= step
    loss = evaluate(folder, deck, points, **sample)["loss_x"][:, agent]
    slope = (loss[0::2] - loss[1::2]) / (2 * step)
    return np.concatenate([slope[:dim_x], -slope[dim_x:]])

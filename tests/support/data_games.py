# SPDX-License-Identifier: BSD-3-Clause
"""NumPy transcriptions of the games on linear models, agent by agent, from their formulas; and
decks and files of data for them. Rows are dealt contiguously, the first N mod M agents hold one more.
"""

import dataclasses

import h5py
import numpy as np
from support import philox

DECK = """[run]
agents = AGENTS
iterations = 1
seed = 3
precision = "PRECISION"
output = "OUTPUT"
[game]
GAME
[data]
kind = "file"
file = "FILE"
scale = "SCALE"
partition = { kind = "contiguous" }
[method]
kind = "dposg"
"""


@dataclasses.dataclass
class Rows:
    """Features as the game sees them, answers, and the number of each row among all N."""

    x: np.ndarray
    y: np.ndarray
    number: np.ndarray


def make_data(rows, features, task, seed=0):
    """Integer features 0..9, exact in every stored type, and labels 0/1 or real targets."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 10, size=(rows, features))
    x[0, 0], x[1, 0] = 0, 9
    t = (x - 4.5) @ random.normal(size=features) / 3 + random.normal(size=rows)
    return x, t if task == "real" else (t > 0.4).astype(np.int64)


def write_data(path, x, y, kind=np.float64):
    """A data file with x stored as `kind`."""
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = x.astype(kind), y
        file.attrs["value_min"], file.attrs["value_max"] = float(x.min()), float(x.max())
        file.attrs["classes"] = np.int64(0 if y.dtype.kind == "f" else y.max() + 1)


def deck_of(game, file, agents, precision="double", scale="symmetric"):
    text = DECK.replace("GAME", game).replace("FILE", str(file)).replace("AGENTS", str(agents))
    return text.replace("PRECISION", precision).replace("SCALE", scale)


def shards(x, y, agents, scale=True):
    """Rows of every agent; labels become -1 and 1, features go to [-1, 1]."""
    x = 2 * (x - x.min()) / (x.max() - x.min()) - 1 if scale else x.astype(float)
    y = np.where(y > 0, 1.0, -1.0) if y.dtype.kind != "f" else y
    numbers = np.array_split(np.arange(len(x)), agents)
    return [Rows(x[n], y[n], n) for n in numbers]


def batch_of(own, seed, agent, draw, batch):
    """The rows that an agent's oracle call sees; batch = 0: all."""
    if batch == 0:
        return own
    picks = philox.below(seed, philox.BATCH, agent, draw, batch, len(own.x))
    return Rows(own.x[picks], own.y[picks], own.number[picks])


def share(rows_all, own, weighting):
    """Weight of an agent's mean over its rows: 1, or n_m M / N."""
    total = sum(len(each.x) for each in rows_all)
    return 1.0 if weighting == "agents" else len(own.x) * len(rows_all) / total


def log_loss(s):
    return np.logaddexp(0, -s)


def log_slope(s):
    return -1 / (1 + np.exp(s))


def squared(t, y):
    return (t - y) ** 2 / 2, t - y


def log_quadratic(t, y):
    return 2 * np.log(1 + (t - y) ** 2 / 2), 2 * (t - y) / (1 + (t - y) ** 2 / 2)


def shift_game(z, rows, weight, loss, lam, beta):
    """(value, field) of mean phi((x+d)'w, y) + lam/2 |w|^2 - beta/2 |d|^2."""
    w, d = np.split(z, 2)
    phi, slope = loss((rows.x + d) @ w, rows.y)
    value = weight * phi.mean() + lam / 2 * w @ w - beta / 2 * d @ d
    by_w = weight * (slope @ (rows.x + d)) / len(rows.x) + lam * w
    by_d = weight * slope.mean() * w - beta * d
    return value, np.concatenate([by_w, -by_d])


def robust_logistic(z, rows, weight, lam, radius, norm):
    """With the best perturbations: log(1 + exp(-y t + r |w|_*))."""
    length = np.linalg.norm(z, 2 if norm == "l2" else 1)
    gradient = z / length if norm == "l2" else np.sign(z)
    s = rows.y * (rows.x @ z) - radius * length
    slopes = log_slope(s)[:, None] * (rows.y[:, None] * rows.x - radius * gradient)
    return weight * log_loss(s).mean() + lam / 2 * z @ z, weight * slopes.mean(axis=0) + lam * z


def robust_logistic_explicit(z, rows, weight, lam, total):
    """With d, total x features, behind w."""
    features = rows.x.shape[1]
    w, d = z[:features], z[features:].reshape(total, features)
    s = rows.y * ((rows.x + d[rows.number]) @ w)
    value = weight * log_loss(s).mean() + lam / 2 * w @ w
    slopes = weight * log_slope(s) * rows.y / len(rows.x)
    by_d = np.zeros_like(d)
    np.add.at(by_d, rows.number, slopes[:, None] * w)
    by_w = slopes @ (rows.x + d[rows.number]) + lam * w
    return value, np.concatenate([by_w, -by_d.ravel()])


def dro_logistic(z, rows, factor, lam, a, total):
    """factor: M n_m, of the mean over the rows."""
    features = rows.x.shape[1]
    w, y = z[:features], z[features:]
    s = rows.y * (rows.x @ w)
    value = (factor * (y[rows.number] * log_loss(s)).mean() - ((y - 1 / total) ** 2).sum() / 2
             + lam * (a * w**2 / (1 + a * w**2)).sum())
    slopes = factor * y[rows.number] * log_slope(s) * rows.y / len(rows.x)
    by_w = slopes @ rows.x + lam * 2 * a * w / (1 + a * w**2) ** 2
    by_y = -(y - 1 / total)
    np.add.at(by_y, rows.number, factor / len(rows.x) * log_loss(s))
    return value, np.concatenate([by_w, -by_y])


def auc(z, rows, weight, lam, p):
    w, a, b, alpha = z[:-3], *z[-3:]
    h, up, down = rows.x @ w, rows.y > 0, rows.y < 0
    each = ((1 - p) * (h - a) ** 2 * up + p * (h - b) ** 2 * down
            + 2 * (1 + alpha) * (p * h * down - (1 - p) * h * up) - p * (1 - p) * alpha**2)
    by_h = (2 * (1 - p) * (h - a) * up + 2 * p * (h - b) * down
            + 2 * (1 + alpha) * (p * down - (1 - p) * up))
    by_alpha = 2 * (p * h * down - (1 - p) * h * up) - 2 * p * (1 - p) * alpha
    scalars = [(-2 * (1 - p) * (h - a) * up).mean(), (-2 * p * (h - b) * down).mean(),
               -by_alpha.mean()]
    by_w = weight * (by_h @ rows.x) / len(h) + lam * w
    return (weight * each.mean() + lam / 2 * w @ w,
            np.concatenate([by_w, weight * np.array(scalars)]))


def project_simplex(v):
    """By bisection on the threshold: not the solver's algorithm."""
    low, high = v.min() - 1, v.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(v - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(v - (low + high) / 2, 0)


def linear_source(seed, features, rows, noise, offset, held_out=False):
    """(x, t) of [data] kind = "linear": t = x'u + offset + noise e; labels are t > 0."""
    generate = 9  # core/sample.hpp
    u = philox.normal(seed, generate, 2, 0, features) / np.sqrt(features)
    numbers = np.array([philox.normal(seed, generate, int(held_out), row, features + 1)
                        for row in range(rows)])
    x = numbers[:, :features]
    return x, x @ u + offset + noise * numbers[:, features]

# SPDX-License-Identifier: BSD-3-Clause
"""Philox-4x32-10 (Salmon et al., SC 2011) in NumPy, and the numbers that a run in double precision
draws from it: an independent transcription of the rules in kernels/philox.hpp and kernels/noise.hpp.
"""

import numpy as np

MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL = 0x9E3779B9, 0xBB67AE85
LOW = np.uint64(0xFFFFFFFF)
# core/sample.hpp
BATCH, NOISE, INTERPOLATION, GENERATE, ORACLE_NOISE, COIN = 2, 3, 4, 9, 12, 13


def philox(counter, key):
    """Four words (n x 4, uint64 below 2^32) of counters n x 4 under a key of two words."""
    c = [counter[:, i].astype(np.uint64) for i in range(4)]
    k = [int(key[0]), int(key[1])]
    for _ in range(10):
        product = [MULTIPLIERS[0] * c[0], MULTIPLIERS[1] * c[2]]
        high = [p >> np.uint64(32) for p in product]
        low = [p & LOW for p in product]
        c = [high[1] ^ c[1] ^ np.uint64(k[0]), low[1], high[0] ^ c[3] ^ np.uint64(k[1]), low[0]]
        k = [(k[i] + WEYL[i]) & 0xFFFFFFFF for i in range(2)]
    return np.stack(c, axis=1)


def words(seed, purpose, agent, draw, count):
    """Words of indices 0..count-1 of one sequence."""
    counter = np.zeros((count, 4), np.uint64)
    counter[:, 0] = np.arange(count)
    counter[:, 1] = (agent << 8) | purpose
    counter[:, 2], counter[:, 3] = draw & 0xFFFFFFFF, draw >> 32
    return philox(counter, (seed & 0xFFFFFFFF, seed >> 32))


def pairs(seed, purpose, agent, draw, count):
    """`count` 64-bit numbers: two per call, high word first."""
    w = words(seed, purpose, agent, draw, (count + 1) // 2)
    return ((w[:, 0::2] << np.uint64(32)) | w[:, 1::2]).ravel()[:count]


def unit(bits):
    """53 bits to (0, 1)."""
    return ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def uniform(seed, purpose, agent, draw, count):
    return unit(pairs(seed, purpose, agent, draw, count))


def normal(seed, purpose, agent, draw, count):
    """Both numbers of every Box-Muller pair."""
    u = unit(pairs(seed, purpose, agent, draw, count + count % 2)).reshape(-1, 2)
    radius, angle = np.sqrt(-2 * np.log(u[:, 0])), 2 * np.pi * u[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()[:count]


def below(seed, purpose, agent, draw, count, bound):
    """Integers in [0, bound)."""
    return np.array([(int(b) * bound) >> 64 for b in pairs(seed, purpose, agent, draw, count)])

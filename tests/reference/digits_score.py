#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scores runs of inputs/digits.toml by the rule of digits_reference.py, for a fair comparison.

Rebuilds the averaged generator of each run's last snapshot in PyTorch from the snapshot alone.
"""

import argparse
import pathlib
import sys

import h5py
import numpy as np
import torch

import digits_reference
import twin


def load_generator(folder):
    """The EMA generator of a run's last snapshot."""
    path = sorted(pathlib.Path(folder, "snapshots").glob("*.h5"))[-1]
    generator = twin.build_network(digits_reference.GENERATOR, digits_reference.NOISE)
    with h5py.File(path) as file:
        values = file["ema"][()]
        names = [name.decode() for name in file["layout/name"][()]]
        blocks = {name: values[offset:offset + size] for name, offset, size in
                  zip(names, file["layout/offset"][()], file["layout/size"][()])}
    own = [block for name, block in blocks.items() if name.startswith("generator.")]
    with torch.no_grad():
        for parameter, block in zip(generator.parameters(), own, strict=True):
            parameter.copy_(torch.from_numpy(block.astype(np.float32)).reshape(parameter.shape))
    return generator


def main():
    """Prints distance, floor and excess of each run and the mean excess."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("training")
    parser.add_argument("held_out")
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    training = digits_reference.read_digits(options.training)
    held_out = digits_reference.read_digits(options.held_out)
    excesses = []
    for run in options.runs:
        distance, floor = twin.excess_distance(load_generator(run), digits_reference.NOISE,
                                               held_out, training)
        excesses.append(distance - floor)
        print(f"{run}: distance {distance:.4f} floor {floor:.4f} excess {excesses[-1]:.4f}")
    print(f"mean excess {np.mean(excesses):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

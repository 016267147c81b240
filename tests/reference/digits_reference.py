#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch reference of the digits quick start: WGAN-GP, optimistic Adam, one process, one thread.

Prints the sliced Wasserstein distance of the averaged generator to held-out digits, less the
real-against-real floor, for each seed and their mean. Must not know the solver's output.
"""

import argparse
import sys
import time

import h5py
import numpy as np
import torch

import twin

NOISE = 16
GENERATOR = [{"kind": "dense", "width": 128}, {"kind": "relu"},
             {"kind": "dense", "width": 128}, {"kind": "relu"},
             {"kind": "dense", "width": 64}, {"kind": "tanh"}]
DISCRIMINATOR = [{"kind": "dense", "width": 128}, {"kind": "leaky_relu", "slope": 0.2},
                 {"kind": "dense", "width": 128}, {"kind": "leaky_relu", "slope": 0.2},
                 {"kind": "dense", "width": 1}]


def read_digits(path):
    """rows x 64 float32 in [-1, 1] from a file made by inputs/import_dataset.py."""
    with h5py.File(path, "r") as file:
        values = file["x"][()].astype(np.float32)
        low, high = file.attrs["value_min"], file.attrs["value_max"]
    return ((values - low) / (high - low) * 2 - 1).reshape(len(values), -1).astype(np.float32)


def train_digits(training, seed, options):
    """The averaged generator after options.iterations simultaneous updates."""
    torch.manual_seed(seed)
    players = (twin.build_network(GENERATOR, NOISE), twin.build_network(DISCRIMINATOR, 64))
    optimizers = [twin.OptimisticAdam(player.parameters(), step, (0.5, 0.9))
                  for player, step in zip(players, (options.step_x, options.step_y))]
    data = torch.from_numpy(training)

    def draw_batch():
        rows = torch.randint(len(data), (options.batch,))
        return data[rows], torch.randn(options.batch, NOISE), torch.rand(options.batch, 1)

    return twin.train(players, optimizers, draw_batch,
                      {"loss": "wgan-gp", "penalty": options.penalty, "ema": options.ema,
                       "iterations": options.iterations})


def parse_arguments():
    """The recipe as defaults; batch is that of all agents together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("training", help="data set file to train on")
    parser.add_argument("held_out", help="data set file to compare with")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--iterations", type=int, default=12000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--step-x", type=float, default=5e-4)
    parser.add_argument("--step-y", type=float, default=2e-3)
    parser.add_argument("--penalty", type=float, default=1.0)
    parser.add_argument("--ema", type=float, default=0.999)
    parser.add_argument("--samples", help="NumPy file for 80 samples of the last seed's generator")
    return parser.parse_args()


def main():
    """Exit code 0; mistakes in files or options raise."""
    options = parse_arguments()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    training, held_out = read_digits(options.training), read_digits(options.held_out)
    excesses = []
    for seed in options.seeds:
        start = time.process_time()
        generator = train_digits(training, seed, options)
        seconds = time.process_time() - start
        distance, floor = twin.excess_distance(generator, NOISE, held_out, training)
        excesses.append(distance - floor)
        print(f"seed {seed}: distance {distance:.4f} floor {floor:.4f} "
              f"excess {distance - floor:.4f} cpu {seconds:.1f} s", flush=True)
    print(f"mean excess {np.mean(excesses):.4f}")
    if options.samples:
        with torch.no_grad():
            np.save(options.samples, generator(torch.randn(80, NOISE)).numpy())
    return 0


if __name__ == "__main__":
    sys.exit(main())

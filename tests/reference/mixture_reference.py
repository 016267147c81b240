#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch reference of the mixture study: 8 Gaussians on a ring, WGAN-GP, optimistic Adam.

Prints how many modes the averaged generator reaches and which share of its samples lies within
three standard deviations of one. Must not know the solver's output.
"""

import argparse
import sys
import time

import numpy as np
import torch

import twin

MODES, RADIUS, DEVIATION, NOISE = 8, 2.0, 0.02, 2
GENERATOR = [{"kind": "dense", "width": 128}, {"kind": "relu"},
             {"kind": "dense", "width": 128}, {"kind": "relu"}, {"kind": "dense", "width": 2}]
DISCRIMINATOR = [{"kind": "dense", "width": 128}, {"kind": "leaky_relu", "slope": 0.2},
                 {"kind": "dense", "width": 128}, {"kind": "leaky_relu", "slope": 0.2},
                 {"kind": "dense", "width": 1}]


def place_modes():
    """MODES x 2 centres, evenly on the ring, the first at angle 0."""
    angle = 2 * np.pi * np.arange(MODES) / MODES
    return RADIUS * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def measure_modes(points, centres, deviation):
    """(modes, share): share of points within 3 deviations of their nearest centre, and the number
    of centres that get more than a fifth of an even share that way.
    """
    distance = np.linalg.norm(points[:, None] - centres, axis=2)
    near = distance.min(axis=1) <= 3 * deviation
    counts = np.bincount(distance.argmin(axis=1)[near], minlength=len(centres))
    return int((counts > 0.2 * len(points) / len(centres)).sum()), float(near.mean())


def train_mixture(seed, options):
    """Trains, prints a line every options.every iterations, returns the averaged generator."""
    torch.manual_seed(seed)
    players = (twin.build_network(GENERATOR, NOISE), twin.build_network(DISCRIMINATOR, 2))
    optimizers = [twin.OptimisticAdam(player.parameters(), options.step, (0.5, 0.9))
                  for player in players]
    centres = torch.from_numpy(place_modes()).float()
    start = time.process_time()
    # Its own stream, so that reporting more often does not change the training.
    random = torch.Generator().manual_seed(seed)

    def draw_batch():
        rows = torch.randint(MODES, (options.batch,))
        real = centres[rows] + DEVIATION * torch.randn(options.batch, 2)
        return real, torch.randn(options.batch, NOISE), torch.rand(options.batch, 1)

    def report(iteration, generator, loss_x, loss_y):
        with torch.no_grad():
            points = generator(torch.randn(10000, NOISE, generator=random)).numpy()
        modes, share = measure_modes(points, place_modes(), DEVIATION)
        print(f"seed {seed} iteration {iteration}: modes {modes} share {share:.3f} "
              f"losses {loss_x:.3f} {loss_y:.3f} cpu {time.process_time() - start:.1f} s",
              flush=True)

    return twin.train(players, optimizers, draw_batch,
                      {"loss": "wgan-gp", "penalty": 1.0, "ema": 0.999, "every": options.every,
                       "iterations": options.iterations, "report": report})


def main():
    """Exit code 0; mistakes in options raise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--iterations", type=int, default=16000)
    parser.add_argument("--every", type=int, default=2000, help="iterations between lines")
    parser.add_argument("--batch", type=int, default=256, help="of all agents together")
    parser.add_argument("--step", type=float, default=2e-3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    for seed in options.seeds:
        train_mixture(seed, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())

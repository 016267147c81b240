# SPDX-License-Identifier: BSD-3-Clause
"""gan_bench beside PyTorch in one run, one thread each, in turns; prints a table of medians.

Usage: gan_torch.py GAN_BENCH [ROUNDS]. Refuses a PyTorch whose matrix product is slow here, since a
ratio to it would say nothing.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import twin  # noqa: E402

LEAST_GFLOPS = 100
CASES = {"mixture": (256, 2, [128, 128, 2], [128, 128, 1], None),
         "mnist-mlp": (64, 64, [256, 512, 784], [512, 256, 1], "tanh")}


def stack(widths, between, end=None):
    layers = []
    for i, width in enumerate(widths):
        layers.append({"kind": "dense", "width": width})
        if i + 1 < len(widths):
            layers.append({"kind": between})
    return layers + ([{"kind": end}] if end else [])


def median_of(call, repeats):
    """Median processor milliseconds of one call."""
    for _ in range(5):
        call()
    times = []
    for _ in range(repeats):
        begin = time.thread_time()
        call()
        times.append(1e3 * (time.thread_time() - begin))
    return statistics.median(times)


def product_rate():
    """GFLOP/s of a single-precision product of PyTorch, 1024 cubed."""
    a = torch.randn(1024, 1024)
    return 2 * 1024 ** 3 / (1e6 * median_of(lambda: a @ a, 10))


def make_step(batch, noise, generator, discriminator, end):
    """One simultaneous update by Adam, as PyTorch users write it: two losses, two backwards."""
    players = (twin.build_network(stack(generator, "relu", end), noise),
               twin.build_network(stack(discriminator, "leaky_relu"), generator[-1]))
    optimizers = [torch.optim.Adam(p.parameters(), lr=1e-5, betas=(0.5, 0.9)) for p in players]
    real = torch.randn(batch, generator[-1])

    def step():
        latent, mix = torch.randn(batch, noise), torch.rand(batch, 1)
        fake = players[0](latent)
        held = fake.detach()
        loss_y = twin.discriminator_loss("wgan-gp", players[1](real), players[1](held))
        loss_y = loss_y + 10 * twin.gradient_penalty(players[1], real, held, mix)
        optimizers[1].zero_grad()
        loss_y.backward()
        critic = [p.grad for p in players[1].parameters()]
        optimizers[0].zero_grad()
        for p in players[1].parameters():
            p.requires_grad_(False)
        twin.generator_loss("wgan-gp", players[1](fake)).backward()
        for p, gradient in zip(players[1].parameters(), critic):
            p.requires_grad_(True)
            p.grad = gradient
        for optimizer in optimizers:
            optimizer.step()

    return step


def main():
    torch.set_num_threads(1)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rate = product_rate()
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread, "
          f"{torch.backends.cpu.get_cpu_capability() if hasattr(torch.backends, 'cpu') else ''} "
          f"{rate:.0f} GFLOP/s in a 1024^3 product")
    if rate < LEAST_GFLOPS and "--any" not in sys.argv:
        sys.exit(f"PyTorch's product runs below {LEAST_GFLOPS} GFLOP/s here: set OPENBLAS_CORETYPE "
                 "(SkylakeX on AVX-512 machines) or pass --any")
    steps = {name: make_step(*case) for name, case in CASES.items()}
    ours, theirs = {name: [] for name in CASES}, {name: [] for name in CASES}
    for _ in range(rounds):
        lines = subprocess.run([sys.argv[1], "60"], check=True, capture_output=True, text=True)
        for row in map(json.loads, lines.stdout.splitlines()):
            ours[row["case"]].append(row)
        for name, step in steps.items():
            theirs[name].append(median_of(step, 40))
    print(ours["mixture"][0]["blas"])
    print(f"{'case':12}{'PyTorch':>9}{'ours':>9}{'ratio':>7}{'field':>9}{'products':>10}"
          f"{'optimizer':>11}  (processor ms a step)")
    for name in CASES:
        part = {key: statistics.median(row[key] for row in ours[name])
                for key in ("step_ms", "field_ms", "products_ms", "optimizer_ms")}
        peer = statistics.median(theirs[name])
        print(f"{name:12}{peer:9.3f}{part['step_ms']:9.3f}{peer / part['step_ms']:7.2f}"
              f"{part['field_ms']:9.3f}{part['products_ms']:10.3f}{part['optimizer_ms']:11.3f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""The benches beside PyTorch in one run, one thread each, in turns; prints tables of medians.

Usage: beside_torch.py BENCH_FOLDER [ROUNDS] [--any]. Refuses a PyTorch whose matrix product is slow
here (--any measures all the same), since a ratio to it would say nothing.
"""

import json
import pathlib
import re
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


def describe_torch(rate):
    """Version, BLAS, instruction set and threads of this PyTorch, and its product's rate."""
    build = torch.__config__.show()
    blas = re.search(r"BLAS_INFO=(\w+)", build)
    level = re.search(r"CPU capability usage: (\S+)", build)
    return (f"PyTorch {torch.__version__}, BLAS {blas.group(1) if blas else 'unknown'}, "
            f"{level.group(1) if level else 'unknown instruction set'}, "
            f"{torch.get_num_threads()} thread, {rate:.0f} GFLOP/s in a 1024^3 product")


def torch_product(m, n, k):
    a, b = torch.randn(m, k), torch.randn(n, k)
    return lambda: a @ b.t()


def torch_update(name, width):
    """What a PyTorch user calls for the same update of `width` parameters; None: nothing of the kind."""
    rows = [torch.randn(width) for _ in range(3)]
    parameter = torch.nn.Parameter(rows[0].clone())
    parameter.grad = rows[1]
    if name == "optimistic_adam":
        optimistic = twin.OptimisticAdam([parameter], 1e-3)
        return lambda: optimistic.step([rows[1]])
    if name == "adam_direction":
        return torch.optim.Adam([parameter], lr=1e-3).step
    if name.startswith("mix_rows  1 rows, 2 neighbours"):
        return lambda: rows[0] / 3 + rows[1] / 3 + rows[2] / 3
    return None


def bench_kernels(folder):
    """Prints each line of kernels_bench and of the row mix with PyTorch's time behind it."""
    width = 0
    for bench in ("kernels_bench", "mix_bench"):
        width = 1 << 20 if bench == "mix_bench" else width
        lines = subprocess.run([folder / bench], check=True, capture_output=True, text=True).stdout
        for line in lines.splitlines():
            sizes = re.match(r"product +(\d+) x +(\d+) x +(\d+)", line)
            parameters = re.match(r"rows of (\d+) parameters", line)
            if parameters:
                width = int(parameters.group(1))
            peer = ""
            if sizes:
                m, n, k = map(int, sizes.groups())
                rate = 2e-6 * m * n * k / median_of(torch_product(m, n, k), 21)
                peer = f"   PyTorch {rate:8.1f} GFLOP/s"
            elif "copy floor" in line:
                call = torch_update(line.split("   ")[0].strip(), width)
                peer = f"   PyTorch {median_of(call, 21):8.3f} ms" if call else ""
            print(line + peer)


def bench_gans(folder, rounds):
    """Prints the table of the GAN step."""
    steps = {name: make_step(*case) for name, case in CASES.items()}
    ours, theirs = {name: [] for name in CASES}, {name: [] for name in CASES}
    for _ in range(rounds):
        lines = subprocess.run([folder / "gan_bench", "60"], check=True, capture_output=True,
                               text=True)
        for row in map(json.loads, lines.stdout.splitlines()):
            ours[row["case"]].append(row)
        for name, step in steps.items():
            theirs[name].append(median_of(step, 40))
    print(f"{'case':12}{'PyTorch':>9}{'ours':>9}{'ratio':>7}{'field':>9}{'products':>10}"
          f"{'optimizer':>11}  (processor ms a step)")
    for name in CASES:
        part = {key: statistics.median(row[key] for row in ours[name])
                for key in ("step_ms", "field_ms", "products_ms", "optimizer_ms")}
        peer = statistics.median(theirs[name])
        print(f"{name:12}{peer:9.3f}{part['step_ms']:9.3f}{peer / part['step_ms']:7.2f}"
              f"{part['field_ms']:9.3f}{part['products_ms']:10.3f}{part['optimizer_ms']:11.3f}")


def main():
    torch.set_num_threads(1)
    words = [word for word in sys.argv[1:] if word != "--any"]
    folder = pathlib.Path(words[0])
    rate = product_rate()
    print(describe_torch(rate))
    if rate < LEAST_GFLOPS and "--any" not in sys.argv:
        sys.exit(f"PyTorch's product runs below {LEAST_GFLOPS} GFLOP/s here: set OPENBLAS_CORETYPE "
                 "(SkylakeX on AVX-512 machines) or pass --any")
    bench_kernels(folder)
    bench_gans(folder, int(words[1]) if len(words) > 1 else 5)


if __name__ == "__main__":
    main()

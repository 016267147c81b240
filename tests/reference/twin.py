# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch twin of the solver's GAN: networks, losses, fields, optimistic Adam, sliced Wasserstein.

An independent truth for tests and for the reference programs beside it. It must not know the
solver, its decks or its files; whoever compares passes plain arrays and layer descriptions.
"""

import copy

import numpy as np
import torch
from torch.nn import functional

LOSSES = ("minimax", "non-saturating", "least-squares", "hinge", "wgan", "wgan-gp")


def _activation(layer):
    kind = layer["kind"]
    if kind == "relu":
        return torch.nn.ReLU()
    if kind == "leaky_relu":
        return torch.nn.LeakyReLU(layer.get("slope", 0.2))
    if kind == "tanh":
        return torch.nn.Tanh()
    if kind == "sigmoid":
        return torch.nn.Sigmoid()
    raise ValueError(f"layer kind {kind!r}: use dense, relu, leaky_relu, tanh or sigmoid")


def build_network(layers, features, dtype=torch.float32):
    """A torch Sequential from layer descriptions such as {"kind": "dense", "width": 128}.

    layers: list of dicts; features: width of the input. Dense weights are (out, in), row-major,
    biases (out); both start uniform in +-1/sqrt(in), PyTorch's own rule.
    """
    modules, width = [], features
    for layer in layers:
        if layer["kind"] == "dense":
            modules.append(torch.nn.Linear(width, layer["width"], bias=layer.get("bias", True)))
            width = layer["width"]
        else:
            modules.append(_activation(layer))
    return torch.nn.Sequential(*modules).to(dtype)


def pack_parameters(network):
    """All parameters as one 1-D float64 array: per layer the weight (out, in), then the bias."""
    return np.concatenate([p.detach().double().numpy().ravel() for p in network.parameters()])


def load_parameters(network, packed):
    """The inverse of pack_parameters. ValueError when the number of values is another."""
    packed = np.asarray(packed)
    count = sum(p.numel() for p in network.parameters())
    if packed.shape != (count,):
        raise ValueError(f"{packed.shape} values for a network of {count} parameters")
    offset = 0
    with torch.no_grad():
        for parameter in network.parameters():
            block = packed[offset:offset + parameter.numel()].reshape(parameter.shape)
            parameter.copy_(torch.as_tensor(block, dtype=parameter.dtype))
            offset += parameter.numel()


def generator_loss(kind, scores_fake):
    """Scalar g(x, y) that the generator descends; scores_fake = D(G(noise)), raw (no sigmoid)."""
    if kind == "minimax":
        return -functional.softplus(scores_fake).mean()
    if kind == "non-saturating":
        return functional.softplus(-scores_fake).mean()
    if kind == "least-squares":
        return 0.5 * (scores_fake - 1).square().mean()
    if kind in ("hinge", "wgan", "wgan-gp"):
        return -scores_fake.mean()
    raise ValueError(f"loss {kind!r}: use one of {', '.join(LOSSES)}")


def discriminator_loss(kind, scores_real, scores_fake):
    """Scalar d(x, y) that the discriminator descends, without the gradient penalty."""
    if kind in ("minimax", "non-saturating"):
        return functional.softplus(-scores_real).mean() + functional.softplus(scores_fake).mean()
    if kind == "least-squares":
        return 0.5 * (scores_real - 1).square().mean() + 0.5 * scores_fake.square().mean()
    if kind == "hinge":
        return functional.relu(1 - scores_real).mean() + functional.relu(1 + scores_fake).mean()
    if kind in ("wgan", "wgan-gp"):
        return scores_fake.mean() - scores_real.mean()
    raise ValueError(f"loss {kind!r}: use one of {', '.join(LOSSES)}")


def gradient_penalty(discriminator, real, fake, mix):
    """mean((|grad D(mix real + (1 - mix) fake)| - 1)^2), differentiable (Gulrajani 2017, eq. 3).

    real, fake: batch x features; mix: batch x 1 in [0, 1], one value per sample.
    """
    between = (mix * real + (1 - mix) * fake).detach().requires_grad_(True)
    scores = discriminator(between)
    (slope,) = torch.autograd.grad(scores.sum(), between, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def evaluate_losses(players, kind, batch, penalty=0.0):
    """(g, d) on one batch; players = (generator, discriminator), batch = (real, noise, mix).

    One fake batch serves both losses. The penalty enters d for wgan-gp only.
    """
    generator, discriminator = players
    real, noise, mix = batch
    fake = generator(noise)
    scores_fake = discriminator(fake)
    loss_x = generator_loss(kind, scores_fake)
    loss_y = discriminator_loss(kind, discriminator(real), scores_fake)
    if kind == "wgan-gp":
        loss_y = loss_y + penalty * gradient_penalty(discriminator, real, fake, mix)
    return loss_x, loss_y


def evaluate_field(players, kind, batch, penalty=0.0):
    """(F_x, F_y, g, d): lists of gradients per parameter, F_x = dg/dx and F_y = dd/dy.

    Both are taken at the same point. Arguments as in evaluate_losses.
    """
    generator, discriminator = players
    loss_x, loss_y = evaluate_losses(players, kind, batch, penalty)
    field_x = torch.autograd.grad(loss_x, list(generator.parameters()), retain_graph=True)
    # A constant such as the last bias cannot move the penalty, hence allow_unused and zeros.
    field_y = torch.autograd.grad(
        loss_y, list(discriminator.parameters()), allow_unused=True)
    field_y = [torch.zeros_like(p) if g is None else g
               for g, p in zip(field_y, discriminator.parameters())]
    return list(field_x), field_y, loss_x.item(), loss_y.item()


class OptimisticAdam:
    """u <- u - 2 step d_k + step d_{k-1}, d = mhat / (sqrt(vhat) + eps), d before the start = 0.

    Daskalakis et al. 2018, Algorithm 1. Updates the given parameters in place.
    """

    def __init__(self, parameters, step, betas=(0.5, 0.9), eps=1e-8):
        self.parameters = list(parameters)
        self.step_size, self.betas, self.eps, self.count = step, betas, eps, 0
        self.first = [torch.zeros_like(p) for p in self.parameters]
        self.second = [torch.zeros_like(p) for p in self.parameters]
        self.previous = [torch.zeros_like(p) for p in self.parameters]

    @torch.no_grad()
    def step(self, gradients):
        """One update; gradients: one tensor per parameter, same order."""
        self.count += 1
        beta1, beta2 = self.betas
        correct1, correct2 = 1 - beta1 ** self.count, 1 - beta2 ** self.count
        for i, (parameter, gradient) in enumerate(zip(self.parameters, gradients)):
            self.first[i].mul_(beta1).add_(gradient, alpha=1 - beta1)
            self.second[i].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            root = (self.second[i] / correct2).sqrt_().add_(self.eps)
            direction = (self.first[i] / correct1).div_(root)
            parameter.add_(direction, alpha=-2 * self.step_size)
            parameter.add_(self.previous[i], alpha=self.step_size)
            self.previous[i] = direction


class MovingAverage:
    """ema <- decay ema + (1 - decay) z over a network's parameters; starts as a copy."""

    def __init__(self, network, decay):
        self.decay = decay
        self.network = copy.deepcopy(network)

    @torch.no_grad()
    def update(self, network):
        """Takes in the present parameters of the network that it follows."""
        for mine, theirs in zip(self.network.parameters(), network.parameters()):
            mine.mul_(self.decay).add_(theirs, alpha=1 - self.decay)


def train(players, optimizers, draw_batch, options):
    """Simultaneous updates of both players at the same point.

    options: dict with loss, penalty, iterations, ema, and optionally report(k, average, g, d),
    called every options["every"] iterations. Returns the averaged generator's network.
    """
    average = MovingAverage(players[0], options["ema"])
    for k in range(1, options["iterations"] + 1):
        field_x, field_y, loss_x, loss_y = evaluate_field(
            players, options["loss"], draw_batch(), options["penalty"])
        optimizers[0].step(field_x)
        optimizers[1].step(field_y)
        average.update(players[0])
        if "report" in options and k % options["every"] == 0:
            options["report"](k, average.network, loss_x, loss_y)
    return average.network


def draw_projections(features, count, seed):
    """features x count unit vectors, uniform on the sphere, float64."""
    directions = np.random.default_rng(seed).standard_normal((features, count))
    return directions / np.linalg.norm(directions, axis=0)


def sliced_wasserstein(first, second, projections):
    """Sliced W1: mean over projections of the W1 distance of the projected samples.

    first, second: n x features with equal n; projections: features x count unit columns.
    """
    first, second = np.asarray(first, float), np.asarray(second, float)
    if first.shape != second.shape:
        raise ValueError(f"samples of shapes {first.shape} and {second.shape}: they must be equal")
    left = np.sort(first @ projections, axis=0)
    right = np.sort(second @ projections, axis=0)
    return float(np.abs(left - right).mean())


def excess_distance(generator, noise_width, held_out, training, seed=7):
    """(distance, floor): sliced W1 of the generator to held-out rows, and of real to real rows.

    held_out: n x features; training: at least n rows. Both sides are means over 8 draws of n rows,
    from the generator with normal noise and from the training rows (a single draw moves the floor
    by a twentieth, as much as a trained generator's excess); 256 projections from the seed.
    """
    count, features = held_out.shape
    projections = draw_projections(features, 256, seed)
    random = torch.Generator().manual_seed(seed)
    rows = np.random.default_rng(seed)
    distances, floors = [], []
    with torch.no_grad():
        for _ in range(8):
            noise = torch.randn(count, noise_width, generator=random)
            fake = generator(noise).numpy()
            distances.append(sliced_wasserstein(fake, held_out, projections))
            real = training[rows.choice(len(training), count, replace=False)]
            floors.append(sliced_wasserstein(real, held_out, projections))
    return float(np.mean(distances)), float(np.mean(floors))

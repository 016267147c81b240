# SPDX-License-Identifier: BSD-3-Clause
"""The PyTorch twin itself, against finite differences, NumPy and SciPy: a truth must be true."""

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.stats
import torch

from reference import twin

torch.set_num_threads(1)
HERE = Path(__file__).parent
GENERATOR = [{"kind": "dense", "width": 5}, {"kind": "sigmoid"},
             {"kind": "dense", "width": 3}, {"kind": "tanh"}]
DISCRIMINATOR = [{"kind": "dense", "width": 6}, {"kind": "leaky_relu", "slope": 0.3},
                 {"kind": "dense", "width": 4}, {"kind": "tanh"}, {"kind": "dense", "width": 1}]


def build_case(seed=1):
    torch.manual_seed(seed)
    players = (twin.build_network(GENERATOR, 2, torch.float64),
               twin.build_network(DISCRIMINATOR, 3, torch.float64))
    batch = (torch.randn(7, 3, dtype=torch.float64), torch.randn(7, 2, dtype=torch.float64),
             torch.rand(7, 1, dtype=torch.float64))
    return players, batch


def flatten(gradients):
    return np.concatenate([g.numpy().ravel() for g in gradients])


@pytest.mark.parametrize("loss", twin.LOSSES)
def test_fields_agree_with_finite_differences(loss):
    players, batch = build_case()
    field_x, field_y, _, _ = twin.evaluate_field(players, loss, batch, penalty=3.0)
    for index, field in enumerate((flatten(field_x), flatten(field_y))):
        packed = twin.pack_parameters(players[index])
        difference = np.zeros_like(packed)
        for i in range(len(packed)):
            sides = []
            for sign in (1, -1):
                moved = packed.copy()
                moved[i] += sign * 1e-6
                twin.load_parameters(players[index], moved)
                sides.append(twin.evaluate_losses(players, loss, batch, 3.0)[index].item())
            difference[i] = (sides[0] - sides[1]) / 2e-6
        twin.load_parameters(players[index], packed)
        assert np.linalg.norm(field - difference) < 1e-7 * np.linalg.norm(field)


def test_losses_by_their_formulas():
    real, fake = np.array([0.5, -1.5, 2.0]), np.array([-0.25, 3.0, -2.0])

    def softplus(t):
        return np.log1p(np.exp(t))

    def relu(t):
        return np.maximum(t, 0)

    log_d = softplus(-real).mean() + softplus(fake).mean()
    expected = {
        "minimax": (-softplus(fake).mean(), log_d),
        "non-saturating": (softplus(-fake).mean(), log_d),
        "least-squares": (((fake - 1) ** 2).mean() / 2,
                          ((real - 1) ** 2).mean() / 2 + (fake ** 2).mean() / 2),
        "hinge": (-fake.mean(), relu(1 - real).mean() + relu(1 + fake).mean()),
        "wgan": (-fake.mean(), fake.mean() - real.mean()),
        "wgan-gp": (-fake.mean(), fake.mean() - real.mean())}
    assert set(expected) == set(twin.LOSSES)
    for loss, (g, d) in expected.items():
        assert twin.generator_loss(loss, torch.tensor(fake)).item() == pytest.approx(g, rel=1e-12)
        assert twin.discriminator_loss(loss, torch.tensor(real), torch.tensor(fake)).item() \
            == pytest.approx(d, rel=1e-12)


def test_penalty_of_a_linear_critic():
    critic = twin.build_network([{"kind": "dense", "width": 1}], 3, torch.float64)
    twin.load_parameters(critic, [1.0, -2.0, 2.0, 5.0])
    real, noise = torch.randn(4, 3).double(), torch.randn(4, 3).double()
    penalty = twin.gradient_penalty(critic, real, noise, torch.rand(4, 1).double())
    assert penalty.item() == pytest.approx((3 - 1) ** 2)


def test_penalty_is_taken_between_the_samples():
    critic = twin.build_network([{"kind": "dense", "width": 1}, {"kind": "sigmoid"}], 1,
                                torch.float64)
    twin.load_parameters(critic, [2.0, 0.0])
    real, fake = torch.tensor([[1.0]]).double(), torch.tensor([[-3.0]]).double()
    penalty = twin.gradient_penalty(critic, real, fake, torch.tensor([[0.75]]).double())
    slope = 2 * 0.25  # the derivative of sigmoid(2 t) at t = 0.75 * 1 + 0.25 * -3 = 0
    assert penalty.item() == pytest.approx((slope - 1) ** 2, rel=1e-12)


def test_minimax_is_zero_sum_in_the_generator():
    players, batch = build_case(2)
    fake = players[1](players[0](batch[1]))
    total = twin.generator_loss("minimax", fake) \
        + twin.discriminator_loss("minimax", players[1](batch[0]), fake)
    gradients = torch.autograd.grad(total, list(players[0].parameters()))
    assert np.abs(flatten(gradients)).max() < 1e-16


def test_packing_is_row_major_weight_then_bias():
    network = twin.build_network([{"kind": "dense", "width": 2}], 3, torch.float64)
    twin.load_parameters(network, np.arange(8.0))
    assert network[0].weight.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert network[0].bias.tolist() == [6, 7]
    assert twin.pack_parameters(network).tolist() == list(range(8))
    with pytest.raises(ValueError, match="network of 8 parameters"):
        twin.load_parameters(network, np.arange(9.0))
    with pytest.raises(ValueError, match="layer kind 'conv'"):
        twin.build_network([{"kind": "conv"}], 3)


def test_optimistic_adam_against_numpy():
    rng = np.random.default_rng(5)
    point = rng.normal(size=6)
    tensor = torch.tensor(point.copy(), requires_grad=True)
    optimizer = twin.OptimisticAdam([tensor], 0.01, (0.5, 0.9))
    first, second, previous = np.zeros(6), np.zeros(6), np.zeros(6)
    for k in range(1, 51):
        gradient = rng.normal(size=6)
        optimizer.step([torch.tensor(gradient)])
        first, second = 0.5 * first + 0.5 * gradient, 0.9 * second + 0.1 * gradient ** 2
        direction = first / (1 - 0.5 ** k) / (np.sqrt(second / (1 - 0.9 ** k)) + 1e-8)
        point = point - 0.02 * direction + 0.01 * previous
        previous = direction
    assert tensor.detach().numpy() == pytest.approx(point, rel=1e-12)


def test_moving_average():
    network = twin.build_network([{"kind": "dense", "width": 1}], 1, torch.float64)
    twin.load_parameters(network, [1.0, 0.0])
    average = twin.MovingAverage(network, 0.75)
    twin.load_parameters(network, [5.0, 4.0])
    average.update(network)
    assert twin.pack_parameters(average.network).tolist() == [2.0, 1.0]
    assert twin.pack_parameters(network).tolist() == [5.0, 4.0]


def test_sliced_wasserstein_against_scipy():
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=(40, 5)), 1 + rng.normal(size=(40, 5))
    directions = twin.draw_projections(5, 16, 3)
    assert np.linalg.norm(directions, axis=0) == pytest.approx(np.ones(16))
    expected = np.mean([scipy.stats.wasserstein_distance(first @ d, second @ d)
                        for d in directions.T])
    assert twin.sliced_wasserstein(first, second, directions) == pytest.approx(expected, rel=1e-12)
    assert twin.sliced_wasserstein(first, first[::-1], directions) < 1e-15
    with pytest.raises(ValueError, match="must be equal"):
        twin.sliced_wasserstein(first, second[1:], directions)


def test_excess_of_a_perfect_generator_is_the_floors_noise():
    rng = np.random.default_rng(8)
    training, held_out = rng.normal(size=(1500, 2)), rng.normal(size=(300, 2))
    same, floor = twin.excess_distance(torch.nn.Identity(), 2, held_out, training)
    assert 0.02 < floor < 0.15 and abs(same - floor) < 0.3 * floor
    shifted, unmoved = twin.excess_distance(lambda noise: noise + 1, 2, held_out, training)
    # A shift by s moves each projection d by |s . d|; its mean over the circle is |s| 2 / pi.
    assert unmoved == floor and shifted == pytest.approx(np.sqrt(2) * 2 / np.pi, rel=0.1)


def run_program(name, *arguments):
    result = subprocess.run([sys.executable, "-W", "ignore", HERE / name, *map(str, arguments)],
                            check=True, capture_output=True, text=True)
    return result.stdout


def test_digits_reference_learns(tmp_path):
    importer = HERE.parent.parent / "inputs" / "import_dataset.py"
    subprocess.run([sys.executable, importer, "digits", "--hold-out", "360", "--output",
                    tmp_path / "d.h5"], check=True, capture_output=True)
    excess = {}
    for iterations in (0, 300):
        out = run_program("digits_reference.py", tmp_path / "d.h5", tmp_path / "d-test.h5",
                          "--seeds", 1, "--iterations", iterations, "--batch", 64, "--ema", 0.98)
        excess[iterations] = float(out.split()[-1])
    assert 0.4 < excess[0] < 1 and excess[300] < 0.6 * excess[0], excess
    with h5py.File(tmp_path / "d-test.h5", "r") as file:
        assert len(file["x"]) == 360


def test_mixture_reference_reports():
    lines = run_program("mixture_reference.py", "--iterations", 20, "--every", 10).splitlines()
    assert [line.split(":")[0] for line in lines] == ["seed 1 iteration 10", "seed 1 iteration 20"]


def test_modes_and_share():
    # The module is a program: its sibling import works only from its own folder.
    code = ("import numpy as np, mixture_reference as m\n"
            "c = m.place_modes()\n"
            "p = np.concatenate([np.repeat(c[:6], 10, 0) + [0.03, 0.05], np.zeros((20, 2))])\n"
            "print(m.measure_modes(p, c, 0.02), m.measure_modes(c, c, 0.02))\n")
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, cwd=HERE,
                         capture_output=True, text=True).stdout
    assert out.strip() == "(6, 0.75) (8, 1.0)"

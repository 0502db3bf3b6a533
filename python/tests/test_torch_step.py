# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps: optimizers against torch.optim, parts of batches, precisions, layouts, strategies and states."""
import copy
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import dmc
from support import needs_torch

if importlib.util.find_spec("torch"):
    import torch
    import torch.nn.functional as F
    from torch import nn

GRID = {"data": 2, "model": 2}


class StepTest(unittest.TestCase):
    """A small network and eager steps of it."""

    def build(self, norm=True, dropout=0.0):
        torch.manual_seed(1)
        layers = [nn.Linear(6, 16), nn.BatchNorm1d(16) if norm else nn.Identity(), nn.ReLU(), nn.Dropout(dropout)]
        return nn.Sequential(*layers, nn.Linear(16, 3)), torch.randn(8, 6), torch.randint(0, 3, (8,))

    def step(self, model, **options):
        return dmc.torch.train_step(model, F.cross_entropy, inputs=1, progress=False, **options)

    def eager(self, model, optimizer, x, y, steps=4, parts=1, clip=None):
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            total = 0.0
            for i in range(parts):
                loss = F.cross_entropy(model(x[i::parts]), y[i::parts]) / parts
                loss.backward()
                total += loss.item()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            losses.append(total)
        return losses

    def check(self, optimizer, eager, norm=True, tolerance=1e-5, steps=4, **options):
        model, x, y = self.build(norm)
        twin = copy.deepcopy(model)
        step = self.step(model, optimizer=optimizer, **options)
        losses = [float(step(x, y)) for _ in range(steps)]
        expected = self.eager(twin, eager(twin.parameters()), x, y, steps, options.get("accumulate", 1),
                              options.get("clip_norm"))
        for got, want in zip(losses, expected, strict=True):
            self.assertAlmostEqual(got, want, delta=tolerance)
        state = step.state_dict()
        self.assertEqual(list(state), list(twin.state_dict()))
        for name, value in twin.state_dict().items():
            torch.testing.assert_close(state[name], value, rtol=tolerance, atol=tolerance)
        return step


@needs_torch
class Optimizers(StepTest):
    def test_sgd(self):
        self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1))
        self.check(dmc.SGD(lr=0.1, maximize=True), lambda p: torch.optim.SGD(p, 0.1, maximize=True))

    def test_momentum(self):
        self.check(dmc.SGD(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
                   lambda p: torch.optim.SGD(p, 0.1, 0.9, nesterov=True, weight_decay=0.01), mesh=GRID, batch="data")
        self.check(dmc.SGD(lr=0.1, momentum=0.9, dampening=0.5), lambda p: torch.optim.SGD(p, 0.1, 0.9, 0.5))

    def test_adam(self):
        # Without a norm: in front of one, gradients of biases are rounding errors, which Adam makes steps of.
        self.check(dmc.Adam(lr=0.01, amsgrad=True, weight_decay=0.1),
                   lambda p: torch.optim.Adam(p, 0.01, amsgrad=True, weight_decay=0.1), norm=False)

    def test_adamw(self):
        self.check(dmc.AdamW(lr=0.01, weight_decay=0.1), lambda p: torch.optim.AdamW(p, 0.01, weight_decay=0.1), norm=False,
                   mesh=GRID, batch=("data", "model"))

    def test_lion(self):
        """Against the published rule."""
        model, x, y = self.build(norm=False)
        twin = copy.deepcopy(model)
        step = self.step(model, optimizer=dmc.Lion(lr=0.01, weight_decay=0.1))
        means = [torch.zeros_like(parameter) for parameter in twin.parameters()]
        for _ in range(3):
            loss = F.cross_entropy(twin(x), y)
            gradients = torch.autograd.grad(loss, list(twin.parameters()))
            self.assertAlmostEqual(float(step(x, y)), loss.item(), delta=1e-5)
            with torch.no_grad():
                for parameter, gradient, mean in zip(twin.parameters(), gradients, means):
                    parameter -= 0.01 * (torch.sign(0.9 * mean + 0.1 * gradient) + 0.1 * parameter)
                    mean.mul_(0.99).add_(gradient, alpha=0.01)

    def test_complex_parameters(self):
        """They are updated as pairs; states and dictionaries have them whole."""
        class Waves(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(4, dtype=torch.cfloat))
                self.register_buffer("shift", torch.randn(4, dtype=torch.cfloat))

            def forward(self, x):
                return torch.fft.irfft(torch.fft.rfft(x) * self.weight + self.shift)

        for optimizer, eager in ((dmc.SGD(lr=0.1, momentum=0.9), lambda p: torch.optim.SGD(p, 0.1, 0.9)),
                                 (dmc.AdamW(lr=0.1), lambda p: torch.optim.AdamW(p, 0.1))):
            torch.manual_seed(1)
            model, x, y = Waves(), torch.randn(8, 6), torch.randn(8, 6)
            twin = copy.deepcopy(model)
            other, make = eager(twin.parameters()), lambda mesh: dmc.torch.train_step(
                model, F.mse_loss, optimizer=optimizer, mesh=mesh, batch="data", clip_norm=0.5, progress=False)
            step = make(GRID)
            for _ in range(3):
                other.zero_grad()
                loss = F.mse_loss(twin(x), y)
                loss.backward()
                nn.utils.clip_grad_norm_(twin.parameters(), 0.5)
                other.step()
                self.assertAlmostEqual(float(step(x, y)), loss.item(), delta=1e-5)
            torch.testing.assert_close(step.state_dict(), twin.state_dict(), rtol=1e-4, atol=1e-5)
            with tempfile.TemporaryDirectory() as folder:
                step.save_state(folder + "/state")
                again = make({"data": 4})
                again.load_state(folder + "/state")
                self.assertAlmostEqual(float(again(x, y)), float(step(x, y)), delta=1e-5)
                step.load_state_dict(twin.state_dict())
                torch.testing.assert_close(step.state_dict(), twin.state_dict())

    def test_schedule_and_groups(self):
        """A rate of the step's number, and another decay of biases."""
        model, x, y = self.build(norm=False)
        twin = copy.deepcopy(model)
        step = self.step(model, optimizer=dmc.SGD(lr=lambda t: 0.2 / (1 + t), weight_decay=0.5,
                                                  groups={"*.bias": {"weight_decay": 0.0}}))
        decays = [0.0 if name.endswith("bias") else 0.5 for name, _ in twin.named_parameters()]
        for number in range(3):
            loss = F.cross_entropy(twin(x), y)
            gradients = torch.autograd.grad(loss, list(twin.parameters()))
            self.assertAlmostEqual(float(step(x, y)), loss.item(), delta=1e-5)
            with torch.no_grad():
                for parameter, gradient, decay in zip(twin.parameters(), gradients, decays):
                    parameter -= 0.2 / (1 + number) * (gradient + decay * parameter)
        self.assertEqual(step.metrics["step"], 3)

    def test_optimizers_of_torch(self):
        model, x, y = self.build(norm=False)
        twin = copy.deepcopy(model)
        make = lambda m: torch.optim.AdamW([{"params": m[0].parameters(), "lr": 0.02}, {"params": m[4].parameters()}],
                                           lr=0.01, betas=(0.8, 0.9))
        step = self.step(model, optimizer=make(model))
        losses = [float(step(x, y)) for _ in range(4)]
        for got, want in zip(losses, self.eager(twin, make(twin), x, y)):
            self.assertAlmostEqual(got, want, delta=1e-5)

    def test_clipping(self):
        step = self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1), clip_norm=0.1)
        self.assertGreater(step.metrics["gradient_norm"], 0.1)

    def test_frozen_and_unused_parameters(self):
        model, x, y = self.build(norm=False)
        model[0].weight.requires_grad_(False)
        model.register_parameter("unused", nn.Parameter(torch.ones(3)))
        before = model[0].weight.clone()
        step = self.step(model, optimizer=dmc.AdamW(lr=0.1))
        self.assertGreater(float(step(x, y)), float(step(x, y)))
        state = step.state_dict()
        self.assertTrue(torch.equal(state["0.weight"], before))
        self.assertTrue(torch.equal(state["unused"], torch.ones(3)))  # no gradient, no decay: as torch.optim


@needs_torch
class Parts(StepTest):
    def test_accumulation(self):
        self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1), norm=False, accumulate=4)
        self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1), accumulate=2, mesh={"data": 2}, batch="data")

    def test_half_precision(self):
        """Autocast: close to f32, and not equal."""
        for precision, tolerance in (("bf16", 1e-2), ("f16", 1e-3)):
            step = self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1), precision=precision, tolerance=tolerance)
            self.assertEqual({value.dtype for value in step.state_dict().values()}, {torch.float32, torch.int64})
            self.assertIn("x" + precision, step.program(*self.build()[1:]).text)

    def test_loss_scale(self):
        self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1), loss_scale=1024.0)
        step = self.check(dmc.SGD(lr=0.1), lambda p: torch.optim.SGD(p, 0.1), loss_scale="dynamic")
        self.assertEqual(step.metrics["loss_scale"], 2.0**16)

    def test_overflow_leaves_the_update_out(self):
        model, x, y = self.build(norm=False)
        step = self.step(model, optimizer=dmc.SGD(lr=0.1, momentum=0.9), loss_scale="dynamic")
        step(x, y)
        before = step.state_dict()
        step(x * float("inf"), y)
        after = step.state_dict()
        self.assertEqual(step.metrics, {"loss_scale": 2.0**15, "step": 1})
        for name, value in before.items():
            self.assertTrue(torch.equal(value, after[name]), name)
        self.assertLess(float(step(x, y)), 2)

    def test_bfloat16_parameters(self):
        model, x, y = self.build(norm=False)
        model.bfloat16()
        step = self.step(model, optimizer=dmc.AdamW(lr=0.01))
        losses = [float(step(x.bfloat16(), y)) for _ in range(3)]
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertEqual(step.state_dict()["0.weight"].dtype, torch.bfloat16)

    def test_dropout(self):
        """Other elements each step, by the seed, and the same on every mesh."""
        losses = {}
        for title, options in {"1": {}, "2x2": {"mesh": GRID, "batch": "data"}, "seed": {"seed": 1}}.items():
            model, x, y = self.build(norm=False, dropout=0.5)
            step = self.step(model, optimizer=dmc.SGD(lr=0.0), **options)
            losses[title] = [float(step(x, y)) for _ in range(3)]
        self.assertEqual(len(set(losses["1"])), 3)
        for got, want in zip(losses["2x2"], losses["1"]):
            self.assertAlmostEqual(got, want, delta=1e-6)
        self.assertNotEqual(losses["seed"], losses["1"])
        model, x, y = self.build(norm=False, dropout=0.5)
        step = self.step(model, optimizer=dmc.SGD(lr=0.0), accumulate=2)
        self.assertEqual(len({float(step(x, y)) for _ in range(3)}), 3)

    def test_evaluation(self):
        model, x, y = self.build(dropout=0.5)
        model.eval()
        step = self.step(model, optimizer=dmc.SGD(lr=0.0))
        self.assertAlmostEqual(float(step(x, y)), F.cross_entropy(model(x), y).item(), delta=1e-6)
        self.assertNotIn("rng", [value.name for value in step.plan.load().arguments])

    def test_adamw_on_bert(self):
        import torch_networks as networks
        model, inputs, targets, loss = networks.build("bert")
        twin = copy.deepcopy(model).double()
        step = dmc.torch.train_step(model, loss, optimizer=dmc.AdamW(lr=1e-3), mesh=GRID, batch="data", progress=False,
                                    layouts={"*.q.weight": ["model", None], "*.o.weight": [None, "model"]})
        optimizer = torch.optim.AdamW(twin.parameters(), 1e-3)
        for _ in range(3):
            optimizer.zero_grad()
            value = loss(twin(*inputs), *targets)
            value.backward()
            optimizer.step()
            self.assertAlmostEqual(float(step(*inputs, *targets)), value.item(), delta=1e-4)


@needs_torch
class Layouts(StepTest):
    def dims(self, **options):
        model, x, y = self.build(norm=False)
        twin = copy.deepcopy(model)
        step = self.step(model, optimizer=dmc.SGD(lr=0.1, momentum=0.5), **options)
        plan = step.compile(x, y)
        for want in self.eager(twin, torch.optim.SGD(twin.parameters(), 0.1, 0.5), x, y, steps=2):
            self.assertAlmostEqual(float(step(x, y)), want, delta=1e-5)
        return {value.name: value.dims for value in plan.load().arguments}

    def test_patterns(self):
        dims = self.dims(mesh=GRID, batch="data", layouts={"*.weight": ["model", None], "4.*eight": dmc.P(None, "model")})
        self.assertEqual(dims["0.weight"], (("model",), ()))
        self.assertEqual(dims["4.weight"], ((), ("model",)))
        self.assertEqual(dims["optimizer.momentum.4.weight"], ((), ("model",)))
        self.assertEqual(dims["0.bias"], ((),))
        self.assertEqual(dims["input"], (("data",), ()))
        self.assertEqual(dims["target"], (("data",),))

    def test_other_forms(self):
        mesh = dmc.Mesh(GRID)
        dims = self.dims(mesh=mesh, batch=[dmc.P("data", None), None],
                         layouts={"0.weight": dmc.Layout(mesh, [("data", "model"), None])})
        self.assertEqual(dims["0.weight"], (("data", "model"), ()))
        self.assertEqual(dims["target"], ((),))

    def test_placements(self):
        from torch.distributed.tensor import Replicate, Shard
        dims = self.dims(mesh=GRID, batch="data", layouts={"0.weight": [Replicate(), Shard(0)],
                                                           "4.weight": [Shard(1), Shard(1)]})
        self.assertEqual(dims["0.weight"], (("model",), ()))
        self.assertEqual(dims["4.weight"], ((), ("data", "model")))

    def test_parallel_styles(self):
        from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel
        dims = self.dims(mesh=GRID, batch="data", layouts={"0": ColwiseParallel(), "4": RowwiseParallel()})
        self.assertEqual(dims["0.weight"], (("model",), ()))
        self.assertEqual(dims["0.bias"], (("model",),))
        self.assertEqual(dims["4.weight"], ((), ("model",)))
        self.assertEqual(dims["4.bias"], ((),))

    def test_strategies(self):
        dims = self.dims(mesh={"data": 4}, strategy="data_parallel")
        self.assertEqual((dims["0.weight"], dims["input"]), (((), ()), (("data",), ())))
        dims = self.dims(mesh={"data": 4}, strategy="zero1")
        self.assertEqual((dims["0.weight"], dims["optimizer.momentum.0.weight"]), (((), ()), (("data",), ())))
        dims = self.dims(mesh={"data": 4}, strategy="fsdp")
        self.assertEqual(dims["0.weight"], (("data",), ()))
        dims = self.dims(mesh=GRID, strategy=["megatron", "data_parallel"])
        self.assertEqual((dims["0.weight"], dims["4.weight"]), ((("model",), ()), ((), ("model",))))
        # A layout says what the strategy leaves to it.
        dims = self.dims(mesh=GRID, strategy="data_parallel", layouts={"0.weight": ["model", None]})
        self.assertEqual((dims["0.weight"], dims["input"]), ((("model",), ()), (("data",), ())))

    def test_collectives(self):
        """Data parallelism sends at most what sums of gradients and of the loss take, which two ranks send once."""
        model, x, y = self.build(norm=False)
        plan = self.step(model, optimizer=dmc.SGD(lr=0.1), mesh={"data": 2}, batch="data").compile(x, y)
        bytes_ = sum(parameter.numel() for parameter in model.parameters()) * 4
        self.assertGreater(plan.collectives.wire_bytes(), 0)
        self.assertLessEqual(plan.collectives.wire_bytes(), bytes_ + 64)


@needs_torch
class States(StepTest):
    def make(self, **options):
        model, x, y = self.build(dropout=0.5)
        return self.step(model, optimizer=dmc.AdamW(lr=0.01), batch="data", **options), x, y

    def test_on_another_mesh(self):
        with tempfile.TemporaryDirectory() as folder:
            step, x, y = self.make(mesh=GRID, layouts={"4.weight": [None, "model"]})
            step(x, y)
            step.save_state(folder + "/state")
            expected = [float(step(x, y)) for _ in range(2)]
            other, _, _ = self.make(mesh={"data": 4})
            other.load_state(folder + "/state")  # before it is compiled
            third, _, _ = self.make(mesh={"data": 1})
            third(x, y)
            third.load_state(folder + "/state")
            for again in (other, third):
                for want in expected:
                    self.assertAlmostEqual(float(again(x, y)), want, delta=1e-5)

    def test_the_tools_read_it(self):
        tree = os.environ.get("DMC_HOME")
        if not tree:
            self.skipTest("DMC_HOME is not set")
        with tempfile.TemporaryDirectory() as folder:
            step, x, y = self.make(mesh=GRID, layouts={"4.weight": [None, "model"]})
            step(x, y)
            state, program = pathlib.Path(folder, "state"), pathlib.Path(folder, "other.so")
            step.save_state(state)
            self.assertTrue((state / "manifest.json").exists())
            other, _, _ = self.make(mesh={"data": 4})
            other.compile(x, y).save(program)
            subprocess.run([f"{tree}/bin/dmc-reshard", state, "--to", program, "-o", folder + "/moved"], check=True,
                           stdout=subprocess.DEVNULL)
            other.load_state(folder + "/moved")
            self.assertAlmostEqual(float(other(x, y)), float(step(x, y)), delta=1e-5)

    def test_state_dict(self):
        import torch_networks as networks
        model, inputs, targets, loss = networks.build("gpt2")
        step = dmc.torch.train_step(model, loss, optimizer=dmc.SGD(lr=0.1), progress=False)
        start = {name: value.clone() for name, value in model.state_dict().items()}
        self.assertTrue(torch.equal(step.state_dict()["qkv.weight"], start["qkv.weight"]))
        first = float(step(*inputs, *targets))
        state = step.state_dict()
        self.assertTrue(torch.equal(state["head.weight"], state["words.weight"]))  # tied
        self.assertFalse(torch.equal(state["qkv.weight"], start["qkv.weight"]))
        self.assertTrue(torch.equal(model.qkv.weight, start["qkv.weight"]))  # the model's own are as they were
        step.load_state_dict(start)
        self.assertEqual(float(step(*inputs, *targets)), first)
        model.load_state_dict(state)
        self.assertAlmostEqual(loss(model(*inputs), *targets).item(), float(dmc.torch.train_step(
            model, loss, optimizer=dmc.SGD(lr=0.1), progress=False)(*inputs, *targets)), delta=1e-5)

    def test_state_dict_before_the_first_step(self):
        model, x, y = self.build(norm=False)
        other = copy.deepcopy(model)
        with torch.no_grad():
            for parameter in other.parameters():
                parameter.mul_(2)
        step = self.step(model, optimizer=dmc.SGD(lr=0.1))
        step.load_state_dict(other.state_dict())
        self.assertTrue(torch.equal(step.state_dict()["0.weight"], other[0].weight))
        self.assertFalse(torch.equal(model[0].weight, other[0].weight))  # the model's own stay
        self.assertAlmostEqual(float(step(x, y)), F.cross_entropy(other(x), y).item(), delta=1e-5)

    def test_other_shapes_go_on(self):
        """A compilation for other shapes keeps the state."""
        step, x, y = self.make(mesh={"data": 2})
        step(x, y)
        step.compile(x[:4], y[:4])
        step(x[:4], y[:4])
        self.assertEqual(step.metrics["step"], 2)

    def test_after_a_failure(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, DMC_FAULT="rank=1,collective=0,action=fail"):
            step, x, y = self.make(mesh={"data": 2})
            with self.assertRaisesRegex(dmc.Error, "DMC_FAULT|rank 1"):
                step(x, y)
            with self.assertRaisesRegex(dmc.Error, "a step failed before .* which lost the state"):
                step(x, y)
            with self.assertRaisesRegex(dmc.Error, "a step failed before"):
                step.save_state(folder + "/state")
            os.environ.pop("DMC_FAULT")
            healthy, _, _ = self.make(mesh={"data": 2})
            expected = float(healthy(x, y))
            step.compile(x, y)
            self.assertEqual(float(step(x, y)), expected)


if __name__ == "__main__":
    unittest.main()

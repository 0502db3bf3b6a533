# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of many kinds: losses, gradients and steps against torch's eager mode in f64, on one rank and on meshes."""
import unittest

import dmc
from support import needs_torch

MESHES = {"1": None, "4": {"data": 4}, "2x2": {"data": 2, "model": 2}}


@needs_torch
class Networks(unittest.TestCase):
    def options(self, model, mesh):
        """Batches split over data; weights over model, by their first dimension."""
        if mesh is None:
            return {"progress": False}
        layouts = {name: ["model"] + [None] * (parameter.ndim - 1) for name, parameter in model.named_parameters()
                   if parameter.ndim > 1} if "model" in mesh else {}
        return {"mesh": mesh, "batch": "data", "layouts": layouts, "progress": False}

    def check_gradients(self, name, mesh):
        import torch_networks as networks
        (expected,), gradients = networks.eager(name)
        model, inputs, targets, loss = networks.build(name)
        model.double()
        function = dmc.torch.value_and_grad(model, loss, inputs=len(inputs), **self.options(model, mesh))
        value, found = function(*networks.widen(inputs), *networks.widen(targets))
        self.assertAlmostEqual(float(value), expected, delta=1e-6 * abs(expected), msg=name)
        self.assertEqual(set(found), set(gradients))
        for key, gradient in gradients.items():
            # Biases in front of a norm have gradients that are zero but for rounding.
            scale = max(float(gradient.abs().max()), 1e-9)
            self.assertLess(float((found[key] - gradient).abs().max()) / scale, 1e-3, f"{name}: {key}")

    def test_kinks(self):
        """What f32 cannot tell: an input of a leaky ReLU is zero but for rounding, and gradients are those of one side of
        the kink or of the other. The sides are far apart, as a batch norm of few elements follows."""
        import copy
        import torch
        from torch import nn
        torch.manual_seed(3)
        block = lambda i, o: [nn.Conv2d(i, o, 3, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1)]
        model = nn.Sequential(*block(3, 8), *block(8, 8), *block(8, 8), nn.Flatten(), nn.Linear(32, 5)).double()
        x, y, loss = torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,)), nn.functional.cross_entropy
        with torch.no_grad():
            before = model[:8](x.double())[:, 0].flatten()
            model[7].bias[0] -= before[before.abs().argmin()]

        def gradients(network, images):
            return torch.autograd.grad(loss(network(images), y), list(network.parameters()))

        def distance(found, expected):
            """The largest difference of a gradient, of its largest element."""
            return max(float((a.double() - b).abs().max() / b.abs().max()) for a, b in zip(found, expected))

        sides = []
        for shift in (1e-7, -1e-7):
            twin = copy.deepcopy(model)
            with torch.no_grad():
                twin[7].bias[0] += shift
            sides.append(gradients(twin, x.double()))
        self.assertGreater(distance(*sides), 0.1)
        model.float()
        eager = gradients(model, x)
        _, found = dmc.torch.value_and_grad(model, loss, inputs=1, progress=False)(x, y)
        for title, given in (("eager", eager), ("dmc", [found[name] for name, _ in model.named_parameters()])):
            self.assertLess(min(distance(given, side) for side in sides), 1e-3, title)

    def check_exact_steps(self, name, mesh):
        """In f64, where rounding does not decide on which side of a kink an input lies, later steps agree as the first does,
        those of networks with batch norm too."""
        import torch_networks as networks
        losses, _ = networks.eager(name, steps=4)
        model, inputs, targets, loss = networks.build(name)
        model.double()
        step = dmc.torch.train_step(model, loss, optimizer=dmc.SGD(lr=0.05), inputs=len(inputs), **self.options(model, mesh))
        for want in losses:
            self.assertAlmostEqual(float(step(*networks.widen(inputs), *networks.widen(targets))), want, delta=1e-9 * abs(want))

    def check_steps(self, name, mesh):
        import torch_networks as networks
        losses, _ = networks.eager(name, steps=3)
        model, inputs, targets, loss = networks.build(name)
        step = dmc.torch.train_step(model, loss, optimizer=dmc.SGD(lr=0.05), inputs=len(inputs),
                                    **self.options(model, mesh))
        plan = step.compile(*inputs, *targets)
        self.assertEqual(plan.report.ranks, dmc.Mesh(mesh or {}).ranks)
        found = [float(step(*inputs, *targets)) for _ in range(3)]
        has_norm = any("BatchNorm" in type(module).__name__ for module in model.modules())
        for i, (got, want) in enumerate(zip(found, losses)):
            self.assertAlmostEqual(got, want, delta=(1e-2 if has_norm and i == 2 else 1e-4) * abs(want), msg=f"{name} {i}")


def _add_tests():
    try:
        import torch_networks as networks
        names = networks.NAMES
    except ImportError:
        names = ["all"]
    for name in names:
        for title in ("1", "2x2"):
            test = lambda self, name=name, title=title: self.check_gradients(name, MESHES[title])
            setattr(Networks, f"test_gradients_of_{name}_on_{title}", test)
        if name in ("resnet", "mobilenet", "yolo"):
            setattr(Networks, f"test_exact_steps_of_{name}", lambda self, name=name: self.check_exact_steps(name, MESHES["2x2"]))
        # Steps on one rank differ from gradients by the update alone.
        for title in ("4", "2x2") if name in ("resnet", "bert", "dlrm", "yolo") else ("1",):
            test = lambda self, name=name, title=title: self.check_steps(name, MESHES[title])
            setattr(Networks, f"test_steps_of_{name}_on_{title}", test)


_add_tests()

if __name__ == "__main__":
    unittest.main()

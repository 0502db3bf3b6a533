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

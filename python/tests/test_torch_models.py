# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as their users write them: gradients on a mesh and torch.compile, against torch's eager mode."""
import copy
import logging
import unittest

import dmc
from support import needs_torch

GRID = {"data": 2, "model": 2}


@needs_torch
class Models(unittest.TestCase):
    def layouts(self, model):
        """Weights are split over model by their first dimension."""
        return {name: ["model"] + [None] * (parameter.ndim - 1)
                for name, parameter in model.named_parameters() if parameter.ndim > 1}

    def check_gradients(self, name):
        """In f64."""
        import torch_models as models
        from torch_networks import widen
        model, inputs, targets, loss = models.build(name)
        inputs, targets = widen(inputs), widen(targets)
        model.double()
        twin = copy.deepcopy(model)
        expected = loss(twin(*inputs), *targets)
        expected.backward()
        function = dmc.torch.value_and_grad(model, loss, inputs=len(inputs), mesh=GRID, batch="data", progress=False,
                                            layouts=self.layouts(model))
        value, found = function(*inputs, *targets)
        self.assertAlmostEqual(float(value), expected.item(), delta=1e-6 * abs(expected.item()))
        gradients = {key: parameter.grad for key, parameter in twin.named_parameters()}
        self.assertEqual(set(found), set(gradients))
        for key, gradient in gradients.items():
            self.assertEqual(found[key].dtype, gradient.dtype)
            scale = max(float(gradient.abs().max()), 1e-9)
            self.assertLess(float((found[key] - gradient).abs().max()) / scale, 1e-3, key)

    def check_compiled(self, name):
        """Three steps of an optimizer of torch, with torch.compile and without."""
        import torch
        import torch_models as models
        from torch_networks import train_both
        torch._dynamo.reset()
        logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
        model, inputs, targets, loss = models.build(name)
        before = dmc.torch.backend.PROGRAMS.compilations
        for got, want in zip(*train_both(model, inputs, targets, loss, momentum=0.9), strict=True):
            self.assertAlmostEqual(got, want, delta=1e-3 * abs(want))
        self.assertGreaterEqual(dmc.torch.backend.PROGRAMS.compilations - before, 2)


def _add_tests():
    try:
        import torch_models as models
        names = models.NAMES
    except ImportError:
        names = ["all"]
    for name in names:
        setattr(Models, f"test_gradients_of_{name}", lambda self, name=name: self.check_gradients(name))
        setattr(Models, f"test_compiled_{name}", lambda self, name=name: self.check_compiled(name))


_add_tests()

if __name__ == "__main__":
    unittest.main()

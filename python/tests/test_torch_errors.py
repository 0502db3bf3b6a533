# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes of users of dmc.torch: one message each, at the user's line where there is one."""
import importlib.util
import pathlib
import tempfile
import unittest

import dmc
from support import needs_torch

if importlib.util.find_spec("torch"):
    import torch
    import torch.nn.functional as F
    from torch import nn


@needs_torch
class StepMistakes(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.model = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3))
        self.x, self.y = torch.randn(8, 6), torch.randint(0, 3, (8,))

    def check(self, pattern, function, *arguments, **options):
        with self.assertRaisesRegex(dmc.Error, pattern) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", caught.exception.message)
        return caught.exception

    def make(self, model=None, loss=None, **options):
        options = {"optimizer": dmc.SGD(lr=0.1), "inputs": 1, "progress": False} | options
        return dmc.torch.train_step(model or self.model, loss or F.cross_entropy, **options)

    def run_step(self, *batch, **options):
        return self.make(**options)(*(batch or (self.x, self.y)))

    def test_batches(self):
        step = self.make()
        step(self.x, self.y)
        self.check(r"input: 8x6xf32.*expected shape \(8, 6\), found \(4, 6\)", step, self.x[:4], self.y[:4])
        self.check("expected 'target' of torch.int64, found torch.float32", step, self.x, self.y.float())
        self.check(r"expected a batch of 2 tensors \(input, target\), found 1", step, self.x)
        self.check("expected elements of float32, found <U1", step, "x", self.y)
        self.check("expected tensor 1 of the batch, found list", self.run_step, self.x, [1, 2])
        self.check("unsupported element type torch.complex32 of tensor 0", self.run_step, self.x.to(torch.complex32), self.y)
        self.check("unsupported layout torch.sparse_coo of tensor 0", self.run_step, self.x.to_sparse(), self.y)
        self.check("^0: the model cannot be traced: RuntimeError: .*8, 5", self.run_step, torch.randn(8, 5), self.y)

    def test_memory_of_any_strides(self):
        step = self.make()
        expected = float(dmc.torch.value_and_grad(self.model, F.cross_entropy, inputs=1)(self.x, self.y)[0])
        strided = torch.randn(6, 8).t().copy_(self.x)
        self.assertFalse(strided.is_contiguous())
        self.assertAlmostEqual(float(step(strided, self.y)), expected, delta=1e-6)

    def test_number_of_inputs(self):
        class Two(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(6, 3)

            def forward(self, first, second=None):
                return self.layer(first)

        loss = lambda outputs, *targets: F.cross_entropy(outputs, targets[0])
        error = self.check("cannot tell how many .* expected inputs=", self.run_step, model=Two(), loss=loss, inputs=None)
        self.assertEqual(error.location.file, __file__)
        # The loss's targets tell.
        self.make(Two(), lambda outputs, target: F.cross_entropy(outputs, target), inputs=None)(self.x, self.y)
        self.check("expected a batch of at least 3 inputs, found 2", self.run_step, inputs=3)

    def test_loss(self):
        error = self.check(r"expected the loss to be a scalar of floats, found a tensor of shape \(8,\)", self.run_step,
                           loss=lambda outputs, target: outputs[:, 0])
        self.assertEqual(error.location.file, __file__)
        self.check("scalar of floats, found tuple", self.run_step, loss=lambda outputs, target: (outputs, target))
        self.check("depends on parameters", self.run_step, loss=lambda outputs, target: self.x.sum())
        self.check("expected a function .* as loss, found int", self.make, loss=3)
        self.check("unsupported: a loss with parameters", self.make, loss=nn.Linear(3, 1))

    def test_data_that_decides(self):
        def loss(outputs, target):
            if outputs.sum() > 0:
                return outputs.mean()
            return outputs[outputs > 0].sum()

        error = self.check("unsupported: a value or shape.* depends on data", self.run_step, loss=loss)
        self.assertEqual(error.location.file, __file__)
        self.check(r"unsupported dynamic shape \(u0,\) of aten.index.Tensor", self.run_step,
                   loss=lambda outputs, target: outputs[outputs > 0].sum())

    def test_unknown_overload(self):
        class Last(nn.Module):
            def forward(self, x):
                return torch.linalg.cholesky(x.t() @ x + torch.eye(4))

        error = self.check(r": 1\.0: unsupported operator aten.linalg_cholesky_ex.default", self.run_step,
                           model=nn.Sequential(nn.Linear(6, 4), nn.Sequential(Last())),
                           loss=lambda outputs, target: outputs.sum())
        line = pathlib.Path(__file__).read_text().splitlines().index(
            "                return torch.linalg.cholesky(x.t() @ x + torch.eye(4))") + 1
        self.assertEqual((error.location.file, error.location.line), (__file__, line))
        self.assertEqual(error.notes, [])

    def test_backward_operator_is_at_the_line_of_the_forward_one(self):
        graph = self.make(nn.Sequential(nn.Linear(6, 3)), lambda outputs, target: torch.tanh(outputs).sum())
        text = graph.program(self.x, self.y).text
        here = [row for row in text.splitlines() if "test_torch_errors.py" in row]
        self.assertTrue(any("stablehlo.tanh" in row for row in here))
        self.assertTrue(any("stablehlo.dot_general" in row and '"0"(' in row for row in text.splitlines()))

    def test_optimizers(self):
        self.check("expected an optimizer, dmc.SGD", self.make, optimizer=None)
        self.check("expected an optimizer, .* found 'sgd'", self.make, optimizer="sgd")
        self.check("unsupported optimizer RMSprop", self.make, optimizer=torch.optim.RMSprop(self.model.parameters()))
        self.check("expected an optimizer of the model's parameters", self.make,
                   optimizer=torch.optim.SGD(nn.Linear(2, 2).parameters(), 0.1))
        self.check("lacks 0.bias", self.make, optimizer=torch.optim.SGD([self.model[0].weight], 0.1))
        self.check("SGD: expected a learning rate that is not negative, found -1", dmc.SGD, lr=-1)
        self.check("SGD: nesterov needs a momentum", dmc.SGD, lr=1, nesterov=True)
        self.check(r"AdamW: expected two betas in \[0, 1\)", dmc.AdamW, betas=(0.9, 1.0))
        self.check("SGD: unknown decay in group '\\*'", dmc.SGD, lr=1, groups={"*": {"decay": 1}})

    def test_keywords(self):
        self.check("unknown argument 'momentum', expected those of this function or machine, options", self.make, momentum=0.9)
        self.check("unknown argument 'layout'", self.make, layout={})
        self.check("unknown precision 'fp8', expected one of bf16, f16", self.make, precision="fp8")
        self.check("expected loss_scale as a positive number or 'dynamic', found 'auto'", self.make, loss_scale="auto")
        self.check("expected accumulate as a positive number", self.make, accumulate=0)
        self.check("accumulate=3 needs a batch .* multiple .* 'input' of shape", self.run_step, accumulate=3)
        self.check("expected clip_norm as a positive number", self.make, clip_norm=0)
        self.check("expected a torch.nn.Module as model, found function", self.make, model=lambda x: x)
        self.model.requires_grad_(False)
        self.check("Sequential has no parameters that require gradients", self.make)

    def test_meshes_and_layouts(self):
        mesh = {"data": 2, "model": 2}
        self.check("expected mesh axes as names with positive sizes", self.make, mesh={"data": 0})
        self.check("layouts need mesh=", self.make, layouts={"*": [None]})
        self.check("no parameter or buffer matches 'head.*'; there are 0.weight, 0.bias", self.make, mesh=mesh,
                   layouts={"head.*": ["model"]})
        self.check("unknown mesh axis \"modle\" in the layout of '0.weight'; the mesh has \"data\", \"model\"", self.make,
                   mesh=mesh, layouts={"0.weight": ["modle", None]})
        self.check("expected a layout of 2 dimensions for '0.weight'", self.make, mesh=mesh, layouts={"0.weight": ["model"]})
        self.check("has a mesh axis twice", self.make, mesh=mesh, layouts={"0.weight": ["model", "model"]})
        self.check("one entry for each dimension, found 'model'", self.make, mesh=mesh, layouts={"0.weight": "model"})
        self.check("is on Mesh\\(data=4\\)", self.make, mesh=mesh,
                   layouts={"0.weight": dmc.Layout(dmc.Mesh(data=4), ["data", None])})
        self.check('unknown mesh axis "batch" in the layout of \'input\'', self.run_step, mesh=mesh, batch="batch")
        self.check("expected batch as mesh axes, or as 2 layouts, found 1", self.run_step, mesh=mesh, batch=[dmc.P("data", None)])
        self.check("unknown strategy|no_such", self.run_step, mesh=mesh, strategy="no_such")

    def test_placements_and_styles(self):
        from torch.distributed.tensor import Partial, Replicate, Shard
        from torch.distributed.tensor.parallel import ColwiseParallel, SequenceParallel
        mesh = {"data": 2, "model": 2}
        self.check("unsupported placement Partial", self.make, mesh=mesh, layouts={"0.weight": [Partial(), Replicate()]})
        self.check("expected 2 placements for '0.weight'", self.make, mesh=mesh, layouts={"0.weight": [Shard(0)]})
        self.check("expected a dimension of 2", self.make, mesh=mesh, layouts={"0.weight": [Shard(2), Replicate()]})
        self.check("unsupported style SequenceParallel of 0", self.make, mesh=mesh, layouts={"0": SequenceParallel()})
        self.check("unsupported style ColwiseParallel of 1 \\(ReLU\\)", self.make, mesh=mesh, layouts={"1": ColwiseParallel()})
        self.check('the axis "model", which Mesh\\(a=2, b=2\\) lacks', self.make, mesh={"a": 2, "b": 2},
                   layouts={"0": ColwiseParallel()})

    def test_mesh_that_is_too_large(self):
        self.check("", self.run_step, mesh={"data": 1 << 30}, batch="data")

    def test_states(self):
        step = self.make()
        self.check("the step is not compiled", step.save_state, "nowhere")
        self.check("the step is not compiled", lambda: step.plan)
        self.check("has an unknown 'other'", step.load_state_dict, self.model.state_dict() | {"other": torch.ones(1)})
        self.check("lacks '0.weight'", step.load_state_dict, {})
        self.check(r"expected '0.bias' of shape \(4,\), found \(1,\)", step.load_state_dict,
                   self.model.state_dict() | {"0.bias": torch.ones(1)})
        step(self.x, self.y)
        with tempfile.TemporaryDirectory() as folder:
            self.check("cannot read the state in .*No such file", step.load_state, folder + "/none")
            self.check("it exists and is not a saved state", step.save_state, folder)
            self.check("cannot write", step.save_state, __file__ + "/state")
            step.save_state(folder + "/state")
            step.save_state(folder + "/state")  # in place of the other
            other = self.make(optimizer=dmc.AdamW())
            other(self.x, self.y)
            self.check("expected the state of this step; it lacks 'optimizer.exp_avg.0.weight'", other.load_state,
                       folder + "/state")
            manifest = pathlib.Path(folder, "state", "manifest.json")
            manifest.write_text(manifest.read_text().replace('"offset"', '"offsets"'))
            self.check("malformed state", step.load_state, folder + "/state")


@needs_torch
class GraphMistakes(unittest.TestCase):
    check = StepMistakes.check

    def trace(self, function, *inputs, **options):
        from torch.fx.experimental.proxy_tensor import make_fx
        graph = make_fx(function, tracing_mode=options.pop("mode", "fake"))(*inputs)
        return dmc.torch.import_graph(graph, **options)

    def test_graphs(self):
        x = torch.randn(4, 4)
        self.check("unsupported operator aten.linalg_cholesky_ex.default", self.trace, torch.linalg.cholesky, x)
        self.check("unsupported dynamic shape", self.trace, torch.sin, x, mode="symbolic")
        self.check("expected 1 names of arguments, found 2", self.trace, torch.sin, x, arguments=["a", "b"])
        self.check("expected 1 names of results, found 2", self.trace, torch.sin, x, results=["a", "b"])
        self.check("unsupported element type torch.complex32", self.trace, torch.abs, x.to(torch.complex32))
        self.check("unsupported random numbers without a key: expected seed= or key=", self.trace, torch.rand_like, x)
        self.check("unsupported index_put by a mask: expected one value", self.trace, lambda x, m, v: x.index_put((m,), v), x, x > 0, torch.ones(3))


if __name__ == "__main__":
    unittest.main()

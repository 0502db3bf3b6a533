# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ATen operators, imported and run, against torch itself."""
import importlib.util
import unittest

import dmc

needs_torch = unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")


@needs_torch
class Graphs(unittest.TestCase):
    def setUp(self):
        import torch
        from torch.fx.experimental.proxy_tensor import make_fx

        import dmc.torch
        self.torch, self.make_fx = torch, make_fx
        torch.manual_seed(1)

    def load(self, function, *inputs):
        from torch._decomp import core_aten_decompositions
        graph = self.make_fx(function, tracing_mode="fake", decomposition_table=core_aten_decompositions())(*inputs)
        return dmc.torch.import_graph(graph)

    def check(self, function, *inputs, mesh=None):
        plan = dmc.compile(self.load(function, *inputs), mesh=mesh or {"data": 1})
        found = plan.run([x.numpy() for x in inputs])
        expected = function(*inputs)
        for got, want in zip(found, expected if isinstance(expected, tuple) else (expected,)):
            self.torch.testing.assert_close(self.torch.from_numpy(got), want, rtol=1e-4, atol=1e-5)

    def test_elementwise(self):
        t, x = self.torch, self.torch.randn(3, 4)
        n = t.arange(-6, 6).reshape(3, 4)
        self.check(lambda x, n: (x + n, t.sub(x, n, alpha=2), n / 2, n > 1.5, x.clamp(max=0.5), t.tanh(x).relu(),
                                 t.where(n > 0, x, n), x ** 3, x.abs().log1p(), x.to(t.int32), n.bool()), x, n)

    def test_shapes(self):
        t, x = self.torch, self.torch.randn(2, 3, 4)
        self.check(lambda x: (x.transpose(0, -1) + 0, x[:, -1] + 0, x[:, 1:, ::2] + 0, t.cat([x, x * 2], 1), x.flip(1),
                              x[:1].expand(2, 3, 4) + 0, t.nn.functional.pad(x, (1, 2, 0, 1))), x)

    def test_reductions(self):
        x = self.torch.randn(2, 3, 4)
        self.check(lambda x: (x.sum(), x.sum(-1), x.mean((0, 2), keepdim=True), x.amax(1), x.amin((0, 1))), x)

    def test_variance(self):
        t, x = self.torch, self.torch.randn(4, 6)
        self.check(lambda x: (*t.var_mean(x, (1,)), *t.var_mean(x, (0,), correction=0, keepdim=True)), x)

    def test_convolution_and_embedding(self):
        t, functional = self.torch, self.torch.nn.functional
        x, w, b = t.randn(2, 4, 7, 6), t.randn(6, 2, 3, 2), t.randn(6)
        self.check(lambda x, w, b: functional.conv2d(x, w, b, (2, 1), (1, 0), (1, 2), 2), x, w, b)
        self.check(lambda n, x: functional.embedding(n, x), t.tensor([[0, 4], [2, 4]]), t.randn(5, 3))

    def test_gradient_of_dense_layers(self):
        t = self.torch

        def step(x, w, v):
            loss = lambda w, v: (t.tanh(x @ w) @ v).pow(2).mean()
            return t.func.grad(loss, (0, 1))(w, v)

        self.check(step, t.randn(8, 6), t.randn(6, 10), t.randn(10, 4), mesh={"data": 2, "model": 2})

    def test_unsupported(self):
        with self.assertRaisesRegex(dmc.Error, "unsupported operator aten.sort.default"):
            self.load(lambda x: self.torch.sort(x)[0], self.torch.randn(4))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of torch.export, compiled and run."""
import unittest

import dmc
from support import needs_torch


@needs_torch
class Exported(unittest.TestCase):
    def test_inference(self):
        import torch
        import torch_networks as networks
        for name in ("unet", "vit", "bert", "dlrm", "lstm"):
            with self.subTest(name):
                model, inputs, _, _ = networks.build(name)
                plan = dmc.compile(torch.export.export(model.eval(), inputs), mesh={"data": 2}, progress=False)
                # The inputs come first; parameters have their values, and their names.
                names = [value.name for value in plan.load().arguments]
                self.assertLessEqual(set(dict(model.named_parameters())) - set(names), {"head.weight"})
                expected = model(*inputs)
                expected = expected if isinstance(expected, tuple) else (expected,)
                for got, want in zip(plan.run([tensor.numpy() for tensor in inputs]), expected, strict=True):
                    torch.testing.assert_close(torch.from_numpy(got), want.detach(), rtol=1e-3, atol=1e-4)

    def test_buffers_that_change(self):
        import torch
        model = torch.nn.BatchNorm1d(3)
        x = torch.randn(4, 3)
        session = dmc.compile(torch.export.export(model, (x,))).load()
        results = session.run({"input": x.numpy()})
        torch.testing.assert_close(torch.from_numpy(results["running_mean"]), x.mean(0) * 0.1)
        session.step()
        torch.testing.assert_close(torch.from_numpy(session.get("running_mean")), x.mean(0) * 0.19)

    def test_branches_and_loops(self):
        import torch

        from torch.fx.experimental.proxy_tensor import make_fx

        class Branch(torch.nn.Module):
            def forward(self, x):
                return torch.cond(x.sum() > 0, lambda z: z.sin(), lambda z: z * 2, (x,))

        def loop(x):
            return torch.ops.higher_order.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * x), (torch.tensor(0), x + 0), ())

        x = torch.full((2, 3), 0.5)
        plan = dmc.compile(torch.export.export(Branch(), (x,)), mesh={"data": 2})
        for given, want in ((x, x.sin()), (-x, -2 * x)):
            torch.testing.assert_close(torch.from_numpy(plan.run([given.numpy()])[0]), want)
        count, found = dmc.compile(dmc.torch.import_graph(make_fx(loop)(x))).run([x.numpy()])
        self.assertEqual(int(count), 3)
        torch.testing.assert_close(torch.from_numpy(found), x**4)

    def test_mistakes(self):
        import torch
        with self.assertRaisesRegex(dmc.Error, "expected what torch.export.export returns, found int"):
            dmc.torch.from_exported(3)
        size = torch.export.Dim("size", min=2)
        exported = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(4, 3),), dynamic_shapes=({0: size},))
        with self.assertRaisesRegex(dmc.Error, "unsupported dynamic shape"):
            dmc.compile(exported)


if __name__ == "__main__":
    unittest.main()

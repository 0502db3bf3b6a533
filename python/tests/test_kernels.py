# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the user's own: sharding rules by name, and functions that ranks call on their blocks."""
import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

import dmc
from dmc import P, kernels
from support import ROOT, needs_jax, needs_numpy, needs_torch

SCALE = """
func.func public @main(%x: tensor<8x6xf32> loc("x"), %s: tensor<8xf32> loc("s")) -> (tensor<8x6xf32> {jax.result_info = "y"}) {
  %0 = stablehlo.custom_call @scale_rows(%x, %s) : (tensor<8x6xf32>, tensor<8xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
"""
RULE = "([i, j], [i]) -> ([i, j])"
SPLIT = dict(mesh={"r": 2, "c": 2}, layouts={"arguments": [P("r", "c"), P("r")], "results": [P("r", "c")]})


def scale_rows(x, s):
    return x * s[:, None]


class Kernels(unittest.TestCase):
    """Names that a test registers are gone after it."""

    def setUp(self):
        known = dict(kernels._kernels)
        self.addCleanup(lambda: (kernels._kernels.clear(), kernels._kernels.update(known)))

    def check_error(self, message, call, location=None):
        with self.assertRaises(dmc.Error) as caught:
            call()
        self.assertIn(message, caught.exception.message)
        if location:
            self.assertEqual(str(caught.exception.location), location)
        return caught.exception


@needs_numpy
class Runs(Kernels):
    def setUp(self):
        super().setUp()
        import numpy
        self.numpy = numpy
        random = numpy.random.default_rng(1)
        self.x, self.s = (random.normal(size=size).astype("float32") for size in ((8, 6), (8, )))

    def test_blocks(self):
        shapes, lock = [], threading.Lock()

        @dmc.kernel("scale_rows", RULE)
        def scale(x, s):
            with lock:
                shapes.append((x.shape, s.shape))
            self.assertFalse(x.flags.writeable)
            return scale_rows(x, s)

        plan = dmc.compile(SCALE, **SPLIT)
        self.assertEqual(len(plan.collectives), 0)
        (y, ) = plan.run([self.x, self.s])
        self.assertTrue((y == scale_rows(self.x, self.s)).all())
        self.assertEqual(shapes, [((4, 3), (4, ))] * 4)
        self.assertIs(scale, kernels.find_kernel("scale_rows").function)

    def test_without_a_rule_ranks_compute_everything(self):
        dmc.kernel("scale_rows", None, scale_rows)
        plan = dmc.compile(SCALE, **SPLIT)
        self.assertGreater(plan.collectives.count(kind="all_gather"), 0)
        (y, ) = plan.run([self.x, self.s])
        self.assertTrue((y == scale_rows(self.x, self.s)).all())

    def test_uneven_blocks_are_not_split(self):
        # 6 columns over 4 ranks: a block would have padding.
        dmc.kernel("scale_rows", RULE, scale_rows)
        split = dict(mesh={"c": 4}, layouts={"arguments": [P(None, "c"), P(None)], "results": [P(None, "c")]})
        (y, ) = dmc.compile(SCALE, **split).run([self.x, self.s])
        self.assertTrue((y == scale_rows(self.x, self.s)).all())

    def test_propagation_follows_the_rule(self):
        dmc.kernel("scale_rows", RULE, scale_rows)
        text = dmc.compile(SCALE, mesh={"r": 4}, layouts={"arguments": [P("r", None), P("r")], "results": [P("r", None)]}).text("parallel")
        self.assertIn('dmc.custom_call "scale_rows"', text)
        self.assertNotIn("dmc.combine", text)

    def test_sums_of_ranks(self):
        dmc.kernel("gram", "([k, i], [k, j]) -> ([i, j]) reduction={k}", lambda a, b: a.T @ b)
        text = SCALE.replace("%s: tensor<8xf32>", "%s: tensor<8x5xf32>").replace("-> (tensor<8x6xf32>", "-> (tensor<6x5xf32>")
        text = text.replace("scale_rows", "gram").replace("tensor<8xf32>) -> tensor<8x6xf32>", "tensor<8x5xf32>) -> tensor<6x5xf32>")
        text = text.replace("return %0 : tensor<8x6xf32>", "return %0 : tensor<6x5xf32>")
        b = self.numpy.random.default_rng(2).normal(size=(8, 5)).astype("float32")
        plan = dmc.compile(text, mesh={"d": 4}, layouts={"arguments": [P("d", None)] * 2, "results": [P(None, None)]})
        self.assertEqual(plan.collectives.count(kind="all_reduce"), 1)
        (g, ) = plan.run([self.x, b])
        self.assertTrue(self.numpy.allclose(g, self.x.T @ b, atol=1e-5))

    def test_types_results_and_keywords(self):
        from dmc.stablehlo import Module
        module, seen = Module("types"), []
        given = [module.argument(name, (4, ), dtype) for name, dtype in (("a", "ui8"), ("b", "i1"), ("c", "bf16"), ("d", "i64"))]
        config = {"scale": 2.5, "axes": [0, -1], "name": 'a "b"', "deep": {"is_on": True}}
        results = module.custom_call("types", given, [((4, ), "ui8"), ((), "f64"), ((4, ), "bf16")], config)
        for i, result in enumerate(results):
            module.result(f"r{i}", result)

        @dmc.kernel("types", "([i], [i], [i], [i]) -> ([i], [], [i]) need_replication={i}")
        def types(a, b, c, d, **keywords):
            seen.append(([x.dtype.name for x in (a, b, d)], keywords))
            return [a + 1, float(d.sum()), c]

        numpy = self.numpy
        bits = numpy.array([0x3f80, 0x4000, 0xc000, 0], "uint16")
        arrays = [numpy.array([1, 2, 3, 255], "uint8"), numpy.array([True, False, True, True]), bits, numpy.arange(4)]
        r = dmc.compile(module.text()).run(arrays)
        self.assertEqual(seen, [(["uint8", "bool", "int64"], config)])
        self.assertEqual(r[0].tolist(), [2, 3, 4, 0])
        self.assertEqual(float(r[1]), 6)
        self.assertEqual(r[2].view("uint16").tolist(), bits.tolist())

    def test_loops_and_calls_that_are_equal(self):
        from dmc.stablehlo import Module
        calls = []
        dmc.kernel("next", "([i]) -> ([i])", lambda x: (calls.append(1), x * 2)[1])
        module = Module("loop")
        x = module.argument("x", (4, ), "f32")
        (y, ) = module.fori_loop(0, 5, lambda i, v: module.custom_call("next", [v], [((4, ), "f32")]), [x])
        module.result("y", y)
        (y, ) = dmc.compile(module.text(), mesh={"d": 2}, layouts={"arguments": [P("d")], "results": [P("d")]}).run([[1.0, 2.0, 3.0, 4.0]])
        self.assertEqual(y.tolist(), [32, 64, 96, 128])
        self.assertEqual(len(calls), 10)

    def test_a_function_of_ctypes(self):
        signature = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
        calls = []

        def write(pointer, _):
            call = ctypes.cast(pointer, ctypes.POINTER(kernels._Call)).contents
            calls.append((call.num_operands, call.num_results, call.name, call.struct_size, call.rank))
            kernels._view(call.results[0], True)[...] = 3
            return 0

        function = signature(write)
        for given in (function, ctypes.cast(function, ctypes.c_void_p).value):
            dmc.kernel("scale_rows", RULE, given)
            (y, ) = dmc.compile(SCALE).run([self.x, self.s])
            self.assertTrue((y == 3).all())
        self.assertEqual(calls, [(2, 1, b"scale_rows", ctypes.sizeof(kernels._Call), 0)] * 2)

    def test_a_library(self):
        compiler = shutil.which("clang-22") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler is installed")
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder, "kernels.so")
            subprocess.run([compiler, "-shared", "-fPIC", "-I", ROOT / "include", ROOT / "test" / "Tools" / "Inputs" / "kernels.c",
                            "-o", library], check=True)
            dmc.kernel("scale_rows", RULE, library=library, symbol="my_scale_rows")
            (y, ) = dmc.compile(SCALE, **SPLIT).run([self.x, self.s])
            self.assertTrue((y == scale_rows(self.x, self.s)).all())
            dmc.kernel("my.scale_rows", RULE, library=library)
            (y, ) = dmc.compile(SCALE.replace("@scale_rows", '@"my.scale_rows"'), **SPLIT).run([self.x, self.s])
            self.assertTrue((y == scale_rows(self.x, self.s)).all())
            self.check_error(f"kernel 'f': {library} has no function 'f'", lambda: dmc.kernel("f", library=library))

    def test_what_a_kernel_raises(self):
        def fail(x, s):
            raise KeyError("missing")

        dmc.kernel("scale_rows", RULE, fail)
        session = dmc.compile(SCALE, **SPLIT).load()
        error = self.check_error('kernel "scale_rows" failed on rank ', lambda: session.run([self.x, self.s]))
        self.assertIn("KeyError: 'missing'", error.message)
        self.assertIsInstance(error.__cause__, KeyError)
        self.assertEqual(error.location.line, 3)
        # The session goes on, and the next error has a cause of its own.
        self.assertIsInstance(self.check_error("KeyError", lambda: session.run([self.x, self.s])).__cause__, KeyError)

    def test_wrong_results(self):
        for returned, message in ((lambda x, s: x[:2], "expected result 0 of shape (8, 6), found (2, 6)"),
                                  (lambda x, s: (x, s), "expected 1 results, found 2"),
                                  (lambda x, s: None, "expected result 0 of shape (8, 6), found ()"),
                                  (lambda x, s: x.astype("complex64"), "expected result 0 of float32, found complex64"),
                                  (lambda x: x, "takes 1 positional argument but 2 were given")):
            dmc.kernel("scale_rows", RULE, returned)
            self.check_error(message, lambda: dmc.compile(SCALE).run([self.x, self.s]))

    def test_a_missing_kernel(self):
        dmc.kernel("scale_rows", RULE, scale_rows)
        plan = dmc.compile(SCALE)
        kernels._kernels.clear()
        self.check_error('the program calls the kernel "scale_rows", which the session was not given; it was given none', plan.load)
        dmc.kernel("other", None, scale_rows)
        self.check_error('which the session was not given; it was given "other"', plan.load)


class Refusals(Kernels):
    def test_rules(self):
        for rule, message in (
            ("([i, j]) -> ([i, j])", "does not fit: the rule has 1 operand, the operation 2"),
            ("([i, j, k], [i]) -> ([i, j]) need_replication={k}", "operand 0 has 3 dimensions in the rule, but 2 in the operation"),
            ("([i, j], [j]) -> ([i, j])", "factor j has size 8 in dimension 0 of operand 1, but 6 in dimension 1 of operand 0"),
            ("([i, j], [i]) -> ([i, j]) reduction={k}", "in --custom-call: the rule of 'scale_rows': unknown factor k, expected one of i, j"),
            ("([i, j], [i]) -> ([j])", "factor i is in no result"),
            ("[i] -> [i]", "expected '(', found '[i] -> [i]'"),
        ):
            dmc.kernel("scale_rows", rule, scale_rows)
            self.check_error(message, lambda: dmc.compile(SCALE))

    def test_the_place_of_a_wrong_rule(self):
        dmc.kernel("scale_rows", "([i]) -> ([i])", scale_rows)
        self.check_error("does not fit", lambda: dmc.compile(SCALE), "<program>:3:8")

    def test_a_name_that_is_not_registered(self):
        self.check_error("of the target 'scale_rows'; expected operations whose meaning is in the program, or a kernel of this name",
                         lambda: dmc.compile(SCALE), "<program>:3:8")

    def test_devices(self):
        dmc.kernel("scale_rows", RULE, scale_rows)
        self.check_error("unsupported: the kernel 'scale_rows' in a program for a device; expected one for processors",
                         lambda: dmc.compile(SCALE, options=["--target=cuda:sm_90a"]), "<program>:3:8")

    def test_registration(self):
        for message, arguments, named in (
            ("expected the name of a kernel, found ''", ("", ), {}),
            ("expected the name of a kernel, found 'a=b'", ("a=b", ), {}),
            ("expected a rule as text, found int", ("f", 3), {}),
            ("expected a function, found list", ("f", None, [1]), {}),
            ("expected a function, found 0", ("f", None, 0), {}),
            ("expected a function or a library, found both", ("f", None, print), {"library": "x.so"}),
            ("a symbol needs the library that has it", ("f", None, print), {"symbol": "g"}),
            ("cannot load ", ("f", ), {"library": "/nonexistent.so"}),
        ):
            self.check_error(message, lambda: dmc.kernel(*arguments, **named))


@needs_jax
class FromJax(Kernels):
    def test_ffi_call(self):
        import jax
        import jax.numpy as jnp
        import numpy

        @dmc.kernel("jax_softcap", "([i, j]) -> ([i, j])")
        def softcap(x, limit):
            return limit * numpy.tanh(x / limit)

        @dmc.jax.jit
        def step(x):
            call = jax.ffi.ffi_call("jax_softcap", jax.ShapeDtypeStruct(x.shape, x.dtype))
            return jnp.sum(call(x * 2, limit=numpy.float32(5.0)))

        x = numpy.random.default_rng(0).normal(size=(8, 6)).astype("float32")
        self.assertAlmostEqual(float(step(x)), float(softcap(2 * x, 5.0).sum()), places=4)


@needs_torch
class FromTorch(Kernels):
    def test_custom_op(self):
        import numpy
        import torch

        dmc.kernel("dmctest::softcap", "([i, j]) -> ([i, j])", lambda x, limit: limit * numpy.tanh(x / limit))
        dmc.kernel("dmctest::softcap_gradient", "([i, j], [i, j]) -> ([i, j])",
                   lambda g, x, limit: g * (1 - numpy.tanh(x / limit)**2))

        @torch.library.custom_op("dmctest::softcap", mutates_args=())
        def softcap(x: torch.Tensor, limit: float) -> torch.Tensor:
            return limit * torch.tanh(x / limit)

        @torch.library.custom_op("dmctest::softcap_gradient", mutates_args=())
        def softcap_gradient(g: torch.Tensor, x: torch.Tensor, limit: float) -> torch.Tensor:
            return g * (1 - torch.tanh(x / limit)**2)

        softcap.register_fake(lambda x, limit: torch.empty_like(x))
        softcap_gradient.register_fake(lambda g, x, limit: torch.empty_like(x))

        def keep(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.limit = inputs[1]

        softcap.register_autograd(lambda ctx, g: (softcap_gradient(g, ctx.saved_tensors[0], ctx.limit), None), setup_context=keep)

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.dense = torch.nn.Linear(6, 4)

            def forward(self, x):
                return softcap(self.dense(x), 5.0)

        torch.manual_seed(0)
        model, x, y = Model(), torch.randn(8, 6), torch.randn(8, 4)
        want = torch.nn.functional.mse_loss(model(x), y)
        want.backward()
        gradient = model.dense.weight.grad.clone()
        step = dmc.torch.train_step(model, torch.nn.functional.mse_loss, optimizer=dmc.SGD(lr=1.0), mesh={"data": 2}, batch="data")
        before = model.dense.weight.detach().clone()
        loss = step(x, y)
        self.assertAlmostEqual(float(loss), float(want), places=5)
        after = step.state_dict()["dense.weight"]
        self.assertTrue(torch.allclose(before - torch.as_tensor(after), gradient, atol=1e-5))


if __name__ == "__main__":
    unittest.main()

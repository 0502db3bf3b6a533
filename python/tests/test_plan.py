# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: levels as text, what is reported, and runs compared with numpy and with the example's expected results."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dmc
from support import COUNT, MATMUL, MLP, ROOT, TYPES, needs_numpy

SUM = {"arguments": [dmc.P(None, "model"), dmc.P("model", None)], "results": [dmc.P(None, None)]}


class Plans(unittest.TestCase):
    def test_levels(self):
        plan = dmc.compile(MATMUL, mesh={"model": 2}, layouts=SUM)
        self.assertIn("dmc.reduce", plan.text())
        self.assertIn("comm.all_reduce", plan.text(level="ranks"))
        self.assertIn("tensor<8x3xf32", plan.text(level="ranks"))
        self.assertNotIn("dmc.reduce", plan.text(level="tensor"))
        # A level's text is a program.
        self.assertEqual(dmc.compile(plan.text("ranks")).collectives, plan.collectives)

    def test_automatic(self):
        plan = dmc.compile(MLP / "step.mlir", mesh={"data": 2, "model": 2}, strategy="auto")
        prediction = plan.report.plan
        self.assertTrue(prediction.certified)
        self.assertFalse(prediction.interrupted)
        self.assertGreater(prediction.predicted_ms, 0)
        self.assertLessEqual(prediction.gap, 1e-3)
        # What is predicted is what the program sends.
        self.assertEqual(sum(row.wire_bytes for row in prediction.collectives), sum(row.wire_bytes for row in plan.collectives))
        self.assertEqual(prediction.flops, plan.flops)
        # Something is divided: a rank has less than the whole program.
        whole = dmc.compile(MLP / "step.mlir", mesh={"data": 1})
        self.assertLess(plan.flops, whole.flops)
        self.assertIsNone(whole.report.plan)

    def test_mesh_is_chosen(self):
        plan = dmc.compile(MLP / "step.mlir", mesh=6)
        self.assertEqual(sorted(plan.mesh.values()), [2, 3])
        self.assertTrue(plan.report.plan.fingerprint)
        self.assertEqual(dmc.compile(MLP / "step.mlir", mesh=1).report.ranks, 1)
        with self.assertRaisesRegex(dmc.Error, "expected a mesh as axes and sizes, or a positive number of ranks, found 0"):
            dmc.compile(MLP / "step.mlir", mesh=0)
        with self.assertRaisesRegex(dmc.Error, "layouts given as a mapping need the axes of mesh= and no case="):
            dmc.compile(MATMUL, mesh=2, layouts=SUM)

    def test_report(self):
        plan = dmc.compile(MATMUL, mesh=dmc.Mesh(model=2), layouts=SUM)
        self.assertEqual(plan.mesh, {"model": 2})
        self.assertEqual(plan.report.ranks, 2)
        (row,) = plan.collectives
        # 8x4 floats; half of it is sent twice by each of two ranks.
        self.assertEqual(row, dmc.Collective("all_reduce", ("model",), 1, 8 * 4 * 4, 8 * 4 * 4))
        self.assertEqual(plan.collectives.bytes(axis="model"), 128)
        self.assertEqual(plan.collectives.bytes(axis="data"), 0)
        self.assertEqual(plan.collectives.count(kind="all_reduce"), 1)
        self.assertEqual(plan.flops, 2 * 8 * 3 * 4)
        self.assertEqual(plan.memory.arguments, (8 * 3 + 3 * 4) * 4)
        self.assertGreaterEqual(plan.memory.peak, plan.memory.arguments + 8 * 4 * 4)
        self.assertEqual(set(plan.report.compile_ms), {"import", "parallelize", "ranks", "schedule", "codegen"})
        self.assertIn("all_reduce", str(plan.collectives))

    def test_program_from_a_path(self):
        self.assertEqual(dmc.compile(str(MLP / "step.mlir")).report.ranks, 1)
        plan = dmc.compile(MLP / "step.mlir", layouts=MLP / "shardings.json", case="dp8")
        self.assertEqual(plan.mesh, {"data": 8})
        # The gradients, each once, by data parallelism.
        self.assertEqual({row.axes for row in plan.collectives}, {("data",)})

    def test_strategy(self):
        plan = dmc.compile(MLP / "step.mlir", mesh={"data": 8}, strategy="data_parallel")
        self.assertGreater(plan.collectives.bytes(axis="data"), 0)

    def test_explain(self):
        plan = dmc.compile(MATMUL, mesh={"model": 2}, layouts=SUM)
        self.assertIn("all_reduce", plan.explain())
        self.assertEqual(len(json.loads(plan.explain(format="json"))["collectives"]), 1)
        page = plan._repr_html_()
        self.assertTrue(page.startswith("<iframe sandbox="))
        self.assertIn("all_reduce", page)
        self.assertNotIn("<script", page)  # escaped: it belongs to the frame

    def test_save_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "plan.mlir")
            plan = dmc.compile(MATMUL, mesh={"model": 2}, layouts=SUM)
            plan.save_plan(file)
            again = dmc.compile(MATMUL, mesh={"model": 2}, tactics=file)
            self.assertEqual(again.collectives, plan.collectives)

    def test_passes(self):
        """Functions between the stages see a level's text, and what they return is compiled."""
        seen = []

        def look(text):
            seen.append(text)
            return text

        def scale(text):
            return text.replace("arith.addf", "arith.subf", 1)

        plan = dmc.compile(MATMUL, mesh={"model": 2}, layouts=SUM, passes={"ranks": look, "parallel": [look, look]})
        self.assertEqual(len(seen), 3)
        self.assertEqual(seen[0], seen[1])
        self.assertIn("dmc.reduce", seen[0])
        self.assertIn("comm.all_reduce", seen[2])
        self.assertEqual(plan.text("parallel"), seen[0])
        self.assertEqual(plan.collectives, dmc.compile(MATMUL, mesh={"model": 2}, layouts=SUM).collectives)
        changed = dmc.compile(COUNT, passes={"tensor": scale})
        self.assertIn("arith.subf", changed.text("tensor"))
        self.assertNotIn("arith.addf", changed.text("scheduled"))

    def test_pass_and_strategy(self):
        seen = []
        plan = dmc.compile(MLP / "step.mlir", mesh={"data": 8}, strategy="data_parallel",
                           passes={"tensor": lambda text: seen.append(text) or text})
        self.assertNotIn("dmc.reduce", seen[0])
        self.assertEqual(plan.collectives, dmc.compile(MLP / "step.mlir", mesh={"data": 8}, strategy="data_parallel").collectives)

    def test_module_runs_tools(self):
        run = lambda *words: subprocess.run([sys.executable, "-m", "dmc", *words], capture_output=True, text=True,
                                            env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        found = run("compile", "--version")
        self.assertEqual((found.returncode, found.stdout[:4]), (0, "dmc "))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "step.mlir")
            path.write_text(MATMUL)
            self.assertIn("dmc.program", run("compile", str(path), "--mesh=model=2", "--emit=ranks").stdout)
            self.assertIn("memory", run("explain", str(path), "--mesh=model=2").stdout)
        found = run("compute")
        self.assertEqual(found.returncode, 1)
        self.assertRegex(found.stderr, "^dmc: error: expected one of .*compile.*, found 'compute'\n$")

    def test_files_are_removed(self):
        plan = dmc.compile(MATMUL)
        folder = pathlib.Path(plan._folder.name)
        self.assertTrue(folder.exists())
        del plan
        self.assertFalse(folder.exists())


@needs_numpy
class Runs(unittest.TestCase):
    def setUp(self):
        import numpy
        self.numpy = numpy

    def test_matmul_on_ranks(self):
        random = self.numpy.random.default_rng(1)
        x, w = (random.integers(-4, 5, shape).astype("float32") for shape in ((8, 6), (6, 4)))
        for mesh, layouts in (({"model": 2}, SUM), ({"model": 4}, None), (None, None)):
            plan = dmc.compile(MATMUL, mesh=mesh, layouts=layouts)
            (y,) = plan.run([x, w])
            self.numpy.testing.assert_array_equal(y, x @ w)
            results = plan.run({"w": w, "x": x})
            self.numpy.testing.assert_array_equal(results["y"], x @ w)

    def test_arrays_of_other_forms(self):
        plan = dmc.compile(MATMUL)
        x, w = self.numpy.arange(48, dtype="float32").reshape(8, 6), self.numpy.eye(6, 4, dtype="float32")
        (y,) = plan.run([x.tolist(), self.numpy.asfortranarray(w)])  # a list, columns first
        self.numpy.testing.assert_array_equal(y, x @ w)

    def test_types(self):
        plan = dmc.compile(TYPES)
        n, t, m, b = plan.run([21, [1, 2, 3, 128], [True, False, True, False],
                               self.numpy.array([0x3F80, 0x4000, 0x4040, 0x4080], "uint16")])
        self.assertEqual((n.dtype, n.shape, int(n)), (self.numpy.dtype("int32"), (), 42))
        self.assertEqual((t.dtype, t.tolist()), (self.numpy.dtype("uint8"), [2, 4, 6, 0]))
        self.assertEqual((m.dtype, m.tolist()), (self.numpy.dtype("bool"), [False, True, False, True]))
        self.assertEqual(b.view("uint16").tolist(), [0x4000, 0x4080, 0x40C0, 0x4100])

    def test_complex_numbers(self):
        import numpy

        text = """func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.multiply %x, %x : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}"""
        x = numpy.array([1 + 2j, -3j, 4], "complex64")
        session = dmc.compile(text).load()
        self.assertEqual(session.arguments[0].shape, (3, 2))
        (pairs,) = session(x)
        numpy.testing.assert_array_equal(pairs.view("complex64")[:, 0], x * x)
        with self.assertRaisesRegex(dmc.Error, "expected elements of float32, found complex128"):
            session(x.astype("complex128").reshape(1, 3))

    def test_donated_arguments_stay(self):
        session = dmc.compile(COUNT, mesh={"data": 2}, layouts={"arguments": [dmc.P("data")] * 2, "results": [dmc.P("data")]}).load()
        session.set(0, [0.0] * 4)
        session.set(1, [1.0, 2.0, 3.0, 4.0])
        for _ in range(3):
            session.step()
        self.assertEqual(session.result(0).tolist(), [3.0, 6.0, 9.0, 12.0])
        self.assertEqual(session.get(0).tolist(), [3.0, 6.0, 9.0, 12.0])
        self.assertEqual(session.get(1).tolist(), [1.0, 2.0, 3.0, 4.0])
        self.assertEqual(session.arguments[0].alias, 0)
        self.assertEqual(session.arguments[0].dims, (("data",),))
        self.assertEqual(session.arguments[0].local_shape, (2,))

    def test_donation_to_another_layout(self):
        """Blocks of one shape are not enough: the next step would read other elements."""
        text = COUNT.replace("4x", "4x4x")
        layouts = {"arguments": [dmc.P("a", "b")] * 2, "results": [dmc.P("b", "a")]}
        session = dmc.compile(text, mesh={"a": 2, "b": 2}, layouts=layouts).load()
        w = self.numpy.arange(16, dtype="float32").reshape(4, 4)
        session.set(0, w)
        session.set(1, self.numpy.zeros((4, 4), "float32"))
        for _ in range(2):
            session.step()
            self.assertEqual(session.result(0).tolist(), w.tolist())
        self.assertEqual((session.arguments[0].alias, session.results[0].alias), (-1, -1))

    def test_saved_library(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "step.so")
            dmc.compile(COUNT).save(file)
            with dmc.Session(file) as session:
                self.assertEqual(session([1.0] * 4, [2.0] * 4)[0].tolist(), [3.0] * 4)

    def test_mlp_example(self):
        """The example's training step on eight ranks, against its expected results."""
        meta = json.loads((MLP / "meta.json").read_text())
        read = lambda folder, count: [self.numpy.load(MLP / folder / f"{i:03}.npy") for i in range(count)]
        arrays = read("inputs", len(meta["arguments"]))
        expected = read("expected", len(meta["results"]))
        plan = dmc.compile(MLP / "step.mlir", layouts=MLP / "shardings.json", case="dp4_tp2")
        self.assertEqual(plan.mesh, {"data": 4, "model": 2})
        for got, want, result in zip(plan.run(arrays), expected, meta["results"], strict=True):
            self.numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=result["atol"], err_msg=result["name"])
        # By name, nested as the model's parameters are.
        session = plan.load()
        names = [value.name for value in session.arguments]
        by_name = session.run(dict(zip(names, arrays)))
        self.numpy.testing.assert_allclose(list(by_name.values())[-1], expected[-1], rtol=1e-5)


if __name__ == "__main__":
    unittest.main()

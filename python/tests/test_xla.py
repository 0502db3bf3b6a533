# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans as texts for XLA: what it computes on devices of the host, from both forms, beside what dmc computes."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dmc
from support import MLP, ROOT, needs_jax, needs_numpy

HERE = pathlib.Path(__file__).resolve().parent

# A loop whose weights move in front of it, sums that are added before they are reduced, rows that no axis divides, windows, a sort, an
# argument of maximum.
KINDS = """
module @kinds {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                         %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
                         %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
                         %i: tensor<2x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>},
                         %k: tensor<3x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>},
                         %r: tensor<7x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32>, tensor<2x8x8x8xf32>, tensor<64xf32>, tensor<7x64xf32>,
          tensor<7xi32>) {
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %s = stablehlo.add %p, %q : tensor<8x8xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %l:2 = stablehlo.while(%n = %zero, %h = %a) : tensor<i32>, tensor<8x8xf32>
    cond {
      %t = stablehlo.compare LT, %n, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %m = stablehlo.dot_general %h, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %t = stablehlo.tanh %m : tensor<8x8xf32>
      %o = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %o, %t : tensor<i32>, tensor<8x8xf32>
    }
    %v = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x8x8x8xf32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %rows = stablehlo.reduce(%r init: %f) applies stablehlo.add across dimensions = [0] : (tensor<7x64xf32>, tensor<f32>) -> tensor<64xf32>
    %sorted = "stablehlo.sort"(%r) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %t = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    }) : (tensor<7x64xf32>) -> tensor<7x64xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %places = stablehlo.iota dim = 1 : tensor<7x64xi32>
    %best:2 = stablehlo.reduce(%r init: %low), (%places init: %zero) across dimensions = [1] : (tensor<7x64xf32>, tensor<7x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
      reducer(%x: tensor<f32>, %y: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>) {
        %t = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %u = stablehlo.select %t, %x, %y : tensor<i1>, tensor<f32>
        %w = stablehlo.select %t, %d, %e : tensor<i1>, tensor<i32>
        stablehlo.return %u, %w : tensor<f32>, tensor<i32>
      }
    return %s, %l#1, %v, %rows, %sorted, %best#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<2x8x8x8xf32>, tensor<64xf32>, tensor<7x64xf32>, tensor<7xi32>
  }
}
"""

# Rows of which no two ranks have as many, and products of them.
UNEVEN = """
func.func public @main(%a: tensor<7x6xf32>, %b: tensor<6x5xf32>) -> (tensor<7x5xf32>, tensor<5xf32>) {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<7x6xf32>, tensor<6x5xf32>) -> tensor<7x5xf32>
  %e = stablehlo.exponential %p : tensor<7x5xf32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%e init: %f) applies stablehlo.add across dimensions = [0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %e, %s : tensor<7x5xf32>, tensor<5xf32>
}
"""
ROWS = {"arguments": [dmc.P("x", None), dmc.P(None, None)], "results": [dmc.P("x", None), dmc.P(None)]}


@needs_jax
@needs_numpy
class Plans(unittest.TestCase):
    def setUp(self):
        import numpy
        self.numpy = numpy

    def check(self, plan, arrays):
        expected = plan.run(arrays)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for number, array in enumerate(arrays):
                self.numpy.save(folder / f"{number:03}.npy", array)
            for form in ("sdy", "stablehlo"):
                (folder / f"{form}.mlir").write_text(plan.text(form))
            done = subprocess.run([sys.executable, str(HERE / "xla_programs.py"), str(folder / "sdy.mlir"), str(folder / "stablehlo.mlir"), name],
                                  env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            for form in ("sdy", "stablehlo"):
                for number, want in enumerate(expected):
                    got = self.numpy.load(folder / f"{form}{number:03}.npy")
                    self.numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * max(1e-3, abs(want).max()), err_msg=f"{form}: result {number}")

    def check_example(self, folder, **options):
        arrays = [self.numpy.load(path) for path in sorted((folder / "inputs").glob("*.npy"))]
        self.check(dmc.compile(folder / "step.mlir", **options), arrays)

    def draw(self, *shapes):
        random = self.numpy.random.default_rng(1)
        return [random.standard_normal(shape).astype("float32") for shape in shapes]

    def test_mlp_of_four(self):
        for strategy in ("auto", "data_parallel:axis=data", "fsdp:axis=data"):
            with self.subTest(strategy):
                self.check_example(MLP, mesh={"data": 4}, strategy=strategy)

    def test_mlp_of_two_by_two(self):
        self.check_example(MLP, mesh={"data": 2, "model": 2}, strategy="auto")

    def test_mlp_cases(self):
        for case in ("dp4_tp2", "zero1_dp8"):
            with self.subTest(case):
                self.check_example(MLP, layouts=MLP / "shardings.json", case=case)

    def test_gpt(self):
        self.check_example(ROOT / "examples" / "gpt", mesh={"data": 2, "model": 2}, strategy="auto")

    def test_kinds_of_operations(self):
        self.check(dmc.compile(KINDS), self.draw((8, 8), (8, 8), (8, 8), (2, 8, 8, 4), (3, 3, 4, 8), (7, 64)))

    def test_uneven_rows(self):
        self.check(dmc.compile(UNEVEN, mesh={"x": 4}, layouts=ROWS), self.draw((7, 6), (6, 5)))


class Texts(unittest.TestCase):
    def test_forms(self):
        plan = dmc.compile(UNEVEN, mesh={"x": 2})
        self.assertIn("sdy.mesh", plan.text("sdy"))
        self.assertIn("mhlo.num_replicas = 2", plan.text("stablehlo"))
        with self.assertRaisesRegex(dmc.Error, "unknown level 'hlo', expected one of tensor, .*, sdy, stablehlo"):
            plan.text("hlo")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several tests use."""
import contextlib
import importlib.util
import io
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MLP = ROOT / "examples" / "mlp"

needs_numpy = unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
needs_onnx = unittest.skipUnless(importlib.util.find_spec("onnx"), "onnx is not installed")
needs_torch = unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
needs_torch_export = unittest.skipUnless(importlib.util.find_spec("torch") and importlib.util.find_spec("onnxscript"),
                                         "torch or onnxscript is not installed")
needs_jax = unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")

# A matrix product of which each rank has rows, or a part of the sum.
MATMUL = """
func.func public @main(%x: tensor<8x6xf32> loc("x"), %w: tensor<6x4xf32> loc("w")) -> (tensor<8x4xf32> {jax.result_info = "y"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"""

# A counter, an unsigned table, a mask and bfloat16 values.
TYPES = """
func.func public @main(%n: tensor<i32>, %t: tensor<4xui8>, %m: tensor<4xi1>, %b: tensor<4xbf16>) -> (tensor<i32>, tensor<4xui8>, tensor<4xi1>, tensor<4xbf16>) {
  %0 = stablehlo.add %n, %n : tensor<i32>
  %1 = stablehlo.add %t, %t : tensor<4xui8>
  %2 = stablehlo.not %m : tensor<4xi1>
  %3 = stablehlo.add %b, %b : tensor<4xbf16>
  return %0, %1, %2, %3 : tensor<i32>, tensor<4xui8>, tensor<4xi1>, tensor<4xbf16>
}
"""

# w is donated: the step replaces it.
COUNT = """
func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %w, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def check_page(test, path):
    """Executes a page's Python blocks, in order, as one program; what each prints is what the page says."""
    blocks = re.findall(r"```python\n(.*?)```(?:\n+prints\n+```\n(.*?)```)?", path.read_text(), re.S)
    test.assertGreater(len(blocks), 3)
    names = {}
    for number, (code, expected) in enumerate(blocks):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{path.name}, block {number}", "exec"), names)
        if expected:
            test.assertEqual(printed.getvalue().strip(), expected.strip(), f"block {number}")

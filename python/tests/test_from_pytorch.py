# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/from-pytorch.md and the example: executed, in order, where torch is installed."""
import os
import subprocess
import sys
import unittest

from support import ROOT, check_page, needs_torch


@needs_torch
class FromPyTorch(unittest.TestCase):
    def test_page(self):
        check_page(self, ROOT / "docs" / "from-pytorch.md")

    def test_example(self):
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
        result = subprocess.run([sys.executable, ROOT / "examples" / "torch" / "train.py"], env=environment,
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Mesh(data=2, model=2)", result.stdout)
        self.assertIn("the same loss on another mesh: True", result.stdout)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/from-pytorch.md and the example: executed, in order, where torch is installed."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, check_page, needs_torch


@needs_torch
class FromPyTorch(unittest.TestCase):
    def test_page(self):
        check_page(self, ROOT / "docs" / "from-pytorch.md")

    def run_example(self, *words):
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
        result = subprocess.run([sys.executable, ROOT / "examples" / "torch" / words[0], *words[1:]], env=environment,
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_example(self):
        printed = self.run_example("train.py")
        self.assertIn("Mesh(data=2, model=2)", printed)
        self.assertIn("the same loss on another mesh: True", printed)

    def test_bert(self):
        with tempfile.TemporaryDirectory() as folder:
            printed = self.run_example("bert.py", folder + "/state")
            self.assertTrue(pathlib.Path(folder, "state", "manifest.json").exists())
        self.assertIn("torch has the same loss: True", printed)
        first, last = map(float, re.search(r"first ten losses (\S+), last ten (\S+)", printed).groups())
        self.assertLess(last, first)


if __name__ == "__main__":
    unittest.main()

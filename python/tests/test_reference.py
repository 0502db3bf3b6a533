# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/python-reference.md is what the docstrings say, and says something about every public name."""
import subprocess
import sys
import unittest

import dmc
from support import ROOT

SCRIPT = ROOT / "scripts" / "python-reference.py"


class Reference(unittest.TestCase):
    def test_is_current(self):
        found = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
        self.assertEqual((found.returncode, found.stdout), (0, ""), found.stderr)

    def test_all_names(self):
        page = (ROOT / "docs" / "python-reference.md").read_text()
        for name in dmc.__all__:
            self.assertIn(f"### dmc.{name}\n", page)
            self.assertTrue(getattr(dmc, name).__doc__, f"dmc.{name} has no docstring")
        for name in ("jit", "export_step", "Compiled", "Jitted"):
            self.assertIn(f"### dmc.jax.{name}\n", page)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/python-reference.md is what the docstrings say, and says something about every public name."""
import ast
import inspect
import pathlib
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
        for name in ("abs", "reduce", "while_loop"):
            self.assertEqual(page.count(f"\n- `{name}("), 1, name)  # of dmc.stablehlo.Module
        for name in ("jit", "export_step", "Compiled", "Jitted"):
            self.assertIn(f"### dmc.jax.{name}\n", page)

    def test_every_method_has_a_docstring(self):
        """Of the classes that the page lists, wherever they are defined; from the sources, without frameworks."""
        package = pathlib.Path(dmc.__file__).parent
        places = [*package.glob("[a-z]*.py"), *(package / "stablehlo").glob("*.py"), *(package / "jax").glob("jit.py"),
                  *(package / "torch").glob("step.py"), *(package / "onnx").glob("program.py")]
        missing = []
        for path in places:
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    missing += [f"{path.name}: {node.name}.{item.name}" for item in node.body
                                if isinstance(item, ast.FunctionDef) and not item.name.startswith("_") and not ast.get_docstring(item)]
        self.assertGreater(len(places), 15)
        self.assertEqual(missing, [])

    def test_parameters(self):
        """What a docstring names as a parameter is one, and every parameter is named."""
        signature = set(inspect.signature(dmc.compile).parameters)
        named = {name for line in inspect.getdoc(dmc.compile).splitlines() if (name := line.partition(":")[0]) in signature}
        self.assertEqual(named, signature)


if __name__ == "__main__":
    unittest.main()

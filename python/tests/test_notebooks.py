# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notebooks of examples/notebooks: their form, and that they run and print what they hold, without Jupyter."""
import ast
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from support import ROOT, needs_numpy, needs_torch

FOLDER = ROOT / "examples" / "notebooks"
SCRIPT = ROOT / "scripts" / "notebooks.py"
CELL = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": []}


def run(*paths):
    return subprocess.run([sys.executable, SCRIPT, *paths], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT / "python")})


class Form(unittest.TestCase):
    def test_form(self):
        """What nbformat 4.5 asks for; and no output that changes from run to run."""
        paths = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual([path.name for path in paths], ["compare_plans.ipynb", "move_checkpoint.ipynb", "train_gpt.ipynb"])
        for path in paths:
            notebook = json.loads(path.read_text())
            self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
            self.assertEqual(notebook["metadata"]["kernelspec"]["name"], "python3")
            self.assertEqual(len({cell["id"] for cell in notebook["cells"]}), len(notebook["cells"]))
            for cell in notebook["cells"]:
                keys = {"cell_type", "id", "metadata", "source"}
                if cell["cell_type"] == "code":
                    keys |= {"execution_count", "outputs"}
                    ast.parse("".join(cell["source"]))
                    self.assertIsNone(cell["execution_count"])
                self.assertEqual(set(cell), keys)
                self.assertTrue(all(isinstance(line, str) for line in cell["source"]))
            self.assertEqual(notebook["cells"][0]["cell_type"], "markdown")
            self.assertTrue("".join(notebook["cells"][0]["source"]).startswith("# "))

    @unittest.skipUnless(importlib.util.find_spec("nbformat"), "nbformat is not installed")
    def test_nbformat(self):
        import nbformat
        for path in FOLDER.glob("*.ipynb"):
            nbformat.validate(nbformat.read(path, as_version=4))

    def test_all_are_linked(self):
        pages = [ROOT / "README.md", ROOT / "docs" / "README.md"]
        for path in FOLDER.glob("*.ipynb"):
            for page in pages:
                self.assertIn(f"examples/notebooks/{path.name})", page.read_text(), page)


class Runs(unittest.TestCase):
    def check(self, name):
        found = run(FOLDER / name)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertEqual(found.stdout, "notebooks: 1 passed, 0 failed\n")

    @needs_numpy
    def test_compare_plans(self):
        self.check("compare_plans.ipynb")

    @needs_numpy
    def test_move_checkpoint(self):
        self.check("move_checkpoint.ipynb")

    @needs_torch
    def test_train_gpt(self):
        self.check("train_gpt.ipynb")

    @unittest.skipUnless(importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
                         "nbclient or ipykernel is not installed")
    def test_nbclient(self):
        import nbclient
        import nbformat
        for name in ("compare_plans.ipynb", "move_checkpoint.ipynb"):
            notebook = nbformat.read(FOLDER / name, as_version=4)
            with mock.patch.dict(os.environ, PYTHONPATH=str(ROOT / "python")):
                nbclient.NotebookClient(notebook, timeout=300, extra_arguments=["--log-level=40"], resources={"metadata": {"path": str(FOLDER)}}).execute()
            shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
            self.assertTrue(any("text/html" in output.get("data", {}) for output in shown) or name != "compare_plans.ipynb")

    def test_other_outputs_and_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.ipynb")

            def result(*sources, outputs=()):
                cells = [CELL | {"source": source.splitlines(keepends=True), "outputs": list(outputs)} for source in sources]
                path.write_text(json.dumps({"cells": cells}))
                return run(path)

            printed = {"name": "stdout", "output_type": "stream", "text": ["3\n"]}
            self.assertEqual(result("print(3)", outputs=[printed]).returncode, 0)
            found = result("print(4)", outputs=[printed])
            self.assertEqual(found.returncode, 1)
            self.assertRegex(found.stdout, r"(?s)a.ipynb: cell 0 gave.*4\\n.*expected.*3\\n.*notebooks: 0 passed, 1 failed")
            found = result("import time\nprint(time.time())")
            self.assertEqual(found.returncode, 1)
            with mock.patch.dict(CELL, metadata={"tags": ["varies"]}):
                found = result("import time\nprint(time.time())")
            self.assertEqual(found.returncode, 0, found.stdout)
            found = result("x = 1", "x += 1\nx / 0")
            self.assertEqual(found.returncode, 1)
            self.assertIn('File "a.ipynb, cell 1", line 2', found.stdout)
            self.assertIn("ZeroDivisionError", found.stdout)


if __name__ == "__main__":
    unittest.main()

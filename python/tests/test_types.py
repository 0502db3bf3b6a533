# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package's annotations: mypy finds nothing in the package, and what is wrong in code that uses it."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dmc
from support import ROOT

# Right, but for the lines that end with a remark.
USE = """
import dmc

plan = dmc.compile("step.mlir", mesh={"data": 2}, strategy="data_parallel")
peak: int = plan.memory.peak
sent: float = plan.collectives.wire_bytes(axis="data")
with plan.load() as session:
    session.set("x", [1.0])
    names: list[str] = [value.name for value in session.arguments]
dmc.compile(3, meesh={"data": 2})  # call-arg
text: int = plan.text("ranks")  # assignment
plan.diff("other")  # arg-type
plan.collective  # attr-defined
dmc.compil("step.mlir")  # attr-defined
dmc.torch.train_step(None, None, optimiser=dmc.SGD(lr=0.1))  # call-arg
dmc.jax.jit(abs, mesh={"data": 2})
"""


class Types(unittest.TestCase):
    def test_marker(self):
        self.assertTrue((pathlib.Path(dmc.__file__).parent / "py.typed").exists())

    def run_mypy(self, *words):
        return subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", *words], cwd=ROOT, capture_output=True, text=True)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_mypy(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = "--cache-dir=" + folder
            found = self.run_mypy(cache)
            self.assertEqual((found.returncode, found.stdout), (0, ""), found.stderr)
            path = pathlib.Path(folder, "use.py")
            path.write_text(USE)
            lines = self.run_mypy(cache, os.fspath(path)).stdout.splitlines()
            wrong = {number: line.partition("  # ")[2] for number, line in enumerate(USE.splitlines(), 1) if "  # " in line}
            got = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in lines if ": error: " in line}
            self.assertEqual(got, wrong, "\n".join(lines))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every page with Python blocks is executed by a test; that of README.md here."""
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from support import MLP, ROOT, needs_numpy


class Pages(unittest.TestCase):
    def test_all_pages_have_a_test(self):
        pages = [path for path in (ROOT / "docs").rglob("*.md") if "```python\n" in path.read_text()]
        self.assertGreater(len(pages), 3)
        tests = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("test_*.py"))
        for page in pages:
            self.assertIn(f'check_page(self, ROOT / "docs" / "{page.name}")', tests)

    @needs_numpy
    def test_readme(self):
        import numpy
        (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
        count = len(json.loads((MLP / "meta.json").read_text())["arguments"])
        names = {"arrays": [numpy.load(MLP / "inputs" / f"{i:03}.npy") for i in range(count)]}
        before, printed = os.getcwd(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(MLP / "step.mlir", folder)
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(printed):
                    exec(block, names)
            finally:
                os.chdir(before)
        self.assertIn("all_gather", printed.getvalue())
        self.assertEqual(len(names["results"]), count - 1)


if __name__ == "__main__":
    unittest.main()

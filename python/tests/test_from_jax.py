# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes docs/from-jax.md: its Python blocks, in order, as one program; what each prints is what the page says."""
import contextlib
import io
import re
import unittest

from support import ROOT, needs_jax

PAGE = ROOT / "docs" / "from-jax.md"


@needs_jax
class FromJax(unittest.TestCase):
    def test_page(self):
        text = PAGE.read_text()
        blocks = re.findall(r"```python\n(.*?)```(?:\n+prints\n+```\n(.*?)```)?", text, re.S)
        self.assertGreater(len(blocks), 3)
        names: dict = {}
        for number, (code, expected) in enumerate(blocks):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, f"{PAGE.name}, block {number}", "exec"), names)
            if expected:
                self.assertEqual(printed.getvalue().strip(), expected.strip(), f"block {number}")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes docs/extending-python.md."""
import unittest

from support import ROOT, check_page, needs_numpy


@needs_numpy
class Extending(unittest.TestCase):
    def test_page(self):
        check_page(self, ROOT / "docs" / "extending-python.md")


if __name__ == "__main__":
    unittest.main()

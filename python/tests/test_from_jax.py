# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes docs/from-jax.md."""
import unittest

from support import ROOT, check_page, needs_jax


@needs_jax
class FromJax(unittest.TestCase):
    def test_page(self):
        check_page(self, ROOT / "docs" / "from-jax.md")


if __name__ == "__main__":
    unittest.main()

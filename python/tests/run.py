#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of the Python package: run.py [PATTERN]. Prints what is skipped and why, and a closing line."""
import pathlib
import sys
import unittest

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent), str(here)]


def main() -> int:
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in sys.argv[1:]] or None
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(loader.discover(str(here)))
    for test, reason in result.skipped:
        print(f"{test.id()}: skipped {reason}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    passed = result.testsRun - failed - len(result.skipped)
    print(f"python: {passed} passed, {failed} failed, {len(result.skipped)} skipped")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())

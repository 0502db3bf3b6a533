#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of the Python package: run.py [--times] [--seconds=N] [PATTERN ...]. Prints what is skipped and why, and a
closing line.

--times prints how long the tests of each file took. --seconds skips the tests that would begin after so long.
"""
import collections
import pathlib
import signal
import sys
import time
import unittest

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent), str(here)]
seconds = collections.Counter()


class Result(unittest.TextTestResult):
    limit = None
    start = time.monotonic()

    def startTest(self, test):
        self.begin = time.monotonic()
        if self.limit is not None and self.begin > self.start + self.limit:
            # The others of the class are skipped, too, which the decorator does in the same manner.
            type(test).__unittest_skip__ = True
            type(test).__unittest_skip_why__ = f"{self.limit} s are over"
        super().startTest(test)

    def stopTest(self, test):
        seconds[test.id().split(".")[0]] += time.monotonic() - self.begin
        super().stopTest(test)


def main() -> int:
    # Jobs that a shell starts in the background ignore interrupts, and so does what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = sys.argv[1:]
    for word in words:
        if word.startswith("--seconds="):
            Result.limit = int(word.partition("=")[2])
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in words if not pattern.startswith("--")] or None
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Result).run(loader.discover(str(here)))
    for test, reason in result.skipped:
        print(f"{test.id()}: skipped {reason}")
    for name, taken in seconds.most_common() if "--times" in words else ():
        print(f"{taken:7.1f} s  {name}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    passed = result.testsRun - failed - len(result.skipped)
    print(f"python: {passed} passed, {failed} failed, {len(result.skipped)} skipped")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())

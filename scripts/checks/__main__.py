# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a set of checks and counts what ran, kind by kind.

The sets: tests (scripts/test.sh), ci (.ci/run), all (scripts/check-all.sh). Every step runs,
whatever became of those before. The last line is `N passed, N failed, N skipped`; the exit
code is 1 if anything failed, or if fewer units of a kind ran than .ci/floors says.
"""
import argparse
import os
import pathlib
import re
import signal
import sys

import floors
from runner import Runner
from steps import Steps, build_folder

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(prog="checks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", choices=["tests", "ci", "all"])
    parser.add_argument("--preset", default="dev", help="what the tests run on (dev)")
    parser.add_argument("--only", help="only the steps whose name matches this expression")
    parser.add_argument("--list", action="store_true", help="print the steps, run none")
    parser.add_argument("--minutes", type=float, help="ci: after this time clang-tidy, the release preset and the\n"
                        "sanitizers are left out or stopped (no limit)")
    parser.add_argument("--programs", type=int, default=2000, help="random programs of each fuzzer (2000)")
    parser.add_argument("--texts", type=int, default=20000, help="damaged texts of each fuzzer (20000)")
    parser.add_argument("--draws", type=int, default=50, help="long draws of random layouts of each model (50)")
    parser.add_argument("--mutations", type=int, default=5, help="mutations of each source (5)")
    parser.add_argument("--floors", type=pathlib.Path, default=ROOT / ".ci/floors", help="another file of floors")
    parser.add_argument("--raise-floors", action="store_true", help="write what ran to the file, if nothing failed")
    args = parser.parse_args()

    os.chdir(ROOT)
    os.environ.setdefault("DMC_BIN", str(ROOT / build_folder(args.preset) / "bin"))
    steps = getattr(Steps(ROOT, args.preset, args), args.set)()
    if args.only:
        steps = [step for step in steps if re.search(args.only, step.name)]
        if not steps:
            parser.error(f"no step matches '{args.only}'")
    if args.list:
        for step in steps:
            print(f"{step.name}: {step.kind}" + (f" (skipped: {step.why_not})" if step.why_not else ""))
        return 0

    # What a step started ends with the checks.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    known = floors.read(args.floors)
    runner = Runner(ROOT, args.minutes)
    for step in steps:
        runner.run(step)
    violations = floors.compare(known, runner.ran(), runner.expected)
    right = runner.summarize([] if args.raise_floors else violations)
    if right and args.raise_floors:
        floors.write(args.floors, known, runner.ran())
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

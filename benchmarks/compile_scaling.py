#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of each pass grows with the program.

    compile_scaling.py HALF.mlir WHOLE.mlir [--runs 5] [--bin build/bin] [--at-most 2.5] [--above-ms 50]

Runs the whole pipeline of dmc-opt on both programs (the second twice as large), takes per pass the median over the
runs, and prints the ratios. Exits 1 if a pass above the given time grows by more than the given ratio.
"""
import argparse
import re
import statistics
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("half")
parser.add_argument("whole")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--bin", default="build/bin")
parser.add_argument("--at-most", type=float, default=2.5)
parser.add_argument("--above-ms", type=float, default=50)
args = parser.parse_args()

PIPELINE = "builtin.module(dmc-import,dmc-parallelize,dmc-ranks,dmc-schedule,dmc-codegen)"


def times(program):
    """Milliseconds per pass, in the order of the pipeline; a repeated pass gets a number."""
    command = [f"{args.bin}/dmc-opt", program, f"--pass-pipeline={PIPELINE}", "--mlir-timing",
               "--mlir-disable-threading", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    found = {}
    for seconds, name in re.findall(r"^ +([0-9.]+) \([^)]*\)  (\S.*)$", done.stderr, flags=re.M):
        key, n = name, 2
        while key in found:
            key, n = f"{name} ({n})", n + 1
        found[key] = 1000 * float(seconds)
    return found


half = [times(args.half) for _ in range(args.runs)]
whole = [times(args.whole) for _ in range(args.runs)]
worst = 0
print(f"{'pass':32}{'half ms':>10}{'whole ms':>10}{'ratio':>8}   (medians of {args.runs})")
for name in whole[0]:
    a = statistics.median(run.get(name, 0) for run in half)
    b = statistics.median(run.get(name, 0) for run in whole)
    ratio = b / a if a else 0
    judged = b > args.above_ms and name not in ("Total", "Rest", "Output", "Parser")
    if judged:
        worst = max(worst, ratio)
    print(f"{name:32}{a:10.1f}{b:10.1f}{ratio:8.2f}{'' if judged else '   (not judged)'}")
print(f"largest ratio of a pass above {args.above_ms:g} ms: {worst:.2f}, at most {args.at_most:g} asked")
sys.exit(worst > args.at_most)

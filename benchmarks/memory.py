#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run holds in memory beside what its report says.

    memory.py [--bin build/bin] [--threads N] PROGRAM.mlir...

Each program is compiled for one rank and run by dmc-run in three ways: one step on arguments made from a seed, the same with results
written to files, and five more steps that are timed (--bench). Printed are, in MB, the report's peak (arguments, results, arena), the
scratch of its library calls, and by how much the largest resident set of each run exceeds that of a program of one element and the
peak. The scratch is a part of that excess. Exits 1 if a run exceeds the peak by more than 5 % of it and 16 MB.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EMPTY = """func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.negate %a : tensor<1xf32>
  return %0 : tensor<1xf32>
}
"""


def compile_program(binaries, source, program):
    done = subprocess.run([binaries / "dmc-compile", source, "-o", program], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"memory.py: {source}: {done.stderr.strip()}")


def resident(command):
    """The most memory that the process had, in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"memory.py: {' '.join(map(str, command))}: {message.strip()}")
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default="build/bin")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("programs", nargs="+", type=pathlib.Path, metavar="PROGRAM")
    options = parser.parse_args()
    run = [options.bin / "dmc-run", f"--threads={options.threads}"]
    exceeds = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "empty.mlir").write_text(EMPTY)
        compile_program(options.bin, folder / "empty.mlir", folder / "empty.so")
        empty = resident([*run, folder / "empty.so"])
        print(f"{'program':40}{'peak':>9}{'scratch':>9}{'step':>9}{'written':>9}{'timed':>9}{'allowed':>9}")
        for source in options.programs:
            program, report = folder / "program.so", folder / "report.json"
            compile_program(options.bin, source, program)
            runs = [resident([*run, program, *more]) for more in (
                ["--report", report], ["--output-dir", folder / "results"], ["--bench=5"])]
            memory = json.loads(report.read_text())["memory"]
            allowed = 0.05 * memory["peak"] + 16e6
            beside = [size - empty - memory["peak"] for size in runs]
            exceeds |= max(beside) > allowed
            figures = [memory["peak"], memory["scratch"], *beside, allowed]
            print(f"{str(source)[-40:]:40}" + "".join(f"{figure / 1e6:9.1f}" for figure in figures), flush=True)
    return exceeds


sys.exit(main())

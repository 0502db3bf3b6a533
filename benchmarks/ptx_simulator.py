#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast dmc-ptx-run executes kernels, with all checks: lane instructions a second on one core.

    ptx_simulator.py [--bin build/bin] [--seconds 1] [KERNEL...]

The kernels are those of test/PTX: what LLVM's NVPTX makes of bias and gelu, softmax, layer normalization and its gradient, a transpose,
gather, scatter-add, a histogram, a sum of squares and silu. Each is launched several times on the same arrays until the seconds have passed; printed is
the median launch, and the median over the kernels. Results are compared with numpy's; exits 1 if one differs.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "PTX" / "Inputs"))
import cases  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build" / "bin"))
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--size", type=int, default=16, help="rows or blocks, times what the kernel's case says")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    options = parser.parse_args()
    for name in options.kernels:
        if name not in cases.CASES:
            parser.error(f"expected one of {', '.join(cases.CASES)}, found {name}")
    rates, failed = [], False
    print(f"{'kernel':12} {'M lane instructions/s':>22} {'M instructions':>15} {'MB/s':>8}")
    for name in options.kernels or cases.CASES:
        with tempfile.TemporaryDirectory() as folder:
            case = cases.CASES[name](np.random.default_rng(0), options.size)
            command, results = cases.command(case, folder)
            done = subprocess.run([f"{options.bin}/dmc-ptx-run", *command, f"--bench={options.seconds}"], capture_output=True, text=True)
            if done.returncode:
                print(f"{name}: {done.stderr.strip()}")
                failed = True
                continue
            lines = dict(line.rsplit(None, 1) for line in done.stdout.splitlines())
            seconds, lanes = float(lines["seconds"]), int(lines["lane instructions"])
            if why := cases.wrong(results):
                print(f"{name}: {why}")
                failed = True
            rates.append(lanes / seconds)
            print(f"{name:12} {lanes / seconds / 1e6:22.1f} {lanes / 1e6:15.1f} {int(lines['global bytes']) / seconds / 1e6:8.1f}")
    if len(rates) > 1:
        print(f"{'median':12} {statistics.median(rates) / 1e6:22.1f}")
    return failed


if __name__ == "__main__":
    sys.exit(main())

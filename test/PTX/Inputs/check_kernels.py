# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of cases.py, in several orders of blocks and warps: check_kernels.py FOLDER"""
import pathlib
import subprocess
import sys

import numpy as np

import cases


def main(folder):
    right = 0
    for name, case in cases.CASES.items():
        (folder / name).mkdir()
        command, results = cases.command(case(np.random.default_rng(0), 2), folder / name)
        found = ""
        for seed in range(4):
            done = subprocess.run(["dmc-ptx-run", *command, f"--seed={seed}"], capture_output=True, text=True)
            found = found or done.stderr or cases.wrong(results)
        if found:
            print(f"{name}: {found}")
        else:
            right += 1
    print(f"{right} kernels right")


main(pathlib.Path(sys.argv[1]))

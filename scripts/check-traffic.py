#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what plans predict with what programs do: for each kind of collective and its axes the bytes that leave a rank and the
messages one after the other, and the FLOPs of contractions.

    check-traffic.py [--draws N] [--seed N] [--flags=OPTIONS] PROGRAM.mlir|FOLDER...

Of a folder all cases are compiled (shardings.json, or step.CASE.mlir) and, with --draws, step.mlir with layouts of the boundary and
constraints within drawn at random (dmc-fuzz --layouts-of).
Exit code 1 if any differs. Bytes are those of the report of dmc-compile, whose tools lie in DMC_BIN (build/bin). Collectives and
contractions that a program states itself, within manual computations, count on both sides.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("DMC_BIN", ROOT / "build" / "bin"))
PHASES = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "all_to_all": 1, "broadcast": 1}


def group_size(axes, mesh):
    """Positions of a group over axes, which may be parts: `data` or `data:(1)2`."""
    sizes = [int(part.group(1)) if (part := re.search(r":\(\d+\)(\d+)$", axis)) else mesh[axis] for axis in axes]
    return math.prod(sizes)


def messages(row, mesh):
    """As docs/algebra.md counts them."""
    if row["kind"] == "permute":
        return row["count"]
    return row["count"] * PHASES[row["kind"]] * math.ceil(math.log2(max(1, group_size(row["axes"], mesh))))


def key(row):
    # A permute is emitted with its pairs of ranks, over no axis.
    return row["kind"] if row["kind"] == "permute" else f'{row["kind"]} over {", ".join(sorted(row["axes"]))}'


def table(rows, count):
    result = {}
    for row in rows:
        if row["wire_bytes"]:
            sent, after = result.get(key(row), (0, 0))
            result[key(row)] = (sent + row["wire_bytes"], after + count(row))
    return result


def compare(report):
    """Lines of what differs, or None where the compiler has no plan: one rank, or all was decided before."""
    if "plan" not in report:
        return None
    plan, mesh = report["plan"], report["mesh"]
    predicted = table(plan["collectives"], lambda row: row["messages"])
    emitted = table(report["collectives"], lambda row: messages(row, mesh))
    lines = []
    for name in sorted({*predicted, *emitted}):
        want, got = predicted.get(name, (0, 0)), emitted.get(name, (0, 0))
        if any(abs(a - b) > 1e-9 * max(abs(a), abs(b)) for a, b in zip(want, got)):
            lines.append(f"{name}: predicted {want[0]:.0f} bytes in {want[1]:.0f} messages, emitted {got[0]:.0f} in {got[1]:.0f}")
    if plan["flops"] != report["flops"]:
        lines.append(f'FLOPs: predicted {plan["flops"]:.0f}, emitted {report["flops"]}')
    return lines


class Check:
    def __init__(self, flags):
        self.flags, self.same, self.differ, self.without = flags, 0, 0, 0
        self.failed = []

    def compile(self, name, arguments):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = subprocess.run([BIN / "dmc-compile", *arguments, *self.flags, "-o", pathlib.Path(folder) / "p.so", "--report", report],
                                  capture_output=True, text=True)
            if done.returncode:
                self.failed.append(name)
                print(f"{name}: does not compile: {(done.stderr.strip().splitlines() or ['no message'])[0]}")
                return
            lines = compare(json.loads(report.read_text()))
        if lines is None:
            self.without += 1
        elif lines:
            self.differ += 1
            print(f"{name}: differs", *lines, sep="\n    ", flush=True)
        else:
            self.same += 1

    def draw(self, program, seed):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            done = subprocess.run([BIN / "dmc-fuzz", "--layouts-of", program, "--seed", str(seed)], capture_output=True, text=True, check=True)
            file.write(done.stdout)
            file.flush()
            self.compile(f"{program} with layouts of seed {seed}", [file.name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--draws", type=int, default=0, help="layouts drawn at random for each folder or program")
    parser.add_argument("--seed", type=int, default=1, help="of the first draw")
    parser.add_argument("--flags", default="", help="further options of dmc-compile")
    arguments = parser.parse_args()
    check = Check(arguments.flags.split())
    for given in arguments.programs:
        program = given / "step.mlir" if given.is_dir() else given
        if not program.exists():
            sys.exit(f"check-traffic.py: {program} does not exist")
        if not given.is_dir():
            check.compile(str(given), [given])
        elif cases := [case for case in sorted(given.glob("step.*.mlir")) if case.name != "step.pretty.mlir"]:
            for case in cases:
                check.compile(str(case), [case])
        elif (given / "shardings.json").exists():
            for case in json.loads((given / "shardings.json").read_text()):
                check.compile(f"{given} {case}", [program, "--layouts", given / "shardings.json", "--case", case])
        for seed in range(arguments.seed, arguments.seed + arguments.draws):
            check.draw(program, seed)
    print(f"traffic: {check.same} as predicted, {check.differ} not, {check.without} without a plan, {len(check.failed)} do not compile")
    sys.exit(1 if check.differ or check.failed or not check.same else 0)


if __name__ == "__main__":
    main()

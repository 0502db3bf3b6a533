#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the operator cases, ../Cases/*.json: programs, arguments and the results that numpy and
Python compute, by definitions of their own (see the module of each group).

    make_cases.py [--check]     --check: only says whether the files are what would be written"""
import argparse
import pathlib
import tempfile

import collectives
import complex_numbers
import contraction
import control
import decompositions
import elementwise
import movement
import reduction
import sharded
import special

MODULES = [elementwise, movement, contraction, reduction, control, special, collectives, sharded, complex_numbers, decompositions]


def write(folder):
    count = 0
    for module in MODULES:
        for group in module.groups():
            group.write(folder)
            count += len(group.cases)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    target = pathlib.Path(__file__).resolve().parent.parent / "Cases"
    target.mkdir(exist_ok=True)
    if not check:
        for old in target.glob("*.json"):
            old.unlink()
        print(f"{write(target)} cases")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder))
        wanted = {p.name: p.read_bytes() for p in pathlib.Path(folder).glob("*.json")}
    found = {p.name: p.read_bytes() for p in target.glob("*.json")}
    differing = sorted(n for n in wanted.keys() | found.keys() if wanted.get(n) != found.get(n))
    for name in differing:
        print(f"{name} is not what make_cases.py writes")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())

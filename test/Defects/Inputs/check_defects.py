# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all programs without and with their defects, and counts those that are reported: check_defects.py FOLDER STEP.mlir

With --list, prints a table of them instead. With --nothing, a harmless change is among those of each class, which has to be
told as not reported.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import faults
import kernels
import schedules

NOTHING = {
    "kernel": ("softmax", "nothing", "bar.sync", 0, "bar.sync", "race"),
    "schedule": ("nothing", "\n", "\n\n", "stream"),
    "fault": ("nothing", {}, "rank 1"),
}


def queued():
    """Those of test/unit/Fakes (Planted*.cpp), which give work to streams and ranks themselves: class, what, report."""
    names = subprocess.run(["dmc-fakes-tests", "--gtest_filter=*Planted.IsReported*", "--gtest_list_tests"], capture_output=True, text=True,
                           check=True).stdout
    found, kind = {}, ""
    for line in names.splitlines():
        if group := re.match(r"(\w+)/Planted\.", line):
            kind = {"Schedule": "queue", "Collective": "collective"}[group[1]]
        elif row := re.match(r"  IsReported/(\w+) +# GetParam\(\) = (.*) \| (.*)", line):
            found[row[1]] = (kind, row[2], row[3])
    return found


def table(rows):
    print("| class | what is planted | report |\n| --- | --- | --- |")
    for kind, what, report in rows:
        print(f"| {kind} | {what} | {report.replace('|', ' or ')} |")


def known():
    rows = [("kernel", f"{row[0]}: {row[1]}", row[5]) for row in kernels.DEFECTS]
    rows += [("schedule", row[0], row[3]) for row in schedules.DEFECTS]
    return rows + list(queued().values()) + [("fault", row[0], re.sub(r"\\(.)", r"\1", row[2])) for row in faults.DEFECTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("step")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--nothing", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        return table(known())
    missed = 0

    def count(kind, problems):
        nonlocal missed
        for what, problem in problems:
            if problem:
                missed += 1
                print(f"{kind}, {what}: {problem}")
        print(f"{kind}: {sum(not problem for _, problem in problems)} of {len(problems)} defects reported")

    def rows(kind, table):
        return table + [NOTHING[kind]] * arguments.nothing

    texts = kernels.Kernels(arguments.folder)
    count("kernel", [(f"{row[0]}, {row[1]}", texts.check(row[0], *row[2:])) for row in rows("kernel", kernels.DEFECTS)])
    scheduled = schedules.Schedules(arguments.folder, arguments.step)
    count("schedule", [(row[0], scheduled.check(*row[1:])) for row in rows("schedule", schedules.DEFECTS)])
    running = faults.Faults(arguments.folder, arguments.step)
    count("fault", [(row[0], running.check(*row[1:])) for row in rows("fault", faults.DEFECTS)])
    done = subprocess.run(["dmc-fakes-tests", "--gtest_filter=*Planted.IsReported*"], capture_output=True, text=True).stdout
    passed = set(re.findall(r"^\[ +OK \] \w+/Planted\.IsReported/(\w+)", done, re.M))
    for kind in ("queue", "collective"):
        count(kind, [(what, None if name in passed else f"expected {report}, and nothing without it")
                     for name, (of, what, report) in queued().items() if of == kind])
    return missed > 0


sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two tables of dmc-run --profile: what was executed how often in a step, and in how much time on a modelled device.

    compare-profiles.py TABLE TABLE"""
import re
import sys


def rows(path):
    """By name: the count, and the milliseconds."""
    found = re.findall(r"^(kernel|library call|all_reduce) +(\S+) +(\S+) .*  (\S.*)$", open(path).read(), re.M)
    return {(what, name): (count, float(milliseconds)) for what, count, milliseconds, name in found}


one, two = map(rows, sys.argv[1:])
assert one.keys() == two.keys(), one.keys() ^ two.keys()
for key, (count, milliseconds) in one.items():
    assert two[key][0] == count, (key, count, two[key])
    # A collective also waits for the other rank.
    assert key[0] == "all_reduce" or abs(two[key][1] - milliseconds) <= 0.0002, (key, milliseconds, two[key])
print(f"{len(one)} rows of kernels, calls and collectives, the same counts")

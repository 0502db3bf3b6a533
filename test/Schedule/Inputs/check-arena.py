# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the arena with the bytes that are alive at one time, by the remark of dmc-plan-buffers on the standard input."""
import re
import sys

arena, alive = map(int, re.search(r"the arena of (\d+) bytes holds at most (\d+) at a time", sys.stdin.read()).groups())
print(f"arena of {arena} bytes, at most 1.02 times the bound: {'yes' if arena <= 1.02 * alive else f'no, {arena / alive:.3f} times {alive}'}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of a scheduled program for a device what runs beside its collectives.

    check-overlap.py PROGRAM    # text of level 3
"""
import re
import sys

lines = open(sys.argv[1]).read().split("func.func public", 1)[1].split("\n    return", 1)[0].split("\n")


def matches(pattern):
    return [(i, match) for i, line in enumerate(lines) for match in [re.search(pattern, line)] if match]


launches = [i for i, _ in matches(r"dmc\.launch ")]
collectives = matches(r"comm\.(?!record|await|axis_index)\w+ .*ins\((%\w+) : (\S+)\).*comm\.stream = (\d+)")
records = {match[1]: (i, match[2]) for i, match in matches(r"(%\w+) = comm\.record on (\d+)")}
awaits = [(i, records[match[1]]) for i, match in matches(r"comm\.await (%\w+) on 0")]


def find_end(start, stream):
    """Where stream 0 waits for the collective, or the end."""
    return min([i for i, (recorded, on) in awaits if on == stream and recorded > start], default=len(lines))


alone = [start for start, match in collectives
         if not any(start < launch < find_end(start, match[3]) for launch in launches)]
# What is reduced besides gradients are scalars.
gradients = [(start, match[1]) for start, match in collectives if "x" in match[2]]
computed = max(i for i in launches if re.search(rf"outs\(.*{gradients[-1][1]}\b", lines[i]))
print("first gradient sent before the last one is computed:", "yes" if gradients[0][0] < computed else "no")
print(f"collectives without a kernel beside them: {len(alone)} of {len(collectives)}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many units of each kind must run at least: .ci/floors."""
import pathlib
import re


def read(path):
    """Lines `NUMBER KIND`; `#` begins a comment."""
    floors = {}
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(r"(\d+)\s+(.+)", line)
        if not match:
            raise ValueError(f"{path}:{number}: expected a number and a kind, found '{line}'")
        floors[match.group(2)] = int(match.group(1))
    return floors


def compare(floors, ran, expected):
    """The violations, as text.

    ran: how many units of each kind ran (passed or failed). expected: the kinds that this
    run was to have: steps of another shard, or that need programs which are not there, are
    not among them.
    """
    violations = []
    for kind in expected:
        if kind not in floors:
            violations.append(f"{kind}: has no floor")
        elif ran.get(kind, 0) < floors[kind]:
            violations.append(f"{kind}: {ran.get(kind, 0)} ran, expected at least {floors[kind]}")
    return violations


def write(path, floors, ran):
    """Raises each floor to what ran; comments and order stay, new kinds come last."""
    lines, known = [], set()
    for line in pathlib.Path(path).read_text().splitlines():
        match = re.fullmatch(r"\s*(\d+)(\s+)([^#]+?)(\s*#.*)?", line)
        if match and match.group(3) in floors:
            kind = match.group(3)
            known.add(kind)
            line = f"{max(floors[kind], ran.get(kind, 0)):<6}{kind}{match.group(4) or ''}"
        lines.append(line)
    lines += [f"{count:<6}{kind}" for kind, count in ran.items() if kind not in known]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a certificate of which one thing is changed: a number by so much, or something left out."""

import re
import sys

text = open(sys.argv[1]).read()
what, by = sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0


def change(pattern: str, value) -> str:
    """The text with the first group of a match replaced."""
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    assert found, f"no {what}"
    return text[: found.start(1)] + value(found.group(1)) + text[found.end(1) :]


def add(number: str) -> str:
    return str(int(number) + by)


pieces = {
    "potential": (r"^    link [^\[]*\[(-?\d+)", add),
    "price": (r"^    price \S+ (\d+)", add),
    "cost": (r"^  cost (\d+)", add),
    "bound": (r"^  bound (\d+)", add),
    "peak": (r"^  peak (\d+)", add),
    "limit": (r"^  limit (\d+)", add),
    "state": (r'^  states \{.*?"(\d+)"', lambda state: "1" if state == "0" else "0"),
    "about": (r"^(  about \{.*?^  \}\n)", lambda _: ""),
    "mesh": (r'^(    mesh "?[^\n]*\n)', lambda _: ""),
    "states": (r"^(  states \{.*?^  \}\n)", lambda _: ""),
    "row": (r"^(  row \S+ \{.*?^  \}\n)", lambda _: ""),
}
sys.stdout.write(change(*pieces[what]))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a line of a program's text to the source line that its locations name."""
from __future__ import annotations

import re

from .errors import Error, Location, Note

_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.M)
_PART = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)|(#loc\d*)')
_FUNCTION = re.compile(r"func\.func (?:public |private )?@([\w.$-]+)\(")


def _own_source(line: str, aliases: dict[str, str]) -> Location | None:
    begin = line.rfind(" loc(")
    waiting, seen = [line[begin:]] if begin >= 0 else [], set()
    while waiting:
        for match in _PART.finditer(waiting.pop(0)):
            file, number, column, alias = match.groups()
            if file is not None:
                return Location(file, int(number), int(column))
            if alias in aliases and alias not in seen:
                seen.add(alias)
                waiting.insert(0, aliases[alias])
                break
    return None


def source_of(text: str, line: int) -> Location | None:
    """The source line of the operation on a line, from 1, of a text with locations; if it has none of its own, that of
    the first call of the function that it is in."""
    lines, aliases = text.splitlines(), dict(_ALIAS.findall(text))
    seen = set()
    while 1 <= line <= len(lines) and line not in seen:
        seen.add(line)
        if found := _own_source(lines[line - 1], aliases):
            return found
        heads = (_FUNCTION.search(lines[i]) for i in range(line - 1, -1, -1))
        name = next((match[1] for match in heads if match), None)
        line = next((i for i, other in enumerate(lines, 1) if name and f"call @{name}(" in other), 0)
    return None


def point_at_source(error: Error, text: str, name: str) -> Error:
    """An error of a program that was made from source code: its location is the source's, as far as the text knows it."""
    if error.location is not None and error.location.file == name:
        if source := source_of(text, error.location.line):
            error.notes.append(Note("here in the program's text", error.location))
            error.location = source
    elif error.location is None:
        for note in error.notes:
            if note.message == "called from" and note.location is not None:
                error.location = note.location
                error.notes.remove(note)
                break
    return error

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong, where, and what else belongs to it."""
from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Location:
    """A place in a program's text or in the source that it was made from."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


@dataclasses.dataclass(frozen=True)
class Note:
    """The other party of an error."""

    message: str
    location: Location | None = None

    def __str__(self) -> str:
        return (f"{self.location}: " if self.location else "") + self.message


class Error(Exception):
    """A mistake, or a feature that dmc does not support (the message says `unsupported`).

    message: one line, what was expected and what was found
    location: where, if that is known
    notes: what else belongs to it, the other errors of a compilation among them
    """

    def __init__(self, message: str, location: Location | None = None, notes: tuple[Note, ...] | list[Note] = ()):
        super().__init__(message)
        self.message = message
        self.location = location
        self.notes = list(notes)

    def __str__(self) -> str:
        head = str(Note(self.message, self.location))
        return "\n".join([head] + [f"  note: {note}" for note in self.notes])


_DIAGNOSTIC = re.compile(r"^(?:(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): |(?P<tool>dmc-[a-z-]+): )?"
                         r"(?P<kind>error|note|warning|remark): (?P<message>.*)$")


_LOCATED = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<column>\d+))?(?: \([^()]*\))?: (?P<message>.*)$", re.S)


def locate(message: str, rename: dict[str, str] | None = None) -> Error:
    """An error of the runtime, whose message begins with the location of an operation or does not."""
    for old, new in (rename or {}).items():
        message = message.replace(old, new)
    match = _LOCATED.match(message)
    if not match:
        return Error(message)
    return Error(match["message"], Location(match["file"], int(match["line"]), int(match["column"] or 0)))


def parse_diagnostics(text: str, rename: dict[str, str] | None = None) -> Error | None:
    """The first error that a tool printed on stderr; its notes, and what follows it, are its notes.

    `rename` gives other names to files: those of temporary files mean nothing to the user.
    """
    error: Error | None = None
    for line in text.splitlines():
        match = _DIAGNOSTIC.match(line)
        if not match and " error: " in line and not line.startswith(" "):
            match = _DIAGNOSTIC.match(line[line.index("error: "):])
        if not match or match["kind"] in ("warning", "remark"):
            continue
        location = None
        if match["file"] and int(match["line"]):
            file = (rename or {}).get(match["file"], match["file"])
            location = Location(file, int(match["line"]), int(match["column"]))
        message = match["message"]
        for old, new in (rename or {}).items():
            message = message.replace(old, new)
        if error is None:
            if match["kind"] == "error":
                error = Error(message, location)
        else:
            error.notes.append(Note(message, location))
    return error

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serialized executables: a compiled program as bytes, for JAX's compilation cache and its serialize_executable."""
from __future__ import annotations

import functools
import hashlib
import json
import pathlib
import tempfile
import zlib

from .. import _cache, runtime
from .._tools import find_tree
from ..report import Report, Reported
from .handles import Code, PjrtError
from .programs import Boundary, Program, keep

_MAGIC = b"dmc executable 1\n"
_FILES = ("program.so", "report.json")
_DIGEST_BYTES, _SIZE_BYTES = 32, 8


@functools.cache
def version() -> str:
    """Of dmc, its build and this machine's processor: executables of another are not loaded."""
    return f"dmc {runtime.release()} (build {hashlib.sha256(_cache.build_of(find_tree())).hexdigest()[:12]})"


class Restored(Reported):
    """What a program needs of a plan, from files."""

    def __init__(self, files: dict[str, bytes]):
        self._folder = tempfile.TemporaryDirectory(prefix="dmc-python")
        for name, data in files.items():
            pathlib.Path(self._path(name)).write_bytes(data)
        self.report = Report.read(self._path("report.json"))

    def _path(self, name: str) -> str:
        return str(pathlib.Path(self._folder.name, name))

    def load(self) -> runtime.Session:
        return runtime.Session(self._path("program.so"))


def serialize(program: Program, options: bytes) -> bytes:
    """The program and the options that JAX compiled it with."""
    header = {"version": version(), "fingerprint": program.fingerprint, "partitions": program.num_partitions,
              "boundary": [sorted(numbers) for numbers in program.boundary]}
    files = [pathlib.Path(program.plan._path(name)).read_bytes() for name in _FILES]
    parts = [json.dumps(header).encode(), options, program.text.encode(), *files]
    data = zlib.compress(b"".join(len(part).to_bytes(_SIZE_BYTES, "little") + part for part in parts), level=1)
    return _MAGIC + hashlib.sha256(data).digest() + data


def _parts(data: bytes) -> list[bytes]:
    if not data.startswith(_MAGIC):
        raise PjrtError(Code.INVALID_ARGUMENT, "dmc: cannot load a serialized executable: it is not one of dmc, "
                                               "or one of another version of dmc")
    begin = len(_MAGIC) + _DIGEST_BYTES
    if hashlib.sha256(data[begin:]).digest() != data[len(_MAGIC):begin]:
        raise PjrtError(Code.INVALID_ARGUMENT, "dmc: cannot load a serialized executable: it is damaged, "
                                               "its contents do not have the checksum that was stored")
    rest, parts, at = zlib.decompress(data[begin:]), [], 0
    while at < len(rest):
        size = int.from_bytes(rest[at:at + _SIZE_BYTES], "little")
        at += _SIZE_BYTES
        parts.append(rest[at:at + size])
        at += size
    return parts


def deserialize(data: bytes) -> tuple[Program, bytes]:
    """The program, and the options that it was compiled with."""
    head, options, text, *files = _parts(data)
    header = json.loads(head)
    if header["version"] != version():
        raise PjrtError(Code.FAILED_PRECONDITION, "dmc: cannot load a serialized executable: it was compiled by "
                                                  f"{header['version']}, expected {version()}: compile the function again")
    boundary = Boundary(*map(frozenset, header["boundary"]))
    make = lambda: Program(text.decode(), header["fingerprint"], header["partitions"], boundary,
                           Restored(dict(zip(_FILES, files, strict=True))))
    return keep(header["fingerprint"], make), options

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs in the folder that DMC_CACHE_DIR names, beside the object code that the compiler keeps there. The
compiler removes what is old: the names are those of its own entries."""
from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import tempfile
from collections.abc import Sequence

_FILES = ("program.so", "report.json")
_DIGEST_BYTES = 32  # at the begin of an entry


@functools.cache
def _machine() -> bytes:
    """The processor that the compiler compiles for."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return "".join(line for line in lines[:40] if line.startswith(("model name", "flags"))).encode()
    except OSError:
        return b""


def _identity(file: pathlib.Path) -> bytes:
    status = file.stat()
    return f"{file} {status.st_size} {status.st_mtime_ns}".encode()


def folder() -> pathlib.Path | None:
    name = os.environ.get("DMC_CACHE_DIR")
    return pathlib.Path(name) if name else None


@functools.cache
def build_of(tree: pathlib.Path) -> bytes:
    """What tells apart programs of another compiler, or for another machine."""
    compilers = [file for file in (tree / "bin" / "dmc-compile", tree / "lib" / "libdmc_compiler.so") if file.exists()]
    return b"\0".join([*map(_identity, compilers), _machine(), b""])


def key_of(source: bytes, arguments: Sequence[str], tree: pathlib.Path) -> str:
    """Of a text, the options with the contents of the files that they name, the compiler and the machine."""
    digest = hashlib.sha256(build_of(tree))
    for argument in arguments:
        value = argument.partition("=")[2]
        if os.path.isfile(value):
            argument = argument.partition("=")[0] + hashlib.sha256(pathlib.Path(value).read_bytes()).hexdigest()
        digest.update(argument.encode() + b"\0")
    digest.update(source)
    return digest.hexdigest()


def _entries(key: str) -> list[pathlib.Path]:
    place = folder()
    assert place is not None
    return [place / f"llvmcache-dmc-{name.partition('.')[0]}-{key}" for name in _FILES]


def take(key: str, target: str) -> bool:
    """Copies what was kept into a folder, if all of it is there and whole."""
    try:
        for entry, name in zip(_entries(key), _FILES):
            data = entry.read_bytes()
            if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
                return False
            pathlib.Path(target, name).write_bytes(data[_DIGEST_BYTES:])
            os.utime(entry)  # used now
        return True
    except OSError:
        return False


def keep(key: str, source: str) -> None:
    """Writes entries, each whole or not at all. Where the folder cannot be written nothing is kept."""
    try:
        for entry, name in zip(_entries(key), _FILES):
            data = pathlib.Path(source, name).read_bytes()
            descriptor, temporary = tempfile.mkstemp(dir=entry.parent, prefix="dmc-tmp-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(hashlib.sha256(data).digest() + data)
                os.replace(temporary, entry)
            except BaseException:
                os.unlink(temporary)
                raise
    except OSError:
        return

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds a built dmc and runs its tools as child processes."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing
from collections.abc import Sequence

from .errors import Error, parse_diagnostics

_PROGRESS = re.compile(r"^dmc-[a-z-]+: .* \(\d+ s\)$")


def _is_tree(path: pathlib.Path) -> bool:
    return os.access(path / "bin" / "dmc-compile", os.X_OK)


def find_tree() -> pathlib.Path:
    """The folder with bin/dmc-compile and lib/libdmc_runtime.so: that of DMC_HOME; of the checkout that this package
    lies in, or was installed from; or of the dmc-compile on PATH."""
    if given := os.environ.get("DMC_HOME"):
        if not _is_tree(pathlib.Path(given)):
            raise Error(f"found no built dmc in DMC_HOME: expected {given}/bin/dmc-compile")
        return pathlib.Path(given).resolve()
    package = pathlib.Path(__file__).resolve().parent
    candidates = [package.parent.parent / "build"]
    record = package / "_built_tree.txt"  # written by setup.py
    if record.exists():
        candidates.append(pathlib.Path(record.read_text().strip()))
    if found := shutil.which("dmc-compile"):
        candidates.append(pathlib.Path(found).resolve().parent.parent)
    for path in candidates:
        if _is_tree(path):
            return path
    places = ", ".join(str(path / "bin") for path in candidates)
    raise Error(f"found no built dmc: expected dmc-compile in {places} or on PATH; "
                "build it with scripts/build.sh, or let DMC_HOME name a built tree")


def load_library(path: pathlib.Path, signatures: dict[str, tuple[typing.Any, list[typing.Any]]]) -> ctypes.CDLL:
    """Loads a library of the built tree. `signatures` are its functions' results and arguments, by name."""
    try:
        library = ctypes.CDLL(str(path))
    except OSError as problem:
        raise Error(f"cannot load {path}: {problem}") from None
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name, None)
        if function is None:
            raise Error(f"{path} is of another version: expected it to have {name}; build it again")
        function.restype, function.argtypes = result, arguments
    return library


def run_tool(name: str, arguments: Sequence[str], progress: bool = False, rename: dict[str, str] | None = None) -> None:
    """Runs a tool; what it reports is raised. `progress` shows what it says about long stages."""
    path = find_tree() / "bin" / name
    try:
        process = subprocess.Popen([str(path), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as problem:
        raise Error(f"cannot run {path}: {problem.strerror}") from None
    lines = []
    with process:
        assert process.stderr
        try:
            for line in process.stderr:
                if not _PROGRESS.match(line.rstrip("\n")):
                    lines.append(line)
                elif progress:
                    sys.stderr.write(line)
        except BaseException:
            process.kill()  # a KeyboardInterrupt, which the tool need not have seen
            raise
    if process.returncode == 0:
        return
    text = "".join(lines)
    error = parse_diagnostics(text, rename)
    if error is None or process.returncode != 1:
        tail = text.strip().splitlines()[-1:] or ["no message"]
        error = Error(f"{name} ended with code {process.returncode}: {tail[0]}")
    raise error

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles in this process, through the compiler's C interface (include/dmc-c/Compiler.h)."""
from __future__ import annotations

import ctypes
import functools
import pathlib
import sys
import threading
import time
import typing
from collections.abc import Sequence

from ._tools import load_library
from .errors import Error, Location, Note

_STACK_BYTES = 16 << 20  # a compilation needs 8 MiB; threads of Python may have less
_SUCCEEDED, _ERROR, _OUTPUT_PROGRAM = 0, 0, 1
_QUIET_SECONDS = 2  # stages are shown beyond this
_starting = threading.Lock()  # the size of new threads' stacks belongs to the process


class _Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Progress(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("stage", ctypes.c_uint32), ("num_stages", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("name", ctypes.c_char_p)]


_ProgressFunction = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Progress), ctypes.c_void_p)


class _Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("outputs", ctypes.c_uint32), ("source", ctypes.c_char_p),
                ("source_bytes", ctypes.c_size_t), ("source_name", ctypes.c_char_p),
                ("options", ctypes.POINTER(_Option)), ("num_options", ctypes.c_size_t),
                ("progress", _ProgressFunction), ("progress_data", ctypes.c_void_p), ("interrupt", ctypes.c_void_p)]


class _Diagnostic(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("severity", ctypes.c_uint32), ("message", ctypes.c_char_p),
                ("file", ctypes.c_char_p), ("line", ctypes.c_uint32), ("column", ctypes.c_uint32),
                ("num_notes", ctypes.c_uint32), ("reserved", ctypes.c_uint32)]


@functools.cache
def _library(path: pathlib.Path) -> ctypes.CDLL:
    handle, index = ctypes.c_void_p, ctypes.c_uint32
    return load_library(path, {
        "dmc_interrupt_create": (handle, []),
        "dmc_interrupt_request": (None, [handle]),
        "dmc_interrupt_destroy": (None, [handle]),
        "dmc_compile": (handle, [ctypes.POINTER(_Request)]),
        "dmc_compilation_destroy": (None, [handle]),
        "dmc_compilation_status": (index, [handle]),
        "dmc_compilation_diagnostic": (ctypes.POINTER(_Diagnostic), [handle, index]),
        "dmc_compilation_note": (ctypes.POINTER(_Diagnostic), [handle, index, index]),
    })


def _read_note(diagnostic: _Diagnostic, rename: dict[str, str]) -> Note:
    message, file = (text.decode(errors="replace") for text in (diagnostic.message, diagnostic.file))
    for old, new in rename.items():
        message = message.replace(old, new)
    place = Location(rename.get(file, file), diagnostic.line, diagnostic.column) if file and diagnostic.line else None
    return Note(message, place)


def _read_error(library: ctypes.CDLL, compilation: int, rename: dict[str, str]) -> Error:
    """The first error; its notes, and the errors that follow it, are its notes."""
    error, index = None, 0
    while found := library.dmc_compilation_diagnostic(compilation, index):
        diagnostic = found.contents
        if diagnostic.severity == _ERROR:
            note = _read_note(diagnostic, rename)
            if error is None:
                error = Error(note.message, note.location)
            else:
                error.notes.append(note)
            error.notes += [_read_note(library.dmc_compilation_note(compilation, index, i).contents, rename)
                            for i in range(diagnostic.num_notes)]
        index += 1
    return error or Error("the compilation was interrupted")


def _make_bar() -> typing.Any:
    """A bar of tqdm where somebody looks at it and tqdm is installed, or None."""
    if not sys.stderr.isatty() and "ipykernel" not in sys.modules:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(desc="dmc", leave=False, bar_format="{desc}: {n_fmt}/{total_fmt} stages [{elapsed}]")


def _wait(ended: threading.Event, stage: list[tuple[str, int, int]], progress: bool) -> None:
    """Until the compilation ends; what takes longer than two seconds says which stage runs."""
    begin, bar, is_shown = time.monotonic(), None, False
    try:
        while not ended.wait(1):
            seconds = int(time.monotonic() - begin)
            if not progress or seconds < _QUIET_SECONDS or not stage:
                continue
            if not is_shown:
                bar, is_shown = _make_bar(), True
            name, number, count = stage[-1]
            if bar is None:
                sys.stderr.write(f"dmc-compile: {name} ({seconds} s)\n")
                continue
            bar.n, bar.total = number, count
            bar.set_description_str(f"dmc: {name}")
    finally:
        if bar is not None:
            bar.close()


def _await(ended: threading.Event, thread: threading.Thread) -> None:
    """Until the compilation has ended: what it uses must not be freed before, nor may the process end. More of Ctrl-C changes
    nothing, since it ends."""
    while True:
        try:
            ended.wait()
            thread.join()  # it has nothing left to do
            return
        except KeyboardInterrupt:
            continue


def compile_file(path: pathlib.Path, library_path: pathlib.Path, arguments: Sequence[str], progress: bool,
                 rename: dict[str, str]) -> None:
    """Compiles the program in a file. `arguments` are options of dmc-compile, each "--name=value" or "--name"; what
    is wrong is raised. A KeyboardInterrupt ends the compilation."""
    library, source = _library(library_path), path.read_bytes()
    pairs = [argument.lstrip("-").partition("=") for argument in arguments]
    options = (_Option * len(pairs))(*(_Option(name.encode(), value.encode() if equals else None)
                                       for name, equals, value in pairs))
    stage: list[tuple[str, int, int]] = []
    note_stage = _ProgressFunction(lambda now, _: stage.append(
        (now.contents.name.decode(), now.contents.stage, now.contents.num_stages)))
    interrupt, done = library.dmc_interrupt_create(), []
    request = _Request(ctypes.sizeof(_Request), _OUTPUT_PROGRAM, source, len(source), str(path).encode(), options,
                       len(pairs), note_stage, None, interrupt)
    # Not Thread.join: an interrupt there makes Python 3.11 and 3.12 take a thread that runs for one that has ended.
    ended = threading.Event()

    def run() -> None:
        try:
            done.append(library.dmc_compile(ctypes.byref(request)))
        finally:
            ended.set()

    thread = threading.Thread(target=run)
    with _starting:
        before = threading.stack_size(_STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    is_interrupted = False
    try:
        _wait(ended, stage, progress)
    except BaseException:
        is_interrupted = True
        library.dmc_interrupt_request(interrupt)
        raise
    finally:
        _await(ended, thread)
        try:
            if done and not is_interrupted and library.dmc_compilation_status(done[0]) != _SUCCEEDED:
                raise _read_error(library, done[0], rename)
        finally:
            for compilation in done:
                library.dmc_compilation_destroy(compilation)
            library.dmc_interrupt_destroy(interrupt)

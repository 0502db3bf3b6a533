# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while jaxlib calls into Python: nothing may be raised there, so the KeyboardInterrupt comes when it has returned."""
from __future__ import annotations

import _thread
import contextlib
import signal
import threading
import time
import types
import typing
from collections.abc import Iterator

_allowed = 0  # compilations of the main thread, which end early


@contextlib.contextmanager
def allowed() -> Iterator[None]:
    """Where a KeyboardInterrupt may be raised, since it is caught."""
    global _allowed
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _allowed += 1
    try:
        yield
    finally:
        _allowed -= 1


def _is_in_callback(frame: types.FrameType | None) -> bool:
    package = __name__.rpartition(".")[0] + "."
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(package):
            return True
        frame = frame.f_back
    return False


def _again() -> None:
    time.sleep(0.01)
    _thread.interrupt_main()


def _handle(number: int, frame: types.FrameType | None) -> typing.Any:
    if _is_in_callback(frame) and not _allowed:
        _thread.start_new_thread(_again, ())
        return None
    return signal.default_int_handler(number, frame)


def install() -> None:
    """In place of Python's own handler; one that the user has installed stays."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)

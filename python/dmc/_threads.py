# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one thread at a time may do."""
from __future__ import annotations

import functools
import typing

from .errors import Error

_Method = typing.TypeVar("_Method", bound=typing.Callable[..., typing.Any])


def alone(method: _Method) -> _Method:
    """For methods of an object with `_busy`, an RLock: while a thread is in one of them, other threads get an error. Arguments
    of one thread and a step of another would give results that nobody asked for."""

    @functools.wraps(method)
    def call(self: typing.Any, *arguments: typing.Any, **named: typing.Any) -> typing.Any:
        if not self._busy.acquire(blocking=False):
            raise Error("the session is in use by another thread")
        try:
            return method(self, *arguments, **named)
        finally:
            self._busy.release()

    return typing.cast(_Method, call)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that the next step of a session uses, as a table that the C interface reads: dmc_binding of dmc-c/Runtime.h."""
from __future__ import annotations

import ctypes
import typing
from collections.abc import Iterable

if typing.TYPE_CHECKING:
    import numpy

_FIELDS = [("rank", "i8"), ("index", "u4"), ("is_result", "u4"), ("data", "u8"), ("bytes", "u8")]
_HOST = 0

#: dmc_session_bind: session, memory space, table, rows.
PROTOTYPE = (ctypes.c_int32, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t])


def table_of(rows: Iterable[tuple[int, int, bool, int, int]]) -> "numpy.ndarray":
    """Of rank, index, whether it is a result, address and bytes."""
    import numpy
    return numpy.array(list(rows), _FIELDS)


def bind(library: ctypes.CDLL, handle: typing.Any, table: "numpy.ndarray") -> int:
    """0, or the code of a failure, after which nothing is bound."""
    code: int = library.dmc_session_bind(handle, _HOST, table.ctypes.data, len(table))
    return code

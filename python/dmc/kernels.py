# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the user's own: how an operation that programs call by name may be split, and what computes it."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import re
import threading
import typing
from collections.abc import Callable

from .arrays import NUMPY_TYPES, numpy_dtype, to_numpy
from .errors import Error

_ERROR = 1
_TYPE_NAMES = ["", *NUMPY_TYPES]


class _Array(ctypes.Structure):
    """dmc_custom_array of include/dmc-c/CustomKernel.h."""

    _fields_ = [("data", ctypes.c_void_p), ("element_type", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("shape", ctypes.POINTER(ctypes.c_int64))]


class _Call(ctypes.Structure):
    """dmc_custom_call."""

    _fields_ = [("struct_size", ctypes.c_uint32), ("num_operands", ctypes.c_uint32), ("num_results", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("name", ctypes.c_char_p), ("config", ctypes.c_char_p),
                ("operands", ctypes.POINTER(_Array)), ("results", ctypes.POINTER(_Array)), ("rank", ctypes.c_int64),
                ("error", ctypes.c_void_p), ("error_bytes", ctypes.c_size_t)]


class Entry(ctypes.Structure):
    """dmc_custom_kernel."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("data", ctypes.c_void_p)]


_Function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_Call), ctypes.c_void_p)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """What is known by a name: see dmc.kernel."""

    name: str
    rule: str | None
    function: Callable[..., typing.Any] | None  # of numpy arrays
    address: int | None  # of a C function instead
    owner: object = None  # which keeps the C function


_kernels: dict[str, Kernel] = {}
_changing = threading.Lock()


def kernel(name: str, rule: str | None = None, function: typing.Any = None, *,
           library: str | os.PathLike[str] | None = None, symbol: str | None = None) -> typing.Any:
    """Names the kernel that computes an operation of programs, for all that are compiled and run from now on:

        @dmc.kernel("scale_rows", "([i, j], [i]) -> ([i, j])")
        def scale_rows(x, s):
            return x * s[:, None]

    name: that of the operation: the target of a `stablehlo.custom_call` or `jax.ffi.ffi_call`, or the name of a
        `torch.library.custom_op`, "mylib::scale_rows"
    rule: how results' dimensions relate to operands', in the notation of Shardy's sharding rules. A factor that all
        results have may be split; over those of `reduction={k}` the results of the ranks are added; those of
        `need_replication={k}` are never split. Without a rule every rank computes everything.
    function: called on each rank with its blocks of the operands, numpy arrays that it must not change, and with what the call says
        beside them as keywords; returns the block of the result, or a sequence of them. Or a C function as dmc-c/CustomKernel.h has it:
        one of ctypes, an address, or a cfunc of numba. Without it a decorator.
    library, symbol: a C function in a shared library instead (symbol: by default the name, with _ for other characters)
    """
    if not isinstance(name, str) or not name or "=" in name:
        raise Error(f"expected the name of a kernel, found {name!r}")
    if rule is not None and not isinstance(rule, str):
        raise Error(f"kernel {name!r}: expected a rule as text, found {type(rule).__name__}")
    if library is not None:
        if function is not None:
            raise Error(f"kernel {name!r}: expected a function or a library, found both")
        function = _find_symbol(name, library, symbol)
    if symbol is not None and library is None:
        raise Error(f"kernel {name!r}: a symbol needs the library that has it")
    if function is not None:
        return _register(name, rule, function)
    return lambda decorated: _register(name, rule, decorated)


def _find_symbol(name: str, library: str | os.PathLike[str], symbol: str | None) -> typing.Any:
    path = os.path.abspath(os.fspath(library))
    try:
        loaded = ctypes.CDLL(path)
    except OSError as problem:
        raise Error(f"kernel {name!r}: cannot load {path}: {problem}") from None
    wanted = symbol if symbol is not None else re.sub(r"\W", "_", name, flags=re.ASCII)
    try:
        return loaded[wanted]
    except AttributeError:
        raise Error(f"kernel {name!r}: {path} has no function {wanted!r}") from None


_FUNCTION_POINTER: typing.Any = getattr(ctypes, "_CFuncPtr")  # which ctypes does not export for type checkers


def _register(name: str, rule: str | None, function: typing.Any) -> typing.Any:
    if isinstance(function, bool) or function == 0:
        raise Error(f"kernel {name!r}: expected a function, found {function!r}")
    if isinstance(function, int):
        found = Kernel(name, rule, None, function)
    elif isinstance(function, _FUNCTION_POINTER):
        found = Kernel(name, rule, None, ctypes.cast(function, ctypes.c_void_p).value, function)
    elif isinstance(getattr(function, "address", None), int):  # numba.cfunc
        found = Kernel(name, rule, None, function.address, function)
    elif callable(function):
        found = Kernel(name, rule, function, None)
    else:
        raise Error(f"kernel {name!r}: expected a function, found {type(function).__name__}")
    with _changing:
        _kernels[name] = found
    return function


def find_kernel(name: str) -> Kernel | None:
    return _kernels.get(name)


def compile_options(read: Callable[[], str]) -> list[str]:
    """Options of dmc-compile for the kernels that a program, whose text `read` returns, may call: those whose names it
    has."""
    if not _kernels:
        return []
    text = read()
    with _changing:
        known = [found for name, found in sorted(_kernels.items()) if name in text]
    return ["--custom-call=" + found.name + (f"={found.rule}" if found.rule else "") for found in known]


class Bound:
    """The kernels of one session, as C functions."""

    def __init__(self) -> None:
        with _changing:
            self._kept = list(_kernels.values())
        self._failures: list[BaseException] = []
        self._functions = [self._wrap(found) if found.function else None for found in self._kept]
        #: For dmc_session_options; as long as this lives.
        self.entries = (Entry * len(self._kept))(*(
            Entry(found.name.encode(), ctypes.cast(wrapped, ctypes.c_void_p) if wrapped else found.address, None)
            for found, wrapped in zip(self._kept, self._functions)))

    def take_failure(self) -> BaseException | None:
        """What a kernel has raised first since the last time."""
        failures, self._failures[:] = list(self._failures), []
        return failures[0] if failures else None

    def _wrap(self, found: Kernel) -> typing.Any:
        def call(pointer: typing.Any, _: typing.Any) -> int:
            given = pointer.contents
            try:
                _run(found, given)
                return 0
            except BaseException as problem:  # nothing may be raised through C
                self._failures.append(problem)
                text = str(problem) if isinstance(problem, Error) else f"{type(problem).__name__}: {problem}"
                data = text.encode()[:given.error_bytes - 1] + b"\0"
                ctypes.memmove(given.error, data, len(data))
                return _ERROR

        return _Function(call)


def _view(array: _Array, writeable: bool) -> typing.Any:
    """The memory of a block as an array of numpy."""
    import numpy
    dtype, shape = numpy_dtype(_TYPE_NAMES[array.element_type]), tuple(array.shape[:array.rank])
    size = dtype.itemsize
    for length in shape:
        size *= length
    view = numpy.frombuffer(memoryview((ctypes.c_char * size).from_address(array.data)), dtype).reshape(shape)
    view.flags.writeable = writeable
    return view


def _run(found: Kernel, call: _Call) -> None:
    import numpy
    text = call.config.decode()
    config = json.loads(text) if text.startswith("{") else {"config": text} if text else {}
    operands = [_view(call.operands[i], False) for i in range(call.num_operands)]
    results = [_view(call.results[i], True) for i in range(call.num_results)]
    assert found.function is not None
    values = found.function(*operands, **config)
    if len(results) == 1 and not isinstance(values, (tuple, list)):
        values = [values]
    if not isinstance(values, (tuple, list)) or len(values) != len(results):
        raise Error(f"expected {len(results)} results, found " +
                    (str(len(values)) if isinstance(values, (tuple, list)) else type(values).__name__))
    for i, (result, value) in enumerate(zip(results, values)):
        array = numpy.asarray(to_numpy(value))
        if array.shape != result.shape:
            raise Error(f"expected result {i} of shape {result.shape}, found {array.shape}")
        if not numpy.can_cast(array.dtype, result.dtype, "same_kind"):
            raise Error(f"expected result {i} of {result.dtype}, found {array.dtype}")
        numpy.copyto(result, array, casting="same_kind")

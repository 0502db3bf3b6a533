# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of this process behind the addresses that PJRT passes, errors, and the functions of the table."""
from __future__ import annotations

import _thread
import ctypes
import enum
import functools
import traceback
import typing
from collections.abc import Sequence

from .._tools import find_tree, load_library
from ..errors import Error
from .layouts import SLOTS, STRUCTS


class Code(enum.IntEnum):
    """Those of absl::Status that are used here."""

    CANCELLED = 1
    INVALID_ARGUMENT = 3
    FAILED_PRECONDITION = 9
    UNIMPLEMENTED = 12
    INTERNAL = 13


class PjrtError(Exception):
    def __init__(self, code: Code, message: str):
        super().__init__(message)
        self.code, self.message = code, message


class Handle:
    """What has an address: zeroed memory of its own, since jaxlib reads the first words of some objects."""

    _BYTES = 256

    def __init__(self, memory: typing.Any = None) -> None:
        self._memory = ctypes.create_string_buffer(self._BYTES) if memory is None else memory
        self.address = ctypes.addressof(self._memory)
        self._kept: dict[typing.Any, typing.Any] = {}
        _LIVE[self.address] = self

    def destroy(self) -> None:
        _LIVE.pop(self.address, None)

    def unreference(self) -> None:
        """One reference to the object's memory is no longer there."""

    def keep(self, key: typing.Any, make: typing.Callable[[], typing.Any]) -> typing.Any:
        """Memory that lives as long as this object."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def text(self, text: str | bytes) -> tuple[int, int]:
        """Address and size of a text."""
        data = text.encode() if isinstance(text, str) else text
        return ctypes.addressof(self.keep(data, lambda: ctypes.create_string_buffer(data))), len(data)

    def list(self, key: str, kind: typing.Any, items: Sequence[typing.Any]) -> tuple[int, int]:
        """Address and number of items; never null."""
        array = self.keep(key, lambda: (kind * max(len(items), 1))(*items))
        return ctypes.addressof(array), len(items)


_LIVE: dict[int, Handle] = {}


def live() -> list[Handle]:
    """What was made and is not destroyed."""
    return list(_LIVE.values())


def find(address: int | None, kind: type) -> typing.Any:
    found = _LIVE.get(address or 0)
    if not isinstance(found, kind):
        raise PjrtError(Code.INVALID_ARGUMENT, f"the {kind.__name__.lower()} was destroyed or never made")
    return found


class Failure(Handle):
    """An error that PJRT was given."""

    def __init__(self, code: int, message: str):
        super().__init__()
        self.code, self.message = code, message


def _describe(problem: BaseException) -> tuple[Code, str]:
    if isinstance(problem, PjrtError):
        return problem.code, problem.message
    if isinstance(problem, Error):
        return Code.UNIMPLEMENTED if "unsupported" in problem.message else Code.INVALID_ARGUMENT, f"dmc: {problem}"
    if isinstance(problem, KeyboardInterrupt):
        return Code.CANCELLED, "dmc: interrupted"
    if isinstance(problem, MemoryError):
        return Code.INTERNAL, "dmc: not enough memory"
    return Code.INTERNAL, "dmc: " + "".join(traceback.format_exception(problem)).strip()


FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_IMPLEMENTED: dict[str, typing.Any] = {}


def function(*names: str) -> typing.Callable[[typing.Callable], typing.Callable]:
    """Implements functions of the table: of one argument, a struct; what is raised becomes the error that is returned."""
    def register(body: typing.Callable) -> typing.Callable:
        for name in names:
            struct = STRUCTS[name]

            @functools.wraps(body)
            def call(address: int, body: typing.Callable = body, struct: typing.Any = struct) -> int | None:
                try:
                    body(struct.from_address(address))
                    return None
                except BaseException as problem:  # nothing may be raised into C
                    if isinstance(problem, KeyboardInterrupt):
                        _thread.interrupt_main()  # again, when C has returned
                    return Failure(*_describe(problem)).address

            _IMPLEMENTED[name] = FUNCTION(call)
        return body
    return register


def _refuse(name: str) -> typing.Any:
    return FUNCTION(lambda _: Failure(Code.UNIMPLEMENTED, f"dmc: PJRT_{name} is unsupported").address)


def table() -> dict[str, typing.Any]:
    """Every function of the interface: those that are not implemented return an error."""
    library = _library()
    native = {name: library.dmc_pjrt_destroy for name in SLOTS.split() if name.endswith("_Destroy")}
    native |= {name: getattr(library, f"dmc_pjrt_{symbol}") for name, symbol in _NATIVE.items()}
    return {name: native.get(name) or _IMPLEMENTED.get(name) or _refuse(name) for name in SLOTS.split()}


def clear(a: typing.Any, given: str) -> None:
    """Sets all members that a function returns to 0; one is what it was given."""
    for name, _ in a._fields_[2:]:
        if name != given:
            setattr(a, name, 0)


@functools.cache
def ready_event() -> int:
    """The address of the event that has happened: everything is done when a function returns."""
    return _library().dmc_pjrt_event()


# The functions of libdmc_pjrt.so by the slots of the table. jaxlib gives objects back while Python unwinds an exception, when
# no Python may run, and it asks for the facts of buffers often.
_NATIVE = {
    "Buffer_DecreaseExternalReferenceCount": "unreference",
    "Buffer_Device": "buffer_device",
    "Buffer_Dimensions": "buffer_dimensions",
    "Buffer_DynamicDimensionIndices": "buffer_dynamic_dimensions",
    "Buffer_ElementType": "buffer_element_type",
    "Buffer_GetMemoryLayout": "buffer_layout",
    "Buffer_IsDeleted": "buffer_is_deleted",
    "Buffer_IsOnCpu": "buffer_is_on_cpu",
    "Buffer_Memory": "buffer_memory",
    "Buffer_OnDeviceSizeInBytes": "buffer_size",
    "Buffer_ReadyEvent": "buffer_ready_event",
    "Buffer_UnpaddedDimensions": "buffer_dimensions",
    "Event_Await": "event_await",
    "Event_Destroy": "event_destroy",
    "Event_Error": "event_error",
    "Event_IsReady": "event_is_ready",
    "Event_OnReady": "event_on_ready",
    "Memory_Kind": "memory_kind",
}


@functools.cache
def _library() -> ctypes.CDLL:
    symbols: dict[str, typing.Any] = {f"dmc_pjrt_{symbol}": (ctypes.c_void_p, []) for symbol in ("destroy", *_NATIVE.values())}
    return load_library(find_tree() / "lib" / "libdmc_pjrt.so", {
        **symbols, "dmc_pjrt_event": (ctypes.c_size_t, []), "dmc_pjrt_next": (ctypes.c_size_t, [])})


def collect() -> None:
    """Frees what jaxlib gave back."""
    take = _library().dmc_pjrt_next
    while noted := take():
        if handle := _LIVE.get(noted & ~1):
            handle.unreference() if noted & 1 else handle.destroy()


@function("Error_Message")
def _error_message(a: typing.Any) -> None:
    failure = find(a.error, Failure)
    a.message, a.message_size = failure.text(failure.message)


@function("Error_GetCode")
def _error_code(a: typing.Any) -> None:
    a.code = find(a.error, Failure).code


@function("Error_ForEachPayload", "Plugin_Initialize")
def _nothing(a: typing.Any) -> None:
    pass

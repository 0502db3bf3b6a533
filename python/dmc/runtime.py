# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiled program in this process: numpy arrays in and out, through the runtime's C interface."""
from __future__ import annotations

import ctypes
import dataclasses
import functools
import json
import operator
import os
import re
import sys
import threading
import time
import typing
from collections.abc import Mapping, Sequence

from . import _bindings
from ._threads import alone
from ._tools import find_tree, load_library
from .arrays import NUMPY_TYPES, from_numpy, kind_of, make_aligned, numpy_dtype, to_numpy
from .errors import Error, locate
from .kernels import Bound, Entry
from .state import box_of, read_state, write_state

if typing.TYPE_CHECKING:
    import numpy

_TYPE_NAMES = ["", *NUMPY_TYPES]


class _Value(ctypes.Structure):
    """dmc_value of include/dmc-c/Program.h."""

    _fields_ = [("name", ctypes.c_char_p), ("element_type", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("global_shape", ctypes.POINTER(ctypes.c_int64)), ("local_shape", ctypes.POINTER(ctypes.c_int64)),
                ("split_begin", ctypes.c_void_p), ("split_axes", ctypes.c_void_p), ("num_placed", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("placed_axes", ctypes.c_void_p), ("placed_coordinates", ctypes.c_void_p),
                ("alias", ctypes.c_int64)]


class _Options(ctypes.Structure):
    """dmc_session_options of include/dmc-c/Runtime.h."""

    _fields_ = [("struct_size", ctypes.c_uint32), ("poison", ctypes.c_uint32), ("check_copies", ctypes.c_uint32),
                ("threads_per_rank", ctypes.c_int32), ("watchdog_seconds", ctypes.c_double), ("fault", ctypes.c_char_p),
                ("deterministic", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("kernels", ctypes.POINTER(Entry)),
                ("num_kernels", ctypes.c_size_t)]


def _numpy() -> typing.Any:
    try:
        import numpy
    except ImportError:
        raise Error("running a program needs numpy, which is not installed") from None
    return numpy


@functools.cache
def _library() -> ctypes.CDLL:
    path = find_tree() / "lib" / "libdmc_runtime.so"
    handle, size = ctypes.c_void_p, ctypes.c_size_t
    return load_library(path, {
        "dmc_last_error": (ctypes.c_char_p, []),
        "dmc_session_options_init": (ctypes.c_int32, [ctypes.POINTER(_Options)]),
        "dmc_session_create_with": (handle, [ctypes.c_char_p, ctypes.POINTER(_Options)]),
        "dmc_session_destroy": (None, [handle]),
        "dmc_session_report_json": (ctypes.c_char_p, [handle]),
        "dmc_session_num_arguments": (ctypes.c_int64, [handle]),
        "dmc_session_num_ranks": (ctypes.c_int64, [handle]),
        "dmc_session_num_results": (ctypes.c_int64, [handle]),
        "dmc_session_argument": (ctypes.POINTER(_Value), [handle, ctypes.c_uint32]),
        "dmc_session_result": (ctypes.POINTER(_Value), [handle, ctypes.c_uint32]),
        "dmc_session_argument_layout": (ctypes.c_char_p, [handle, ctypes.c_uint32]),
        "dmc_session_result_layout": (ctypes.c_char_p, [handle, ctypes.c_uint32]),
        "dmc_session_get_argument": (ctypes.c_int32, [handle, ctypes.c_uint32, ctypes.c_void_p, size]),
        "dmc_session_set_argument": (ctypes.c_int32, [handle, ctypes.c_uint32, ctypes.c_void_p, size]),
        "dmc_session_get_result": (ctypes.c_int32, [handle, ctypes.c_uint32, ctypes.c_void_p, size]),
        "dmc_session_bind": _bindings.PROTOTYPE,
        "dmc_session_num_ranks": (ctypes.c_int64, [handle]),
        "dmc_session_step": (ctypes.c_int32, [handle]),
        "dmc_runtime_version": (ctypes.c_uint32, []),
        "dmc_version": (ctypes.c_char_p, []),
    })


def release() -> str:
    """dmc's version, as "0.2.0"."""
    return _library().dmc_version().decode()


@dataclasses.dataclass(frozen=True)
class Value:
    """An argument or a result of a program."""

    name: str  # as the source names it, or "argument 3"
    type: str  # "f32", "bf16", "i1", ...
    shape: tuple[int, ...]
    local_shape: tuple[int, ...]  # of one rank, padded
    dims: tuple[tuple[str, ...], ...]  # for each dimension the mesh axes that split it
    alias: int  # the result that replaces the argument after a step, or the reverse; -1: none

    @property
    def dtype(self) -> "numpy.dtype":
        """numpy's; of bf16 that of ml_dtypes, or the bits as uint16 where ml_dtypes is not installed."""
        _numpy()
        return numpy_dtype(self.type)

    def __str__(self) -> str:
        return f"{self.name}: {'x'.join(map(str, self.shape + (self.type,)))}"


@dataclasses.dataclass(frozen=True)
class Timing:
    """Seconds of steps that ran one after the other."""

    steps: tuple[float, ...]

    @property
    def best(self) -> float:
        """The shortest step, in seconds."""
        return min(self.steps)

    @property
    def median(self) -> float:
        """The median of the steps, in seconds."""
        return sorted(self.steps)[len(self.steps) // 2]

    def __str__(self) -> str:
        return f"{len(self.steps)} steps: median {self.median * 1e3:.3f} ms, best {self.best * 1e3:.3f} ms"


def _read_values(library: ctypes.CDLL, handle: int, kind: str) -> list[Value]:
    """The arguments or the results of a session's program."""
    count = getattr(library, f"dmc_session_num_{kind}s")(handle)
    tables = [getattr(library, f"dmc_session_{kind}")(handle, i).contents for i in range(count)]
    names = [(table.name or b"").decode(errors="replace") for table in tables]
    values = []
    for i, (name, table) in enumerate(zip(names, tables)):
        layout = getattr(library, f"dmc_session_{kind}_layout")(handle, i).decode()
        # [{"data", "model"}, {}] and, perhaps, axes that hold it at one coordinate.
        dims = re.findall(r"\{([^{}]*)\}", layout)[:table.rank]
        values.append(
            Value(name if name and names.count(name) == 1 else f"{kind} {i}", _TYPE_NAMES[table.element_type],
                  tuple(table.global_shape[:table.rank]), tuple(table.local_shape[:table.rank]),
                  tuple(tuple(axis.replace('"', "") for axis in re.findall(r'"[^"]*"[^",]*', dim)) for dim in dims), table.alias))
    return values


def path_of(name: str) -> str:
    """A name that paths of different spelling share: params['w'], params.w and params/w."""
    return re.sub(r"[\[\]'\"./]+", "/", name).strip("/")


def _find(key: int | str, values: Sequence[Value], kind: str) -> int:
    """The number of an argument or a result."""
    if not isinstance(key, str):
        try:
            index = operator.index(key)
        except TypeError:
            raise Error(f"expected the {kind}'s number or name, found {type(key).__name__}") from None
        if 0 <= index < len(values):
            return index
        raise Error(f"there is no {kind} {index}; the program has {len(values)}")
    for i, value in enumerate(values):
        if path_of(value.name) == path_of(key):
            return i
    names = ", ".join(value.name for value in values[:10]) + (", ..." if len(values) > 10 else "")
    raise Error(f"unknown {kind} {key!r}; the program has {names or f'no {kind}s'}")


def _flatten(arrays: Mapping[str, typing.Any], prefix: str = "") -> dict[str, typing.Any]:
    flat = {}
    for key, item in arrays.items():
        path = f"{prefix}/{key}" if prefix else str(key)
        flat.update(_flatten(item, path) if isinstance(item, Mapping) else {path: item})
    return flat


class Session:
    """A loaded program and its ranks, which are threads of this process. A step's donated arguments stay on the ranks:
    the next step starts from what it left there.

    Arrays are global: of the argument's whole shape and of its type, in memory of any strides, and copied. Python numbers
    and lists are converted where no value changes. What does not fit raises dmc.Error and changes nothing. After a step
    that failed, donated arguments have to be given again, and then the session goes on. While one thread uses a session,
    others get an error; in a forked process it has no ranks. A KeyboardInterrupt is raised when the step that runs has ended.

    path: a library that Plan.save or dmc-compile wrote
    """

    def __init__(self, path: str | os.PathLike[str], rename: dict[str, str] | None = None):
        self._library = _library()
        self._rename = rename
        self._handle: int | None = None
        self._busy = threading.RLock()
        name = os.fspath(path)
        # A name without a slash would be searched for in the system's folders.
        self._kernels = Bound()
        options = _Options(struct_size=ctypes.sizeof(_Options))
        if self._library.dmc_session_options_init(ctypes.byref(options)):
            raise self._error()
        options.kernels, options.num_kernels = self._kernels.entries, len(self._kernels.entries)
        self._handle = self._library.dmc_session_create_with(os.path.abspath(name).encode(), ctypes.byref(options))
        if not self._handle:
            raise self._error()
        #: How many ranks there are.
        self.ranks = int(self._library.dmc_session_num_ranks(self._handle))
        #: Axes and sizes.
        self.mesh: dict[str, int] = json.loads(self._library.dmc_session_report_json(self._handle))["mesh"]
        self.arguments: list[Value] = _read_values(self._library, self._handle, "argument")
        self.results: list[Value] = _read_values(self._library, self._handle, "result")
        self._pending = set(range(len(self.arguments)))
        self._initial: set[int] = set()

    def _error(self) -> Error:
        return locate(self._library.dmc_last_error().decode(errors="replace"), self._rename)

    def close(self) -> None:
        """Ends the ranks."""
        if getattr(self, "_handle", None):
            self._library.dmc_session_destroy(self._handle)
            self._handle = None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _open(self) -> int:
        if not self._handle:
            raise Error("the session is closed")
        return self._handle

    def _index(self, key: int | str) -> int:
        return _find(key, self.arguments, "argument")

    def _indices(self, arrays: Mapping[str, typing.Any]) -> dict[int, typing.Any]:
        """Arrays by name, by number."""
        found: dict[int, typing.Any] = {}
        for name, item in arrays.items():
            index = self._index(name)
            if index in found:
                raise Error(f"argument {index} ({self.arguments[index]}) is given twice")
            found[index] = item
        return found

    @alone
    def set(self, key: int | str, array: typing.Any) -> None:
        """Gives an argument, by number or name, its global value; each rank takes its block. A donated argument is given
        away: an array of numpy that cannot be written is refused."""
        self._give_all({self._index(key): array})

    def _give_all(self, arrays: Mapping[int, typing.Any]) -> None:
        """_set_all of what a user gives: donated arguments are given away."""
        self._open()
        for index, array in arrays.items():
            if self.arguments[index].alias >= 0 and _is_read_only(array):
                raise Error(f"argument {index} ({self.arguments[index]}): expected an array that can be written, as the argument "
                            "is donated, found a read-only array; give a copy of it")
        self._set_all(arrays)

    def _set_all(self, arrays: Mapping[int, typing.Any]) -> None:
        """All of the arrays, or, if one does not fit, none of them."""
        handle = self._open()
        converted = {index: _convert(array, self.arguments[index], f"argument {index}") for index, array in arrays.items()}
        for index, data in converted.items():
            if self._library.dmc_session_set_argument(handle, index, data.ctypes.data, data.nbytes):
                raise self._error()
            self._pending.discard(index)

    @alone
    def set_memory(self, index: int, address: int, size: int) -> None:
        """Gives an argument its global value, of `size` bytes in memory, row-major, of the argument's type."""
        if self._library.dmc_session_set_argument(self._open(), index, address, size):
            raise self._error()
        self._pending.discard(index)

    @alone
    def bind_memory(self, index: int, address: int, size: int, is_result: bool = False) -> None:
        """For the next step alone, on one rank: an argument that is read, or a result that is written, in memory that is
        aligned to 64 bytes, without a copy."""
        self._bind(_bindings.table_of([(0, index, is_result, address, size)]))

    @alone
    def bind_table(self, table: "numpy.ndarray") -> None:
        """bind_memory of many, on any rank: a table of _bindings.table_of. After a failure nothing is bound."""
        self._bind(table)

    def _bind(self, table: "numpy.ndarray") -> None:
        if _bindings.bind(self._library, self._open(), table):
            raise self._error()
        if self._pending:
            self._pending.difference_update(table["index"][table["is_result"] == 0].tolist())

    @alone
    def get_memory(self, index: int, address: int, size: int) -> None:
        """Writes the global value of a result to memory, row-major."""
        if self._library.dmc_session_get_result(self._open(), index, address, size):
            raise self._error()

    @alone
    def set_initial(self, arrays: Mapping[str, typing.Any]) -> None:
        """Gives arguments, by name, values that a run need not give again."""
        for name, array in arrays.items():
            index = self._index(name)
            self._set_all({index: array})
            self._initial.add(index)

    @alone
    def step(self) -> None:
        """Runs one step on all ranks."""
        handle = self._open()
        if self._pending:
            index = min(self._pending)
            raise Error(f"missing argument {index} ({self.arguments[index]})")
        if self._library.dmc_session_step(handle):
            raise self._error() from self._kernels.take_failure()

    @alone
    def get(self, key: int | str) -> "numpy.ndarray":
        """The global value of an argument: what was set, or, if it is donated, what the last step left in it."""
        handle, index = self._open(), self._index(key)
        return self._read(self._library.dmc_session_get_argument, handle, index, self.arguments[index])

    @alone
    def result(self, key: int | str) -> "numpy.ndarray":
        """A result of the last step, by number or name, as a global array."""
        handle, index = self._open(), _find(key, self.results, "result")
        return self._read(self._library.dmc_session_get_result, handle, index, self.results[index])

    def _read(self, function: typing.Any, handle: int, index: int, value: Value) -> "numpy.ndarray":
        array = make_aligned(value.shape, value.dtype)
        if function(handle, index, array.ctypes.data, array.nbytes):
            raise self._error()
        return array

    @alone
    def run(self, arrays: Sequence[typing.Any] | Mapping[str, typing.Any]) -> typing.Any:
        """Sets all arguments, runs one step and returns all results: of a sequence of arrays a list, of a mapping by
        name a dict by name. Nested mappings are paths: {"params": {"w": ...}} names "params/w" or "params['w']"."""
        self._open()
        if isinstance(arrays, Mapping):
            flat = self._indices(_flatten(arrays))
        else:
            if isinstance(arrays, str) or hasattr(arrays, "shape") or not hasattr(arrays, "__iter__"):
                raise Error(f"expected a sequence of arrays, or a mapping by name, found {type(arrays).__name__}")
            flat = dict(enumerate(arrays))
            if len(flat) > len(self.arguments):
                raise Error(f"expected {len(self.arguments)} arguments, found {len(flat)}")
        for index, value in enumerate(self.arguments):
            if index not in flat and index not in self._initial:
                raise Error(f"missing argument {index} ({value}): expected {len(self.arguments)}, found {len(flat)}")
        self._give_all(flat)
        self.step()
        results = [self.result(i) for i in range(len(self.results))]
        return {value.name: array for value, array in zip(self.results, results)} if isinstance(arrays, Mapping) else results

    @alone
    def __call__(self, *arrays: typing.Any, **named: typing.Any) -> list[typing.Any]:
        """Sets arguments, by position or name, runs one step and returns the results as what the arrays were: tensors of
        torch, arrays of JAX, else of numpy. Without arrays, and where donated ones stay, a step starts from what is there.
        As positions count the arguments that the last step left no value of; if all are given, those of the program."""
        self._open()
        given = self._indices(named)
        places = list(range(len(self.arguments)))
        if len(arrays) + len(given) < len(places):
            places = [i for i in places if i not in given and (i in self._pending or self.arguments[i].alias < 0)
                      and i not in self._initial]
        if len(arrays) > len(places):
            raise Error(f"expected {len(self.arguments)} arguments, or {len(places)} beside those that stay, "
                        f"found {len(arrays) + len(given)}")
        for index, item in zip(places, arrays):
            if index in given:
                raise Error(f"argument {index} ({self.arguments[index]}) is given twice")
            given[index] = item
        self._give_all(given)
        self.step()
        kind = next((kind for kind in map(kind_of, given.values()) if kind != "numpy"), "numpy")
        return [from_numpy(self.result(i), kind, value.type == "bf16") for i, value in enumerate(self.results)]

    @property
    @alone
    def state(self) -> dict[str, "numpy.ndarray"]:
        """The donated arguments by name, as global arrays: what the last step left for the next."""
        return {value.name: self.get(i) for i, value in enumerate(self.arguments) if value.alias >= 0}

    @alone
    def save_state(self, folder: str | os.PathLike[str]) -> None:
        """Writes the state to a new folder, whole or not at all, as dmc-run and dmc-reshard read it."""
        write_state(folder, self.mesh,
                    [(value, self.get(i)) for i, value in enumerate(self.arguments) if value.alias >= 0])

    @alone
    def load_state(self, folder: str | os.PathLike[str]) -> None:
        """Takes the state that this or another plan of the program saved; each rank takes its block."""
        self._set_all(read_state(folder, self.arguments))

    @alone
    def shard(self, key: int | str, rank: int) -> "numpy.ndarray":
        """The block of an argument that a rank holds, without padding."""
        index = self._index(key)
        ranks = self._library.dmc_session_num_ranks(self._open())
        if not 0 <= rank < ranks:
            raise Error(f"there is no rank {rank}; the mesh has {ranks}")
        value = self.arguments[index]
        box = box_of(value.shape, value.dims, self.mesh, rank)
        return self.get(index)[tuple(slice(begin, end) for begin, end in box)].copy()

    @alone
    def bench(self, steps: int = 10) -> Timing:
        """Times steps, in seconds, after one that is not counted. Each begins with the donated arguments that the one before left."""
        if steps < 1:
            raise Error(f"expected at least one step, found {steps}")
        self.step()
        seconds = []
        for _ in range(steps):
            begin = time.perf_counter()
            self.step()
            seconds.append(time.perf_counter() - begin)
        return Timing(tuple(seconds))


def _is_read_only(array: typing.Any) -> bool:
    """Whether it is an array of numpy that its owner protects; arrays of JAX, which cannot be written, are donated there."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, numpy.ndarray) and not array.flags.writeable


def _convert(array: typing.Any, value: Value, what: str) -> "numpy.ndarray":
    """Row-major, of the value's type and shape. Only what has no type of its own, a Python number or a list, is cast."""
    numpy = _numpy()
    dtype = value.dtype
    is_untyped = isinstance(array, (bool, int, float, list, tuple))
    try:
        found = numpy.asarray(to_numpy(array))
        if is_untyped and numpy.can_cast(found.dtype, dtype, "same_kind" if found.size else "unsafe"):
            found = found.astype(dtype)
        elif is_untyped and found.dtype.kind == "i" and numpy.array_equal(found.astype(dtype), found):
            found = found.astype(dtype)
    except (TypeError, ValueError, OverflowError, RuntimeError) as problem:  # RuntimeError: arrays of JAX that are deleted
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise Error(f"{what} ({value}): expected an array, found {type(array).__name__}: {reason}") from None
    if found.dtype.kind == "c" and found.shape + (2,) == value.shape:
        # Complex numbers are pairs in memory, and programs take them as such.
        found = numpy.ascontiguousarray(found).view(found.real.dtype).reshape(value.shape)
    is_bits = value.type == "bf16" and found.dtype == numpy.uint16
    if found.dtype != dtype and not is_bits:
        raise Error(f"{what} ({value}): expected elements of {dtype}, found {found.dtype}")
    if found.shape != value.shape:
        raise Error(f"{what} ({value}): expected shape {value.shape}, found {found.shape}")
    return numpy.ascontiguousarray(found).reshape(value.shape)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that JAX gives: text, compiled by dmc and kept, and what each rank holds of arguments and results."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import math
import re
import threading
import typing
from collections.abc import Iterable, Mapping, Sequence

import numpy

from .. import _bindings
from .. import plan as plans
from .. import runtime
from .._tools import find_tree, load_library
from ..errors import Error
from ..locations import point_at_source
from ..state import box_of

_PARTITIONS = "partitions"  # the axis of a program of several partitions without a mesh
_NAME = "<program>"
_MOST_SESSIONS, _MOST_PROGRAMS = 128, 4096
ALIGNMENT = 64  # of memory that a step uses


class Block(typing.NamedTuple):
    """Bytes that programs may bind, and their address."""

    array: numpy.ndarray
    address: int


def allocate(num_bytes: int) -> Block:
    whole = numpy.empty(num_bytes + ALIGNMENT, numpy.uint8)
    address = whole.__array_interface__["data"][0]
    begin = -address % ALIGNMENT
    return Block(whole[begin:begin + num_bytes], address + begin)


class Output(typing.NamedTuple):
    """What an execution needs of a result."""

    alias: int  # the argument that it replaces, or -1
    is_bound: bool  # whether a rank writes it into memory of the caller
    type: str
    shape: tuple[int, ...]
    num_bytes: int


@functools.cache
def _library() -> ctypes.CDLL:
    handle, size, index = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
    return load_library(find_tree() / "lib" / "libdmc_runtime.so", {
        "dmc_session_bind": _bindings.PROTOTYPE,
        "dmc_session_step": (ctypes.c_int32, [handle]),
        "dmc_session_get_result": (ctypes.c_int32, [handle, index, ctypes.c_void_p, size]),
        "dmc_last_error": (ctypes.c_char_p, []),
    })


class Boundary(typing.NamedTuple):
    """What dmc's tables do not say of arguments and results."""

    donors: frozenset[int] = frozenset()  # arguments that JAX gives away, whether or not a result takes over their memory
    complex_arguments: frozenset[int] = frozenset()  # pairs of floats in the program
    complex_results: frozenset[int] = frozenset()


def _read_boundary(module: typing.Any) -> Boundary:
    from jaxlib.mlir import ir
    for op in module.body.operations:
        if op.operation.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == "main":
            attributes = ir.ArrayAttr(op.attributes["arg_attrs"]) if "arg_attrs" in op.attributes else []
            kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
            is_complex = lambda types: frozenset(i for i, each in enumerate(types) if "complex<" in str(each))
            return Boundary(frozenset(i for i, given in enumerate(attributes) if "jax.buffer_donor" in ir.DictAttr(given)),
                            is_complex(kind.inputs), is_complex(kind.results))
    return Boundary()


def read_program(code: bytes) -> tuple[str, str, Boundary]:
    """A portable artifact of StableHLO, or other bytecode, as text with locations and without, and its boundary."""
    from jax._src.interpreters.mlir import make_ir_context  # jaxlib has the reader, and is loaded
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    with make_ir_context() as context:
        try:
            module = stablehlo.deserialize_portable_artifact(context, code)
        except Exception:
            module = ir.Module.parse(code, context)
        asm = module.operation.get_asm
        return asm(enable_debug_info=True), asm(enable_debug_info=False), _read_boundary(module)


class _Source:
    """A text as dmc.compile takes it: errors point at the lines that its locations name."""

    def __init__(self, text: str):
        self.text = text

    def as_text(self, debug_info: bool = True) -> str:
        return self.text


class Program:
    """A compiled program and its ranks. Steps of one program run one after the other."""

    def __init__(self, text: str, fingerprint: str, num_partitions: int, boundary: Boundary, plan: typing.Any):
        self.boundary, self.donors = boundary, boundary.donors
        self._complex = {"arguments": boundary.complex_arguments, "results": boundary.complex_results}
        self.fingerprint, self.num_partitions, self.text = fingerprint, num_partitions, text
        self.name = (re.search(r"module @([\w.$-]+)", text) or ["", "program"])[1]
        #: A dmc.Plan, or what `stored` has of one.
        self.plan = plan
        self._session: runtime.Session | None = self.plan.load()
        self.mesh: Mapping[str, int] = self._session.mesh
        self.arguments, self.results = self._session.arguments, self._session.results
        self.lock = threading.RLock()
        self._is_even = [self._splits_evenly(value) for value in self.results]
        self.outputs = [Output(value.alias, self._is_even[i], self.result_type(i), self.result_shape(i),
                               math.prod(value.local_shape if self._is_even[i] else value.shape) * value.dtype.itemsize)
                        for i, value in enumerate(self.results)]

    def _open(self) -> runtime.Session:
        """Its ranks, which are threads: of the programs that ran last some keep theirs, others make them again."""
        with _CHANGING:
            _RUNNING[self.fingerprint] = _RUNNING.pop(self.fingerprint, self)
            idle = [_RUNNING.pop(key) for key in list(_RUNNING)[:-_MOST_SESSIONS]]
        for program in idle:
            if program.lock.acquire(blocking=False):
                program._session = None
                program.lock.release()
        if self._session is None:
            self._session = self.plan.load()
        return self._session

    def _splits_evenly(self, value: runtime.Value) -> bool:
        """False if JAX, whose blocks are equal, has no sharding for it: then each rank gets all of it."""
        count, ranks = 0, range(self.num_partitions)
        for rank in ranks:
            box = box_of(value.shape, value.dims, self.mesh, rank)
            count += tuple(end - begin for begin, end in box) == value.local_shape
        return count == len(ranks)

    def result_shape(self, index: int) -> tuple[int, ...]:
        """Of a rank, as JAX has it."""
        value = self.results[index]
        shape = value.local_shape if self._is_even[index] else value.shape
        return shape[:-1] if index in self._complex["results"] else shape

    def result_type(self, index: int) -> str:
        """As JAX has it: "complex64" of pairs of f32."""
        type_ = self.results[index].type
        return {"f32": "complex64", "f64": "complex128"}[type_] if index in self._complex["results"] else type_

    def _dims(self, kind: str, index: int) -> Sequence[Sequence[str]]:
        value = getattr(self, kind)[index]
        return value.dims if kind == "arguments" or self._is_even[index] else [()] * len(value.shape)

    def sharding(self, kind: str, index: int) -> str:
        """As XLA writes it: the numbers of the tiles, and the devices in their order."""
        dims = self._dims(kind, index)
        dims = dims[:-1] if index in self._complex[kind] else dims
        tiles: dict[tuple[int, ...], list[int]] = {}
        for rank in range(self.num_partitions):
            # Blocks of a tensor that is long enough tell the tiles apart.
            long = [self.num_partitions ** 2 for _ in dims]
            tiles.setdefault(tuple(begin for begin, _ in box_of(long, dims, self.mesh, rank)), []).append(rank)
        if len(tiles) == 1:
            return "{replicated}"
        counts = [len({tile[d] for tile in tiles}) for d in range(len(dims))]
        copies = self.num_partitions // math.prod(counts)
        devices = ",".join(str(rank) for tile in sorted(tiles) for rank in tiles[tile])
        shape = ",".join(map(str, [*counts, *([copies] if copies > 1 else [])]))
        return f"{{devices=[{shape}]{devices}{' last_tile_dim_replicate' if copies > 1 else ''}}}"

    @functools.cached_property
    def signature(self) -> str:
        """A module of the same arguments and results that computes nothing: jaxlib reads the shardings from it."""
        def tensor(kind: str, index: int) -> str:
            value = getattr(self, kind)[index]
            shape, element = (value.shape[:-1], f"complex<{value.type}>") if index in self._complex[kind] else (value.shape, value.type)
            return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"

        def zero(index: int) -> str:
            type_ = self.results[index].type
            number = "false" if type_ == "i1" else "0.0" if "f" in type_ else "0"
            return f"({number}, {number})" if index in self._complex["results"] else number

        arguments = ", ".join(f"%{i}: {tensor('arguments', i)}" for i in range(len(self.arguments)))
        results = [tensor("results", i) for i in range(len(self.results))]
        types = ", ".join(results)
        body = "".join(f"    %r{i} = stablehlo.constant dense<{zero(i)}> : {each}\n" for i, each in enumerate(results))
        returned = "return " + ", ".join(f"%r{i}" for i in range(len(self.results))) + f" : {types}" if types else "return"
        attributes = f"mhlo.num_partitions = {self.num_partitions} : i32, mhlo.num_replicas = 1 : i32"
        if self.num_partitions > 1:
            cuts = [self.sharding("results", i) for i in range(len(self.results))]
            whole = cuts[0] if len(cuts) == 1 else "{" + ", ".join(cuts) + "}"
            given = ", ".join(f'"{self.sharding("arguments", i)}"' for i in range(len(self.arguments)))
            attributes += f', mhlo.spmd_output_sharding = "{whole}", mhlo.spmd_parameters_shardings = [{given}]'
        text = (f"module @{self.name} attributes {{{attributes}}} {{\n  func.func public @main({arguments}) -> ({types}) {{\n"
                f"{body}    {returned}\n  }}\n}}\n")
        return re.sub(r"\bui(\d+)>", r"ui\1>", text)

    def _check(self, code: int) -> None:
        if code:
            raise point_at_source(self._open()._error(), self.text, _NAME)

    def step(self, arguments: Sequence[Sequence[Block]], results: Mapping[tuple[int, int], Block]) -> None:
        """One step on memory of the caller: arguments[rank][index], of which those that are donated are overwritten, and
        results by rank and index, without those that replace arguments and those that no sharding describes."""
        library, handle = _library(), self._open()._open()
        rows = [(rank, index, False, address, array.nbytes)
                for rank, row in enumerate(arguments) for index, (array, address) in enumerate(row)]
        rows += [(rank, index, True, address, array.nbytes) for (rank, index), (array, address) in results.items()]
        self._check(_bindings.bind(library, handle, _bindings.table_of(rows)))
        self._check(library.dmc_session_step(handle))

    def gather(self, index: int, block: Block) -> None:
        """A result of the last step that was not bound."""
        self._check(_library().dmc_session_get_result(self._open()._open(), index, block.address, block.array.nbytes))


_PROGRAMS: dict[str, Program] = {}  # as the next
_RUNNING: dict[str, Program] = {}  # the last that ran is the last here
_COMPILING, _CHANGING = threading.Lock(), threading.Lock()


def _compile(text: str, num_partitions: int) -> plans.Plan:
    # A program that knows nothing of dmc prints no stages of compilations.
    plan = plans.compile(_Source(text), progress=False)
    if plan.report.ranks == num_partitions:
        return plan
    if plan.report.ranks != 1:
        raise Error(f"unsupported: the program's mesh {plan.mesh!r} has {plan.report.ranks} ranks, "
                    f"but JAX runs it on {num_partitions} devices")
    return plans.compile(_Source(text), mesh={_PARTITIONS: num_partitions}, progress=False)


def compile_program(code: bytes, num_partitions: int) -> Program:
    """Compiles a program, or takes one that was compiled before: JAX compiles an operation for each line of source that has it."""
    text, plain, boundary = read_program(code)
    key = hashlib.sha256(f"{num_partitions}\n{plain}".encode()).hexdigest()
    return keep(key, lambda: Program(text, key, num_partitions, boundary, _compile(text, num_partitions)))


def keep(key: str, make: typing.Callable[[], Program]) -> Program:
    """The program of a fingerprint that was made before, or made now."""
    with _COMPILING:
        program = _PROGRAMS.pop(key, None) or make()
        _PROGRAMS[key] = program
        if len(_PROGRAMS) > _MOST_PROGRAMS:  # what executables hold stays
            del _PROGRAMS[next(iter(_PROGRAMS))]
        return program


def overlapping(blocks: Iterable[Block]) -> set[int]:
    """Addresses that occur more than once."""
    seen: set[int] = set()
    return {block.address for block in blocks if block.address in seen or seen.add(block.address)}

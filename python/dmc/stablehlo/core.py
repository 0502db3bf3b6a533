# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module under construction: its values, constants, regions and locations, and its text."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy

from ..errors import Error, Location
from ..mesh import Mesh, P
from .types import Shape, check_dtype, check_shape, convert_array, dense_text, dtype_of, type_text


@dataclasses.dataclass(frozen=True, eq=False)
class Value:
    """A tensor of a module: an argument or the result of an operation."""

    module: "Core"
    name: str  # as the text spells it, with %
    shape: Shape
    dtype: str

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def type(self) -> str:
        """As the text spells it, "tensor<8x6xf32>"."""
        return type_text(self.shape, self.dtype)

    def __str__(self) -> str:
        return "x".join(map(str, self.shape + (self.dtype,)))


Operand = typing.Union[Value, int, float, bool, numpy.generic]
Type = tuple[Shape, str]
Body = Callable[..., typing.Any]  # of values, one value or a sequence of them


@dataclasses.dataclass
class _Argument:
    value: Value
    name: str
    donated_to: int | str | None
    sharding: P | None


@dataclasses.dataclass
class _Scope:
    """A block's lines, and the constants that it has."""

    indent: str
    lines: list[str] = dataclasses.field(default_factory=list)
    constants: dict[tuple[typing.Any, ...], Value] = dataclasses.field(default_factory=dict)


def quote(text: str) -> str:
    """A string of MLIR."""
    return '"' + "".join(c if c.isprintable() and c.isascii() and c not in '"\\' else
                         "".join(f"\\{byte:02X}" for byte in c.encode("utf-8", "replace")) for c in text) + '"'


def as_values(found: typing.Any) -> list[Value]:
    return [found] if isinstance(found, Value) else list(found)


def array_text(numbers: Iterable[int]) -> str:
    """array<i64: 1, 2>"""
    items = ", ".join(str(int(number)) for number in numbers)
    return f"array<i64: {items}>" if items else "array<i64>"


def list_text(numbers: Iterable[int]) -> str:
    return "[" + ", ".join(str(int(number)) for number in numbers) + "]"


def _dims_text(sharding: P) -> str:
    return "[" + ", ".join("{" + ", ".join(map(quote, dim)) + "}" for dim in sharding.to_json()) + "]"


class Core:
    """Arguments, constants, results, locations and regions; the operations are added by the classes that derive."""

    def __init__(self, name: str = "main", mesh: Mapping[str, int] | None = None):
        """mesh: axes and sizes, for arguments and results that have a sharding."""
        self.name = name
        self._mesh = None if mesh is None else Mesh(mesh)
        self._arguments: list[_Argument] = []
        self._results: list[tuple[str, Value, P | None]] = []
        self._scopes = [_Scope("    ")]
        self._count = 0
        self._locations: list[tuple[str | None, int, str | None]] = []

    # Locations and errors.

    @contextlib.contextmanager
    def location(self, file: str | None = None, line: int = 0, name: str | None = None) -> Iterator[None]:
        """The place of the operations that are built within: a source line, a name, or both."""
        self._locations.append((file, line, name))
        try:
            yield
        finally:
            self._locations.pop()

    def _location_text(self) -> str:
        if not self._locations:
            return ""
        file, line, name = self._locations[-1]
        place = f"{quote(file)}:{line}:0" if file else ""
        if name:
            place = quote(name) + (f"({place})" if place else "")
        return f" loc({place})" if place else ""

    def error(self, message: str) -> Error:
        """An Error at the current location, which its message names."""
        file, line, name = self._locations[-1] if self._locations else (None, 0, None)
        return Error(f"{name}: {message}" if name else message, Location(file, line) if file else None)

    def expect(self, condition: bool, message: str) -> None:
        """Raises an Error at the current location unless the condition holds."""
        if not condition:
            raise self.error(message)

    # What a program takes and gives.

    def argument(self, name: str, shape: Iterable[int], dtype: str, donated_to: int | str | None = None,
                 sharding: Sequence[typing.Any] | None = None) -> Value:
        """An argument of the program.

        donated_to: the result, by number or name, that replaces the argument after a step
        sharding: for each dimension None, a mesh axis or several
        """
        self.expect(name not in (argument.name for argument in self._arguments), f"argument {name!r} is there already")
        value = Value(self, f"%arg{len(self._arguments)}", check_shape(shape), check_dtype(dtype))
        self._arguments.append(_Argument(value, name, donated_to, self._sharding(sharding, value, name)))
        return value

    def donate(self, argument: Value, result: int | str) -> None:
        """Lets a result, by number or name, replace an argument after a step."""
        for entry in self._arguments:
            if entry.value is argument:
                entry.donated_to = result
                return
        raise self.error("expected an argument to donate, found another value")

    def result(self, name: str, value: Value, sharding: Sequence[typing.Any] | None = None) -> None:
        """Adds a result of the program."""
        self._own(value)
        self._results.append((name, value, self._sharding(sharding, value, name)))

    @property
    def arguments(self) -> list[tuple[str, Value]]:
        """Names and values, in order."""
        return [(argument.name, argument.value) for argument in self._arguments]

    @property
    def results(self) -> list[tuple[str, Value]]:
        """Names and values, in order."""
        return [(name, value) for name, value, _ in self._results]

    def _sharding(self, dims: Sequence[typing.Any] | None, value: Value, name: str) -> P | None:
        if dims is None:
            return None
        self.expect(self._mesh is not None, f"the sharding of {name!r} needs a module with a mesh")
        sharding = P(*dims)
        self.expect(
            len(sharding) == value.rank,
            f"expected a sharding of {value.rank} dimensions for {name!r}, found {sharding}")
        axes = [axis for dim in sharding.to_json() for axis in dim]
        for axis in axes:
            self.expect(axis in typing.cast(Mesh, self._mesh),
                        f"unknown mesh axis {axis!r} in the sharding of {name!r}")
        self.expect(len(set(axes)) == len(axes), f"the sharding of {name!r} has a mesh axis twice: {sharding}")
        return sharding

    # Values.

    def _own(self, value: Value) -> Value:
        self.expect(isinstance(value, Value), f"expected a value, found {type(value).__name__}")
        self.expect(value.module is self, f"value {value.name} ({value}) is of another module")
        return value

    def constant(self, values: typing.Any, shape: Iterable[int] | None = None, dtype: str | None = None) -> Value:
        """A constant tensor: an array, or a scalar that fills `shape` (default: rank 0). Without dtype that of the
        array; Python's numbers are f32, i64 and i1."""
        if dtype is None:
            plain = {bool: "i1", int: "i64", float: "f32"}.get(type(values))
            dtype = plain or dtype_of(numpy.asarray(values))
        array = convert_array(values, check_dtype(dtype))
        sizes = array.shape if shape is None else check_shape(shape)
        self.expect(array.shape in ((), sizes), f"expected a constant of shape {sizes}, found {array.shape}")
        key = (sizes, dtype, array.tobytes() if array.nbytes <= 64 else None)
        # Constants of an outer block are not for the computation of a reduction, which is closed.
        if key[2] is not None and key in self._scopes[-1].constants:
            return self._scopes[-1].constants[key]
        text = dense_text(array, dtype) if numpy.prod(sizes, dtype=int) else ""
        value = self.emit("stablehlo.constant", [], [(sizes, dtype)],
                          f"value = dense<{text}> : {type_text(sizes, dtype)}")[0]
        self._scopes[-1].constants[key] = value
        return value

    def like(self, operand: Operand, value: Value) -> Value:
        """The operand; of a scalar a constant of the value's shape and type."""
        if isinstance(operand, Value):
            return self._own(operand)
        return self.constant(operand, value.shape, value.dtype)

    def emit(self, op: str, operands: Sequence[Value], types: Sequence[Type], attributes: str = "",
             regions: Sequence[str] = ()) -> list[Value]:
        """Adds an operation of StableHLO or chlo in the generic form; its results have the types given."""
        for operand in operands:
            self._own(operand)
        name = f"%{self._count}"
        self._count += 1
        names = [name] if len(types) == 1 else [f"{name}#{i}" for i in range(len(types))]
        results = [Value(self, result, shape, dtype) for result, (shape, dtype) in zip(names, types)]
        scope = self._scopes[-1]
        head = "" if not types else name + (f":{len(types)}" if len(types) > 1 else "") + " = "
        inputs, outputs = ", ".join(x.type for x in operands), ", ".join(x.type for x in results)
        signature = f"({inputs}) -> " + (outputs if len(types) == 1 else f"({outputs})")
        blocks = " (" + ", ".join(regions) + ")" if regions else ""
        scope.lines.append(f'{scope.indent}{head}"{op}"({", ".join(x.name for x in operands)})' +
                           (f" <{{{attributes}}}>" if attributes else "") +
                           f"{blocks} : {signature}{self._location_text()}")
        return results

    def custom_call(self, target: str, operands: Sequence[Value], types: Sequence[Type],
                    config: Mapping[str, typing.Any] | None = None) -> list[Value]:
        """A call of a kernel that dmc.kernel names; its results have the shapes and types given.

        config: what the kernel is given beside the operands, as keywords: numbers, strings, lists and mappings of them
        """
        types = [(check_shape(shape), check_dtype(dtype)) for shape, dtype in types]
        attributes = f"call_target_name = {quote(target)}"
        if config:
            try:
                attributes += f", backend_config = {quote(json.dumps(dict(config)))}"
            except (TypeError, ValueError) as problem:
                raise self.error(f"unsupported config of the kernel {target!r}: {problem}") from None
        return self.emit("stablehlo.custom_call", operands, types, attributes)

    def region(self, types: Sequence[Type], body: Body) -> tuple[str, list[Value]]:
        """The text of a region whose block has arguments of these types, and what `body`, called with them, returns."""
        outer = self._scopes[-1].indent
        arguments = [Value(self, f"%b{self._count + i}", shape, dtype) for i, (shape, dtype) in enumerate(types)]
        self._count += len(types)
        self._scopes.append(_Scope(outer + "  "))
        try:
            results = as_values(body(*arguments))
            self.emit("stablehlo.return", results, [])
        finally:
            scope = self._scopes.pop()
        head = f"{outer}^bb0({', '.join(f'{x.name}: {x.type}' for x in arguments)}):\n" if arguments else ""
        return "{\n" + head + "\n".join(scope.lines) + f"\n{outer}}}", results

    # The text.

    def _alias(self, argument: _Argument) -> int:
        names = [name for name, _, _ in self._results]
        target = argument.donated_to
        index = names.index(target) if target in names else target
        if not isinstance(index, int) or not 0 <= index < len(names):
            raise Error(f"argument {argument.name!r} is donated to {target!r}, which is not a result")
        value = self._results[index][1]
        if (value.shape, value.dtype) != (argument.value.shape, argument.value.dtype):
            raise Error(
                f"argument {argument.name!r} ({argument.value}) is donated to {names[index]!r}, which is {value}")
        return index

    def _argument_text(self, argument: _Argument) -> str:
        attributes = []
        if argument.sharding is not None:
            attributes.append(f"sdy.sharding = #sdy.sharding<@mesh, {_dims_text(argument.sharding)}>")
        if argument.donated_to is not None:
            attributes.append(f"tf.aliasing_output = {self._alias(argument)} : i32")
        braces = " {" + ", ".join(attributes) + "}" if attributes else ""
        return f"{argument.value.name}: {argument.value.type}{braces} loc({quote(argument.name)})"

    @staticmethod
    def _result_text(name: str, value: Value, sharding: P | None) -> str:
        attributes = [f"jax.result_info = {quote(name)}"]
        if sharding is not None:
            attributes.append(f"sdy.sharding = #sdy.sharding<@mesh, {_dims_text(sharding)}>")
        return f"{value.type} {{{', '.join(attributes)}}}"

    def text(self) -> str:
        """The module as dmc.compile takes it."""
        taken: dict[int, str] = {}
        for argument in self._arguments:
            if argument.donated_to is not None:
                first = taken.setdefault(self._alias(argument), argument.name)
                if first != argument.name:
                    raise Error(f"arguments {first!r} and {argument.name!r} are donated to the same result")
        arguments = ",\n      ".join(map(self._argument_text, self._arguments))
        results = ", ".join(self._result_text(*result) for result in self._results)
        lines = [f"module @{quote(self.name)} {{"]
        if self._mesh is not None:
            axes = ", ".join(f"{quote(axis)}={size}" for axis, size in self._mesh.items())
            lines.append(f"  sdy.mesh @mesh = <[{axes}]>")
        lines.append(f"  func.func public @main({arguments}) -> ({results}) {{")
        lines += self._scopes[0].lines
        values = [value for _, value, _ in self._results]
        lines.append(f"    return {', '.join(x.name for x in values)} : {', '.join(x.type for x in values)}"
                     if values else "    return")
        return "\n".join(lines + ["  }", "}", ""])

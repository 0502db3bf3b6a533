# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an operator's conversion sees of its node: inputs as values or known arrays, attributes, the operator set."""
from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable, Sequence

import numpy
import onnx

from ..errors import Error
from ..stablehlo import Module, Value, convert_array, dtype_of

_T = onnx.TensorProto
TYPES: dict[int, str] = {
    _T.FLOAT: "f32", _T.DOUBLE: "f64", _T.FLOAT16: "f16", _T.BFLOAT16: "bf16", _T.BOOL: "i1", _T.INT8: "i8", _T.INT16:
    "i16", _T.INT32: "i32", _T.INT64: "i64", _T.UINT8: "ui8", _T.UINT16: "ui16", _T.UINT32: "ui32", _T.UINT64: "ui64"
}


def element_type(number: int) -> str:
    """The element type of a number of TensorProto.DataType."""
    if number not in TYPES:
        names = {item.number: item.name for item in _T.DataType.DESCRIPTOR.values}
        raise Error(
            f"unsupported element type {names.get(number, number)}, expected one of {', '.join(TYPES.values())}")
    return TYPES[number]


class NeedsValue(Error):
    """A shape depends on values of inputs that are not known before the program runs; `inputs` are their names."""

    def __init__(self, message: str, inputs: Iterable[str]):
        super().__init__(message)
        self.inputs = sorted(inputs)


@dataclasses.dataclass(frozen=True)
class Span:
    """A slice whose size data decide: of the tensor that it is taken from, elements begin to end of a dimension."""

    axis: int
    begin: Value  # i64 of rank 0, as end; within the dimension
    end: Value
    sources: frozenset[str]  # inputs of the graph that begin and end are computed from


@dataclasses.dataclass(frozen=True)
class Tensor:
    """What a name of the graph stands for: a value of the program, an array that is known, or both."""

    value: Value | None = None
    array: numpy.ndarray | None = None
    #: Whether an operator of known inputs only is computed here rather than in the program.
    is_constant: bool = False
    #: Inputs of the graph that it is computed from.
    sources: frozenset[str] = frozenset()
    #: Makes the argument that an initializer becomes where a value is needed.
    make: Callable[[], Value] | None = None
    #: What of the value the tensor is, if that is a part that data decide; reductions take it.
    span: Span | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape if self.value is not None else typing.cast(numpy.ndarray, self.array).shape

    @property
    def dtype(self) -> str:
        return self.value.dtype if self.value is not None else dtype_of(typing.cast(numpy.ndarray, self.array))


def needs_value(module: Module, what: str, sources: frozenset[str]) -> NeedsValue:
    """The error of a shape that depends on inputs of the graph."""
    names = ", ".join(sorted(sources)) or "none of the graph's inputs"
    error = module.error(
        f"unsupported: {what} (it is computed from {names}); expected a constant, since a shape depends on it")
    return NeedsValue(error.message, sources)


Item = typing.Union[Tensor, list["Item"], None]  # a tensor, a sequence, or an input that is left out
Result = typing.Union[Value, numpy.ndarray, Item, Sequence[typing.Any]]


class Node:
    """A node under conversion."""

    def __init__(self, module: Module, proto: onnx.NodeProto, name: str, opset: int, inputs: list[Item],
                 attributes: dict[str, typing.Any], run_graph: Callable[..., list[Item]]):
        self.m = module
        self.op = proto.op_type
        self.name = name
        self.opset = opset
        self.inputs = inputs
        self.outputs = [output for output in proto.output]
        self._attributes = attributes
        self._unread = set(attributes)
        #: run_graph(graph, items): the outputs of a graph that is an attribute.
        self.run_graph = run_graph

    # Errors.

    def unsupported(self, what: str) -> Error:
        return self.m.error(f"unsupported: {what} of operator {self.op}")

    def expect(self, condition: bool, message: str) -> None:
        if not condition:
            raise self.m.error(f"{self.op}: {message}")

    def check_attributes(self) -> None:
        """An attribute that no one asked for is not honoured."""
        if self._unread:
            raise self.unsupported(f"attribute {sorted(self._unread)[0]!r}")

    # Inputs.

    def has(self, index: int) -> bool:
        return index < len(self.inputs) and self.inputs[index] is not None

    def tensor(self, index: int) -> Tensor:
        item = self.inputs[index] if index < len(self.inputs) else None
        self.expect(item is not None, f"input {index} is missing")
        self.expect(isinstance(item, Tensor), f"expected a tensor as input {index}, found a sequence")
        return typing.cast(Tensor, item)

    def sequence(self, index: int) -> list[Item]:
        item = self.inputs[index] if index < len(self.inputs) else None
        self.expect(isinstance(item, list), f"expected a sequence as input {index}")
        return typing.cast("list[Item]", item)

    def as_value(self, tensor: Tensor) -> Value:
        if tensor.span is not None:
            raise self.needs_value(f"operand of operator {self.op} that is a slice of computed size",
                                   tensor.span.sources)
        if tensor.value is not None:
            return tensor.value
        if tensor.make is not None:
            return tensor.make()
        return self.m.constant(tensor.array, dtype=dtype_of(typing.cast(numpy.ndarray, tensor.array)))

    def needs_value(self, what: str, sources: frozenset[str]) -> NeedsValue:
        return needs_value(self.m, what, sources)

    def value(self, index: int) -> Value:
        return self.as_value(self.tensor(index))

    def optional(self, index: int) -> Value | None:
        return self.value(index) if self.has(index) else None

    def values(self) -> list[Value]:
        return [self.value(index) for index in range(len(self.inputs))]

    def shape(self, index: int) -> tuple[int, ...]:
        tensor = self.tensor(index)
        return self.as_value(tensor).shape if tensor.span is not None else tensor.shape

    def dtype(self, index: int) -> str:
        return self.tensor(index).dtype

    def array(self, index: int) -> numpy.ndarray:
        """An input whose value must be known, since a shape depends on it."""
        tensor = self.tensor(index)
        if tensor.array is None:
            raise self.needs_value(f"input {index} of operator {self.op} that is not constant", tensor.sources)
        return tensor.array

    def numbers(self, index: int) -> list[int]:
        """An input of integers that must be known; a scalar is a list of one."""
        return [int(item) for item in self.array(index).reshape(-1)]

    # Attributes.

    def attribute(self, name: str, default: typing.Any = None) -> typing.Any:
        self._unread.discard(name)
        return self._attributes.get(name, default)

    def needs(self, name: str) -> typing.Any:
        self.expect(name in self._attributes, f"attribute {name!r} is missing")
        return self.attribute(name)

    def numbers_of(self, name: str, index: int) -> list[int] | None:
        """Integers that older operator sets have as an attribute, newer ones as an input."""
        if name in self._attributes:
            return list(self.attribute(name))
        return self.numbers(index) if self.has(index) else None

    def element_type(self, number: int) -> str:
        try:
            return element_type(number)
        except Error as problem:
            raise self.m.error(f"{problem.message} of operator {self.op}") from None


Conversion = Callable[[Node], Result]
OPERATORS: dict[str, Conversion] = {}


def operator(*names: str) -> Callable[[Conversion], Conversion]:
    """Registers the conversion of operators of the domain ai.onnx."""

    def register(conversion: Conversion) -> Conversion:
        for name in names:
            OPERATORS[name] = conversion
        return conversion

    return register


def known(array: typing.Any, dtype: str | None = None) -> numpy.ndarray:
    """An array that a shape may depend on."""
    return numpy.asarray(array) if dtype is None else convert_array(array, dtype)

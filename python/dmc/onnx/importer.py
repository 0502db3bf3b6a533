# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a graph, node by node, into operations of a module."""
from __future__ import annotations

import collections
import dataclasses
import functools
import hashlib
import itertools
import typing
from collections.abc import Mapping

import numpy
import onnx
import onnx.defs
import onnx.helper
import onnx.numpy_helper
import onnx.shape_inference

from ..errors import Error
from ..stablehlo import Module, Value, dtype_of
from . import operators  # noqa: F401  registers the conversions
from .folding import fold
from .inputs import InputShapes
from .node import OPERATORS, TYPES, Item, Node, Tensor, element_type, needs_value

_NUMBERS = {dtype: number for number, dtype in TYPES.items()}
_OURS = ("", "ai.onnx")


class Scope(collections.ChainMap):
    """Names and what they stand for; those of an inner graph hide those of an outer one."""


def _is_foldable(array: numpy.ndarray) -> bool:
    """Whether an initializer is rather a part of the computation of shapes than a parameter."""
    return array.dtype.kind in "iub" and array.ndim <= 1


class Importer:
    """One model under conversion."""

    def __init__(self, model: onnx.ModelProto, shapes: Mapping[str, typing.Any], values: Mapping[str, numpy.ndarray]):
        self.module = Module(model.graph.name or "onnx")
        self.initial: dict[str, numpy.ndarray] = {}
        self._parameters: dict[tuple[typing.Any, ...], Tensor] = {}
        self._shapes = InputShapes(shapes)
        self._values = dict(values)
        self._functions = {(function.domain, function.name): function for function in model.functions}
        self._opsets = {entry.domain: entry.version for entry in model.opset_import}
        self._count = 0
        self._depth = 0

    def run(self, graph: onnx.GraphProto) -> None:
        """Converts the model's graph: its inputs and initializers are arguments, its outputs results."""
        scope = Scope()
        initialized = {tensor.name for tensor in graph.initializer}
        unknown = set(self._values) - {item.name for item in graph.input}
        if unknown:
            raise Error(f"values are given for {sorted(unknown)[0]!r}, which is not an input of the graph")
        for item in graph.input:
            if item.name not in initialized:
                scope[item.name] = self._input(item)
        self._shapes.check_used()
        self._initializers(graph, scope)
        self._nodes(graph.node, scope, self._opsets, {})
        for output in graph.output:
            item = scope.get(output.name)
            if not isinstance(item, Tensor):
                raise Error(f"unsupported: output {output.name!r} that is not a tensor")
            self.module.result(output.name, self._value(output.name, item))

    def _input(self, item: onnx.ValueInfoProto) -> Tensor:
        kind = item.type.WhichOneof("value")
        if kind != "tensor_type":
            raise Error(f"unsupported: input {item.name!r} of type {kind}; expected a tensor")
        try:
            dtype = element_type(item.type.tensor_type.elem_type)
        except Error as problem:
            raise Error(f"input {item.name!r}: {problem.message}") from None
        shape = self._shapes.read(item)
        if item.name in self._values:
            array = numpy.asarray(self._values[item.name])
            if array.shape != shape or dtype_of(array) != dtype:
                raise Error(
                    f"input {item.name!r}: expected a value of shape {shape} and {dtype}, found {array.shape} and {array.dtype}"
                )
            return Tensor(array=array, is_constant=True)
        return Tensor(self.module.argument(item.name, shape, dtype), sources=frozenset({item.name}))

    def _initializers(self, graph: onnx.GraphProto, scope: Scope) -> None:
        for tensor in graph.initializer:
            scope[tensor.name] = self._initializer(tensor)
        for sparse in graph.sparse_initializer:
            raise Error(f"unsupported: sparse initializer {sparse.values.name!r}; expected a dense one")

    def _initializer(self, tensor: onnx.TensorProto) -> Tensor:
        try:
            element_type(tensor.data_type)
        except Error as problem:
            raise Error(f"initializer {tensor.name!r}: {problem.message}") from None
        array = onnx.numpy_helper.to_array(tensor)
        if _is_foldable(array):
            return Tensor(array=array, is_constant=True)
        # The graph of a loop's body is converted once for each iteration: its initializers are the same arguments.
        key = tensor.name, array.dtype.str, array.shape, hashlib.blake2b(array.tobytes()).digest()
        if key not in self._parameters:
            self._parameters[key] = Tensor(array=array,
                                           make=functools.cache(functools.partial(self._parameter, tensor.name, array)))
        return self._parameters[key]

    def _parameter(self, name: str, array: numpy.ndarray) -> Value:
        """The argument that an initializer becomes where an operation reads it."""
        taken, unique = {argument for argument, _ in self.module.arguments}, name
        for number in itertools.count(1):
            if unique not in taken:
                break
            unique = f"{name}_{number}"  # of an inner graph, which may repeat a name
        self.initial[unique] = array
        return self.module.argument(unique, array.shape, dtype_of(array))

    def _value(self, name: str, tensor: Tensor) -> Value:
        if tensor.span is not None:
            raise needs_value(self.module, f"output {name!r} that is a slice of computed size", tensor.span.sources)
        if tensor.value is None and tensor.make is None:
            return self.module.constant(tensor.array)
        return tensor.value or typing.cast(typing.Any, tensor.make)()

    # Nodes.

    def _nodes(self, nodes: typing.Iterable[onnx.NodeProto], scope: Scope, opsets: Mapping[str, int],
               attributes: Mapping[str, onnx.AttributeProto]) -> None:
        """Converts nodes; `attributes` are those that the call of a function has."""
        for proto in nodes:
            name = proto.name or f"{proto.op_type}_{self._count}"
            self._count += 1
            with self.module.location(name=name):
                self._node(proto, name, scope, opsets, attributes)

    def _attributes(self, proto: onnx.NodeProto, outer: Mapping[str,
                                                                onnx.AttributeProto]) -> dict[str, onnx.AttributeProto]:
        """The node's attributes; those that refer to a function's are the call's, or absent."""
        found = {}
        for attribute in proto.attribute:
            if not attribute.ref_attr_name:
                found[attribute.name] = attribute
            elif attribute.ref_attr_name in outer:
                found[attribute.name] = outer[attribute.ref_attr_name]
        return found

    def _node(self, proto: onnx.NodeProto, name: str, scope: Scope, opsets: Mapping[str, int],
              outer: Mapping[str, onnx.AttributeProto]) -> None:
        missing = [item for item in proto.input if item and item not in scope]
        if missing:
            raise self.module.error(f"{proto.op_type}: input {missing[0]!r} is computed by no node before it")
        inputs: list[Item] = [scope[item] if item else None for item in proto.input]
        attributes = self._attributes(proto, outer)
        if proto.domain not in _OURS or proto.op_type not in OPERATORS:
            results = self._call(proto, inputs, attributes, opsets)
        else:
            results = self._convert(proto, name, inputs, attributes, scope, opsets, outer)
        sources = frozenset().union(*(item.sources for item in _tensors(inputs)))
        if len(results) < len([output for output in proto.output if output]):
            raise self.module.error(f"unsupported: output {len(results)} of operator {proto.op_type}")
        for output, result in zip(proto.output, results):
            if output:
                scope[output] = _mark(result, sources)

    def _convert(self, proto: onnx.NodeProto, name: str, inputs: list[Item], attributes: Mapping[str,
                                                                                                 onnx.AttributeProto],
                 scope: Scope, opsets: Mapping[str, int], outer: Mapping[str, onnx.AttributeProto]) -> list[Item]:
        opset = opsets.get(proto.domain or "", opsets.get("", opsets.get("ai.onnx", 1)))
        known = fold(proto, inputs, attributes, opset)
        if known is not None:
            return [Tensor(array=array, is_constant=True) for array in known]

        def run_graph(graph: onnx.GraphProto, items: list[Item]) -> list[Item]:
            inner = Scope({}, *scope.maps)
            inner.update(zip((item.name for item in graph.input), items))
            self._initializers(graph, inner)
            self._nodes(graph.node, inner, opsets, outer)
            return [inner[output.name] for output in graph.output]

        values = {key: onnx.helper.get_attribute_value(attribute) for key, attribute in attributes.items()}
        values = {
            key: value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            for key, value in values.items()
        }
        node = Node(self.module, proto, name, opset, inputs, values, run_graph)
        try:
            found = OPERATORS[proto.op_type](node)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, ArithmeticError) as problem:
            # An attribute or a known input of another form than the operator has.
            raise self.module.error(
                f"{proto.op_type}: malformed node: {type(problem).__name__}: {problem}") from problem
        node.check_attributes()
        return [_item(result) for result in (found if isinstance(found, tuple) else (found,))]

    # Functions: those of the model, and those by which the standard defines operators.

    def _call(self, proto: onnx.NodeProto, inputs: list[Item], attributes: Mapping[str, onnx.AttributeProto],
              opsets: Mapping[str, int]) -> list[Item]:
        function = self._functions.get(
            (proto.domain, proto.op_type)) or self._definition(proto, inputs, attributes, opsets)
        if function is None:
            domain = "" if proto.domain in _OURS else f" of domain {proto.domain!r}"
            raise self.module.error(f"unsupported: operator {proto.op_type}{domain}")
        if self._depth > 50:
            raise self.module.error(f"unsupported: function {proto.op_type} that calls itself")
        inner = Scope({name: inputs[i] if i < len(inputs) else None for i, name in enumerate(function.input)})
        given = {attribute.name: attribute for attribute in function.attribute_proto} | dict(attributes)
        self._depth += 1
        try:
            self._nodes(function.node, inner, {entry.domain: entry.version for entry in function.opset_import}, given)
        finally:
            self._depth -= 1
        wanted = [name for name, output in zip(function.output, proto.output) if output and name not in inner]
        if wanted:
            raise self.module.error(f"unsupported: output {wanted[0]!r} of operator {proto.op_type}")
        return [inner.get(name) for name in function.output]

    def _definition(self, proto: onnx.NodeProto, inputs: list[Item], attributes: Mapping[str, onnx.AttributeProto],
                    opsets: Mapping[str, int]) -> onnx.FunctionProto | None:
        """The function by which the standard defines an operator, if it does."""
        domain = "" if proto.domain in _OURS else proto.domain
        version = opsets.get(proto.domain, opsets.get(domain, 1))
        try:
            schema: typing.Any = onnx.defs.get_schema(proto.op_type, version, domain)
        except onnx.defs.SchemaError:
            return None
        function = onnx.FunctionProto()
        if schema.has_function:
            versions = [number for number in schema.function_opset_versions if number <= version
                        ] or schema.function_opset_versions[:1]
            function.ParseFromString(schema.get_function_with_opset_version(max(versions)))
        elif schema.has_context_dependent_function:
            node = onnx.NodeProto()
            node.CopyFrom(proto)
            del node.attribute[:]
            node.attribute.extend(attributes.values())
            types = [_type(item).SerializeToString() for item in inputs]
            versions = [number for number in schema.context_dependent_function_opset_versions if number <= version]
            versions = versions or schema.context_dependent_function_opset_versions[:1]
            function.ParseFromString(
                schema.get_context_dependent_function_with_opset_version(max(versions), node.SerializeToString(),
                                                                         types))
        else:
            return None
        given = {item.name for item in function.attribute_proto}
        for name, default in schema.attributes.items():
            if default.default_value.name and name not in given:
                function.attribute_proto.append(default.default_value)
        return function


def _tensors(items: typing.Iterable[Item]) -> list[Tensor]:
    found: list[Tensor] = []
    for item in items:
        found += [item] if isinstance(item, Tensor) else _tensors(item) if item else []
    return found


def _item(result: typing.Any) -> Item:
    """What a conversion returned, as what a name stands for."""
    if isinstance(result, Value):
        return Tensor(result)
    if isinstance(result, numpy.ndarray):
        return Tensor(array=result, is_constant=True)
    return [_item(part) for part in result] if isinstance(result, list) else result


def _mark(item: Item, sources: frozenset[str]) -> Item:
    if isinstance(item, list):
        return [_mark(part, sources) for part in item]
    if item is None or item.array is not None or item.sources:
        return item
    return dataclasses.replace(item, sources=sources)


def _type(item: Item) -> onnx.TypeProto:
    if not isinstance(item, Tensor):
        return onnx.TypeProto()
    return onnx.helper.make_tensor_type_proto(_NUMBERS[item.dtype], item.shape)


__all__ = ["Importer"]

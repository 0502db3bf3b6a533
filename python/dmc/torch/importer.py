# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an FX graph of ATen overloads to StableHLO."""
from __future__ import annotations

import dataclasses
import operator
import os
import re
import typing
from collections.abc import Mapping, Sequence

import torch

from ..errors import Error
from ..kernels import find_kernel
from ..stablehlo import Value
from . import (attention, bags, complexes, ctc, derived, draws, elementwise, grouped, indexing, products, reductions, resize,
               shapes, windows)
from .random import Random
from .result import DTYPES, ProgramModule, Result
from .tensors import to_array

_TABLE: dict[str, typing.Any] = {}
for _part in (attention, bags, complexes, ctc, derived, draws, elementwise, grouped, indexing, products, reductions, resize,
              shapes, windows):
    _TABLE |= _part.TABLE

# Checks of metadata and of values, which a program does not have, and annotations.
_IGNORED = frozenset({
    "aten._assert_async.default", "aten._assert_async.msg", "aten._assert_scalar.default",
    "aten._assert_tensor_metadata.default", "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default"
})
_TORCH = os.path.dirname(torch.__file__) + os.sep
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_INLINE_BYTES = 4096  # larger constants become arguments


@dataclasses.dataclass(frozen=True)
class Program:
    """An imported graph, which dmc.compile takes."""

    text: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    #: Values of arguments that the graph holds itself: its large constants, the key of its random numbers.
    initial_values: Mapping[str, typing.Any] = dataclasses.field(default_factory=dict)

    def as_text(self, debug_info: bool = True) -> str:
        return self.text


def user_line(stack_trace: str | None) -> tuple[str | None, int]:
    """The innermost line of a traceback's text that is not torch's own, or else the innermost."""
    lines = re.findall(r'File "([^"]+)", line (\d+)', stack_trace or "")
    own = [line for line in lines if not line[0].startswith((_TORCH, _HERE)) and not line[0].startswith("<")]
    file, line = (own or lines or [(None, 0)])[-1]
    return file, int(line)


def place_of(node: torch.fx.Node) -> tuple[str | None, int, str]:
    """The source line of a node, and the path of its module or, without one, its name."""
    stack = [entry[0] for entry in (node.meta.get("nn_module_stack") or {}).values()]
    path = re.sub(r"^L\['\w+'\]\.?", "", stack[-1]) if stack else ""
    return *user_line(node.meta.get("stack_trace")), path or node.name


def _describe(module: ProgramModule, node: torch.fx.Node, value: typing.Any) -> Result | None:
    if value is None:
        return None
    if not isinstance(value, torch.Tensor):
        raise module.error(f"unsupported result of {node.target}: expected a tensor, found {type(value).__name__}")
    if not all(type(size) is int for size in value.shape):
        raise module.error(f"unsupported dynamic shape {tuple(value.shape)} of {node.target}")
    if value.dtype not in DTYPES:
        raise module.error(f"unsupported element type {value.dtype} of {node.target}")
    if value.layout != torch.strided:
        raise module.error(f"unsupported layout {value.layout} of {node.target}, expected dense tensors")
    common = value.dtype
    if len(node.args) == 2:
        given = [x.meta.get("val") if isinstance(x, torch.fx.Node) else x for x in node.args]
        if all(isinstance(x, (torch.Tensor, bool, int, float, complex)) for x in given):
            given = [torch.empty(x.shape, dtype=x.dtype, device="meta") if isinstance(x, torch.Tensor) else x
                     for x in given]
            common = torch.result_type(*given)
    return Result(tuple(value.shape), DTYPES[value.dtype], DTYPES.get(common, ""))


def _names_kernel(target: typing.Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and find_kernel(target.name().partition(".")[0]) is not None


def _call_kernel(module: ProgramModule, target: torch._ops.OpOverload, results: Sequence[Result | None], is_many: bool,
                 args: Sequence[typing.Any], kwargs: Mapping[str, typing.Any]) -> typing.Any:
    """A call of the user's kernel: tensors are its operands, what else the operator takes are keywords."""
    name = target.name().partition(".")[0]
    parameters = [parameter.name for parameter in target._schema.arguments]
    if any(parameter.alias_info is not None and parameter.alias_info.is_write for parameter in target._schema.arguments):
        raise module.error(f"unsupported operator {target}: a kernel changes none of its operands")
    given = {**dict(zip(parameters, args)), **kwargs}
    for parameter in target._schema.arguments:
        if parameter.name not in given and parameter.has_default_value():
            given[parameter.name] = parameter.default_value
    operands, config = [], {}
    for key in parameters:
        value = given.get(key)
        if isinstance(value, Value):
            operands.append(value)
        elif isinstance(value, (tuple, list)) and value and all(isinstance(item, Value) for item in value):
            operands += value
        elif value is not None:
            config[key] = value
    types = []
    for out in results:
        if out is None:
            raise module.error(f"unsupported result of {target}: expected a tensor")
        types.append((out.shape, out.dtype))
    found = module.custom_call(name, operands, types, config)
    return found if is_many else found[0]


def _call(module: ProgramModule, node: torch.fx.Node, values: dict[torch.fx.Node, typing.Any]) -> typing.Any:
    if node.target is operator.getitem:
        return values[node.args[0]][node.args[1]]
    target = str(node.target)
    if target in _IGNORED:
        return None
    if target not in _TABLE and not _names_kernel(node.target):
        raise module.error(f"unsupported operator {target}")
    meta = node.meta.get("val")
    is_many = isinstance(meta, (tuple, list))
    many = [_describe(module, node, value) for value in (meta if is_many else [meta])]
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda x: values[x])
    if target not in _TABLE:
        return _call_kernel(module, node.target, many, is_many, args, kwargs)
    try:
        result = _TABLE[target](module, many if is_many else many[0], *args, **kwargs)
    except TypeError as problem:
        raise module.error(f"unsupported arguments of {target}: {problem}") from None
    for found, out in zip(result if is_many else [result], many, strict=True):
        if out is not None and found is not None and (found.shape, found.dtype) != (out.shape, out.dtype):
            raise module.error(f"{target}: expected a result of {out.shape} and {out.dtype}, found {found}")
    return result


class Importer:
    """A program under construction, of one or several graphs. Tensors that graphs hold become constants, or arguments
    if they are large."""

    def __init__(self, module: ProgramModule):
        self.module = module
        self.initial_values: dict[str, typing.Any] = {}
        self._held: dict[int, tuple[torch.Tensor, Value]] = {}

    def hoist(self, graph_module: torch.fx.GraphModule) -> None:
        """Makes arguments of a graph's large tensors. Before the graph is imported within a loop."""
        for node in graph_module.graph.nodes:
            if node.op == "get_attr":
                with self.module.location(*place_of(node)):
                    self._hold(graph_module, node)

    def _hold(self, graph_module: torch.fx.GraphModule, node: torch.fx.Node) -> typing.Any:
        tensor = operator.attrgetter(str(node.target))(graph_module)
        if isinstance(tensor, torch.fx.GraphModule):  # of torch.cond, and the like
            return tensor
        if not isinstance(tensor, torch.Tensor) or tensor.dtype not in DTYPES:
            raise self.module.error(f"unsupported attribute {node.target}: expected a tensor")
        if id(tensor) in self._held:
            return self._held[id(tensor)][1]
        array, dtype = to_array(tensor), DTYPES[tensor.dtype]
        if array.nbytes <= _INLINE_BYTES:
            return self.module.constant(array, tuple(tensor.shape), dtype)
        name = f"constant{len(self.initial_values)}"
        value = self.module.argument(name, tensor.shape, dtype)
        self.initial_values[name] = array
        self._held[id(tensor)] = tensor, value
        return value

    def _call_graphs(self, node: torch.fx.Node, values: Mapping[torch.fx.Node, typing.Any]) -> list[typing.Any]:
        """An operator on graphs: torch.cond or torch.while_loop."""
        args, _ = torch.fx.node.map_arg((node.args, node.kwargs), lambda x: values[x])
        name, module = str(node.target), self.module
        if name == "cond":
            condition, yes, no, operands = args
            for graph in (yes, no):
                self.hoist(graph)
            return module.cond(module.reshape(condition, ()), lambda: self.run(yes, operands),
                               lambda: self.run(no, operands))
        if name == "while_loop":
            condition, body, carried, more = args
            for graph in (condition, body):
                self.hoist(graph)
            return module.while_loop(carried, lambda *now: module.reshape(self.run(condition, [*now, *more])[0], ()),
                                     lambda *now: self.run(body, [*now, *more]))
        raise module.error(f"unsupported operator {name}")

    def run(self, graph_module: torch.fx.GraphModule, inputs: Sequence[Value],
            updates: dict[torch.fx.Node, Value] | None = None) -> list[typing.Any]:
        """Adds the operations of a graph on these values and returns its results. updates: gets what the graph, at its
        end, copies into placeholders."""
        values: dict[torch.fx.Node, typing.Any] = {}
        given = iter(inputs)
        for node in graph_module.graph.nodes:
            with self.module.location(*place_of(node)):
                if node.op == "placeholder":
                    values[node] = next(given)
                elif node.op == "get_attr":
                    values[node] = self._hold(graph_module, node)
                elif isinstance(node.target, torch._ops.HigherOrderOperator):
                    values[node] = self._call_graphs(node, values)
                elif updates is not None and str(node.target) == "aten.copy_.default":
                    target, source = node.args[:2]
                    self.module.expect(target.op == "placeholder", f"unsupported {node.target} into {target}")
                    out = _describe(self.module, node, node.meta["val"])
                    assert out is not None  # a copy gives a tensor
                    values[node] = updates[target] = elementwise.cast(self.module, out, values[source])
                elif node.op == "call_function":
                    values[node] = _call(self.module, node, values)
                elif node.op == "output":
                    found = node.args[0] if isinstance(node.args[0], (tuple, list)) else [node.args[0]]
                    return [values[item] if isinstance(item, torch.fx.Node) else item for item in found]
                else:
                    raise self.module.error(f"unsupported node {node.op} {node.target}")
        raise Error("expected a graph with an output")


def add_input(module: ProgramModule, node: torch.fx.Node, name: str, axes: Sequence[str] = ()) -> typing.Any:
    """An argument for a placeholder; of a number the number itself. axes: mesh axes that split the first dimension."""
    meta = node.meta.get("val")
    if meta is None or type(meta) in (bool, int, float):
        return meta
    with module.location(*place_of(node)):
        out = _describe(module, node, meta)
        assert out is not None
        dims = [tuple(axes), *[None] * (len(out.shape) - 1)] if axes and out.shape else None
        return module.argument(name, out.shape, out.dtype, sharding=dims)


def add_inputs(module: ProgramModule, graph_module: torch.fx.GraphModule, names: Sequence[str]) -> list[Value]:
    """Arguments for the placeholders of a graph."""
    inputs = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    names = list(names) or [node.name for node in inputs]
    if len(names) != len(inputs):
        raise Error(f"expected {len(inputs)} names of arguments, found {len(names)}")
    return [add_input(module, node, name) for name, node in zip(names, inputs)]


def import_graph(graph_module: torch.fx.GraphModule, arguments: Sequence[str] = (), results: Sequence[str] = (), *,
                 seed: int | None = None, key: str | None = None) -> Program:
    """Imports a graph of ATen overloads with FX metadata, as aot_export_module and make_fx give it.

    arguments, results: names, in order (default: those of the placeholders, and "result 0", ...)
    seed: of random numbers, the same in every run
    key: a name for an argument of 2 x i64, the seed and a counter, that random numbers depend on instead

    Raises dmc.Error; the message of what is not supported holds `unsupported`, the overload and the module's path.
    """
    module = ProgramModule("main")
    importer = Importer(module)
    inputs = add_inputs(module, graph_module, arguments)
    if key is not None:
        module.random = Random(module, module.argument(key, (2,), "i64"))
    elif seed is not None:
        module.random = Random(module, module.constant([seed, 0], dtype="i64"))
    found = importer.run(graph_module, inputs)
    titles = list(results) or [f"result {i}" for i in range(len(found))]
    if len(titles) != len(found):
        raise Error(f"expected {len(found)} names of results, found {len(titles)}")
    for title, item in zip(titles, found):
        module.expect(isinstance(item, Value), f"unsupported result {item!r}: expected a tensor")
        module.result(title, item)
    return Program(module.text(), tuple(name for name, _ in module.arguments),
                   tuple(name for name, _ in module.results), importer.initial_values)

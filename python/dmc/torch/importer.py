# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an FX graph of ATen overloads to StableHLO."""
from __future__ import annotations

import dataclasses
import operator
import re
import typing
from collections.abc import Sequence

import torch

from ..errors import Error
from ..stablehlo import Module
from . import elementwise, products, reductions, shapes
from .result import DTYPES, Result

_TABLE: dict[str, typing.Any] = elementwise.TABLE | products.TABLE | reductions.TABLE | shapes.TABLE


@dataclasses.dataclass(frozen=True)
class Program:
    """An imported graph, which dmc.compile takes."""

    text: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]

    def as_text(self, debug_info: bool = True) -> str:
        return self.text


def _place(node: torch.fx.Node) -> tuple[str | None, int, str]:
    """The innermost source line of a node, and the path of its module."""
    lines = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    file, line = lines[-1] if lines else (None, 0)
    return file, int(line), stack[-1][0] if stack else node.name


def _describe(module: Module, node: torch.fx.Node, value: typing.Any) -> Result:
    if not isinstance(value, torch.Tensor):
        raise module.error(f"unsupported result of {node.target}: expected a tensor, found {type(value).__name__}")
    if not all(type(size) is int for size in value.shape):
        raise module.error(f"unsupported dynamic shape {tuple(value.shape)} of {node.target}")
    if value.dtype not in DTYPES:
        raise module.error(f"unsupported element type {value.dtype} of {node.target}")
    given = [x.meta["val"] if isinstance(x, torch.fx.Node) else x for x in node.args]
    given = [torch.empty(x.shape, dtype=x.dtype, device="meta") if isinstance(x, torch.Tensor) else x for x in given]
    scalars = [x for x in given if isinstance(x, (torch.Tensor, bool, int, float))]
    common = torch.result_type(*scalars) if len(given) == len(scalars) == 2 else value.dtype
    return Result(tuple(value.shape), DTYPES[value.dtype], DTYPES.get(common, ""))


def _call(module: Module, node: torch.fx.Node, values: dict[torch.fx.Node, typing.Any]) -> typing.Any:
    if node.target is operator.getitem:
        return values[node.args[0]][node.args[1]]
    target = str(node.target)
    if target not in _TABLE:
        raise module.error(f"unsupported operator {target}")
    meta = node.meta.get("val")
    is_many = isinstance(meta, (tuple, list))
    many = [_describe(module, node, value) for value in (meta if is_many else [meta])]
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda x: values[x])
    try:
        result = _TABLE[target](module, many if is_many else many[0], *args, **kwargs)
    except TypeError as problem:
        raise module.error(f"unsupported arguments of {target}: {problem}") from None
    for found, out in zip(result if is_many else [result], many, strict=True):
        if (found.shape, found.dtype) != (out.shape, out.dtype):
            raise module.error(f"{target}: expected a result of {out.shape} and {out.dtype}, found {found}")
    return result


def import_graph(graph_module: torch.fx.GraphModule, arguments: Sequence[str] = (),
                 results: Sequence[str] = ()) -> Program:
    """Imports a graph of ATen overloads with FX metadata, as aot_export_module and make_fx give it.

    arguments, results: names, in order (default: those of the placeholders, and "result 0", ...)

    Raises dmc.Error; the message of what is not supported holds `unsupported`, the overload and the module's path.
    """
    module = Module("main")
    values: dict[torch.fx.Node, typing.Any] = {}
    nodes = list(graph_module.graph.nodes)
    inputs = [node for node in nodes if node.op == "placeholder"]
    names = list(arguments) or [node.name for node in inputs]
    if len(names) != len(inputs):
        raise Error(f"expected {len(inputs)} names of arguments, found {len(names)}")
    for node in nodes:
        with module.location(*_place(node)):
            if node.op == "placeholder":
                out = _describe(module, node, node.meta.get("val"))
                values[node] = module.argument(names[len(values)], out.shape, out.dtype)
            elif node.op == "call_function":
                values[node] = _call(module, node, values)
            elif node.op == "output":
                found = node.args[0] if isinstance(node.args[0], (tuple, list)) else [node.args[0]]
                titles = list(results) or [f"result {i}" for i in range(len(found))]
                if len(titles) != len(found):
                    raise Error(f"expected {len(found)} names of results, found {len(titles)}")
                for title, item in zip(titles, found):
                    module.expect(isinstance(item, torch.fx.Node), f"unsupported result {item!r}: expected a tensor")
                    module.result(title, values[item])
            else:
                raise module.error(f"unsupported node {node.op} {node.target}")
    return Program(module.text(), tuple(names), tuple(name for name, _ in module.results))

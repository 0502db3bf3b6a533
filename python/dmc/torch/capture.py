# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module and its loss as a graph of loss, gradients and buffers."""
from __future__ import annotations

import contextlib
import dataclasses
import inspect
import typing
from collections.abc import Callable, Sequence

import torch

from ..errors import Error, Location
from . import draws
from .result import DTYPES
from .trace import Places, trace

PRECISIONS = {"bf16": torch.bfloat16, "f16": torch.float16}


@dataclasses.dataclass(frozen=True)
class Gradients:
    """The graph of (parameters, buffers, scale, inputs) to (loss, gradients, new buffers)."""

    graph: torch.fx.GraphModule
    trained: tuple[str, ...]  # parameters that have a gradient
    changed: tuple[str, ...]  # buffers that the forward pass replaces
    is_random: bool


def place_of_function(function: object) -> Location | None:
    """Where a function, or a module's forward, is defined."""
    target = type(function).forward if isinstance(function, torch.nn.Module) else function
    code = getattr(target, "__code__", None)
    return Location(code.co_filename, code.co_firstlineno) if code else None


def _parameters(function: object) -> tuple[list[str], bool]:
    """Names of positional parameters without defaults, and whether there are more."""
    target = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        found = list(inspect.signature(typing.cast(Callable[..., typing.Any], target)).parameters.values())
    except (TypeError, ValueError):
        return [], True
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [item.name for item in found if item.kind in positional and item.default is inspect.Parameter.empty]
    more = any(item.kind == inspect.Parameter.VAR_POSITIONAL or
               (item.kind in positional and item.default is not inspect.Parameter.empty) for item in found)
    return names, more


def split_batch(model: torch.nn.Module, loss: object, count: int, inputs: int | None) -> int:
    """How many of the tensors of a batch are inputs of the model; the others are targets of the loss."""
    if inputs is not None:
        if not 0 <= inputs <= count:
            raise Error(f"expected a batch of at least {inputs} inputs, found {count} tensors")
        return inputs
    names, more = _parameters(model)
    targets, more_targets = _parameters(loss)
    if not more:
        if count < len(names):
            raise Error(f"expected a batch of {len(names)} inputs ({', '.join(names)}) and the targets, found {count} "
                        "tensors", place_of_function(model))
        return len(names)
    if not more_targets and 0 <= count - len(targets) + 1 <= count:
        return count - len(targets) + 1
    raise Error("cannot tell how many tensors of the batch are inputs of the model; expected inputs=",
                place_of_function(model))


def batch_names(model: torch.nn.Module, loss: object, inputs: int, count: int, taken: Sequence[str]) -> list[str]:
    """Names of inputs and targets as the functions call them."""
    first, second = _parameters(model)[0], _parameters(loss)[0][1:]
    names = [first[i] if i < len(first) else f"input{i}" for i in range(inputs)]
    names += [second[i] if i < len(second) else f"target{i}" for i in range(count - inputs)]
    result: list[str] = []
    for name in names:
        while name in taken or name in result:
            name += "_"
        result.append(name)
    return result


def check_batch(tensors: Sequence[typing.Any]) -> None:
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor):
            raise Error(f"expected tensor {i} of the batch, found {type(tensor).__name__}")
        if tensor.dtype not in DTYPES:
            raise Error(f"unsupported element type {tensor.dtype} of tensor {i} of the batch")
        if tensor.layout != torch.strided:
            raise Error(f"unsupported layout {tensor.layout} of tensor {i} of the batch, expected a dense tensor")


def _draws(graph: torch.fx.GraphModule) -> bool:
    return any(str(node.target) in draws.TABLE and "backward" not in str(node.target) for node in graph.graph.nodes)


def is_random(graph: torch.fx.GraphModule) -> bool:
    """Whether a graph draws random numbers."""
    return _draws(graph)


def capture(model: torch.nn.Module, loss: typing.Any, batch: Sequence[torch.Tensor], inputs: int,
            precision: str | None) -> Gradients:
    """Traces the module and the loss on a batch, without running them on data."""
    parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    extra = dict(loss.named_buffers(prefix="loss")) if isinstance(loss, torch.nn.Module) else {}
    wanted = [name for name, parameter in parameters.items() if parameter.requires_grad]
    found: dict[str, typing.Any] = {}
    modules = {"": model} | ({"loss": loss} if isinstance(loss, torch.nn.Module) else {})

    def step(*args: torch.Tensor) -> list[torch.Tensor]:
        given = iter(args)
        weights = {name: next(given).detach() for name in parameters}
        for name in wanted:
            weights[name].requires_grad_()
        state = {name: next(given).clone() for name in buffers}
        own = {name[5:]: next(given) for name in extra}
        scale, tensors = next(given), list(given)
        cast = (torch.autocast("cpu", dtype=PRECISIONS[precision], cache_enabled=False)
                if precision else contextlib.nullcontext())
        with Places(modules), cast, torch.enable_grad():
            outputs = torch.func.functional_call(model, {**weights, **state}, tuple(tensors[:inputs]))
            if isinstance(loss, torch.nn.Module):
                value = torch.func.functional_call(loss, own, (outputs, *tensors[inputs:]))
            else:
                value = loss(outputs, *tensors[inputs:])
        if not isinstance(value, torch.Tensor) or value.shape != () or not value.dtype.is_floating_point:
            shown = f"a tensor of shape {tuple(value.shape)} and {value.dtype}" if isinstance(
                value, torch.Tensor) else type(value).__name__
            raise Error(f"expected the loss to be a scalar of floats, found {shown}", place_of_function(loss))
        if not value.requires_grad:
            raise Error("expected a loss that depends on parameters that require gradients", place_of_function(loss))
        gradients = torch.autograd.grad(value * scale.to(value.dtype), [weights[name] for name in wanted],
                                        allow_unused=True)
        found["trained"] = [name for name, gradient in zip(wanted, gradients) if gradient is not None]
        return [value.detach(), *(gradient for gradient in gradients if gradient is not None), *state.values()]

    # A scale of f32 that nothing else depends on is removed where it is 1.
    examples = [*parameters.values(), *buffers.values(), *extra.values(), torch.ones(()), *batch]
    graph = trace(step, examples)
    nodes = list(graph.graph.nodes)
    placeholders = [node for node in nodes if node.op == "placeholder"]
    results = nodes[-1].args[0][1 + len(found["trained"]):]
    changed = [name for name, result, node in zip(buffers, results, placeholders[len(parameters):])
               if not _is_same(result, node)]
    return Gradients(graph, tuple(found["trained"]), tuple(changed), _draws(graph))


def _is_same(result: torch.fx.Node, source: torch.fx.Node) -> bool:
    """Whether a result is a copy of an argument."""
    while result.op == "call_function" and str(result.target) in ("aten.clone.default", "aten.alias.default",
                                                                  "aten.detach.default"):
        result = result.args[0]
    return result is source

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function on tensors without data and records the ATen operators, each with the user's line and module."""
from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import traceback
import types
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
import torch.fx.traceback as node_meta
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from ..errors import Error, Location
from .decompositions import decompositions

_TORCH = os.path.dirname(torch.__file__) + os.sep
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _is_own(file: str) -> bool:
    return not file.startswith((_TORCH, _HERE, "<")) and os.sep + "contextlib.py" not in file


class Places(TorchFunctionMode):
    """While it is active, recorded operators get the user's line that called them and the module's path; those that
    autograd runs later get the place of the operator that they derive."""

    def __init__(self, modules: Mapping[str, torch.nn.Module]):
        """modules: by the prefix of the paths of their submodules."""
        super().__init__()
        self._modules = modules
        self._paths: list[str] = []
        self._places: dict[typing.Any, tuple[str, str]] = {}  # of nodes of autograd
        self._hooks: list[typing.Any] = []

    def _set(self, line: str, path: str) -> None:
        meta = node_meta.get_current_meta()
        meta["stack_trace"] = line
        meta["nn_module_stack"] = {path: (path, "")} if path else {}

    def _claim(self, result: typing.Any, line: str, path: str) -> None:
        """The nodes of autograd that a call has added."""
        pending = [x.grad_fn for x in tree_leaves(result) if isinstance(x, torch.Tensor) and x.grad_fn is not None]
        while pending:
            node = pending.pop()
            if node is None or node in self._places:
                continue
            self._places[node] = line, path
            node.register_prehook(lambda _: self._set(line, path))
            pending += [entry[0] for entry in node.next_functions]

    def __torch_function__(self, function: typing.Any, kinds: typing.Any, args: typing.Any = (),
                           kwargs: typing.Any = None) -> typing.Any:
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and not _is_own(frame.f_code.co_filename):
            frame = frame.f_back
        line = f'File "{frame.f_code.co_filename}", line {frame.f_lineno}' if frame else ""
        path = self._paths[-1] if self._paths else ""
        self._set(line, path)
        try:
            result = function(*args, **(kwargs or {}))
        except Exception as problem:
            problem.__dict__.setdefault("_dmc_module", path)
            raise
        self._claim(result, line, path)
        return result

    def _leave(self, *_: typing.Any) -> None:
        self._paths.pop()

    def __enter__(self) -> "Places":
        for prefix, root in self._modules.items():
            for name, module in root.named_modules():
                path = ".".join(part for part in (prefix, name) if part)
                enter = lambda _, __, path=path: self._paths.append(path)
                self._hooks += [module.register_forward_pre_hook(enter),
                                module.register_forward_hook(self._leave, always_call=True)]
        return super().__enter__()

    def __exit__(self, *details: typing.Any) -> None:
        super().__exit__(*details)
        for hook in self._hooks:
            hook.remove()


class _Lengths(TorchFunctionMode):
    """Gives the CTC loss its lengths as tensors: of lists of numbers torch makes tensors that need data."""

    def __torch_function__(self, function: typing.Any, kinds: typing.Any, args: typing.Any = (),
                           kwargs: typing.Any = None) -> typing.Any:
        kwargs = kwargs or {}
        if function in (torch.ctc_loss, torch.nn.functional.ctc_loss):
            convert = lambda x: torch.tensor(x) if isinstance(x, (list, tuple)) else x
            args, kwargs = list(map(convert, args)), {name: convert(x) for name, x in kwargs.items()}
        return function(*args, **kwargs)


def _message(problem: BaseException) -> str:
    return re.sub(r"\s+", " ", str(problem).strip().split("\n\n")[0]) or type(problem).__name__


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """What goes wrong in the user's code, as an Error at the user's line."""
    log = logging.getLogger("torch._subclasses.fake_tensor")  # which tells the same, over many lines
    before, log.disabled = log.disabled, True
    try:
        yield
    except Error:
        raise
    except Exception as problem:  # noqa: BLE001: whatever the user's code raises
        frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if _is_own(frame.filename)]
        place = Location(frames[-1].filename, frames[-1].lineno or 0) if frames else None
        kind, path = type(problem).__name__, getattr(problem, "_dmc_module", "")
        head = f"{path}: " if path else ""
        if isinstance(problem, (DataDependentOutputException, DynamicOutputShapeException)) or "DataDependent" in kind:
            operator = getattr(problem, "func", None)
            what = f" of {operator}" if operator is not None else ""
            raise Error(f"{head}unsupported: a value or shape{what} that depends on data", place) from problem
        raise Error(f"{head}the model cannot be traced: {kind}: {_message(problem)}", place) from problem
    finally:
        log.disabled = before


@contextlib.contextmanager
def plain_operators() -> Iterator[None]:
    """Attention as matrix products, and recurrent layers step by step: fused operators have gradients of their own."""
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # flags() warns of settings for other devices
        with torch.backends.mkldnn.flags(enabled=False):
            yield


def _is_mutating(graph_module: torch.fx.GraphModule) -> bool:
    return any(isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
               for node in graph_module.graph.nodes)


def trace(function: Callable[..., Sequence[typing.Any]], examples: Sequence[torch.Tensor]) -> torch.fx.GraphModule:
    """The graph of a function of tensors that returns tensors, without changes in place."""
    table = decompositions()

    def record(body: typing.Any) -> torch.fx.GraphModule:
        return make_fx(body, decomposition_table=table, tracing_mode="fake", _allow_non_fake_inputs=True)(*examples)

    # Within a compilation of torch.compile, whose sizes may be open, those of the examples hold.
    with explained(), node_meta.preserve_node_meta(), plain_operators(), _Lengths(), torch._guards.tracing(None):
        graph_module = record(function)
        if _is_mutating(graph_module):
            first = graph_module  # which has the gradients already
            with torch.no_grad():
                graph_module = record(torch.func.functionalize(lambda *args: torch.fx.Interpreter(first).run(*args)))
    graph_module.graph.eliminate_dead_code()
    return graph_module

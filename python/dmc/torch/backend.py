# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend "dmc" of torch.compile: forward and backward graphs as programs that run on the tensors' own memory."""
from __future__ import annotations

import collections
import hashlib
import math
import threading
import typing
from collections.abc import Callable, Mapping, Sequence

import torch
from torch.utils._python_dispatch import _disable_current_modes

from .._bindings import table_of
from ..errors import Error
from ..mesh import Mesh
from ..plan import compile
from ..runtime import Session
from ..runtime import Value as RuntimeValue
from ..stablehlo import COMPLEX, Value
from .capture import is_random
from .decompositions import decompositions
from .importer import Importer, add_input
from .random import Random
from .result import TORCH_DTYPES, ProgramModule
from .tensors import plain
from .trace import plain_operators

_ALIGNMENT = 64
_KEPT = 64  # programs
_OPTIONS = ("mesh", "batch", "strategy", "tactics", "machine", "options")


class _Programs:
    """Sessions of the programs that were compiled, by text and options: the last used ones."""

    def __init__(self) -> None:
        self._sessions: collections.OrderedDict[typing.Any, tuple[Session, threading.Lock]] = collections.OrderedDict()
        self._lock = threading.Lock()
        self.compilations = 0

    def get(self, program: typing.Any, options: Mapping[str, typing.Any]) -> tuple[Session, threading.Lock]:
        # Large constants are not in the text.
        held = [(name, hashlib.sha256(array.tobytes()).digest()) for name, array in program.initial_values.items()]
        key = program.text, repr(sorted(options.items(), key=lambda item: item[0])), tuple(held)
        with self._lock:
            if key not in self._sessions:
                self._sessions[key] = compile(program, progress=False, **options).load(), threading.Lock()
                self.compilations += 1
            self._sessions.move_to_end(key)
            while len(self._sessions) > _KEPT:
                self._sessions.popitem(last=False)  # who uses it still has it
            return self._sessions[key]


PROGRAMS = _Programs()


class _Text(typing.NamedTuple):
    text: str
    initial_values: dict[str, typing.Any]

    def as_text(self, debug_info: bool = True) -> str:
        return self.text


class _Slot(typing.NamedTuple):
    """An argument or a result as torch has it in memory."""

    shape: torch.Size
    dtype: torch.dtype
    size: int  # in bytes

    @staticmethod
    def of(value: RuntimeValue) -> "_Slot":
        return _Slot(torch.Size(value.shape), TORCH_DTYPES[value.type], math.prod(value.shape) * value.dtype.itemsize)


class _Compiled:
    """A graph as a function of tensors. What it changes of its arguments is changed in their memory."""

    def __init__(self, graph_module: torch.fx.GraphModule, rows: int | None, options: Mapping[str, typing.Any],
                 visible: int | None = None):
        """rows: the size of the batch, if it is to be split; visible: how many results others than the backward graph see
        (default: all)"""
        options = dict(options)
        mesh, batch = options.get("mesh"), options.pop("batch", None)
        module = ProgramModule("main", mesh if batch is not None else None)
        importer = Importer(module)
        axes = (batch,) if isinstance(batch, str) else tuple(batch or ())
        nodes = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
        values = []
        for node in nodes:
            meta = node.meta.get("val")
            is_batch = isinstance(meta, torch.Tensor) and meta.ndim and meta.shape[0] == rows
            values.append(add_input(module, node, node.name, axes if is_batch else ()))
        self._random = is_random(graph_module)
        #: For each argument of the program its place among those of the call.
        self._places = [i for i, value in enumerate(values) if isinstance(value, Value)]
        if self._random:
            module.random = Random(module, module.argument("rng", (2,), "i64"))
        updates: dict[torch.fx.Node, Value] = {}
        found = importer.run(graph_module, values, updates)
        #: For each result of the call a number of a result of the program, or what it is itself.
        self._results: list[tuple[bool, typing.Any]] = []
        for item in found:
            if isinstance(item, Value):
                self._results.append((True, len(module.results)))
                module.result(f"result {len(module.results)}", item)
            else:
                self._results.append((False, item))
        self._complex = [i for i, (_, item) in enumerate(module.results) if item.dtype in COMPLEX]
        count = len(module.results)
        #: Arguments that the program replaces, each with the result that does: those that are donated.
        self._updates: dict[int, int] = {}
        for node, item in updates.items():
            place = nodes.index(node)
            self._updates[self._places.index(place)] = len(module.results)
            name = f"new {node.name}"
            module.result(name, item)
            module.donate(values[place], name)
        outputs = [node for node in graph_module.graph.nodes if node.op == "output"][0].args[0]
        #: Results whose order of dimensions is not that of the program, with their strides.
        self._strides = [(item, tuple(node.meta["val"].stride()))
                         for node, (is_tensor, item) in zip(outputs[:visible], self._results)
                         if is_tensor and not node.meta["val"].is_contiguous()]
        self._session: Session | None = None
        if module.results:
            self._session, self._lock = PROGRAMS.get(_Text(module.text(), importer.initial_values), options)
            self._inputs = [_Slot.of(value) for value in self._session.arguments[:len(self._places)]]
            self._outputs = [_Slot.of(value) for value in self._session.results[:count]]
            #: Results before a step: shape, strides and type.
            self._made = [(slot.shape, torch.empty(slot.shape, device="meta").stride(), slot.dtype)
                          for slot in self._outputs]
            self._table = table_of((0, index, is_result, 0, slot.size) for is_result, slots in
                                   ((False, self._inputs), (True, self._outputs)) for index, slot in enumerate(slots))
            #: Whether memory of the call can be bound, where it is aligned.
            self._can_bind = (self._table["bytes"] > 0) & (self._session.ranks == 1)

    def _copy(self, index: int, tensor: torch.Tensor) -> torch.Tensor:
        """An argument whose memory is not what the program has, row-major."""
        slot = self._inputs[index]
        tensor = plain(tensor)
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor)
        if tensor.shape != slot.shape or tensor.dtype != slot.dtype:
            raise Error(f"argument {index}: expected shape {tuple(slot.shape)} and {slot.dtype}, found "
                        f"{tuple(tensor.shape)} and {tensor.dtype}")
        return tensor

    def _take_back(self, session: Session, index: int, given: torch.Tensor, is_bound: bool, target: torch.Tensor) -> None:
        """Gives an argument of the call what the program has replaced it by, unless it is there."""
        if not self._inputs[index].size:
            return
        if not is_bound:
            given = torch.empty(self._inputs[index].shape, dtype=self._inputs[index].dtype)
            session.get_memory(self._updates[index], given.data_ptr(), self._inputs[index].size)
        if given.data_ptr() != target.data_ptr():
            target.detach().copy_(torch.view_as_complex(given) if target.is_complex() else given)

    def _run(self, session: Session, args: Sequence[typing.Any]) -> list[torch.Tensor]:
        """One step. What a call costs beside it is these loops, about a microsecond for each tensor."""
        given = [args[place] for place in self._places]
        for index, (tensor, (shape, dtype, _)) in enumerate(zip(given, self._inputs)):
            if tensor.dtype is not dtype or tensor.shape != shape or not tensor.is_contiguous() or tensor.is_neg():
                given[index] = self._copy(index, tensor)
        results = [torch.empty_strided(shape, strides, dtype=dtype) for shape, strides, dtype in self._made]
        table = self._table
        table["data"] = [tensor.data_ptr() for tensor in given] + [tensor.data_ptr() for tensor in results]
        is_bound = self._can_bind & (table["data"] % _ALIGNMENT == 0)
        copied: set[int] = set()  # arguments
        if not is_bound.all():
            copied = set((~is_bound[:len(given)]).nonzero()[0].tolist())
            for index in copied:
                session.set_memory(index, given[index].data_ptr(), self._inputs[index].size)
            table = table[is_bound]
        if self._random:
            # Of torch's own generator, so that torch.manual_seed decides.
            key = torch.randint(1 << 62, (2,), dtype=torch.int64)
            session.set_memory(len(self._places), key.data_ptr(), 16)
        session.bind_table(table)
        session.step()
        for index in (~is_bound[len(given):]).nonzero()[0].tolist():
            if self._outputs[index].size:
                session.get_memory(index, results[index].data_ptr(), self._outputs[index].size)
        for index in self._updates:
            target = args[self._places[index]]
            if given[index] is not target or index in copied:
                self._take_back(session, index, given[index], index not in copied, target)
        return results

    def __call__(self, *args: typing.Any) -> list[typing.Any]:
        session = self._session
        if session is None:
            return [item for _, item in self._results]
        with self._lock:
            results = self._run(session, args)
        for index in self._complex:
            results[index] = torch.view_as_complex(results[index])
        for index, strides in self._strides:
            results[index] = _with_strides(results[index], strides)
        return [results[item] if is_tensor else item for is_tensor, item in self._results]


def _with_strides(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """In the order of dimensions that the graph promised."""
    if tensor.stride() == strides or tensor.numel() < 2:
        return tensor
    order = sorted(range(tensor.ndim), key=lambda dim: -strides[dim])
    if sorted(order, key=lambda dim: (-strides[dim], dim)) != order or 0 in strides:
        return tensor
    wanted = torch.empty_permuted(tensor.shape, order, dtype=tensor.dtype)
    return wanted.copy_(tensor) if wanted.stride() == strides else tensor


def _check_device(inputs: Sequence[typing.Any]) -> None:
    for item in inputs:
        if isinstance(item, torch.Tensor) and item.device.type != "cpu":
            raise Error(f"unsupported tensor on {item.device}, expected tensors on the processor")


def _compile_graph(graph_module: torch.fx.GraphModule, inputs: Sequence[typing.Any],
                   options: Mapping[str, typing.Any]) -> typing.Any:
    # Imported here: they take longer than all of torch.
    from torch._functorch.aot_autograd import aot_module_simplified, make_boxed_func
    from torch._functorch.partitioners import default_partition
    _check_device(inputs)
    # Layouts decide how fast it is, not what comes out: a parameter that has as many rows may be split as well.
    batches = [x for x in inputs if isinstance(x, torch.Tensor) and not isinstance(x, torch.nn.Parameter) and x.ndim]
    rows = int(batches[0].shape[0]) if batches else None

    def compiler(module: torch.fx.GraphModule, _: Sequence[typing.Any], visible: int | None = None) -> typing.Any:
        # The tensors that a graph holds are read: no longer is anything traced.
        with _disable_current_modes():
            return make_boxed_func(_Compiled(module, rows, options, visible))

    def forward(module: torch.fx.GraphModule, given: Sequence[typing.Any]) -> typing.Any:
        """Of a graph that is trained: behind its results is what it saves for the gradient, in the program's order."""
        context = torch._guards.TracingContext.try_get()
        return compiler(module, given, getattr(getattr(context, "fw_metadata", None), "num_forward", None))

    with plain_operators():
        return aot_module_simplified(graph_module, inputs, fw_compiler=forward, bw_compiler=compiler,
                                     inference_compiler=compiler, partition_fn=default_partition,
                                     decompositions=decompositions(), keep_inference_input_mutations=True)


def _is_dynamic(item: typing.Any) -> bool:
    if isinstance(item, torch.Tensor):
        return not all(type(size) is int for size in item.shape)
    return isinstance(item, (torch.SymInt, torch.SymFloat, torch.SymBool))


class _PerShape:
    """A graph of open sizes: compiled for each choice of sizes that it is called with."""

    def __init__(self, graph_module: torch.fx.GraphModule, options: Mapping[str, typing.Any]):
        self._graph_module, self._options = graph_module, options
        self._compiled: dict[typing.Any, Callable[..., typing.Any]] = {}

    def __call__(self, *args: typing.Any) -> typing.Any:
        key = tuple((tuple(x.shape), x.dtype, x.requires_grad) if isinstance(x, torch.Tensor) else x for x in args)
        key += (torch.is_grad_enabled(),)
        if key not in self._compiled:
            self._compiled[key] = _compile_graph(_with_numbers(self._graph_module, args), args, self._options)
        return self._compiled[key](*args)


def _with_numbers(graph_module: torch.fx.GraphModule, args: Sequence[typing.Any]) -> torch.fx.GraphModule:
    """The graph with its inputs that are numbers as constants; the inputs stay, unused."""
    graph = torch.fx.Graph()
    names: dict[torch.fx.Node, typing.Any] = {}
    given = iter(args)
    for node in graph_module.graph.nodes:
        value = next(given) if node.op == "placeholder" else None
        copy = graph.node_copy(node, lambda x: names[x])
        copy.meta = {key: item for key, item in node.meta.items() if key in ("stack_trace", "nn_module_stack")}
        names[node] = value if isinstance(value, (int, float, bool)) else copy
    return torch.fx.GraphModule(graph_module, graph)


def dmc(graph_module: torch.fx.GraphModule, inputs: Sequence[typing.Any], *,
        options: Mapping[str, typing.Any] | None = None, mode: str | None = None) -> typing.Any:
    """torch.compile(model, backend="dmc", options={"mesh": {"data": 2}, "batch": "data"})

    options: of dmc.compile, and batch: mesh axes that split the first dimension of the first input that is not a
        parameter, and of all that have as many rows
    """
    given = dict(options or {})
    unknown = sorted(set(given) - set(_OPTIONS))
    if unknown:
        raise Error(f"unknown option {unknown[0]!r} of the backend 'dmc', expected one of {', '.join(_OPTIONS)}")
    if mode is not None:
        raise Error(f"unsupported mode {mode!r} of the backend 'dmc'")
    if "mesh" in given:
        given["mesh"] = Mesh(given["mesh"])
    if given.get("batch") is not None and "mesh" not in given:
        raise Error("the option 'batch' needs 'mesh'")
    if any(map(_is_dynamic, inputs)):
        compiled: typing.Any = _PerShape(graph_module, given)
    else:
        compiled = _compile_graph(graph_module, inputs, given)
    return torch._dynamo.disable(compiled, reason="runs a compiled program")


def register() -> None:
    """Makes the name "dmc" known to torch.compile. Where the package is installed, its entry point does."""
    from importlib.metadata import entry_points
    if any(entry.name == "dmc" for entry in entry_points(group="torch_dynamo_backends")):
        return
    from torch._dynamo.backends.registry import _COMPILER_FNS, register_backend
    if "dmc" not in _COMPILER_FNS:
        register_backend(dmc, name="dmc")

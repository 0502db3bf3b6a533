# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""train_step: forward, backward and the optimizer's update as one program, whose state stays on the ranks."""
from __future__ import annotations

import inspect
import os
import threading
import typing
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy
import torch

from .._threads import alone
from ..errors import Error
from ..mesh import Mesh, P
from ..optimizers import Optimizer
from ..plan import Plan, compile, name_list
from ..runtime import Session
from . import states
from .capture import PRECISIONS, batch_names, capture, check_batch, split_batch
from .layouts import batch_layouts, parameter_layouts
from .program import LOSS, Settings, StepProgram, build
from .result import DTYPES, TORCH_DTYPES
from .tensors import to_array, to_tensor
from .updates import from_torch

_WITH_BATCH = ("data_parallel", "zero1", "zero2", "zero3", "fsdp", "expert_parallel", "sequence_parallel")


def _strategies(strategy: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Strategies that split the batch, told which arguments it is: buffers and frozen parameters are not."""
    result = []
    for entry in name_list(strategy, "the name of a strategy"):
        name, colon, rest = entry.partition(":")
        if name in _WITH_BATCH and "batch=" not in rest:
            entry = f"{name}:{rest + ',' if rest else ''}batch={','.join(names)}"
        result.append(entry)
    return result


class TrainStep:
    """A training step: what train_step and value_and_grad return."""

    def __init__(self, model: torch.nn.Module, loss: typing.Any, settings: Settings, batch: typing.Any,
                 strategy: str | Sequence[str] | None, inputs: int | None, precision: str | None,
                 options: Mapping[str, typing.Any]):
        known = set(inspect.signature(compile).parameters) - {"program", "mesh", "layouts", "case", "strategy"}
        unknown = sorted(set(options) - known)
        if unknown:
            raise Error(f"unknown argument {unknown[0]!r}, expected those of this function or {', '.join(sorted(known))} "
                        "of dmc.compile")
        if inputs is not None and not isinstance(inputs, int):
            raise Error(f"expected inputs as a number of tensors, found {inputs!r}")
        self._busy = threading.RLock()
        self._model, self._loss, self._settings = model, loss, settings
        self._batch, self._strategy, self._inputs = batch, strategy, inputs
        self._precision, self._options = precision, dict(options)
        self._plan: Plan | None = None
        self._program: StepProgram | None = None
        self._session: Session | None = None
        self._dtypes: list[torch.dtype] = []
        self._pending: dict[str, numpy.ndarray] | None = None  # a state that was loaded before the compilation
        self._given: dict[str, torch.Tensor] = {}  # what load_state_dict was given before it
        self._failure: Error | None = None

    # Compilation.

    def program(self, *batch: torch.Tensor) -> StepProgram:
        """The step on batches of these types and shapes, as StableHLO with shardings."""
        check_batch(batch)
        settings, count = self._settings, self._settings.accumulate
        inputs = split_batch(self._model, self._loss, len(batch), self._inputs)
        taken = [name for name, _ in (*self._model.named_parameters(), *self._model.named_buffers())]
        names = batch_names(self._model, self._loss, inputs, len(batch), taken)
        layouts = batch_layouts(self._batch, settings.mesh or Mesh(), [
            (name, tuple(tensor.shape)) for name, tensor in zip(names, batch)])
        examples = list(batch)
        if count > 1:
            for name, tensor in zip(names, batch):
                if not tensor.ndim or tensor.shape[0] % count:
                    raise Error(f"accumulate={count} needs a batch whose first dimension is a multiple of it, found "
                                f"{name!r} of shape {tuple(tensor.shape)}")
            examples = [tensor[:tensor.shape[0] // count] for tensor in batch]
        gradients = capture(self._model, self._loss, examples, inputs, self._precision)
        return build(settings, gradients, self._model, self._loss, batch, names, layouts)

    @alone
    def compile(self, *batch: torch.Tensor) -> Plan:
        """Compiles the step for batches of these types and shapes; the state begins as the model's is, or goes on. Raises
        dmc.Error with the line of the module where something is not supported."""
        program = self.program(*batch)
        plan = compile(program, mesh=self._settings.mesh, strategy=_strategies(self._strategy, program.batch),
                       **self._options)
        # The step's state, if it has made steps, goes on with the new program.
        kept = self._read_state() if self._session is not None and self._failure is None else None
        self._load(program, plan, kept)
        self._dtypes = [tensor.dtype for tensor in batch]
        return plan

    def _load(self, program: StepProgram, plan: Plan, kept: Mapping[str, numpy.ndarray] | None) -> None:
        session = plan.load()
        self._program, self._plan = program, plan
        if self._session is not None:
            self._session.close()
        self._session, self._failure = session, None
        if self._given:
            given, self._given = self._given, {}
            self.load_state_dict(given)
        if kept:
            session.set_initial({name: array for name, array in kept.items() if name in program.initial_values})
        if self._pending is not None:
            pending, self._pending = self._pending, None
            self._set_state(pending)

    @property
    def plan(self) -> Plan:
        """What compile returned."""
        if self._plan is None:
            raise Error("the step is not compiled; call compile(*batch) or make a step")
        return self._plan

    def _open(self) -> Session:
        if self._failure is not None:
            raise Error(f"a step failed before ({self._failure.message}), which lost the state; load one with "
                        "load_state or load_state_dict, or compile again")
        if self._session is None:
            raise Error("the step is not compiled; call compile(*batch) or make a step")
        return self._session

    # Steps.

    def _make(self, batch: Sequence[typing.Any]) -> Session:
        if self._session is None and self._failure is None:
            self.compile(*batch)
        session = self._open()
        assert self._program is not None
        names = self._program.batch
        if len(batch) != len(names):
            raise Error(f"expected a batch of {len(names)} tensors ({', '.join(names)}), found {len(batch)}")
        for name, dtype, tensor in zip(names, self._dtypes, batch):
            if isinstance(tensor, torch.Tensor):
                if tensor.dtype != dtype:
                    raise Error(f"expected {name!r} of {dtype}, found {tensor.dtype}")
                if tensor.is_meta:
                    raise Error(f"expected {name!r} as a tensor with elements, found one on the device meta")
                tensor = to_array(tensor)
            session.set(name, tensor)
        try:
            session.step()
        except Error as problem:
            if self._settings.optimizer is not None:
                self._failure = problem
            raise
        return session

    def _result(self, session: Session, name: str, dtype: torch.dtype | None = None) -> torch.Tensor:
        assert self._program is not None
        index = self._program.results.index(name)
        return to_tensor(session.result(index), dtype or TORCH_DTYPES[session.results[index].type])

    @alone
    def __call__(self, *batch: torch.Tensor) -> typing.Any:
        """Makes a step on a batch of the types and shapes that were compiled, and returns its loss, a tensor without
        dimensions. After a step that failed the state is lost, and every call says so until one is loaded."""
        return self._result(self._make(batch), LOSS)

    @property
    @alone
    def metrics(self) -> dict[str, float]:
        """Of the last step: `gradient_norm` where it is clipped, `loss_scale` where it is dynamic, `step`."""
        session = self._open()
        assert self._program is not None
        names = [name for name in ("gradient_norm", "loss_scale", "step") if name in self._program.results]
        return {name: float(self._result(session, name)) for name in names}

    # State.

    def _tensors(self) -> dict[str, torch.Tensor]:
        return dict(self._model.named_parameters()) | dict(self._model.named_buffers())

    @alone
    def state_dict(self) -> "OrderedDict[str, torch.Tensor]":
        """The model's parameters and buffers as they are on the ranks, under the names of model.state_dict()."""
        state = OrderedDict((name, tensor.detach().clone()) for name, tensor in self._model.state_dict().items())
        if self._session is None and self._failure is None:
            return OrderedDict((name, self._given.get(name, tensor)) for name, tensor in state.items())
        session = self._open()
        tensors, values = self._tensors(), {}
        for name, tensor in tensors.items():
            values[id(tensor)] = to_tensor(session.get(name), tensor.dtype)
        # Names of one tensor, as tied weights have, get one value.
        shared = {name: id(tensor) for name, tensor in self._model.state_dict(keep_vars=True).items()}
        return OrderedDict((name, values.get(shared[name], tensor)) for name, tensor in state.items())

    @alone
    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Gives the parameters and buffers other values; the optimizer's state stays."""
        if not isinstance(state, Mapping):
            raise Error(f"expected a state as a mapping of names to tensors, found {type(state).__name__}")
        own = self._model.state_dict(keep_vars=True)
        missing, unknown = [name for name in own if name not in state], [name for name in state if name not in own]
        if missing or unknown:
            what = f"lacks {missing[0]!r}" if missing else f"has an unknown {unknown[0]!r}"
            raise Error(f"expected a state of the model's parameters and buffers; it {what}")
        for name, tensor in state.items():
            if tuple(tensor.shape) != tuple(own[name].shape):
                raise Error(f"expected {name!r} of shape {tuple(own[name].shape)}, found {tuple(tensor.shape)}")
        if self._session is None:
            self._given = {name: tensor.detach().to(own[name].dtype).clone() for name, tensor in state.items()}
            return
        with torch.no_grad():
            names = {id(tensor): name for name, tensor in self._tensors().items()}
            for name, tensor in state.items():
                if id(own[name]) in names:
                    self._session.set(names[id(own[name])], to_array(tensor.to(own[name].dtype)))
            if self._failure is not None:
                # What is not the model's starts from its initial values.
                assert self._program is not None
                self._session.set_initial({name: array for name, array in self._program.initial_values.items()
                                           if name not in names.values()})
                self._failure = None

    def _read_state(self) -> dict[str, numpy.ndarray]:
        session = self._open()
        return {value.name: session.get(value.name) for value in session.arguments if value.alias >= 0}

    @alone
    def save_state(self, folder: str | os.PathLike[str]) -> None:
        """Writes parameters, optimizer state and all else that a step leaves for the next, as dmc-run --save-state."""
        session = self._open()
        states.save(folder, session.mesh,
                    ((value, session.get(value.name)) for value in session.arguments if value.alias >= 0))

    @alone
    def load_state(self, folder: str | os.PathLike[str]) -> None:
        """Reads a saved state, of any mesh."""
        loaded = states.load(folder)
        if self._session is None:
            self._pending = {name: array for name, (_, array) in loaded.items()}
            return
        for value in self._session.arguments:
            if value.alias >= 0 and value.name in loaded and loaded[value.name][0] != value.type:
                raise Error(f"expected {value.name!r} of {value.type} in the state, found {loaded[value.name][0]}")
        self._set_state({name: array for name, (_, array) in loaded.items()})
        self._failure = None

    def _set_state(self, arrays: Mapping[str, numpy.ndarray]) -> None:
        assert self._session is not None
        wanted = [value for value in self._session.arguments if value.alias >= 0]
        missing = [value.name for value in wanted if value.name not in arrays]
        unknown = sorted(set(arrays) - {value.name for value in wanted})
        if missing or unknown:
            what = f"lacks {missing[0]!r}" if missing else f"has an unknown {unknown[0]!r}"
            raise Error(f"expected the state of this step; it {what}")
        for value in wanted:
            if arrays[value.name].shape != value.shape:
                raise Error(f"expected {value.name!r} of shape {value.shape} in the state, found "
                            f"{arrays[value.name].shape}")
        for value in wanted:
            self._session.set(value.name, arrays[value.name])

    def close(self) -> None:
        """Ends the ranks."""
        if self._session is not None:
            self._session.close()

    def __repr__(self) -> str:
        return f"<dmc.torch step of {type(self._model).__name__}: {self._plan!r}>"


class ValueAndGrad(TrainStep):
    """What value_and_grad returns."""

    @alone
    def __call__(self, *batch: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The loss, and the gradients by the names of the parameters."""
        session = self._make(batch)
        assert self._program is not None
        dtypes = {name: parameter.dtype for name, parameter in self._model.named_parameters()}
        return self._result(session, LOSS), {name: self._result(session, name, dtypes[name])
                                             for name in self._program.results if name in dtypes}


def _settings(model: torch.nn.Module, loss: typing.Any, optimizer: typing.Any, mesh: Mapping[str, int] | None,
              layouts: Mapping[str, typing.Any] | None, strategy: typing.Any, accumulate: int,
              clip_norm: float | None, precision: str | None, loss_scale: float | str | None, seed: int) -> Settings:
    if not isinstance(model, torch.nn.Module):
        raise Error(f"expected a torch.nn.Module as model, found {type(model).__name__}")
    if not callable(loss):
        raise Error(f"expected a function of the model's outputs and the targets as loss, found {type(loss).__name__}")
    if isinstance(loss, torch.nn.Module) and any(parameter.requires_grad for parameter in loss.parameters()):
        raise Error("unsupported: a loss with parameters that require gradients; make them parameters of the model")
    trained = {id(parameter): name for name, parameter in model.named_parameters() if parameter.requires_grad}
    if not trained:
        raise Error(f"{type(model).__name__} has no parameters that require gradients")
    if isinstance(optimizer, torch.optim.Optimizer):
        optimizer = from_torch(optimizer, trained)
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise Error(f"expected an optimizer, dmc.SGD(lr=0.1) for instance, found {optimizer!r}")
    if not isinstance(accumulate, int) or accumulate < 1:
        raise Error(f"expected accumulate as a positive number of parts, found {accumulate!r}")
    if not isinstance(seed, int):
        raise Error(f"expected seed as a whole number, found {seed!r}")
    if layouts is not None and not isinstance(layouts, Mapping):
        raise Error(f"expected layouts as a mapping of name patterns, found {type(layouts).__name__}")
    if clip_norm is not None and not (isinstance(clip_norm, (int, float)) and clip_norm > 0):
        raise Error(f"expected clip_norm as a positive number, found {clip_norm!r}")
    if precision not in (None, *PRECISIONS):
        raise Error(f"unknown precision {precision!r}, expected one of {', '.join(PRECISIONS)}, or None")
    if loss_scale not in (None, "dynamic") and not (isinstance(loss_scale, (int, float)) and loss_scale > 0):
        raise Error(f"expected loss_scale as a positive number or 'dynamic', found {loss_scale!r}")
    grid = None if mesh is None else Mesh(mesh)
    if layouts and grid is None:
        raise Error("layouts need mesh=")
    known: dict[str, P] = parameter_layouts(model, layouts or {}, grid) if grid is not None else {}
    return Settings(optimizer, accumulate, clip_norm, loss_scale, seed, grid, known, bool(strategy))


def train_step(model: torch.nn.Module, loss: typing.Any, *, optimizer: typing.Any,
               mesh: Mapping[str, int] | None = None, batch: typing.Any = None,
               layouts: Mapping[str, typing.Any] | None = None, strategy: str | Sequence[str] | None = (),
               inputs: int | None = None, accumulate: int = 1, clip_norm: float | None = None,
               precision: str | None = None, loss_scale: float | str | None = None, seed: int = 0,
               **options: typing.Any) -> TrainStep:
    """A step of training: loss(model(*inputs), *targets), its gradients and the optimizer's update, as one program.

        step = dmc.torch.train_step(model, loss, optimizer=dmc.SGD(lr=0.05), mesh=dmc.Mesh(data=2, model=2),
                                    batch="data", layouts={"*.up.weight": ["model", None]})
        plan = step.compile(x, y)   # optional: the first call compiles
        value = step(x, y)          # the state stays on the ranks

    optimizer: dmc.SGD, Adam, AdamW or Lion, or one of torch.optim (SGD, Adam, AdamW) that has not made a step
    mesh: axes and sizes; without it, one rank
    batch: mesh axes that split the first dimension of each tensor of a batch, or a layout for each tensor
    layouts: of parameters, by patterns of their names: an axis or None for each dimension, placements of DTensor
        (one for each axis), or, by patterns of modules' paths, ColwiseParallel() and RowwiseParallel(). What no pattern
        selects is replicated, or left to the strategy
    strategy: named strategies, as of dmc.compile, for what layouts do not say
    inputs: how many tensors of a batch are inputs of the model, where its signature does not tell
    accumulate: computes gradients of this many parts of a batch, one after the other, and updates by their mean
    clip_norm: scales gradients down to this norm, of all of them as one vector
    precision: "bf16" or "f16": autocast of torch; parameters and state keep their types
    loss_scale: a factor of the loss while gradients are computed, or "dynamic"; where a gradient is not finite, the
        update is left out
    seed: of random numbers, as of dropout
    options: others of dmc.compile

    A module in training mode trains: dropout drops, and batch normalisation updates its buffers.
    """
    settings = _settings(model, loss, optimizer, mesh, layouts, strategy, accumulate, clip_norm, precision, loss_scale,
                         seed)
    if settings.optimizer is None:
        raise Error("expected an optimizer, dmc.SGD(lr=0.1) for instance, found None")
    return TrainStep(model, loss, settings, batch, strategy, inputs, precision, options)


def value_and_grad(model: torch.nn.Module, loss: typing.Any, *, mesh: Mapping[str, int] | None = None,
                   batch: typing.Any = None, layouts: Mapping[str, typing.Any] | None = None,
                   strategy: str | Sequence[str] | None = (), inputs: int | None = None, accumulate: int = 1,
                   precision: str | None = None, seed: int = 0, **options: typing.Any) -> ValueAndGrad:
    """The loss and all gradients, as train_step computes them: value, gradients = value_and_grad(model, loss)(x, y).

    The arguments are those of train_step. The gradients are a dict of tensors by the names of the parameters, each of its
    parameter's shape.
    """
    settings = _settings(model, loss, None, mesh, layouts, strategy, accumulate, None, precision, None, seed)
    return ValueAndGrad(model, loss, settings, batch, strategy, inputs, precision, options)

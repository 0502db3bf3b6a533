# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of a training step: gradients, of one batch or of several parts of it, and the update."""
from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence

import numpy
import torch

from ..errors import Error
from ..mesh import Mesh, P
from ..optimizers import Optimizer
from ..stablehlo import Value, numpy_dtype
from .capture import Gradients
from .importer import Importer
from .random import Random
from .result import DTYPES, ProgramModule, accumulator
from .tensors import to_array
from .trace import Places, trace
from .updates import all_finite, global_norm, state_dtype, update

STEP, KEY, SCALE, GOOD = "step", "rng", "loss_scale", "steps_since_overflow"
LOSS, NORM = "loss", "gradient_norm"
_GROWTH, _PATIENCE, _LARGEST = 2.0, 2000, 2.0**24  # of a dynamic loss scale, as torch.amp.GradScaler has them


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a training step does beside its model and loss."""

    optimizer: Optimizer | None  # without one the gradients are results
    accumulate: int
    clip_norm: float | None
    loss_scale: float | str | None
    seed: int
    mesh: Mesh | None
    layouts: Mapping[str, P]  # of parameters and buffers
    is_open: bool  # a strategy decides what layouts do not say


@dataclasses.dataclass
class StepProgram:
    """The text, the initial values of all arguments but the batch, and the names of those that are the batch."""

    text: str
    initial_values: dict[str, numpy.ndarray]
    batch: tuple[str, ...]
    results: tuple[str, ...]

    def as_text(self, debug_info: bool = True) -> str:
        return self.text


class _Builder:
    def __init__(self, settings: Settings, gradients: Gradients, model: torch.nn.Module, loss: typing.Any):
        self.settings, self.gradients = settings, gradients
        self.module = ProgramModule("train_step", settings.mesh)
        self.importer = Importer(self.module)
        self.parameters, self.buffers = dict(model.named_parameters()), dict(model.named_buffers())
        self.extra = dict(loss.named_buffers(prefix="loss")) if isinstance(loss, torch.nn.Module) else {}
        self.initial: dict[str, numpy.ndarray] = {}
        self.arguments: dict[str, Value] = {}
        self.donated: dict[str, Value] = {}  # arguments that results replace, by name

    def _layout(self, name: str, rank: int, like: str | None = None) -> P | None:
        if self.settings.mesh is None:
            return None
        known = self.settings.layouts.get(like or name)
        return known if known is not None else None if self.settings.is_open else P(*[None] * rank)

    def argument(self, name: str, array: numpy.ndarray, dtype: str, like: str | None = None) -> Value:
        value = self.module.argument(name, array.shape, dtype, sharding=self._layout(name, array.ndim, like))
        self.initial[name], self.arguments[name] = array, value
        return value

    def tensor_argument(self, name: str, tensor: torch.Tensor, like: str | None = None) -> Value:
        if tensor.dtype not in DTYPES:
            raise Error(f"unsupported element type {tensor.dtype} of {name!r}")
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
            raise Error(f"unsupported {type(tensor).__name__} {name!r}, expected plain tensors; give layouts= instead")
        return self.argument(name, to_array(tensor), DTYPES[tensor.dtype], like)

    def replace(self, name: str, value: Value, like: str | None = None) -> None:
        """A result that an argument becomes after the step."""
        self.module.result(name, value, sharding=self._layout(name, value.rank, like))
        self.module.donate(self.arguments[name], name)

    def scalar_result(self, name: str, value: Value) -> None:
        self.module.result(name, value, sharding=None if self.settings.mesh is None else P(*[None] * value.rank))

    # The gradients.

    def _run_gradients(self, state: Sequence[Value], scale: Value, batch: Sequence[Value]) -> list[Value]:
        weights = [self.arguments[name] for name in self.parameters]
        extra = [self.arguments[name] for name in self.extra]
        return self.importer.run(self.gradients.graph, [*weights, *state, *extra, scale, *batch])

    def _random(self, index: Value | None = None) -> None:
        """Numbers of the step, and of the part of the batch."""
        key = self.arguments.get(KEY)
        if key is None:
            return
        if index is not None:
            zero = self.module.constant([0], dtype="i64")
            key = self.module.add(key, self.module.concatenate([zero, self.module.reshape(index, (1,))], 0))
        self.module.random = Random(self.module, key)

    def gradients_of(self, scale: Value, batch: Sequence[Value]) -> tuple[Value, list[Value], list[Value]]:
        """Loss, gradients and buffers; of several parts of the batch means, and the buffers of the last."""
        state = [self.arguments[name] for name in self.buffers]
        count, trained = self.settings.accumulate, len(self.gradients.trained)
        if count == 1:
            self._random()
            found = self._run_gradients(state, scale, batch)
            return found[0], found[1:1 + trained], found[1 + trained:]
        module = self.module
        # Row i belongs to part i % count: where rows are split, each rank has its share of all parts.
        parts = [module.reshape(x, (x.shape[0] // count, count, *x.shape[1:])) for x in batch]
        self.importer.hoist(self.gradients.graph)
        kinds = [(self.parameters[name].shape, accumulator(DTYPES[self.parameters[name].dtype]))
                 for name in self.gradients.trained]
        value = list(self.gradients.graph.graph.nodes)[-1].args[0][0].meta["val"]
        kinds.insert(0, ((), accumulator(DTYPES[value.dtype])))
        zeros = [module.constant(0, tuple(shape), dtype) for shape, dtype in kinds]

        def body(index: Value, *values: Value) -> list[Value]:
            rows = []
            for part in parts:
                starts = [index if dim == 1 else 0 for dim in range(part.rank)]
                row = module.dynamic_slice(part, starts, [part.shape[0], 1, *part.shape[2:]])
                rows.append(module.reshape(row, (part.shape[0], *part.shape[2:])))
            self._random(index)
            found = self._run_gradients(values[1 + trained:], scale, rows)
            sums = [module.add(total, module.convert(x, total.dtype)) for total, x in zip(values, found[:1 + trained])]
            return [*sums, *found[1 + trained:]]

        found = module.fori_loop(0, count, body, [*zeros, *state])
        means = [module.multiply(x, 1 / count) for x in found[:1 + trained]]
        return means[0], [module.convert(x, DTYPES[self.parameters[name].dtype])
                          for name, x in zip(self.gradients.trained, means[1:])], found[1 + trained:]

    # The update.

    def state_arguments(self) -> None:
        for name in (*self.gradients.trained,):
            self.tensor_argument(name, self.parameters[name])
        optimizer = self.settings.optimizer
        for name in self.gradients.trained:
            tensor = self.parameters[name]
            for kind in optimizer.for_parameter(name).state_names() if optimizer else ():
                dtype = DTYPES[state_dtype(tensor.dtype)]
                zeros = numpy.zeros(tuple(tensor.shape), numpy_dtype(dtype))  # of which no page is written
                self.argument(f"optimizer.{kind}.{name}", zeros, dtype, name)
        for name, tensor in (self.buffers | self.extra).items():
            self.tensor_argument(name, tensor)
        for name, tensor in self.parameters.items():
            if name not in self.arguments:
                self.tensor_argument(name, tensor)
        if optimizer:
            self.argument(STEP, numpy.zeros((), "int64"), "i64")
        if self.gradients.is_random:
            self.argument(KEY, numpy.array([self.settings.seed, 0], "int64"), "i64")
        if self.settings.loss_scale == "dynamic":
            self.argument(SCALE, numpy.full((), 2.0**16, "float32"), "f32")
            self.argument(GOOD, numpy.zeros((), "int32"), "i32")

    def update_graph(self) -> tuple[torch.fx.GraphModule, list[str]]:
        """The graph of (step, scale, good steps, parameters, gradients, states) to their new values."""
        optimizer, clip, scaling = self.settings.optimizer, self.settings.clip_norm, self.settings.loss_scale
        assert optimizer is not None
        names = list(self.gradients.trained)
        each = [optimizer.for_parameter(name) for name in names]
        counts = [len(numbers.state_names()) for numbers in each]
        metrics: list[str] = []

        def step(*args: torch.Tensor) -> list[torch.Tensor]:
            number, scale, good, *rest = args
            count = len(names)
            weights, gradients, states = rest[:count], rest[count:2 * count], rest[2 * count:]
            with Places({}):
                if scaling is not None:
                    gradients = [gradient / scale.to(gradient.dtype) for gradient in gradients]
                finite = all_finite(gradients) if scaling is not None else None
                extra = []
                if clip is not None:
                    norm = global_norm(gradients)
                    factor = torch.clamp(clip / (norm + 1e-6), max=1.0)
                    gradients = [gradient * factor.to(gradient.dtype) for gradient in gradients]
                    extra.append(norm)
                fresh: list[torch.Tensor] = []
                older: list[torch.Tensor] = []
                for numbers, weight, gradient, kept in zip(each, weights, gradients, counts):
                    mine, states = states[:kept], states[kept:]
                    fresh += update(numbers, weight, gradient, mine, number)
                    older += [weight, *mine]
                if finite is not None:
                    fresh = [torch.where(finite, new, old) for new, old in zip(fresh, older)]
                    number = torch.where(finite, number + 1, number)
                    enough = good + 1 >= _PATIENCE
                    larger = torch.where(enough, torch.clamp(scale * _GROWTH, max=_LARGEST), scale)
                    scale = torch.where(finite, larger, torch.clamp(scale / _GROWTH, min=1.0))
                    good = torch.where(finite & ~enough, good + 1, torch.zeros_like(good))
                else:
                    number = number + 1
                return [number, scale, good, *extra, *fresh]

        if clip is not None:
            metrics.append(NORM)
        like = [self.parameters[name] for name in names]
        states = [torch.empty(tensor.shape, dtype=state_dtype(tensor.dtype))
                  for tensor, count in zip(like, counts) for _ in range(count)]
        examples = [torch.zeros((), dtype=torch.int64), torch.ones(()), torch.zeros((), dtype=torch.int32),
                    *(tensor.detach() for tensor in like), *(tensor.detach() for tensor in like), *states]
        return trace(step, examples), metrics

    def build(self, batch: Sequence[torch.Tensor], names: Sequence[str], layouts: Sequence[P | None]) -> StepProgram:
        module, settings = self.module, self.settings
        self.state_arguments()
        inputs = []
        for name, tensor, layout in zip(names, batch, layouts):
            if settings.mesh is None or (layout is None and settings.is_open):
                sharding = None
            else:
                sharding = layout if layout is not None else P(*[None] * tensor.ndim)
            inputs.append(module.argument(name, tensor.shape, DTYPES[tensor.dtype], sharding=sharding))
        fixed = settings.loss_scale if isinstance(settings.loss_scale, (int, float)) else 1.0
        scale = self.arguments.get(SCALE)
        loss, gradients, state = self.gradients_of(
            scale if scale is not None else module.constant(float(fixed), (), "f32"), inputs)
        if settings.optimizer is None:
            for name, value in zip(self.gradients.trained, gradients):
                module.result(name, value, sharding=self._layout(name, value.rank))
        else:
            self._add_update(gradients, scale if scale is not None else module.constant(float(fixed), (), "f32"))
            for name, value in zip(self.buffers, state):
                if name in self.gradients.changed:
                    self.replace(name, value)
        if KEY in self.arguments:
            step = module.constant([0, settings.accumulate], dtype="i64")
            self.replace(KEY, module.add(self.arguments[KEY], step))
        self.scalar_result(LOSS, module.convert(loss, "f32") if loss.dtype in ("f16", "bf16") else loss)
        return StepProgram(module.text(), self.initial | dict(self.importer.initial_values), tuple(names),
                           tuple(name for name, _ in module.results))

    def _add_update(self, gradients: Sequence[Value], scale: Value) -> None:
        module, optimizer = self.module, self.settings.optimizer
        assert optimizer is not None
        graph, metrics = self.update_graph()
        states = [f"optimizer.{kind}.{name}" for name in self.gradients.trained
                  for kind in optimizer.for_parameter(name).state_names()]
        good = self.arguments.get(GOOD)
        with module.location(name="optimizer"):
            found = self.importer.run(graph, [
                self.arguments[STEP], scale, good if good is not None else module.constant(0, (), "i32"),
                *(self.arguments[name] for name in self.gradients.trained), *gradients,
                *(self.arguments[name] for name in states)
            ])
        fresh = iter(found[3 + len(metrics):])
        for name in self.gradients.trained:
            self.replace(name, next(fresh))
            for kind in optimizer.for_parameter(name).state_names():
                self.replace(f"optimizer.{kind}.{name}", next(fresh), name)
        self.replace(STEP, found[0])
        if good is not None:
            self.replace(SCALE, found[1])
            self.replace(GOOD, found[2])
        for name, value in zip(metrics, found[3:]):
            self.scalar_result(name, value)


def build(settings: Settings, gradients: Gradients, model: torch.nn.Module, loss: typing.Any,
          batch: Sequence[torch.Tensor], names: Sequence[str], layouts: Sequence[P | None]) -> StepProgram:
    """Batch: one whole batch, as examples of types and shapes."""
    return _Builder(settings, gradients, model, loss).build(batch, names, layouts)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Updates of parameters as functions of torch, which are traced as models are."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import torch

from ..errors import Error
from ..optimizers import Adam, AdamW, Lion, Optimizer, SGD

Tensors = Sequence[torch.Tensor]


def state_dtype(dtype: torch.dtype) -> torch.dtype:
    """Optimizers count in f32 where parameters have 16 bits."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def _rate(numbers: Optimizer, step: torch.Tensor) -> typing.Any:
    return numbers.lr(step.to(torch.float32)) if callable(numbers.lr) else numbers.lr


def _sgd(numbers: SGD, parameter: torch.Tensor, gradient: torch.Tensor, state: Tensors,
         step: torch.Tensor) -> list[torch.Tensor]:
    if numbers.weight_decay:
        gradient = gradient + numbers.weight_decay * parameter
    if not numbers.momentum:
        return [parameter - _rate(numbers, step) * gradient]
    velocity = numbers.momentum * state[0] + (1 - numbers.dampening) * gradient
    if numbers.dampening:  # not in the first step
        velocity = torch.where(step == 0, gradient, velocity)
    gradient = gradient + numbers.momentum * velocity if numbers.nesterov else velocity
    return [parameter - _rate(numbers, step) * gradient, velocity]


def _correction(beta: float, step: torch.Tensor) -> torch.Tensor:
    """1 - beta^(step + 1), without cancellation."""
    if not beta:
        return torch.ones((), dtype=torch.float32)
    return -torch.expm1((step + 1).to(torch.float32) * math.log(beta))


def _adam(numbers: Adam, parameter: torch.Tensor, gradient: torch.Tensor, state: Tensors,
          step: torch.Tensor) -> list[torch.Tensor]:
    first, second = numbers.betas
    rate = _rate(numbers, step)
    if isinstance(numbers, AdamW):
        parameter = parameter * (1 - rate * numbers.weight_decay)
    elif numbers.weight_decay:
        gradient = gradient + numbers.weight_decay * parameter
    mean = first * state[0] + (1 - first) * gradient
    square = second * state[1] + (1 - second) * gradient * gradient
    greatest = [torch.maximum(state[2], square)] if numbers.amsgrad else []
    scale = _correction(second, step).sqrt().to(parameter.dtype)
    size = (greatest[0] if greatest else square).sqrt() / scale + numbers.eps
    pace = (rate / _correction(first, step)).to(parameter.dtype)
    return [parameter - pace * (mean / size), mean, square, *greatest]


def _lion(numbers: Lion, parameter: torch.Tensor, gradient: torch.Tensor, state: Tensors,
          step: torch.Tensor) -> list[torch.Tensor]:
    first, second = numbers.betas
    rate = _rate(numbers, step)
    sign = torch.sign(first * state[0] + (1 - first) * gradient)
    parameter = parameter * (1 - rate * numbers.weight_decay) if numbers.weight_decay else parameter
    return [parameter - rate * sign, second * state[0] + (1 - second) * gradient]


def update(numbers: Optimizer, parameter: torch.Tensor, gradient: torch.Tensor, state: Tensors,
           step: torch.Tensor) -> list[torch.Tensor]:
    """The new parameter and state; step counts those before. Complex numbers are updated as pairs, as torch does it."""
    if parameter.is_complex():
        real = [torch.view_as_real(x) for x in (parameter, gradient, *state)]
        return [torch.view_as_complex(x) for x in update(numbers, real[0], real[1], real[2:], step)]
    wide = state_dtype(parameter.dtype)
    gradient = -gradient.to(wide) if numbers.maximize else gradient.to(wide)
    kinds: list[tuple[type[Optimizer], typing.Any]] = [(SGD, _sgd), (Adam, _adam), (Lion, _lion)]
    for kind, function in kinds:
        if isinstance(numbers, kind):
            result = function(numbers, parameter.to(wide), gradient, state, step)
            return [result[0].to(parameter.dtype), *(item.to(wide) for item in result[1:])]
    raise Error(f"expected an optimizer of dmc, found {type(numbers).__name__}")


def _parts(gradient: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(gradient) if gradient.is_complex() else gradient


def global_norm(gradients: Tensors) -> torch.Tensor:
    """Of all gradients as one vector."""
    wide = [_parts(g).to(state_dtype(_parts(g).dtype)) for g in gradients]
    return torch.stack([(g**2).sum().to(torch.float32) for g in wide]).sum().sqrt()


def all_finite(gradients: Tensors) -> torch.Tensor:
    return torch.stack([torch.isfinite(_parts(gradient)).all() for gradient in gradients]).all()


def from_torch(optimizer: torch.optim.Optimizer, names: dict[int, str]) -> Optimizer:
    """The description of an optimizer of torch that has not made a step. names: of the parameters, by identity."""
    kinds: dict[type, type[Optimizer]] = {torch.optim.SGD: SGD, torch.optim.Adam: Adam, torch.optim.AdamW: AdamW}
    kind = kinds.get(type(optimizer))
    if kind is None:
        raise Error(f"unsupported optimizer {type(optimizer).__name__}, expected SGD, Adam or AdamW of torch.optim, "
                    "or one of dmc")
    if optimizer.state:
        raise Error("unsupported: an optimizer of torch that has made steps; its state would be lost")
    fields = [field for field in kind.__dataclass_fields__ if field != "groups"]

    def numbers(group: dict[str, typing.Any]) -> dict[str, typing.Any]:
        if any(isinstance(group.get(field), torch.Tensor) for field in fields):
            raise Error("unsupported: a number of the optimizer that is a tensor")
        return {field: group[field] for field in fields if field in group}

    groups: dict[str, dict[str, typing.Any]] = {}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if id(parameter) not in names:
                raise Error("expected an optimizer of the model's parameters, found another parameter")
            groups[names[id(parameter)]] = numbers(group)
    missing = [name for name in names.values() if name not in groups]
    if missing:
        raise Error(f"expected an optimizer of all parameters that require gradients; it lacks {missing[0]}")
    first = numbers(optimizer.param_groups[0])
    if all(group == first for group in groups.values()):
        groups = {}
    return kind(**first, groups=groups)

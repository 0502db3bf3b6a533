# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of operators that torch decomposes, but whose gradients it does not: those of the decomposition."""
from __future__ import annotations

import typing
from collections.abc import Callable, Sequence

import torch

from ..stablehlo import Value
from .result import TORCH_DTYPES, ProgramModule, Result
from .samples import grid_sampler_3d

_FORWARD = torch._decomp.decomposition_table


def _derive(module: ProgramModule, forward: Callable[..., torch.Tensor], gradient: Value,
            operands: Sequence[Value], wanted: Sequence[int]) -> list[Value]:
    """Gradients of the wanted operands, by autograd on the forward function."""
    from .importer import Importer
    from .trace import trace

    def step(weight: torch.Tensor, *given: torch.Tensor) -> list[torch.Tensor]:
        with torch.enable_grad():
            own = [x.detach().requires_grad_(i in wanted) for i, x in enumerate(given)]
            found = torch.autograd.grad(forward(*own), [own[i] for i in wanted], weight, allow_unused=True)
            return [torch.zeros_like(own[i]) if x is None else x for i, x in zip(wanted, found)]

    examples = [torch.empty(x.shape, dtype=TORCH_DTYPES[x.dtype]) for x in (gradient, *operands)]
    return Importer(module).run(trace(step, examples), [gradient, *operands])


def _grid_sampler(forward: Callable[..., torch.Tensor]) -> typing.Any:
    def build(module: ProgramModule, out: Sequence[Result | None], gradient: Value, x: Value, grid: Value, mode: int,
              padding: int, corners: bool, wanted: Sequence[bool]) -> list[Value | None]:
        places = [i for i in range(2) if wanted[i] and out[i] is not None]
        found = iter(_derive(module, lambda x, grid: forward(x, grid, mode, padding, corners), gradient, [x, grid],
                             places))
        return [next(found) if i in places else None for i in range(2)]

    return build


def _margin_loss(module: ProgramModule, out: Result, gradient: Value, x: Value, target: Value, p: typing.Any,
                 margin: typing.Any, weight: Value | None = None, reduction: int = 1) -> Value:
    module.expect(weight is None, "unsupported weight of aten.multi_margin_loss")
    forward = _FORWARD[torch.ops.aten.multi_margin_loss.default]
    function = lambda x, target: forward(x, target, p, margin, None, reduction)
    return _derive(module, function, gradient, [x, target], [0])[0]


def _weight_norm(module: ProgramModule, out: Sequence[Result], gradient: Value, direction: Value, size: Value,
                 norms: Value, dim: int) -> list[Value]:
    places = [i for i in range(direction.rank) if i != dim % direction.rank]
    sums = module.reduce(module.multiply(gradient, direction), "sum", places, True)
    wide = lambda x: module.broadcast_to(module.reshape(x, sums.shape), direction.shape)
    length = module.reshape(norms, sums.shape)
    along = module.divide(sums, module.multiply(length, length))
    rest = module.subtract(gradient, module.multiply(direction, wide(along)))
    ratio = module.divide(module.reshape(size, sums.shape), length)
    return [module.multiply(wide(ratio), rest), module.reshape(module.divide(sums, length), out[1].shape)]


TABLE: dict[str, typing.Any] = {
    "aten._weight_norm_interface_backward.default": _weight_norm,
    "aten.grid_sampler_2d_backward.default": _grid_sampler(_FORWARD[torch.ops.aten.grid_sampler_2d.default]),
    "aten.grid_sampler_3d_backward.default": _grid_sampler(grid_sampler_3d),
    "aten.multi_margin_loss_backward.default": _margin_loss,
}

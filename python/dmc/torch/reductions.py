# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and products."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import Module, Value
from .result import Result

Dims = typing.Optional[Sequence[int]]


def _places(x: Value, dims: Dims) -> list[int]:
    return sorted(dim % x.rank for dim in dims) if dims and x.rank else list(range(x.rank))


def _sum(module: Module, out: Result, x: Value, dims: Dims = None, keep: bool = False, **_: typing.Any) -> Value:
    wide = "f32" if out.dtype in ("f16", "bf16") else out.dtype
    total = module.reduce(module.convert(x, wide), "sum", _places(x, dims), keep)
    return module.convert(total, out.dtype)


def _mean(module: Module, out: Result, x: Value, dims: Dims = None, keep: bool = False, **_: typing.Any) -> Value:
    wide = "f32" if out.dtype in ("f16", "bf16") else out.dtype
    places = _places(x, dims)
    total = module.reduce(module.convert(x, wide), "sum", places, keep)
    count = math.prod(x.shape[dim] for dim in places)
    return module.convert(module.divide(total, float(count)), out.dtype)


def _var_mean(module: Module, out: Sequence[Result], x: Value, dims: Dims = None, *, correction: float | None = None,
              keepdim: bool = False) -> list[Value]:
    places, wide = _places(x, dims), "f32" if x.dtype in ("f16", "bf16") else x.dtype
    count = math.prod(x.shape[dim] for dim in places)
    x = module.convert(x, wide)
    mean = module.divide(module.reduce(x, "sum", places, True), float(count))
    gap = module.subtract(x, module.broadcast_to(mean, x.shape))
    total = module.reduce(module.multiply(gap, gap), "sum", places, keepdim)
    variance = module.divide(total, float(max(0, count - (1 if correction is None else correction))))
    return [module.convert(module.reshape(y, o.shape), o.dtype) for y, o in zip((variance, mean), out)]


def _extremum(kind: str) -> typing.Any:
    return lambda module, out, x, dims=(), keep=False: module.reduce(x, kind, _places(x, dims), keep)


TABLE = {
    "aten.amax.default": _extremum("max"),
    "aten.amin.default": _extremum("min"),
    "aten.mean.default": _mean,
    "aten.mean.dim": _mean,
    "aten.sum.default": _sum,
    "aten.sum.dim_IntList": _sum,
    "aten.var_mean.correction": _var_mean,
    "aten.mm.default": lambda module, out, a, b: module.matmul(a, b),
    "aten.bmm.default": lambda module, out, a, b: module.matmul(a, b),
}

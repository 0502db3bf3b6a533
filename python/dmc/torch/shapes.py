# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, slices and constants."""
from __future__ import annotations

import typing
from collections.abc import Sequence

from ..stablehlo import Module, Value
from .result import Result


def _reshape(module: Module, out: Result, x: Value, *_: typing.Any) -> Value:
    return module.reshape(x, out.shape)


def _expand(module: Module, out: Result, x: Value, *_: typing.Any) -> Value:
    return module.broadcast_to(x, out.shape)


def _full(module: Module, out: Result, _: typing.Any, value: typing.Any, **__: typing.Any) -> Value:
    return module.constant(value, out.shape, out.dtype)


def _transpose(module: Module, out: Result, x: Value, first: int, second: int) -> Value:
    order = list(range(x.rank))
    if order:
        order[first], order[second] = order[second], order[first]
    return module.transpose(x, order)


def _slice(module: Module, out: Result, x: Value, dim: int = 0, start: int | None = None, end: int | None = None,
           step: int = 1) -> Value:
    low, high, step = slice(start, end, step).indices(x.shape[dim])
    return module.slice_dim(x, dim, low, max(low, high), step)


def _select(module: Module, out: Result, x: Value, dim: int, index: int) -> Value:
    low = index % x.shape[dim]
    return module.reshape(module.slice_dim(x, dim, low, low + 1), out.shape)


def _cat(module: Module, out: Result, values: Sequence[Value], dim: int = 0) -> Value:
    kept = [module.convert(x, out.dtype) for x in values if x.shape != (0,) or len(out.shape) == 1]
    return module.concatenate(kept, dim)


def _pad(module: Module, out: Result, x: Value, sizes: Sequence[int], value: typing.Any = 0) -> Value:
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(sizes) // 2):
        low[-1 - i], high[-1 - i] = sizes[2 * i], sizes[2 * i + 1]
    return module.pad(x, value, low, high)


TABLE = {
    f"aten.{name}": _reshape
    for name in ("view.default", "_unsafe_view.default", "reshape.default", "unsqueeze.default", "squeeze.default",
                 "squeeze.dim", "squeeze.dims")
} | {
    "aten.cat.default": _cat,
    "aten.constant_pad_nd.default": _pad,
    "aten.expand.default": _expand,
    "aten.flip.default": lambda module, out, x, dims: module.reverse(x, dims),
    "aten.full.default": _full,
    "aten.full_like.default": _full,
    "aten.permute.default": lambda module, out, x, dims: module.transpose(x, dims),
    "aten.scalar_tensor.default": lambda module, out, value, **_: module.constant(value, (), out.dtype),
    "aten.select.int": _select,
    "aten.slice.Tensor": _slice,
    "aten.t.default": lambda module, out, x: module.transpose(x, list(range(x.rank))[::-1]),
    "aten.transpose.int": _transpose,
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, prefixes, and sorts."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .elementwise import cast
from .result import ProgramModule, Result, accumulator

Dims = typing.Union[None, int, Sequence[int]]


def places_of(x: Value, dims: Dims) -> list[int]:
    """The dimensions to reduce: all, if none is given."""
    if isinstance(dims, int):
        dims = [dims]
    return sorted(dim % x.rank for dim in dims) if dims and x.rank else list(range(x.rank))


def _reduce(kind: str) -> typing.Any:
    """A sum or product, in a wider type where elements have 16 bits."""
    def build(module: ProgramModule, out: Result, x: Value, dims: Dims = None, keep: bool = False,
              **_: typing.Any) -> Value:
        wide = module.convert(x, accumulator(out.dtype))
        return module.convert(module.reduce(wide, kind, places_of(x, dims), keep), out.dtype)

    return build


def _mean(module: ProgramModule, out: Result, x: Value, dims: Dims = None, keep: bool = False,
          **_: typing.Any) -> Value:
    places = places_of(x, dims)
    total = module.reduce(module.convert(x, accumulator(out.dtype)), "sum", places, keep)
    count = math.prod(x.shape[dim] for dim in places)
    return module.convert(module.divide(total, float(count)), out.dtype)


def _variance(module: ProgramModule, x: Value, dims: Dims, correction: float | None) -> tuple[Value, Value]:
    """Variance and mean, in the type of sums, with reduced dimensions of size 1."""
    places = places_of(x, dims)
    count = math.prod(x.shape[dim] for dim in places)
    x = module.convert(x, accumulator(x.dtype))
    mean = module.divide(module.reduce(x, "sum", places, True), float(count))
    gap = module.subtract(x, module.broadcast_to(mean, x.shape))
    total = module.reduce(module.multiply(gap, gap), "sum", places, True)
    return module.divide(total, float(max(0, count - (1 if correction is None else correction)))), mean


def _var_mean(module: ProgramModule, out: Sequence[Result], x: Value, dims: Dims = None, *,
              correction: float | None = None, keepdim: bool = False) -> list[Value]:
    return [module.convert(module.reshape(y, o.shape), o.dtype)
            for y, o in zip(_variance(module, x, dims, correction), out)]


def _var(module: ProgramModule, out: Result, x: Value, dims: Dims = None, *, correction: float | None = None,
         keepdim: bool = False) -> Value:
    return module.convert(module.reshape(_variance(module, x, dims, correction)[0], out.shape), out.dtype)


def _extremum(kind: str) -> typing.Any:
    return lambda module, out, x, dims=(), keep=False: module.reduce(x, kind, places_of(x, dims), keep)


def _truth(kind: str) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, dims: Dims = None, keep: bool = False) -> Value:
        # An empty list of dimensions means all of them only where none are given.
        places = [] if isinstance(dims, (list, tuple)) and not dims else places_of(x, dims)
        return module.convert(module.reduce(module.convert(x, "i1"), kind, places, keep), out.dtype)

    return build


def _arg(kind: str) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, dim: int | None = None, keep: bool = False) -> Value:
        if x.dtype == "i1":
            x = module.convert(x, "i8")
        if dim is None or not x.rank:
            x, dim = module.reshape(x, (math.prod(x.shape),)), 0
        return module.reshape(module.arg_reduce(x, kind, dim), out.shape)

    return build


def _with_index(kind: str) -> typing.Any:
    """max.dim and min.dim."""
    def build(module: ProgramModule, out: Sequence[Result], x: Value, dim: int, keep: bool = False) -> list[Value]:
        index = _arg(kind)(module, out[1], x, dim)
        return [module.reshape(module.reduce(x, kind, [dim] if x.rank else []), out[0].shape), index]

    return build


def _norm(module: ProgramModule, out: Result, x: Value, order: float = 2, dims: Dims = None, keep: bool = False,
          **_: typing.Any) -> Value:
    places, x = places_of(x, dims), module.abs(module.convert(x, accumulator(out.dtype)))
    if order == 0:
        x = module.convert(module.compare(x, 0, "NE"), x.dtype)
    if math.isinf(order):
        total = module.reduce(x, "max" if order > 0 else "min", places, keep)
    elif order == 2:
        total = module.sqrt(module.reduce(module.multiply(x, x), "sum", places, keep))
    elif order in (0, 1):
        total = module.reduce(x, "sum", places, keep)
    else:
        total = module.power(module.reduce(module.power(x, order), "sum", places, keep), 1 / order)
    return module.convert(total, out.dtype)


def _cumulative(kind: str) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, dim: int, **_: typing.Any) -> Value:
        x = module.convert(x, accumulator(out.dtype))
        return module.convert(module.cumulative(x, kind, dim) if x.rank else x, out.dtype)

    return build


def _log_cumulative(module: ProgramModule, out: Result, x: Value, dim: int) -> Value:
    if not x.rank:
        return x
    wide = module.convert(x, accumulator(out.dtype))
    top = module.reduce(wide, "max", [dim], True)
    top = module.broadcast_to(module.select(module.is_finite(top), top, 0.0), x.shape)
    sums = module.cumulative(module.exponential(module.subtract(wide, top)), "sum", dim)
    return module.convert(module.add(module.log(sums), top), out.dtype)


def _cumulative_extremum(kind: str) -> typing.Any:
    """cummax and cummin, whose index is that of the last of equal elements."""
    def build(module: ProgramModule, out: Sequence[Result], x: Value, dim: int) -> list[Value]:
        if not x.rank:
            return [x, module.constant(0, (), "i64")]
        best = module.cumulative(x, kind, dim)
        same = module.compare(x, best, "EQ")
        place = module.select(same, module.iota(x.shape, dim, "i64"), module.constant(0, x.shape, "i64"))
        return [best, module.cumulative(place, "max", dim)]

    return build


def _sort(module: ProgramModule, out: Sequence[Result], x: Value, dim: int = -1, descending: bool = False, *,
          stable: bool | None = None) -> list[Value]:
    if not x.rank:
        return [x, module.constant(0, (), "i64")]
    return module.sort([x, module.iota(x.shape, dim, "i64")], dim, descending)


def _sort_stable(module: ProgramModule, out: Sequence[Result], x: Value, stable: bool | None = None, dim: int = -1,
                 descending: bool = False) -> list[Value]:
    return _sort(module, out, x, dim, descending)


def _top_k(module: ProgramModule, out: Sequence[Result], x: Value, k: int, dim: int = -1, largest: bool = True,
           sorted: bool = True) -> list[Value]:
    return list(module.top_k(x, k, dim, largest)) if x.rank else [x, module.constant(0, (), "i64")]


def _kth(module: ProgramModule, out: Sequence[Result], x: Value, k: int, dim: int = -1,
         keep: bool = False) -> list[Value]:
    found = _sort(module, out, x, dim)
    return [module.reshape(module.slice_dim(y, dim, k - 1, k) if x.rank else y, o.shape) for y, o in zip(found, out)]


def _median(module: ProgramModule, out: Sequence[Result], x: Value, dim: int, keep: bool = False) -> list[Value]:
    return _kth(module, out, x, (x.shape[dim] + 1) // 2 if x.rank else 1, dim)


def _median_of_all(module: ProgramModule, out: Result, x: Value) -> Value:
    flat = module.reshape(x, (math.prod(x.shape),))
    place = (flat.shape[0] - 1) // 2
    return module.reshape(module.slice_dim(module.sort([flat], 0)[0], 0, place, place + 1), ())


def _search(module: ProgramModule, out: Result, line: Value, values: typing.Any, *, right: bool = False,
            out_int32: bool = False, side: str | None = None, sorter: Value | None = None) -> Value:
    """searchsorted: how many elements of a line are less, or not greater."""
    module.expect(sorter is None, "unsupported aten.searchsorted with a sorter")
    after = right or side == "right"
    value = values if isinstance(values, Value) else module.constant(values, (), line.dtype)
    if line.rank == 1:
        wide = module.broadcast_in_dim(line, (*out.shape, line.shape[0]), [len(out.shape)])
    else:
        wide = module.broadcast_in_dim(line, (*out.shape, line.shape[-1]), [*range(line.rank - 1), line.rank])
    value = module.convert(value, line.dtype)
    value = module.broadcast_in_dim(value, wide.shape, range(value.rank))
    found = module.convert(module.compare(wide, value, "LE" if after else "LT"), out.dtype)
    return module.reduce(found, "sum", [len(out.shape)])


def _bucketize(module: ProgramModule, out: Result, values: Value, line: Value, *, right: bool = False,
               out_int32: bool = False) -> Value:
    return _search(module, out, line, cast(module, out, values, line.dtype), right=right)


TABLE: dict[str, typing.Any] = {
    f"aten.{name}.{kind}": _extremum(word)
    for name, word, kind in (("amax", "max", "default"), ("amin", "min", "default"), ("max", "max", "default"),
                             ("min", "min", "default"))
} | {f"aten.{name}.{kind}": _truth(word) for name, word in (("all", "and"), ("any", "or"))
     for kind in ("default", "dim", "dims")} | {
    f"aten.sum.{kind}": _reduce("sum") for kind in ("default", "dim_IntList")
} | {f"aten.prod.{kind}": _reduce("product") for kind in ("default", "dim_int")} | {
    f"aten.searchsorted.{kind}": _search for kind in ("Tensor", "Scalar")
} | {
    "aten.argmax.default": _arg("max"),
    "aten.argmin.default": _arg("min"),
    "aten.bucketize.Tensor": _bucketize,
    "aten.cummax.default": _cumulative_extremum("max"),
    "aten.cummin.default": _cumulative_extremum("min"),
    "aten.cumprod.default": _cumulative("product"),
    "aten.cumsum.default": _cumulative("sum"),
    "aten.kthvalue.default": _kth,
    "aten.linalg_vector_norm.default": _norm,
    "aten.logcumsumexp.default": _log_cumulative,
    "aten.max.dim": _with_index("max"),
    "aten.mean.default": _mean,
    "aten.mean.dim": _mean,
    "aten.median.default": _median_of_all,
    "aten.median.dim": _median,
    "aten.min.dim": _with_index("min"),
    "aten.sort.default": _sort,
    "aten.sort.stable": _sort_stable,
    "aten.topk.default": _top_k,
    "aten.var.correction": _var,
    "aten.var_mean.correction": _var_mean,
    "prims.prod.default": _reduce("product"),
    "prims.sum.default": _reduce("sum"),
}

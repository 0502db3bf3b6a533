# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, scatters and indexing by tensors. Indices outside of a dimension, which torch reports, are moved into it by
gathers, and what scatters would put there is left out."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .elementwise import cast
from .result import ProgramModule, Result, accumulator

_REDUCTIONS = {"sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply", "amax": "max", "amin": "min"}


def gather_along(module: ProgramModule, x: Value, index: Value, dim: int) -> Value:
    """x[i, index[i, j, k], k]: the other dimensions are batches, along which nothing moves."""
    if not x.rank or not index.rank:
        flat, place = module.reshape(x, (math.prod(x.shape),)), module.reshape(index, (math.prod(index.shape),))
        return module.reshape(module.take(flat, place, 0), index.shape)
    dim = dim % x.rank
    limits = [size if i == dim else index.shape[i] for i, size in enumerate(x.shape)]
    x = module.slice(x, [0] * x.rank, limits)
    batches = [i for i in range(x.rank) if i != dim]
    return module.gather(x, module.wrap_indices(index, x.shape[dim]), slice_sizes=[1] * x.rank, collapsed=[dim],
                         start_map=[dim], vector=index.rank, batching=(batches, batches))


def scatter_along(module: ProgramModule, x: Value, index: Value, source: Value, dim: int, update: str = "set") -> Value:
    """x with x[i, index[i, j, k], k] updated by source[i, j, k]."""
    if not x.rank:
        flat = [module.reshape(item, (1,)) for item in (x, index, source)]
        return module.reshape(scatter_along(module, flat[0], flat[1], flat[2], 0, update), ())
    dim = dim % x.rank
    source = module.slice(source, [0] * source.rank, index.shape)
    batches = [i for i in range(x.rank) if i != dim]
    if any(index.shape[i] != x.shape[i] for i in batches):
        return module.scatter_along(x, index, source, dim, update)
    return module.scatter(x, index, source, update, inserted=[dim], scatter_map=[dim], vector=index.rank,
                          batching=(batches, batches))


def _gather(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, *_: typing.Any,
            **__: typing.Any) -> Value:
    return gather_along(module, x, index, dim)


def _scatter(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, source: typing.Any, *,
             reduce: str = "set") -> Value:
    if not isinstance(source, Value):
        source = module.constant(source, index.shape, x.dtype)
    return scatter_along(module, x, index, source, dim, _REDUCTIONS.get(reduce, reduce))


def _scatter_add(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, source: Value) -> Value:
    return scatter_along(module, x, index, source, dim, "add")


def _scatter_reduce(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, source: Value, reduce: str,
                    *, include_self: bool = True) -> Value:
    if not include_self:
        # What is updated starts from the neutral element.
        start = {"sum": 0, "mean": 0, "prod": 1, "amax": module.lowest(x.dtype), "amin": module.highest(x.dtype)}
        neutral = module.constant(start[reduce], source.shape, x.dtype)
        base = scatter_along(module, x, index, neutral, dim)
    else:
        base = x
    total = scatter_along(module, base, index, source, dim, _REDUCTIONS.get(reduce, "add"))
    if reduce != "mean":
        return total
    ones = module.constant(1, source.shape, x.dtype)
    count = scatter_along(module, module.constant(1 if include_self else 0, x.shape, x.dtype), index, ones, dim, "add")
    return module.divide(total, module.maximum(count, 1))


def _index_select(module: ProgramModule, out: Result, x: Value, dim: int, index: Value) -> Value:
    if not x.rank:
        return module.reshape(x, out.shape)
    index = index if index.rank else module.reshape(index, (1,))
    return module.take(x, module.wrap_indices(index, x.shape[dim]), dim)


class _Places:
    """Positions that tensors name: the dimensions they index, and one index vector for each position."""

    def __init__(self, module: ProgramModule, x: Value, indices: Sequence[Value | None]):
        self.dims = [i for i, item in enumerate(indices) if item is not None]
        given = [typing.cast(Value, indices[dim]) for dim in self.dims]
        for item in given:
            module.expect(item.dtype not in ("i1", "ui8"),
                          "unsupported index by a mask, whose result has a shape that depends on data")
        wide = module.broadcast_together(*(module.convert(item, "i64") for item in given))
        self.shape = wide[0].shape
        columns = [module.expand_dims(module.wrap_indices(item, x.shape[dim]), [item.rank])
                   for item, dim in zip(wide, self.dims)]
        self.vectors = module.concatenate(columns, len(self.shape))
        self.others = [dim for dim in range(x.rank) if dim not in self.dims]
        # Indexed dimensions side by side are replaced where they are, others at the front.
        together = self.dims == list(range(self.dims[0], self.dims[-1] + 1))
        self.at = self.dims[0] if together else 0

    def windows(self) -> list[int]:
        """The dimensions of the result that are not indexed."""
        rank = len(self.shape)
        return [i if i < self.at else i + rank for i in range(len(self.others))]


def _index(module: ProgramModule, out: Result, x: Value, indices: Sequence[Value | None]) -> Value:
    places = _Places(module, x, indices)
    sizes = [1 if dim in places.dims else size for dim, size in enumerate(x.shape)]
    return module.gather(x, places.vectors, slice_sizes=sizes, offset_dims=places.windows(), collapsed=places.dims,
                         start_map=places.dims)


def _put_mask(module: ProgramModule, x: Value, mask: Value, value: Value, accumulate: bool) -> Value:
    """x[mask] = value, of one value for all."""
    module.expect(math.prod(value.shape) == 1,
                  "unsupported index_put by a mask: expected one value, whose number does not depend on data")
    filler = module.broadcast_to(module.reshape(value, ()), x.shape)
    wide = module.broadcast_in_dim(mask, x.shape, range(mask.rank))
    return module.select(wide, module.add(x, filler) if accumulate else filler, x)


def _index_put(module: ProgramModule, out: Result, x: Value, indices: Sequence[Value | None], values: Value,
               accumulate: bool = False, *_: typing.Any) -> Value:
    values = module.convert(values, x.dtype)
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == "i1":
        return _put_mask(module, x, indices[0], values, accumulate)
    places = _Places(module, x, indices)
    shape = [x.shape[dim] for dim in places.others]
    shape[places.at:places.at] = places.shape
    # The sum of many narrow floats is rounded once.
    wide = accumulator(x.dtype) if accumulate else x.dtype
    updates = module.broadcast_to(module.convert(values, wide), shape)
    result = module.scatter(module.convert(x, wide), places.vectors, updates, "add" if accumulate else "set",
                            window_dims=places.windows(), inserted=places.dims, scatter_map=places.dims)
    return module.convert(result, x.dtype)


def _embedding(module: ProgramModule, out: Result, table: Value, indices: Value, *_: typing.Any) -> Value:
    return module.take(table, indices, 0)


def _embedding_gradient(module: ProgramModule, out: Result, gradient: Value, indices: Value, rows: int, padding: int,
                        scaled: bool) -> Value:
    """Sums of the gradient's rows by index, none for the padding index."""
    width = gradient.shape[indices.rank:]
    flat = module.reshape(module.convert(gradient, accumulator(gradient.dtype)), (math.prod(indices.shape), *width))
    place = module.convert(module.reshape(indices, (math.prod(indices.shape),)), "i64")
    if scaled:
        counts = add_rows(module, module.constant(1, place.shape, flat.dtype), place, rows)
        each = module.take(counts, place, 0)
        flat = module.divide(flat, module.broadcast_in_dim(each, flat.shape, [0]))
    if padding >= 0:
        # Outside of the table, where a scatter leaves it out.
        place = module.select(module.compare(place, padding, "EQ"), rows, place)
    return module.convert(add_rows(module, flat, place, rows), out.dtype)


def add_rows(module: ProgramModule, rows: Value, place: Value, count: int) -> Value:
    zeros = module.constant(0, (count, *rows.shape[1:]), rows.dtype)
    return module.scatter(zeros, place, rows, "add", window_dims=range(1, rows.rank), inserted=[0], scatter_map=[0],
                          vector=1)


def _index_add(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, source: Value, *,
               alpha: typing.Any = 1) -> Value:
    return _index_update(module, x, dim, index, source if alpha == 1 else module.multiply(source, alpha), "add")


def _index_copy(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _index_update(module, x, dim, index, source, "set")


def _index_fill(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, value: typing.Any) -> Value:
    shape = list(x.shape)
    if shape:
        shape[dim] = math.prod(index.shape)
    filler = module.convert(value, x.dtype) if isinstance(value, Value) else value
    return _index_update(module, x, dim, index, module.broadcast_to(filler, shape, x.dtype), "set")


def _index_update(module: ProgramModule, x: Value, dim: int, index: Value, source: Value, update: str) -> Value:
    if not x.rank:
        x, source = module.reshape(x, (1,)), module.reshape(source, (1,))
        return module.reshape(_index_update(module, x, 0, module.reshape(index, (1,)), source, update), ())
    dim, place = dim % x.rank, module.reshape(index, (math.prod(index.shape),))
    windows = [i for i in range(x.rank) if i != dim]
    return module.scatter(x, module.wrap_indices(place, x.shape[dim]), source, update, window_dims=windows,
                          inserted=[dim], scatter_map=[dim], vector=1)


def _index_reduce(module: ProgramModule, out: Result, x: Value, dim: int, index: Value, source: Value, reduce: str, *,
                  include_self: bool = True) -> Value:
    """As scatter_reduce with the index along one dimension."""
    if not x.rank:
        x, source, index = (module.reshape(item, (1,)) for item in (x, source, index))
    wide = module.broadcast_in_dim(index, source.shape, [dim % x.rank])
    found = _scatter_reduce(module, out, x, dim, wide, source, "prod" if reduce == "prod" else reduce,
                            include_self=include_self)
    return module.reshape(found, out.shape)


def _masked_scatter(module: ProgramModule, out: Result, x: Value, mask: Value, source: Value) -> Value:
    """The i-th element under the mask is the i-th of the source."""
    wide = cast(module, out, mask, "i1")
    flat = module.reshape(wide, (math.prod(out.shape),))
    place = module.subtract(module.cumulative(module.convert(flat, "i64"), "sum", 0), 1)
    found = module.take(module.reshape(source, (math.prod(source.shape),)), module.maximum(place, 0), 0)
    return module.select(wide, module.reshape(found, out.shape), cast(module, out, x))


def _masked_scatter_backward(module: ProgramModule, out: Result, gradient: Value, mask: Value,
                             sizes: Sequence[int]) -> Value:
    """The elements under the mask one after the other."""
    wide = module.broadcast_to(module.convert(mask, "i1"), gradient.shape)
    flat, marks = (module.reshape(x, (math.prod(gradient.shape),)) for x in (gradient, wide))
    count, place = math.prod(out.shape), module.cumulative(module.convert(marks, "i64"), "sum", 0)
    place = module.select(marks, module.subtract(place, 1), count)  # outside, where a scatter leaves it out
    return module.reshape(add_rows(module, flat, place, count), out.shape)


def _one_hot(module: ProgramModule, out: Result, index: Value, classes: int = -1) -> Value:
    wide = module.broadcast_in_dim(index, out.shape, range(index.rank))
    return module.convert(module.compare(wide, module.iota(out.shape, -1, index.dtype), "EQ"), out.dtype)


TABLE: dict[str, typing.Any] = {
    "aten._unsafe_index.Tensor": _index,
    "aten._unsafe_index_put.default": _index_put,
    "aten.embedding.default": _embedding,
    "aten.embedding_dense_backward.default": _embedding_gradient,
    "aten.gather.default": _gather,
    "aten.index.Tensor": _index,
    "aten.index_add.default": _index_add,
    "aten.index_copy.default": _index_copy,
    "aten.index_fill.int_Scalar": _index_fill,
    "aten.index_fill.int_Tensor": _index_fill,
    "aten.index_put.default": _index_put,
    "aten.index_reduce.default": _index_reduce,
    "aten.index_select.default": _index_select,
    "aten.masked_scatter.default": _masked_scatter,
    "aten.masked_scatter_backward.default": _masked_scatter_backward,
    "aten.one_hot.default": _one_hot,
    "aten.scatter.reduce": _scatter,
    "aten.scatter.src": _scatter,
    "aten.scatter.value": _scatter,
    "aten.scatter.value_reduce": _scatter,
    "aten.scatter_add.default": _scatter_add,
    "aten.scatter_reduce.two": _scatter_reduce,
}

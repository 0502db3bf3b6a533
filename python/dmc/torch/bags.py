# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embedding bags: sums, means or maxima of rows of a table, of which offsets say where each bag begins."""
from __future__ import annotations

import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .indexing import add_rows, scatter_along
from .result import ProgramModule, Result, accumulator

_SUM, _MEAN, _MAX = range(3)


def _bag_of_each(module: ProgramModule, offsets: Value, count: int) -> Value:
    """The bag that each index belongs to: how many bags have begun, less one."""
    offsets = module.convert(offsets, "i64")
    begun = add_rows(module, module.constant(1, offsets.shape, "i64"), offsets, count)
    return module.subtract(module.cumulative(begun, "sum", 0), 1)


def _sizes(module: ProgramModule, bag: Value, indices: Value, bags: int, padding: int) -> Value:
    ones = module.constant(1, bag.shape, "i64")
    if padding >= 0:
        ones = module.convert(module.compare(indices, padding, "NE"), "i64")
    return add_rows(module, ones, bag, bags)


def _weighted(module: ProgramModule, rows: Value, weights: Value | None) -> Value:
    if weights is None:
        return rows
    return module.multiply(rows, module.broadcast_in_dim(module.convert(weights, rows.dtype), rows.shape, [0]))


def _divided(module: ProgramModule, rows: Value, sizes: Value) -> Value:
    count = module.convert(module.maximum(sizes, 1), rows.dtype)
    return module.divide(rows, module.broadcast_in_dim(count, rows.shape, [0]))


def _maxima(module: ProgramModule, rows: Value, indices: Value, place: Value, sizes: Value) -> tuple[Value, Value]:
    """The maxima of the rows of each bag, and the table's row of the first element that has it; 0 of empty bags. place:
    the bag of each row, or beyond all of them."""
    count, bags, width = rows.shape[0], sizes.shape[0], rows.shape[1]
    best = lambda start, given, kind: module.scatter(module.constant(start, (bags, width), given.dtype), place, given,
                                                     kind, window_dims=[1], inserted=[0], scatter_map=[0], vector=1)
    filled = module.broadcast_in_dim(module.compare(sizes, 0, "GT"), (bags, width), [0])
    total = module.select(filled, best(module.lowest(rows.dtype), rows, "max"), 0)
    if not count or not bags:
        return total, module.constant(0, (bags, width), "i64")
    same = module.compare(rows, module.take(total, module.minimum(place, bags - 1), 0), "EQ")
    at = module.iota(rows.shape, 0, "i64")
    first = best(count - 1, module.select(same, at, count - 1), "min")
    return total, module.select(filled, module.take(indices, first, 0), 0)


def _embedding_bag(module: ProgramModule, out: Sequence[Result], table: Value, indices: Value, offsets: Value,
                   scaled: bool = False, mode: int = _SUM, sparse: bool = False, weights: Value | None = None,
                   last: bool = False, padding: int = -1) -> list[Value]:
    bags = out[0].shape[0]
    offsets = module.slice_dim(offsets, 0, 0, bags)  # the last offset may be the end
    indices = module.convert(indices, "i64")
    bag = _bag_of_each(module, offsets, indices.shape[0])
    sizes = _sizes(module, bag, indices, bags, padding)
    place = bag
    if padding >= 0:
        place = module.select(module.compare(indices, padding, "EQ"), bags, bag)
    rows = module.convert(module.take(table, indices, 0), accumulator(table.dtype))
    most = module.constant(0, out[3].shape, out[3].dtype)
    if mode == _MAX:
        total, first = _maxima(module, rows, indices, place, sizes)
        most = module.convert(first, out[3].dtype)
    else:
        total = add_rows(module, _weighted(module, rows, weights), place, bags)
        total = _divided(module, total, sizes) if mode == _MEAN else total
    results = [module.convert(total, out[0].dtype)]
    for value, description in ((bag, out[1]), (sizes, out[2])):
        # Kernels return these only where they need them.
        fits = value.shape == description.shape
        results.append(module.convert(value, description.dtype) if fits else
                       module.constant(0, description.shape, description.dtype))
    return [*results, most]


def _gradient(module: ProgramModule, out: Result, gradient: Value, indices: Value, bag: Value, sizes: Value,
              most: Value, rows: int, scaled: bool, mode: int, weights: Value | None, padding: int) -> Value:
    wide = module.convert(gradient, accumulator(gradient.dtype))
    if mode == _MAX:  # each element goes to the row that it is of
        filled = module.broadcast_in_dim(module.compare(sizes, 0, "GT"), wide.shape, [0])
        zeros = module.constant(0, (rows, *wide.shape[1:]), wide.dtype)
        found = scatter_along(module, zeros, module.convert(most, "i64"), module.select(filled, wide, 0), 0, "add")
        return module.convert(found, out.dtype)
    if mode == _MEAN:
        wide = _divided(module, wide, sizes)
    each = _weighted(module, module.take(wide, bag, 0), weights)
    if scaled:
        counts = add_rows(module, module.constant(1, indices.shape, each.dtype), indices, rows)
        each = module.divide(each, module.broadcast_in_dim(module.take(counts, indices, 0), each.shape, [0]))
    if padding >= 0:
        indices = module.select(module.compare(indices, padding, "EQ"), rows, indices)
    return module.convert(add_rows(module, each, indices, rows), out.dtype)


def _backward(module: ProgramModule, out: Result, gradient: Value, indices: Value, offsets: Value, _: Value, __: Value,
              most: Value, rows: int, scaled: bool, mode: int, sparse: bool, weights: Value | None,
              padding: int = -1) -> Value:
    module.expect(not sparse, "unsupported sparse gradient of embedding_bag: expected sparse=False")
    # From the offsets again: what the forward operator gives beside the bags may be empty.
    indices = module.convert(indices, "i64")
    bag = _bag_of_each(module, module.slice_dim(offsets, 0, 0, gradient.shape[0]), indices.shape[0])
    sizes = _sizes(module, bag, indices, gradient.shape[0], padding)
    return _gradient(module, out, gradient, indices, bag, sizes, most, rows, scaled, mode, weights, padding)


def _dense_backward(module: ProgramModule, out: Result, gradient: Value, indices: Value, bag: Value, sizes: Value,
                    most: Value, rows: int, scaled: bool, mode: int, weights: Value | None, padding: int = -1) -> Value:
    indices, bag = (module.convert(x, "i64") for x in (indices, bag))
    return _gradient(module, out, gradient, indices, bag, sizes, most, rows, scaled, mode, weights, padding)


def _weights_backward(module: ProgramModule, out: Result, gradient: Value, table: Value, indices: Value,
                      offsets: Value, _: Value, mode: int, padding: int = -1) -> Value:
    indices = module.convert(indices, "i64")
    bag = _bag_of_each(module, module.slice_dim(offsets, 0, 0, gradient.shape[0]), indices.shape[0])
    product = module.multiply(module.take(gradient, bag, 0), module.take(table, indices, 0))
    total = module.reduce(product, "sum", [1])
    if padding >= 0:
        total = module.select(module.compare(indices, padding, "EQ"), 0, total)
    return total


TABLE: dict[str, typing.Any] = {
    "aten._embedding_bag.default": _embedding_bag,
    "aten._embedding_bag_backward.default": _backward,
    "aten._embedding_bag_dense_backward.default": _dense_backward,
    "aten._embedding_bag_forward_only.default": _embedding_bag,
    "aten._embedding_bag_per_sample_weights_backward.default": _weights_backward,
}

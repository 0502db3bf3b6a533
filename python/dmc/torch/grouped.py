# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of groups of rows, as mixtures of experts have them, and histograms.

Group g of a dimension is from offsets[g - 1], or 0, up to offsets[g]. Sizes of groups are values: an operand with a dimension
of groups, in which a row is zero where it is of another group, takes their place, and has as many elements as there are
groups times those of the operand. A split of that dimension is a split by experts.
"""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import Value
from .result import ProgramModule, Result


def _by_group(module: ProgramModule, x: Value, dim: int, offsets: Value) -> Value:
    """x with a first dimension of groups."""
    groups, size = offsets.shape[0], x.shape[dim]
    position = module.iota((groups, size), 1, offsets.dtype)
    end = module.broadcast_in_dim(offsets, (groups, size), [0])
    zero = module.constant(0, (1,), offsets.dtype)
    begin = module.concatenate([zero, module.slice_dim(offsets, 0, 0, groups - 1)], 0) if groups > 1 else zero
    begin = module.broadcast_in_dim(begin, (groups, size), [0])
    inside = module.logical_and(module.compare(position, begin, "GE"), module.compare(position, end, "LT"))
    shape = (groups, *x.shape)
    return module.select(module.broadcast_in_dim(inside, shape, [0, dim + 1]),
                         module.broadcast_in_dim(x, shape, range(1, x.rank + 1)), 0)


def _product(module: ProgramModule, left: Value, right: Value, offsets: Value | None) -> Value:
    """Of (rows, k) and (groups, k, n): a row's products with the matrix of its group; of (groups, m, k) and (k, columns) the
    same of columns; of (m, k) and (k, n): a product for each group of k; of operands of rank 3: a product for each."""
    if offsets is None or left.rank == right.rank == 3:
        return module.matmul(left, right)
    if right.rank == 3:
        return module.dot_general(_by_group(module, left, 0, offsets), right, ([0, 2], [0, 1]))
    if left.rank == 3:
        return module.dot_general(left, _by_group(module, right, 1, offsets), ([0, 2], [0, 1]))
    return module.dot_general(_by_group(module, left, 1, offsets), right, ([2], [0]))


def _grouped(module: ProgramModule, out: Result, left: Value, right: Value, offs: Value | None = None,
             bias: Value | None = None, out_dtype: typing.Any = None) -> Value:
    module.expect(bias is None, "unsupported aten._grouped_mm with a bias")
    return module.convert(_product(module, left, right, offs), out.dtype)


def _fallback(module: ProgramModule, out: Result, rows: Value, weights: Value, offsets: Value) -> Value:
    """The same as an operator of transformers, for types that torch's own does not have under torch.compile."""
    return _product(module, rows, weights, offsets)


def _fallback_gradient(module: ProgramModule, out: Sequence[Result], rows: Value, weights: Value, offsets: Value,
                       gradient: Value) -> list[Value]:
    return [_product(module, gradient, module.transpose(weights, [0, 2, 1]), offsets),
            _product(module, module.transpose(rows, [1, 0]), gradient, offsets)]


def _histogram(module: ProgramModule, out: Result, x: Value, bins: int = 100, min: typing.Any = 0,
               max: typing.Any = 0) -> Value:
    """histc: of as many bins of one width from min to max, which is in the last one; between the least and the largest
    element if both are 0. Other elements do not count."""
    flat = module.reshape(x, (math.prod(x.shape),))
    low, high = ((module.constant(value, (), x.dtype) for value in (min, max)) if min != max else
                 (module.reduce(flat, kind, [0]) for kind in ("min", "max")))
    if min == max:
        # A range of equal elements is widened by 1 on either side.
        is_empty = module.compare(low, high, "EQ")
        low, high = (module.select(is_empty, module.add(value, by), value) for value, by in ((low, -1), (high, 1)))
    low, high = (module.broadcast_in_dim(value, flat.shape, []) for value in (low, high))
    place = module.divide(module.multiply(module.subtract(flat, low), bins), module.subtract(high, low))
    place = module.minimum(module.floor(place), bins - 1)
    is_inside = module.logical_and(module.compare(flat, low, "GE"), module.compare(flat, high, "LE"))
    shape = (bins, *flat.shape)
    hits = module.compare(module.broadcast_in_dim(place, shape, [1]), module.convert(module.iota(shape, 0), x.dtype), "EQ")
    hits = module.logical_and(hits, module.broadcast_in_dim(is_inside, shape, [1]))
    return module.reduce(module.convert(hits, x.dtype), "sum", [1])


TABLE: dict[str, typing.Any] = {
    "aten._grouped_mm.default": _grouped,
    "aten.histc.default": _histogram,
    "transformers.grouped_mm_fallback.default": _fallback,
    "transformers.grouped_mm_fallback_backward.default": _fallback_gradient,
}

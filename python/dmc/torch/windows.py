# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling, its gradients, and pooling to a given size."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import numpy

from ..stablehlo import Value
from .indexing import gather_along
from .result import ProgramModule, Result, accumulator


class _Pool:
    """The window of a pooling operator on the last dimensions of x."""

    def __init__(self, x: Value, sizes: Sequence[int], count: int, kernel: Sequence[int], stride: Sequence[int],
                 padding: Sequence[int], dilation: Sequence[int] = (1,)):
        def expand(item: typing.Any) -> list[int]:
            values = [item] if isinstance(item, int) else list(item)
            return values * (count if len(values) == 1 else 1)

        self.count, self.lead = count, x.rank - count
        self.kernel = expand(kernel)
        self.stride = expand(stride) if stride not in (None, [], ()) else self.kernel
        self.pads, self.gaps = expand(padding), expand(dilation)
        self.image, self.sizes = x.shape[self.lead:], tuple(sizes[-count:])

    def _full(self, values: Sequence[int], fill: int = 1) -> list[int]:
        return [fill] * self.lead + list(values)

    def margins(self) -> list[tuple[int, int]]:
        """What to pad so that there are as many positions as the result has: more at the end with ceil_mode."""
        ends = [
            max(0, (size - 1) * stride + (kernel - 1) * gap + 1 - image - pad)
            for size, stride, kernel, gap, image, pad in zip(self.sizes, self.stride, self.kernel, self.gaps,
                                                             self.image, self.pads)
        ]
        return [(0, 0)] * self.lead + list(zip(self.pads, ends))

    def options(self) -> dict[str, typing.Any]:
        return {"window": self._full(self.kernel), "strides": self._full(self.stride), "padding": self.margins()}

    def counts(self, include_pad: bool, divisor: int | None) -> numpy.ndarray:
        """By how many elements each position's sum is divided."""
        total = numpy.ones((), "int64")
        for size, stride, kernel, image, pad in zip(self.sizes, self.stride, self.kernel, self.image, self.pads):
            begin = numpy.arange(size) * stride - pad
            end = numpy.minimum(begin + kernel, image + pad)
            if not include_pad:
                begin, end = numpy.maximum(begin, 0), numpy.minimum(end, image)
            total = total[..., None] * (end - begin)
        return numpy.full_like(total, divisor) if divisor else total


def _plane_index(module: ProgramModule, x: Value, count: int) -> Value:
    """The index of each element among those of the last dimensions."""
    index, lead = module.constant(0, x.shape, "i64"), x.rank - count
    for dim in range(lead, x.rank):
        index = module.add(module.multiply(index, x.shape[dim]), module.iota(x.shape, dim, "i64"))
    return index


def _max_pool(count: int) -> typing.Any:
    def build(module: ProgramModule, out: Sequence[Result], x: Value, kernel: Sequence[int],
              stride: Sequence[int] = (), padding: Sequence[int] = (0,), dilation: Sequence[int] = (1,),
              ceil_mode: bool = False) -> list[Value]:
        pool = _Pool(x, out[0].shape, count, kernel, stride, padding, dilation)
        gaps = [1] * pool.lead + pool.gaps
        values = module.reduce_window(x, "max", dilation=gaps, **pool.options())

        def take(best: Value, at: Value, value: Value, index: Value) -> list[Value]:
            better = module.logical_or(module.compare(value, best, "GT"), module.compare(at, -1, "EQ"))
            earlier = module.logical_and(module.compare(value, best, "EQ"), module.compare(index, at, "LT"))
            better = module.logical_and(module.logical_or(better, earlier), module.compare(index, -1, "NE"))
            return [module.select(better, value, best), module.select(better, index, at)]

        # Where nothing needs the indices, as the gradient below does not, the compiler removes them.
        indices = module.reduce_window_by([x, _plane_index(module, x, count)], [module.lowest(x.dtype), -1], take,
                                          dilation=gaps, **pool.options())[1]
        return [values, indices]

    return build


def scatter_in_planes(module: ProgramModule, gradient: Value, indices: Value, shape: Sequence[int],
                      count: int) -> Value:
    """Adds elements to zeros at indices among the elements of the last dimensions."""
    lead = tuple(shape[:-count])
    flat = module.constant(0, (math.prod(lead), math.prod(shape[-count:])), gradient.dtype)
    rows = [module.reshape(x, (math.prod(lead), -1)) for x in (indices, gradient)]
    return module.reshape(module.scatter_along(flat, rows[0], rows[1], 1, "add"), shape)


def _max_pool_backward(count: int) -> typing.Any:
    def build(module: ProgramModule, out: Result, gradient: Value, x: Value, kernel: Sequence[int],
              stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], ceil_mode: bool,
              indices: Value) -> Value:
        pool = _Pool(x, gradient.shape, count, kernel, stride, padding, dilation)
        if any(gap != 1 for gap in pool.gaps):
            return scatter_in_planes(module, gradient, indices, x.shape, count)
        return module.select_and_scatter(x, gradient, **pool.options())

    return build


def _average_pool(count: int) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, kernel: Sequence[int], stride: Sequence[int] = (),
              padding: Sequence[int] = (0,), ceil_mode: bool = False, include_pad: bool = True,
              divisor: int | None = None) -> Value:
        pool = _Pool(x, out.shape, count, kernel, stride, padding)
        total = module.reduce_window(module.convert(x, accumulator(x.dtype)), "sum", **pool.options())
        return module.convert(_divide(module, total, pool, include_pad, divisor), out.dtype)

    return build


def _divide(module: ProgramModule, x: Value, pool: _Pool, include_pad: bool, divisor: int | None) -> Value:
    counts = pool.counts(include_pad, divisor)
    if counts.size and (counts == counts.flat[0]).all():
        return module.divide(x, float(counts.flat[0]))
    each = module.constant(counts.astype("float64"), dtype=x.dtype)
    return module.divide(x, module.broadcast_to(each, x.shape))


def _average_pool_backward(count: int) -> typing.Any:
    """Each element gets the sum of the positions whose window covers it: sums of windows on the gradient, spread by
    the strides, of which those on the padding are cut off."""
    def build(module: ProgramModule, out: Result, gradient: Value, x: Value, kernel: Sequence[int],
              stride: Sequence[int], padding: Sequence[int], ceil_mode: bool, include_pad: bool,
              divisor: int | None) -> Value:
        pool = _Pool(x, gradient.shape, count, kernel, stride, padding)
        wide = _divide(module, module.convert(gradient, accumulator(gradient.dtype)), pool, include_pad, divisor)
        zeros = [0] * pool.lead
        edges = zeros + [size - 1 for size in pool.kernel]
        wide = module.pad(wide, 0, edges, edges, zeros + [size - 1 for size in pool.stride])
        total = module.reduce_window(wide, "sum", [1] * pool.lead + pool.kernel)
        low = zeros + [-pad for pad in pool.pads]
        high = zeros + [image + pad - size for image, pad, size in zip(pool.image, pool.pads, total.shape[pool.lead:])]
        return module.convert(module.pad(total, 0, low, high), out.dtype)

    return build


def matrix_along(module: ProgramModule, x: Value, matrix: numpy.ndarray, dim: int) -> Value:
    """Replaces a dimension by the product with a constant matrix, of rows of the result and columns of x."""
    dim = dim % x.rank
    product = module.dot_general(x, module.constant(matrix, dtype=x.dtype), ([dim], [1]))
    return module.move_dim(product, -1, dim)


def adaptive_matrix(size: int, result: int) -> numpy.ndarray:
    """The averages of adaptive pooling, one a row."""
    matrix = numpy.zeros((result, size))
    for i in range(result):
        begin, end = i * size // result, -((-(i + 1) * size) // result)
        matrix[i, begin:end] = 1 / (end - begin)
    return matrix


def _adaptive_pool(count: int) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, sizes: Sequence[int]) -> Value:
        wide = module.convert(x, accumulator(x.dtype))
        for dim in range(x.rank - count, x.rank):
            wide = matrix_along(module, wide, adaptive_matrix(x.shape[dim], out.shape[dim]), dim)
        return module.convert(wide, out.dtype)

    return build


def _adaptive_pool_backward(count: int) -> typing.Any:
    def build(module: ProgramModule, out: Result, gradient: Value, x: Value) -> Value:
        wide = module.convert(gradient, accumulator(gradient.dtype))
        for dim in range(x.rank - count, x.rank):
            wide = matrix_along(module, wide, adaptive_matrix(x.shape[dim], gradient.shape[dim]).T, dim)
        return module.convert(wide, out.dtype)

    return build


def _adaptive_max_pool(count: int) -> typing.Any:
    """The elements of each window side by side, those beyond a shorter window as the least."""
    def build(module: ProgramModule, out: Sequence[Result], x: Value, sizes: Sequence[int]) -> list[Value]:
        lead, index = x.rank - count, _plane_index(module, x, count)
        inside = module.constant(True, x.shape, "i1")
        for i in range(count):
            dim = lead + 2 * i
            size, result = x.shape[dim], out[0].shape[lead + i]
            begin = numpy.arange(result) * size // result
            end = -((-(numpy.arange(result) + 1) * size) // result)
            places = begin[:, None] + numpy.arange((end - begin).max(initial=0))[None]
            valid = module.constant(places < end[:, None], dtype="i1")
            chosen = module.constant(numpy.minimum(places, size - 1), dtype="i64")
            x, index, inside = (module.take(item, chosen, dim) for item in (x, index, inside))
            inside = module.logical_and(inside, module.broadcast_in_dim(valid, x.shape, [dim, dim + 1]))
        order = [*range(lead), *range(lead, x.rank, 2), *range(lead + 1, x.rank, 2)]
        shape = (*out[0].shape, -1)
        x, index, inside = (module.reshape(module.transpose(item, order), shape) for item in (x, index, inside))
        x = module.select(inside, x, module.lowest(x.dtype))
        place = module.expand_dims(module.arg_reduce(x, "max", -1), [-1])
        return [module.reduce(x, "max", [-1]), module.reshape(gather_along(module, index, place, -1), out[1].shape)]

    return build


def _replication_backward(count: int) -> typing.Any:
    """Each element of the edge gets what its copies get."""
    def build(module: ProgramModule, out: Result, gradient: Value, x: Value, padding: Sequence[int]) -> Value:
        wide = module.convert(gradient, accumulator(gradient.dtype))
        for i in range(count):
            dim = x.rank - 1 - i
            source = numpy.clip(numpy.arange(gradient.shape[dim]) - padding[2 * i], 0, x.shape[dim] - 1)
            matrix = source[None] == numpy.arange(x.shape[dim])[:, None]
            wide = matrix_along(module, wide, matrix.astype("float64"), dim)
        return module.convert(wide, out.dtype)

    return build


def _adaptive_max_pool_backward(count: int) -> typing.Any:
    return lambda module, out, gradient, x, indices: scatter_in_planes(module, gradient, indices, x.shape, count)


TABLE: dict[str, typing.Any] = {f"aten.max_pool{n}d_with_indices.default": _max_pool(n) for n in (2, 3)} | {
    f"aten.max_pool{n}d_with_indices_backward.default": _max_pool_backward(n) for n in (2, 3)
} | {f"aten.avg_pool{n}d.default": _average_pool(n) for n in (1, 2, 3)} | {
    f"aten.avg_pool{n}d_backward.default": _average_pool_backward(n) for n in (2, 3)
} | {f"aten._adaptive_avg_pool{n}d.default": _adaptive_pool(n) for n in (2, 3)} | {
    f"aten._adaptive_avg_pool{n}d_backward.default": _adaptive_pool_backward(n) for n in (2, 3)
} | {f"aten.adaptive_avg_pool{n}d.default": _adaptive_pool(n) for n in (1, 2, 3)} | {
    f"aten.adaptive_max_pool{n}d.default": _adaptive_max_pool(n) for n in (2, 3)
} | {f"aten.replication_pad{n}d_backward.default": _replication_backward(n) for n in (1, 2, 3)} | {
    f"aten.adaptive_max_pool{n}d_backward.default": _adaptive_max_pool_backward(n) for n in (2, 3)
}

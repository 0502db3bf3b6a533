# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, slices and constants."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import numpy

from ..stablehlo import FLOATS, Value
from .elementwise import cast
from .result import ProgramModule, Result


def _reshape(module: ProgramModule, out: Result, x: Value, *_: typing.Any, **__: typing.Any) -> Value:
    return module.reshape(x, out.shape)


def _view_dtype(module: ProgramModule, out: Result, x: Value, *_: typing.Any) -> Value:
    module.expect(x.shape == out.shape, f"unsupported aten.view.dtype of {x} to another width, {out.dtype}")
    return module.bitcast_convert(x, out.dtype)


def _expand(module: ProgramModule, out: Result, x: Value, *_: typing.Any, **__: typing.Any) -> Value:
    return module.broadcast_to(x, out.shape)


def _full(module: ProgramModule, out: Result, _: typing.Any, value: typing.Any, **__: typing.Any) -> Value:
    return cast(module, out, value)


def _constant(value: typing.Any) -> typing.Any:
    """What the memory holds of an `empty` is zero: no program may depend on it."""
    return lambda module, out, *_, **__: module.constant(value, out.shape, out.dtype)


def _transpose(module: ProgramModule, out: Result, x: Value, first: int, second: int) -> Value:
    order = list(range(x.rank))
    if order:
        order[first], order[second] = order[second], order[first]
    return module.transpose(x, order)


def _bounds(x: Value, dim: int, start: int | None, end: int | None, step: int) -> tuple[int, int, int]:
    low, high, step = slice(start, end, step).indices(x.shape[dim])
    return low, max(low, high), step


def _slice(module: ProgramModule, out: Result, x: Value, dim: int = 0, start: int | None = None,
           end: int | None = None, step: int = 1) -> Value:
    return module.slice_dim(x, dim, *_bounds(x, dim, start, end, step))


def _put(module: ProgramModule, x: Value, update: Value, dim: int, low: int, step: int) -> Value:
    """x with every step-th slice from `low` on replaced by those of the update."""
    dim, count = dim % x.rank, update.shape[dim % x.rank]
    if step == 1:
        pieces = [module.slice_dim(x, dim, 0, low), update, module.slice_dim(x, dim, low + count, x.shape[dim])]
        return module.concatenate([piece for piece in pieces if piece.shape[dim]] or [update], dim)
    behind = x.shape[dim] - low - max(count - 1, 0) * step - (1 if count else 0)
    low_pads, high_pads, gaps = [0] * x.rank, [0] * x.rank, [0] * x.rank
    low_pads[dim], high_pads[dim], gaps[dim] = low, behind, step - 1
    marks = numpy.zeros(x.shape[dim], bool)
    marks[low:low + count * step:step] = True
    here = module.broadcast_in_dim(module.constant(marks, dtype="i1"), x.shape, [dim])
    return module.select(here, module.pad(update, 0, low_pads, high_pads, gaps), x)


def _slice_scatter(module: ProgramModule, out: Result, x: Value, source: Value, dim: int = 0, start: int | None = None,
                   end: int | None = None, step: int = 1) -> Value:
    low, high, step = _bounds(x, dim, start, end, step)
    shape = list(x.shape)
    shape[dim] = len(range(low, high, step))
    return _put(module, x, module.broadcast_to(module.convert(source, x.dtype), shape), dim, low, step)


def _select(module: ProgramModule, out: Result, x: Value, dim: int, index: int) -> Value:
    low = index % x.shape[dim]
    return module.reshape(module.slice_dim(x, dim, low, low + 1), out.shape)


def _select_scatter(module: ProgramModule, out: Result, x: Value, source: Value, dim: int, index: int) -> Value:
    update = module.expand_dims(module.convert(source, x.dtype), [dim % x.rank])
    return _put(module, x, update, dim, index % x.shape[dim], 1)


def _split(module: ProgramModule, out: Sequence[Result], x: Value, sizes: typing.Any, dim: int = 0) -> list[Value]:
    results, low = [], 0
    for part in out:
        results.append(module.slice_dim(x, dim, low, low + part.shape[dim]))
        low += part.shape[dim]
    return results


def _unbind(module: ProgramModule, out: Sequence[Result], x: Value, dim: int = 0) -> list[Value]:
    return [_select(module, part, x, dim, i) for i, part in enumerate(out)]


def _cat(module: ProgramModule, out: Result, values: Sequence[Value], dim: int = 0) -> Value:
    kept = [module.convert(x, out.dtype) for x in values if x.shape != (0,) or len(out.shape) == 1]
    return module.concatenate(kept, dim)


def _pad(module: ProgramModule, out: Result, x: Value, sizes: Sequence[int], value: typing.Any = 0) -> Value:
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(sizes) // 2):
        low[-1 - i], high[-1 - i] = sizes[2 * i], sizes[2 * i + 1]
    return module.pad(x, value, low, high)


def _repeat(module: ProgramModule, out: Result, x: Value, repeats: Sequence[int]) -> Value:
    x = module.reshape(x, (1,) * (len(repeats) - x.rank) + x.shape)
    sizes = [size for pair in zip(repeats, x.shape) for size in pair]
    wide = module.broadcast_in_dim(x, sizes, range(1, 2 * x.rank, 2))
    return module.reshape(wide, out.shape)


def _arange(module: ProgramModule, out: Result, start: typing.Any, end: typing.Any, step: typing.Any = 1,
            **_: typing.Any) -> Value:
    if not out.shape[0]:
        return module.constant(0, out.shape, out.dtype)
    kind = "f64" if out.dtype in FLOATS else "i64"
    index = module.iota(out.shape, 0, kind)
    return module.convert(module.add(module.multiply(index, step), start), out.dtype)


def _diagonal(module: ProgramModule, out: Result, x: Value, offset: int = 0, first: int = 0, second: int = 1) -> Value:
    """The two dimensions as one, of which every (size + 1)-th element is on the diagonal."""
    first, second = first % x.rank, second % x.rank
    others = [dim for dim in range(x.rank) if dim not in (first, second)]
    x = module.transpose(x, [*others, first, second])
    rows, columns, count = x.shape[-2], x.shape[-1], out.shape[-1]
    begin = offset if offset >= 0 else -offset * columns
    flat = module.reshape(x, (*x.shape[:-2], rows * columns))
    limit = begin + (count - 1) * (columns + 1) + 1 if count else begin
    return module.slice_dim(flat, -1, min(begin, rows * columns), min(limit, rows * columns), columns + 1)


def _diagonal_scatter(module: ProgramModule, out: Result, x: Value, source: Value, offset: int = 0, first: int = 0,
                      second: int = 1) -> Value:
    first, second = first % x.rank, second % x.rank
    others = [dim for dim in range(x.rank) if dim not in (first, second)]
    # The source along the rows, its elements at those that the diagonal crosses.
    low, high = [0] * source.rank, [0] * source.rank
    low[-1] = max(-offset, 0)
    high[-1] = x.shape[first] - low[-1] - source.shape[-1]
    wide = module.broadcast_in_dim(module.pad(source, 0, low, high), x.shape, [*others, first])
    row, column = (module.iota(x.shape, dim, "i64") for dim in (first, second))
    return module.select(module.compare(module.subtract(column, row), offset, "EQ"), wide, x)


def _strided_places(size: Sequence[int], stride: Sequence[int], offset: int | None) -> numpy.ndarray:
    places = numpy.full(size, offset or 0, "int64")
    for dim, step in enumerate(stride):
        places += numpy.arange(size[dim]).reshape([-1 if i == dim else 1 for i in range(len(size))]) * step
    return places


def _as_strided_scatter(module: ProgramModule, out: Result, x: Value, source: Value, size: Sequence[int],
                        stride: Sequence[int], offset: int | None = None) -> Value:
    places = _strided_places(size, stride, offset).reshape(-1)
    flat = module.reshape(x, (math.prod(x.shape),))
    values = module.reshape(module.convert(source, x.dtype), places.shape)
    return module.reshape(module.scatter(flat, module.constant(places, dtype="i64"), values, inserted=[0],
                                         scatter_map=[0], vector=1), x.shape)


def _as_strided(module: ProgramModule, out: Result, x: Value, size: Sequence[int], stride: Sequence[int],
                offset: int | None = None) -> Value:
    """Elements of the flat tensor; the importer sees values, which are contiguous."""
    places = _strided_places(size, stride, offset)
    if not places.size:
        return module.constant(0, out.shape, out.dtype)
    flat = module.reshape(x, (math.prod(x.shape),))
    last = int(places.max(initial=-1))
    module.expect(last < flat.shape[0], f"unsupported aten.as_strided.default of {x}: expected a view of all elements")
    if numpy.array_equal(places.ravel(), numpy.arange(places.size) + places.flat[0]):
        begin = int(places.flat[0])
        return module.reshape(module.slice_dim(flat, 0, begin, begin + places.size), out.shape)
    return module.take(flat, module.constant(places, dtype="i64"), 0)


def _triangle(keep: str) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, diagonal: int = 0) -> Value:
        row, column = (module.iota(x.shape, dim, "i64") for dim in (-2, -1))
        inside = module.compare(module.subtract(column, row), diagonal, keep)
        return module.select(inside, x, module.constant(False if x.dtype == "i1" else 0, x.shape, x.dtype))

    return build


def _triangle_indices(of: typing.Any) -> typing.Any:
    def build(module: ProgramModule, out: Result, rows: int, columns: int, offset: int = 0, **_: typing.Any) -> Value:
        return module.constant(numpy.array(of(rows, offset, columns)), out.shape, out.dtype)

    return build


def _unfold(module: ProgramModule, out: Result, x: Value, dim: int, size: int, step: int) -> Value:
    """Windows of a dimension, whose elements become the last dimension."""
    if not x.rank:
        return module.reshape(x, out.shape)
    dim = dim % x.rank
    places = numpy.arange(out.shape[dim])[:, None] * step + numpy.arange(size)[None]
    return module.move_dim(module.take(x, module.constant(places, dtype="i64"), dim), dim + 1, -1)


def _roll(module: ProgramModule, out: Result, x: Value, shifts: typing.Any, dims: typing.Any = ()) -> Value:
    shifts, dims = ([item] if isinstance(item, int) else list(item) for item in (shifts, dims))
    if not dims:
        return module.reshape(_roll(module, out, module.reshape(x, (math.prod(x.shape),)), shifts, [0]), x.shape)
    for shift, dim in zip(shifts, dims):
        size = x.shape[dim]
        cut = (size - shift) % size if size else 0
        if cut:
            x = module.concatenate([module.slice_dim(x, dim, cut, size), module.slice_dim(x, dim, 0, cut)], dim)
    return x


_RESHAPES = ("view.default", "_unsafe_view.default", "reshape.default", "unsqueeze.default", "squeeze.default",
             "squeeze.dim", "squeeze.dims", "view_copy.default", "_reshape_copy.default", "unsqueeze_copy.default",
             "squeeze_copy.dims", "_reshape_alias.default", "view_as.default", "flatten.using_ints")

TABLE: dict[str, typing.Any] = {f"aten.{name}": _reshape for name in _RESHAPES} | {
    f"aten.{name}": _constant(value)
    for value, names in ((0, ("zeros.default", "zeros_like.default", "new_zeros.default", "empty.memory_format",
                              "empty_like.default", "empty_strided.default", "empty_permuted.default",
                              "new_empty.default", "new_empty_strided.default", "_efficientzerotensor.default")),
                         (1, ("ones.default", "ones_like.default", "new_ones.default"))) for name in names
} | {
    "aten.arange.default": lambda module, out, end, **_: _arange(module, out, 0, end),
    "aten.arange.start": _arange,
    "aten.arange.start_step": _arange,
    "aten.as_strided.default": _as_strided,
    "aten.as_strided_copy.default": _as_strided,
    "aten.as_strided_scatter.default": _as_strided_scatter,
    "aten.cat.default": _cat,
    "aten.constant_pad_nd.default": _pad,
    "aten.diagonal.default": _diagonal,
    "aten.diagonal_copy.default": _diagonal,
    "aten.diagonal_scatter.default": _diagonal_scatter,
    "aten.expand.default": _expand,
    "aten.expand_copy.default": _expand,
    "aten.flip.default": lambda module, out, x, dims: module.reverse(x, dims),
    "aten.full.default": _full,
    "aten.full_like.default": _full,
    "aten.new_full.default": lambda module, out, x, size, value, **_: cast(module, out, value),
    "aten.narrow_copy.default": lambda module, out, x, dim, start, length: module.slice_dim(
        x, dim, start % max(x.shape[dim], 1), start % max(x.shape[dim], 1) + length),
    "aten.permute.default": lambda module, out, x, dims: module.transpose(x, dims),
    "aten.permute_copy.default": lambda module, out, x, dims: module.transpose(x, dims),
    "aten.repeat.default": _repeat,
    "aten.roll.default": _roll,
    "aten.scalar_tensor.default": lambda module, out, value, **_: module.constant(value, (), out.dtype),
    "aten.select.int": _select,
    "aten.select_scatter.default": _select_scatter,
    "aten.slice.Tensor": _slice,
    "aten.slice_scatter.default": _slice_scatter,
    "aten.split.Tensor": _split,
    "aten.split_with_sizes.default": _split,
    "aten.split_with_sizes_copy.default": _split,
    "aten.t.default": lambda module, out, x: module.transpose(x, list(range(x.rank))[::-1]),
    "aten.transpose.int": _transpose,
    "aten.transpose_copy.int": _transpose,
    "aten.tril.default": _triangle("LE"),
    "aten.tril_indices.default": _triangle_indices(numpy.tril_indices),
    "aten.triu.default": _triangle("GE"),
    "aten.triu_indices.default": _triangle_indices(numpy.triu_indices),
    "aten.unbind.int": _unbind,
    "aten.unbind_copy.int": _unbind,
    "aten.unfold.default": _unfold,
    "aten.unfold_copy.default": _unfold,
    "aten.view.dtype": _view_dtype,
}

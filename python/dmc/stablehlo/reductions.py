# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, of dimensions and of windows, and sorts."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy

from .contraction import Contraction, Padding, padding_text, window_size
from .core import Body, Operand, Value, array_text
from .types import FLOATS, UNSIGNED, bits_of

_BODIES = {
    "sum": "add", "product": "multiply", "max": "maximum", "min": "minimum", "and": "logical_and", "or": "logical_or"
}


class Reductions(Contraction):
    """reduce, reduce_window, select_and_scatter, sort and top_k."""

    def lowest(self, dtype: str) -> int | float | bool:
        """What no element of the type is less than."""
        if dtype in FLOATS:
            return -numpy.inf
        return 0 if dtype == "i1" or dtype in UNSIGNED else -(1 << bits_of(dtype) - 1)

    def highest(self, dtype: str) -> int | float | bool:
        """What no element of the type is greater than."""
        if dtype in FLOATS:
            return numpy.inf
        return (1 << bits_of(dtype) - (dtype != "i1" and dtype not in UNSIGNED)) - 1

    def neutral(self, kind: str, dtype: str) -> int | float | bool:
        """The initial value of a reduction: of sum, product, max, min, and, or."""
        values = {"sum": 0, "product": 1, "max": self.lowest(dtype), "min": self.highest(dtype), "or": 0,
                  "and": 1 if dtype == "i1" else -1}
        self.expect(kind in values, f"expected a reduction of {', '.join(values)}, found {kind!r}")
        if kind == "and" and dtype in UNSIGNED:
            return self.highest(dtype)
        return values[kind]

    def _combine(self, kind: str, dtype: str) -> tuple[str, Value]:
        """The region of a reduction and its initial value."""
        init = self.constant(self.neutral(kind, dtype), (), dtype)
        return self.region([((), dtype)] * 2, getattr(self, _BODIES[kind]))[0], init

    def reduce(self, x: Value, kind: str, dims: Iterable[int] | None = None, keep_dims: bool = False) -> Value:
        """The sum, product, max, min, and, or over dimensions (default: all), which are dropped or get the size 1.
        Maxima of no elements are -inf or the least integer; floats of 16 bits are added in their own type."""
        places = self.dims(range(x.rank) if dims is None else dims, x.rank)
        shape = [size for dim, size in enumerate(x.shape) if dim not in places]
        region, init = self._combine(kind, x.dtype)
        result = x if not places else self.emit("stablehlo.reduce", [x, init], [(tuple(shape), x.dtype)],
                                                f"dimensions = {array_text(sorted(places))}", [region])[0]
        return self.expand_dims(result, sorted(places)) if keep_dims else result

    def reduce_by(self, values: Sequence[Value], inits: Sequence[Operand], dims: Iterable[int],
                  body: Body) -> list[Value]:
        """A reduction of several values of one shape: body(*sofar, *elements) gives the new ones, all of rank 0."""
        shape, count = values[0].shape, len(values)
        self.expect(
            all(value.shape == shape for value in values) and len(inits) == count,
            "expected values of one shape and as many initial values")
        places = sorted(self.dims(dims, len(shape)))
        starts = [
            init if isinstance(init, Value) else self.constant(init, (), value.dtype)
            for init, value in zip(inits, values)
        ]
        types = [((), value.dtype) for value in values]
        region, results = self.region(types * 2, body)
        self._same_types("the body of reduce", results, types)
        rest = tuple(size for dim, size in enumerate(shape) if dim not in places)
        return self.emit("stablehlo.reduce", [*values, *starts], [(rest, dtype) for _, dtype in types],
                         f"dimensions = {array_text(places)}", [region])

    def _same_types(self, what: str, found: Sequence[Value], expected: Sequence[tuple[tuple[int, ...], str]]) -> None:
        types = [(value.shape, value.dtype) for value in found]
        self.expect(types == list(expected), f"expected {what} to give {list(expected)}, found {types}")

    def arg_reduce(self, x: Value, kind: str, dim: int, dtype: str = "i64", last: bool = False) -> Value:
        """The index of the "max" or "min" in a dimension, which is dropped: the first of equal ones, or the last. NaN counts
        as the greatest of a maximum and the least of a minimum."""
        self.expect(kind in ("max", "min"), f"expected 'max' or 'min', found {kind!r}")
        dim = self.dim(dim, x.rank)

        def body(best: Value, at: Value, value: Value, index: Value) -> list[Value]:
            take = self.compare(value, best, "GT" if kind == "max" else "LT")
            same = self.compare(value, best, "EQ")
            if x.dtype in FLOATS:
                new, old = self.is_nan(value), self.is_nan(best)
                take = self.logical_or(self.logical_and(take, self.logical_not(old)),
                                       self.logical_and(new, self.logical_not(old)))
                same = self.logical_or(same, self.logical_and(new, old))
            nearer = self.compare(index, at, "GT" if last else "LT")
            # The initial index is none, so that an element that equals the initial value is taken.
            nearer = self.logical_or(nearer, self.compare(at, -1, "EQ"))
            take = self.logical_or(take, self.logical_and(same, nearer))
            return [self.select(take, value, best), self.select(take, index, at)]

        indices = self.iota(x.shape, dim, dtype)
        return self.reduce_by([x, indices], [self.neutral(kind, x.dtype), -1], [dim], body)[1]

    def _window(self, x: Value, window: Sequence[int], strides: Sequence[int] | None, padding: Padding | None,
                dilation: Sequence[int] | None, base: Sequence[int] | None) -> tuple[tuple[int, ...], str]:
        """The shape of the positions, and the window's attributes; one entry of each for each dimension."""
        ones = [1] * x.rank
        steps, gaps, inner, pairs = strides or ones, dilation or ones, base or ones, padding or [(0, 0)] * x.rank
        self.expect(
            all(len(item) == x.rank for item in (window, steps, gaps, inner, pairs))
            and min([*window, *steps, *gaps, *inner], default=1) > 0,
            f"expected a window, strides, dilations and padding for each dimension of {x}")
        shape = tuple(window_size(*numbers) for numbers in zip(x.shape, window, steps, pairs, inner, gaps))
        text = f"window_dimensions = {array_text(window)}, window_strides = {array_text(steps)}, padding = {padding_text(pairs)}"
        if any(gap != 1 for gap in (*gaps, *inner)):
            text += f", base_dilations = {array_text(inner)}, window_dilations = {array_text(gaps)}"
        return shape, text

    def reduce_window(self,
                      x: Value,
                      kind: str,
                      window: Sequence[int],
                      *,
                      strides: Sequence[int] | None = None,
                      padding: Padding | None = None,
                      dilation: Sequence[int] | None = None,
                      base_dilation: Sequence[int] | None = None) -> Value:
        """A reduction of each position of a window, which has an entry for each dimension; what padding adds is neutral."""
        shape, attributes = self._window(x, window, strides, padding, dilation, base_dilation)
        region, init = self._combine(kind, x.dtype)
        return self.emit("stablehlo.reduce_window", [x, init], [(shape, x.dtype)], attributes, [region])[0]

    def reduce_window_by(self,
                         values: Sequence[Value],
                         inits: Sequence[Operand],
                         body: Body,
                         window: Sequence[int],
                         *,
                         strides: Sequence[int] | None = None,
                         padding: Padding | None = None,
                         dilation: Sequence[int] | None = None) -> list[Value]:
        """reduce_window of several values of one shape by a body as of reduce_by."""
        shape, attributes = self._window(values[0], window, strides, padding, dilation, None)
        starts = [
            init if isinstance(init, Value) else self.constant(init, (), value.dtype)
            for init, value in zip(inits, values)
        ]
        types = [((), value.dtype) for value in values]
        region, results = self.region(types * 2, body)
        self._same_types("the body of reduce_window", results, types)
        return self.emit("stablehlo.reduce_window", [*values, *starts], [(shape, dtype) for _, dtype in types],
                         attributes, [region])

    def select_and_scatter(self,
                           x: Value,
                           source: Value,
                           window: Sequence[int],
                           *,
                           select: str = "GE",
                           strides: Sequence[int] | None = None,
                           padding: Padding | None = None) -> Value:
        """Adds each element of `source`, one for each position of a window on x, to the element of the window that compares
        so to all others: the gradient of a maximum (GE) or minimum (LE) of windows. Of the shape of x."""
        shape, attributes = self._window(x, window, strides, padding, None, None)
        self.expect((source.shape, source.dtype) == (shape, x.dtype),
                    f"expected a source of shape {shape} and {x.dtype}, found {source}")
        choose = self.region([((), x.dtype)] * 2, lambda a, b: self.compare(a, b, select))[0]
        region, init = self._combine("sum", x.dtype)
        return self.emit("stablehlo.select_and_scatter", [x, source, init], [(x.shape, x.dtype)], attributes,
                         [choose, region])[0]

    def sort(self,
             values: Sequence[Value],
             dim: int,
             descending: bool = False,
             before: Body | None = None) -> list[Value]:
        """Sorts values of one shape by the first of them, stably, NaN last (first if descending). before: another order,
        called with two elements of each value; i1 of rank 0."""
        first = values[0]
        dim = self.dim(dim, first.rank)
        self.expect(all(value.shape == first.shape for value in values), "expected values of one shape to sort")

        def precedes(a: Value, b: Value, *_: Value) -> Value:
            order = self.compare(a, b, "GT" if descending else "LT")
            if first.dtype not in FLOATS:
                return order
            low, high = (a, b) if descending else (b, a)
            return self.logical_or(order, self.logical_and(self.is_nan(low), self.logical_not(self.is_nan(high))))

        region, results = self.region([((), value.dtype) for value in values for _ in range(2)], before or precedes)
        self._same_types("the order of sort", results, [((), "i1")])
        return self.emit("stablehlo.sort", list(values), [(value.shape, value.dtype) for value in values],
                         f"dimension = {dim} : i64, is_stable = true", [region])

    def top_k(self, x: Value, k: int, dim: int = -1, largest: bool = True, dtype: str = "i64") -> tuple[Value, Value]:
        """The k first of the sorted elements of a dimension and their indices."""
        dim = self.dim(dim, x.rank)
        self.expect(0 <= k <= x.shape[dim],
                    f"expected at most {x.shape[dim]} elements of dimension {dim}, found k = {k}")
        ordered = self.sort([x, self.iota(x.shape, dim, dtype)], dim, largest)
        values, indices = (self.slice_dim(value, dim, 0, k) for value in ordered)
        return values, indices

    def cumulative(self, x: Value, kind: str, dim: int, exclusive: bool = False, reverse: bool = False) -> Value:
        """At each index of a dimension the reduction of the elements up to it, from the other end if reverse, without the
        element itself if exclusive."""
        dim = self.dim(dim, x.rank)
        size = x.shape[dim]
        if not size:
            return x
        window, padding = [1] * x.rank, [(0, 0)] * x.rank
        window[dim] = size
        padding[dim] = (0, size - 1) if reverse else (size - 1, 0)
        if exclusive:
            inner = self.slice_dim(x, dim, 1, size) if reverse else self.slice_dim(x, dim, 0, size - 1)
            low, high = [0] * x.rank, [0] * x.rank
            (high if reverse else low)[dim] = 1
            x = self.pad(inner, self.neutral(kind, x.dtype), low, high)
        return self.reduce_window(x, kind, window, padding=padding)

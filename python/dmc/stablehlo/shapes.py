# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements: reshapes, broadcasts, slices, pads and concatenations, and numpy's rules for shapes."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .core import Core, Operand, Value, array_text
from .elementwise import Elementwise
from .types import Shape, check_dtype, check_shape, promote_dtypes


class Shapes(Elementwise, Core):
    """Shapes and slices."""

    def dim(self, dim: int, rank: int, what: str = "dimension") -> int:
        """A dimension that may count from the last, as one that counts from the first."""
        self.expect(-rank <= dim < rank, f"expected a {what} of rank {rank}, found {dim}")
        return dim + rank if dim < 0 else dim

    def dims(self, dims: Iterable[int], rank: int) -> list[int]:
        """Distinct dimensions, each counted from the first."""
        found = [self.dim(dim, rank) for dim in dims]
        self.expect(len(set(found)) == len(found), f"expected distinct dimensions, found {found}")
        return found

    def reshape(self, x: Value, shape: Iterable[int]) -> Value:
        """The same elements in row-major order; one size may be -1."""
        sizes = list(shape)
        if sizes.count(-1) == 1:
            known = math.prod(size for size in sizes if size != -1)
            self.expect(known > 0 and math.prod(x.shape) % known == 0, f"cannot reshape {x} to {tuple(sizes)}")
            sizes[sizes.index(-1)] = math.prod(x.shape) // known
        result = check_shape(sizes)
        self.expect(math.prod(result) == math.prod(x.shape), f"cannot reshape {x} to {result}")
        return x if result == x.shape else self.emit("stablehlo.reshape", [x], [(result, x.dtype)])[0]

    def expand_dims(self, x: Value, dims: Iterable[int]) -> Value:
        """Adds dimensions of size 1, at these positions of the result."""
        added = list(dims)
        rank = x.rank + len(added)
        places = self.dims(added, rank)
        sizes = iter(x.shape)
        return self.reshape(x, [1 if dim in places else next(sizes) for dim in range(rank)])

    def squeeze(self, x: Value, dims: Iterable[int]) -> Value:
        """Removes dimensions of size 1."""
        removed = self.dims(dims, x.rank)
        for dim in removed:
            self.expect(x.shape[dim] == 1, f"expected dimension {dim} of size 1, found {x}")
        return self.reshape(x, [size for dim, size in enumerate(x.shape) if dim not in removed])

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        """Dimension i of the result is dimension permutation[i] of x."""
        order = self.dims(permutation, x.rank)
        self.expect(len(order) == x.rank, f"expected a permutation of {x.rank} dimensions, found {list(permutation)}")
        if order == list(range(x.rank)):
            return self._own(x)
        return self.emit("stablehlo.transpose", [x], [(tuple(x.shape[dim] for dim in order), x.dtype)],
                         f"permutation = {array_text(order)}")[0]

    def move_dim(self, x: Value, source: int, target: int) -> Value:
        """numpy.moveaxis of one dimension."""
        source, target = self.dim(source, x.rank), self.dim(target, x.rank)
        order = [dim for dim in range(x.rank) if dim != source]
        order.insert(target, source)
        return self.transpose(x, order)

    def broadcast_in_dim(self, x: Value, shape: Iterable[int], dims: Sequence[int]) -> Value:
        """Dimension i of x, of size 1 or of the result's, is dimension dims[i] of the result."""
        sizes = check_shape(shape)
        places = self.dims(dims, len(sizes))
        self.expect(len(places) == x.rank, f"expected {x.rank} dimensions to broadcast {x}, found {places}")
        for dim, place in enumerate(places):
            self.expect(x.shape[dim] in (1, sizes[place]), f"cannot broadcast {x} to {sizes} by dimensions {places}")
        return self.emit("stablehlo.broadcast_in_dim", [x], [(sizes, x.dtype)],
                         f"broadcast_dimensions = {array_text(places)}")[0]

    def broadcast_to(self, x: Operand, shape: Iterable[int], dtype: str | None = None) -> Value:
        """numpy's broadcast; dtype: of a number in place of a value."""
        sizes = check_shape(shape)
        if not isinstance(x, Value):
            return self.constant(x, sizes, dtype)
        self.expect(x.rank <= len(sizes), f"cannot broadcast {x} to {sizes}")
        if x.shape == sizes:
            return self._own(x)
        return self.broadcast_in_dim(x, sizes, range(len(sizes) - x.rank, len(sizes)))

    def broadcast_shapes(self, *shapes: Shape) -> Shape:
        """numpy's common shape."""
        result: list[int] = [1] * max((len(shape) for shape in shapes), default=0)
        for shape in shapes:
            for place, size in enumerate(shape, len(result) - len(shape)):
                self.expect(size == 1 or result[place] in (1, size),
                            f"cannot broadcast shapes {' and '.join(map(str, shapes))} together")
                result[place] = size if size != 1 else result[place]
        return tuple(result)

    def broadcast_together(self, *values: Value) -> list[Value]:
        """All values in their common shape."""
        shape = self.broadcast_shapes(*(value.shape for value in values))
        return [self.broadcast_to(value, shape) for value in values]

    def promote(self, *values: Value) -> list[Value]:
        """All values in the type that numpy computes in."""
        dtype = promote_dtypes(*(value.dtype for value in values))
        return [self.convert(value, dtype) for value in values]

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        """Values of one type along a dimension; their other sizes are equal."""
        self.expect(len(values) > 0, "expected at least one value to concatenate")
        first = values[0]
        dim = self.dim(dim, first.rank)
        for value in values:
            same = value.dtype == first.dtype and value.shape[:dim] + value.shape[
                dim + 1:] == first.shape[:dim] + first.shape[dim + 1:]
            self.expect(same and value.rank == first.rank,
                        f"cannot concatenate {first} and {value} along dimension {dim}")
        shape = first.shape[:dim] + (sum(value.shape[dim] for value in values),) + first.shape[dim + 1:]
        if len(values) == 1:
            return self._own(first)
        return self.emit("stablehlo.concatenate", list(values), [(shape, first.dtype)], f"dimension = {dim} : i64")[0]

    def slice(self,
              x: Value,
              starts: Sequence[int],
              limits: Sequence[int],
              strides: Sequence[int] | None = None) -> Value:
        """x[start:limit:stride, ...] with 0 <= start <= limit <= size and positive strides, one of each a dimension."""
        steps = list(strides or [1] * x.rank)
        self.expect(
            len(starts) == len(limits) == len(steps) == x.rank,
            f"expected {x.rank} starts, limits and strides, one a dimension of {x}")
        for size, start, limit, step in zip(x.shape, starts, limits, steps):
            self.expect(0 <= start <= limit <= size and step > 0,
                        f"cannot slice {x} from {list(starts)} to {list(limits)} by {steps}")
        shape = tuple((limit - start + step - 1) // step for start, limit, step in zip(starts, limits, steps))
        if shape == x.shape:
            return self._own(x)
        return self.emit("stablehlo.slice", [x], [(shape, x.dtype)], f"start_indices = {array_text(starts)}, "
                         f"limit_indices = {array_text(limits)}, strides = {array_text(steps)}")[0]

    def slice_dim(self, x: Value, dim: int, start: int, limit: int, stride: int = 1) -> Value:
        """x[..., start:limit:stride, ...] in one dimension."""
        dim = self.dim(dim, x.rank)
        starts, limits, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        starts[dim], limits[dim], strides[dim] = start, limit, stride
        return self.slice(x, starts, limits, strides)

    def reverse(self, x: Value, dims: Iterable[int]) -> Value:
        """x with the order along some dimensions reversed."""
        places = self.dims(dims, x.rank)
        if not places:
            return self._own(x)
        return self.emit("stablehlo.reverse", [x], [(x.shape, x.dtype)], f"dimensions = {array_text(places)}")[0]

    def pad(self,
            x: Value,
            value: Operand,
            low: Sequence[int],
            high: Sequence[int],
            interior: Sequence[int] | None = None) -> Value:
        """Adds elements before, behind and between those of x; negative numbers remove."""
        filler = self.constant(value, (), x.dtype) if not isinstance(value, Value) else value
        inner = list(interior or [0] * x.rank)
        self.expect((filler.shape, filler.dtype) == ((), x.dtype),
                    f"expected a padding value of rank 0 and {x.dtype}, found {filler}")
        self.expect(len(low) == len(high) == len(inner) == x.rank and min(inner, default=0) >= 0,
                    f"expected {x.rank} sizes of padding before, behind and between, one a dimension of {x}")
        shape = [size + max(size - 1, 0) * gap + a + b for size, a, b, gap in zip(x.shape, low, high, inner)]
        self.expect(min(shape, default=0) >= 0, f"cannot pad {x} by {list(low)} and {list(high)}")
        if not any((*low, *high, *inner)):
            return self._own(x)
        return self.emit(
            "stablehlo.pad", [x, filler], [(tuple(shape), x.dtype)], f"edge_padding_low = {array_text(low)}, "
            f"edge_padding_high = {array_text(high)}, interior_padding = {array_text(inner)}")[0]

    def iota(self, shape: Iterable[int], dim: int, dtype: str = "i64") -> Value:
        """Each element is its index in the dimension."""
        sizes = check_shape(shape)
        self.expect(check_dtype(dtype) != "i1", "expected iota of numbers, found i1")
        return self.emit("stablehlo.iota", [], [(sizes, dtype)],
                         f"iota_dimension = {self.dim(dim, len(sizes))} : i64")[0]

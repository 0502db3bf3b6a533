# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices at computed positions, gathers and scatters."""
from __future__ import annotations

from collections.abc import Sequence

from .core import Body, Operand, Value, array_text, list_text
from .reductions import Reductions
from .types import INTEGERS, check_shape

_UPDATES = {"set": None, "add": "add", "multiply": "multiply", "max": "maximum", "min": "minimum"}


def _numbers(kind: str, entries: Sequence[tuple[str, Sequence[int]]], vector: int) -> str:
    """The dimension numbers of a gather or scatter; empty lists are left out."""
    parts = [f"{name} = {list_text(dims)}" for name, dims in entries if dims]
    return f"#stablehlo.{kind}<{', '.join([*parts, f'index_vector_dim = {vector}'])}>"


class Indexing(Reductions):
    """dynamic_slice, dynamic_update_slice, gather, scatter."""

    def _starts(self, x: Value, starts: Sequence[Operand]) -> list[Value]:
        self.expect(len(starts) == x.rank, f"expected {x.rank} starts, one a dimension of {x}, found {len(starts)}")
        given = [start.dtype for start in starts if isinstance(start, Value)]
        values = [
            start if isinstance(start, Value) else self.constant(start, (), given[0] if given else "i64")
            for start in starts
        ]
        for value in values:
            self.expect(value.shape == () and value.dtype in INTEGERS and value.dtype == values[0].dtype,
                        f"expected starts of rank 0 and one type of integers, found {value}")
        return values

    def dynamic_slice(self, x: Value, starts: Sequence[Operand], sizes: Sequence[int]) -> Value:
        """The block of these sizes at computed starts, which are moved so that it lies within x."""
        shape = check_shape(sizes)
        self.expect(
            len(shape) == x.rank and all(a <= b for a, b in zip(shape, x.shape)),
            f"cannot take a slice of {shape} of {x}")
        return self.emit("stablehlo.dynamic_slice", [x, *self._starts(x, starts)], [(shape, x.dtype)],
                         f"slice_sizes = {array_text(shape)}")[0]

    def dynamic_update_slice(self, x: Value, update: Value, starts: Sequence[Operand]) -> Value:
        """x with a block replaced at computed starts, which are moved so that the block lies within x."""
        self.expect(
            update.rank == x.rank and update.dtype == x.dtype and all(a <= b for a, b in zip(update.shape, x.shape)),
            f"cannot replace a slice of {x} by {update}")
        return self.emit("stablehlo.dynamic_update_slice", [x, update, *self._starts(x, starts)],
                         [(x.shape, x.dtype)])[0]

    def _index_shape(self, indices: Value, vector: int, count: int) -> tuple[int, ...]:
        """The shape of the positions that indices name, each by a vector of `count` in dimension `vector`."""
        self.expect(indices.dtype in INTEGERS, f"expected indices of integers, found {indices}")
        self.expect(0 <= vector <= indices.rank,
                    f"expected a dimension of {indices} for the index vector, found {vector}")
        found = indices.shape[vector] if vector < indices.rank else 1
        self.expect(found == count, f"expected index vectors of {count} in dimension {vector}, found {indices}")
        return indices.shape[:vector] + indices.shape[vector + 1:]

    def gather(self, x: Value, indices: Value, *, slice_sizes: Sequence[int], offset_dims: Sequence[int] = (),
               collapsed: Sequence[int] = (), start_map: Sequence[int] = (), vector: int | None = None,
               batching: tuple[Sequence[int], Sequence[int]] = ((), ())) -> Value:
        """Slices of x at positions that indices name, with StableHLO's dimension numbers; positions are moved so that a
        slice lies within x. vector: the dimension of indices that holds an index vector (default: the last)."""
        vector = indices.rank - 1 if vector is None else vector
        places = self._index_shape(indices, vector, len(start_map))
        self.expect(
            len(slice_sizes) == x.rank and all(0 <= a <= b for a, b in zip(slice_sizes, x.shape)),
            f"cannot gather slices of {tuple(slice_sizes)} of {x}")
        dropped = self.dims([*collapsed, *batching[0]], x.rank)
        self.expect(all(slice_sizes[dim] <= 1 for dim in dropped),
                    f"expected slices of size 1 in dimensions {dropped}, found {tuple(slice_sizes)}")
        kept = [size for dim, size in enumerate(slice_sizes) if dim not in dropped]
        rank = len(places) + len(kept)
        offsets = self.dims(offset_dims, rank)
        self.expect(len(offsets) == len(kept), f"expected {len(kept)} offset dimensions, found {offsets}")
        inner, outer = iter(kept), iter(places)
        shape = tuple(next(inner) if dim in offsets else next(outer) for dim in range(rank))
        numbers = _numbers("gather", [("offset_dims", offsets), ("collapsed_slice_dims", sorted(collapsed)),
                                      ("operand_batching_dims", batching[0]),
                                      ("start_indices_batching_dims", batching[1]), ("start_index_map", start_map)],
                           vector)
        return self.emit("stablehlo.gather", [x, indices], [(shape, x.dtype)], f"dimension_numbers = {numbers}, "
                         f"indices_are_sorted = false, slice_sizes = {array_text(slice_sizes)}")[0]

    def scatter(self,
                x: Value,
                indices: Value,
                updates: Value,
                update: str | Body = "set",
                *,
                window_dims: Sequence[int] = (),
                inserted: Sequence[int] = (),
                scatter_map: Sequence[int] = (),
                vector: int | None = None,
                batching: tuple[Sequence[int], Sequence[int]] = ((), ()),
                unique: bool = False) -> Value:
        """x with updates put at positions that indices name, with StableHLO's dimension numbers; elements outside are left
        out. update: set, add, multiply, max, min, or a body of the old and the new element."""
        vector = indices.rank - 1 if vector is None else vector
        places = self._index_shape(indices, vector, len(scatter_map))
        windows = self.dims(window_dims, updates.rank)
        gone = self.dims([*inserted, *batching[0]], x.rank)
        rest = tuple(size for dim, size in enumerate(updates.shape) if dim not in windows)
        room = [size for dim, size in enumerate(x.shape) if dim not in gone]
        self.expect(
            rest == places and updates.dtype == x.dtype and len(room) == len(windows)
            and all(updates.shape[dim] <= size for dim, size in zip(windows, room)),
            f"cannot scatter {updates} at {indices} into {x}")
        if isinstance(update, str):
            self.expect(update in _UPDATES, f"expected an update of {', '.join(_UPDATES)}, found {update!r}")
            name = _UPDATES[update]
            body: Body = (lambda _, new: new) if name is None else getattr(self, name)
        else:
            body = update
        region, results = self.region([((), x.dtype)] * 2, body)
        self._same_types("the update of scatter", results, [((), x.dtype)])
        numbers = _numbers("scatter", [("update_window_dims", windows), ("inserted_window_dims", sorted(inserted)),
                                       ("input_batching_dims", batching[0]),
                                       ("scatter_indices_batching_dims", batching[1]),
                                       ("scatter_dims_to_operand_dims", scatter_map)], vector)
        return self.emit(
            "stablehlo.scatter", [x, indices, updates], [(x.shape, x.dtype)], f"indices_are_sorted = false, "
            f"scatter_dimension_numbers = {numbers}, unique_indices = {str(unique).lower()}", [region])[0]

    def wrap_indices(self, indices: Value, size: int) -> Value:
        """Indices of which negative ones count from the end."""
        if indices.dtype.startswith("u"):
            return indices
        return self.select(self.compare(indices, 0, "LT"), self.add(indices, size), indices)

    def take(self, x: Value, indices: Value, dim: int) -> Value:
        """numpy.take: slices of x along a dimension, at indices within it, that are not negative."""
        dim = self.dim(dim, x.rank)
        sizes = [1 if i == dim else size for i, size in enumerate(x.shape)]
        offsets = [i if i < dim else i + indices.rank - 1 for i in range(x.rank) if i != dim]
        return self.gather(x,
                           indices,
                           slice_sizes=sizes,
                           offset_dims=offsets,
                           collapsed=[dim],
                           start_map=[dim],
                           vector=indices.rank)

    def _along(self, x: Value, indices: Value, dim: int) -> Value:
        """Index vectors of all dimensions: the index itself in `dim`, the position in others."""
        columns = [indices if i == dim else self.iota(indices.shape, i, indices.dtype) for i in range(x.rank)]
        return self.concatenate([self.expand_dims(column, [x.rank]) for column in columns], x.rank)

    def take_along(self, x: Value, indices: Value, dim: int) -> Value:
        """result[i, j, ...] = x[i, indices[i, j, ...], ...], with the index in place of that of `dim`; indices may have
        smaller sizes than x in the other dimensions."""
        dim = self.dim(dim, x.rank)
        self.expect(
            indices.rank == x.rank and all(a <= b for i, (a, b) in enumerate(zip(indices.shape, x.shape)) if i != dim),
            f"cannot take {indices} of {x} along dimension {dim}")
        every = list(range(x.rank))
        return self.gather(x, self._along(x, indices, dim), slice_sizes=[1] * x.rank, collapsed=every, start_map=every)

    def scatter_along(self, x: Value, indices: Value, updates: Value, dim: int, update: str | Body = "set") -> Value:
        """x with result[i, indices[i, j, ...], ...] updated by updates[i, j, ...]."""
        dim = self.dim(dim, x.rank)
        self.expect(indices.rank == x.rank and indices.shape == updates.shape,
                    f"cannot scatter {updates} at {indices} into {x}")
        every = list(range(x.rank))
        return self.scatter(x, self._along(x, indices, dim), updates, update, inserted=every, scatter_map=every)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GridSample, which reads between elements at computed positions, and Col2Im, which adds blocks into an image."""
from __future__ import annotations

import dataclasses
import itertools
import math

import numpy

from ...stablehlo import Module, Value
from ..node import Node, Result, operator
from .reductions import widen

_MODES = {"bilinear": "linear", "linear": "linear", "nearest": "nearest", "bicubic": "cubic", "cubic": "cubic"}
_CUBIC = -0.75  # the coefficient that torch and the standard use


@dataclasses.dataclass(frozen=True)
class _Edge:
    """What lies beyond the elements of a dimension."""

    mode: str
    size: int
    aligns_corners: bool

    def map(self, m: Module, x: Value) -> Value:
        """Positions beyond the edge as the ones within that stand for them; with zeros they stay."""
        if self.mode == "reflection":
            low, high = (0.0, self.size - 1.0) if self.aligns_corners else (-0.5, self.size - 0.5)
            span = high - low
            if span == 0:
                return m.multiply(x, 0.0)
            distance = m.abs(m.subtract(x, low))
            rest = m.remainder(distance, 2 * span)
            x = m.add(m.minimum(rest, m.subtract(2 * span, rest)), low)
        return x if self.mode == "zeros" else m.clamp(0.0, x, self.size - 1.0)


def _position(m: Module, grid: Value, size: int, aligns_corners: bool) -> Value:
    """Coordinates in [-1, 1] as positions of elements."""
    if aligns_corners:
        return m.multiply(m.add(grid, 1.0), (size - 1) / 2)
    return m.multiply(m.subtract(m.multiply(m.add(grid, 1.0), float(size)), 1.0), 0.5)


def _cubic_weights(m: Module, t: Value) -> list[Value]:
    """Of the elements at -1, 0, 1 and 2 from the one below a position, which is t above it."""

    def polynomial(x: Value, *factors: float) -> Value:
        result = m.multiply(x, factors[0])
        for factor in factors[1:-1]:
            result = m.multiply(m.add(result, factor), x)
        return m.add(result, factors[-1])

    def near(d: Value) -> Value:
        return polynomial(d, _CUBIC + 2, -(_CUBIC + 3), 0.0, 1.0)

    def far(d: Value) -> Value:
        return polynomial(d, _CUBIC, -5 * _CUBIC, 8 * _CUBIC, -4 * _CUBIC)

    rest = m.subtract(1.0, t)
    return [far(m.add(t, 1.0)), near(t), near(rest), far(m.add(rest, 1.0))]


def _taps(m: Module, x: Value, edge: _Edge, mode: str) -> list[tuple[Value, Value]]:
    """The elements of a dimension that a position reads, as floats, and their weights."""
    if mode == "nearest":
        place = m.round_nearest_even(edge.map(m, x))
        return [(place, m.constant(1.0, x.shape, x.dtype))]
    base = m.floor(x)
    t = m.subtract(x, base)
    weights = [m.subtract(1.0, t), t] if mode == "linear" else _cubic_weights(m, t)
    first = 0.0 if mode == "linear" else -1.0
    return [(edge.map(m, m.add(base, first + i)), weight) for i, weight in enumerate(weights)]


def _read(m: Module, x: Value, places: list[Value], sizes: tuple[int, ...]) -> tuple[Value, Value]:
    """Elements of x (batch x channels x elements) at a place in each dimension (batch x places), and which places exist."""
    index, exists = None, None
    for place, size in zip(places, sizes):
        inside = m.logical_and(m.compare(place, 0.0, "GE"), m.compare(place, size - 1.0, "LE"))
        exists = inside if exists is None else m.logical_and(exists, inside)
        near = m.convert(m.clamp(0.0, place, size - 1.0), "i64")
        index = near if index is None else m.add(m.multiply(index, size), near)
    assert index is not None and exists is not None
    found = m.gather(x, m.expand_dims(index, [2]), slice_sizes=[1, x.shape[1], 1], offset_dims=[1], collapsed=[2],
                     start_map=[2], batching=([0], [0]))
    return found, exists


@operator("GridSample")
def _grid_sample(node: Node) -> Result:
    m, x, grid = node.m, node.value(0), node.value(1)
    mode, padding = node.attribute("mode", "linear"), node.attribute("padding_mode", "zeros")
    aligns = bool(node.attribute("align_corners", 0))
    rank = x.rank - 2
    node.expect(mode in _MODES and padding in ("zeros", "border", "reflection"),
                f"unknown mode {mode!r} or padding_mode {padding!r}")
    node.expect(grid.rank == x.rank and grid.shape[-1] == rank and grid.shape[0] == x.shape[0],
                f"expected a grid of {rank} coordinates for {x}, found {grid}")
    if 0 in x.shape:
        raise node.unsupported(f"an input without elements, {x},")
    wide, sizes = widen(m, x), x.shape[2:]
    grid = m.convert(grid, wide.dtype)
    places = math.prod(grid.shape[1:-1])
    taps = []
    for dim, size in enumerate(sizes):
        column = m.reshape(m.slice_dim(grid, -1, rank - 1 - dim, rank - dim), (x.shape[0], places))
        taps.append(_taps(m, _position(m, column, size, aligns), _Edge(padding, size, aligns), _MODES[mode]))
    flat = m.reshape(wide, (*x.shape[:2], math.prod(sizes)))
    total = m.constant(0.0, (*x.shape[:2], places), wide.dtype)
    for choice in itertools.product(*taps):
        found, exists = _read(m, flat, [place for place, _ in choice], sizes)
        weight = choice[0][1]
        for _, other in choice[1:]:
            weight = m.multiply(weight, other)
        # A place that does not exist counts as zero.
        weight = m.select(exists, weight, 0.0)
        total = m.add(total, m.multiply(found, m.broadcast_in_dim(weight, total.shape, [0, 2])))
    return m.convert(m.reshape(total, (*x.shape[:2], *grid.shape[1:-1])), x.dtype)


@operator("Col2Im")
def _col2im(node: Node) -> Result:
    m, x = node.m, node.value(0)
    image, block = node.numbers(1), node.numbers(2)
    rank = len(image)
    dilations, strides = (node.attribute(name) or [1] * rank for name in ("dilations", "strides"))
    pads = node.attribute("pads") or [0] * 2 * rank
    node.expect(
        len(block) == len(dilations) == len(strides) == rank and len(pads) == 2 * rank and min(block + strides) > 0,
        f"expected blocks, dilations, strides and pads of {rank} dimensions")
    padded = [size + low + high for size, low, high in zip(image, pads, pads[rank:])]
    # Where in the padded image each element of each block lies, dimension by dimension.
    index = numpy.zeros((1, 1), "int64")
    for size, window, gap, stride in zip(padded, block, dilations, strides):
        node.expect(size > (window - 1) * gap, f"expected an image of at least one block, found {image} and {block}")
        begins = numpy.arange((size - (window - 1) * gap - 1) // stride + 1) * stride
        place = (numpy.arange(window) * gap)[:, None] + begins
        index = index[:, None, :, None] * size + place[None, :, None, :]
        index = index.reshape(index.shape[0] * index.shape[1], -1)
    node.expect(x.rank == 3 and x.shape[1] % index.shape[0] == 0 and x.shape[2] == index.shape[1],
                f"expected blocks of {index.shape[0]} elements at {index.shape[1]} places, found {x}")
    channels = x.shape[1] // index.shape[0]
    updates = m.reshape(x, (x.shape[0], channels, index.size))
    flat = m.scatter(m.constant(0, (x.shape[0], channels, math.prod(padded)), x.dtype),
                     m.constant(index.reshape(-1, 1)),
                     updates,
                     "add",
                     window_dims=[0, 1],
                     inserted=[2],
                     scatter_map=[2])
    y = m.reshape(flat, (x.shape[0], channels, *padded))
    ends = [low + size for low, size in zip(pads, image)]
    return m.slice(y, [0, 0, *pads[:rank]], [*y.shape[:2], *ends])

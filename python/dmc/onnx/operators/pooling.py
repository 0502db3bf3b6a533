# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Poolings: maxima, means and norms of windows, and of all spatial dimensions."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import numpy

from ...stablehlo import Value
from ...stablehlo.contraction import window_size
from ..node import Node, Result, operator
from .reductions import widen
from .windows import Window, read_window


def _full(window: Window) -> dict[str, typing.Any]:
    """The window with entries for batch and channels."""
    return {
        "strides": [1, 1, *window.strides], "padding": [(0, 0), (0, 0), *window.padding],
        "dilation": [1, 1, *window.dilations]
    }


@operator("MaxPool")
def _max_pool(node: Node) -> Result:
    m, x = node.m, node.value(0)
    window = read_window(node, x.shape[2:])
    order = node.attribute("storage_order", 0)
    shape = [1, 1, *window.kernel]
    if len(node.outputs) < 2 or not node.outputs[1]:
        return m.reduce_window(x, "max", shape, **_full(window))
    sizes = x.shape[2:]
    # The index of an element in memory; storage_order 1 has the first spatial dimension as the fastest.
    places = numpy.arange(math.prod(x.shape)).reshape(x.shape)
    if order:
        inner = numpy.arange(math.prod(sizes)).reshape(sizes[::-1]).transpose()
        places = inner + math.prod(sizes) * numpy.arange(math.prod(x.shape[:2])).reshape(
            *x.shape[:2], *[1] * len(sizes))

    def body(best: Value, at: Value, value: Value, index: Value) -> list[Value]:
        is_first = m.logical_and(
            m.compare(value, best, "EQ"),
            m.logical_and(m.compare(index, 0, "GE"), m.logical_or(m.compare(at, 0, "LT"), m.compare(index, at, "LT"))))
        take = m.logical_or(m.compare(value, best, "GT"), is_first)
        return [m.select(take, value, best), m.select(take, index, at)]

    indices = m.constant(places, dtype="i64")
    values, found = m.reduce_window_by([x, indices], [m.lowest(x.dtype), -1], body, shape,
                                       **_full(window))
    return values, found


def _counts(window: Window, sizes: Sequence[int], counts_pads: bool) -> numpy.ndarray:
    """How many elements of the input, and of its stated padding, each position of the window covers."""
    total = numpy.ones((1, 1))
    for size, kernel, stride, gap, (low, high), more in zip(sizes, window.kernel, window.strides, window.dilations,
                                                            window.pads, window.extra):
        begins = numpy.arange(window_size(size, kernel, stride, (low, high + more), 1, gap)) * stride - low
        taps = begins[:, None] + numpy.arange(kernel) * gap
        inside = ((taps >= -low) & (taps < size + high)) if counts_pads else ((taps >= 0) & (taps < size))
        total = total[..., None] * inside.sum(1)
    return numpy.maximum(total, 1)


@operator("AveragePool")
def _average_pool(node: Node) -> Result:
    m, x = node.m, node.value(0)
    window = read_window(node, x.shape[2:])
    counts = _counts(window, x.shape[2:], bool(node.attribute("count_include_pad", 0)))
    total = m.reduce_window(widen(m, x), "sum", [1, 1, *window.kernel], **_full(window))
    return m.convert(m.divide(total, m.broadcast_to(m.constant(counts, dtype=total.dtype), total.shape)), x.dtype)


@operator("LpPool")
def _lp_pool(node: Node) -> Result:
    m, x, p = node.m, node.value(0), node.attribute("p", 2)
    window = read_window(node, x.shape[2:])
    wide = m.abs(widen(m, x))
    total = m.reduce_window(m.power(wide, float(p)), "sum", [1, 1, *window.kernel],
                            **_full(window))
    return m.convert(m.power(total, 1.0 / p), x.dtype)


@operator("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def _global_pool(node: Node) -> Result:
    m, x = node.m, node.value(0)
    dims = range(2, x.rank)
    if node.op == "GlobalMaxPool":
        return m.reduce(x, "max", dims, keep_dims=True)
    wide = widen(m, x)
    if node.op == "GlobalAveragePool":
        return m.convert(m.divide(m.reduce(wide, "sum", dims, keep_dims=True), float(math.prod(x.shape[2:]))), x.dtype)
    p = node.attribute("p", 2)
    return m.convert(m.power(m.reduce(m.power(m.abs(wide), float(p)), "sum", dims, keep_dims=True), 1.0 / p), x.dtype)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized values as integers: (value - zero point) * scale."""
from __future__ import annotations

from ...stablehlo import FLOATS, Module, Value
from ..node import Node, Result, operator
from .products import convolve
from .windows import read_window


def _spread(node: Node, value: Value, like: Value, axis: int, block: int) -> Value:
    """A scale or zero point of all elements, of each slice of an axis, or of each block of it, in the shape of `like`."""
    m = node.m
    if value.rank == 0 or (value.rank == 1 and value.shape[0] == 1 and like.rank != 1 and not block):
        return m.broadcast_to(m.reshape(value, ()), like.shape)
    axis = m.dim(axis, like.rank)
    if value.rank == 1 and not block:
        return m.broadcast_in_dim(value, like.shape, [axis])
    node.expect(block > 0 and value.rank == like.rank and value.shape[axis] == -(-like.shape[axis] // block),
                f"expected a scale of {like} in blocks of {block} of dimension {axis}, found {value}")
    pairs = value.shape[:axis + 1] + (block,) + value.shape[axis + 1:]
    wide = m.broadcast_in_dim(value, pairs, [dim for dim in range(len(pairs)) if dim != axis + 1])
    wide = m.reshape(wide, value.shape[:axis] + (value.shape[axis] * block,) + value.shape[axis + 1:])
    return m.slice_dim(wide, axis, 0, like.shape[axis])


def quantize(m: Module, x: Value, scale: Value, zero: Value | None, dtype: str) -> Value:
    """Rounded to even and clamped to the type's range; all operands but the zero point are floats of one type."""
    y = m.round_nearest_even(m.divide(x, scale))
    if zero is not None:
        y = m.add(y, m.convert(zero, y.dtype))
    return m.convert(m.clamp(float(m.lowest(dtype)), y, float(m.highest(dtype))), dtype)


@operator("QuantizeLinear")
def _quantize_linear(node: Node) -> Result:
    m, x, scale = node.m, node.value(0), node.value(1)
    axis, block, number = node.attribute("axis", 1), node.attribute("block_size", 0), node.attribute("output_dtype", 0)
    node.attribute("saturate")
    precision = node.attribute("precision", 0)
    zero = node.optional(2)
    dtype = zero.dtype if zero is not None else node.element_type(number) if number else "ui8"
    node.expect(dtype not in FLOATS, f"expected integers as result, found {dtype}")
    wide = node.element_type(precision) if precision else "f64" if x.dtype == "f64" else "f32"
    x, scale = m.convert(x, wide), m.convert(scale, wide)
    scale = _spread(node, scale, x, axis, block)
    return quantize(m, x, scale, None if zero is None else _spread(node, zero, x, axis, block), dtype)


@operator("DequantizeLinear")
def _dequantize_linear(node: Node) -> Result:
    m, x, scale = node.m, node.value(0), node.value(1)
    axis, block, number = node.attribute("axis", 1), node.attribute("block_size", 0), node.attribute("output_dtype", 0)
    dtype = node.element_type(number) if number else scale.dtype
    wide = "f64" if x.dtype in ("i32", "ui32") or scale.dtype == "f64" else "f32"
    value = m.convert(x, wide)
    if node.has(2):
        value = m.subtract(value, _spread(node, m.convert(node.value(2), wide), value, axis, block))
    return m.convert(m.multiply(value, _spread(node, m.convert(scale, wide), value, axis, block)), dtype)


def _centered(node: Node, index: int, zero: int, axis: int | None) -> Value:
    """An operand as i32 less its zero point, which may be one for each slice of an axis."""
    m = node.m
    x = m.convert(node.value(index), "i32")
    if not node.has(zero):
        return x
    point = m.convert(node.value(zero), "i32")
    if point.rank <= 1 and (point.rank == 0 or point.shape[0] == 1):
        return m.subtract(x, m.broadcast_to(m.reshape(point, ()), x.shape))
    if point.rank == 1:
        node.expect(axis is not None, f"expected one zero point of input {index}, found {point}")
        return m.subtract(x, m.broadcast_in_dim(point, x.shape, [m.dim(axis or 0, x.rank)]))
    return m.subtract(x, m.broadcast_to(point, x.shape))


@operator("MatMulInteger")
def _matmul_integer(node: Node) -> Result:
    return node.m.matmul(_centered(node, 0, 2, -2), _centered(node, 1, 3, -1))


@operator("ConvInteger")
def _conv_integer(node: Node) -> Result:
    x, kernel = _centered(node, 0, 2, None), _centered(node, 1, 3, 0)
    return convolve(node, x, kernel, read_window(node, x.shape[2:], kernel.shape[2:]))


def _rescale(node: Node, y: Value, scales: tuple[int, int, int], zero: int, dims: tuple[int | None,
                                                                                        int | None]) -> Value:
    """An i32 result as quantized by the scales of both operands and the result."""
    m = node.m

    def spread(index: int, dim: int | None) -> Value:
        value = m.convert(node.value(index), "f32")
        if value.rank == 1 and value.shape[0] == 1:
            value = m.reshape(value, ())
        if value.rank == 1 and dim is not None:
            return m.broadcast_in_dim(value, y.shape, [m.dim(dim, y.rank)])
        return m.broadcast_to(value, y.shape)

    factor = m.multiply(spread(scales[0], dims[0]), spread(scales[1], dims[1]))
    point = node.value(zero)
    return quantize(m, m.multiply(m.convert(y, "f32"), factor), spread(scales[2], None),
                    m.broadcast_to(m.reshape(point, ()), y.shape), point.dtype)


@operator("QLinearMatMul")
def _qlinear_matmul(node: Node) -> Result:
    y = node.m.matmul(_centered(node, 0, 2, -2), _centered(node, 3, 5, -1))
    return _rescale(node, y, (1, 4, 6), 7, (-2, -1))


@operator("QLinearConv")
def _qlinear_conv(node: Node) -> Result:
    m = node.m
    x, kernel = _centered(node, 0, 2, None), _centered(node, 3, 5, 0)
    y = convolve(node, x, kernel, read_window(node, x.shape[2:], kernel.shape[2:]))
    if node.has(8):
        y = m.add(y, m.broadcast_in_dim(node.value(8), y.shape, [1]))
    return _rescale(node, y, (1, 4, 6), 7, (None, 1))

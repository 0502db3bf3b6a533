# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, cumulative sums and softmax."""
from __future__ import annotations

import math

from ...stablehlo import FLOATS, Module, Value
from ..node import Node, Result, Span, operator

#: Floats of 16 bits are added in f32.
_WIDER = {"f16": "f32", "bf16": "f32"}


def widen(m: Module, x: Value) -> Value:
    """x in the type in which floats of its type are accumulated."""
    return m.convert(x, _WIDER.get(x.dtype, x.dtype))


def _axes(node: Node, x: Value) -> list[int]:
    axes = node.numbers_of("axes", 1)
    keeps_all = node.attribute("noop_with_empty_axes", 0)
    return node.m.dims(axes, x.rank) if axes else [] if keeps_all else list(range(x.rank))


_KINDS = {"Sum": "sum", "Mean": "sum", "Max": "max", "Min": "min", "Prod": "product"}


def _reduce_span(node: Node, x: Value, span: Span, kind: str) -> Result:
    """A reduction over a dimension of which only the elements of a span count."""
    m, dtype, axes, keep = node.m, x.dtype, _axes(node, x), bool(node.attribute("keepdims", 1))
    if kind not in _KINDS or span.axis not in axes:
        return node.value(0)  # says what the size of the slice is computed from
    x = widen(m, x) if kind in ("Sum", "Mean") else x
    place = m.iota(x.shape, span.axis, "i64")
    begin, end = (m.broadcast_to(value, x.shape) for value in (span.begin, span.end))
    inside = m.logical_and(m.compare(place, begin, "GE"), m.compare(place, end, "LT"))
    result = m.reduce(m.select(inside, x, m.neutral(_KINDS[kind], x.dtype)), _KINDS[kind], axes, keep)
    if kind == "Mean":
        others = math.prod(x.shape[dim] for dim in axes if dim != span.axis)
        count = m.multiply(m.maximum(m.subtract(span.end, span.begin), 0), others)
        result = m.divide(result, m.broadcast_to(m.convert(count, x.dtype), result.shape))
    return m.convert(result, dtype)


def _log_sum_exp(m: Module, x: Value, axes: list[int]) -> Value:
    peak = m.reduce(x, "max", axes, keep_dims=True)
    # A peak of infinity would give NaN.
    peak = m.select(m.is_finite(peak), peak, 0.0)
    total = m.reduce(m.exponential(m.subtract(x, m.broadcast_to(peak, x.shape))), "sum", axes, keep_dims=True)
    return m.add(m.log(total), peak)


@operator("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSum",
          "ReduceLogSumExp", "ReduceSumSquare")
def _reduce(node: Node) -> Result:
    m, kind, operand = node.m, node.op.removeprefix("Reduce"), node.tensor(0)
    if operand.span is not None and operand.value is not None:
        return _reduce_span(node, operand.value, operand.span, kind)
    x = node.value(0)
    axes, keep = _axes(node, x), bool(node.attribute("keepdims", 1))
    dtype = x.dtype
    if kind in ("Max", "Min", "Prod"):
        return m.reduce(x, {"Max": "max", "Min": "min", "Prod": "product"}[kind], axes, keep)
    if kind in ("L2", "LogSum", "LogSumExp") and dtype not in FLOATS:
        x = m.convert(x, "f64")
    x = widen(m, x)
    count = math.prod(x.shape[dim] for dim in axes)
    if kind == "LogSumExp":
        result = _log_sum_exp(m, x, axes)
    else:
        x = m.abs(x) if kind == "L1" else m.multiply(x, x) if kind in ("L2", "SumSquare") else x
        result = m.reduce(x, "sum", axes, keep_dims=True)
    if kind == "Mean":
        node.expect(count > 0 or x.dtype in FLOATS, "expected elements to take the mean of")
        result = m.divide(result, count)
    result = m.sqrt(result) if kind == "L2" else m.log(result) if kind == "LogSum" else result
    return m.convert(result if keep else m.squeeze(result, axes), dtype)


@operator("CumSum", "CumProd")
def _cumulative(node: Node) -> Result:
    m, x = node.m, node.value(0)
    (axis,) = node.numbers(1)
    return m.cumulative(x, "sum" if node.op == "CumSum" else "product", axis, bool(node.attribute("exclusive", 0)),
                        bool(node.attribute("reverse", 0)))


def softmax(m: Module, x: Value, axes: list[int], is_log: bool = False) -> Value:
    """exp(x) over its sum, or the logarithm of it; 16-bit floats in f32."""
    wide = widen(m, x)
    peak = m.broadcast_to(m.reduce(wide, "max", axes, keep_dims=True), x.shape)
    shifted = m.subtract(wide, peak)
    parts = m.exponential(shifted)
    total = m.broadcast_to(m.reduce(parts, "sum", axes, keep_dims=True), x.shape)
    return m.convert(m.subtract(shifted, m.log(total)) if is_log else m.divide(parts, total), x.dtype)


@operator("Softmax", "LogSoftmax")
def _softmax(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 1 if node.opset < 13 else -1), x.rank)
    # Before operator set 13 all dimensions from the axis on are one.
    axes = list(range(axis, x.rank)) if node.opset < 13 else [axis]
    return softmax(m, x, axes, node.op == "LogSoftmax")


@operator("LpNormalization")
def _lp_normalization(node: Node) -> Result:
    m, x, p = node.m, node.value(0), node.attribute("p", 2)
    axis = m.dim(node.attribute("axis", -1), x.rank)
    if p not in (1, 2):
        raise node.unsupported(f"p = {p}")
    wide = widen(m, x)
    norm = m.reduce(m.abs(wide) if p == 1 else m.multiply(wide, wide), "sum", [axis], keep_dims=True)
    norm = m.broadcast_to(norm if p == 1 else m.sqrt(norm), x.shape)
    # Elements of norm 0 stay 0.
    is_zero = m.compare(norm, 0.0, "EQ")
    return m.convert(m.select(is_zero, 0.0, m.divide(wide, m.select(is_zero, 1.0, norm))), x.dtype)

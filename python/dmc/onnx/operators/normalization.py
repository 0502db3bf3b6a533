# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalizations."""
from __future__ import annotations

import math
from collections.abc import Sequence

from ...stablehlo import Module, Value
from ..node import Node, Result, operator
from .reductions import widen


def _mean(m: Module, x: Value, dims: Sequence[int]) -> Value:
    return m.divide(m.reduce(x, "sum", dims, keep_dims=True), float(math.prod(x.shape[dim] for dim in dims)))


def _moments(m: Module, x: Value, dims: Sequence[int]) -> tuple[Value, Value, Value]:
    """Mean and variance over dimensions, which stay with size 1, and the difference of x from the mean."""
    mean = _mean(m, x, dims)
    centered = m.subtract(x, m.broadcast_to(mean, x.shape))
    return mean, _mean(m, m.multiply(centered, centered), dims), centered


def _by_channel(m: Module, value: Value, shape: tuple[int, ...], dtype: str) -> Value:
    return m.broadcast_in_dim(m.convert(value, dtype), shape, [1])


@operator("BatchNormalization")
def _batch_normalization(node: Node) -> Result:
    m, x = node.m, node.value(0)
    scale, bias, mean, variance = (node.value(i) for i in range(1, 5))
    epsilon, momentum, is_training = node.attribute("epsilon",
                                                    1e-5), node.attribute("momentum",
                                                                          0.9), node.attribute("training_mode", 0)
    if node.opset < 9 and (not node.attribute("spatial", 1) or (node.opset < 7 and not node.attribute("is_test", 0))):
        raise node.unsupported(f"training, or statistics of each element, in operator set {node.opset}")
    wide = widen(m, x)
    dtype, more = wide.dtype, []
    if is_training:
        found = _moments(m, wide, [dim for dim in range(x.rank) if dim != 1])[:2]
        new = [m.reshape(value, mean.shape) for value in found]
        for old, value in zip((mean, variance), new):
            running = m.add(m.multiply(m.convert(old, dtype), momentum), m.multiply(value, 1.0 - momentum))
            more.append(m.convert(running, old.dtype))
        mean, variance = new
    factor = m.multiply(m.convert(scale, dtype), m.rsqrt(m.add(m.convert(variance, dtype), epsilon)))
    centered = m.subtract(wide, _by_channel(m, mean, x.shape, dtype))
    y = m.add(m.multiply(centered, _by_channel(m, factor, x.shape, dtype)), _by_channel(m, bias, x.shape, dtype))
    return (m.convert(y, x.dtype), *more)


@operator("InstanceNormalization")
def _instance_normalization(node: Node) -> Result:
    m, x = node.m, node.value(0)
    wide = widen(m, x)
    _, variance, centered = _moments(m, wide, range(2, x.rank))
    inverse = m.broadcast_to(m.rsqrt(m.add(variance, node.attribute("epsilon", 1e-5))), x.shape)
    scale, bias = (_by_channel(m, node.value(i), x.shape, wide.dtype) for i in (1, 2))
    return m.convert(m.add(m.multiply(m.multiply(centered, inverse), scale), bias), x.dtype)


def _stash(node: Node, x: Value) -> Value:
    """x in the type in which the node's first stage computes."""
    dtype = node.element_type(node.attribute("stash_type", 1))
    return node.m.convert(x, dtype)


@operator("LayerNormalization")
def _layer_normalization(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", -1), x.rank)
    wide = _stash(node, x)
    mean, variance, centered = _moments(m, wide, range(axis, x.rank))
    inverse = m.rsqrt(m.add(variance, node.attribute("epsilon", 1e-5)))
    y = m.convert(m.multiply(centered, m.broadcast_to(inverse, x.shape)), x.dtype)
    y = m.multiply(y, m.broadcast_to(node.value(1), x.shape))
    if node.has(2):
        y = m.add(y, m.broadcast_to(node.value(2), x.shape))
    return y, mean, inverse


@operator("RMSNormalization")
def _rms_normalization(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", -1), x.rank)
    wide = _stash(node, x)
    inverse = m.rsqrt(m.add(_mean(m, m.multiply(wide, wide), range(axis, x.rank)), node.attribute("epsilon", 1e-5)))
    scale = node.value(1)
    y = m.convert(m.multiply(wide, m.broadcast_to(inverse, x.shape)), scale.dtype)
    return m.multiply(y, m.broadcast_to(scale, x.shape))


@operator("LRN")
def _lrn(node: Node) -> Result:
    m, x, size = node.m, node.value(0), node.needs("size")
    alpha, beta, bias = node.attribute("alpha", 1e-4), node.attribute("beta", 0.75), node.attribute("bias", 1.0)
    wide = widen(m, x)
    window, padding = [1] * x.rank, [(0, 0)] * x.rank
    window[1], padding[1] = size, ((size - 1) // 2, size // 2)
    total = m.reduce_window(m.multiply(wide, wide), "sum", window, padding=padding)
    return m.convert(m.divide(wide, m.power(m.add(m.multiply(total, alpha / size), bias), beta)), x.dtype)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that read and write at indices: gathers, scatters, selections and one-hot vectors."""
from __future__ import annotations

import numpy

from ...stablehlo import Module, Value
from ..node import Node, Result, known, operator

_REDUCTIONS = {"none": "set", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def _signed(m: Module, indices: Value) -> Value:
    return indices if indices.dtype in ("i32", "i64") else m.convert(indices, "i64")


def _update(node: Node) -> str:
    name = node.attribute("reduction", "none")
    if name not in _REDUCTIONS:
        raise node.unsupported(f"reduction {name!r}")
    return _REDUCTIONS[name]


@operator("Gather")
def _gather(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 0), x.rank)
    indices = _signed(m, node.value(1))
    array = node.tensor(1).array
    if array is not None:
        node.expect(bool((array < x.shape[axis]).all() and (array >= -x.shape[axis]).all()),
                    f"expected indices of {x.shape[axis]} elements, found others")
    return m.take(x, m.wrap_indices(indices, x.shape[axis]), axis)


@operator("GatherElements")
def _gather_elements(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 0), x.rank)
    return m.take_along(x, m.wrap_indices(_signed(m, node.value(1)), x.shape[axis]), axis)


def _wrap_vectors(m: Module, indices: Value, sizes: tuple[int, ...]) -> Value:
    """Index vectors, the last dimension, of which negative indices count from the end."""
    limits = m.broadcast_to(m.constant(numpy.asarray(sizes), dtype=indices.dtype), indices.shape)
    return m.select(m.compare(indices, 0, "LT"), m.add(indices, limits), indices)


@operator("GatherND")
def _gather_nd(node: Node) -> Result:
    m, x, indices, batch = node.m, node.value(0), _signed(node.m, node.value(1)), node.attribute("batch_dims", 0)
    count = indices.shape[-1] if indices.rank else 0
    node.expect(indices.rank > batch and batch + count <= x.rank and x.shape[:batch] == indices.shape[:batch],
                f"cannot gather {indices} of {x} with {batch} batch dimensions")
    dims, batches = list(range(batch, batch + count)), list(range(batch))
    indices = _wrap_vectors(m, indices, x.shape[batch:batch + count])
    rest = x.shape[batch + count:]
    sizes = [1] * (batch + count) + list(rest)
    outer = indices.rank - 1
    return m.gather(x,
                    indices,
                    slice_sizes=sizes,
                    offset_dims=range(outer, outer + len(rest)),
                    collapsed=dims,
                    start_map=dims,
                    batching=(batches, batches))


@operator("ScatterND")
def _scatter_nd(node: Node) -> Result:
    m, x, indices, updates = node.m, node.value(0), _signed(node.m, node.value(1)), node.value(2)
    count = indices.shape[-1] if indices.rank else 0
    node.expect(0 < indices.rank and count <= x.rank, f"cannot scatter at {indices} into {x}")
    dims = list(range(count))
    windows = range(indices.rank - 1, updates.rank)
    return m.scatter(x,
                     _wrap_vectors(m, indices, x.shape[:count]),
                     updates,
                     _update(node),
                     window_dims=windows,
                     inserted=dims,
                     scatter_map=dims)


@operator("ScatterElements", "Scatter")
def _scatter_elements(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 0), x.rank)
    indices = m.wrap_indices(_signed(m, node.value(1)), x.shape[axis])
    return m.scatter_along(x, indices, node.value(2), axis, _update(node))


@operator("TensorScatter")
def _tensor_scatter(node: Node) -> Result:
    m, x, update = node.m, node.value(0), node.value(1)
    axis, mode = m.dim(node.attribute("axis", -2), x.rank), node.attribute("mode", "linear")
    node.expect(mode in ("linear", "circular") and axis > 0,
                f"expected mode linear or circular and an axis other than the batch, found {mode!r}, {axis}")
    places = m.iota(update.shape, axis, "i64")
    if node.has(2):
        places = m.add(places, m.broadcast_in_dim(m.convert(node.value(2), "i64"), update.shape, [0]))
    if mode == "circular":
        places = m.remainder(places, x.shape[axis])
    return m.scatter_along(x, places, update, axis)


@operator("OneHot")
def _one_hot(node: Node) -> Result:
    m, indices, values = node.m, node.value(0), node.value(2)
    (depth,) = node.numbers(1)
    indices = m.convert(indices, "i64")
    axis = m.dim(node.attribute("axis", -1), indices.rank + 1)
    indices = m.expand_dims(m.wrap_indices(indices, depth), [axis])
    shape = tuple(depth if dim == axis else size for dim, size in enumerate(indices.shape))
    is_hot = m.compare(m.broadcast_to(indices, shape), m.iota(shape, axis, "i64"), "EQ")
    off, on = (m.broadcast_to(m.slice_dim(values, 0, i, i + 1), shape) for i in range(2))
    return m.select(is_hot, on, off)


@operator("Compress")
def _compress(node: Node) -> Result:
    m, x, axis = node.m, node.value(0), node.attribute("axis")
    places = numpy.nonzero(node.array(1).reshape(-1))[0]
    if axis is None:
        x, axis = m.reshape(x, [-1]), 0
    node.expect(bool((places < x.shape[axis]).all()), f"expected a condition of at most {x.shape[axis]} elements")
    return m.take(x, m.constant(places, dtype="i64"), axis)


@operator("NonZero")
def _non_zero(node: Node) -> Result:
    return known(numpy.stack(numpy.nonzero(numpy.atleast_1d(node.array(0)))), "i64")


@operator("ReverseSequence")
def _reverse_sequence(node: Node) -> Result:
    m, x = node.m, node.value(0)
    time, batch = node.attribute("time_axis", 0), node.attribute("batch_axis", 1)
    node.expect(x.rank >= 2 and {time, batch} == {0, 1},
                f"expected time and batch as the axes 0 and 1, found {time} and {batch}")
    lengths = m.broadcast_in_dim(m.convert(node.value(1), "i64"), x.shape, [batch])
    place = m.iota(x.shape, time, "i64")
    back = m.subtract(m.subtract(lengths, place), 1)
    return m.take_along(x, m.select(m.compare(place, lengths, "LT"), back, place), time)


@operator("TopK")
def _top_k(node: Node) -> Result:
    m, x = node.m, node.value(0)
    (k,) = [node.needs("k")] if node.opset < 10 else node.numbers(1)
    node.attribute("sorted")  # a sorted result is one of those that may be in any order
    return m.top_k(x, k, node.attribute("axis", -1), bool(node.attribute("largest", 1)))


@operator("ArgMax", "ArgMin")
def _arg(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 0), x.rank)
    found = m.arg_reduce(x,
                         "max" if node.op == "ArgMax" else "min",
                         axis,
                         last=bool(node.attribute("select_last_index", 0)))
    return m.expand_dims(found, [axis]) if node.attribute("keepdims", 1) else found


@operator("Hardmax")
def _hardmax(node: Node) -> Result:
    m, x = node.m, node.value(0)
    if node.opset < 13:
        raise node.unsupported(f"operator set {node.opset}")
    axis = m.dim(node.attribute("axis", -1), x.rank)
    found = m.broadcast_to(m.expand_dims(m.arg_reduce(x, "max", axis), [axis]), x.shape)
    return m.convert(m.compare(found, m.iota(x.shape, axis, "i64"), "EQ"), x.dtype)


@operator("MaxUnpool")
def _max_unpool(node: Node) -> Result:
    m, x, indices = node.m, node.value(0), node.value(1)
    kernel = node.needs("kernel_shape")
    strides, pads = node.attribute("strides") or [1] * len(kernel), node.attribute("pads") or [0] * 2 * len(kernel)
    sizes = [(size - 1) * stride - low - high + window for size, stride, low, high, window in
             zip(x.shape[2:], strides, pads[:len(kernel)], pads[len(kernel):], kernel)]
    inner = (*x.shape[:2], *sizes)
    shape = tuple(node.numbers(2)) if node.has(2) else inner
    node.expect(
        len(shape) == x.rank and indices.shape == x.shape,
        f"expected indices like {x} and a shape of rank {x.rank}, found {indices} and {shape}")
    # Indices count the elements of the shape that the window covers.
    flat = m.constant(0, (int(numpy.prod(inner)),), x.dtype)
    flat = m.scatter_along(flat, m.reshape(indices, [-1]), m.reshape(x, [-1]), 0)
    return m.pad(m.reshape(flat, inner), 0, [0] * x.rank, [a - b for a, b in zip(shape, inner)])

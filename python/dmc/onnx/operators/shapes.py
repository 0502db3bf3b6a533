# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move or make elements without computing on them."""
from __future__ import annotations

import math

import numpy
import onnx.numpy_helper

from ...stablehlo import Value, dtype_of
from ..node import Node, Result, Span, Tensor, known, operator


@operator("Constant")
def _constant(node: Node) -> Result:
    for name, make in {
            "value": onnx.numpy_helper.to_array, "value_float": numpy.float32, "value_floats":
            lambda v: known(v, "f32"), "value_int": numpy.int64, "value_ints": lambda v: known(v, "i64")
    }.items():
        found = node.attribute(name)
        if found is not None:
            if name == "value":
                node.element_type(found.data_type)
            return numpy.asarray(make(found))
    raise node.unsupported("value that is not a dense tensor of numbers")


@operator("ConstantOfShape")
def _constant_of_shape(node: Node) -> Result:
    given = node.attribute("value")
    value = onnx.numpy_helper.to_array(given).reshape(()) if given is not None else numpy.float32(0)
    return node.m.constant(value, node.numbers(0), dtype_of(numpy.asarray(value)))


@operator("Shape")
def _shape(node: Node) -> Result:
    sizes = node.shape(0)
    return known(sizes[slice(node.attribute("start", 0), node.attribute("end", None))], "i64")


@operator("Size")
def _size(node: Node) -> Result:
    return known(math.prod(node.shape(0)), "i64")


@operator("Reshape")
def _reshape(node: Node) -> Result:
    x = node.value(0)
    sizes = node.numbers_of("shape", 1) or []
    if not node.attribute("allowzero", 0):
        node.expect(all(size or i < x.rank for i, size in enumerate(sizes)),
                    f"no dimension to copy for a 0 in shape {sizes} of {x}")
        sizes = [size or x.shape[i] for i, size in enumerate(sizes)]
    if -1 in sizes and not math.prod(x.shape):
        # What -1 stands for is not determined by the elements; the others' zeros decide.
        return node.m.reshape(x, [0 if size == -1 else size for size in sizes])
    return node.m.reshape(x, sizes)


@operator("Flatten")
def _flatten(node: Node) -> Result:
    x, axis = node.value(0), node.attribute("axis", 1)
    node.expect(-x.rank <= axis <= x.rank, f"expected axis in [{-x.rank}, {x.rank}], found {axis}")
    axis += x.rank if axis < 0 else 0
    return node.m.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@operator("Squeeze")
def _squeeze(node: Node) -> Result:
    x, axes = node.value(0), node.numbers_of("axes", 1)
    return node.m.squeeze(x, [dim for dim, size in enumerate(x.shape) if size == 1] if axes is None else axes)


@operator("Unsqueeze")
def _unsqueeze(node: Node) -> Result:
    axes = node.numbers_of("axes", 1)
    node.expect(axes is not None, "axes are missing")
    return node.m.expand_dims(node.value(0), axes or [])


@operator("Transpose")
def _transpose(node: Node) -> Result:
    x = node.value(0)
    return node.m.transpose(x, node.attribute("perm") or list(range(x.rank))[::-1])


@operator("Concat")
def _concat(node: Node) -> Result:
    return node.m.concatenate(node.values(), node.attribute("axis", 1))


@operator("Split")
def _split(node: Node) -> Result:
    m, x = node.m, node.value(0)
    axis = m.dim(node.attribute("axis", 0), x.rank)
    count, size = node.attribute("num_outputs", len(node.outputs)), x.shape[axis]
    parts = node.numbers_of("split", 1)
    if parts is None:
        chunk = -(-size // count)
        parts = [max(0, min(chunk, size - i * chunk)) for i in range(count)]
    node.expect(
        sum(parts) == size and min(parts, default=0) >= 0, f"expected parts of {size} elements in all, found {parts}")
    return split(node, x, axis, parts)


def split(node: Node, x: Value, axis: int, parts: list[int]) -> tuple[Value, ...]:
    """Blocks of these sizes along an axis."""
    ends = [sum(parts[:i + 1]) for i in range(len(parts))]
    return tuple(node.m.slice_dim(x, axis, end - part, end) for part, end in zip(parts, ends))


def _computed_slice(node: Node) -> Result:
    """A slice of one dimension whose ends data decide; None of other slices."""
    m, ends = node.m, [node.tensor(index) for index in (1, 2)]
    if all(end.array is not None for end in ends) or any(math.prod(end.shape) != 1 for end in ends):
        return None
    if node.has(4) and node.numbers(4) != [1]:
        return None
    x = node.value(0)
    axis = m.dim(node.numbers(3)[0] if node.has(3) else 0, x.rank)
    sources = frozenset().union(*(end.sources for end in ends))
    begin, end = (m.convert(m.reshape(node.as_value(value), ()), "i64") for value in ends)
    begin, end = (m.clamp(0, m.wrap_indices(value, x.shape[axis]), x.shape[axis]) for value in (begin, end))
    return Tensor(x, span=Span(axis, begin, end, sources))


@operator("Slice")
def _slice(node: Node) -> Result:
    m = node.m
    if node.opset >= 10 and (computed := _computed_slice(node)) is not None:
        return computed
    x = node.value(0)
    starts, ends = node.numbers_of("starts", 1), node.numbers_of("ends", 2)
    node.expect(starts is not None and ends is not None, "starts and ends are missing")
    assert starts is not None and ends is not None
    axes = node.numbers_of("axes", 3)
    axes = list(range(len(starts))) if axes is None else m.dims(axes, x.rank)
    steps = (node.numbers(4) if node.has(4) else None) or [1] * len(starts)
    node.expect(
        len(starts) == len(ends) == len(axes) == len(steps) and 0 not in steps,
        "expected as many starts, ends, axes and steps, and no step of 0")
    low, high, stride, reversed_dims = [0] * x.rank, list(x.shape), [1] * x.rank, []
    for start, end, axis, step in zip(starts, ends, axes, steps):
        places = range(x.shape[axis])[slice(start, end, step)]
        if step < 0:
            reversed_dims.append(axis)
            places = places[::-1]
        low[axis] = places[0] if places else 0
        high[axis], stride[axis] = (places[-1] + 1 if places else 0), abs(step)
    return m.reverse(m.slice(x, low, high, stride), reversed_dims)


@operator("Expand")
def _expand(node: Node) -> Result:
    x = node.value(0)
    return node.m.broadcast_to(x, node.m.broadcast_shapes(x.shape, tuple(node.numbers(1))))


@operator("Tile")
def _tile(node: Node) -> Result:
    m, x, repeats = node.m, node.value(0), node.numbers(1)
    node.expect(len(repeats) == x.rank and min(repeats, default=0) >= 0, f"expected {x.rank} repeats, found {repeats}")
    pairs = [size for pair in zip(repeats, x.shape) for size in pair]
    spread = m.broadcast_in_dim(x, pairs, [2 * dim + 1 for dim in range(x.rank)])
    return m.reshape(spread, [size * repeat for size, repeat in zip(x.shape, repeats)])


@operator("Pad")
def _pad(node: Node) -> Result:
    m, x = node.m, node.value(0)
    mode = node.attribute("mode", "constant")
    pads = node.numbers_of("pads", 1) or []
    axes = m.dims(node.numbers(3), x.rank) if node.has(3) else list(range(x.rank))
    node.expect(len(pads) == 2 * len(axes), f"expected {2 * len(axes)} pads, found {len(pads)}")
    low, high = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[i + len(axes)]
    if mode == "constant":
        filler = node.optional(2)
        return m.pad(x, m.reshape(filler, ()) if filler is not None else node.attribute("value", 0), low, high)
    if mode not in ("reflect", "edge", "wrap"):
        raise node.unsupported(f"mode {mode!r}")
    for dim, (before, behind) in enumerate(zip(low, high)):
        if before or behind:
            node.expect(x.shape[dim] > 0, f"cannot pad {x} by its own elements")
            places = numpy.arange(max(0, -before), x.shape[dim] + min(0, behind))
            places = numpy.pad(places, (max(0, before), max(0, behind)), mode=mode)
            x = m.take(x, m.constant(places, dtype="i64"), dim)
    return x


@operator("Range")
def _range(node: Node) -> Result:
    start, limit, delta = (node.array(i).reshape(()) for i in range(3))
    node.expect(delta != 0, "expected a step that is not 0")
    if dtype_of(start) == "bf16":
        return numpy.arange(*(float(end) for end in (start, limit, delta))).astype(start.dtype)
    count = max(
        0,
        math.ceil((float(limit) - float(start)) /
                  float(delta)) if start.dtype.kind == "f" else -((int(start) - int(limit)) // int(delta)))
    return (start + numpy.arange(count).astype(start.dtype) * delta).astype(start.dtype)


@operator("EyeLike")
def _eye_like(node: Node) -> Result:
    shape, number = node.shape(0), node.attribute("dtype")
    node.expect(len(shape) == 2, f"expected a matrix, found shape {shape}")
    dtype = node.dtype(0) if number is None else node.element_type(number)
    return node.m.constant(numpy.eye(shape[0], shape[1], node.attribute("k", 0)), dtype=dtype)


@operator("Trilu")
def _trilu(node: Node) -> Result:
    m, x, is_upper = node.m, node.value(0), node.attribute("upper", 1)
    node.expect(x.rank >= 2, f"expected matrices, found {x}")
    k = m.reshape(node.value(1), ()) if node.has(1) else m.constant(0)
    row, column = (m.iota(x.shape, x.rank - 2 + i, "i64") for i in range(2))
    diagonal = m.subtract(column, row)
    keep = m.compare(diagonal, m.broadcast_to(k, x.shape), "GE" if is_upper else "LE")
    return m.select(keep, x, 0)


@operator("DepthToSpace")
def _depth_to_space(node: Node) -> Result:
    m, x, block, mode = node.m, node.value(0), node.needs("blocksize"), node.attribute("mode", "DCR")
    node.expect(x.rank == 4 and x.shape[1] % (block * block) == 0 and mode in ("DCR", "CRD"),
                f"cannot move blocks of {block} of {x} by mode {mode!r}")
    n, c, h, w = x.shape
    depth = c // (block * block)
    if mode == "DCR":
        parts = m.transpose(m.reshape(x, (n, block, block, depth, h, w)), [0, 3, 4, 1, 5, 2])
    else:
        parts = m.transpose(m.reshape(x, (n, depth, block, block, h, w)), [0, 1, 4, 2, 5, 3])
    return m.reshape(parts, (n, depth, h * block, w * block))


@operator("SpaceToDepth")
def _space_to_depth(node: Node) -> Result:
    m, x, block = node.m, node.value(0), node.needs("blocksize")
    node.expect(x.rank == 4 and x.shape[2] % block == 0 and x.shape[3] % block == 0,
                f"cannot move blocks of {block} of {x}")
    n, c, h, w = x.shape
    parts = m.transpose(m.reshape(x, (n, c, h // block, block, w // block, block)), [0, 3, 5, 1, 2, 4])
    return m.reshape(parts, (n, c * block * block, h // block, w // block))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize: every dimension by a matrix of weights that is known when the model is imported, or by indices."""
from __future__ import annotations

import dataclasses
import math

import numpy

from ...stablehlo import Value
from ..node import Node, Result, operator
from .reductions import widen

_TRANSFORMS = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
               "tf_crop_and_resize")


@dataclasses.dataclass(frozen=True)
class _Options:
    mode: str
    transform: str
    nearest: str
    antialias: bool
    cubic: float
    exclude_outside: bool


def _positions(size: int, count: int, scale: float, transform: str, region: tuple[float, float]) -> numpy.ndarray:
    """Where in the input the centers of the result's elements lie."""
    x = numpy.arange(count, dtype="float64")
    length = size * scale  # which the number of elements is rounded down from
    if transform == "align_corners":
        return x * (size - 1) / (length - 1) if length > 1 else numpy.zeros(count)
    if transform == "asymmetric":
        return x / scale
    if transform == "tf_crop_and_resize":
        begin, end = region
        spread = x * (end - begin) * (size - 1) / (length - 1) if length > 1 else numpy.full(
            count, 0.5 * (end - begin) * (size - 1))
        return begin * (size - 1) + spread
    if transform == "pytorch_half_pixel" and length <= 1:
        return numpy.zeros(count)
    half = (x + 0.5) / scale - 0.5
    if transform == "half_pixel_symmetric":
        # The scale that the rounded size has, about the center.
        return half + size / 2 * (1 - count / length)
    return half


def _nearest(positions: numpy.ndarray, mode: str) -> numpy.ndarray:
    if mode == "floor":
        return numpy.floor(positions)
    if mode == "ceil":
        return numpy.ceil(positions)
    return numpy.ceil(positions - 0.5) if mode == "round_prefer_floor" else numpy.floor(positions + 0.5)


def _kernel(distance: numpy.ndarray, options: _Options) -> numpy.ndarray:
    d = numpy.abs(distance)
    if options.mode == "linear":
        return numpy.maximum(0, 1 - d)
    a = options.cubic
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return numpy.where(d <= 1, near, numpy.where(d < 2, far, 0))


def _weights(size: int, positions: numpy.ndarray, scale: float, options: _Options) -> numpy.ndarray:
    """A row for each element of the result; taps beyond an edge are those of the edge, or left out."""
    reach = 1 if options.mode == "linear" else 2
    stretch = min(1.0, scale) if options.antialias else 1.0
    taps = math.ceil(reach / stretch)
    base = numpy.floor(positions)
    offsets = numpy.arange(-taps + 1, taps + 1)
    if options.antialias:
        offsets = numpy.arange(-taps, taps + 2)
    places = base[:, None] + offsets
    weights = _kernel((positions[:, None] - places) * stretch, options)
    outside = (places < 0) | (places >= size)
    if options.exclude_outside:
        weights = numpy.where(outside, 0, weights)
    if options.exclude_outside or options.antialias:
        weights = weights / weights.sum(1, keepdims=True)
    rows = numpy.zeros((len(positions), size))
    columns = numpy.clip(places, 0, size - 1).astype("int64")
    numpy.add.at(rows, (numpy.arange(len(positions))[:, None], columns), weights)
    return rows


def _axis(node: Node, x: Value, dim: int, count: int, positions: numpy.ndarray, scale: float,
          options: _Options) -> Value:
    m, size = node.m, x.shape[dim]
    if options.mode == "nearest":
        places = numpy.clip(_nearest(positions, options.nearest), 0, size - 1)
        return x if numpy.array_equal(places, numpy.arange(size)) else m.take(x, m.constant(places, dtype="i64"), dim)
    rows = _weights(size, positions, scale, options)
    if count == size and numpy.array_equal(rows, numpy.eye(size)):
        return x
    product = m.dot_general(x, m.constant(rows, dtype=x.dtype), ([dim], [1]))
    return m.move_dim(product, product.rank - 1, dim)


def _target(node: Node, shape: list[int], axes: list[int]) -> tuple[list[int], list[float]]:
    """Sizes and scales of the axes."""
    given = node.array(2).reshape(-1) if node.has(2) and node.array(2).size else None
    sizes = node.numbers(3) if node.has(3) else None
    node.expect((given is None) != (not sizes), "expected either scales or sizes")
    policy = node.attribute("keep_aspect_ratio_policy", "stretch")
    if sizes:
        node.expect(len(sizes) == len(axes), f"expected {len(axes)} sizes, found {sizes}")
        scales = [target / size for target, size in zip(sizes, shape)]
        if policy == "stretch":
            return sizes, scales
        node.expect(policy in ("not_larger", "not_smaller"), f"unknown keep_aspect_ratio_policy {policy!r}")
        scale = min(scales) if policy == "not_larger" else max(scales)
        return [math.floor(scale * size + 0.5) for size in shape], [scale] * len(shape)
    assert given is not None
    node.expect(
        len(given) == len(axes) and bool((given > 0).all()),
        f"expected {len(axes)} positive scales, found {given.tolist()}")
    return [math.floor(float(scale) * size) for scale, size in zip(given, shape)], [float(scale) for scale in given]


def _options(node: Node) -> _Options:
    mode, transform = node.attribute("mode", "nearest"), node.attribute("coordinate_transformation_mode", "half_pixel")
    options = _Options(mode, transform, node.attribute("nearest_mode", "round_prefer_floor"),
                       bool(node.attribute("antialias", 0)), node.attribute("cubic_coeff_a", -0.75),
                       bool(node.attribute("exclude_outside", 0)))
    if mode not in ("nearest", "linear", "cubic"):
        raise node.unsupported(f"mode {mode!r}")
    if transform not in _TRANSFORMS:
        raise node.unsupported(f"coordinate_transformation_mode {transform!r}")
    node.expect(options.nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
                f"unknown nearest_mode {options.nearest!r}")
    return options


@operator("Resize")
def _resize(node: Node) -> Result:
    m, x = node.m, node.value(0)
    if node.opset < 11:
        raise node.unsupported(f"operator set {node.opset}")
    options = _options(node)
    axes = m.dims(node.attribute("axes") or range(x.rank), x.rank)
    before = [x.shape[axis] for axis in axes]
    sizes, scales = _target(node, before, axes)
    node.attribute("keep_aspect_ratio_policy")
    is_crop = options.transform == "tf_crop_and_resize"
    region = node.array(1).reshape(-1).astype("float64") if is_crop else numpy.zeros(2 * len(axes))
    node.expect(len(region) == 2 * len(axes), f"expected a region of {2 * len(axes)} numbers, found {len(region)}")
    filler = node.attribute("extrapolation_value", 0.0)
    y = widen(m, x) if options.mode != "nearest" else x
    if y.dtype not in ("f32", "f64") and options.mode != "nearest":
        y = m.convert(y, "f32")
    is_inside = numpy.ones([1] * x.rank, bool)
    for i, (axis, size, count, scale) in enumerate(zip(axes, before, sizes, scales)):
        positions = _positions(size, count, scale, options.transform, (region[i], region[i + len(axes)]))
        y = _axis(node, y, axis, count, positions, scale, options)
        if is_crop:
            inside = (positions >= 0) & (positions <= size - 1)
            is_inside = is_inside & inside.reshape([-1 if dim == axis else 1 for dim in range(x.rank)])
    if not is_inside.all():
        y = m.select(m.broadcast_to(m.constant(is_inside), y.shape), y, filler)
    return m.convert(y, x.dtype)


@operator("Upsample")
def _upsample(node: Node) -> Result:
    m, x = node.m, node.value(0)
    scales = node.needs("scales") if node.opset < 9 else node.array(1).reshape(-1).tolist()
    options = _Options(node.attribute("mode", "nearest"), "asymmetric", "floor", False, -0.75, False)
    if options.mode not in ("nearest", "linear"):
        raise node.unsupported(f"mode {options.mode!r}")
    node.expect(len(scales) == x.rank, f"expected {x.rank} scales, found {scales}")
    for dim, scale in enumerate(scales):
        count = math.floor(x.shape[dim] * scale)
        x = _axis(node, x, dim, count, _positions(x.shape[dim], count, scale, "asymmetric", (0, 1)), scale, options)
    return x

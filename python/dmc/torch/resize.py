# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation and its gradients: along each dimension a product with a constant matrix of weights."""
from __future__ import annotations

import typing
from collections.abc import Sequence

import numpy

from ..stablehlo import Value
from .result import ProgramModule, Result, accumulator
from .windows import matrix_along

_CUBIC = -0.75


def _sources(size: int, result: int, corners: bool, scale: float | None) -> numpy.ndarray:
    """Where the elements of the result lie in the source."""
    if corners:
        return numpy.arange(result) * ((size - 1) / (result - 1) if result > 1 else 0.0)
    ratio = 1 / scale if scale else size / result
    return (numpy.arange(result) + 0.5) * ratio - 0.5


def _nearest(size: int, result: int, exact: bool, scale: float | None) -> numpy.ndarray:
    # Sources are computed in f32, as torch does: the places of ties depend on it.
    ratio = numpy.float32(1 / scale) if scale else numpy.float32(size) / numpy.float32(result)
    offset = numpy.float32(0.5 if exact else 0)
    return numpy.minimum(numpy.floor((numpy.arange(result, dtype="float32") + offset) * ratio).astype(int), size - 1)


def _cubic_weights(t: numpy.ndarray) -> list[numpy.ndarray]:
    near = lambda x: ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1
    far = lambda x: ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC
    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def weights(mode: str, size: int, result: int, corners: bool, scale: float | None) -> numpy.ndarray:
    """A row of weights for each element of the result."""
    matrix, rows = numpy.zeros((result, size)), numpy.arange(result)
    if mode.startswith("nearest"):
        matrix[rows, _nearest(size, result, mode == "nearest_exact", scale)] = 1
        return matrix
    source = _sources(size, result, corners, scale)
    if mode == "linear":
        source = numpy.maximum(source, 0)
    base = numpy.floor(source).astype(int)
    part = source - base
    entries = [(0, 1 - part), (1, part)] if mode == "linear" else list(zip((-1, 0, 1, 2), _cubic_weights(part)))
    for offset, weight in entries:
        numpy.add.at(matrix, (rows, numpy.clip(base + offset, 0, size - 1)), weight)
    return matrix


def _repeat(module: ProgramModule, x: Value, factors: Sequence[int]) -> Value:
    lead = x.rank - len(factors)
    sizes, places = list(x.shape[:lead]), list(range(lead))
    for size, factor in zip(x.shape[lead:], factors):
        places.append(len(sizes))
        sizes += [size, factor]
    shape = [*x.shape[:lead], *(size * factor for size, factor in zip(x.shape[lead:], factors))]
    return module.reshape(module.broadcast_in_dim(x, sizes, places), shape)


def _sum_blocks(module: ProgramModule, x: Value, factors: Sequence[int]) -> Value:
    lead = x.rank - len(factors)
    sizes = list(x.shape[:lead])
    for size, factor in zip(x.shape[lead:], factors):
        sizes += [size // factor, factor]
    return module.reduce(module.reshape(x, sizes), "sum", range(lead + 1, len(sizes), 2))


def _factors(mode: str, sizes: Sequence[int], results: Sequence[int],
             scales: Sequence[float | None]) -> list[int] | None:
    """Integral factors of a nearest interpolation, whose blocks are copies."""
    if not mode.startswith("nearest") or any(not size or result % size for size, result in zip(sizes, results)):
        return None
    factors = [result // size for size, result in zip(sizes, results)]
    return factors if all(not scale or scale == factor for scale, factor in zip(scales, factors)) else None


def _parse(count: int, mode: str, given: Sequence[typing.Any]) -> tuple[bool, list[float | None]]:
    """align_corners, and the scales, of the arguments that follow the sizes."""
    corners = bool(given[0]) if mode in ("linear", "cubic") and given else False
    rest = list(given[1:] if mode in ("linear", "cubic") else given)
    if len(rest) == 1 and isinstance(rest[0], (list, tuple)):
        rest = list(rest[0])
    scales = [None if item is None else float(item) for item in rest]
    return corners, (scales + [None] * count)[:count]


def _forward(mode: str, count: int) -> typing.Any:
    def build(module: ProgramModule, out: Result, x: Value, sizes: typing.Any, *given: typing.Any) -> Value:
        lead = x.rank - count
        corners, scales = _parse(count, mode, given)
        factors = _factors(mode, x.shape[lead:], out.shape[lead:], scales)
        if factors is not None:
            return _repeat(module, x, factors)
        wide = module.convert(x, accumulator(x.dtype))
        for i, dim in enumerate(range(lead, x.rank)):
            wide = matrix_along(module, wide, weights(mode, x.shape[dim], out.shape[dim], corners, scales[i]), dim)
        return module.convert(wide, out.dtype)

    return build


def _backward(mode: str, count: int) -> typing.Any:
    def build(module: ProgramModule, out: Result, gradient: Value, sizes: typing.Any, image: typing.Any,
              *given: typing.Any) -> Value:
        lead = gradient.rank - count
        corners, scales = _parse(count, mode, given)
        wide = module.convert(gradient, accumulator(gradient.dtype))
        factors = _factors(mode, out.shape[lead:], gradient.shape[lead:], scales)
        if factors is not None:
            return module.convert(_sum_blocks(module, wide, factors), out.dtype)
        for i, dim in enumerate(range(lead, gradient.rank)):
            matrix = weights(mode, out.shape[dim], gradient.shape[dim], corners, scales[i])
            wide = matrix_along(module, wide, matrix.T, dim)
        return module.convert(wide, out.dtype)

    return build


def _pixel_shuffle(module: ProgramModule, out: Result, x: Value, factor: int) -> Value:
    *lead, channels, height, width = x.shape
    n = len(lead)
    split = module.reshape(x, (*lead, channels // factor**2, factor, factor, height, width))
    return module.reshape(module.transpose(split, [*range(n), n, n + 3, n + 1, n + 4, n + 2]), out.shape)


def _pixel_unshuffle(module: ProgramModule, out: Result, x: Value, factor: int) -> Value:
    *lead, channels, height, width = x.shape
    n = len(lead)
    split = module.reshape(x, (*lead, channels, height // factor, factor, width // factor, factor))
    return module.reshape(module.transpose(split, [*range(n), n, n + 2, n + 4, n + 1, n + 3]), out.shape)


_NAMES = (("nearest1d", "nearest", 1), ("nearest2d", "nearest", 2), ("nearest3d", "nearest", 3),
          ("linear1d", "linear", 1), ("bilinear2d", "linear", 2), ("trilinear3d", "linear", 3),
          ("bicubic2d", "cubic", 2))
_EXACT = tuple((f"_exact{n}d", "nearest_exact", n) for n in (1, 2, 3))

TABLE: dict[str, typing.Any] = {
    f"aten.upsample_{name}.{kind}": _forward(mode, n) for name, mode, n in _NAMES for kind in ("default", "vec")
} | {f"aten.upsample_{name}_backward.default": _backward(mode, n) for name, mode, n in _NAMES} | {
    f"aten._upsample_nearest{name}.{kind}": _forward(mode, n) for name, mode, n in _EXACT for kind in ("default", "vec")
} | {f"aten._upsample_nearest{name}_backward.default": _backward(mode, n) for name, mode, n in _EXACT} | {
    "aten.pixel_shuffle.default": _pixel_shuffle,
    "aten.pixel_unshuffle.default": _pixel_unshuffle,
}

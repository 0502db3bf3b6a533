# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers and Fourier transforms. A view of conjugates is the conjugates: the importer sees values."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import COMPLEX, Value
from .elementwise import cast
from .result import ProgramModule, Result

_BY_ROOT, _BY_COUNT = 1, 2  # of a transform's factor


def _conjugate(module: ProgramModule, out: Result, x: typing.Any) -> Value:
    return module.conjugate(cast(module, out, x))


def _complex(module: ProgramModule, out: Result, real: Value, imaginary: Value) -> Value:
    return module.complex(*(module.broadcast_to(x, out.shape) for x in (real, imaginary)))


def _polar(module: ProgramModule, out: Result, length: Value, angle: Value) -> Value:
    return module.complex(module.multiply(length, module.cosine(angle)), module.multiply(length, module.sine(angle)))


def _pairs(module: ProgramModule, out: Result, x: Value) -> Value:
    """view_as_real: the parts side by side."""
    return module.concatenate([module.expand_dims(part, [x.rank]) for part in (module.real(x), module.imag(x))], x.rank)


def _from_pairs(module: ProgramModule, out: Result, x: Value) -> Value:
    return module.complex(*(module.reshape(module.slice_dim(x, -1, i, i + 1), out.shape) for i in range(2)))


def _sgn(module: ProgramModule, out: Result, x: Value) -> Value:
    """The direction of a complex number, 0 of 0."""
    return module.sign(x) if x.dtype in COMPLEX | {"f32", "f64"} else _real_sign(module, x)


def _real_sign(module: ProgramModule, x: Value) -> Value:
    wide = module.convert(x, "f32" if x.dtype in ("f16", "bf16") else "i64")
    return module.convert(module.sign(wide), x.dtype)


def _scaled(module: ProgramModule, x: Value, count: int, factor: int, done: bool = False) -> Value:
    """By the factor of a transform of so many elements; done: they are divided by their number already."""
    scale = {_BY_ROOT: 1 / math.sqrt(count), _BY_COUNT: 1 / count}.get(factor, 1.0) * (count if done else 1)
    return x if scale == 1 else module.multiply(x, scale)


def _along(module: ProgramModule, x: Value, dim: int, kind: str, size: int) -> Value:
    """A transform of one dimension."""
    moved = module.fft(module.move_dim(x, dim, -1), kind, [size])
    return module.move_dim(moved, -1, dim)


def _count(sizes: Sequence[int], dims: Sequence[int]) -> int:
    return math.prod(sizes[dim] for dim in dims)


def _transform(module: ProgramModule, out: Result, x: Value, dims: Sequence[int], factor: int,
               forward: bool) -> Value:
    """_fft_c2c"""
    for dim in dims:
        x = _along(module, x, dim, "FFT" if forward else "IFFT", x.shape[dim])
    return _scaled(module, x, _count(x.shape, dims), factor, not forward)


def _from_real(module: ProgramModule, out: Result, x: Value, dims: Sequence[int], factor: int,
               half: bool) -> Value:
    """_fft_r2c: the last of the dimensions first, of which the first half is kept if wanted."""
    count = _count(x.shape, dims)
    if half:
        found = _along(module, x, dims[-1], "RFFT", x.shape[dims[-1]])
        dims = dims[:-1]
    else:
        found = module.convert(x, out.dtype)
    for dim in dims:
        found = _along(module, found, dim, "FFT", found.shape[dim])
    return _scaled(module, found, count, factor)


def _to_real(module: ProgramModule, out: Result, x: Value, dims: Sequence[int], factor: int, size: int) -> Value:
    """_fft_c2r: from the first half of the last of the dimensions."""
    for dim in dims[:-1]:
        x = _along(module, x, dim, "IFFT", x.shape[dim])
    found = _along(module, x, dims[-1], "IRFFT", size)
    return _scaled(module, found, _count(out.shape, dims), factor, True)


TABLE: dict[str, typing.Any] = {
    f"aten.{name}.default": _conjugate for name in ("_conj", "_conj_copy", "_conj_physical", "conj", "conj_physical")
} | {f"aten.{name}.default": _pairs for name in ("view_as_real", "view_as_real_copy")} | {
    f"aten.{name}.default": _from_pairs for name in ("view_as_complex", "view_as_complex_copy")
} | {
    f"aten.{name}.default": lambda module, out, x: module.negate(x) for name in ("_neg_view", "_neg_view_copy")
} | {
    "aten._fft_c2c.default": _transform,
    "aten._fft_c2r.default": _to_real,
    "aten._fft_r2c.default": _from_real,
    "aten.complex.default": _complex,
    "aten.imag.default": lambda module, out, x: module.imag(x),
    "aten.polar.default": _polar,
    "aten.real.default": lambda module, out, x: module.real(x),
    "aten.sgn.default": _sgn,
}

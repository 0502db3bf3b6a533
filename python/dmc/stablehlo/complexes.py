# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers: their parts, and Fourier transforms. Sums, products, comparisons and functions are those of floats."""
from __future__ import annotations

from collections.abc import Sequence

from .core import Value, array_text
from .elementwise import Elementwise
from .types import COMPLEX, complex_of, part_of

_KINDS = ("FFT", "IFFT", "RFFT", "IRFFT")


class ComplexNumbers(Elementwise):
    """complex, real, imag and fft."""

    def complex(self, real: Value, imaginary: Value) -> Value:
        """The numbers of these parts, which are f32 or f64."""
        self.expect((real.shape, real.dtype) == (imaginary.shape, imaginary.dtype) and real.dtype in ("f32", "f64"),
                    f"expected parts of one shape and f32 or f64, found {real} and {imaginary}")
        return self.emit("stablehlo.complex", [real, imaginary], [(real.shape, complex_of(real.dtype))])[0]

    def real(self, x: Value) -> Value:
        """The real parts; of other types x itself."""
        return self.unary("real", x, COMPLEX, part_of(x.dtype)) if x.dtype in COMPLEX else x

    def imag(self, x: Value) -> Value:
        """The imaginary parts of complex numbers."""
        return self.unary("imag", x, COMPLEX, part_of(x.dtype))

    def conjugate(self, x: Value) -> Value:
        """The conjugates; of other types x itself."""
        return self.complex(self.real(x), self.negate(self.imag(x))) if x.dtype in COMPLEX else x

    def fft(self, x: Value, kind: str, sizes: Sequence[int]) -> Value:
        """The transform of the last dimensions, of these sizes: FFT, IFFT, RFFT of floats, or IRFFT to floats, which
        take and give the first half of the last dimension. IFFT and IRFFT divide by the number of elements."""
        self.expect(kind in _KINDS, f"expected one of {', '.join(_KINDS)}, found {kind!r}")
        self.expect(0 < len(sizes) <= min(3, x.rank), f"expected one to three sizes for {x}, found {list(sizes)}")
        self.expect((x.dtype in COMPLEX) == (kind != "RFFT"), f"unsupported {kind} of {x}")
        lead, half = x.shape[:x.rank - len(sizes)], sizes[-1] // 2 + 1
        given = (*sizes[:-1], half if kind == "IRFFT" else sizes[-1])
        self.expect(x.shape[len(lead):] == given, f"expected {kind} of dimensions {given}, found {x}")
        shape = (*lead, *sizes[:-1], half if kind == "RFFT" else sizes[-1])
        dtype = {"RFFT": complex_of, "IRFFT": part_of}.get(kind, str)(x.dtype)
        return self.emit("stablehlo.fft", [x], [(shape, dtype)],
                         f"fft_length = {array_text(sizes)}, fft_type = #stablehlo<fft_type {kind}>")[0]

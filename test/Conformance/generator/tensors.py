# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of dmc's element types in numpy, and their text in files of packed cases."""
import math

import numpy as np

SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["f16", "bf16", "f32", "f64"]
NUMBERS = INTEGERS + FLOATS
ALL = ["i1"] + NUMBERS

# bf16 values are held as float32 with the lower 16 bits zero.
DTYPES = {"i1": np.bool_, "f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64}
DTYPES.update({t: np.dtype(("uint" if t[0] == "u" else "int") + t.lstrip("ui")) for t in INTEGERS})
# Bits of the significand, the leading one included, and of the exponent.
SIGNIFICAND = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
EXPONENT = {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}


def width(t):
    return 1 if t == "i1" else int(t.lstrip("uibf"))


def is_float(t):
    return t in FLOATS


def round_to(t, values):
    """Numbers, of any precision, rounded once to nearest even to the float type t."""
    values = np.asarray(values)
    if t != "bf16":
        with np.errstate(over="ignore"):
            return values.astype(DTYPES[t])
    exact = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        below = (exact.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        # Conversion to float32 may have rounded up past a bf16 number: step back.
        step = np.abs(below.astype(np.float64)) > np.abs(exact)
        bits = below.view(np.uint32) - np.where(step, np.uint32(0x10000), np.uint32(0))
        low, high = bits.view(np.float32), (bits + np.uint32(0x10000)).view(np.float32)
        # Above the largest number the next one would be 2^128, which rounding goes by.
        above = np.where(np.isinf(high), np.copysign(2.0**128, exact), high.astype(np.float64))
        down, up = np.abs(exact - low.astype(np.float64)), np.abs(above - exact)
        odd = (bits >> np.uint32(16)) & np.uint32(1)
        result = np.where((up < down) | ((up == down) & (odd == 1)), high, low)
        result = np.where(np.isfinite(exact), result, exact.astype(np.float32))
    return result.astype(np.float32)


class Tensor:
    """A type's name, and an array of DTYPES[type]."""

    def __init__(self, t, data):
        self.type = t
        self.data = np.asarray(data)
        if is_float(t):
            self.data = round_to(t, self.data)
        elif t == "i1" or self.data.dtype != DTYPES[t]:
            self.data = self.data.astype(DTYPES[t])

    @property
    def shape(self):
        return self.data.shape

    @property
    def mlir(self):
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + self.type + ">"

    @property
    def text_type(self):
        return "".join(f"{n}x" for n in self.shape) + self.type

    def wide(self):
        """The values in float64 or, of float64, in the machine's extended precision."""
        return self.data.astype(np.longdouble if self.type == "f64" else np.float64)

    def values(self):
        """The elements as JSON can say them; NaN with a sign, or bits where that matters."""
        return [element_text(self.type, x) for x in self.data.reshape(-1)]


def element_text(t, x):
    if t == "i1":
        return bool(x)
    if not is_float(t):
        return int(x)
    if math.isnan(x):
        return "-nan" if np.signbit(x) else "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    if x == int(x) and abs(x) < 1e15 and not (x == 0 and np.signbit(x)):
        return int(x)
    for digits in range(1, 18):  # the shortest text that gives the number back
        value = float(f"{float(x):.{digits}g}")
        if round_to(t, np.float64(value)) == x:
            return value
    raise AssertionError(f"{x} of {t} has no text")


def integer_edges(t):
    """Zero, one, small numbers and the extremes of an integer type."""
    bits = width(t)
    if t[0] == "u":
        return [0, 1, 5, 2 ** (bits - 1), 2**bits - 1]
    return [0, 1, -3, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))]


def float_edges(t):
    """Zeros, infinities, NaN, the largest and the least normal and subnormal numbers, some others."""
    p, e = SIGNIFICAND[t], EXPONENT[t]
    bias = 2 ** (e - 1) - 1
    largest = (2.0 - 2.0 ** (1 - p)) * 2.0**bias
    return [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan, largest, 2.0 ** (1 - bias), 2.0 ** (2 - bias - p)]


def edges(t):
    return [False, True] if t == "i1" else float_edges(t) if is_float(t) else integer_edges(t)


def pairs(t, values=None):
    """Two vectors that hold every pair of the values."""
    values = edges(t) if values is None else values
    dtype = np.float64 if is_float(t) else object
    a, b = np.meshgrid(np.array(values, dtype=dtype), np.array(values, dtype=dtype), indexing="ij")
    return make(t, a.reshape(-1)), make(t, b.reshape(-1))


def wrap(t, values):
    """Python integers modulo 2 to the width of t."""
    bits = width(t)

    def one(v):
        v = int(v) % 2**bits
        return v - 2**bits if t[0] != "u" and v >= 2 ** (bits - 1) else v

    array = np.asarray(values, dtype=object)
    out = np.empty(array.shape, dtype=DTYPES[t])
    flat = out.reshape(-1)
    for i, v in enumerate(array.reshape(-1)):
        flat[i] = one(v)
    return out


def make(t, values):
    """A tensor of a list of numbers."""
    if t == "i1" or is_float(t):
        return Tensor(t, values)
    return Tensor(t, wrap(t, values))


def small(t, shape, seed=0, low=-4, high=5):
    """Small integers, in floats too, so that sums and products are exact in any order."""
    rng = np.random.default_rng(seed)
    if t == "i1":
        return Tensor(t, rng.integers(0, 2, shape) == 1)
    if t[0] == "u":
        low, high = 0, high - low
    return Tensor(t, rng.integers(low, high, shape))


def real(t, shape, seed=0):
    """Quarters in [-3, 3]."""
    return Tensor(t, np.random.default_rng(seed).integers(-12, 13, shape) / 4.0)

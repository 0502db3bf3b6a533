# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers as functions of a key and of an element's index, so that they are the same on every mesh."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from ..stablehlo import Module, Value

_GOLDEN = 0x9E3779B97F4A7C15  # 2^64 / the golden ratio, the increment of SplitMix64


class Random:
    """Draws from a key, a value of two i64: the seed and a counter of steps. Each draw has a number of its own."""

    def __init__(self, module: Module, key: Value):
        module.expect((key.shape, key.dtype) == ((2,), "i64"), f"expected a key of 2 x i64, found {key}")
        self._module = module
        self._draws = 0
        bits = module.bitcast_convert(key, "ui64")
        seed, step = (module.reshape(module.slice_dim(bits, 0, i, i + 1), ()) for i in range(2))
        self._state = self._mix(module.add(self._mix(seed), module.multiply(step, _GOLDEN)))

    def _shift_xor(self, x: Value, bits: int) -> Value:
        return self._module.logical_xor(x, self._module.shift_right_logical(x, bits))

    def _mix(self, x: Value) -> Value:
        """The output function of SplitMix64 (Steele, Lea, Flood 2014)."""
        module = self._module
        x = module.add(x, _GOLDEN)
        x = module.multiply(self._shift_xor(x, 30), 0xBF58476D1CE4E5B9)
        x = module.multiply(self._shift_xor(x, 27), 0x94D049BB133111EB)
        return self._shift_xor(x, 31)

    def bits(self, shape: Sequence[int]) -> Value:
        """ui64 of which all bits are random: the mix of the draw's key and the element's index."""
        module, sizes = self._module, tuple(shape)
        key = self._mix(module.add(self._state, self._draws * _GOLDEN % (1 << 64)))
        self._draws += 1
        index = module.constant(0, sizes, "ui64")
        for dim, size in enumerate(sizes):
            index = module.add(module.multiply(index, size), module.iota(sizes, dim, "ui64"))
        return self._mix(self._mix(module.logical_xor(index, module.broadcast_to(key, sizes))))

    def uniform(self, shape: Sequence[int], dtype: str) -> Value:
        """In [0, 1), multiples of 2^-24, of f64 2^-53."""
        module = self._module
        wide, count = ("f64", 53) if dtype == "f64" else ("f32", 24)
        top = module.shift_right_logical(self.bits(shape), 64 - count)
        number = module.multiply(module.convert(top, wide), 2.0**-count)
        # Rounded to 16 bits the largest would be 1.
        narrow = {"bf16": 1 - 2.0**-8, "f16": 1 - 2.0**-11}.get(dtype)
        return module.convert(module.minimum(number, narrow) if narrow else number, dtype)

    def normal(self, shape: Sequence[int], dtype: str) -> Value:
        """By Box and Muller's method."""
        module = self._module
        wide = "f64" if dtype == "f64" else "f32"
        rest = module.subtract(1.0, self.uniform(shape, wide))
        radius = module.sqrt(module.multiply(module.log(rest), -2.0))
        angle = module.multiply(self.uniform(shape, wide), 2 * math.pi)
        return module.convert(module.multiply(radius, module.cosine(angle)), dtype)

    def integers(self, shape: Sequence[int], low: int, high: int, dtype: str) -> Value:
        """In [low, high)."""
        module = self._module
        module.expect(low < high, f"expected random integers of a range, found {low} to {high}")
        number = module.convert(module.remainder(self.bits(shape), high - low), dtype)
        return module.add(number, low)

    def chance(self, shape: Sequence[int], probability: typing.Any) -> Value:
        """i1, true with a probability: a number, or f32 of the shape."""
        return self._module.compare(self.uniform(shape, "f32"), probability, "LT")

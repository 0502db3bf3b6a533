# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations. Operands have one shape and type; a number in place of one is taken in the other's type."""
from __future__ import annotations

from .core import Core, Operand, Value
from .types import ANY, BITS, COMPLEX, FLOATS, INTEGERS, NUMBERS, SIGNED, check_dtype, part_of

_INEXACT = FLOATS | COMPLEX
_DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


class Elementwise(Core):
    """Unary and binary operations, comparisons, selections and conversions."""

    def _check(self, op: str, value: Value, allowed: frozenset[str]) -> None:
        self.expect(value.dtype in allowed,
                    f"unsupported element type {value.dtype} of {op}, expected one of {', '.join(sorted(allowed))}")

    def _pair(self, op: str, left: Operand, right: Operand) -> tuple[Value, Value]:
        if not isinstance(left, Value):
            self.expect(isinstance(right, Value), f"expected at least one value as operand of {op}")
            left = self.like(left, right)  # type: ignore[arg-type]
        right = self.like(right, left)
        self.expect((left.shape, left.dtype) == (right.shape, right.dtype),
                    f"expected operands of {op} of one shape and type, found {left} and {right}")
        return left, right

    def unary(self, op: str, x: Value, allowed: frozenset[str] = ANY, dtype: str | None = None) -> Value:
        """An operation by its name, with the dialect if that is not StableHLO; dtype: of the result, if it is another."""
        self._check(op, self._own(x), allowed)
        return self.emit(op if "." in op else "stablehlo." + op, [x], [(x.shape, dtype or x.dtype)])[0]

    def binary(self, op: str, left: Operand, right: Operand, allowed: frozenset[str] = ANY) -> Value:
        """An operation of two operands by its name, with the dialect if that is not StableHLO."""
        left, right = self._pair(op, left, right)
        self._check(op, left, allowed)
        return self.emit(op if "." in op else "stablehlo." + op, [left, right], [(left.shape, left.dtype)])[0]

    def add(self, left: Operand, right: Operand) -> Value:
        """The sum; of i1 the disjunction."""
        return self.binary("add", left, right)

    def subtract(self, left: Operand, right: Operand) -> Value:
        """The difference; that of integers wraps around."""
        return self.binary("subtract", left, right, NUMBERS)

    def multiply(self, left: Operand, right: Operand) -> Value:
        """The product; of i1 the conjunction."""
        return self.binary("multiply", left, right)

    def divide(self, left: Operand, right: Operand) -> Value:
        """The quotient; that of integers is rounded to zero."""
        return self.binary("divide", left, right, NUMBERS)

    def remainder(self, left: Operand, right: Operand) -> Value:
        """What a division rounded to zero leaves, with the sign of `left`, as math.fmod."""
        return self.binary("remainder", left, right, NUMBERS)

    def maximum(self, left: Operand, right: Operand) -> Value:
        """The greater element; NaN where an operand is NaN."""
        return self.binary("maximum", left, right)

    def minimum(self, left: Operand, right: Operand) -> Value:
        """The smaller element; NaN where an operand is NaN."""
        return self.binary("minimum", left, right)

    def power(self, left: Operand, right: Operand) -> Value:
        """`left` to the power of `right`."""
        return self.binary("power", left, right, NUMBERS)

    def atan2(self, left: Operand, right: Operand) -> Value:
        """The angle of the point (right, left) in radians, from -pi to pi; of floats."""
        return self.binary("atan2", left, right, FLOATS)

    def logical_and(self, left: Operand, right: Operand) -> Value:
        """Bit by bit; of i1 the conjunction."""
        return self.binary("and", left, right, BITS)

    def logical_or(self, left: Operand, right: Operand) -> Value:
        """Bit by bit; of i1 the disjunction."""
        return self.binary("or", left, right, BITS)

    def logical_xor(self, left: Operand, right: Operand) -> Value:
        """Bit by bit; of i1 whether one of the two holds."""
        return self.binary("xor", left, right, BITS)

    def logical_not(self, x: Value) -> Value:
        """Bit by bit; of i1 the negation."""
        return self.unary("not", x, BITS)

    def shift_left(self, left: Operand, right: Operand) -> Value:
        """`left` by `right` bits; 0 where that is its width or more."""
        return self.binary("shift_left", left, right, INTEGERS)

    def shift_right_arithmetic(self, left: Operand, right: Operand) -> Value:
        """`left` by `right` bits, filled with the sign."""
        return self.binary("shift_right_arithmetic", left, right, INTEGERS)

    def shift_right_logical(self, left: Operand, right: Operand) -> Value:
        """`left` by `right` bits, filled with 0."""
        return self.binary("shift_right_logical", left, right, INTEGERS)

    def abs(self, x: Value) -> Value:
        """The magnitude, of complex numbers a float; of unsigned integers x itself."""
        return x if x.dtype.startswith("u") else self.unary("abs", x, _INEXACT | SIGNED, part_of(x.dtype))

    def negate(self, x: Value) -> Value:
        """-x; that of integers wraps around."""
        return self.unary("negate", x, NUMBERS)

    def sign(self, x: Value) -> Value:
        """-1, 0 or 1, in the type of x; NaN of NaN; of a complex number that of its direction."""
        return self.unary("sign", x, _INEXACT | SIGNED)

    def exponential(self, x: Value) -> Value:
        """exp(x)."""
        return self.unary("exponential", x, _INEXACT)

    def exponential_minus_one(self, x: Value) -> Value:
        """exp(x) - 1, exact near 0."""
        return self.unary("exponential_minus_one", x, _INEXACT)

    def log(self, x: Value) -> Value:
        """The natural logarithm."""
        return self.unary("log", x, _INEXACT)

    def log_plus_one(self, x: Value) -> Value:
        """log(1 + x), exact near 0."""
        return self.unary("log_plus_one", x, _INEXACT)

    def logistic(self, x: Value) -> Value:
        """1 / (1 + exp(-x))"""
        return self.unary("logistic", x, _INEXACT)

    def tanh(self, x: Value) -> Value:
        """The hyperbolic tangent."""
        return self.unary("tanh", x, _INEXACT)

    def sine(self, x: Value) -> Value:
        """The sine in radians."""
        return self.unary("sine", x, _INEXACT)

    def cosine(self, x: Value) -> Value:
        """The cosine in radians."""
        return self.unary("cosine", x, _INEXACT)

    def sqrt(self, x: Value) -> Value:
        """The square root."""
        return self.unary("sqrt", x, _INEXACT)

    def rsqrt(self, x: Value) -> Value:
        """1 / sqrt(x)."""
        return self.unary("rsqrt", x, _INEXACT)

    def cbrt(self, x: Value) -> Value:
        """The cube root of floats."""
        return self.unary("cbrt", x, FLOATS)

    def floor(self, x: Value) -> Value:
        """The greatest integer that is not above x, as a float."""
        return self.unary("floor", x, FLOATS)

    def ceil(self, x: Value) -> Value:
        """The least integer that is not below x, as a float."""
        return self.unary("ceil", x, FLOATS)

    def round_nearest_even(self, x: Value) -> Value:
        """The nearest integer as a float, ties to even."""
        return self.unary("round_nearest_even", x, FLOATS)

    def round_nearest_afz(self, x: Value) -> Value:
        """To the nearest integer, ties away from zero."""
        return self.unary("round_nearest_afz", x, FLOATS)

    def is_finite(self, x: Value) -> Value:
        """i1: whether x, of floats, is neither infinite nor NaN."""
        return self.unary("is_finite", x, FLOATS, "i1")

    def is_inf(self, x: Value) -> Value:
        """i1: whether x, of floats, is infinite."""
        return self.unary("chlo.is_inf", x, FLOATS, "i1")

    def is_nan(self, x: Value) -> Value:
        """i1: whether x is NaN."""
        return self.compare(x, x, "NE")

    def function(self, name: str, x: Value) -> Value:
        """One of acos, acosh, asin, asinh, atan, atanh, cosh, sinh, tan, or of floats alone digamma, erf, erfc, erf_inv,
        lgamma."""
        return self.unary("chlo." + name, x, FLOATS if name.startswith(("digamma", "erf", "lgamma")) else _INEXACT)

    def erf(self, x: Value) -> Value:
        """The error function of floats."""
        return self.function("erf", x)

    def compare(self, left: Operand, right: Operand, direction: str) -> Value:
        """i1; direction: EQ, NE, LT, LE, GT or GE."""
        self.expect(direction in _DIRECTIONS,
                    f"expected one of {', '.join(_DIRECTIONS)} as direction, found {direction!r}")
        left, right = self._pair("compare", left, right)
        return self.emit("stablehlo.compare", [left, right], [(left.shape, "i1")],
                         f"comparison_direction = #stablehlo<comparison_direction {direction}>")[0]

    def select(self, condition: Value, yes: Operand, no: Operand) -> Value:
        """`yes` where the condition, i1 of rank 0 or of the others' shape, holds, else `no`."""
        yes, no = self._pair("select", yes, no)
        self.expect(condition.dtype == "i1" and condition.shape in ((), yes.shape),
                    f"expected a condition of i1 and shape {yes.shape}, found {condition}")
        return self.emit("stablehlo.select", [condition, yes, no], [(yes.shape, yes.dtype)])[0]

    def clamp(self, low: Operand, x: Value, high: Operand) -> Value:
        """x, but at least low and at most high; each may be a number or of rank 0."""
        ends = [self.constant(end, (), x.dtype) if not isinstance(end, Value) else end for end in (low, high)]
        for end in ends:
            self.expect(end.dtype == x.dtype and end.shape in ((), x.shape),
                        f"expected an end of clamp like {x}, found {end}")
        return self.emit("stablehlo.clamp", [ends[0], x, ends[1]], [(x.shape, x.dtype)])[0]

    def convert(self, x: Value, dtype: str) -> Value:
        """x in another element type; floats to integers round to zero, any number but 0 is true."""
        if x.dtype == check_dtype(dtype):
            return self._own(x)
        return self.unary("convert", x, ANY, dtype)

    def bitcast_convert(self, x: Value, dtype: str) -> Value:
        """The bits of x as another type of the same width."""
        from .types import bits_of
        self.expect(bits_of(x.dtype) == bits_of(dtype), f"expected a type as wide as {x.dtype}, found {dtype}")
        return self.unary("bitcast_convert", x, ANY, dtype)

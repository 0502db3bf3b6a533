# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators. Each function takes the module, the result's description and the operator's arguments."""
from __future__ import annotations

import math
import typing

from ..stablehlo import COMPLEX, FLOATS, Value
from .result import ProgramModule, Result


def cast(module: ProgramModule, out: Result, x: typing.Any, dtype: str | None = None) -> Value:
    """An operand, a value or a number, in the result's shape, and in its type or another."""
    dtype = dtype or out.dtype
    return module.broadcast_to(module.convert(x, dtype) if isinstance(x, Value) else x, out.shape, dtype)


def _binary(name: str) -> typing.Any:
    def build(module: ProgramModule, out: Result, left: typing.Any, right: typing.Any, alpha: typing.Any = 1) -> Value:
        other = cast(module, out, right)
        if alpha != 1:
            other = module.multiply(other, alpha)
        return getattr(module, name)(cast(module, out, left), other)

    return build


def _unary(name: str) -> typing.Any:
    return lambda module, out, x: getattr(module, name)(cast(module, out, x))


def _function(name: str) -> typing.Any:
    return lambda module, out, x: module.function(name, cast(module, out, x))


def _compare(direction: str) -> typing.Any:
    def build(module: ProgramModule, out: Result, left: typing.Any, right: typing.Any) -> Value:
        return module.compare(cast(module, out, left, out.common), cast(module, out, right, out.common), direction)

    return build


def _logical(name: str) -> typing.Any:
    """Operands of any type, of which all but zeros are true."""
    return lambda module, out, *operands: getattr(module, name)(*(cast(module, out, x, "i1") for x in operands))


def _test(name: str) -> typing.Any:
    """A question to a float; integers give the answer of a finite number, complex numbers that of either part."""
    def build(module: ProgramModule, out: Result, x: Value) -> Value:
        if x.dtype in COMPLEX:
            return module.logical_or(*(getattr(module, name)(part) for part in (module.real(x), module.imag(x))))
        return getattr(module, name)(x) if x.dtype in FLOATS else module.constant(False, out.shape, "i1")

    return build


def _copy(module: ProgramModule, out: Result, x: Value, *_: typing.Any, **__: typing.Any) -> Value:
    return module.convert(x, out.dtype)


def _round(module: ProgramModule, out: Result, x: Value, *, decimals: int = 0) -> Value:
    if out.dtype not in FLOATS:
        return cast(module, out, x)
    scale = 10.0**decimals
    x = cast(module, out, x)
    return module.round_nearest_even(x) if not decimals else module.divide(
        module.round_nearest_even(module.multiply(x, scale)), scale)


def rounding(name: str) -> typing.Any:
    return lambda module, out, x: getattr(module, name)(cast(module, out, x)) if x.dtype in FLOATS else x


def truncate(module: ProgramModule, x: Value) -> Value:
    return x if x.dtype not in FLOATS else module.select(module.compare(x, 0, "LT"), module.ceil(x), module.floor(x))


def _divide_floor(module: ProgramModule, left: Value, right: Value) -> Value:
    quotient = module.divide(left, right)
    if left.dtype in FLOATS:
        # The quotient may round up to an integer: the remainder decides, as in Python.
        rest = _modulo(module, left, right)
        exact = module.divide(module.subtract(left, rest), right)
        result = module.floor(module.add(exact, 0.5))
        usual = module.logical_and(module.is_finite(quotient), module.compare(right, 0, "NE"))
        return module.select(usual, result, quotient)
    if left.dtype.startswith("u"):
        return quotient
    rest = module.subtract(left, module.multiply(quotient, right))
    differ = module.compare(module.logical_xor(rest, right), 0, "LT")
    lower = module.logical_and(module.compare(rest, 0, "NE"), differ)
    return module.select(lower, module.subtract(quotient, 1), quotient)


def _modulo(module: ProgramModule, left: Value, right: Value) -> Value:
    """What is left of a division rounded down, with the sign of the divisor."""
    rest = module.remainder(left, right)
    if left.dtype.startswith("u"):
        return rest
    negative = [module.compare(x, 0, "LT") for x in (rest, right)]
    wrong = module.logical_and(module.compare(rest, 0, "NE"), module.logical_xor(*negative))
    return module.select(wrong, module.add(rest, right), rest)


def _divide(module: ProgramModule, out: Result, left: typing.Any, right: typing.Any, *,
            rounding_mode: str | None = None) -> Value:
    left, right = cast(module, out, left), cast(module, out, right)
    if rounding_mode == "floor":
        return _divide_floor(module, left, right)
    quotient = module.divide(left, right)
    return truncate(module, quotient) if rounding_mode == "trunc" else quotient


def _remainder(module: ProgramModule, out: Result, left: typing.Any, right: typing.Any) -> Value:
    return _modulo(module, cast(module, out, left), cast(module, out, right))


def _power(module: ProgramModule, out: Result, x: typing.Any, exponent: typing.Any) -> Value:
    base = cast(module, out, x)
    if exponent == 2:
        return module.multiply(base, base)
    if exponent == 0.5 and out.dtype in FLOATS:
        return module.sqrt(base)
    return module.power(base, cast(module, out, exponent))


def _clamp(module: ProgramModule, out: Result, x: Value, low: typing.Any = None, high: typing.Any = None) -> Value:
    x = cast(module, out, x)
    x = x if low is None else module.maximum(x, cast(module, out, low))
    return x if high is None else module.minimum(x, cast(module, out, high))


def _leaky(module: ProgramModule, out: Result, x: Value, slope: float = 0.01) -> Value:
    return module.select(module.compare(x, 0, "GT"), x, module.multiply(x, slope))


def _elu(module: ProgramModule, out: Result, x: Value, alpha: float = 1, scale: float = 1,
         input_scale: float = 1) -> Value:
    below = module.multiply(module.exponential_minus_one(module.multiply(x, input_scale)), alpha * scale)
    return module.select(module.compare(x, 0, "GT"), module.multiply(x, scale), below)


def _gelu(module: ProgramModule, out: Result, x: Value, *, approximate: str = "none") -> Value:
    wide = module.convert(x, "f64" if x.dtype == "f64" else "f32")
    if approximate == "tanh":
        cube = module.multiply(module.multiply(wide, wide), wide)
        inner = module.multiply(module.add(wide, module.multiply(cube, 0.044715)), math.sqrt(2 / math.pi))
        gate = module.add(module.tanh(inner), 1.0)
    else:
        gate = module.add(module.erf(module.multiply(wide, math.sqrt(0.5))), 1.0)
    return module.convert(module.multiply(module.multiply(wide, 0.5), gate), out.dtype)


def _where(module: ProgramModule, out: Result, condition: Value, yes: typing.Any, no: typing.Any) -> Value:
    return module.select(cast(module, out, condition, "i1"), cast(module, out, yes), cast(module, out, no))


def _sign(module: ProgramModule, out: Result, x: Value) -> Value:
    """Of NaN 0."""
    if x.dtype.startswith("u") or x.dtype == "i1":
        return module.convert(module.compare(x, module.constant(0, x.shape, x.dtype), "NE"), x.dtype)
    sign = module.sign(x)
    return module.select(module.is_nan(x), 0, sign) if x.dtype in FLOATS else sign


def _extremum_of_numbers(name: str) -> typing.Any:
    """fmax and fmin: of a NaN and a number the number."""
    def build(module: ProgramModule, out: Result, left: Value, right: Value) -> Value:
        a, b = cast(module, out, left), cast(module, out, right)
        best = getattr(module, name)(a, b)
        if out.dtype in FLOATS:
            best = module.select(module.is_nan(a), b, module.select(module.is_nan(b), a, best))
        return best

    return build


def _scaled_log(base: float) -> typing.Any:
    return lambda module, out, x: module.multiply(module.log(cast(module, out, x)), 1 / math.log(base))


def _signbit(module: ProgramModule, out: Result, x: Value) -> Value:
    if x.dtype not in FLOATS:
        return module.compare(x, 0, "LT")
    bits = {"f64": "i64", "f32": "i32", "f16": "i16", "bf16": "i16"}[x.dtype]
    return module.compare(module.bitcast_convert(x, bits), 0, "LT")


def _copysign(module: ProgramModule, out: Result, x: typing.Any, sign: typing.Any) -> Value:
    x, sign = cast(module, out, x), cast(module, out, sign)
    size = module.abs(x)
    return module.select(_signbit(module, out, sign), module.negate(size), size)


def _fill(module: ProgramModule, out: Result, x: Value, value: typing.Any) -> Value:
    return cast(module, out, value)


def _hypotenuse(module: ProgramModule, out: Result, left: Value, right: Value) -> Value:
    """By the ratio of the shorter side, so that no square overflows."""
    a, b = (module.abs(cast(module, out, x)) for x in (left, right))
    low, high = module.minimum(a, b), module.maximum(a, b)
    ratio = module.select(module.compare(high, 0, "EQ"), 0, module.divide(low, high))
    length = module.multiply(high, module.sqrt(module.add(module.multiply(ratio, ratio), 1)))
    return module.select(module.is_inf(high), high, length)


def _angle(module: ProgramModule, out: Result, x: Value) -> Value:
    if x.dtype in COMPLEX:
        return module.atan2(module.imag(x), module.real(x))
    x = cast(module, out, x)
    turned = module.select(module.compare(x, 0, "LT"), module.constant(math.pi, x.shape, x.dtype), 0)
    return module.select(module.is_nan(x), x, turned)


def _reciprocal(module: ProgramModule, out: Result, x: Value) -> Value:
    return module.divide(1, cast(module, out, x))


def _shrink_gradient(module: ProgramModule, out: Result, gradient: Value, x: Value, size: typing.Any) -> Value:
    inside = module.compare(module.abs(cast(module, out, x)), cast(module, out, size), "LE")
    return module.select(inside, 0, cast(module, out, gradient))


TABLE: dict[str, typing.Any] = {
    f"aten.{op}.{kind}": _binary(name)
    for op, name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("fmod", "remainder"))
    for kind in ("Tensor", "Scalar")
} | {
    f"aten.{op}.default": _binary(name)
    for op, name in (("maximum", "maximum"), ("minimum", "minimum"), ("atan2", "atan2"))
} | {
    f"aten.{op}.default": _unary(name)
    for op, name in (("neg", "negate"), ("exp", "exponential"), ("log", "log"), ("log1p", "log_plus_one"),
                     ("expm1", "exponential_minus_one"), ("sqrt", "sqrt"), ("rsqrt", "rsqrt"), ("sigmoid", "logistic"),
                     ("tanh", "tanh"), ("sin", "sine"), ("cos", "cosine"), ("erf", "erf"),
                     ("bitwise_not", "logical_not"))
} | {
    f"aten.{op}.default": _function(name)
    for op, name in (("acos", "acos"), ("acosh", "acosh"), ("asin", "asin"), ("asinh", "asinh"), ("atan", "atan"),
                     ("atanh", "atanh"), ("cosh", "cosh"), ("digamma", "digamma"), ("erfc", "erfc"),
                     ("erfinv", "erf_inv"), ("lgamma", "lgamma"), ("sinh", "sinh"), ("tan", "tan"))
} | {
    f"aten.{op}.{kind}": _compare(op.upper())
    for op in ("eq", "ne", "lt", "le", "gt", "ge") for kind in ("Tensor", "Scalar")
} | {
    f"aten.bitwise_{op}.{kind}": _binary("logical_" + op)
    for op in ("and", "or", "xor") for kind in ("Tensor", "Scalar", "Scalar_Tensor")
} | {
    f"aten.bitwise_{op}_shift.{kind}": _binary(name)
    for op, name in (("left", "shift_left"), ("right", "shift_right_arithmetic"))
    for kind in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")
} | {
    f"aten.__{op}__.{kind}": _binary(name)
    for op, name in (("lshift", "shift_left"), ("rshift", "shift_right_arithmetic")) for kind in ("Tensor", "Scalar")
} | {f"aten.logical_{op}.default": _logical("logical_" + op) for op in ("and", "or", "xor", "not")} | {
    f"aten.{op}.default": _copy
    for op in ("clone", "alias", "detach", "_to_copy", "lift", "lift_fresh", "lift_fresh_copy", "detach_copy",
               "alias_copy", "contiguous", "positive", "resolve_conj", "resolve_neg")
} | {
    f"aten.div.{kind}": _divide for kind in ("Tensor", "Scalar", "Tensor_mode", "Scalar_mode")
} | {f"aten.remainder.{kind}": _remainder for kind in ("Tensor", "Scalar", "Scalar_Tensor")} | {
    f"aten.pow.{kind}": _power for kind in ("Tensor_Scalar", "Tensor_Tensor", "Scalar")
} | {f"aten.fill.{kind}": _fill for kind in ("Scalar", "Tensor")} | {
    f"aten.copysign.{kind}": _copysign for kind in ("Scalar", "Tensor")
} | {
    "aten.abs.default": lambda module, out, x: module.abs(x if x.dtype in COMPLEX else cast(module, out, x)),
    "aten.angle.default": _angle,
    "aten.bitwise_not.default": lambda module, out, x: module.logical_not(x),
    "aten.ceil.default": rounding("ceil"),
    "aten.clamp.default": _clamp,
    "aten.clamp.Tensor": _clamp,
    "aten.clamp_max.default": lambda module, out, x, high: _clamp(module, out, x, None, high),
    "aten.clamp_min.default": lambda module, out, x, low: _clamp(module, out, x, low),
    "aten.copy.default": lambda module, out, x, source, *_: cast(module, out, source),
    "aten.elu.default": _elu,
    "aten.exp2.default": lambda module, out, x: module.power(2, cast(module, out, x)),
    "aten.floor.default": rounding("floor"),
    "aten.fmax.default": _extremum_of_numbers("maximum"),
    "aten.fmin.default": _extremum_of_numbers("minimum"),
    "aten.gelu.default": _gelu,
    "aten.hardshrink_backward.default": _shrink_gradient,
    "aten.hardtanh.default": lambda module, out, x, low=-1.0, high=1.0: _clamp(module, out, x, low, high),
    "aten.hypot.default": _hypotenuse,
    "aten.isinf.default": _test("is_inf"),
    "aten.isnan.default": _test("is_nan"),
    "aten.leaky_relu.default": _leaky,
    "aten.log10.default": _scaled_log(10),
    "aten.log2.default": _scaled_log(2),
    "aten.reciprocal.default": _reciprocal,
    "aten.relu.default": lambda module, out, x: module.maximum(x, 0),
    "aten.round.decimals": _round,
    "aten.round.default": _round,
    "aten.sign.default": _sign,
    "aten.signbit.default": _signbit,
    "aten.softshrink_backward.default": _shrink_gradient,
    "aten.trunc.default": lambda module, out, x: truncate(module, x),
    "aten.where.self": _where,
    "prims.convert_element_type.default": _copy,
    "prims.fma.default": lambda module, out, a, b, c: module.add(
        module.multiply(cast(module, out, a), cast(module, out, b)), cast(module, out, c)),
}

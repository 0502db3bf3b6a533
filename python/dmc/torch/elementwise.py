# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators. Each function takes the module, the result's description and the operator's arguments."""
from __future__ import annotations

import typing

from ..stablehlo import Module, Value
from .result import Result


def cast(module: Module, out: Result, x: typing.Any, dtype: str | None = None) -> Value:
    """An operand, a value or a number, in the result's shape, and in its type or another."""
    dtype = dtype or out.dtype
    return module.broadcast_to(module.convert(x, dtype) if isinstance(x, Value) else x, out.shape, dtype)


def _binary(name: str) -> typing.Any:
    def build(module: Module, out: Result, left: typing.Any, right: typing.Any, *, alpha: typing.Any = 1) -> Value:
        other = cast(module, out, right)
        if alpha != 1:
            other = module.multiply(other, alpha)
        return getattr(module, name)(cast(module, out, left), other)

    return build


def _unary(name: str) -> typing.Any:
    return lambda module, out, x: getattr(module, name)(cast(module, out, x))


def _compare(direction: str) -> typing.Any:
    def build(module: Module, out: Result, left: typing.Any, right: typing.Any) -> Value:
        return module.compare(*(cast(module, out, x, out.common) for x in (left, right)), direction)

    return build


def _copy(module: Module, out: Result, x: Value, **_: typing.Any) -> Value:
    return module.convert(x, out.dtype)


def _power(module: Module, out: Result, x: Value, exponent: typing.Any) -> Value:
    base = cast(module, out, x)
    return module.multiply(base, base) if exponent == 2 else module.power(base, cast(module, out, exponent))


def _clamp(module: Module, out: Result, x: Value, low: typing.Any = None, high: typing.Any = None) -> Value:
    x = cast(module, out, x)
    x = x if low is None else module.maximum(x, low)
    return x if high is None else module.minimum(x, high)


def _leaky(module: Module, out: Result, x: Value, slope: float = 0.01) -> Value:
    return module.select(module.compare(x, 0, "GT"), x, module.multiply(x, slope))


def _where(module: Module, out: Result, condition: Value, yes: Value, no: Value) -> Value:
    return module.select(cast(module, out, condition, "i1"), cast(module, out, yes), cast(module, out, no))


TABLE = {
    f"aten.{op}.{kind}": _binary(name)
    for op, name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("div", "divide"))
    for kind in ("Tensor", "Scalar")
} | {f"aten.{name}.default": _binary(name) for name in ("maximum", "minimum")} | {
    f"aten.{op}.default": _unary(name)
    for op, name in (("neg", "negate"), ("exp", "exponential"), ("log", "log"), ("log1p", "log_plus_one"),
                     ("expm1", "exponential_minus_one"), ("sqrt", "sqrt"), ("rsqrt", "rsqrt"), ("sigmoid", "logistic"),
                     ("tanh", "tanh"), ("sin", "sine"), ("cos", "cosine"), ("erf", "erf"), ("abs", "abs"),
                     ("bitwise_not", "logical_not"))
} | {
    f"aten.{op}.{kind}": _compare(op.upper())
    for op in ("eq", "ne", "lt", "le", "gt", "ge") for kind in ("Tensor", "Scalar")
} | {f"aten.bitwise_{op}.Tensor": _binary("logical_" + op) for op in ("and", "or", "xor")} | {
    f"aten.{op}.default": _copy for op in ("clone", "alias", "detach", "_to_copy")
} | {
    "aten.atan.default": lambda module, out, x: module.function("atan", cast(module, out, x)),
    "aten.clamp.default": _clamp,
    "aten.hardtanh.default": lambda module, out, x, low=-1.0, high=1.0: _clamp(module, out, x, low, high),
    "aten.leaky_relu.default": _leaky,
    "aten.pow.Tensor_Scalar": _power,
    "aten.relu.default": lambda module, out, x: module.maximum(x, 0),
    "aten.where.self": _where,
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators: functions, arithmetic, comparisons, activations and casts."""
from __future__ import annotations

import math
from collections.abc import Callable


from ...stablehlo import FLOATS, INTEGERS, UNSIGNED, Module, Value
from ..node import OPERATORS, Node, Result, operator

_UNARY = {
    "Abs": "abs", "Ceil": "ceil", "Cos": "cosine", "Erf": "erf", "Exp": "exponential", "Floor": "floor", "Log": "log",
    "Neg": "negate", "Round": "round_nearest_even", "Sigmoid": "logistic", "Sin": "sine", "Sqrt": "sqrt", "Tanh":
    "tanh", "IsNaN": "is_nan", "Not": "logical_not", "BitwiseNot": "logical_not"
}
_FUNCTIONS = ("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan")
_BINARY = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "And": "logical_and", "Or": "logical_or",
    "Xor": "logical_xor", "BitwiseAnd": "logical_and", "BitwiseOr": "logical_or", "BitwiseXor": "logical_xor"
}
_COMPARED = {"Equal": "EQ", "Less": "LT", "LessOrEqual": "LE", "Greater": "GT", "GreaterOrEqual": "GE"}


def _register_unary(op: str, convert: Callable[[Module, Value], Value]) -> None:
    OPERATORS[op] = lambda node: convert(node.m, node.value(0))


for _op, _method in _UNARY.items():
    _register_unary(_op, lambda m, x, method=_method: getattr(m, method)(x))  # type: ignore[misc]
for _op in _FUNCTIONS:
    _register_unary(_op, lambda m, x, name=_op.lower(): m.function(name, x))  # type: ignore[misc]


def _pair(node: Node) -> list[Value]:
    left, right = node.value(0), node.value(1)
    if node.attribute("broadcast", 0) or node.attribute("axis") is not None:  # before operator set 7
        raise node.unsupported("attribute 'broadcast'")
    return node.m.broadcast_together(left, right)


for _op, _method in _BINARY.items():
    OPERATORS[_op] = lambda node, method=_method: getattr(node.m, method)(*_pair(node))  # type: ignore[misc]
for _op, _direction in _COMPARED.items():
    OPERATORS[_op] = lambda node, direction=_direction: node.m.compare(*_pair(node), direction)  # type: ignore[misc]


@operator("Identity")
def _identity(node: Node) -> Result:
    return node.inputs[0]


@operator("Sign")
def _sign(node: Node) -> Result:
    m, x = node.m, node.value(0)
    return m.convert(m.compare(x, 0, "GT"), x.dtype) if x.dtype in UNSIGNED else m.sign(x)


@operator("Reciprocal")
def _reciprocal(node: Node) -> Result:
    return node.m.divide(1.0, node.value(0))


@operator("IsInf")
def _is_inf(node: Node) -> Result:
    m, x = node.m, node.value(0)
    low, high = node.attribute("detect_negative", 1), node.attribute("detect_positive", 1)
    found = m.is_inf(x)
    if low and high:
        return found
    if not low and not high:
        return m.constant(False, x.shape)
    return m.logical_and(found, m.compare(x, 0.0, "LT" if low else "GT"))


@operator("Pow")
def _pow(node: Node) -> Result:
    m = node.m
    base, exponent = _pair(node)
    if base.dtype in INTEGERS and exponent.dtype in FLOATS:
        wide = "f64"
        return m.convert(m.power(m.convert(base, wide), m.convert(exponent, wide)), base.dtype)
    return m.power(base, m.convert(exponent, base.dtype))


@operator("Mod")
def _mod(node: Node) -> Result:
    m = node.m
    left, right = _pair(node)
    rest = m.remainder(left, right)
    if node.attribute("fmod", 0) or left.dtype in UNSIGNED:
        return rest
    # The sign is that of the divisor.
    other = m.logical_xor(m.compare(rest, 0, "LT"), m.compare(right, 0, "LT"))
    return m.select(m.logical_and(other, m.compare(rest, 0, "NE")), m.add(rest, right), rest)


@operator("BitShift")
def _bit_shift(node: Node) -> Result:
    direction = node.needs("direction")
    node.expect(direction in ("LEFT", "RIGHT"), f"expected direction LEFT or RIGHT, found {direction!r}")
    return (node.m.shift_left if direction == "LEFT" else node.m.shift_right_logical)(*_pair(node))


@operator("Max", "Min", "Sum", "Mean")
def _variadic(node: Node) -> Result:
    m, method = node.m, {"Max": "maximum", "Min": "minimum"}.get(node.op, "add")
    values = m.broadcast_together(*node.values())
    result = values[0]
    for value in values[1:]:
        result = getattr(m, method)(result, value)
    return m.divide(result, len(values)) if node.op == "Mean" else result


@operator("Where")
def _where(node: Node) -> Result:
    return node.m.select(*node.m.broadcast_together(*node.values()))


@operator("Clip")
def _clip(node: Node) -> Result:
    m, x = node.m, node.value(0)
    if node.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
        ends = [None if end is None else m.constant(end, (), x.dtype) for end in (low, high)]
    else:
        ends = [None if end is None else m.reshape(end, ()) for end in (node.optional(1), node.optional(2))]
    for end, method in zip(ends, (m.maximum, m.minimum)):
        if end is not None:
            x = method(x, m.broadcast_to(end, x.shape))
    return x


@operator("Cast")
def _cast(node: Node) -> Result:
    node.attribute("saturate")  # of 8-bit floats only
    node.attribute("round_mode")
    return node.m.convert(node.value(0), node.element_type(node.needs("to")))


@operator("CastLike")
def _cast_like(node: Node) -> Result:
    node.attribute("saturate")
    node.attribute("round_mode")
    return node.m.convert(node.value(0), node.dtype(1))


@operator("BitCast")
def _bit_cast(node: Node) -> Result:
    m, x, dtype = node.m, node.value(0), node.element_type(node.needs("to"))
    if "i1" in (x.dtype, dtype):  # a byte of 0 or 1
        return m.bitcast_convert(m.convert(x, "ui8"), dtype) if x.dtype == "i1" else m.convert(
            m.bitcast_convert(x, "ui8"), dtype)
    return m.bitcast_convert(x, dtype)


# Activations.


@operator("Relu")
def _relu(node: Node) -> Result:
    return node.m.maximum(node.value(0), 0)


def _below_zero(m: Module, x: Value, other: Value) -> Value:
    """`other` where x is less than zero, else x."""
    return m.select(m.compare(x, 0, "LT"), other, x)


@operator("LeakyRelu")
def _leaky_relu(node: Node) -> Result:
    x = node.value(0)
    return _below_zero(node.m, x, node.m.multiply(x, node.attribute("alpha", 0.01)))


@operator("PRelu")
def _prelu(node: Node) -> Result:
    m, x, slope = node.m, node.value(0), node.value(1)
    if node.opset < 7 and slope.rank == 1 and slope.shape[0] > 1:  # one for each channel
        return _below_zero(m, x, m.multiply(x, m.broadcast_in_dim(slope, x.shape, [1])))
    return _below_zero(m, x, m.multiply(x, m.broadcast_to(slope, x.shape)))


@operator("Elu")
def _elu(node: Node) -> Result:
    m, x = node.m, node.value(0)
    return _below_zero(m, x, m.multiply(m.exponential_minus_one(x), node.attribute("alpha", 1.0)))


@operator("Celu")
def _celu(node: Node) -> Result:
    m, x, alpha = node.m, node.value(0), node.attribute("alpha", 1.0)
    return _below_zero(m, x, m.multiply(m.exponential_minus_one(m.divide(x, alpha)), alpha))


@operator("Selu")
def _selu(node: Node) -> Result:
    m, x = node.m, node.value(0)
    alpha, gamma = node.attribute("alpha",
                                  1.67326319217681884765625), node.attribute("gamma", 1.05070102214813232421875)
    return m.multiply(_below_zero(m, x, m.multiply(m.exponential_minus_one(x), alpha)), gamma)


@operator("ThresholdedRelu")
def _thresholded_relu(node: Node) -> Result:
    m, x = node.m, node.value(0)
    return m.select(m.compare(x, node.attribute("alpha", 1.0), "GT"), x, 0)


@operator("HardSigmoid")
def _hard_sigmoid(node: Node) -> Result:
    m, x = node.m, node.value(0)
    line = m.add(m.multiply(x, node.attribute("alpha", 0.2)), node.attribute("beta", 0.5))
    return m.clamp(0.0, line, 1.0)


def softplus(m: Module, x: Value) -> Value:
    """log(1 + exp(x)), of large x too."""
    return m.add(m.maximum(x, 0.0), m.log_plus_one(m.exponential(m.negate(m.abs(x)))))


@operator("Softplus")
def _softplus(node: Node) -> Result:
    return softplus(node.m, node.value(0))


@operator("Softsign")
def _softsign(node: Node) -> Result:
    m, x = node.m, node.value(0)
    return m.divide(x, m.add(m.abs(x), 1.0))


@operator("Mish")
def _mish(node: Node) -> Result:
    m, x = node.m, node.value(0)
    return m.multiply(x, m.tanh(softplus(m, x)))


@operator("Gelu")
def _gelu(node: Node) -> Result:
    m, x, kind = node.m, node.value(0), node.attribute("approximate", "none")
    node.expect(kind in ("none", "tanh"), f"expected approximate none or tanh, found {kind!r}")
    if kind == "none":
        inner = m.erf(m.multiply(x, math.sqrt(0.5)))
    else:
        cube = m.multiply(m.multiply(x, x), x)
        inner = m.tanh(m.multiply(m.add(x, m.multiply(cube, 0.044715)), math.sqrt(2 / math.pi)))
    return m.multiply(m.multiply(x, 0.5), m.add(inner, 1.0))


@operator("Swish")
def _swish(node: Node) -> Result:
    m, x = node.m, node.value(0)
    return m.multiply(x, m.logistic(m.multiply(x, node.attribute("alpha", 1.0))))


@operator("Shrink")
def _shrink(node: Node) -> Result:
    m, x = node.m, node.value(0)
    bias, edge = node.attribute("bias", 0.0), node.attribute("lambd", 0.5)
    # Integers are compared and moved as floats.
    wide = m.convert(x, "f32") if x.dtype in INTEGERS else x
    above = m.select(m.compare(wide, edge, "GT"), m.subtract(wide, bias), 0.0)
    return m.convert(m.select(m.compare(wide, -edge, "LT"), m.add(wide, bias), above), x.dtype)


@operator("Dropout")
def _dropout(node: Node) -> Result:
    x = node.value(0)
    ratio = float(node.array(1).reshape(-1)[0]) if node.has(1) and node.opset >= 12 else node.attribute("ratio", 0.5)
    is_training = bool(node.array(2).reshape(-1)[0]) if node.has(2) else False
    node.attribute("seed")
    node.attribute("ratio")
    if is_training and ratio != 0:
        raise node.unsupported("training with a ratio other than 0")
    return x, node.m.constant(True, x.shape)

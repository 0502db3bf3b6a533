# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on one element at a time. Functions of floats are evaluated in float64 (of f64: in
extended precision) and rounded once; integers are Python's."""
import math

import numpy as np

from cases import BITS, Group, ulp
from tensors import (ALL, DTYPES, EXPONENT, FLOATS, INTEGERS, NUMBERS, SIGNED, SIGNIFICAND, Tensor, UNSIGNED, edges,
                     float_edges, integer_edges, is_float, make, pairs, round_to, small, width, wrap)

np.seterr(all="ignore")


def rounded_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def logistic(x):
    return 1 / (1 + np.exp(-x))


# Functions whose result is fixed to the bit, and the others.
EXACT = {
    "ceil": np.ceil,
    "floor": np.floor,
    "round_nearest_afz": rounded_away,
    "round_nearest_even": np.rint,
    "sqrt": np.sqrt,
}
FUNCTIONS = {
    "cbrt": np.cbrt,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": logistic,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "tan": np.tan,
    "tanh": np.tanh,
}


def unary(op, x, t):
    return f"%r0 = stablehlo.{op} %a0 : {x.mlir}"


def float_functions():
    group = Group("float_functions", "numpy's functions in float64 (f64: in the machine's extended precision), rounded once")
    for op, function in {**EXACT, **FUNCTIONS}.items():
        for t in FLOATS:
            plain = [0.5, 2.5, -0.5, 1.0, -0.75, 0.1, 3.0, 10.0, -7.3, 80.0]
            x = make(t, float_edges(t) + plain)
            if op in ("cosine", "sine", "tan"):  # arguments of any size have their own case
                x = make(t, [0.0, -0.0, math.inf, math.nan] + plain)
            # In extended precision the exact ones would be rounded twice.
            result = Tensor(t, function(x.data.astype(np.float64) if op in EXACT else x.wide()))
            group.add(f"{op}_{t}", op, [x], unary(op, x, t), [result], BITS if op in EXACT else ulp(TOLERANCE.get(op, 2)))
    for op in ("cosine", "sine"):
        x = make("f64", [1e5, -1e8, 1e15, 2.0**60])
        group.add(f"{op}_large_f64", op, [x], unary(op, x, "f64"), [Tensor("f64", FUNCTIONS[op](x.wide()))], ulp(2))
    return group


TOLERANCE = {}


def sign_of(x):
    return np.where(np.isnan(x), x, np.where(x == 0, x, np.sign(x)))


def reduce_precision(t, x, exponent_bits, mantissa_bits):
    """Rounds to nearest even among numbers of a format; one of fewer bits of exponent has no subnormal
    numbers. NaN stays NaN."""
    bias = 2 ** (exponent_bits - 1) - 1
    least = 1 - bias  # exponent of the normal numbers
    out = []
    for v in x.data.reshape(-1).astype(np.float64):
        if math.isnan(v) or math.isinf(v) or v == 0:
            out.append(v)
            continue
        fraction, exponent = math.frexp(v)  # 0.5 <= |fraction| < 1
        kept = min(mantissa_bits, SIGNIFICAND[t] - 1) + 1
        if exponent_bits == EXPONENT[t]:
            kept -= max(least - (exponent - 1), 0)
        value = math.ldexp(float(np.rint(np.ldexp(fraction, kept))), exponent - kept)
        scale = math.frexp(value)[1] - 1
        if scale > bias:
            value = math.copysign(math.inf, v)
        elif exponent_bits < EXPONENT[t] and scale < least:
            value = math.copysign(0.0, v)
        out.append(value)
    return Tensor(t, out)


def simple():
    group = Group("simple", "Python's integers modulo 2 to the width; numpy in float64; formats by rounding of fractions")
    for t in SIGNED + FLOATS:
        x = make(t, edges(t))
        group.add(f"abs_{t}", "abs", [x], unary("abs", x, t), [absolute(x)])
        result = Tensor(t, sign_of(x.data)) if is_float(t) else make(t, [(v > 0) - (v < 0) for v in edges(t)])
        group.add(f"sign_{t}", "sign", [x], unary("sign", x, t), [result])
    for t in NUMBERS:
        x = make(t, edges(t))
        result = Tensor(t, -x.data) if is_float(t) else make(t, [-v for v in edges(t)])
        group.add(f"negate_{t}", "negate", [x], unary("negate", x, t), [result])
    for t in ["i1"] + INTEGERS:
        x = make(t, edges(t))
        result = Tensor(t, ~x.data)
        group.add(f"not_{t}", "not", [x], unary("not", x, t), [result])
    for t in INTEGERS:
        x = make(t, edges(t) + [0x55])
        unsigned = [int(v) % 2 ** width(t) for v in x.data]
        counts = make(t, [bin(v).count("1") for v in unsigned])
        zeros = make(t, [width(t) - v.bit_length() for v in unsigned])
        body = unary("popcnt", x, t) + f"\n%r1 = stablehlo.count_leading_zeros %a0 : {x.mlir}"
        group.add(f"popcnt_count_leading_zeros_{t}", "popcnt", [x], body, [counts, zeros])
    for t in FLOATS:
        x = make(t, edges(t))
        body = f"%r0 = stablehlo.is_finite %a0 : ({x.mlir}) -> {Tensor('i1', np.isfinite(x.data)).mlir}"
        group.add(f"is_finite_{t}", "is_finite", [x], body, [Tensor("i1", np.isfinite(x.data))])
    formats = {"f16": [(5, 3), (4, 10), (3, 2)], "bf16": [(5, 7), (8, 2)], "f32": [(8, 7), (5, 10), (4, 3), (5, 2), (2, 1)],
               "f64": [(8, 23), (11, 20), (5, 10)]}
    for t, list_ in formats.items():
        for e, m in list_:
            bias = 2 ** (e - 1) - 1
            x = make(t, [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.1, 1.3, 3.14159, 2.0**bias, 2.0**bias * 1.99, 2.0 ** (1 - bias),
                         -(2.0**-bias), 1 + 2.0 ** -(m + 1), 1 + 3 * 2.0 ** -(m + 1)])
            group.add(f"reduce_precision_{t}_e{e}m{m}", "reduce_precision", [x],
                      f"%r0 = stablehlo.reduce_precision %a0, format = e{e}m{m} : {x.mlir}", [reduce_precision(t, x, e, m)])
    # A format without mantissa bits has no NaN of its own: it stays one, as in XLA.
    for t in FLOATS:
        x = make(t, [math.nan, -math.inf, math.inf, 0.0, -0.0, 1.25, -1.75, 5.0, 7.0])
        e = EXPONENT[t]
        group.add(f"reduce_precision_{t}_no_mantissa", "reduce_precision", [x],
                  f"%r0 = stablehlo.reduce_precision %a0, format = e{e}m0 : {x.mlir}", [reduce_precision(t, x, e, 0)])
    return group


def absolute(x):
    if is_float(x.type):
        return Tensor(x.type, np.abs(x.data))
    return make(x.type, [abs(int(v)) for v in x.data])


def divide(a, b):
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return a if b == 0 else (abs(a) % abs(b)) * (-1 if a < 0 else 1)


def power(a, b, bits):
    if b >= 0:
        return pow(a, b, 2**bits)
    return 1 if a == 1 else (-1) ** (b % 2) if a == -1 else 0


def ordered(pick, a, b):
    """Maximum or minimum: NaN if either is, -0 below +0."""
    result = pick(a, b)
    zeros = (a == 0) & (b == 0)
    negative = np.signbit(a) | np.signbit(b) if pick is np.minimum else np.signbit(a) & np.signbit(b)
    return np.where(zeros, np.where(negative, -0.0, 0.0), result)


FLOAT_BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "remainder": np.fmod,
    "maximum": lambda a, b: ordered(np.maximum, a, b),
    "minimum": lambda a, b: ordered(np.minimum, a, b),
}
INTEGER_BINARY = {
    "add": lambda a, b, bits: a + b,
    "subtract": lambda a, b, bits: a - b,
    "multiply": lambda a, b, bits: a * b,
    "divide": lambda a, b, bits: divide(a, b),
    "remainder": lambda a, b, bits: remainder(a, b),
    "maximum": lambda a, b, bits: max(a, b),
    "minimum": lambda a, b, bits: min(a, b),
    "power": power,
}


def binary(op, a):
    return f"%r0 = stablehlo.{op} %a0, %a1 : {a.mlir}"


def of_integers(function, a, b):
    bits = width(a.type)
    return make(a.type, [function(int(x), int(y), bits) for x, y in zip(a.data, b.data)])


def arithmetic():
    group = Group("arithmetic", "Python's integers modulo 2 to the width; numpy in float64, rounded once (pow and atan2 of f64: extended precision)")
    for op, function in FLOAT_BINARY.items():
        for t in FLOATS:
            a, b = pairs(t, [0.0, -0.0, 1.5, -2.0, math.inf, math.nan, float_edges(t)[7]])
            # remainder and the four operations of float64 are exact to the bit in float64 itself
            group.add(f"{op}_{t}", op, [a, b], binary(op, a), [Tensor(t, function(a.data.astype(np.float64), b.data.astype(np.float64)))])
    for op, function in INTEGER_BINARY.items():
        for t in INTEGERS:
            a, b = pairs(t)
            group.add(f"{op}_{t}", op, [a, b], binary(op, a), [of_integers(function, a, b)])
    for op, function in {"add": np.logical_or, "multiply": np.logical_and, "maximum": np.logical_or, "minimum": np.logical_and}.items():
        a, b = pairs("i1")
        group.add(f"{op}_i1", op, [a, b], binary(op, a), [Tensor("i1", function(a.data, b.data))])
    for t in FLOATS:
        a, b = pairs(t, [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan])
        group.add(f"atan2_{t}", "atan2", [a, b], binary("atan2", a), [Tensor(t, np.arctan2(a.wide(), b.wide()))], ulp(2))
        a, b = pairs(t, [0.0, -0.0, 0.5, -2.0, 3.0, math.inf, -math.inf, math.nan])
        group.add(f"power_{t}", "power", [a, b], binary("power", a), [Tensor(t, np.power(a.wide(), b.wide()))], ulp(2))
    return group


def logic():
    group = Group("logic", "numpy's bitwise operations; shifts on Python's integers")
    for op, function in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
        for t in ["i1"] + INTEGERS:
            a, b = pairs(t)
            group.add(f"{op}_{t}", op, [a, b], binary(op, a), [Tensor(t, function(a.data, b.data))])

    def shift_left(a, s, bits):
        return a << s if s < bits else 0

    def shift_right_logical(a, s, bits):
        return (a % 2**bits) >> s if s < bits else 0

    def shift_right_arithmetic(a, s, bits):
        signed = a - 2**bits if a >= 2 ** (bits - 1) else a
        return signed >> min(s, bits - 1)

    for function in (shift_left, shift_right_logical, shift_right_arithmetic):
        op = function.__name__
        for t in INTEGERS:
            bits = width(t)
            values = [1, 0x5A, integer_edges(t)[3], integer_edges(t)[4]]
            amounts = [0, 1, bits - 1, bits, bits + 3, -1]
            a, s = (make(t, [v for v in values for _ in amounts]), make(t, amounts * len(values)))
            # An amount is read without its sign: a negative one is beyond the width.
            result = make(t, [function(int(x), int(y) % 2**bits, bits) for x, y in zip(a.data, s.data)])
            group.add(f"{op}_{t}", op, [a, s], binary(op, a), [result])
    return group


DIRECTIONS = {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal, "LT": np.less}


def total_order(x):
    """Integers in the order -NaN, -inf, ..., -0, +0, ..., +inf, +NaN."""
    bits = 8 * x.dtype.itemsize
    pattern = x.view(f"int{bits}").astype(np.int64)
    return np.where(pattern < 0, -(2 ** (bits - 1)) - pattern if bits < 64 else np.iinfo(np.int64).min - pattern, pattern + 1)


def comparisons():
    group = Group("comparisons", "numpy's comparisons; the total order by the bits")
    for t in ALL:
        kinds = ["FLOAT", "TOTALORDER"] if is_float(t) else ["SIGNED" if t in SIGNED else "UNSIGNED"]
        for kind in kinds:
            a, b = pairs(t, [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, -math.nan] if is_float(t) else None)
            x, y = (total_order(a.data), total_order(b.data)) if kind == "TOTALORDER" else (a.data, b.data)
            results = [Tensor("i1", function(x, y)) for function in DIRECTIONS.values()]
            body = "\n".join(f"%r{i} = stablehlo.compare {d}, %a0, %a1, {kind} : ({a.mlir}, {a.mlir}) -> {results[0].mlir}"
                             for i, d in enumerate(DIRECTIONS))
            group.add(f"compare_{t}_{kind.lower()}", "compare", [a, b], body, results)
    a, b = pairs("f32", [0.0, -0.0, math.nan])
    group.add("compare_of_no_given_type", "compare", [a, b],
              f'%r0 = "stablehlo.compare"(%a0, %a1) <{{comparison_direction = #stablehlo<comparison_direction GE>}}> : ({a.mlir}, {a.mlir}) -> tensor<9xi1>',
              [Tensor("i1", a.data >= b.data)])
    return group


def choices():
    group = Group("choices", "numpy's where, minimum and maximum")
    for t in ALL:
        p, a, b = small("i1", (2, 3), 1), small(t, (2, 3), 2), small(t, (2, 3), 3)
        group.add(f"select_{t}", "select", [p, a, b], f"%r0 = stablehlo.select %a0, %a1, %a2 : {p.mlir}, {a.mlir}",
                  [Tensor(t, np.where(p.data, a.data, b.data))])
    for value in (False, True):
        p, a, b = Tensor("i1", value), small("i16", (3,), 4), small("i16", (3,), 5)
        group.add(f"select_scalar_{value}".lower(), "select", [p, a, b], f"%r0 = stablehlo.select %a0, %a1, %a2 : {p.mlir}, {a.mlir}",
                  [a if value else b])
    for t in NUMBERS:
        low, x, high = make(t, 1), make(t, edges(t)), make(t, 3)
        body = f"%r0 = stablehlo.clamp %a0, %a1, %a2 : ({low.mlir}, {x.mlir}, {high.mlir}) -> {x.mlir}"
        group.add(f"clamp_{t}", "clamp", [low, x, high], body, [Tensor(t, np.minimum(np.maximum(x.data, low.data), high.data))])
    low, x, high = make("f32", [math.nan, 0, 5, -1]), make("f32", [1, math.nan, 4, -2]), make("f32", [2, 2, 3, math.nan])
    group.add("clamp_of_nan_and_crossed_bounds", "clamp", [low, x, high], f"%r0 = stablehlo.clamp %a0, %a1, %a2 : {x.mlir}",
              [make("f32", [math.nan, math.nan, 3, math.nan])])
    return group


def converted(x, t):
    """Toward zero and saturated from floats to integers, NaN to 0; modulo 2 to the width between integers."""
    values = x.data.reshape(-1)
    if t == "i1":
        return Tensor(t, values != 0)
    if x.type == "i1":
        return make(t, values.astype(int))
    if is_float(t):
        return Tensor(t, values if is_float(x.type) else integers_as(t, values))
    if not is_float(x.type):
        return make(t, [int(v) for v in values])
    low, high = (0, 2 ** width(t) - 1) if t in UNSIGNED else (-(2 ** (width(t) - 1)), 2 ** (width(t) - 1) - 1)

    def one(v):
        if math.isnan(v):
            return 0
        return (high if v > 0 else low) if math.isinf(v) else min(max(int(v), low), high)

    return make(t, [one(float(v)) for v in values])


def integers_as(t, values):
    """Rounded once: extended precision holds every integer of 64 bits."""
    wide = values.astype(np.longdouble)
    if t in ("f32", "f64", "f16"):
        return wide.astype(DTYPES[t])
    return round_to(t, wide.astype(np.float64))


def conversions():
    group = Group("conversions", "numpy's and Python's conversions; bits by numpy's views")
    for source in ALL:
        values = edges(source) + ([2.5, -3.99, 127.5, 300.7, -1e6, 3e9, 1.00390625] if is_float(source) else [])
        x = make(source, values)
        results = [converted(x, t) for t in ALL if t != source]
        body = "\n".join(f"%r{i} = stablehlo.convert %a0 : ({x.mlir}) -> {r.mlir}" for i, r in enumerate(results))
        group.add(f"convert_{source}", "convert", [x], body, results)

    def bits_of(x):
        return (x.data.view(np.uint32) >> 16).astype(np.uint16) if x.type == "bf16" else x.data

    def from_bits(t, raw):
        if t == "bf16":
            return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        return raw.view(DTYPES[t])

    for source in NUMBERS:
        x = make(source, [0, 1, 2, 100, 5, 37, 96, 3])
        results, body = [], []
        for t in NUMBERS:
            if t == source:
                continue
            raw, ratio = bits_of(x), width(t) // width(source)
            data = from_bits(t, raw.reshape(-1, ratio) if ratio > 1 else raw.reshape(-1, 1) if width(t) < width(source) else raw)
            operand = "%a0"
            if ratio > 1:
                shaped = f"tensor<{8 // ratio}x{ratio}x{source}>"
                body.append(f"%s{len(results)} = stablehlo.reshape %a0 : ({x.mlir}) -> {shaped}")
                operand, data = f"%s{len(results)}", data.reshape(-1)
            else:
                shaped = x.mlir
            result = Tensor(t, data)
            body.append(f"%r{len(results)} = stablehlo.bitcast_convert {operand} : ({shaped}) -> {result.mlir}")
            results.append(result)
        group.add(f"bitcast_convert_{source}", "bitcast_convert", [x], "\n".join(body), results)
    return group


def groups():
    return [float_functions(), simple(), arithmetic(), logic(), comparisons(), choices(), conversions()]

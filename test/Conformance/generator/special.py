# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""chlo's functions."""
import math

import numpy as np

from cases import Group, close, ulp
from elementwise import DIRECTIONS
from movement import generic
from tensors import FLOATS, INTEGERS, Tensor, edges, make, pairs, small, width

FUNCTIONS = {
    "acos": (np.arccos, [-1, -0.5, -0.0, 0.25, 1, 2, math.nan]),
    "acosh": (np.arccosh, [1, 1.5, 10, 0.5, math.inf, math.nan]),
    "asin": (np.arcsin, [-1, -0.5, -0.0, 0.25, 1, 2, math.nan]),
    "asinh": (np.arcsinh, [-10, -0.5, -0.0, 0.25, 3, math.inf, math.nan]),
    "atan": (np.arctan, [-10, -0.5, -0.0, 0.25, math.inf, -math.inf, math.nan]),
    "atanh": (np.arctanh, [-1, -0.5, -0.0, 0.25, 1, 2, math.nan]),
    "cosh": (np.cosh, [-3, -0.5, -0.0, 0.25, 8, math.inf, math.nan]),
    "sinh": (np.sinh, [-3, -0.5, -0.0, 0.25, 8, -math.inf, math.nan]),
    "tan": (np.tan, [-1, -0.0, 0.25, 1.5, math.nan]),
    "erf": (np.vectorize(math.erf), [-3, -0.5, -0.0, 0.25, 1.5, math.inf, math.nan]),
    "erfc": (np.vectorize(math.erfc), [-3, -0.5, 0.0, 0.25, 1.5, math.inf, math.nan]),
    "lgamma": (np.vectorize(lambda x: math.lgamma(x) if math.isfinite(x) else abs(x)), [0.5, 1.5, 3, 10, -0.5, math.inf, math.nan]),
}


def functions():
    group = Group("chlo_functions", "numpy's functions in float64 (f64: extended precision); erf, erfc and lgamma by Python's math in float64")
    for op, (function, values) in FUNCTIONS.items():
        for t in FLOATS:
            x = make(t, values)
            wide = x.data.astype(np.float64) if op in ("erf", "erfc", "lgamma") else x.wide()
            # Near its zeros the relative error of lgamma is not bounded.
            bound = close(2e-14, 1e-13) if (op, t) == ("lgamma", "f64") else ulp(4 if t in ("f32", "f64") else 1)
            group.add(f"{op}_{t}", f"chlo.{op}", [x], f"%r0 = chlo.{op} %a0 : {x.mlir} -> {x.mlir}", [Tensor(t, function(wide))], bound)
    for t in FLOATS:
        x = make(t, edges(t))
        results = [Tensor("i1", p) for p in (np.isinf(x.data), x.data == math.inf, x.data == -math.inf)]
        body = "\n".join(f"%r{i} = chlo.{op} %a0 : {x.mlir} -> {results[0].mlir}" for i, op in enumerate(("is_inf", "is_pos_inf", "is_neg_inf")))
        group.add(f"is_inf_{t}", "chlo.is_inf", [x], body, results)
    for t in ("f16", "f32", "f64"):
        a, b = pairs(t, [0.0, -0.0, 1.0, -1.5, math.inf, math.nan])
        group.add(f"next_after_{t}", "chlo.next_after", [a, b], f"%r0 = chlo.next_after %a0, %a1 : {a.mlir}, {a.mlir} -> {a.mlir}", [Tensor(t, np.where(a.data == b.data, b.data, np.nextafter(a.data, b.data)))])
    for t in INTEGERS:
        a, b = pairs(t)
        result = make(t, [(int(x) * int(y)) >> width(t) for x, y in zip(a.data, b.data)])
        group.add(f"mulhi_{t}", "chlo.mulhi", [a, b], f"%r0 = chlo.mulhi %a0, %a1 : {a.mlir}, {a.mlir} -> {a.mlir}", [result])
    for t in ("f32", "i16"):
        x = small(t, (4,), 1)
        group.add(f"square_{t}", "chlo.square", [x], f"%r0 = chlo.square %a0 : {x.mlir} -> {x.mlir}", [Tensor(t, x.data * x.data)])
    x = small("f64", (2, 2), 1)
    group.add("constant_like", "chlo.constant_like", [x], '%r0 = "chlo.constant_like"(%a0) <{value = 2.5 : f64}> : (tensor<2x2xf64>) -> tensor<2x2xf64>', [make("f64", [[2.5] * 2] * 2)])
    group.add("constant", "chlo.constant", [], '%r0 = "chlo.constant"() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2xi8>', [make("i8", [1, 2])])
    a, b = small("f32", (2, 3), 2), small("f32", (3,), 3)
    for op, function in {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}.items():
        group.add(f"broadcast_{op}", f"chlo.broadcast_{op}", [a, b], f"%r0 = chlo.broadcast_{op} %a0, %a1 : ({a.mlir}, {b.mlir}) -> {a.mlir}", [Tensor("f32", function(a.data, b.data))])
    c, d = small("ui8", (2, 3), 4), small("ui8", (2,), 5)
    for op, function in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
        group.add(f"broadcast_{op}", f"chlo.broadcast_{op}", [c, d], f"%r0 = chlo.broadcast_{op} %a0, %a1 {{broadcast_dimensions = array<i64: 0>}} : ({c.mlir}, {d.mlir}) -> {c.mlir}",
                  [Tensor("ui8", function(c.data, d.data[:, None]))])
    results = [Tensor("i1", function(a.data, b.data)) for function in DIRECTIONS.values()]
    body = "\n".join(f"%r{i} = chlo.broadcast_compare %a0, %a1 {{comparison_direction = #stablehlo<comparison_direction {d}>}} : ({a.mlir}, {b.mlir}) -> tensor<2x3xi1>"
                     for i, d in enumerate(DIRECTIONS))
    group.add("broadcast_compare", "chlo.broadcast_compare", [a, b], body, results)
    p = small("i1", (3,), 6)
    group.add("broadcast_select", "chlo.broadcast_select", [p, a, b], f"%r0 = chlo.broadcast_select %a0, %a1, %a2 : ({p.mlir}, {a.mlir}, {b.mlir}) -> {a.mlir}", [Tensor("f32", np.where(p.data, a.data, b.data))])
    for t, values in [("f32", [[1, math.nan, -2, 7, 7]]), ("i8", [[3, -128, 127, 3, 0]]), ("ui16", [[1, 65535, 2, 2, 9]])]:
        x = make(t, values)
        line = x.data[0]
        at = sorted(range(5), key=lambda i: (-math.inf if math.isnan(line[i]) else -float(line[i]), i))
        at = sorted(at, key=lambda i: not math.isnan(line[i]))[:3]
        results = [Tensor(t, line[at][None]), make("i32", [at])]
        group.add(f"top_k_{t}", "chlo.top_k", [x], f"%r0, %r1 = chlo.top_k(%a0, k = 3) : {x.mlir} -> ({results[0].mlir}, {results[1].mlir})", results)
    # Few of many, among which most are equal to others: those at the first positions.
    for t, count, k in [("f32", 40, 4), ("i8", 300, 17), ("f64", 9, 1)]:
        x = small(t, (3, count), 7)
        at = [sorted(range(count), key=lambda i, line=line: (-float(line[i]), i))[:k] for line in x.data]
        results = [Tensor(t, np.take_along_axis(x.data, np.array(at), 1)), make("i32", at)]
        group.add(f"top_k_of_many_{t}", "chlo.top_k", [x], f"%r0, %r1 = chlo.top_k(%a0, k = {k}) : {x.mlir} -> ({results[0].mlir}, {results[1].mlir})", results)
    return group



def groups():
    return [functions()]

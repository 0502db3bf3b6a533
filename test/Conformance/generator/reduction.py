# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, windows and sorting: loops over the elements in row-major order after the initial
value. Sums are of small integers, so that every order gives the same bits."""
import functools
import itertools
import math

import numpy as np

from cases import BITS, Group, VALUE
from elementwise import ordered
from movement import array, generic
from tensors import FLOATS, INTEGERS, Tensor, edges, is_float, make, round_to, small, wrap

COMBINERS = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "maximum": lambda a, b: max(a, b),
    "minimum": lambda a, b: min(a, b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def python_values(x):
    return np.array([v if x.type == "i1" else float(v) if is_float(x.type) else int(v) for v in x.data.reshape(-1)], dtype=object).reshape(x.shape)


def combiner(op, t):
    if is_float(t) and op in ("maximum", "minimum"):
        pick = np.maximum if op == "maximum" else np.minimum
        return lambda a, b: float(ordered(pick, np.float64(a), np.float64(b)))
    if t == "i1":
        return {"add": lambda a, b: a | b, "multiply": lambda a, b: a & b}.get(op, COMBINERS[op])
    return COMBINERS[op]


def reduce(x, init, function, dims):
    values = python_values(x)
    kept = [d for d in range(values.ndim) if d not in dims]
    result = np.full([values.shape[d] for d in kept], python_values(init)[()], dtype=object)
    for at in np.ndindex(*values.shape):
        to = tuple(at[d] for d in kept)
        result[to] = function(result[to], values[at])
    return make(x.type, result if not is_float(x.type) else result.astype(np.float64))


def body_of(op, t, returned=None):
    scalar = f"tensor<{t}>"
    return f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n  %c = stablehlo.{op} %x, %y : {scalar}\n  stablehlo.return %c : {scalar}\n}})"


def region(op, operands, attributes, body, arguments, results):
    """The generic form of an operation with one region."""
    text = generic(op, operands, attributes, arguments, results)
    before, after = text.rsplit(" : (", 1) if attributes else text.split(" : (", 1)
    return f"{before} {body} : ({after}"


def reductions():
    group = Group("reductions", "a loop over the elements in row-major order")
    listed = [("rows", "f32", "add", (3, 4), [1], 0), ("columns", "f64", "add", (3, 4), [0], 0), ("all", "i32", "add", (2, 3, 2), [0, 1, 2], 0),
              ("unsorted_dimensions", "i64", "add", (2, 3, 2), [2, 0], 0), ("no_dimensions", "f32", "add", (2, 2), [], 5), ("empty", "f32", "add", (2, 0), [1], 3),
              ("initial", "i16", "add", (2, 3), [1], 10), ("bf16", "bf16", "add", (2, 5), [1], 0), ("f16", "f16", "add", (5, 2), [0], 0), ("ui8_wraps", "ui8", "multiply", (2, 5), [1], 3),
              ("multiply", "f64", "multiply", (2, 3), [0], 1), ("and", "ui32", "and", (2, 3), [1], 4294967295), ("or", "i1", "or", (2, 3), [1], False),
              ("and_i1", "i1", "and", (2, 3), [0], True), ("xor", "i8", "xor", (3, 3), [1], 0), ("scalar", "f32", "add", (), [], 1), ("size_one", "i32", "add", (3, 1), [1], 7)]
    for name, t, op, shape, dims, start in listed:
        x, init = small(t, shape, 1), make(t, start)
        result = reduce(x, init, combiner(op, t), dims)
        if name in ("rows", "columns"):
            body = f"%r0 = stablehlo.reduce(%a0 init: %a1) applies stablehlo.{op} across dimensions = [{', '.join(map(str, dims))}] : ({x.mlir}, {init.mlir}) -> {result.mlir}"
        else:
            body = region("reduce", "%a0, %a1", f"dimensions = {array(dims)}", body_of(op, t), [x, init], [result])
        group.add(f"reduce_{name}", "reduce", [x, init], body, [result], VALUE)
    for t in FLOATS + INTEGERS:
        for op in ("maximum", "minimum"):
            x = make(t, edges(t))
            numbers = [v for v in edges(t) if not is_float(t) or not math.isnan(v)]
            rows = make(t, [edges(t), numbers + numbers[:1] * (len(edges(t)) - len(numbers))])
            init = make(t, numbers[0])
            result = reduce(rows, init, combiner(op, t), [1])
            group.add(f"reduce_{op}_{t}", "reduce", [rows, init], region("reduce", "%a0, %a1", "dimensions = array<i64: 1>", body_of(op, t), [rows, init], [result]), [result])
    # The greatest element and where it is first; of two operands and types.
    x = make("f32", [[1, 5, 5, -2], [math.nan, 3, math.nan, 9], [-1, -1, -1, -1]])
    at = Tensor("i32", np.broadcast_to(np.arange(4), (3, 4)))
    lowest, zero = make("f32", -math.inf), make("i32", 0)
    where = np.array([1, 0, 0])
    body = region("reduce", "%a0, %a1, %a2, %a3", "dimensions = array<i64: 1>", """({
^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
  %g = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %n = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %e = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %f = stablehlo.and %e, %l : tensor<i1>
  %p = stablehlo.or %g, %n : tensor<i1>
  %q = stablehlo.or %p, %f : tensor<i1>
  %v = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
  %k = stablehlo.select %q, %i, %j : tensor<i1>, tensor<i32>
  stablehlo.return %v, %k : tensor<f32>, tensor<i32>
})""", [x, at, lowest, zero], [make("f32", [0] * 3), make("i32", [0] * 3)])
    group.add("reduce_two_operands_argmax", "reduce", [x, at, lowest, zero], body, [make("f32", [5, math.nan, -1]), Tensor("i32", where)])
    # A body that is neither commutative nor associative fixes the order: 2 * accumulator - element.
    # The outer loop is the longer one, which code might prefer to have innermost.
    for name, shape in [("in_order", (2, 3, 4)), ("in_order_long_outer", (9, 3, 4))]:
        x, init = small("i32", shape, 3), make("i32", 1)
        result = reduce(x, init, lambda a, b: 2 * a - b, [0, 2])
        body = region("reduce", "%a0, %a1", "dimensions = array<i64: 0, 2>", """({
^bb0(%x: tensor<i32>, %y: tensor<i32>):
  %d = stablehlo.add %x, %x : tensor<i32>
  %c = stablehlo.subtract %d, %y : tensor<i32>
  stablehlo.return %c : tensor<i32>
})""", [x, init], [result])
        group.add(f"reduce_{name}", "reduce", [x, init], body, [result])
    for name, t, shape in [("i32", "i32", (2, 3)), ("f32", "f32", (4,)), ("i1", "i1", (3,))]:
        x, y = small(t, shape, 1), small(t, shape, 2)
        dims = array(range(len(shape)))
        op = "xor" if t == "i1" else "subtract"
        result = Tensor(t, x.data ^ y.data if t == "i1" else x.data - y.data)
        group.add(f"map_{name}", "map", [x, y], region("map", "%a0, %a1", f"dimensions = {dims}", body_of(op, t), [x, y], [result]), [result])
    return group


def window_positions(shape, spec):
    """For each result position: the positions in the operand, row-major; None is padding."""
    base = [(n - 1) * d + 1 if n else 0 for n, d in zip(shape, spec["base_dilations"])]
    full = [lo + b + hi for b, (lo, hi) in zip(base, spec["padding"])]
    size = [(k - 1) * d + 1 for k, d in zip(spec["window_dimensions"], spec["window_dilations"])]
    count = [(n - k) // s + 1 if n >= k else 0 for n, k, s in zip(full, size, spec["window_strides"])]

    def source(at, k):
        position = []
        for p, q, s, d, (lo, _), b, n in zip(at, k, spec["window_strides"], spec["window_dilations"], spec["padding"], spec["base_dilations"], shape):
            where = p * s + q * d - lo
            if where % b or not 0 <= where // b < n:
                return None
            position.append(where // b)
        return tuple(position)

    return count, lambda at: (source(at, k) for k in np.ndindex(*spec["window_dimensions"]))


def window_spec(rank, given):
    return {"window_dimensions": [1] * rank, "window_strides": [1] * rank, "base_dilations": [1] * rank, "window_dilations": [1] * rank, "padding": [(0, 0)] * rank, **given}


def window_attributes(spec, names):
    text = [f"{n} = {array(spec[n])}" for n in names]
    rank = len(spec["padding"])
    text.append("padding = dense<[" + ", ".join(f"[{a}, {b}]" for a, b in spec["padding"]) + f"]> : tensor<{rank}x2xi64>")
    return ", ".join(text)


def windows():
    group = Group("windows", "a loop over each window in row-major order")
    listed = [("sum", "f32", "add", (4, 5), {"window_dimensions": [2, 3]}, 0), ("strides", "i32", "add", (5, 6), {"window_dimensions": [2, 2], "window_strides": [2, 3]}, 0),
              ("padding", "f64", "add", (3, 3), {"window_dimensions": [2, 2], "padding": [(1, 0), (0, 2)]}, 1), ("negative_padding", "i64", "add", (6,), {"window_dimensions": [2], "padding": [(-1, -2)]}, 0),
              ("base_dilations", "i16", "add", (3, 2), {"window_dimensions": [2, 2], "base_dilations": [2, 3]}, 1), ("window_dilations", "ui16", "add", (7,), {"window_dimensions": [3], "window_dilations": [2]}, 0),
              ("cumulative", "f32", "add", (6,), {"window_dimensions": [6], "padding": [(5, 0)]}, 0), ("cumulative_rows", "bf16", "maximum", (2, 4), {"window_dimensions": [1, 4], "padding": [(0, 0), (3, 0)]}, -4),
              ("maximum", "f16", "maximum", (4, 4), {"window_dimensions": [2, 2], "window_strides": [2, 2]}, -65504), ("minimum", "i8", "minimum", (5,), {"window_dimensions": [3], "padding": [(1, 1)]}, 127),
              ("multiply", "ui64", "multiply", (4,), {"window_dimensions": [2]}, 1), ("or", "i1", "or", (5,), {"window_dimensions": [2]}, False), ("no_windows", "f32", "add", (2,), {"window_dimensions": [3]}, 0),
              ("in_order", "i32", None, (3, 4), {"window_dimensions": [2, 3]}, 1)]
    for name, t, op, shape, given, start in listed:
        spec, x, init = window_spec(len(shape), given), small(t, shape, 1), make(t, start)
        count, positions = window_positions(shape, spec)
        function = combiner(op, t) if op else lambda a, b: 2 * a - b
        values, first = python_values(x), python_values(init)[()]
        result = np.full(count, first, dtype=object)
        for at in np.ndindex(*count):
            result[at] = functools.reduce(function, [first if p is None else values[p] for p in positions(at)], first)
        result = make(t, result.astype(np.float64) if is_float(t) else result)
        names = ["window_dimensions", "window_strides", "base_dilations", "window_dilations"]
        scalar = f"tensor<{t}>"
        body = body_of(op, t) if op else (f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n  %d = stablehlo.add %x, %x : {scalar}\n  %c = stablehlo.subtract %d, %y : {scalar}\n"
                                          f"  stablehlo.return %c : {scalar}\n}})")
        group.add(f"reduce_window_{name}", "reduce_window", [x, init], region("reduce_window", "%a0, %a1", window_attributes(spec, names), body, [x, init], [result]), [result], VALUE)
    # Of numbers whose sums are rounded, in row-major order, each sum rounded to f32.
    for name, t, shape, given in [("prefix_sum", "f32", (160,), {"window_dimensions": [160], "padding": [(159, 0)]}), ("prefix_sum_rows", "f64", (2, 12), {"window_dimensions": [1, 12], "padding": [(0, 0), (11, 0)]}),
                                  ("rounded", "f32", (4, 40), {"window_dimensions": [3, 3], "padding": [(1, 1), (1, 1)]})]:
        x, init = Tensor(t, np.round(np.random.default_rng(3).normal(size=shape), 3)), make(t, 0)
        spec = window_spec(len(shape), given)
        count, positions = window_positions(shape, spec)
        result = np.zeros(count, x.data.dtype)
        for at in np.ndindex(*count):
            result[at] = functools.reduce(lambda a, b: a + b, [init.data[()] if p is None else x.data[p] for p in positions(at)], init.data[()])
        result = Tensor(t, result)
        group.add(f"reduce_window_{name}", "reduce_window", [x, init],
                  region("reduce_window", "%a0, %a1", window_attributes(spec, ["window_dimensions"]), body_of("add", t), [x, init], [result]), [result])

    # Prefixes from a constant that changes nothing, which are built in blocks, of several levels.
    for name, t, op, shape, dim, reverse, start in [("sums", "i32", "add", (700,), 0, False, 0), ("sums_from_the_end", "f32", "add", (2, 45, 3), 1, True, 0), ("maxima", "f32", "maximum", (3, 100), 1, False, -np.inf),
                                                    ("minima", "i8", "minimum", (64, 2), 0, True, 127), ("products", "f64", "multiply", (33,), 0, False, 1), ("any", "i1", "or", (2, 50), 1, False, False),
                                                    ("all", "i1", "and", (50, 2), 0, True, True), ("maxima_unsigned", "ui8", "maximum", (40,), 0, False, 0), ("sums_from_one", "i32", "add", (40,), 0, False, 1)]:
        size = shape[dim]
        edge = [(0, 0)] * len(shape)
        edge[dim] = (0, size - 1) if reverse else (size - 1, 0)
        spec = window_spec(len(shape), {"window_dimensions": [size if d == dim else 1 for d in range(len(shape))], "padding": edge})
        x = make(t, np.where(small(t, shape, 1).data.astype(np.float64) > 0, 1, -1)) if op == "multiply" else small(t, shape, 1)
        function, values = combiner(op, t), python_values(x)
        count, positions = window_positions(shape, spec)
        result = np.full(count, start, dtype=object)
        for at in np.ndindex(*count):
            result[at] = functools.reduce(function, [start if p is None else values[p] for p in positions(at)], start)
        result = make(t, result.astype(np.float64) if is_float(t) else result)
        scalar = f"tensor<{t}>"
        constant = {-np.inf: "0xFF800000", False: "false", True: "true"}.get(start, start) if t in ("i1", "f32") and (t == "i1" or start == -np.inf) else (float(start) if is_float(t) else start)
        text = region("reduce_window", "%a0, %init", window_attributes(spec, ["window_dimensions"]), body_of(op, t), [x, make(t, start)], [result])
        group.add(f"reduce_window_prefix_{name}", "reduce_window", [x], f"%init = stablehlo.constant dense<{constant}> : {scalar}\n{text}", [result], VALUE)

    listed = [("plain", "f32", "GE", "add", (4, 4), {"window_dimensions": [2, 2], "window_strides": [2, 2]}, 0), ("overlap", "i32", "GE", "add", (3, 4), {"window_dimensions": [2, 2]}, 0),
              ("last_of_equal", "i16", "GT", "add", (6,), {"window_dimensions": [3], "window_strides": [3]}, 0), ("padding", "f64", "GE", "add", (4,), {"window_dimensions": [3], "window_strides": [2], "padding": [(1, 1)]}, 1),
              ("maximum", "bf16", "GE", "maximum", (5,), {"window_dimensions": [2]}, -9), ("gaps", "i8", "LE", "add", (7,), {"window_dimensions": [2], "window_strides": [3]}, 2)]
    for name, t, direction, op, shape, given, start in listed:
        spec, x, init = window_spec(len(shape), given), small(t, shape, 5, -2, 3), make(t, start)
        count, positions = window_positions(shape, spec)
        source = small(t, count, 6)
        values, updates = python_values(x), python_values(source)
        choose = {"GE": lambda a, b: a >= b, "GT": lambda a, b: a > b, "LE": lambda a, b: a <= b}[direction]
        function = combiner(op, t)
        result = np.full(shape, python_values(init)[()], dtype=object)
        for at in np.ndindex(*count):
            inside = [p for p in positions(at) if p is not None]
            chosen = functools.reduce(lambda p, q: p if choose(values[p], values[q]) else q, inside)
            result[chosen] = function(result[chosen], updates[at])
        result = make(t, result.astype(np.float64) if is_float(t) else result)
        scalar = f"tensor<{t}>"
        kind = "FLOAT" if is_float(t) else "SIGNED"
        select = f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n  %p = stablehlo.compare {direction}, %x, %y, {kind} : ({scalar}, {scalar}) -> tensor<i1>\n  stablehlo.return %p : tensor<i1>\n}}, "
        group.add(f"select_and_scatter_{name}", "select_and_scatter", [x, source, init],
                  region("select_and_scatter", "%a0, %a1, %a2", window_attributes(spec, ["window_dimensions", "window_strides"]), select + body_of(op, t)[1:], [x, source, init], [result]), [result], VALUE)
    return group


def sorts():
    group = Group("sorts", "Python's stable sort, with the comparison as the specification has it")

    def add(name, operands, dim, direction, kind, results):
        scalars = [f"tensor<{x.type}>" for x in operands]
        arguments = ", ".join(f"%x{i}: {s}, %y{i}: {s}" for i, s in enumerate(scalars))
        body = (f"({{\n^bb0({arguments}):\n  %p = stablehlo.compare {direction}, %x0, %y0, {kind} : ({scalars[0]}, {scalars[0]}) -> tensor<i1>\n"
                "  stablehlo.return %p : tensor<i1>\n})")
        names = ", ".join(f"%a{i}" for i in range(len(operands)))
        group.add(f"sort_{name}", "sort", operands, region("sort", names, f"dimension = {dim} : i64, is_stable = true", body, operands, results), results)

    def order(x, dim, less):
        key = functools.cmp_to_key(lambda i, j: -1 if less(*i, *j) else 1 if less(*j, *i) else 0)
        moved = np.moveaxis(x, dim, -1)
        result = np.empty(moved.shape, dtype=np.int64)
        for at in np.ndindex(*moved.shape[:-1]):
            line = [(v,) for v in moved[at]]
            result[at] = [i for i, _ in sorted(enumerate(line), key=lambda e: key(e[1]))]
        return np.moveaxis(result, -1, dim)

    for t in ["i8", "ui16", "i64", "f16", "bf16", "f32", "f64"]:
        x = small(t, (3, 4), 1)
        for direction, less in (("LT", lambda a, b: a < b), ("GT", lambda a, b: a > b)):
            dim = 1 if direction == "LT" else 0
            at = order(x.data, dim, less)
            kind = "FLOAT" if is_float(t) else "UNSIGNED" if t[0] == "u" else "SIGNED"
            add(f"{t}_{direction.lower()}", [x], dim, direction, kind, [Tensor(t, np.take_along_axis(x.data, at, dim))])
    x = make("f32", [math.nan, 1, -0.0, 0.0, -math.inf, -math.nan, math.inf, -1])
    add("total_order", [x], 0, "LT", "TOTALORDER", [make("f32", [-math.nan, -math.inf, -1, -0.0, 0.0, 1, math.inf, math.nan])])
    key, value = make("i32", [[2, 1, 2, 1, 0]]), make("f64", [[0, 1, 2, 3, 4]])
    at = order(key.data, 1, lambda a, b: a < b)
    add("two_operands_stable", [key, value], -1, "LT", "SIGNED", [Tensor(x.type, np.take_along_axis(x.data, at, 1)) for x in (key, value)])
    x = small("f32", (2, 0), 1)
    add("empty", [x], 1, "LT", "FLOAT", [x])
    x = small("i16", (2, 1), 1)
    add("one", [x], 1, "LT", "SIGNED", [x])
    return group


def groups():
    return [reductions(), windows(), sorts()]

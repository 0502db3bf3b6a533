# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program whose rows are longer than the registers of a block of threads: a softmax, or the gradient of a layer norm with the sums of
its columns.

    long_rows.py softmax|gradient ELEMENT ROWS COLUMNS"""
import sys

kind, element, rows, columns = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
x, v, c = (f"tensor<{shape}x{element}>" for shape in (f"{rows}x{columns}", rows, columns))
lowest = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00", "f64": "0xFFF0000000000000"}[element]


def reduce(to, value, name, initial, dimension, type_):
    return f"  {to} = stablehlo.reduce({value} init: {initial}) applies stablehlo.{name} across dimensions = [{dimension}] : ({x}, tensor<{element}>) -> {type_}"


def spread(to, value, dimension=0, type_=v):
    return f"  {to} = stablehlo.broadcast_in_dim {value}, dims = [{dimension}] : ({type_}) -> {x}"


def binary(to, name, a, b):
    return f"  {to} = stablehlo.{name} {a}, {b} : {x}"


body = [f"  %z = stablehlo.constant dense<0.0> : tensor<{element}>"]
if kind == "softmax":
    arguments, results, types = f"%x: {x}", "%o", x
    body += [f"  %low = stablehlo.constant dense<{lowest}> : tensor<{element}>", reduce("%m", "%x", "maximum", "%low", 1, v), spread("%mb", "%m"),
             binary("%d", "subtract", "%x", "%mb"), f"  %e = stablehlo.exponential %d : {x}", reduce("%s", "%e", "add", "%z", 1, v), spread("%sb", "%s"),
             binary("%o", "divide", "%e", "%sb")]
else:
    arguments, results, types = f"%x: {x}, %dy: {x}, %g: {c}", "%dx, %dg, %db", f"{x}, {c}, {c}"
    body += [f"  %n = stablehlo.constant dense<{float(columns)}> : {v}", reduce("%t", "%x", "add", "%z", 1, v), f"  %mean = stablehlo.divide %t, %n : {v}",
             spread("%mb", "%mean"), binary("%d", "subtract", "%x", "%mb"), binary("%d2", "multiply", "%d", "%d"), reduce("%t2", "%d2", "add", "%z", 1, v),
             f"  %var = stablehlo.divide %t2, %n : {v}", f"  %inv = stablehlo.rsqrt %var : {v}", spread("%ib", "%inv"), binary("%h", "multiply", "%d", "%ib"),
             reduce("%db", "%dy", "add", "%z", 0, c), binary("%hy", "multiply", "%dy", "%h"), reduce("%dg", "%hy", "add", "%z", 0, c),
             spread("%gb", "%g", 1, c), binary("%dh", "multiply", "%dy", "%gb"), binary("%p", "multiply", "%h", "%dh"), reduce("%q", "%p", "add", "%z", 1, v),
             reduce("%w", "%dh", "add", "%z", 1, v), f"  %qm = stablehlo.divide %q, %n : {v}", f"  %wm = stablehlo.divide %w, %n : {v}", spread("%qb", "%qm"),
             spread("%wb", "%wm"), binary("%hq", "multiply", "%h", "%qb"), binary("%e", "subtract", "%dh", "%hq"), binary("%f", "subtract", "%e", "%wb"),
             binary("%dx", "multiply", "%f", "%ib")]
print(f"func.func @main({arguments}) -> ({types}) {{")
print("\n".join(body))
print(f"  return {results} : {types}\n}}")

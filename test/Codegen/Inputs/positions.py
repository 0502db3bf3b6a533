# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that finds where the extremes of rows are, with bodies of several forms: which of equal elements is taken differs. Elements are
rounded to few values, so that there are equal ones in each row, and zeros of both signs.

    positions.py ELEMENT ROWS COLUMNS..."""
import sys

element, rows, columns = sys.argv[1], int(sys.argv[2]), [int(size) for size in sys.argv[3:]]
is_float = element[0] in "fb"
index = "i64" if element == "f64" else "i32"
kind = "FLOAT" if is_float else "SIGNED"
lowest = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00", "f64": "0xFFF0000000000000", "i8": "-128", "i32": "-2147483648"}[element]


def compare(predicate, a, b, type_, kind):
    return f"stablehlo.compare {predicate}, {a}, {b}, {kind} : (tensor<{type_}>, tensor<{type_}>) -> tensor<i1>"


def choose(condition, name, type_):
    return f"stablehlo.select {condition}, %{name}, %{name}x : tensor<i1>, tensor<{type_}>"


# The last of equal ones; the first one; the first one, where NaN is larger than numbers, beside the last of the values; the first one beside a maximum.
BODIES = [
    [("p", compare("GT", "%v", "%vx", element, kind)), ("value", choose("%p", "v", element)), ("where", choose("%p", "i", index))],
    [("p", compare("GE", "%v", "%vx", element, kind)), ("value", choose("%p", "v", element)), ("where", choose("%p", "i", index))],
    [("p", compare("GT", "%v", "%vx", element, kind)), ("nan", compare("NE", "%v", "%v", element, kind)), ("pn", "stablehlo.or %p, %nan : tensor<i1>"),
     ("eq", compare("EQ", "%v", "%vx", element, kind)), ("lt", compare("LT", "%i", "%ix", index, "SIGNED")), ("tie", "stablehlo.and %eq, %lt : tensor<i1>"),
     ("pi", "stablehlo.or %pn, %tie : tensor<i1>"), ("value", choose("%pn", "v", element)), ("where", choose("%pi", "i", index))],
    [("p", compare("GE", "%v", "%vx", element, kind)), ("value", f"stablehlo.maximum %v, %vx : tensor<{element}>"), ("where", choose("%p", "i", index))],
]

arguments, body, results, types = [], [], [], []
for size in columns:
    x, i, v, w = (f"tensor<{shape}x{type_}>" for shape, type_ in
                  ((f"{rows}x{size}", element), (f"{rows}x{size}", index), (rows, element), (rows, index)))
    name = f"%x{size}"
    arguments.append(f"{name}: {x}")
    if is_float:
        body += [f"  %s{size} = stablehlo.constant dense<2.0> : {x}", f"  %m{size} = stablehlo.multiply {name}, %s{size} : {x}",
                 f"  %r{size} = stablehlo.ceil %m{size} : {x}", f"  %q{size} = stablehlo.sqrt %r{size} : {x}"]
        name = f"%r{size}"
    body += [f"  %i{size} = stablehlo.iota dim = 1 : {i}", f"  %l{size} = stablehlo.constant dense<{lowest}> : tensor<{element}>",
             f"  %z{size} = stablehlo.constant dense<0> : tensor<{index}>"]
    for number, lines in enumerate(BODIES):
        result = f"%o{size}_{number}"
        read = f"%q{size}" if is_float and number == 2 else name  # with NaN where x is negative
        body += [f'  {result}:2 = "stablehlo.reduce"({read}, %i{size}, %l{size}, %z{size}) <{{dimensions = array<i64: 1>}}> ({{',
                 f"  ^bb0(%v: tensor<{element}>, %i: tensor<{index}>, %vx: tensor<{element}>, %ix: tensor<{index}>):"]
        body += [f"    %{to} = {text}" for to, text in lines]
        body += [f"    stablehlo.return %value, %where : tensor<{element}>, tensor<{index}>",
                 f"  }}) : ({x}, {i}, tensor<{element}>, tensor<{index}>) -> ({v}, {w})"]
        results += [f"{result}#0", f"{result}#1"]
        types += [v, w]
print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{")
print("\n".join(body))
print(f"  return {', '.join(results)} : {', '.join(types)}\n}}")

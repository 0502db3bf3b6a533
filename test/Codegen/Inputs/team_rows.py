# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program whose rows have the given numbers of columns: softmax with an outlier in another column of each row,
what a layer norm gives and its gradient, of which columns are summed, and reductions of other types."""
import sys

rows, columns = int(sys.argv[1]), [int(size) for size in sys.argv[2:]]
arguments, types, results, body = [], [], [], []


def emit(text, type_):
    body.append(f"  %v{len(body)} = {text}")
    return f"%v{len(body) - 1}", type_


def constant(value, shape, element="f32"):
    type_ = f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"
    return emit(f"stablehlo.constant dense<{value}> : {type_}", type_)


def binary(name, a, b):
    return emit(f"stablehlo.{name} {a[0]}, {b[0]} : {a[1]}", a[1])


def unary(name, a):
    return emit(f"stablehlo.{name} {a[0]} : {a[1]}", a[1])


def over_rows(value, size, element="f32"):
    return emit(f"stablehlo.broadcast_in_dim {value[0]}, dims = [0] : ({value[1]}) -> tensor<{rows}x{size}x{element}>",
                f"tensor<{rows}x{size}x{element}>")


def reduce(name, value, initial, dimension, size, element="f32"):
    start = constant(initial, [], element)
    type_ = f"tensor<{size}x{element}>"
    return emit(f"stablehlo.reduce({value[0]} init: {start[0]}) applies stablehlo.{name} across dimensions = [{dimension}]"
                f" : ({value[1]}, tensor<{element}>) -> {type_}", type_)


def result(value):
    results.append(value)


def argument(type_):
    arguments.append(f"%a{len(arguments)}: {type_}")
    return f"%a{len(arguments) - 1}", type_


for size in columns:
    x, dy = argument(f"tensor<{rows}x{size}xf32>"), argument(f"tensor<{rows}x{size}xf32>")
    # Row r has its outlier in column 7 r, modulo the columns.
    index = [emit(f"stablehlo.iota dim = {dim} : tensor<{rows}x{size}xi32>", f"tensor<{rows}x{size}xi32>") for dim in (0, 1)]
    place = binary("remainder", binary("multiply", index[0], constant(7, [rows, size], "i32")), constant(size, [rows, size], "i32"))
    is_outlier = emit(f"stablehlo.compare EQ, {place[0]}, {index[1][0]}, SIGNED : ({place[1]}, {place[1]}) -> tensor<{rows}x{size}xi1>",
                      f"tensor<{rows}x{size}xi1>")

    def select(a, b):
        return emit(f"stablehlo.select {is_outlier[0]}, {a[0]}, {b[0]} : {is_outlier[1]}, {a[1]}", a[1])

    outlying = select(constant("200.0", [rows, size]), x)
    top = reduce("maximum", outlying, "0xFF800000", 1, rows)
    power = unary("exponential", binary("subtract", outlying, over_rows(top, size)))
    result(binary("divide", power, over_rows(reduce("add", power, "0.0", 1, rows), size)))
    # A NaN or an infinity stays in its row.
    for special in ("0x7FC00000", "0x7F800000"):
        result(reduce("maximum", select(constant(special, [rows, size]), x), "0xFF800000", 1, rows))
    count = constant(f"{size}.0", [rows])
    mean = binary("divide", reduce("add", x, "0.0", 1, rows), count)
    centered = binary("subtract", x, over_rows(mean, size))
    variance = binary("divide", reduce("add", binary("multiply", centered, centered), "0.0", 1, rows), count)
    scale = unary("rsqrt", binary("add", variance, constant("1.0e-1", [rows])))
    normal = binary("multiply", centered, over_rows(scale, size))
    product = reduce("add", binary("multiply", normal, dy), "0.0", 1, rows)
    result(binary("subtract", dy, binary("multiply", normal, over_rows(product, size))))
    result(reduce("add", binary("multiply", normal, dy), "0.0", 0, size))
    result(reduce("add", dy, "0.0", 0, size))
    result(reduce("or", is_outlier, "false", 1, rows, "i1"))
    for element, initial in (("bf16", "0xFF80"), ("f16", "0xFC00"), ("f64", "0xFFF0000000000000")):
        narrow = emit(f"stablehlo.convert {x[0]} : ({x[1]}) -> tensor<{rows}x{size}x{element}>", f"tensor<{rows}x{size}x{element}>")
        result(reduce("maximum", narrow, initial, 1, rows, element))
    for element in ("i8", "i64"):
        scaled = binary("multiply", x, constant("10.0", [rows, size]))
        integer = emit(f"stablehlo.convert {scaled[0]} : ({x[1]}) -> tensor<{rows}x{size}x{element}>", f"tensor<{rows}x{size}x{element}>")
        result(reduce("add", integer, "0", 1, rows, element))

types = ", ".join(type_ for _, type_ in results)
print(f"func.func @main({', '.join(arguments)}) -> ({types}) {{")
print("\n".join(body))
print(f"  return {', '.join(name for name, _ in results)} : {types}\n}}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program of elementwise results for threads that have neighbours: odd sizes, and rows of pieces, long and short ones; and shifts by large amounts."""

arguments, results, body = [], [], []


def type_of(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def argument(shape, element):
    arguments.append(type_of(shape, element))
    return f"%a{len(arguments) - 1}", shape, element


def emit(text, operands, shape, element, is_result=False):
    body.append(f"  %v{len(body)} = stablehlo.{text} : ({', '.join(type_of(*o[1:]) for o in operands)}) -> {type_of(shape, element)}")
    value = f"%v{len(body) - 1}", shape, element
    if is_result:
        results.append(value)
    return value


def binary(name, a, b, is_result=False):
    return emit(f"{name} {a[0]}, {b[0]}", (a, b), *a[1:], is_result)


def concatenate(parts, is_result=True):
    shape = (*parts[0][1][:-1], sum(part[1][-1] for part in parts))
    return emit(f"concatenate {', '.join(part[0] for part in parts)}, dim = {len(shape) - 1}", parts, shape, parts[0][2], is_result)


def part(a, begin, end):
    ranges = ", ".join([*(f"0:{size}" for size in a[1][:-1]), f"{begin}:{end}"])
    return emit(f"slice {a[0]} [{ranges}]", (a,), (*a[1][:-1], end - begin), a[2])


for element in ("f32", "bf16", "f64", "i8", "i64"):
    # A lone row that accesses do not divide, longer and shorter than one; and rows that they do not divide.
    for shape in ((4099,), (3,), (61, 67), (61, 67, 8), (5, 1)):
        a, b = argument(shape, element), argument(shape, element)
        binary("add", binary("multiply", a, b), a, is_result=True)
    bias = argument((67,), element)
    wide = emit(f"broadcast_in_dim {bias[0]}, dims = [1]", (bias,), (61, 67), element)
    binary("add", wide, argument((61, 67), element), is_result=True)
    # Pieces of one length, of which all read both halves of a row; of different ones; at odd places; in a lone row.
    x, c = argument((50, 64), element), argument((50, 32), element)
    low, high = part(x, 0, 32), part(x, 32, 64)
    concatenate((binary("subtract", binary("multiply", low, c), high), binary("add", binary("multiply", high, c), low)))
    concatenate((low, argument((50, 16), element), argument((50, 80), element)))
    concatenate((part(x, 0, 5), part(x, 7, 40)))
    concatenate((argument((1024,), element), argument((3075,), element)))
    concatenate(tuple(argument((9, 16), element) for _ in range(9)))
    # A row of two, of which one is replaced.
    concatenate((part(argument((640, 2), element), 0, 1), argument((640, 1), element)))

# Amounts of which the low 32 bits are small: nothing of the operand is left.
shape, element = (64,), "i64"
body.append(f"  %high = stablehlo.constant dense<{1 << 32}> : {type_of(shape, element)}")
amount = binary("add", argument(shape, element), ("%high", shape, element))
for name in ("shift_left", "shift_right_logical", "shift_right_arithmetic"):
    binary(name, argument(shape, element), amount, is_result=True)

types = ", ".join(type_of(*result[1:]) for result in results)
print(f"func.func @main({', '.join(f'%a{i}: {type_}' for i, type_ in enumerate(arguments))}) -> ({types}) {{")
print("\n".join(body))
print(f"  return {', '.join(result[0] for result in results)} : {types}\n}}")

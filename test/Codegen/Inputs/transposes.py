# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that transposes arrays of an element type: as they are, computed before and after, two of them at a time and into
results of several types, some of which take over the buffers of operands that are read as they are written.

    transposes.py f32 37x130:1,0 3x65x33:0,2,1
"""
import sys

element, cases = sys.argv[1], sys.argv[2:]
arguments, results, body = [], [], []


def tensor(sizes, of=element):
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{of}>"


def emit(text, type_):
    body.append(f"  %v{len(body)} = {text}")
    return f"%v{len(body) - 1}", type_


def argument(type_, donated_to=None):
    alias = "" if donated_to is None else f" {{tf.aliasing_output = {donated_to} : i32}}"
    arguments.append(f"%a{len(arguments)}: {type_}{alias}")
    return f"%a{len(arguments) - 1}", type_


def negated(a):
    return emit(f"stablehlo.{'not' if element == 'i1' else 'negate'} {a[0]} : {a[1]}", a[1])


def added(a, b):
    return emit(f"stablehlo.{'xor' if element == 'i1' else 'add'} {a[0]}, {b[0]} : {a[1]}", a[1])


for case in cases:
    shape, permutation = (text.replace("x", ",").split(",") for text in case.split(":"))
    moved = tensor([shape[int(dim)] for dim in permutation])
    compared = moved.replace(element, "i1")

    def transposed(a):
        return emit(f"stablehlo.transpose {a[0]}, dims = [{', '.join(permutation)}] : ({a[1]}) -> {moved}", moved)

    x, z, y = argument(tensor(shape)), argument(tensor(shape)), argument(moved, len(results))
    results.append(added(transposed(negated(x)), y))
    results.append(transposed(x))
    both = added(transposed(x), transposed(z))
    results.append(both)
    less = emit(f"stablehlo.compare LT, {both[0]}, {transposed(x)[0]} : ({moved}, {moved}) -> {compared}", compared)
    results.append(less)
    bytes_ = tensor([shape[int(dim)] for dim in permutation], "i8")
    w = argument(bytes_, len(results))
    results.append(emit(f"stablehlo.select {less[0]}, {w[0]}, {emit(f'stablehlo.not {w[0]} : {bytes_}', bytes_)[0]} : {compared}, {bytes_}", bytes_))

types = ", ".join(type_ for _, type_ in results)
print(f"func.func @main({', '.join(arguments)}) -> ({types}) {{")
print("\n".join(body))
print(f"  return {', '.join(name for name, _ in results)} : {types}\n}}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prefix sums, or others, as reductions of windows that are as long as a dimension: prefix_sums.py TYPE SHAPE:DIMENSION[:maximum|multiply][:backwards]..."""
import sys

element = sys.argv[1]
arguments, results, body, returned = [], [], [], []
zero, lowest = ("0.0", {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}.get(element)) if element[0] in "fb" else ("0", "-128" if element == "i8" else "-2147483648")
one = "1.0" if element[0] in "fb" else "1"
for number, text in enumerate(sys.argv[2:]):
    shape, dim, *flags = text.split(":")
    sizes = [int(size) for size in shape.split("x")]
    window = [1] * len(sizes)
    window[int(dim)] = sizes[int(dim)]
    padding = [[0, 0] for _ in sizes]
    padding[int(dim)]["backwards" in flags] = sizes[int(dim)] - 1
    kind = "maximum" if "maximum" in flags else "multiply" if "multiply" in flags else "add"
    type_ = f"tensor<{shape}x{element}>"
    arguments.append(f"%x{number}: {type_}")
    value = {"add": zero, "maximum": lowest, "multiply": one}[kind]
    body += [f"%i{number} = stablehlo.constant dense<{value}> : tensor<{element}>",
             f'%r{number} = "stablehlo.reduce_window"(%x{number}, %i{number}) <{{window_dimensions = array<i64: {", ".join(map(str, window))}>, '
             f"padding = dense<{padding}> : tensor<{len(sizes)}x2xi64>}}> ({{",
             f"^bb0(%a: tensor<{element}>, %b: tensor<{element}>):",
             f"  %c = stablehlo.{kind} %a, %b : tensor<{element}>",
             f"  stablehlo.return %c : tensor<{element}>",
             f"}}) : ({type_}, tensor<{element}>) -> {type_}"]
    results.append(type_)
    returned.append(f"%r{number}")
print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{")
print("".join(f"  {line}\n" for line in body) + f"  return {', '.join(returned)} : {', '.join(results)}\n}}")

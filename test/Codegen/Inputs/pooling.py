# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that pools images: the largest elements of windows, or their sums.

    pooling.py ELEMENT CASE...

A case is nchw|nhwc:BATCHxCHANNELSxHEIGHTxWIDTH:WINDOW,STRIDE,PADDING,DILATION."""
import sys

element, cases = sys.argv[1], sys.argv[2:]
lowest = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00", "f64": "0xFFF0000000000000", "i32": "-2147483648", "i8": "-128"}[element]
arguments, results, types, body = [], [], [], []
for number, case in enumerate(cases):
    layout, sizes, window = case.split(":")
    batch, channels, height, width = map(int, sizes.split("x"))
    k, stride, padding, dilation = map(int, window.split(","))
    spatial = [(size + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for size in (height, width)]
    order = (lambda a, b, c: [a, b] + c) if layout == "nchw" else (lambda a, b, c: [a] + c + [b])

    def tensor(shape):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    x, o = tensor(order(batch, channels, [height, width])), tensor(order(batch, channels, spatial))
    arguments.append(f"%x{number}: {x}")
    pads = ", ".join(f"[{pad}, {pad}]" for pad in order(0, 0, [padding, padding]))
    for name, initial in (("maximum", lowest), ("add", "0.0" if element[0] in "fb" else "0")):
        result = f"%{name}{number}"
        body += [f"  {result}_z = stablehlo.constant dense<{initial}> : tensor<{element}>",
                 f'  {result} = "stablehlo.reduce_window"(%x{number}, {result}_z) <{{padding = dense<[{pads}]> : tensor<4x2xi64>, '
                 f"window_dimensions = array<i64: {', '.join(map(str, order(1, 1, [k, k])))}>, "
                 f"window_strides = array<i64: {', '.join(map(str, order(1, 1, [stride, stride])))}>, "
                 f"window_dilations = array<i64: {', '.join(map(str, order(1, 1, [dilation, dilation])))}>}}> ({{",
                 f"  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):", f"    %c = stablehlo.{name} %a, %b : tensor<{element}>",
                 f"    stablehlo.return %c : tensor<{element}>", f"  }}) : ({x}, tensor<{element}>) -> {o}"]
        results.append(result)
        types.append(o)
print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{")
print("\n".join(body))
print(f"  return {', '.join(results)} : {', '.join(types)}\n}}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program of gradients of poolings by maximum, each added to another array.

    pooling_gradients.py ELEMENT CASE...

A case is nchw|nhwc:BATCHxCHANNELSxHEIGHTxWIDTH:WINDOW,STRIDE,PADDING."""
import sys

element = sys.argv[1]
arguments, results, types, body = [], [], [], []
for number, case in enumerate(sys.argv[2:]):
    layout, sizes, window = case.split(":")
    batch, channels, *image = map(int, sizes.split("x"))
    k, stride, padding = map(int, window.split(","))

    def order(a, b, c):
        return [a, b, c[0], c[1]] if layout == "nchw" else [a, c[0], c[1], b]

    def tensor(shape):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    x = tensor(order(batch, channels, image))
    g = tensor(order(batch, channels, [(size + 2 * padding - k) // stride + 1 for size in image]))
    arguments += [f"%x{number}: {x}", f"%g{number}: {g}", f"%h{number}: {g}"]
    pads = ", ".join(f"[{pad}, {pad}]" for pad in order(0, 0, [padding, padding]))
    body += [f"  %s{number} = stablehlo.add %g{number}, %h{number} : {g}",
             f"  %z{number} = stablehlo.constant dense<0.0> : tensor<{element}>",
             f'  %r{number} = "stablehlo.select_and_scatter"(%x{number}, %s{number}, %z{number}) <{{padding = dense<[{pads}]> : tensor<4x2xi64>, '
             f"window_dimensions = array<i64: {', '.join(map(str, order(1, 1, [k, k])))}>, "
             f"window_strides = array<i64: {', '.join(map(str, order(1, 1, [stride, stride])))}>}}> ({{",
             f"  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):",
             f"    %c = stablehlo.compare GE, %a, %b : (tensor<{element}>, tensor<{element}>) -> tensor<i1>",
             "    stablehlo.return %c : tensor<i1>",
             "  }, {",
             f"  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):",
             f"    %c = stablehlo.add %a, %b : tensor<{element}>",
             f"    stablehlo.return %c : tensor<{element}>",
             f"  }}) : ({x}, {g}, tensor<{element}>) -> {x}"]
    results.append(f"%r{number}")
    types.append(x)
print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{")
print("\n".join(body))
print(f"  return {', '.join(results)} : {', '.join(types)}\n}}")

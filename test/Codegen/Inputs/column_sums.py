# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, or maxima, over some dimensions: column_sums.py TYPE SHAPE:DIMENSIONS[:masked][:maximum][:written]...
`masked`: of what a tensor of booleans chooses; `written`: of twice the operand, which is a result, too."""
import sys

element = sys.argv[1]
arguments, results, body, returned = [], [], [], []
for number, text in enumerate(sys.argv[2:]):
    shape, dims, *flags = text.split(":")
    sizes = shape.split("x")
    reduced = {int(dim) for dim in dims.split(",")}
    operand, result = f"tensor<{shape}x{element}>", "tensor<" + "".join(size + "x" for dim, size in enumerate(sizes) if dim not in reduced) + f"{element}>"
    value = f"%x{number}"
    arguments.append(f"{value}: {operand}")
    if "masked" in flags:
        mask = f"tensor<{shape}xi1>"
        arguments.append(f"%m{number}: {mask}")
        body.append(f"%n{number} = stablehlo.constant dense<0.0> : {operand}")
        body.append(f"%s{number} = stablehlo.select %m{number}, {value}, %n{number} : {mask}, {operand}")
        value = f"%s{number}"
    if "written" in flags:
        body.append(f"%d{number} = stablehlo.add {value}, {value} : {operand}")
        value = f"%d{number}"
        results.append(operand)
        returned.append(value)
    kind = "maximum" if "maximum" in flags else "add"
    body.append(f"%r{number} = stablehlo.reduce({value} init: %zero) applies stablehlo.{kind} across dimensions = [{dims}] : "
                f"({operand}, tensor<{element}>) -> {result}")
    results.append(result)
    returned.append(f"%r{number}")
print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{")
print(f"  %zero = stablehlo.constant dense<0.0> : tensor<{element}>")
print("".join(f"  {line}\n" for line in body) + f"  return {', '.join(returned)} : {', '.join(results)}\n}}")

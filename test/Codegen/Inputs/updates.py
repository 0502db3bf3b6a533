# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a step of an optimizer: for each parameter of a list of shapes an update of it and of two states, in place.

    updates.py f32 8 1000 37x130
"""
import sys

element, shapes = sys.argv[1], sys.argv[2:]
arguments, results, body = [f"%scale: tensor<{element}>"], [], []
for i, shape in enumerate(shapes):
    type_ = f"tensor<{shape}x{element}>"
    for name, result in (("p", 3 * i), ("m", 3 * i + 1), ("v", 3 * i + 2), ("g", None)):
        alias = "" if result is None else f" {{tf.aliasing_output = {result} : i32}}"
        arguments.append(f"%{name}{i}: {type_}{alias}")
    body += [f"  %m_{i} = stablehlo.add %m{i}, %g{i} : {type_}",
             f"  %q_{i} = stablehlo.multiply %g{i}, %g{i} : {type_}",
             f"  %v_{i} = stablehlo.maximum %v{i}, %q_{i} : {type_}",
             f"  %b_{i} = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<{element}>) -> {type_}",
             f"  %s_{i} = stablehlo.multiply %b_{i}, %m_{i} : {type_}",
             f"  %p_{i} = stablehlo.subtract %p{i}, %s_{i} : {type_}"]
    results += [(f"%{name}_{i}", type_) for name in "pmv"]
types = ", ".join(type_ for _, type_ in results)
print(f"func.func @main({', '.join(arguments)}) -> ({types}) {{")
# The number of a step, which a kernel of its own makes a factor of: a power of two, so that nothing is rounded twice.
print(f"  %zero = stablehlo.constant dense<0.0> : tensor<{element}>")
print(f"  %quarter = stablehlo.constant dense<0.25> : tensor<{element}>")
print(f"  %none = stablehlo.multiply %scale, %zero : tensor<{element}>")
print(f"  %half = stablehlo.add %none, %quarter : tensor<{element}>")
print("\n".join(body))
print(f"  return {', '.join(name for name, _ in results)} : {types}\n}}")

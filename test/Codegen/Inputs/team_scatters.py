# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program of scatters of many forms, whose indices are computed: several a destination, in no order, and some outside."""

ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
ELEMENTS = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
arguments, results, body = [], [], []


def emit(text, type_):
    body.append(f"  %v{len(body)} = {text}")
    return f"%v{len(body) - 1}", type_


def constant(value, type_):
    return emit(f"stablehlo.constant dense<{value}> : {type_}", type_)


def argument(type_):
    arguments.append(type_)
    return f"%a{len(arguments) - 1}", type_


def argument_of(*shape, element="f32"):
    return argument(f"tensor<{''.join(f'{size}x' for size in shape)}{element}>")


def indices(count, step, modulus, below, shape=None, element="i32"):
    """Index i is (step * i) % modulus - below."""
    type_ = f"tensor<{count}x{element}>"
    value = emit(f"stablehlo.iota dim = 0 : {type_}", type_)
    for name, operand in (("multiply", step), ("remainder", modulus), ("subtract", below)):
        value = emit(f"stablehlo.{name} {value[0]}, {constant(operand, type_)[0]} : {type_}", type_)
    if shape:
        other = f"tensor<{shape}x{element}>"
        value = emit(f"stablehlo.reshape {value[0]} : ({type_}) -> {other}", other)
    return value


def scatter(targets, at, updates, dims, combiner):
    """The combiner has the elements %t0, ... of the targets and %u0, ... of the updates."""
    elements = [type_[:-1].replace("<", "x").split("x")[-1] for _, type_ in targets]
    block = ", ".join(f"%{side}{number}: tensor<{element}>" for side in "tu" for number, element in enumerate(elements))
    types = ", ".join(type_ for _, type_ in targets)
    yielded, *lines = combiner
    text = f'"stablehlo.scatter"({", ".join(value for value, _ in [*targets, at, *updates])}) '
    text += f"<{{scatter_dimension_numbers = #stablehlo.scatter<{dims}>}}> ({{\n  ^bb0({block}):\n"
    text += "".join(f"    {line}\n" for line in lines)
    text += f"    stablehlo.return {yielded} : {', '.join(f'tensor<{element}>' for element in elements)}\n"
    text += f"  }}) : ({', '.join(type_ for _, type_ in [*targets, at, *updates])}) -> ({types})"
    name = f"%v{len(body)}"
    body.append(f"  {name}:{len(targets)} = {text}")
    results.extend((f"{name}#{number}", type_) for number, (_, type_) in enumerate(targets))


def binary(name, element="f32"):
    return "%c", f"%c = stablehlo.{name} %t0, %u0 : tensor<{element}>"


add = binary("add")
# More updates than a block lists at a time: hundreds a destination, or all of one.
scatter([constant("0.0", "tensor<37x130xf32>")], indices(2500, 7, 41, 2), [argument_of(2500, 130)], ROWS, add)
scatter([argument_of(9, 33)], indices(5000, 0, 1, -3), [argument_of(5000, 33)], ROWS, add)
scatter([argument_of(37, 12)], indices(3000, 7, 41, 2), [argument_of(3000, 12)], ROWS, ("%u0",))
largest = ("%m, %i", "%g = stablehlo.compare GT, %u0, %t0 : (tensor<f32>, tensor<f32>) -> tensor<i1>",
           "%m = stablehlo.select %g, %u0, %t0 : tensor<i1>, tensor<f32>", "%i = stablehlo.select %g, %u1, %t1 : tensor<i1>, tensor<i32>")
scatter([argument_of(37, 12), argument_of(37, 12, element="i32")], indices(3000, 7, 41, 2),
        [argument_of(3000, 12), argument_of(3000, 12, element="i32")], ROWS, largest)
# Few updates of many destinations, and of one type and another.
scatter([argument_of(3000, 64)], indices(700, 13, 4001, 500), [argument_of(700, 64)], ROWS, binary("maximum"))
scatter([argument_of(700, 20, element="bf16")], indices(300, 13, 701, 0), [argument_of(300, 20, element="bf16")], ROWS, binary("multiply", "bf16"))
scatter([argument_of(2, 9000)], indices(9, 1, 3, 0), [argument_of(9, 9000)], ROWS, add)
scatter([argument_of(33, 130)], constant("[0, 3, 3, 8, -1, 9, 3, 4294967299, 1]", "tensor<9xi64>"), [argument_of(9, 130)], ROWS, add)
scatter([argument_of(5000, element="i32")], indices(9000, 31, 5007, 3), [argument_of(9000, element="i32")], ELEMENTS, binary("add", "i32"))
scatter([argument_of(300, element="i1")], indices(100, 7, 310, 4), [argument_of(100, element="i1")], ELEMENTS, binary("or", "i1"))
# No updates, and updates without indices.
scatter([argument_of(30, 5)], constant("", "tensor<0xi32>"), [constant("", "tensor<0x5xf32>")], ROWS, add)
scatter([argument_of(6, 8)], constant("", "tensor<12x0xi32>"), [argument_of(12, 6, 8)], "update_window_dims = [1, 2], index_vector_dim = 1", add)
# The last dimension, and one between others.
scatter([argument_of(6, 300)], indices(500, 7, 310, 4), [argument_of(6, 500)],
        "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", add)
scatter([argument_of(4, 90, 12)], indices(250, 7, 100, 0, element="ui8"), [argument_of(250, 4, 12)],
        "update_window_dims = [1, 2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", add)
# Windows that overlap, before and behind the dimension of the updates; and rows of which windows have a part.
scatter([argument_of(50, 40)], indices(60, 5, 52, 3, shape="30x2"), [argument_of(30, 4, 7)],
        "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1", binary("subtract"))
scatter([argument_of(50, 40)], indices(60, 5, 52, 3, shape="30x2"), [argument_of(4, 30, 7)],
        "update_window_dims = [0, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1", ("%u0",))
scatter([argument_of(20, 40)], indices(30, 5, 22, 1), [argument_of(30, 24)], ROWS, add)
# Batches.
scatter([argument_of(5, 70, 8)], indices(500, 11, 73, 2, shape="5x100x1"), [argument_of(5, 100, 8)],
        "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
        "scatter_dims_to_operand_dims = [1], index_vector_dim = 2", add)
scatter([argument_of(70, 5, 6, element="f64")], indices(500, 11, 73, 2, shape="100x5"), [argument_of(100, 5, 6, element="f64")],
        "update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [1], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 2", binary("add", "f64"))

print(f"func.func @main({', '.join(f'%a{number}: {type_}' for number, type_ in enumerate(arguments))}) -> ({', '.join(type_ for _, type_ in results)}) {{")
print("\n".join(body))
print(f"  return {', '.join(value for value, _ in results)} : {', '.join(type_ for _, type_ in results)}\n}}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements: shapes, slices, padding, gather and scatter. All by numpy's
indexing; gather and scatter by loops over their index space as the specification defines it."""
import itertools
import math

import numpy as np

from cases import BITS, Group
from tensors import ALL, FLOATS, INTEGERS, Tensor, UNSIGNED, make, round_to, small


def array(values):
    values = list(values)
    return "array<i64" + (": " + ", ".join(map(str, values)) if values else "") + ">"


def generic(op, operands, attributes, arguments, results):
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    inputs = ", ".join(x.mlir for x in arguments)
    outputs = results[0].mlir if len(results) == 1 else "(" + ", ".join(x.mlir for x in results) + ")"
    properties = f" <{{{attributes}}}>" if attributes else ""
    return f'{names} = "stablehlo.{op}"({operands}){properties} : ({inputs}) -> {outputs}'


def shapes():
    group = Group("shapes", "numpy's transpose, reshape, flip, concatenate and indexing")

    def one(name, op, x, attributes, data):
        result = Tensor(x.type, data)
        group.add(name, op, [x], generic(op, "%a0", attributes, [x], [result]), [result])

    def broadcast(name, x, shape, dims):
        aligned = np.ones(len(shape), dtype=int)
        aligned[list(dims)] = x.shape
        data = np.transpose(x.data, np.argsort(dims)) if len(dims) else x.data
        one(name, "broadcast_in_dim", x, f"broadcast_dimensions = {array(dims)}", np.broadcast_to(data.reshape(aligned), shape))

    broadcast("broadcast_scalar", make("f32", math.nan), (2, 3), [])
    broadcast("broadcast_scalar_to_scalar", make("i8", -5), (), [])
    broadcast("broadcast_rows", small("bf16", (3,), 1), (2, 3), [1])
    broadcast("broadcast_columns", small("ui16", (2,), 2), (2, 3), [0])
    broadcast("broadcast_size_one", small("i64", (2, 1, 3), 3), (2, 4, 3), [0, 1, 2])
    broadcast("broadcast_permuted", small("i32", (2, 3), 4), (3, 4, 2), [2, 0])
    broadcast("broadcast_to_empty", small("f64", (1, 2), 5), (0, 2), [0, 1])
    broadcast("broadcast_bool", small("i1", (2,), 6), (2, 2), [1])
    for name, t, before, after in [("rows", "f16", (2, 6), (3, 4)), ("flat", "ui8", (2, 3, 2), (12,)), ("scalar", "f32", (1, 1), ()),
                                   ("from_scalar", "i64", (), (1, 1, 1)), ("empty", "f64", (0, 3), (2, 0)), ("ones", "i1", (3, 2), (1, 3, 1, 2))]:
        x = small(t, before, 7)
        one(f"reshape_{name}", "reshape", x, "", x.data.reshape(after))
    for name, t, shape, order in [("matrix", "f32", (2, 3), [1, 0]), ("cycle", "bf16", (2, 3, 4), [2, 0, 1]), ("identity", "i8", (2, 2), [0, 1]),
                                  ("four", "ui32", (2, 1, 3, 2), [3, 1, 0, 2]), ("scalar", "f64", (), []), ("empty", "i32", (2, 0, 3), [2, 1, 0])]:
        x = small(t, shape, 8)
        one(f"transpose_{name}", "transpose", x, f"permutation = {array(order)}", np.transpose(x.data, order))
    for name, t, shape, dims in [("rows", "f16", (3, 2), [0]), ("all", "i32", (2, 3), [0, 1]), ("none", "f32", (2, 2), []), ("empty", "ui64", (2, 0), [1])]:
        x = small(t, shape, 9)
        one(f"reverse_{name}", "reverse", x, f"dimensions = {array(dims)}", np.flip(x.data, dims))
    for name, t, shape, start, limit, stride in [("inside", "f32", (4, 5), [1, 0], [3, 4], [1, 1]), ("strided", "i16", (7, 5), [1, 0], [7, 5], [3, 2]),
                                                 ("past_last_stride", "f64", (6,), [0], [5], [4]), ("empty", "bf16", (3, 3), [2, 1], [2, 3], [1, 1]),
                                                 ("scalar", "ui8", (), [], [], [])]:
        x = small(t, shape, 10)
        where = tuple(slice(*s) for s in zip(start, limit, stride))
        one(f"slice_{name}", "slice", x, f"start_indices = {array(start)}, limit_indices = {array(limit)}, strides = {array(stride)}", x.data[where])
    for name, t, sizes, dim in [("rows", "f32", [1, 2, 0], 0), ("one", "i8", [3], 1), ("many", "ui16", [1, 1, 2, 1, 3, 1], 1), ("bool", "i1", [2, 1], 1)]:
        parts = [small(t, (n, 2) if dim == 0 else (2, n), 11 + i) for i, n in enumerate(sizes)]
        result = Tensor(t, np.concatenate([p.data for p in parts], dim))
        names = ", ".join(f"%a{i}" for i in range(len(parts)))
        group.add(f"concatenate_{name}", "concatenate", parts, generic("concatenate", names, f"dimension = {dim} : i64", parts, [result]), [result])
    for t, shape, dim in [("i8", (3, 2), 0), ("ui64", (2, 3), 1), ("f16", (2, 2, 3), 2), ("bf16", (300,), 0), ("f64", (4,), 0), ("i32", (0, 2), 1)]:
        index = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])
        result = Tensor(t, np.broadcast_to(index % 256 if t in ("i8", "ui8") else index, shape))
        group.add(f"iota_{t}", "iota", [], generic("iota", "", f"iota_dimension = {dim} : i64", [], [result]), [result])
    return group


def constants():
    group = Group("constants", "the numbers that the text says, by numpy")
    hexadecimal = {"f16": ["0x7C00", "0x8000", "0x0001", "0x3C01"], "bf16": ["0xFF80", "0x8000", "0x0001", "0x3F81"],
                   "f32": ["0x7F800000", "0x80000000", "0x00000001", "0x3F800001"], "f64": ["0xFFF0000000000000", "0x8000000000000000", "0x0000000000000001", "0x3FF0000000000001"]}
    for t, bits in hexadecimal.items():
        raw = np.array([int(b, 16) for b in bits], dtype=np.uint64)
        data = {"f16": lambda: raw.astype(np.uint16).view(np.float16), "bf16": lambda: (raw.astype(np.uint32) << 16).view(np.float32),
                "f32": lambda: raw.astype(np.uint32).view(np.float32), "f64": lambda: raw.view(np.float64)}[t]()
        group.add(f"constant_bits_{t}", "constant", [], f"%r0 = stablehlo.constant dense<[{', '.join(bits)}]> : tensor<4x{t}>", [Tensor(t, data)])
    for t in INTEGERS:
        low, high = (0, 2 ** int(t[2:]) - 1) if t in UNSIGNED else (-(2 ** (int(t[1:]) - 1)), 2 ** (int(t[1:]) - 1) - 1)
        group.add(f"constant_{t}", "constant", [], f"%r0 = stablehlo.constant dense<[[{low}, {high}], [1, 2]]> : tensor<2x2x{t}>", [make(t, [[low, high], [1, 2]])])
    group.add("constant_raw", "constant", [], '%r0 = stablehlo.constant dense<"0x01000000FEFFFFFF"> : tensor<2xi32>', [make("i32", [1, -2])])
    group.add("constant_splat", "constant", [], "%r0 = stablehlo.constant dense<true> : tensor<2x2xi1>", [Tensor("i1", [[True] * 2] * 2)])
    group.add("constant_scalar", "constant", [], "%r0 = stablehlo.constant dense<1.5> : tensor<f64>", [make("f64", 1.5)])
    group.add("constant_empty", "constant", [], "%r0 = stablehlo.constant dense<> : tensor<0x2xf32>", [make("f32", np.zeros((0, 2)))])
    group.add("constant_rounded", "constant", [], "%r0 = stablehlo.constant dense<[0.1, 65519.0]> : tensor<2xf16>", [make("f16", [0.1, 65519.0])])
    return group


def padded(x, value, low, high, interior):
    shape = [l + h + n + max(n - 1, 0) * i for n, l, h, i in zip(x.shape, low, high, interior)]
    result = np.full(shape, value)
    for index in np.ndindex(*x.shape):
        at = tuple(l + k * (i + 1) for k, l, i in zip(index, low, interior))
        if all(0 <= p < n for p, n in zip(at, shape)):
            result[at] = x.data[index]
    return Tensor(x.type, result)


def paddings():
    group = Group("paddings", "a loop over the operand's elements")
    for name, t, shape, low, high, interior in [
        ("edges", "f32", (2, 3), [1, 0], [0, 2], [0, 0]), ("interior", "i8", (3, 2), [0, 0], [0, 0], [2, 1]), ("all", "bf16", (2, 2), [1, 2], [2, 1], [1, 3]),
        ("negative", "i64", (5,), [-2], [-1], [0]), ("negative_interior", "ui16", (4,), [-3], [1], [2]), ("empty", "f64", (0, 2), [2, 0], [1, 0], [1, 1]),
        ("to_empty", "f16", (3,), [-2], [-1], [0]), ("bool", "i1", (2,), [1], [1], [1]), ("scalar", "ui32", (), [], [], [])]:
        x, value = small(t, shape, 1), small(t, (), 2)
        result = padded(x, value.data, low, high, interior)
        attributes = f"edge_padding_low = {array(low)}, edge_padding_high = {array(high)}, interior_padding = {array(interior)}"
        group.add(f"pad_{name}", "pad", [x, value], generic("pad", "%a0, %a1", attributes, [x, value], [result]), [result])
    return group


def dynamic_slices():
    group = Group("dynamic_slices", "numpy's slices at starts that are cut to the operand")
    cases = [("i8", "f32", [1, 2]), ("i16", "i8", [-5, 100]), ("i32", "bf16", [0, 0]), ("i64", "f64", [3, -1]), ("ui8", "ui8", [200, 1]),
             ("ui32", "i64", [4294967295, 2]), ("ui64", "f16", [18446744073709551615, 0]), ("ui16", "i1", [2, 65535])]
    for index_type, t, starts in cases:
        x, sizes = small(t, (4, 5), 3), (2, 3)
        at = [min(max(s, 0), n - k) for s, n, k in zip(starts, x.shape, sizes)]
        where = tuple(slice(a, a + k) for a, k in zip(at, sizes))
        indices = [make(index_type, s) for s in starts]
        result = Tensor(t, x.data[where])
        group.add(f"dynamic_slice_{index_type}", "dynamic_slice", [x] + indices,
                  generic("dynamic_slice", "%a0, %a1, %a2", f"slice_sizes = {array(sizes)}", [x] + indices, [result]), [result])
        update = small(t, sizes, 4)
        data = x.data.copy()
        data[where] = update.data
        group.add(f"dynamic_update_slice_{index_type}", "dynamic_update_slice", [x, update] + indices,
                  generic("dynamic_update_slice", "%a0, %a1, %a2, %a3", "", [x, update] + indices, [Tensor(t, data)]), [Tensor(t, data)])
    x = small("f32", (), 5)
    group.add("dynamic_slice_scalar", "dynamic_slice", [x], generic("dynamic_slice", "%a0", "slice_sizes = array<i64>", [x], [x]), [x])
    return group


def index_vector(indices, batch, vector_dim):
    """The vector of start indices at a position of the other dimensions."""
    if vector_dim == indices.ndim:
        return [int(indices[tuple(batch)])]
    at = list(batch)
    return [int(indices[tuple(at[:vector_dim] + [k] + at[vector_dim:])]) for k in range(indices.shape[vector_dim])]


def gather(x, indices, offset_dims, collapsed, operand_batch, indices_batch, index_map, vector_dim, sizes):
    batch_shape = [n for d, n in enumerate(indices.shape) if d != vector_dim]
    window = [n for d, n in enumerate(sizes) if d not in collapsed + operand_batch]
    rank = len(batch_shape) + len(window)
    batch_dims = [d for d in range(rank) if d not in offset_dims]
    shape = [0] * rank
    for d, n in list(zip(batch_dims, batch_shape)) + list(zip(offset_dims, window)):
        shape[d] = n
    result = np.zeros(shape, x.data.dtype)
    for at in np.ndindex(*shape):
        batch = [at[d] for d in batch_dims]
        start = [0] * x.data.ndim
        for k, d in enumerate(index_map):
            start[d] = min(max(index_vector(indices.data, batch, vector_dim)[k], 0), x.shape[d] - sizes[d])
        for d, b in zip(operand_batch, indices_batch):
            start[d] = batch[b - (b > vector_dim)]
        offsets = iter([at[d] for d in offset_dims])
        source = [start[d] + (0 if d in collapsed + operand_batch else next(offsets)) for d in range(x.data.ndim)]
        result[at] = x.data[tuple(source)]
    return Tensor(x.type, result)


def gathers():
    group = Group("gathers", "a loop over the result's elements, by the specification's definition")
    listed = [
        ("implicit_vector", "f32", (4, 3), "i32", [[2, 0]], [2], [0], [], [], [0], 2, [1, 3]),
        ("rows_of_vectors", "i8", (4, 3), "i64", [[2], [0], [9]], [1], [0], [], [], [0], 1, [1, 3]),
        ("windows", "f64", (4, 5), "i32", [[1, 2], [-3, 9]], [1, 2], [], [], [], [0, 1], 1, [2, 3]),
        ("permuted_map", "bf16", (4, 5), "ui8", [[1, 2], [0, 3]], [1], [0], [], [], [1, 0], 1, [1, 2]),
        ("vector_first", "i16", (4, 5), "i32", [[1, 0, 2], [2, 3, 4]], [], [0, 1], [], [], [0, 1], 0, [1, 1]),
        ("offsets_first", "f16", (3, 4), "i32", [1, 2], [0], [1], [], [], [1], 1, [3, 1]),
        ("partial_index", "ui64", (3, 4), "ui32", [[2], [4294967295]], [1, 2], [], [], [], [1], 1, [2, 2]),
        ("scalar_index", "i32", (5,), "i64", 3, [], [0], [], [], [0], 0, [1]),
        ("batch", "f32", (2, 4, 3), "i32", [[1, 3], [0, 2]], [2], [1], [0], [0], [1], 2, [1, 1, 3]),
        ("batch_swapped", "i64", (2, 3, 4), "i32", [[1, 0], [3, 2], [2, 2]], [], [2], [0, 1], [1, 0], [2], 2, [1, 1, 1]),
        ("bool", "i1", (6,), "i8", [[5], [-1], [2]], [1], [], [], [], [0], 1, [2]),
        ("empty", "f32", (3, 2), "i32", np.zeros((0, 1)), [1], [0], [], [], [0], 1, [1, 2]),
    ]
    for name, t, shape, index_type, indices, *spec in listed:
        x = small(t, shape, 1, -9, 10)
        starts = make(index_type, indices) if np.size(indices) else Tensor(index_type, indices)
        offset, collapsed, operand_batch, indices_batch, index_map, vector_dim, sizes = spec
        result = gather(x, starts, *spec)
        numbers = (f"#stablehlo.gather<offset_dims = {offset}, collapsed_slice_dims = {collapsed}, operand_batching_dims = {operand_batch}, "
                   f"start_indices_batching_dims = {indices_batch}, start_index_map = {index_map}, index_vector_dim = {vector_dim}>")
        group.add(f"gather_{name}", "gather", [x, starts],
                  generic("gather", "%a0, %a1", f"dimension_numbers = {numbers}, indices_are_sorted = false, slice_sizes = {array(sizes)}", [x, starts], [result]), [result])
    return group


def scatter(inputs, indices, updates, combine, window_dims, inserted, input_batch, indices_batch, index_map, vector_dim):
    results = [x.data.copy() for x in inputs]
    rank = inputs[0].data.ndim
    scatter_dims = [d for d in range(updates[0].data.ndim) if d not in window_dims]
    for at in np.ndindex(*updates[0].shape):
        batch = [at[d] for d in scatter_dims]
        start = [0] * rank
        for k, d in enumerate(index_map):
            start[d] = index_vector(indices.data, batch, vector_dim)[k]
        for d, b in zip(input_batch, indices_batch):
            start[d] = batch[b - (b > vector_dim)]
        offsets = iter([at[d] for d in window_dims])
        target = tuple(start[d] + (0 if d in inserted + input_batch else next(offsets)) for d in range(rank))
        if all(0 <= p < n for p, n in zip(target, inputs[0].shape)):
            values = combine(*[r[target] for r in results], *[u.data[at] for u in updates])
            for r, v, x in zip(results, values if len(inputs) > 1 else [values], inputs):
                r[target] = round_to(x.type, v) if x.type in FLOATS else v
    return [Tensor(x.type, r) for x, r in zip(inputs, results)]


def scatters():
    group = Group("scatters", "a loop over the updates in row-major order, by the specification's definition")
    body = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "maximum": np.maximum, "minimum": np.minimum, "or": np.bitwise_or, "replace": lambda a, b: b}
    listed = [
        ("add_repeated", "f32", "add", (4, 3), [[1], [3], [1]], (3, 3), [1], [0], [], [], [0], 1),
        ("add_i8_wraps", "i8", "add", (3,), [[0], [0], [0]], (3,), [], [0], [], [], [0], 1),
        ("multiply", "i32", "multiply", (4,), [[2], [2], [0]], (3,), [], [0], [], [], [0], 1),
        ("maximum", "bf16", "maximum", (3, 2), [[0, 1], [2, 0], [0, 1]], (3,), [], [0, 1], [], [], [0, 1], 1),
        ("minimum", "ui16", "minimum", (3, 2), [[1, 0], [0, 2]], (2,), [], [0, 1], [], [], [1, 0], 0),
        ("or", "i1", "or", (5,), [[1], [4]], (2,), [], [0], [], [], [0], 1),
        ("replace", "f64", "replace", (4, 3), [[3], [0]], (2, 3), [1], [0], [], [], [0], 1),
        ("windows", "i64", "add", (4, 5), [[0, 1], [1, 2]], (2, 2, 3), [1, 2], [], [], [], [0, 1], 1),
        ("outside", "f16", "add", (3,), [[-1], [2], [3], [7]], (4,), [], [0], [], [], [0], 1),
        ("partly_outside", "i32", "add", (4,), [[3], [-1], [1]], (3, 2), [1], [], [], [], [0], 1),
        ("batch", "f32", "add", (2, 4), [[1, 1], [3, 0]], (2, 2), [], [1], [0], [0], [1], 2),
        ("scalar_index", "ui64", "add", (5,), 2, (), [], [0], [], [], [0], 0),
        ("empty_updates", "f32", "add", (3,), np.zeros((0, 1)), (0,), [], [0], [], [], [0], 1),
    ]
    for name, t, op, shape, indices, update_shape, *spec in listed:
        x, updates = small(t, shape, 1, -9, 10), small(t, update_shape, 2, 40, 60) if name == "add_i8_wraps" else small(t, update_shape, 2)
        starts = make("i32", indices) if np.size(indices) else Tensor("i32", indices)
        results = scatter([x], starts, [updates], body[op], *spec)
        scalar = f"tensor<{t}>"
        computed = "" if op == "replace" else f"\n  %c = stablehlo.{op} %x, %y : {scalar}"
        returned = "%y" if op == "replace" else "%c"
        text = (f'%r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{{{scatter_numbers(*spec)}}}> ({{\n^bb0(%x: {scalar}, %y: {scalar}):{computed}\n'
                f"  stablehlo.return {returned} : {scalar}\n}}) : ({x.mlir}, {starts.mlir}, {updates.mlir}) -> {x.mlir}")
        group.add(f"scatter_{name}", "scatter", [x, starts, updates], text, results)
    x, y, starts = small("i32", (4,), 1), small("f32", (4,), 2), make("i64", [[1], [3], [1]])
    u, v = small("i32", (3,), 3), small("f32", (3,), 4)
    spec = ([], [0], [], [], [0], 1)
    results = scatter([x, y], starts, [u, v], lambda a, b, c, d: (a + c, max(b, d)), *spec)
    text = (f'%r0, %r1 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) <{{{scatter_numbers(*spec)}}}> ({{\n'
            "^bb0(%x: tensor<i32>, %y: tensor<f32>, %u: tensor<i32>, %v: tensor<f32>):\n  %c = stablehlo.add %x, %u : tensor<i32>\n  %d = stablehlo.maximum %y, %v : tensor<f32>\n"
            f"  stablehlo.return %c, %d : tensor<i32>, tensor<f32>\n}}) : ({x.mlir}, {y.mlir}, {starts.mlir}, {u.mlir}, {v.mlir}) -> ({x.mlir}, {y.mlir})")
    group.add("scatter_two_operands", "scatter", [x, y, starts, u, v], text, results)
    return group


def scatter_numbers(window, inserted, input_batch, indices_batch, index_map, vector_dim):
    return (f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {window}, inserted_window_dims = {inserted}, input_batching_dims = {input_batch}, "
            f"scatter_indices_batching_dims = {indices_batch}, scatter_dims_to_operand_dims = {index_map}, index_vector_dim = {vector_dim}>, "
            "indices_are_sorted = false, unique_indices = false")


def groups():
    return [shapes(), constants(), paddings(), dynamic_slices(), gathers(), scatters()]

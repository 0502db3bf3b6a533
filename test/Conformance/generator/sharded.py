# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on global tensors with shardings of sdy over several meshes: the values are those that
numpy computes on one device. Small integers, so that sums are exact in any order."""
import numpy as np

from cases import BITS, Group, VALUE
from contraction import convolution, exact
from movement import gather, padded
from reduction import body_of
from tensors import Tensor, make, small

MESHES = {"x2": [("x", 2)], "x4": [("x", 4)], "x3": [("x", 3)], "x2y2": [("x", 2), ("y", 2)], "x2y4": [("x", 2), ("y", 4)], "x4y2": [("x", 4), ("y", 2)]}


def mesh(axes):
    return "sdy.mesh @mesh = <[" + ", ".join(f'"{n}"={s}' for n, s in axes) + "]>"


def sharding(dims):
    """`x,y|` : dimension 0 over x and y, dimension 1 over nothing."""
    text = ", ".join("{" + ", ".join(a if a == "?" else f'"{a}"' if ":" not in a else f'"{a[0]}"{a[1:]}' for a in d.split(",") if a) + "}" for d in dims.split("|")) if dims is not None else ""
    return f"sdy.sharding = #sdy.sharding<@mesh, [{text}]>"


def groups():
    group = Group("sharded", "numpy on the global arrays")

    def add(name, op, axes, arguments, body, results, tolerance=VALUE):
        """Arguments and results: pairs of a tensor and its sharding, None for no sharding."""
        def annotate(values):
            return [(x, sharding(s)) if s is not None else x for x, s in values]
        group.add(name, op, annotate(arguments), body, annotate(results), tolerance, outside=mesh(axes))

    for name, axes in MESHES.items():
        first, last = axes[0][0], axes[-1][0]
        both = ",".join(n for n, _ in axes)
        # A product of matrices: rows and columns split; then the contracted dimension.
        a, b = small("f32", (8, 6), 1), small("f32", (6, 4), 2)
        product = Tensor("f32", a.data @ b.data)
        columns = f"|{last}" if last != first else "|"
        add(f"dot_rows_{name}", "dot_general", axes, [(a, f"{first}|"), (b, columns)], f"%r0 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({a.mlir}, {b.mlir}) -> {product.mlir}",
            [(product, f"{first}{columns}")])
        add(f"dot_contracted_{name}", "dot_general", axes, [(a, f"|{first}"), (b, f"{first}|")], f"%r0 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({a.mlir}, {b.mlir}) -> {product.mlir}",
            [(product, f"{last}|")])
        x = small("i32", (8, 5), 3)
        total = Tensor("i32", x.data.sum(0))
        zero = "%z = stablehlo.constant dense<0> : tensor<i32>\n"
        add(f"reduce_split_{name}", "reduce", axes, [(x, f"{both}|")], zero + f"%r0 = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = [0] : ({x.mlir}, tensor<i32>) -> {total.mlir}",
            [(total, "")])
        add(f"reduce_kept_{name}", "reduce", axes, [(x, f"|{both}")], zero + f"%r0 = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = [0] : ({x.mlir}, tensor<i32>) -> {total.mlir}",
            [(total, both)])
        y = small("bf16", (5, 7), 4)
        add(f"transpose_add_uneven_{name}", "transpose", axes, [(y, f"{first}|")], f"%t = stablehlo.transpose %a0, dims = [1, 0] : ({y.mlir}) -> tensor<7x5xbf16>\n%r0 = stablehlo.add %t, %t : tensor<7x5xbf16>",
            [(Tensor("bf16", 2 * y.data.T), f"{both}|")])
    two = MESHES["x2y2"]
    x, init = make("f64", np.arange(8) - 3.0), make("f64", 0)
    window = ('%r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ' + body_of("add", "f64") + f" : ({x.mlir}, tensor<f64>) -> {x.mlir}")
    sums = np.convolve(x.data, np.ones(3), "same")
    add("reduce_window_split", "reduce_window", two, [(x, "x,y"), (init, None)], window, [(Tensor("f64", sums), "x,y")])
    image, kernel = small("f32", (2, 2, 8, 4), 1), small("f32", (4, 2, 3, 3), 2)
    spec = {"strides": [1, 1], "padding": [(1, 1), (1, 1)], "lhs_dilation": [1, 1], "rhs_dilation": [1, 1], "reversal": [False] * 2, "groups": 1, "batch_groups": 1}
    result = convolution(exact(image), exact(kernel), "f32", spec)
    conv = (f"%r0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {{pad = [[1, 1], [1, 1]]}} "
            f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({image.mlir}, {kernel.mlir}) -> {result.mlir}")
    add("convolution_rows", "convolution", two, [(image, "||x|"), (kernel, "|||")], conv, [(result, "||x|")])
    add("convolution_channels", "convolution", two, [(image, "|x||"), (kernel, "y|x||")], conv, [(result, "|y||")])
    add("convolution_batch", "convolution", two, [(image, "x|||"), (kernel, "y|||")], conv, [(result, "x|y||")])
    table, at = small("i16", (6, 4), 3), make("i32", [[5], [0], [3], [3]])
    rows = gather(table, at, [1], [0], [], [], [0], 1, [1, 4])
    body = (f'%r0 = "stablehlo.gather"(%a0, %a1) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, '
            f"indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}}> : ({table.mlir}, {at.mlir}) -> {rows.mlir}")
    add("gather_rows_of_a_split_table", "gather", two, [(table, "x|"), (at, "y|")], body, [(rows, "y|")])
    add("gather_columns_split", "gather", two, [(table, "|y"), (at, "x|")], body, [(rows, "x|y")])
    updates = small("i16", (4, 4), 4)
    data = table.data.copy()
    np.add.at(data, at.data[:, 0], updates.data)
    body = (f'%r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], '
            f"index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}}> {body_of('add', 'i16')} : ({table.mlir}, {at.mlir}, {updates.mlir}) -> {table.mlir}")
    add("scatter_split_updates", "scatter", two, [(table, "|"), (at, "x|"), (updates, "x|y")], body, [(Tensor("i16", data), "|y")])
    x = small("f16", (6, 5), 5)
    kind = "(tensor<f16>, tensor<f16>) -> tensor<i1>"
    body = ('%r0 = "stablehlo.sort"(%a0) <{dimension = 1 : i64, is_stable = true}> ({\n^bb0(%x: tensor<f16>, %y: tensor<f16>):\n'
            f"  %p = stablehlo.compare LT, %x, %y, FLOAT : {kind}\n  stablehlo.return %p : tensor<i1>\n}}) : ({x.mlir}) -> {x.mlir}")
    add("sort_other_dimension_split", "sort", two, [(x, "x|")], body, [(Tensor("f16", np.sort(x.data, 1)), "x|y")])
    add("sort_dimension_split", "sort", two, [(x, "|y")], body, [(Tensor("f16", np.sort(x.data, 1)), "|y")])
    x, value = small("i8", (4, 6), 6), make("i8", 7)
    result = padded(x, value.data, [1, 0], [0, 2], [0, 1])
    add("pad_split", "pad", two, [(x, "x|y"), (value, None)], f"%r0 = stablehlo.pad %a0, %a1, low = [1, 0], high = [0, 2], interior = [0, 1] : ({x.mlir}, tensor<i8>) -> {result.mlir}", [(result, "x|y")])
    add("reshape_split", "reshape", two, [(x, "x|")], f"%r0 = stablehlo.reshape %a0 : ({x.mlir}) -> tensor<24xi8>", [(Tensor("i8", x.data.reshape(24)), "x,y")])
    add("slice_split", "slice", two, [(x, "x|y")], f"%r0 = stablehlo.slice %a0 [1:4, 0:6:2] : ({x.mlir}) -> tensor<3x3xi8>", [(Tensor("i8", x.data[1:4, ::2]), "x|y")])
    add("reverse_split", "reverse", two, [(x, "x|y")], f"%r0 = stablehlo.reverse %a0, dims = [0, 1] : {x.mlir}", [(Tensor("i8", x.data[::-1, ::-1]), "x|y")])
    z = small("i8", (4, 3), 7)
    add("concatenate_split", "concatenate", two, [(x, "x|y"), (z, "|y")], f"%r0 = stablehlo.concatenate %a0, %a1, dim = 1 : ({x.mlir}, {z.mlir}) -> tensor<4x9xi8>", [(Tensor("i8", np.concatenate([x.data, z.data], 1)), "x|y")])
    start = make("i32", 3)
    add("dynamic_slice_split", "dynamic_slice", two, [(x, "x|y"), (start, None)], f"%r0 = stablehlo.dynamic_slice %a0, %a1, %a1, sizes = [2, 2] : ({x.mlir}, tensor<i32>, tensor<i32>) -> tensor<2x2xi8>",
        [(Tensor("i8", x.data[2:4, 3:5]), "|")])
    add("iota_split", "iota", two, [], "%r0 = stablehlo.iota dim = 1 : tensor<3x6xi64>", [(make("i64", [list(range(6))] * 3), "x|y")])
    add("resharding", "sdy.sharding_constraint", two, [(x, "x|y")], f"%c = sdy.sharding_constraint %a0 <@mesh, [{{}}, {{\"y\", \"x\"}}]> : {x.mlir}\n%r0 = stablehlo.negate %c : {x.mlir}", [(Tensor("i8", -x.data), "y|x")])
    four = MESHES["x4"]
    w = small("ui16", (8, 4), 8)
    add("parts_of_an_axis", "add", four, [(w, "x:(1)2|x:(2)2")], f"%r0 = stablehlo.add %a0, %a0 : {w.mlir}", [(Tensor("ui16", 2 * w.data), "x:(2)2|x:(1)2")])
    add("open_dimensions", "multiply", four, [(w, "x,?|?")], f"%r0 = stablehlo.multiply %a0, %a0 : {w.mlir}", [(Tensor("ui16", w.data * w.data), "?|?")])

    # Manual computations: what each device does on its own part.
    for name, axes in [("x2", MESHES["x2"]), ("x4", MESHES["x4"]), ("x2y2", MESHES["x2y2"])]:
        n = axes[0][1]
        x = small("f32", (8, 3), 9)
        local = f"tensor<{8 // n}x3xf32>"
        parts = [list(range(k, n * s, s)) if s > 1 else list(range(n)) for s in [int(np.prod([q for _, q in axes[1:]]))] for k in range(s)]
        dense = f"dense<{parts}> : tensor<{len(parts)}x{n}xi64>"
        total = np.sum(np.split(x.data, n), 0)
        add(f"manual_all_reduce_{name}", "sdy.manual_computation", axes, [(x, None)], f"""%r0 = sdy.manual_computation(%a0) in_shardings=[<@mesh, [{{"x"}}, {{}}]>] out_shardings=[<@mesh, [{{}}, {{}}]>] manual_axes={{"x"{', "y"' if len(axes) > 1 else ''}}} (%p: {local}) {{
  %q = "stablehlo.all_reduce"(%p) <{{replica_groups = {dense}, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
  ^bb0(%u: tensor<f32>, %v: tensor<f32>):
    %w = stablehlo.add %u, %v : tensor<f32>
    stablehlo.return %w : tensor<f32>
  }}) : ({local}) -> {local}
  sdy.return %q : {local}
}} : ({x.mlir}) -> {local}""", [(Tensor("f32", total), None)])
        add(f"manual_negate_{name}", "sdy.manual_computation", axes, [(x, None)], f"""%r0 = sdy.manual_computation(%a0) in_shardings=[<@mesh, [{{"x"}}, {{}}]>] out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x"{', "y"' if len(axes) > 1 else ''}}} (%p: {local}) {{
  %q = stablehlo.negate %p : {local}
  sdy.return %q : {local}
}} : ({x.mlir}) -> {x.mlir}""", [(Tensor("f32", -x.data), None)])
    # Devices in reverse, beside a mesh in their own order: pairs name devices, of which the last has the first rows.
    reverse = 'sdy.mesh @back = <["x"=4], device_ids=[3, 2, 1, 0]>\nsdy.mesh @mesh = <["a"=2, "b"=2]>'
    x = small("i32", (8, 4), 5)
    group.add("devices_in_reverse", "manual_computation", [(x, 'sdy.sharding = #sdy.sharding<@back, [{"x"}, {}]>')], """%t = sdy.sharding_constraint %a0 <@mesh, [{"a", "b"}, {}]> : tensor<8x4xi32>
%r0 = sdy.manual_computation(%t) in_shardings=[<@back, [{"x"}, {}]>] out_shardings=[<@back, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<2x4xi32>) {
  %u = "stablehlo.collective_permute"(%p) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2x4xi32>) -> tensor<2x4xi32>
  sdy.return %u : tensor<2x4xi32>
} : (tensor<8x4xi32>) -> tensor<8x4xi32>""", [(Tensor("i32", np.concatenate([x.data[2:], x.data[:2] * 0])), 'sdy.sharding = #sdy.sharding<@back, [{"x"}, {}]>')], outside=reverse)
    return [group]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow, calls, tuples, and operations whose shapes are operands, by plain Python and numpy."""
import numpy as np

from cases import Group
from contraction import convolution, exact, result_of
from movement import array, gather, generic, padded
from tensors import Tensor, make, small, wrap


def loops():
    group = Group("control_flow", "Python's own loops and branches")
    for name, n in [("no_iterations", 0), ("one", 1), ("several", 5)]:
        x, limit = small("i32", (3,), 1), make("i32", n)
        data = x.data.copy()
        for i in range(n):
            data = data * 2 + i
        group.add(f"while_counted_{name}", "while", [x, limit], """%z = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%w:2 = stablehlo.while(%i = %z, %x = %a0) : tensor<i32>, tensor<3xi32>
cond {
  %p = stablehlo.compare LT, %i, %a1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
} do {
  %d = stablehlo.add %x, %x : tensor<3xi32>
  %b = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %e = stablehlo.add %d, %b : tensor<3xi32>
  %j = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %j, %e : tensor<i32>, tensor<3xi32>
}
%r0 = stablehlo.add %w#1, %a0 : tensor<3xi32>
%r1 = stablehlo.add %w#0, %z : tensor<i32>""", [Tensor("i32", data + x.data), make("i32", n)])
    # Newton's iteration for a square root, until it no longer changes.
    v = make("f64", [2.0])
    x = np.float64(2.0)
    while True:
        y = (x + 2.0 / x) * 0.5
        if y == x:
            break
        x = y if y != x else x
        if abs(y * y - 2) < 1e-15:
            break
    group.add("while_of_data", "while", [make("f64", 1000.0)], """%half = stablehlo.constant dense<5.000000e-01> : tensor<f64>
%least = stablehlo.constant dense<1.000000e+00> : tensor<f64>
%r0 = stablehlo.while(%x = %a0) : tensor<f64>
cond {
  %p = stablehlo.compare GT, %x, %least, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
} do {
  %y = stablehlo.multiply %x, %half : tensor<f64>
  stablehlo.return %y : tensor<f64>
}""", [make("f64", 1000.0 / 1024)])
    x = small("i64", (4, 3), 2)
    group.add("while_scan_with_slices", "while", [x], """%z = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%four = stablehlo.constant dense<4> : tensor<i32>
%sum = stablehlo.constant dense<0> : tensor<1x3xi64>
%out = stablehlo.constant dense<0> : tensor<4x3xi64>
%w:3 = stablehlo.while(%i = %z, %s = %sum, %o = %out) : tensor<i32>, tensor<1x3xi64>, tensor<4x3xi64>
cond {
  %p = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
} do {
  %row = stablehlo.dynamic_slice %a0, %i, %z, sizes = [1, 3] : (tensor<4x3xi64>, tensor<i32>, tensor<i32>) -> tensor<1x3xi64>
  %t = stablehlo.add %s, %row : tensor<1x3xi64>
  %n = stablehlo.dynamic_update_slice %o, %t, %i, %z : (tensor<4x3xi64>, tensor<1x3xi64>, tensor<i32>, tensor<i32>) -> tensor<4x3xi64>
  %j = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %j, %t, %n : tensor<i32>, tensor<1x3xi64>, tensor<4x3xi64>
}
%r0 = stablehlo.reshape %w#2 : (tensor<4x3xi64>) -> tensor<4x3xi64>""", [Tensor("i64", np.cumsum(x.data, 0))])
    total = sum(i * j for i in range(3) for j in range(4))
    group.add("while_nested", "while", [], """%z = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%three = stablehlo.constant dense<3> : tensor<i32>
%four = stablehlo.constant dense<4> : tensor<i32>
%w:2 = stablehlo.while(%i = %z, %s = %z) : tensor<i32>, tensor<i32>
cond {
  %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
} do {
  %v:2 = stablehlo.while(%j = %z, %t = %s) : tensor<i32>, tensor<i32>
  cond {
    %q = stablehlo.compare LT, %j, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    %m = stablehlo.multiply %i, %j : tensor<i32>
    %u = stablehlo.add %t, %m : tensor<i32>
    %k = stablehlo.add %j, %one : tensor<i32>
    stablehlo.return %k, %u : tensor<i32>, tensor<i32>
  }
  %n = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %n, %v#1 : tensor<i32>, tensor<i32>
}
%r0 = stablehlo.add %w#1, %z : tensor<i32>""", [make("i32", total)])
    for value in (True, False):
        x, y = small("bf16", (2,), 3), small("i8", (3,), 4)
        group.add(f"if_{value}".lower(), "if", [Tensor("i1", value), x, y], """%r0, %r1 = "stablehlo.if"(%a0) ({
  %s = stablehlo.add %a1, %a1 : tensor<2xbf16>
  stablehlo.return %s, %a2 : tensor<2xbf16>, tensor<3xi8>
}, {
  %n = stablehlo.negate %a2 : tensor<3xi8>
  stablehlo.return %a1, %n : tensor<2xbf16>, tensor<3xi8>
}) : (tensor<i1>) -> (tensor<2xbf16>, tensor<3xi8>)""", [Tensor("bf16", x.data * 2), y] if value else [x, Tensor("i8", -y.data)])
    for index in (0, 1, 2, -1, 3, -2147483648):
        x = small("i16", (3,), 5)
        taken = index if 0 <= index < 3 else 2
        group.add(f"case_{index}", "case", [make("i32", index), x], """%r0 = "stablehlo.case"(%a0) ({
  %s = stablehlo.add %a1, %a1 : tensor<3xi16>
  stablehlo.return %s : tensor<3xi16>
}, {
  %n = stablehlo.negate %a1 : tensor<3xi16>
  stablehlo.return %n : tensor<3xi16>
}, {
  stablehlo.return %a1 : tensor<3xi16>
}) : (tensor<i32>) -> tensor<3xi16>""", [[Tensor("i16", x.data * 2), Tensor("i16", -x.data), x][taken]])
    return group


def calls():
    group = Group("calls", "numpy")
    x = small("f32", (3,), 1)
    double = "func.func private @double(%x: tensor<3xf32>) -> tensor<3xf32> {\n  %y = stablehlo.add %x, %x : tensor<3xf32>\n  return %y : tensor<3xf32>\n}"
    nested = double + "\nfunc.func private @four_times(%x: tensor<3xf32>) -> tensor<3xf32> {\n  %y = call @double(%x) : (tensor<3xf32>) -> tensor<3xf32>\n  %z = call @double(%y) : (tensor<3xf32>) -> tensor<3xf32>\n  return %z : tensor<3xf32>\n}"
    group.add("call_nested", "call", [x], "%r0 = call @four_times(%a0) : (tensor<3xf32>) -> tensor<3xf32>", [Tensor("f32", 4 * x.data)], outside=nested)
    group.add("composite", "composite", [x], '%r0 = stablehlo.composite "test.double" %a0 {decomposition = @double} : (tensor<3xf32>) -> tensor<3xf32>', [Tensor("f32", 2 * x.data)], outside=double)
    group.add("composite_generic", "composite", [x], '%r0 = "stablehlo.composite"(%a0) <{name = "test.double", decomposition = @double, version = 3 : i32, composite_attributes = {n = 1 : i64}}> : (tensor<3xf32>) -> tensor<3xf32>',
              [Tensor("f32", 2 * x.data)], outside=double)
    y = small("i8", (2,), 2)
    group.add("optimization_barrier", "optimization_barrier", [x, y], "%r0, %r1 = stablehlo.optimization_barrier %a0, %a1 : tensor<3xf32>, tensor<2xi8>", [x, y])
    group.add("tuple", "tuple", [x, y], """%t = stablehlo.tuple %a0, %a1 : tuple<tensor<3xf32>, tensor<2xi8>>
%r0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<2xi8>>) -> tensor<2xi8>
%r1 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xf32>, tensor<2xi8>>) -> tensor<3xf32>""", [y, x])
    return group


def shapes_as_operands():
    group = Group("shapes_as_operands", "numpy, as the static forms")
    x = small("f32", (2, 3), 1)
    group.add("get_dimension_size", "get_dimension_size", [x], generic("get_dimension_size", "%a0", "dimension = 1 : i64", [x], [make("i32", 3)]), [make("i32", 3)])
    group.add("broadcast", "broadcast", [x], "%r0 = stablehlo.broadcast %a0, sizes = [2, 1] : (tensor<2x3xf32>) -> tensor<2x1x2x3xf32>", [Tensor("f32", np.broadcast_to(x.data, (2, 1, 2, 3)))])

    def constant(name, values):
        return f"%{name} = stablehlo.constant dense<[{', '.join(map(str, values))}]> : tensor<{len(values)}xi64>\n"

    group.add("dynamic_reshape", "dynamic_reshape", [x], constant("s", [3, 2]) + "%r0 = stablehlo.dynamic_reshape %a0, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>", [Tensor("f32", x.data.reshape(3, 2))])
    group.add("dynamic_broadcast_in_dim", "dynamic_broadcast_in_dim", [x],
              constant("s", [2, 4, 3]) + "%r0 = stablehlo.dynamic_broadcast_in_dim %a0, %s, dims = [0, 2] : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>",
              [Tensor("f32", np.broadcast_to(x.data[:, None], (2, 4, 3)))])
    group.add("dynamic_iota", "dynamic_iota", [], constant("s", [2, 3]) + "%r0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi16>", [make("i16", [[0, 1, 2]] * 2)])
    value = make("f32", 9)
    group.add("dynamic_pad", "dynamic_pad", [x, value],
              constant("l", [1, 0]) + constant("h", [0, -1]) + constant("i", [1, 0]) + "%r0 = stablehlo.dynamic_pad %a0, %a1, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x2xf32>",
              [padded(x, value.data, [1, 0], [0, -1], [1, 0])])
    group.add("real_dynamic_slice", "real_dynamic_slice", [x],
              constant("b", [0, 1]) + constant("l", [2, 3]) + constant("s", [1, 1]) + "%r0 = stablehlo.real_dynamic_slice %a0, %b, %l, %s : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>",
              [Tensor("f32", x.data[:, 1:])])
    starts = make("i32", [[1], [0]])
    result = gather(x, starts, [1], [0], [], [], [0], 1, [1, 3])
    numbers = "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    group.add("dynamic_gather", "dynamic_gather", [x, starts],
              constant("z", [1, 3]) + f'%r0 = "stablehlo.dynamic_gather"(%a0, %a1, %z) <{{dimension_numbers = {numbers}, indices_are_sorted = false}}> : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x3xf32>', [result])
    image, kernel = small("f32", (1, 1, 4, 3), 2), small("f32", (1, 1, 2, 2), 3)
    spec = {"strides": [1, 1], "padding": [(1, 0), (0, 1)], "lhs_dilation": [1, 1], "rhs_dilation": [1, 1], "reversal": [False] * 2, "groups": 1, "batch_groups": 1}
    result = convolution(exact(image), exact(kernel), "f32", spec)
    group.add("dynamic_conv", "dynamic_conv", [image, kernel],
              "%p = stablehlo.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>\n"
              '%r0 = "stablehlo.dynamic_conv"(%a0, %a1, %p) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : '
              f"({image.mlir}, {kernel.mlir}, tensor<2x2xi64>) -> {result.mlir}", [Tensor("f32", result.data + 0.0)])
    for name, dim, batch_dims, shape, indices in [("rows", 0, 0, (4, 2), [3, 0, 1]), ("batch", 1, 1, (2, 3), [[2, 0], [1, 1]])]:
        y, at = small("i32", shape, 4), make("i32", indices)
        data = y.data[at.data] if batch_dims == 0 else np.take_along_axis(y.data, at.data, 1)
        result = Tensor("i32", data)
        group.add(f"torch_index_select_{name}", "torch_index_select", [y, at], generic("torch_index_select", "%a0, %a1", f"dim = {dim} : i64, batch_dims = {batch_dims} : i64", [y, at], [result]), [result])
    return group


def groups():
    return [loops(), calls(), shapes_as_operands()]

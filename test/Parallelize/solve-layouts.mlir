// All layouts are chosen as one problem: those of arguments, too, if they are free.
// RUN: dmc-opt %s --split-input-file --pass-pipeline='builtin.module(dmc-propagate-layouts{solve solve-boundary machine=latency=0})' | FileCheck %s
// What is kept is moved once.
// RUN: dmc-opt %s --split-input-file --verify-numeric --pass-pipeline='builtin.module(dmc-propagate-layouts{solve solve-boundary machine=latency=0},dmc-materialize-moves,dmc-expand-reshards)' | FileCheck %s --check-prefix=MOVES
// A time of nothing leaves the propagated layouts; the boundary's are given.
// RUN: dmc-opt %s --split-input-file --verify-numeric --pass-pipeline='builtin.module(dmc-propagate-layouts{solve},dmc-materialize-moves)' -o /dev/null

// Two products in a row: rows are split, and nothing moves. Splitting anything else makes sums or
// gathers.
#mesh = #dmc.mesh<"x" = 2>
// CHECK-LABEL: module @rows
// CHECK-SAME: arguments ["x" : tensor<64x8xf32, #layout_x_r>, "a" : tensor<8x8xf32, #layout_r_r>, "b" : tensor<8x8xf32, #layout_r_r>]
// CHECK-SAME: results ["y" : tensor<64x8xf32, #layout_x_r>]
// MOVES-LABEL: module @rows
// MOVES-NOT: dmc.{{combine|reduce|exchange}}
// MOVES: return
module @rows attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<64x8xf32>, "a" : tensor<8x8xf32>, "b" : tensor<8x8xf32>], results ["y" : tensor<64x8xf32>]>} {
  func.func @main(%x: tensor<64x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<64x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
    %h = linalg.matmul ins(%x, %a : tensor<64x8xf32>, tensor<8x8xf32>) outs(%f : tensor<64x8xf32>) -> tensor<64x8xf32>
    %y = linalg.matmul ins(%h, %b : tensor<64x8xf32>, tensor<8x8xf32>) outs(%f : tensor<64x8xf32>) -> tensor<64x8xf32>
    return %y : tensor<64x8xf32>
  }
}

// -----

// A result that takes over an argument's buffer lies as it does.
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
// CHECK-LABEL: module @donated
// CHECK-SAME: arguments ["x" : tensor<64x8xf32, #layout_x_r>, "s" : tensor<64x8xf32, #layout_x_r> donates 0]
// CHECK-SAME: results ["t" : tensor<64x8xf32, #layout_x_r>]
module @donated attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<64x8xf32, #rows>, "s" : tensor<64x8xf32> donates 0], results ["t" : tensor<64x8xf32>]>} {
  func.func @main(%x: tensor<64x8xf32>, %s: tensor<64x8xf32>) -> tensor<64x8xf32> {
    %e = tensor.empty() : tensor<64x8xf32>
    %t = linalg.map { arith.addf } ins(%x, %s : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<64x8xf32>)
    return %t : tensor<64x8xf32>
  }
}

// -----

// One use wants columns and the next all of it: it is gathered first, and kept.
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#whole = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @kept
// CHECK: func.func @main(%[[X:.*]]: tensor<64x8xf32>)
// CHECK: %[[KEPT:.*]] = dmc.constrain %[[X]] : tensor<64x8xf32> to #layout_r_r
// CHECK: ins(%[[KEPT]]
// CHECK: ins(%[[KEPT]]
// MOVES-LABEL: module @kept
// MOVES: dmc.combine %{{.*}} along {"x"} in 0
// MOVES-NOT: dmc.{{combine|exchange}}
// MOVES: dmc.partition
// MOVES-NOT: dmc.{{combine|exchange}}
// MOVES: return
module @kept attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["x" : tensor<64x8xf32, #rows>],
    results ["a" : tensor<64x8xf32, #columns>, "b" : tensor<64x8xf32, #whole>]>} {
  func.func @main(%x: tensor<64x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
    %e = tensor.empty() : tensor<64x8xf32>
    %a = linalg.map { math.exp } ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>)
    %b = linalg.map { arith.negf } ins(%x : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>)
    return %a, %b : tensor<64x8xf32>, tensor<64x8xf32>
  }
}

// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --verify-levels=false --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0

// Indices address columns alone: in the split dimension updates go to row 0, which the first
// rank has. Those outside of the columns are dropped.
//
// IN t f4 [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
// IN i i4 [[2], [-1], [0], [3], [2]]
// IN u f4 [10.0, 20.0, 30.0, 40.0, 50.0]
// NUMPY r0 = t.copy()
// NUMPY for k, v in zip(i[:, 0], u): r0[0, k % 3] += v if 0 <= k < 3 else 0
// OUT r0 f4 [[31.0, 2.0, 63.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#m = #dmc.layout<#mesh, [{}, {}]>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "scatter-first-row" on #mesh,
    arguments ["t" : tensor<3x3xf32, #rows>, "i" : tensor<5x1xi32, #m>, "u" : tensor<5xf32, #r>],
    results ["r0" : tensor<3x3xf32, #rows>]>} {
  func.func @main(%t: tensor<3x3xf32, #rows>, %i: tensor<5x1xi32, #m>, %u: tensor<5xf32, #r>) -> tensor<3x3xf32, #rows> {
    %0 = dmc.scatter ins(%i, %u : tensor<5x1xi32, #m>, tensor<5xf32, #r>) outs(%t : tensor<3x3xf32, #rows>)
      {inserted_window_dims = array<i64: 0, 1>, scatter_dims_to_operand_dims = array<i64: 1>,
       index_vector_dim = 1 : i64} -> tensor<3x3xf32, #rows> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      dmc.yield %s : f32
    }
    return %0 : tensor<3x3xf32, #rows>
  }
}

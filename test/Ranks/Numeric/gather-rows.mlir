// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Indices lie inside and outside [0, 5): clamped with the global size, then looked up
// by the rank that holds the row. Two components in transposed order, unsigned.
//
// IN table f4 [[-8.0, -7.0], [-2.0, 1.0], [6.0, -3.0], [-10.0, 9.0], [5.0, -4.0]]
// IN ids0 i4 [[4], [7], [0], [15], [8], [5], [9], [3], [22]]
// IN grid f4 [[[-26.0, 1.0], [-28.0, -11.0], [3.0, 27.0]], [[-2.0, -5.0], [6.0, 15.0], [16.0, 8.0]], [[-10.0, -7.0], [29.0, -20.0], [-24.0, -23.0]], [[-12.0, -17.0], [30.0, 21.0], [-13.0, -4.0]], [[18.0, -14.0], [22.0, -19.0], [25.0, 9.0]]]
// IN ids1 i1 [[4, 5, 6, 7, 0, 4, 5, 15, 20], [4, 5, 6, 7, 8, 0, 9, 14, -8]]
// NUMPY r0 = table[np.clip((ids0[:, 0] & 15) - 4, 0, 4)]
// NUMPY # As unsigned numbers negative ones are large.
// NUMPY columns, rows = ((ids1 & 15) - 4).astype("u1")
// NUMPY r1 = grid[np.minimum(rows, 4), np.minimum(columns, 2)]
// OUT r0 f4 [[-8.0, -7.0], [-10.0, 9.0], [-8.0, -7.0], [5.0, -4.0], [5.0, -4.0], [-2.0, 1.0], [5.0, -4.0], [-8.0, -7.0], [6.0, -3.0]]
// OUT r1 f4 [[-26.0, 1.0], [6.0, 15.0], [-24.0, -23.0], [-13.0, -4.0], [25.0, 9.0], [18.0, -14.0], [22.0, -19.0], [25.0, 9.0], [18.0, -14.0]]
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#rows = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#both = #dmc.layout<#mesh, [{"x"}, {"y"}, {}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x", "y"}>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<parallel "gather-rows" on #mesh,
    arguments ["table" : tensor<5x2xf32, #rows>, "ids0" : tensor<9x1xi32, #r>, "grid" : tensor<5x3x2xf32, #both>, "ids1" : tensor<2x9xi8, #r>],
    results ["r0" : tensor<9x2xf32, #r>,
               "r1" : tensor<9x2xf32, #r>]>} {
  func.func @main(%table: tensor<5x2xf32, #rows>,
                  %ids0: tensor<9x1xi32, #r>,
                  %grid: tensor<5x3x2xf32, #both>,
                  %ids1: tensor<2x9xi8, #r>)
      -> (tensor<9x2xf32, #r>,
          tensor<9x2xf32, #r>) {
    %e0 = tensor.empty() : tensor<9x1xi32, #r>
    %i0 = linalg.map ins(%ids0 : tensor<9x1xi32, #r>) outs(%e0 : tensor<9x1xi32, #r>) (%in: i32, %out: i32) {
      %mask = arith.constant 15 : i32
      %four = arith.constant 4 : i32
      %low = arith.andi %in, %mask : i32
      %id = arith.subi %low, %four : i32
      linalg.yield %id : i32
    }
    %g0 = tensor.empty() : tensor<9x2xf32, #sum>
    %p0 = dmc.gather ins(%table, %i0 : tensor<5x2xf32, #rows>, tensor<9x1xi32, #r>) outs(%g0 : tensor<9x2xf32, #sum>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<9x2xf32, #sum>
    %0 = dmc.reduce %p0 over {"x", "y"} : tensor<9x2xf32, #sum> to tensor<9x2xf32, #r>
    %e1 = tensor.empty() : tensor<2x9xi8, #r>
    %i1 = linalg.map ins(%ids1 : tensor<2x9xi8, #r>) outs(%e1 : tensor<2x9xi8, #r>) (%in: i8, %out: i8) {
      %mask = arith.constant 15 : i8
      %four = arith.constant 4 : i8
      %low = arith.andi %in, %mask : i8
      %id = arith.subi %low, %four : i8
      linalg.yield %id : i8
    }
    %g1 = tensor.empty() : tensor<9x2xf32, #sum>
    %p1 = dmc.gather ins(%grid, %i1 : tensor<5x3x2xf32, #both>, tensor<2x9xi8, #r>) outs(%g1 : tensor<9x2xf32, #sum>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0, 1>, start_index_map = array<i64: 1, 0>,
       index_vector_dim = 0 : i64, slice_sizes = array<i64: 1, 1, 2>, indices_are_unsigned} -> tensor<9x2xf32, #sum>
    %1 = dmc.reduce %p1 over {"x", "y"} : tensor<9x2xf32, #sum> to tensor<9x2xf32, #r>
    return %0, %1
        : tensor<9x2xf32, #r>, tensor<9x2xf32, #r>
  }
}

// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Indices lie inside and outside [0, 5): clamped with the global size, then looked up
// by the rank that holds the row. Two components in transposed order, unsigned.
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

// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Split rows and an uneven split of the updates, whose padding must not add anything;
// windows of three rows that are larger than some blocks, overwriting.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#batch = #dmc.layout<#mesh, [{"y"}, {}]>
#partial = #dmc.layout<#mesh, [{"x"}, {}], sum {"y"}>
#both = #dmc.layout<#mesh, [{"x"}, {"y"}]>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<parallel "scatter-rows" on #mesh,
    arguments ["table" : tensor<5x2xi32, #rows>, "ids0" : tensor<9x1xi32, #batch>, "u0" : tensor<9x2xi32, #batch>, "grid" : tensor<5x3xi32, #both>, "ids1" : tensor<9x2xi8, #r>, "u1" : tensor<9x3xi32, #r>],
    results ["r0" : tensor<5x2xi32, #rows>,
               "r1" : tensor<5x3xi32, #both>]>} {
  func.func @main(%table: tensor<5x2xi32, #rows>,
                  %ids0: tensor<9x1xi32, #batch>,
                  %u0: tensor<9x2xi32, #batch>,
                  %grid: tensor<5x3xi32, #both>,
                  %ids1: tensor<9x2xi8, #r>,
                  %u1: tensor<9x3xi32, #r>)
      -> (tensor<5x2xi32, #rows>,
          tensor<5x3xi32, #both>) {
    %e0 = tensor.empty() : tensor<9x1xi32, #batch>
    %i0 = linalg.map ins(%ids0 : tensor<9x1xi32, #batch>) outs(%e0 : tensor<9x1xi32, #batch>) (%in: i32, %out: i32) {
      %mask = arith.constant 15 : i32
      %four = arith.constant 4 : i32
      %low = arith.andi %in, %mask : i32
      %id = arith.subi %low, %four : i32
      linalg.yield %id : i32
    }
    %t0 = dmc.spread %table over {"y"} : tensor<5x2xi32, #rows> to tensor<5x2xi32, #partial>
    %p0 = dmc.scatter ins(%i0, %u0 : tensor<9x1xi32, #batch>, tensor<9x2xi32, #batch>) outs(%t0 : tensor<5x2xi32, #partial>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<5x2xi32, #partial> {
    ^bb0(%old: i32, %new: i32):
      %s = arith.addi %old, %new : i32
      dmc.yield %s : i32
    }
    %0 = dmc.reduce %p0 over {"y"} : tensor<5x2xi32, #partial> to tensor<5x2xi32, #rows>
    %e1 = tensor.empty() : tensor<9x2xi8, #r>
    %i1 = linalg.map ins(%ids1 : tensor<9x2xi8, #r>) outs(%e1 : tensor<9x2xi8, #r>) (%in: i8, %out: i8) {
      %mask = arith.constant 15 : i8
      %four = arith.constant 4 : i8
      %low = arith.andi %in, %mask : i8
      %id = arith.subi %low, %four : i8
      linalg.yield %id : i8
    }
    %1 = dmc.scatter ins(%i1, %u1 : tensor<9x2xi8, #r>, tensor<9x3xi32, #r>) outs(%grid : tensor<5x3xi32, #both>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 1>,
       scatter_dims_to_operand_dims = array<i64: 1, 0>, index_vector_dim = 1 : i64, indices_are_unsigned}
      -> tensor<5x3xi32, #both> {
    ^bb0(%old: i32, %new: i32):
      dmc.yield %new : i32
    }
    return %0, %1
        : tensor<5x2xi32, #rows>, tensor<5x3xi32, #both>
  }
}

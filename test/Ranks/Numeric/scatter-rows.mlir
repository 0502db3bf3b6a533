// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Split rows and an uneven split of the updates, whose padding must not add anything;
// windows of three rows that are larger than some blocks, overwriting.
//
// IN table i4 [[-5, 9], [-8, 10], [-1, 3], [-4, -2], [7, 6]]
// IN ids0 i4 [[4], [7], [0], [15], [8], [4], [9], [3], [22]]
// IN u0 i4 [[160, -70], [90, -140], [-170, 50], [10, 100], [-150, -40], [-110, 120], [30, 80], [-20, 180], [130, -60]]
// IN grid i4 [[2, 7, 1], [-15, -3, 5], [14, -6, -11], [-12, -8, 9], [-13, -10, -4]]
// IN ids1 i1 [[4, 4], [5, 6], [6, 7], [7, 5], [6, 0], [4, 8], [5, 7], [21, 22], [20, 9]]
// IN u1 i4 [[100, 101, 102], [103, 104, 105], [106, 107, 108], [109, 110, 111], [112, 113, 114], [115, 116, 117], [118, 119, 120], [121, 122, 123], [124, 125, 126]]
// NUMPY r0, r1 = table.copy(), grid.copy()
// NUMPY for i, u in zip(ids0[:, 0], u0): r0[[j for j in [(i & 15) - 4] if 0 <= j < 5]] += u
// NUMPY # Windows of three rows; what lies outside is dropped, and negative ones are large as unsigned.
// NUMPY windows = [((i & 15) - 4).astype("u1").astype("i4") for i in ids1]
// NUMPY for (column, row), u in zip(windows, u1): [r1.__setitem__((row + k, column), u[k]) for k in range(3) if row + k < 5 and column < 3]
// OUT r0 i4 [[45, 59], [-8, 10], [129, -57], [86, -142], [-143, -34]]
// OUT r1 i4 [[100, 7, 1], [101, -3, 5], [102, 121, -11], [-12, 122, 106], [115, 123, 107]]
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

// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Lines split unevenly are sorted where they are; two operands of split rows are
// combined together.
//
// IN x i4 [[1, 0, -2, -2, 1, 1, 3], [-1, 3, 3, 2, 2, -1, 1], [1, -1, 1, 0, -3, 0, 1]]
// IN t i4 [-1, 5, -2, 3, 4]
// IN v i4 [20, -50, -40, -10, 30]
// IN u i4 [9, -9, 2, 100]
// IN w i4 [7, -5, 3, 1000]
// NUMPY r0 = np.argsort(x, axis=1, kind="stable")
// NUMPY r1 = np.argsort(r0, axis=1)
// NUMPY r2, r3 = t.copy(), v.copy()
// NUMPY # The last index lies outside.
// NUMPY for i, c, d in zip([4, 0, 4], u, w): r2[i], r3[i] = d if r2[i] < c else r3[i], r2[i] + d
// OUT r0 i4 [[2, 3, 1, 0, 4, 5, 6], [0, 5, 6, 3, 4, 1, 2], [4, 1, 3, 5, 0, 2, 6]]
// OUT r1 i4 [[3, 2, 0, 1, 4, 5, 6], [0, 5, 6, 3, 4, 1, 2], [4, 1, 5, 2, 0, 3, 6]]
// OUT r2 i4 [20, 5, -2, 3, 11]
// OUT r3 i4 [-6, -50, -40, -10, 10]
#mesh = #dmc.mesh<"x" = 2>
#lines = #dmc.layout<#mesh, [{"x"}, {}]>
#rows = #dmc.layout<#mesh, [{"x"}]>
#r1 = #dmc.layout<#mesh, [{}]>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<parallel "sort-lines" on #mesh,
    arguments ["x" : tensor<3x7xi32, #lines>, "t" : tensor<5xi32, #rows>, "v" : tensor<5xi32, #rows>, "u" : tensor<4xi32, #r1>, "w" : tensor<4xi32, #r1>],
    results ["r0" : tensor<3x7xi32, #lines>, "r1" : tensor<3x7xi32, #lines>, "r2" : tensor<5xi32, #rows>, "r3" : tensor<5xi32, #rows>]>} {
  func.func @main(%x: tensor<3x7xi32, #lines>, %t: tensor<5xi32, #rows>, %v: tensor<5xi32, #rows>,
                  %u: tensor<4xi32, #r1>, %w: tensor<4xi32, #r1>)
      -> (tensor<3x7xi32, #lines>, tensor<3x7xi32, #lines>, tensor<5xi32, #rows>, tensor<5xi32, #rows>) {
    %e = tensor.empty() : tensor<3x7xi32, #lines>
    %0, %1 = dmc.sort ins(%x : tensor<3x7xi32, #lines>) outs(%e, %e : tensor<3x7xi32, #lines>, tensor<3x7xi32, #lines>) along 1
        -> tensor<3x7xi32, #lines>, tensor<3x7xi32, #lines> {
    ^bb0(%a: i32, %b: i32):
      %p = arith.cmpi slt, %a, %b : i32
      dmc.yield %p : i1
    }
    %i = arith.constant dense<[[4], [0], [4], [7]]> : tensor<4x1xi32, #r>
    %2, %3 = dmc.scatter ins(%i, %u, %w : tensor<4x1xi32, #r>, tensor<4xi32, #r1>, tensor<4xi32, #r1>)
        outs(%t, %v : tensor<5xi32, #rows>, tensor<5xi32, #rows>)
        {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
        -> tensor<5xi32, #rows>, tensor<5xi32, #rows> {
    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
      %p = arith.cmpi slt, %a, %c : i32
      %q = arith.select %p, %d, %b : i32
      %s = arith.addi %a, %d : i32
      dmc.yield %q, %s : i32, i32
    }
    return %0, %1, %2, %3 : tensor<3x7xi32, #lines>, tensor<3x7xi32, #lines>, tensor<5xi32, #rows>, tensor<5xi32, #rows>
  }
}

// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Lines split unevenly are sorted where they are; two operands of split rows are
// combined together.
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

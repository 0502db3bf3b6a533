// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Constants, fills and iotas denote their global value in any layout.
//
// NUMPY r0 = r1 = np.arange(1, 11).reshape(5, 2)
// NUMPY r2, r3 = np.full((5, 2), 7), np.full((5, 2), 3)
// NUMPY r4 = 10 * np.arange(5)[:, None] + np.arange(2)
// OUT r0 i4 [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]
// OUT r1 i4 [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]
// OUT r2 i4 [[7, 7], [7, 7], [7, 7], [7, 7], [7, 7]]
// OUT r3 i4 [[3, 3], [3, 3], [3, 3], [3, 3], [3, 3]]
// OUT r4 i4 [[0, 1], [10, 11], [20, 21], [30, 31], [40, 41]]
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#xy = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#p = #dmc.layout<#mesh, [{"x"}, {}], prod {"y"}>
#s = #dmc.layout<#mesh, [{"x"}, {}], sum {"y"}>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "values" on #mesh,
    arguments [],
    results ["r0" : tensor<5x2xi32, #xy>,
               "r1" : tensor<5x2xi32, #x>,
               "r2" : tensor<5x2xi32, #x>,
               "r3" : tensor<5x2xi32, #x>,
               "r4" : tensor<5x2xi32, #xy>]>} {
  func.func @main()
      -> (tensor<5x2xi32, #xy>,
          tensor<5x2xi32, #x>,
          tensor<5x2xi32, #x>,
          tensor<5x2xi32, #x>,
          tensor<5x2xi32, #xy>) {
    %0 = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]> : tensor<5x2xi32, #xy>
    %t1 = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]> : tensor<5x2xi32, #p>
    %1 = dmc.reduce %t1 over {"y"} : tensor<5x2xi32, #p> to tensor<5x2xi32, #x>
    %seven = arith.constant 7 : i32
    %e2 = tensor.empty() : tensor<5x2xi32, #s>
    %t2 = linalg.fill ins(%seven : i32) outs(%e2 : tensor<5x2xi32, #s>) -> tensor<5x2xi32, #s>
    %2 = dmc.reduce %t2 over {"y"} : tensor<5x2xi32, #s> to tensor<5x2xi32, #x>
    %e3 = tensor.empty() : tensor<5x2xi32, #xy>
    %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]} outs(%e3 : tensor<5x2xi32, #xy>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %ten = arith.constant 10 : index
      %k = arith.muli %i, %ten : index
      %l = arith.addi %k, %j : index
      %v = arith.index_cast %l : index to i32
      linalg.yield %v : i32
    } -> tensor<5x2xi32, #xy>
    %t4 = arith.constant dense<3> : tensor<5x2xi32, #s>
    %4 = dmc.reduce %t4 over {"y"} : tensor<5x2xi32, #s> to tensor<5x2xi32, #x>
    return %0, %1, %2, %4, %3
        : tensor<5x2xi32, #xy>, tensor<5x2xi32, #x>, tensor<5x2xi32, #x>, tensor<5x2xi32, #x>, tensor<5x2xi32, #xy>
  }
}

// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Rows split over both parts of an axis: the result is partial over all of it.
//
// IN table f4 [6.0, -3.0, -1.0, 2.0, 9.0, -5.0, 8.0, 4.0, 7.0]
// IN ids i4 [[7], [-3], [4]]
// NUMPY r = table[np.clip(ids[:, 0], 0, 8)]
// OUT r f4 [4.0, 6.0, 9.0]
#mesh = #dmc.mesh<"x" = 6>
#rows = #dmc.layout<#mesh, [{"x":(2)3, "x":(1)2}]>
#ids = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "gather-sub-axes" on #mesh,
    arguments ["table" : tensor<9xf32, #rows>, "ids" : tensor<3x1xi32, #ids>],
    results ["r" : tensor<3xf32, #r>]>} {
  func.func @main(%table: tensor<9xf32, #rows>, %ids: tensor<3x1xi32, #ids>) -> tensor<3xf32, #r> {
    %e = tensor.empty() : tensor<3xf32, #sum>
    %0 = dmc.gather ins(%table, %ids : tensor<9xf32, #rows>, tensor<3x1xi32, #ids>)
                    outs(%e : tensor<3xf32, #sum>)
                    {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
                     index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xf32, #sum>
    %1 = dmc.reduce %0 over {"x"} : tensor<3xf32, #sum> to tensor<3xf32, #r>
    return %1 : tensor<3xf32, #r>
  }
}

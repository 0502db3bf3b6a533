// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Rows split over both parts of an axis: the result is partial over all of it.
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

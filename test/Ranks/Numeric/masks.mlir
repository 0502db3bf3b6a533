// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Padding holds NaN: without masks no result would be right.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#mk = #dmc.layout<#mesh, [{}, {"x", "y"}]>
#kn = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#mx = #dmc.layout<#mesh, [{"x"}, {"y"}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x", "y"}>
#sumv = #dmc.layout<#mesh, [{"x"}], sum {"y"}>
#maxv = #dmc.layout<#mesh, [{"x"}], max {"y"}>
#xv = #dmc.layout<#mesh, [{"x"}]>
#mn = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<parallel "masks" on #mesh,
    arguments ["a" : tensor<3x5xf32, #mk>, "b" : tensor<5x2xf32, #kn>, "c" : tensor<5x5xf32, #mx>],
    results ["r0" : tensor<3x2xf32, #mn>,
               "r1" : tensor<5xf32, #xv>,
               "r2" : tensor<5xf32, #xv>]>} {
  func.func @main(%a: tensor<3x5xf32, #mk>,
                  %b: tensor<5x2xf32, #kn>,
                  %c: tensor<5x5xf32, #mx>)
      -> (tensor<3x2xf32, #mn>,
          tensor<5xf32, #xv>,
          tensor<5xf32, #xv>) {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %e0 = tensor.empty() : tensor<3x2xf32, #sum>
    %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x2xf32, #sum>) -> tensor<3x2xf32, #sum>
    %p0 = linalg.matmul ins(%a, %b : tensor<3x5xf32, #mk>, tensor<5x2xf32, #kn>)
                        outs(%f0 : tensor<3x2xf32, #sum>) -> tensor<3x2xf32, #sum>
    %0 = dmc.reduce %p0 over {"x", "y"} : tensor<3x2xf32, #sum> to tensor<3x2xf32, #mn>
    %e1 = tensor.empty() : tensor<5xf32, #maxv>
    %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<5xf32, #maxv>) -> tensor<5xf32, #maxv>
    %p1 = linalg.reduce { arith.maximumf } ins(%c : tensor<5x5xf32, #mx>)
                        outs(%f1 : tensor<5xf32, #maxv>) dimensions = [1]
    %1 = dmc.reduce %p1 over {"y"} : tensor<5xf32, #maxv> to tensor<5xf32, #xv>
    %e2 = tensor.empty() : tensor<5xf32, #sumv>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<5xf32, #sumv>) -> tensor<5xf32, #sumv>
    %p2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                          iterator_types = ["parallel", "reduction"]}
        ins(%c : tensor<5x5xf32, #mx>) outs(%f2 : tensor<5xf32, #sumv>) {
    ^bb0(%in: f32, %acc: f32):
      %j = linalg.index 1 : index
      %i = arith.index_cast %j : index to i32
      %w = arith.sitofp %i : i32 to f32
      %q = arith.mulf %in, %w : f32
      %s = arith.addf %q, %acc : f32
      linalg.yield %s : f32
    } -> tensor<5xf32, #sumv>
    %2 = dmc.reduce %p2 over {"y"} : tensor<5xf32, #sumv> to tensor<5xf32, #xv>
    return %0, %1, %2
        : tensor<3x2xf32, #mn>, tensor<5xf32, #xv>, tensor<5xf32, #xv>
  }
}

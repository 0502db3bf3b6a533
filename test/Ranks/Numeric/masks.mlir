// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Padding holds NaN: without masks no result would be right.
//
// IN a f4 [[-7.0, 5.0, -1.0, 8.0, -5.0], [-2.0, 7.0, 4.0, -9.0, -3.0], [-9.0, 6.0, -2.0, -5.0, 4.0]]
// IN b f4 [[7.0, -8.0], [0.0, -3.0], [4.0, 8.0], [1.0, 5.0], [-3.0, 2.0]]
// IN c f4 [[-7.0, -11.0, -25.0, -10.0, -22.0], [-9.0, -18.0, -1.0, -4.0, -13.0], [-20.0, -21.0, -16.0, -14.0, -15.0], [-12.0, -24.0, -2.0, -23.0, -6.0], [-3.0, -8.0, -17.0, -19.0, -5.0]]
// NUMPY r0, r1, r2 = a @ b, c.max(axis=1), c @ np.arange(5)
// OUT r0 f4 [[-30.0, 63.0], [2.0, -24.0], [-88.0, 21.0]]
// OUT r1 f4 [-7.0, -1.0, -14.0, -2.0, -3.0]
// OUT r2 f4 [-179.0, -84.0, -155.0, -121.0, -119.0]
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

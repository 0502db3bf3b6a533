// RUN: dmc-interpret %s --seed 1 --print | tee %t.parallel | FileCheck %s
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks
// RUN: dmc-compile %s -o %t.so && dmc-interpret %s --seed 1 --output-dir %t.want
// RUN: dmc-run %t.so --seed 1 --expect-dir %t.want

// A factor that a split reduction loop does not index keeps its value in the padding of that loop:
// where it is infinite, zero in the other factor is not enough.
// CHECK: "scaled"{{.*}} = [inf, 5, -inf]
// CHECK: "folded"{{.*}} = inf
#mesh = #dmc.mesh<"x" = 2>
#ik = #dmc.layout<#mesh, [{}, {"x"}]>
#k = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#i = #dmc.layout<#mesh, [{}], sum {"x"}>
#s = #dmc.layout<#mesh, []>
#sum = #dmc.layout<#mesh, [], sum {"x"}>
module attributes {dmc.program = #dmc.program<parallel "mask_factors" on #mesh,
    arguments ["a" : tensor<3x5xf32, #ik>, "b" : tensor<3x5xf32, #ik>],
    results ["scaled" : tensor<3xf32, #r>, "folded" : tensor<f32, #s>]>} {
  func.func @main(%a: tensor<3x5xf32, #ik>, %b: tensor<3x5xf32, #ik>) -> (tensor<3xf32, #r>, tensor<f32, #s>) {
    %zero = arith.constant 0.0 : f32
    // Ones, whose padding is unspecified.
    %e = tensor.empty() : tensor<3x5xf32, #ik>
    %ones = linalg.map ins(%a : tensor<3x5xf32, #ik>) outs(%e : tensor<3x5xf32, #ik>)
      (%in: f32, %out: f32) {
        %same = arith.cmpf oeq, %in, %in : f32
        %one = arith.uitofp %same : i1 to f32
        linalg.yield %one : f32
      }
    %scales = arith.constant dense<[0x7F800000, 1.0, 0xFF800000]> : tensor<3xf32, #r>
    %e0 = tensor.empty() : tensor<3xf32, #i>
    %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3xf32, #i>) -> tensor<3xf32, #i>
    %p0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i)>],
                          iterator_types = ["parallel", "reduction"]}
        ins(%ones, %scales : tensor<3x5xf32, #ik>, tensor<3xf32, #r>) outs(%f0 : tensor<3xf32, #i>) {
    ^bb0(%in: f32, %scale: f32, %acc: f32):
      %product = arith.mulf %in, %scale : f32
      %added = arith.addf %acc, %product : f32
      linalg.yield %added : f32
    } -> tensor<3xf32, #i>
    %0 = dmc.reduce %p0 over {"x"} : tensor<3xf32, #i> to tensor<3xf32, #r>
    // Both loops are reductions; one factor lacks the loop that is split.
    %weights = arith.constant dense<[0x7F800000, 1.0, 2.0]> : tensor<3xf32, #r>
    %e1 = tensor.empty() : tensor<f32, #sum>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<f32, #sum>) -> tensor<f32, #sum>
    %p1 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> ()>],
                          iterator_types = ["reduction", "reduction"]}
        ins(%ones, %weights : tensor<3x5xf32, #ik>, tensor<3xf32, #r>) outs(%f1 : tensor<f32, #sum>) {
    ^bb0(%in: f32, %weight: f32, %acc: f32):
      %product = arith.mulf %in, %weight : f32
      %added = arith.addf %acc, %product : f32
      linalg.yield %added : f32
    } -> tensor<f32, #sum>
    %1 = dmc.reduce %p1 over {"x"} : tensor<f32, #sum> to tensor<f32, #s>
    return %0, %1 : tensor<3xf32, #r>, tensor<f32, #s>
  }
}

// Partial sums are part of the problem: they go on through operations that map sums to sums where these join several
// of them, or make fewer bytes of them, and are reduced behind.
// RUN: dmc-opt %s --split-input-file --pass-pipeline='builtin.module(dmc-propagate-layouts{solve solve-boundary machine=latency=0},dmc-materialize-moves,dmc-expand-reshards)' | FileCheck %s
// RUN: dmc-opt %s --split-input-file --verify-numeric --pass-pipeline='builtin.module(dmc-propagate-layouts{solve solve-boundary machine=latency=0},dmc-materialize-moves,dmc-expand-reshards)' -o /dev/null

// Two products whose sum is returned: one reduction. A third summand, which is not partial, joins as one rank's.
#mesh = #dmc.mesh<"x" = 2>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#whole = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @joined
// CHECK-NOT: dmc.reduce
// CHECK: dmc.spread %{{.*}} over {"x"}
// CHECK: %[[SUM:.*]] = linalg.map { arith.addf } {{.*}}psumx
// CHECK: %[[ALL:.*]] = linalg.map { arith.addf } ins(%[[SUM]]{{.*}}psumx
// CHECK: dmc.reduce %[[ALL]] over {"x"}
// CHECK-NOT: dmc.reduce
// CHECK: return
module @joined attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<64x64xf32, #columns>, "a" : tensor<64x64xf32, #rows>, "b" : tensor<64x64xf32, #rows>, "c" : tensor<64x64xf32, #whole>], results ["y" : tensor<64x64xf32, #whole>]>} {
  func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %g = linalg.matmul ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %h = linalg.matmul ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %with = linalg.map { arith.addf } ins(%g, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    %y = linalg.map { arith.addf } ins(%with, %h : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    return %y : tensor<64x64xf32>
  }
}

// -----

// A product of two sums is not made of partial ones.
#mesh = #dmc.mesh<"x" = 2>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#whole = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @product
// CHECK-COUNT-2: dmc.reduce
// CHECK: linalg.map { arith.mulf }
// CHECK-NOT: psumx
// CHECK: return
module @product attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<64x64xf32, #columns>, "a" : tensor<64x64xf32, #rows>, "b" : tensor<64x64xf32, #rows>], results ["y" : tensor<64xf32, #dmc.layout<#mesh, [{}]>>]>} {
  func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %g = linalg.matmul ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %h = linalg.matmul ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %p = linalg.map { arith.mulf } ins(%g, %h : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    %d = tensor.empty() : tensor<64xf32>
    %s = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
    %y = linalg.reduce { arith.addf } ins(%p : tensor<64x64xf32>) outs(%s : tensor<64xf32>) dimensions = [1]
    return %y : tensor<64xf32>
  }
}

// -----

// A sum over rows makes fewer bytes: it is reduced instead of what it is made of. One rank's part of what is transposed before
// is the transposed part.
#mesh = #dmc.mesh<"x" = 2>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
// CHECK-LABEL: module @shrunk
// CHECK-NOT: dmc.reduce
// CHECK: linalg.transpose {{.*}}psumx
// CHECK: %[[SUM:.*]] = linalg.reduce {{.*}}psumx
// CHECK: dmc.reduce %[[SUM]] over {"x"} : tensor<64xf32
// CHECK-NOT: dmc.reduce
// CHECK: return
module @shrunk attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<64x64xf32, #columns>, "a" : tensor<64x64xf32, #rows>], results ["y" : tensor<64xf32, #dmc.layout<#mesh, [{}]>>]>} {
  func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>) -> tensor<64xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %g = linalg.matmul ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %t = linalg.transpose ins(%g : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
    %d = tensor.empty() : tensor<64xf32>
    %s = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
    %y = linalg.reduce { arith.addf } ins(%t : tensor<64x64xf32>) outs(%s : tensor<64xf32>) dimensions = [1]
    return %y : tensor<64xf32>
  }
}

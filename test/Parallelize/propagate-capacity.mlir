// A bound on memory: a weight that is gathered once and kept for a second use leaves no room
// for what is between; it is gathered again.
// RUN: dmc-compile %s --emit=scheduled | FileCheck %s --check-prefix=FREE
// RUN: dmc-compile %s --emit=parallel --machine=capacity=169000 | FileCheck %s --check-prefix=PLAN
// RUN: dmc-compile %s --emit=parallel --machine=capacity=169000 2>&1 >/dev/null | FileCheck %s --check-prefix=FITS --allow-empty
// RUN: dmc-compile %s --emit=parallel --machine=capacity=160000 2>&1 >/dev/null | FileCheck %s --check-prefix=WARNING
// RUN: dmc-compile %s --emit=scheduled --machine=capacity=169000 | FileCheck %s --check-prefix=BOUND
// RUN: not dmc-compile %s --emit=scheduled --machine=capacity=160000 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXCEEDED

// FREE: dmc.arena_bytes = 36864
// FITS-NOT: warning
// WARNING: warning: expected a plan that needs at most the capacity of 160000 bytes at once on a rank, found one that needs 163840
// PLAN:         dmc.combine %arg1
// PLAN:         linalg.matmul
// PLAN:         %[[AGAIN:.*]] = dmc.optimization_barrier %arg1 {dmc.tactic}
// PLAN-COUNT-2: linalg.matmul
// PLAN-NOT:     dmc.reduce
// PLAN:         dmc.combine %[[AGAIN]]
// BOUND: dmc.arena_bytes = 20480
// EXCEEDED: error: expected at most 160000 bytes of memory on a rank, found 163840: 139264 of arguments, 4096 of results and 20480 in the arena, fullest here
// EXCEEDED: note: 16384 bytes alive: 'tensor<
#mesh = #dmc.mesh<"data" = 4>
#r = #dmc.layout<#mesh, [{}, {}]>
#rows = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["x" : tensor<64x64xf32, #rows>, "w" : tensor<64x64xf32, #rows>, "u" : tensor<64x256xf32, #r>, "v" : tensor<256x64xf32, #r>], results ["y" : tensor<64x64xf32, #rows>]>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %u: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<64x64xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x64xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %f = tensor.empty() : tensor<64x256xf32>
    %zf = linalg.fill ins(%zero : f32) outs(%f : tensor<64x256xf32>) -> tensor<64x256xf32>
    %h = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
    %t = linalg.map { math.tanh } ins(%h : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    %a = linalg.matmul ins(%t, %u : tensor<64x64xf32>, tensor<64x256xf32>) outs(%zf : tensor<64x256xf32>) -> tensor<64x256xf32>
    %b = linalg.map { math.tanh } ins(%a : tensor<64x256xf32>) outs(%f : tensor<64x256xf32>)
    %c = linalg.matmul ins(%b, %v : tensor<64x256xf32>, tensor<256x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
    %d = linalg.map { math.tanh } ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
    %y = linalg.matmul ins(%d, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %y : tensor<64x64xf32>
  }
}

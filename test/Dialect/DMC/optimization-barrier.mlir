// RUN: dmc-opt %s --cse --dmc-verify-tensor | dmc-opt | FileCheck %s
// RUN: dmc-opt %s --dmc-remove-barriers --cse | FileCheck %s --check-prefix=REMOVED
// RUN: dmc-opt %s --dmc-parallelize --dmc-ranks | FileCheck %s --check-prefix=RANKS
// RUN: dmc-opt %s --dmc-parallelize --dmc-ranks --dmc-schedule | FileCheck %s --check-prefix=SCHEDULED
// RUN: dmc-opt %s --verify-diagnostics --split-input-file -o /dev/null

// What is computed again behind a barrier is not merged with what it repeats, and the weight, which is gathered in front of it and
// behind, is gathered twice.
// CHECK-LABEL: func.func @main
// CHECK:         %[[A:.*]] = linalg.map { math.exp } ins(%arg0 :
// CHECK:         %[[X:.*]] = dmc.optimization_barrier %arg0 : tensor<8x8xf32>
// CHECK:         linalg.map { math.exp } ins(%[[X]] :
// REMOVED-LABEL: func.func @main
// REMOVED:         linalg.map { math.exp }
// REMOVED-NOT:     dmc.optimization_barrier
// REMOVED-NOT:     linalg.map { math.exp }
// RANKS:         comm.all_gather
// RANKS:         dmc.optimization_barrier %{{.*}} : tensor<4x8xf32>
// RANKS:         comm.all_gather
// SCHEDULED-NOT: optimization_barrier
// SCHEDULED:     comm.all_gather
// SCHEDULED:     comm.all_gather
// SCHEDULED-NOT: comm.all_gather
#mesh = #dmc.mesh<"data" = 2>
#rows = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["x" : tensor<8x8xf32, #rows>, "w" : tensor<8x8xf32, #rows>], results ["y" : tensor<8x8xf32, #rows>]>} {
  func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %a = linalg.map { math.exp } ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    %b = linalg.matmul ins(%a, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
    %later = dmc.optimization_barrier %x : tensor<8x8xf32>
    %again = dmc.optimization_barrier %w : tensor<8x8xf32>
    %c = linalg.map { math.exp } ins(%later : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    %d = linalg.matmul ins(%b, %again : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.map { arith.addf } ins(%c, %d : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    return %y : tensor<8x8xf32>
  }
}

// -----

func.func @types(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'dmc.optimization_barrier' op requires the same type for all operands and results}}
  %y = "dmc.optimization_barrier"(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

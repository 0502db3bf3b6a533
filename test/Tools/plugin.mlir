// The dialects and passes load into an mlir-opt of the same LLVM.
// UNSUPPORTED: sanitizer
// RUN: mlir-opt %s --load-dialect-plugin=%dmc_lib/libDMCPlugin.so --load-pass-plugin=%dmc_lib/libDMCPlugin.so \
// RUN:   --pass-pipeline='builtin.module(dmc-propagate-layouts{improve=false},dmc-materialize-moves,dmc-expand-reshards,dmc-merge-moves,dmc-to-ranks)' | FileCheck %s

#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#cols = #dmc.layout<#mesh, [{}, {"x"}]>
#all = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<tensor "product" on #mesh,
    arguments ["a" : tensor<8x4xf32, #cols>, "b" : tensor<4x6xf32, #rows>],
    results ["c" : tensor<8x6xf32, #all>]>} {
  // CHECK-LABEL: func.func @main(%{{.*}}: tensor<8x2xf32>, %{{.*}}: tensor<2x6xf32>) -> tensor<8x6xf32>
  func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x6xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
    // CHECK: linalg.matmul
    // CHECK: comm.all_reduce sum
    %c = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
    return %c : tensor<8x6xf32>
  }
}

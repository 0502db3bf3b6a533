// RUN: not dmc-opt %s --verify-levels=false --dmc-plan-buffers=capacity=64 2>&1 | FileCheck %s
// RUN: dmc-opt %s --verify-levels=false --dmc-plan-buffers=capacity=5056 | FileCheck %s --check-prefix=FITS
// RUN: not dmc-opt %s --verify-levels=false --dmc-plan-buffers=capacity=5055 2>&1 | FileCheck %s --check-prefix=SHORT

// 64 bytes of the result and the twelve values' 64 * (1 + ... + 12).
// FITS: dmc.arena_bytes = 4992
// SHORT: error: expected at most 5055 bytes of memory on a rank, found 5056: 0 of arguments, 64 of results and 4992 in the arena

// What does not fit is described by its largest buffers.
// CHECK: error: {{.*}}64 bytes
// CHECK: note: 768 bytes alive: 'tensor<192xf32>'
// CHECK: note: 704 bytes alive: 'tensor<176xf32>'
// CHECK-NOT: note: 128 bytes alive
// CHECK: note: and 2 smaller buffers
#mesh = #dmc.mesh<"d" = 1>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments [], results ["y" : tensor<16xf32, #r>]>} {
  func.func @main() -> tensor<16xf32> {
    %e0 = tensor.empty() : tensor<16xf32>
    %v0 = dmc.launch @k0 ins() outs(%e0 : tensor<16xf32>) -> tensor<16xf32>
    %e1 = tensor.empty() : tensor<32xf32>
    %v1 = dmc.launch @k1 ins() outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
    %e2 = tensor.empty() : tensor<48xf32>
    %v2 = dmc.launch @k2 ins() outs(%e2 : tensor<48xf32>) -> tensor<48xf32>
    %e3 = tensor.empty() : tensor<64xf32>
    %v3 = dmc.launch @k3 ins() outs(%e3 : tensor<64xf32>) -> tensor<64xf32>
    %e4 = tensor.empty() : tensor<80xf32>
    %v4 = dmc.launch @k4 ins() outs(%e4 : tensor<80xf32>) -> tensor<80xf32>
    %e5 = tensor.empty() : tensor<96xf32>
    %v5 = dmc.launch @k5 ins() outs(%e5 : tensor<96xf32>) -> tensor<96xf32>
    %e6 = tensor.empty() : tensor<112xf32>
    %v6 = dmc.launch @k6 ins() outs(%e6 : tensor<112xf32>) -> tensor<112xf32>
    %e7 = tensor.empty() : tensor<128xf32>
    %v7 = dmc.launch @k7 ins() outs(%e7 : tensor<128xf32>) -> tensor<128xf32>
    %e8 = tensor.empty() : tensor<144xf32>
    %v8 = dmc.launch @k8 ins() outs(%e8 : tensor<144xf32>) -> tensor<144xf32>
    %e9 = tensor.empty() : tensor<160xf32>
    %v9 = dmc.launch @k9 ins() outs(%e9 : tensor<160xf32>) -> tensor<160xf32>
    %e10 = tensor.empty() : tensor<176xf32>
    %v10 = dmc.launch @k10 ins() outs(%e10 : tensor<176xf32>) -> tensor<176xf32>
    %e11 = tensor.empty() : tensor<192xf32>
    %v11 = dmc.launch @k11 ins() outs(%e11 : tensor<192xf32>) -> tensor<192xf32>
    %e = tensor.empty() : tensor<16xf32>
    %y = dmc.launch @all ins(%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11 : tensor<16xf32>, tensor<32xf32>, tensor<48xf32>, tensor<64xf32>, tensor<80xf32>, tensor<96xf32>, tensor<112xf32>, tensor<128xf32>, tensor<144xf32>, tensor<160xf32>, tensor<176xf32>, tensor<192xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    return %y : tensor<16xf32>
  }
  func.func private @k0(tensor<16xf32>) -> tensor<16xf32>
  func.func private @k1(tensor<32xf32>) -> tensor<32xf32>
  func.func private @k2(tensor<48xf32>) -> tensor<48xf32>
  func.func private @k3(tensor<64xf32>) -> tensor<64xf32>
  func.func private @k4(tensor<80xf32>) -> tensor<80xf32>
  func.func private @k5(tensor<96xf32>) -> tensor<96xf32>
  func.func private @k6(tensor<112xf32>) -> tensor<112xf32>
  func.func private @k7(tensor<128xf32>) -> tensor<128xf32>
  func.func private @k8(tensor<144xf32>) -> tensor<144xf32>
  func.func private @k9(tensor<160xf32>) -> tensor<160xf32>
  func.func private @k10(tensor<176xf32>) -> tensor<176xf32>
  func.func private @k11(tensor<192xf32>) -> tensor<192xf32>
  func.func private @all(tensor<16xf32>, tensor<32xf32>, tensor<48xf32>, tensor<64xf32>, tensor<80xf32>, tensor<96xf32>, tensor<112xf32>, tensor<128xf32>, tensor<144xf32>, tensor<160xf32>, tensor<176xf32>, tensor<192xf32>, tensor<16xf32>) -> tensor<16xf32>
}

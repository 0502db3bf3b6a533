// RUN: dmc-opt %s -verify-levels=false -dmc-order-operations -split-input-file | FileCheck %s
// RUN: dmc-opt %s -verify-levels=false -dmc-order-operations -dmc-plan-buffers -split-input-file | FileCheck %s --check-prefix=ARENA
// RUN: dmc-opt %s -verify-levels=false -dmc-order-operations=capacity=1 -split-input-file | FileCheck %s --check-prefix=SHORT

// Gradients, each reduced and used at once: a kernel computes the next one while a sum is sent, and
// what uses a sum comes after the start of the next.
// CHECK-LABEL: func.func @gradients
// CHECK: %[[A:.*]] = dmc.launch @k ins(%arg0
// CHECK: %[[SA:.*]] = comm.all_reduce sum ins(%[[A]]
// CHECK: %[[B:.*]] = dmc.launch @k ins(%[[A]]
// CHECK: %[[SB:.*]] = comm.all_reduce sum ins(%[[B]]
// CHECK: dmc.launch @update ins(%[[SA]]
// CHECK: %[[C:.*]] = dmc.launch @k ins(%[[B]]
// CHECK: %[[SC:.*]] = comm.all_reduce sum ins(%[[C]]
// CHECK: dmc.launch @update ins(%[[SB]]
// CHECK: dmc.launch @update ins(%[[SC]]
// In the order of the text 256 bytes are enough.
// ARENA: dmc.arena_bytes = 512
// SHORT-LABEL: func.func @gradients
// SHORT: comm.all_reduce sum
// SHORT-NOT: dmc.launch @k
// SHORT: dmc.launch @update
#mesh = #dmc.mesh<"data" = 8>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>} {
  func.func @gradients(%x: tensor<32xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %e = tensor.empty() : tensor<32xf32>
    %u = tensor.empty() : tensor<16xf32>
    %a = dmc.launch @k ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %sa = comm.all_reduce sum ins(%a : tensor<32xf32>) outs(%e : tensor<32xf32>) over {"data"} on #mesh -> tensor<32xf32>
    %na = dmc.launch @update ins(%sa : tensor<32xf32>) outs(%u : tensor<16xf32>) -> tensor<16xf32>
    %b = dmc.launch @k ins(%a : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %sb = comm.all_reduce sum ins(%b : tensor<32xf32>) outs(%e : tensor<32xf32>) over {"data"} on #mesh -> tensor<32xf32>
    %nb = dmc.launch @update ins(%sb : tensor<32xf32>) outs(%u : tensor<16xf32>) -> tensor<16xf32>
    %c = dmc.launch @k ins(%b : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %sc = comm.all_reduce sum ins(%c : tensor<32xf32>) outs(%e : tensor<32xf32>) over {"data"} on #mesh -> tensor<32xf32>
    %nc = dmc.launch @update ins(%sc : tensor<32xf32>) outs(%u : tensor<16xf32>) -> tensor<16xf32>
    return %na, %nb, %nc : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
  func.func private @k(tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> attributes {dmc.kernel_function}
  func.func private @update(tensor<32xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {dmc.kernel_function}
}

// -----

// Gathers of arguments: the next one starts before this one's result is used, and not more, so
// that no more than two gathered values wait.
// CHECK-LABEL: func.func @gathers
// CHECK: %[[A:.*]] = comm.all_gather ins(%arg1
// CHECK: %[[B:.*]] = comm.all_gather ins(%arg2
// CHECK: dmc.launch @k ins(%{{.*}}, %[[A]]
// CHECK: %[[C:.*]] = comm.all_gather ins(%arg3
// CHECK: dmc.launch @k ins(%{{.*}}, %[[B]]
// CHECK: dmc.launch @k ins(%{{.*}}, %[[C]]
#mesh = #dmc.mesh<"data" = 8>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>} {
  func.func @gathers(%x: tensor<64xf32>, %v: tensor<8xf32>, %w: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %gv = comm.all_gather ins(%v : tensor<8xf32>) outs(%e : tensor<64xf32>) dim 0 over {"data"} on #mesh -> tensor<64xf32>
    %0 = dmc.launch @k ins(%x, %gv : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %gw = comm.all_gather ins(%w : tensor<8xf32>) outs(%e : tensor<64xf32>) dim 0 over {"data"} on #mesh -> tensor<64xf32>
    %1 = dmc.launch @k ins(%0, %gw : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %gy = comm.all_gather ins(%y : tensor<8xf32>) outs(%e : tensor<64xf32>) dim 0 over {"data"} on #mesh -> tensor<64xf32>
    %2 = dmc.launch @k ins(%1, %gy : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %2 : tensor<64xf32>
  }
  func.func private @k(tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {dmc.kernel_function}
}

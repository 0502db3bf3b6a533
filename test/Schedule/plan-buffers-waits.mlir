// RUN: dmc-opt %s -dmc-plan-buffers -split-input-file | FileCheck %s
// RUN: dmc-opt %s -dmc-plan-buffers=capacity=200 -split-input-file | FileCheck %s --check-prefix=SHORT

// On a device the wait is before the first use of the result, and until then the operand's bytes
// hold what is sent: the result of the second launch is elsewhere.
// CHECK: dmc.arena_bytes = 192
// CHECK-LABEL: func.func @waits
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[OA:.*]]][]
// CHECK: dmc.launch @k ins(%{{.*}}) outs(%[[A]]
// CHECK: %[[T:.*]] = comm.permute ins(%[[A]] : memref<16xf32>) outs(%[[S:[a-z0-9_]*]] : memref<16xf32>)
// CHECK-NOT: comm.wait
// CHECK: dmc.launch @k ins
// CHECK: comm.wait %[[T]]
// CHECK-NEXT: dmc.launch @k2 ins(%[[S]]

// With less memory it is at once.
// SHORT: dmc.arena_bytes = 128
// SHORT-LABEL: func.func @waits
// SHORT: %[[T:.*]] = comm.permute
// SHORT-NEXT: comm.wait %[[T]]
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<16xf32, #r>], results ["y" : tensor<i8, #dmc.layout<#mesh, []>>]>} {
  func.func @waits(%x: tensor<16xf32>) -> tensor<i8> {
    %e = tensor.empty() : tensor<16xf32>
    %a = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %s = comm.permute ins(%a : tensor<16xf32>) outs(%e : tensor<16xf32>) pairs [0, 1, 1, 0] over {"data"} on #mesh -> tensor<16xf32>
    %b = dmc.launch @k ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %d = tensor.empty() : tensor<i8>
    %y = dmc.launch @k2 ins(%s, %b : tensor<16xf32>, tensor<16xf32>) outs(%d : tensor<i8>) -> tensor<i8>
    return %y : tensor<i8>
  }
  func.func private @k(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> attributes {dmc.kernel_function}
  func.func private @k2(tensor<16xf32>, tensor<16xf32>, tensor<i8>) -> tensor<i8> attributes {dmc.kernel_function}
}

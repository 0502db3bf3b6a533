// RUN: dmc-opt %s --dmc-specialize-aliasing | FileCheck %s

// One launch works in place, the other does not: two kernels. The donated
// argument and the result that takes it over are one buffer.
#mesh = #dmc.mesh<"d" = 1>
#r1 = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<scheduled "step" on #mesh,
    arguments ["x" : tensor<8xf32, #r1> donates 0, "z" : tensor<8xf32, #r1>],
    results ["y" : tensor<8xf32, #r1>]>, dmc.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func @main
  func.func @main(%x: memref<8xf32>, %z: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %t = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    // CHECK: dmc.launch @scale ins(%arg1
    dmc.launch @scale ins(%z : memref<8xf32>) outs(%t : memref<8xf32>)
    // CHECK: dmc.launch @scale_0 ins(%arg0
    dmc.launch @scale ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {in_place = array<i64: 0>}
    return
  }
  // The program's buffers begin at cache lines, and so do these.
  // CHECK: func.func private @scale(%{{.*}}: memref<8xf32> {llvm.align = 64 : i64, llvm.noalias}, %{{.*}}: memref<8xf32> {llvm.align = 64 : i64, llvm.noalias})
  // CHECK: func.func private @scale_0(%{{.*}}: memref<8xf32> {dmc.shares = 1 : i64, llvm.align = 64 : i64}, %{{.*}}: memref<8xf32> {llvm.align = 64 : i64, llvm.noalias})
  func.func private @scale(%in: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
    %0 = bufferization.to_tensor %in restrict : memref<8xf32> to tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %1 = linalg.map { math.exp } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
    bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
    return
  }
}

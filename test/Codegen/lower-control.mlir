// RUN: dmc-opt %s --dmc-lower-program | FileCheck %s

// A loop whose condition is read from memory. Its collective may run any number
// of times (count -1).
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, []>
module attributes {dmc.program = #dmc.program<scheduled "loop" on #mesh,
    arguments ["x" : tensor<i32, #r>], results ["y" : tensor<i32, #r>]>, dmc.arena_bytes = 64 : i64} {
  // CHECK-LABEL: llvm.func internal @dmc_step
  // CHECK: llvm.br ^[[BEFORE:.*]]
  // CHECK: ^[[BEFORE]]:
  // CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr) -> i32
  // CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} -> i8
  // CHECK: %[[MORE:.*]] = llvm.icmp "ne" %[[BYTE]]
  // CHECK: llvm.cond_br %[[MORE]], ^[[BODY:.*]], ^[[AFTER:.*]]
  // CHECK: ^[[BODY]]:
  // CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%{{.*}} : i32), ^[[DONE:.*]]
  // CHECK: ^[[AFTER]]:
  // CHECK: ^[[DONE]]:
  // CHECK: llvm.br ^[[BEFORE]]
  func.func @main(%x: memref<i32>, %y: memref<i32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %t = memref.view %arena[%c0][] : memref<64xi8> to memref<i1>
    memref.copy %x, %y : memref<i32> to memref<i32>
    scf.while : () -> () {
      dmc.launch @test ins(%y : memref<i32>) outs(%t : memref<i1>)
      %more = memref.load %t[] : memref<i1>
      scf.condition(%more)
    } do {
      comm.all_reduce sum ins(%y : memref<i32>) outs(%y : memref<i32>) over {"data"} on #mesh
      scf.yield
    }
    return
  }
  func.func private @test(%in: memref<i32>, %out: memref<i1>) attributes {dmc.kernel_function} {
    return
  }
}

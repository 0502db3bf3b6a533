// RUN: dmc-opt %s --dmc-lower-program | FileCheck %s

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#x = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.program = #dmc.program<scheduled "step" on #mesh,
    arguments ["x" : tensor<16xf32, #x>], results ["y" : tensor<16xf32, #x>]>, dmc.arena_bytes = 64 : i64} {
  // The step function takes its pointers from the runtime, and leaves when a
  // collective fails.
  // The entry of a kernel takes them out again.
  // CHECK-LABEL: llvm.func @scale_entry
  // CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[PACKED:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) -> i32
  // CHECK: %[[IN:.*]] = llvm.load %[[PACKED]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[M:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
  // CHECK: %[[OUT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.call @scale(%[[IN]], %[[M]], %[[OUT]])
  // CHECK-LABEL: llvm.func internal @dmc_step
  // CHECK-SAME: (%[[CTX:.*]]: !llvm.ptr, %[[API:.*]]: !llvm.ptr, %[[MEMORY:.*]]: !llvm.ptr) -> i32
  // CHECK: %[[SLOTS:.*]] = llvm.alloca %{{.*}} x i64
  // CHECK: %[[ARGS_AT:.*]] = llvm.getelementptr %[[MEMORY]]
  // CHECK: %[[ARGS:.*]] = llvm.load %[[ARGS_AT]]
  // CHECK: %[[RESULTS_AT:.*]] = llvm.getelementptr %[[MEMORY]]
  // CHECK: %[[RESULTS:.*]] = llvm.load %[[RESULTS_AT]]
  // CHECK: %[[COORDINATES_AT:.*]] = llvm.getelementptr %[[MEMORY]]
  // CHECK: %[[COORDINATES:.*]] = llvm.load %[[COORDINATES_AT]]
  // CHECK: %[[X:.*]] = llvm.load %[[ARGS]]
  // CHECK: %[[Y:.*]] = llvm.load %[[RESULTS]]
  // CHECK: %[[ARENAS_AT:.*]] = llvm.getelementptr %[[MEMORY]]
  // CHECK: %[[ARENAS:.*]] = llvm.load %[[ARENAS_AT]]
  // CHECK: %[[ARENA:.*]] = llvm.load %[[ARENAS]]
  // The second axis is split into parts; the index is a digit of its coordinate.
  // CHECK: %[[DIGIT:.*]] = llvm.getelementptr %[[COORDINATES]]
  // CHECK: %[[M:.*]] = llvm.load %[[DIGIT]]
  // CHECK: llvm.urem %[[M]]
  // A launch passes its arguments in slots of 8 bytes.
  // CHECK: llvm.store %[[X]], %[[SLOTS]]
  // CHECK: llvm.store %{{.*}}, %{{.*}} : i64, !llvm.ptr
  // CHECK: llvm.store %[[ARENA]], %{{.*}} : !llvm.ptr, !llvm.ptr
  // CHECK: llvm.call %{{.*}}(%[[CTX]], %[[KERNEL:.*]], %[[SLOTS]])
  // CHECK: %[[STATUS:.*]] = llvm.call %{{.*}}(%[[CTX]], %{{.*}}, %[[ARENA]], %[[Y]])
  // CHECK: %[[BAD:.*]] = llvm.icmp "ne" %[[STATUS]]
  // CHECK: llvm.cond_br %[[BAD]], ^[[FAILED:.*]](%[[STATUS]] : i32), ^[[NEXT:.*]]
  // CHECK: ^[[NEXT]]:
  // CHECK: llvm.return
  // CHECK: ^[[FAILED]](%[[CODE:.*]]: i32):
  // CHECK: llvm.return %[[CODE]]
  func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %t = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    %m = comm.axis_index {"model":(2)2} on #mesh
    dmc.launch @scale ins(%x, %m : memref<8xf32>, index) outs(%t : memref<8xf32>)
    comm.all_reduce sum ins(%t : memref<8xf32>) outs(%y : memref<8xf32>) over {"model"} on #mesh
    return
  }
  // CHECK-LABEL: llvm.func @scale(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
  func.func private @scale(%in: memref<8xf32>, %m: index, %out: memref<8xf32>) attributes {dmc.kernel_function} {
    %v = memref.load %in[%m] : memref<8xf32>
    memref.store %v, %out[%m] : memref<8xf32>
    return
  }
}
// CHECK: llvm.func @dmc_program_query(%{{.*}}: i32) -> !llvm.ptr

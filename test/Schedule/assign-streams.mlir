// RUN: dmc-opt %s -verify-levels=false -dmc-assign-streams -dmc-verify-schedule -split-input-file | FileCheck %s

// The example of the pass's description: the second launch runs beside the all-reduce.
// CHECK-LABEL: func.func @beside
// CHECK: dmc.launch @k ins(%[[X:.*]] : memref<8xf32>) outs(%[[A:.*]] : memref<8xf32>)
// CHECK-NEXT: %[[E:.*]] = comm.record on 0
// CHECK-NEXT: comm.await %[[E]] on 1
// CHECK-NEXT: comm.all_reduce sum ins(%[[A]] : memref<8xf32>) outs(%[[A]] : memref<8xf32>) over {{.*}} {comm.stream = 1 : i64}
// CHECK-NEXT: %[[F:.*]] = comm.record on 1
// CHECK-NEXT: dmc.launch @k ins(%[[X]] : memref<8xf32>)
// CHECK-NEXT: comm.await %[[F]] on 0
// CHECK-NEXT: dmc.launch @k2
// CHECK-NEXT: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @beside(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %t = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    comm.wait %t
    dmc.launch @k2 ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// A program for a processor keeps its tokens.
// CHECK-LABEL: func.func @processor
// CHECK: %[[T:.*]] = comm.all_reduce
// CHECK-NOT: comm.record
// CHECK: comm.wait %[[T]]
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @processor(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %t = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    comm.wait %t
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// A stream for each groups. The event after the second all-reduce implies the first one, which
// has none on stream 0.
// CHECK-LABEL: func.func @implied
// CHECK: comm.all_reduce {{.*}}"data"{{.*}}comm.stream = 1
// CHECK-NEXT: %[[E:.*]] = comm.record on 1
// CHECK-NEXT: comm.await %[[E]] on 2
// CHECK-NEXT: comm.all_reduce {{.*}}"model"{{.*}}comm.stream = 2
// CHECK-NEXT: %[[F:.*]] = comm.record on 2
// CHECK-NEXT: comm.await %[[F]] on 0
// CHECK-NEXT: dmc.launch @k2
// CHECK-NOT: comm.
// CHECK: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @implied(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    comm.wait %t
    %u = comm.all_reduce sum ins(%b : memref<8xf32>) outs(%c : memref<8xf32>) over {"model"} on #mesh -> !comm.token
    comm.wait %u
    dmc.launch @k2 ins(%b, %c : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// One event for two collectives after each other; each of their results is waited for when it is needed.
// CHECK-LABEL: func.func @one_record
// CHECK: dmc.launch @k2
// CHECK-NEXT: %[[E:.*]] = comm.record on 0
// CHECK-NEXT: comm.await %[[E]] on 1
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: %[[F:.*]] = comm.record on 1
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: %[[G:.*]] = comm.record on 1
// CHECK-NEXT: comm.await %[[F]] on 0
// CHECK-NEXT: dmc.launch @k ins
// CHECK-NEXT: comm.await %[[G]] on 0
// CHECK-NEXT: dmc.launch @k ins
// CHECK-NEXT: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @one_record(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    dmc.launch @k2 ins(%a, %x : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
    %t = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    %u = comm.all_reduce sum ins(%b : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    comm.wait %t
    dmc.launch @k ins(%a : memref<8xf32>) outs(%c : memref<8xf32>)
    comm.wait %u
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// The next value in the same bytes waits until the collective has read them; in the order of the
// program the wait was before.
// CHECK-LABEL: func.func @reuse
// CHECK: comm.all_reduce
// CHECK-NEXT: %[[F:.*]] = comm.record on 1
// CHECK-NEXT: dmc.launch @k ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<8xf32>)
// CHECK-NEXT: comm.await %[[F]] on 0
// CHECK-NEXT: dmc.launch
// CHECK-NEXT: dmc.launch @k2
// CHECK-NEXT: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @reuse(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %t = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    dmc.launch @k ins(%x : memref<8xf32>) outs(%c : memref<8xf32>)
    comm.wait %t
    dmc.launch @k ins(%c : memref<8xf32>) outs(%a : memref<8xf32>)
    dmc.launch @k2 ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// The first copy runs beside a launch; the second one is waited for at once.
// CHECK-LABEL: func.func @copies
// CHECK: memref.copy %{{.*}}, %[[A:.*]] {comm.stream = 1 : i64}
// CHECK-NEXT: %[[E:.*]] = comm.record on 1
// CHECK-NEXT: dmc.launch @k
// CHECK-NEXT: memref.copy %{{.*}}, %{{.*}} : memref
// CHECK-NEXT: comm.await %[[E]] on 0
// CHECK-NEXT: dmc.launch @k2
// CHECK-NEXT: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @copies(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    memref.copy %x, %a : memref<8xf32> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    memref.copy %b, %c : memref<8xf32> to memref<8xf32>
    dmc.launch @k2 ins(%a, %c : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// Each iteration and what follows begin with stream 0 behind the others; what ran beside the
// loop's start is waited for.
// CHECK-LABEL: func.func @loop
// CHECK: comm.all_reduce
// CHECK-NEXT: %[[E:.*]] = comm.record on 1
// CHECK: comm.await %[[E]] on 0
// CHECK-NEXT: scf.for
// CHECK-NEXT: dmc.launch
// CHECK-NEXT: %[[F:.*]] = comm.record on 0
// CHECK-NEXT: comm.await %[[F]] on 1
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: %[[G:.*]] = comm.record on 1
// CHECK-NEXT: comm.await %[[G]] on 0
// CHECK-NEXT: }
// CHECK-NEXT: dmc.launch @k2
// CHECK-NEXT: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @loop(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%d : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    scf.for %i = %c0 to %c64 step %c1 {
      dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
      %u = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh -> !comm.token
      comm.wait %u
    }
    comm.wait %t
    dmc.launch @k2 ins(%x, %d : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// A collective runs beside a loop that has none.
// CHECK-LABEL: func.func @beside_loop
// CHECK: comm.all_reduce
// CHECK-NEXT: %[[E:.*]] = comm.record on 1
// CHECK-NEXT: scf.for
// CHECK-NEXT: dmc.launch
// CHECK-NEXT: }
// CHECK-NEXT: comm.await %[[E]] on 0
// CHECK-NEXT: dmc.launch @k2
// CHECK-NEXT: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @beside_loop(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%d : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    scf.for %i = %c0 to %c64 step %c1 {
      dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    }
    comm.wait %t
    dmc.launch @k2 ins(%b, %d : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

// The order of a loop's first collective on what came before is an event at the iteration's start.
// CHECK-LABEL: func.func @start_of_iteration
// CHECK: scf.for
// CHECK-NEXT: %[[F:.*]] = comm.record on 0
// CHECK-NEXT: comm.await %[[F]] on 1
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: %[[G:.*]] = comm.record on 1
// CHECK-NEXT: dmc.launch
// CHECK-NEXT: comm.await %[[G]] on 0
// CHECK-NEXT: }
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>, dmc.arena_bytes = 256 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @start_of_iteration(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<256xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<256xi8> to memref<8xf32>
    %d = memref.view %arena[%c192][] : memref<256xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    scf.for %i = %c0 to %c64 step %c1 {
      %u = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh -> !comm.token
      dmc.launch @k ins(%x : memref<8xf32>) outs(%c : memref<8xf32>)
      comm.wait %u
    }
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
  func.func private @k2(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

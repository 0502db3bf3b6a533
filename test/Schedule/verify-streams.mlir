// RUN: dmc-opt %s -verify-levels=false -dmc-verify-schedule -split-input-file -verify-diagnostics

// What is right: kernels run beside a collective, another stream knows by one event what two streams did,
// copies run beside a kernel.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verified(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e0 = comm.record on 0
    comm.await %e0 on 1
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %e1 = comm.record on 1
    comm.await %e1 on 2
    comm.all_reduce sum ins(%b : memref<8xf32>) outs(%c : memref<8xf32>) over {"model"} on #mesh {comm.stream = 2 : i64}
    %e2 = comm.record on 2
    memref.copy %x, %nw {comm.stream = 3 : i64} : memref<8xf32> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    // Stream 2 was behind stream 1.
    comm.await %e2 on 0
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    dmc.launch @k ins(%c : memref<8xf32>) outs(%b : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_operand_is_not_computed(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    // expected-error @+1 {{reads bytes that stream 0 may still be writing}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_result_is_not_awaited(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 0
    comm.await %e on 1
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%c : memref<8xf32>)
    // expected-error @+1 {{reads bytes that stream 1 may still be writing}}
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// What is sent is overwritten.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_operand_is_reused(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 0
    comm.await %e on 1
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    // expected-error @+1 {{writes bytes that stream 1 may still be reading}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// The bytes are free in the order of the program, but not yet in that of streams.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_destination_is_reused(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 0
    comm.await %e on 1
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %d = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    // expected-error @+1 {{writes bytes that stream 1 may still be writing}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%d : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// A collective writes where a kernel still reads.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_bytes_were_in_use(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    %e = comm.record on 0
    // expected-note @+1 {{by this operation, which no event orders before it}}
    dmc.launch @k ins(%b : memref<8xf32>) outs(%c : memref<8xf32>)
    comm.await %e on 1
    // expected-error @+1 {{writes bytes that stream 0 may still be reading}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_recorded_early(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    %e = comm.record on 0
    // expected-note @+1 {{by this operation, which no event orders before it}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    comm.await %e on 1
    // expected-error @+1 {{reads bytes that stream 0 may still be writing}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_recorded_on_another_stream(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 2
    comm.await %e on 1
    // expected-error @+1 {{reads bytes that stream 0 may still be writing}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_awaited_on_another_stream(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 0
    comm.await %e on 2
    // expected-error @+1 {{reads bytes that stream 0 may still be writing}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_awaited_late(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 0
    comm.await %e on 1
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %f = comm.record on 1
    // expected-error @+1 {{reads bytes that stream 1 may still be writing}}
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    comm.await %f on 0
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// Stream 2 has not waited for stream 1 when its event is recorded.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_not_transitive(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %e1 = comm.record on 1
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%c : memref<8xf32>) over {"model"} on #mesh {comm.stream = 2 : i64}
    %e2 = comm.record on 2
    comm.await %e1 on 2
    comm.await %e2 on 0
    // expected-error @+1 {{reads bytes that stream 1 may still be writing}}
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// Collectives of different groups are not ordered.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_two_collectives(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    // expected-error @+1 {{reads bytes that stream 1 may still be writing}}
    comm.all_reduce sum ins(%b : memref<8xf32>) outs(%c : memref<8xf32>) over {"model"} on #mesh {comm.stream = 2 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_copy(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    memref.copy %x, %a {comm.stream = 3 : i64} : memref<8xf32> to memref<8xf32>
    // expected-error @+1 {{writes bytes that stream 3 may still be writing}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_one_branch(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %e = comm.record on 1
    %t = memref.load %p[] : memref<i1>
    scf.if %t {
      comm.await %e on 0
    }
    // expected-error @+1 {{reads bytes that stream 1 may still be writing}}
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// A loop may have no iteration.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_no_iteration(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{by this operation, which no event orders before it}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %e = comm.record on 1
    %n = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c1 {
      comm.await %e on 0
    }
    // expected-error @+1 {{reads bytes that stream 1 may still be writing}}
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// The next iteration overwrites what this one sends.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c9_next_iteration(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    %n = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{writes bytes that stream 1 may still be reading}}
      dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
      %e = comm.record on 0
      comm.await %e on 1
      // expected-note @+1 {{by this operation, which no event orders before it}}
      comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    }
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// Each iteration waits for the one before.
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verified_loop(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    %n = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c1 {
      dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
      %e = comm.record on 0
      comm.await %e on 1
      comm.all_reduce sum ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
      %f = comm.record on 1
      comm.await %f on 0
    }
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    dmc.launch @k ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1, "p" : tensor<i1, #dmc.layout<#mesh, []>>], results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @verify_c10(%x: memref<8xf32>, %w: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %c = memref.view %arena[%c128][] : memref<192xi8> to memref<8xf32>
    // expected-note @+1 {{the other collective}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%b : memref<8xf32>) over {"model"} on #mesh {comm.stream = 2 : i64}
    // expected-error @+1 {{runs on stream 2, and another collective of its groups on stream 1: ranks could execute them in different orders}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%c : memref<8xf32>) over {"data"} on #mesh {comm.stream = 2 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// RUN: dmc-opt %s -verify-levels=false -dmc-verify-schedule -split-input-file -verify-diagnostics

// What is right: buffers follow each other in the same bytes, one is updated in
// place, a donated argument is updated, a collective is in flight meanwhile.
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["w" : tensor<8xf32, #r> donates 0, "x" : tensor<16xf32, #d>], results ["nw" : tensor<8xf32, #r>, "y" : tensor<8xf32, #r>]>} {
  func.func @verified(%w: memref<8xf32>, %x: memref<8xf32>, %nw: memref<8xf32>, %y: memref<8xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %b = memref.view %arena[%c0][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) {in_place = array<i64: 0>}
    %c = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    %t = comm.all_reduce sum ins(%b : memref<8xf32>) outs(%c : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    dmc.launch @k ins(%w : memref<8xf32>) outs(%nw : memref<8xf32>) {in_place = array<i64: 0>}
    %d = memref.view %arena[%c128][] : memref<192xi8> to memref<2x4xf32>
    %e = memref.collapse_shape %d [[0, 1]] : memref<2x4xf32> into memref<8xf32>
    dmc.launch @k ins(%b : memref<8xf32>) outs(%e : memref<8xf32>)
    comm.wait %t
    memref.copy %c, %y : memref<8xf32> to memref<8xf32>
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results []>} {
  // expected-error @+1 {{expected 1 arguments, 0 results and the arena as arguments and no results}}
  func.func @verify_c1_no_arena(%x: memref<8xf32>) {
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results []>} {
  // expected-error @+1 {{expected argument "x" to have shape [8], found 'memref<4xf32>'}}
  func.func @verify_c1_shape(%x: memref<4xf32>, %arena: memref<64xi8>) {
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 128 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  // expected-error @+1 {{expected an arena of 128 bytes, found 'memref<64xi8>'}}
  func.func @verify_c1_arena_bytes(%arena: memref<64xi8>) {
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 128 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @verify_c2_alignment(%arena: memref<128xi8>) {
    %c32 = arith.constant 32 : index
    %small = memref.view %arena[%c32][] : memref<128xi8> to memref<8xf32>
    // expected-error @+1 {{expected an offset aligned to 64 bytes, found 32}}
    %a = memref.view %arena[%c32][] : memref<128xi8> to memref<16xf32>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @verify_c2_small_alignment(%arena: memref<64xi8>) {
    %c8 = arith.constant 8 : index
    // expected-error @+1 {{expected an offset aligned to 16 bytes, found 8}}
    %a = memref.view %arena[%c8][] : memref<64xi8> to memref<2xf32>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @verify_c2_bounds(%arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected bytes within the arena of 64 bytes, found [0, 128)}}
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<32xf32>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @verify_c2_dynamic_offset(%arena: memref<64xi8>) {
    %i = comm.axis_index {"data"} on #dmc.mesh<"data" = 2>
    // expected-error @+1 {{expected a constant offset}}
    %a = memref.view %arena[%i][] : memref<64xi8> to memref<8xf32>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 128 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c3_same_bytes(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<128xi8>) {
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf32>
    %b = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    // expected-note @+1 {{overwritten here}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    // expected-error @+1 {{reads bytes that another buffer has overwritten}}
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 192 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>, "z" : tensor<32xf32>], results ["y" : tensor<32xf32>]>} {
  func.func @verify_c3_some_bytes(%x: memref<8xf32>, %z: memref<32xf32>, %y: memref<32xf32>, %arena: memref<192xi8>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = memref.view %arena[%c0][] : memref<192xi8> to memref<32xf32>
    %b = memref.view %arena[%c64][] : memref<192xi8> to memref<8xf32>
    dmc.launch @k32 ins(%z : memref<32xf32>) outs(%a : memref<32xf32>)
    // expected-note @+1 {{overwritten here}}
    dmc.launch @k8 ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    // expected-error @+1 {{reads bytes that another buffer has overwritten}}
    dmc.launch @k32 ins(%a : memref<32xf32>) outs(%y : memref<32xf32>)
    return
  }
  func.func private @k8(memref<8xf32>, memref<8xf32>)
  func.func private @k32(memref<32xf32>, memref<32xf32>)
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c3_never_written(%y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    // expected-error @+1 {{reads bytes that are not written}}
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["w" : tensor<8xf32> donates 0], results ["nw" : tensor<8xf32>, "y" : tensor<8xf32>]>} {
  func.func @verify_c3_donated_too_early(%w: memref<8xf32>, %nw: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    // expected-note @+1 {{overwritten here}}
    dmc.launch @k ins(%w : memref<8xf32>) outs(%nw : memref<8xf32>) {in_place = array<i64: 0>}
    // expected-error @+1 {{reads bytes that another buffer has overwritten}}
    dmc.launch @k ins(%w : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>, "z" : tensor<8xf32>], results []>} {
  func.func @verify_c4(%x: memref<8xf32>, %z: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @+1 {{writes argument 1, which is not donated}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%z : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results []>} {
  func.func @verify_c5(%x: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @+1 {{is not an operation of a scheduled program}}
    %a = memref.alloc() : memref<8xf32>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["w" : tensor<8xf32> donates 0], results ["nw" : tensor<8xf32>]>} {
  func.func @verify_c6_not_paired(%w: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @+1 {{writes bytes that it reads: destination 0 and operand 0}}
    dmc.launch @k ins(%w : memref<8xf32>) outs(%nw : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c6_twice(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @+1 {{writes bytes twice: destinations 0 and 1}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%y, %y : memref<8xf32>, memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_never_waited(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @+1 {{is never waited for}}
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_waited_twice(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    comm.wait %t
    // expected-error @+1 {{waits for a collective that is not in flight}}
    comm.wait %t
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_read_in_flight(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-note @+1 {{started here}}
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    // expected-error @+1 {{touches bytes of a collective in flight}}
    memref.copy %y, %z : memref<8xf32> to memref<8xf32>
    comm.wait %t
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["w" : tensor<8xf32> donates 0], results ["nw" : tensor<8xf32>, "y" : tensor<8xf32>]>} {
  // Result 0 is the donated argument, unchanged.
  func.func @verify_c8(%w: memref<8xf32>, %nw: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @+1 {{result 1 is not written}}
    return
  }
}

// -----

// The first iteration finds what it reads; the second does not.
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c3_next_iteration(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    %b = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    scf.for %i = %c0 to %c3 step %c1 {
      // expected-error @+1 {{reads bytes that another buffer has overwritten}}
      dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
      // expected-note @+1 {{overwritten here}}
      dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    }
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// Written in a loop that may run no iteration.
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c3_no_iteration(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    scf.for %i = %c0 to %c1 step %c1 {
      dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    }
    // expected-error @+1 {{reads bytes that are not written}}
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// One of two branches overwrites.
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>, "c" : tensor<i1>], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c3_branch(%x: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    %b = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %c = memref.load %p[] : memref<i1>
    scf.if %c {
      // expected-note @+1 {{overwritten here}}
      dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    }
    // expected-error @+1 {{reads bytes that another buffer has overwritten}}
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results []>} {
  // expected-error @+1 {{expected arguments that are memrefs of static shape and identity layout, found 'memref<8xf32, strided<[2]>>'}}
  func.func @verify_c1_layout(%x: memref<8xf32, strided<[2]>>, %arena: memref<64xi8>) {
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  // expected-error @+1 {{expected an entry with one block}}
  func.func @verify_c1_blocks(%arena: memref<64xi8>) {
    cf.br ^next
  ^next:
    return
  }
}

// -----

// expected-error @+1 {{expected a 'dmc.program' at level scheduled}}
module @verify_c1_level {
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xi8>], results []>} {
  func.func @verify_c2_source(%x: memref<8xi8>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected a view of the arena}}
    %a = memref.view %x[%c0][] : memref<8xi8> to memref<8xi8>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @verify_c2_static(%arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected a static shape, found 'memref<?xf32>'}}
    %a = memref.view %arena[%c0][%c0] : memref<64xi8> to memref<?xf32>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments [], results []>} {
  func.func @verify_c2_arena(%arena: memref<64xi8>) {
    // expected-error @+1 {{'memref.expand_shape' op accesses the arena without a view}}
    %a = memref.expand_shape %arena [[0, 1]] output_shape [8, 8] : memref<64xi8> into memref<8x8xi8>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results []>} {
  func.func @verify_c2_memory(%x: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (memref<8xf32>) {
      // expected-error @+1 {{accesses memory that is neither an argument nor in the arena}}
      %v = memref.load %a[%c0] : memref<8xf32>
      scf.yield %a : memref<8xf32>
    }
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 128 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @verify_c7_block(%x: memref<8xf32>, %arena: memref<128xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf32>
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @+1 {{'comm.all_reduce' op is not waited for in its block}}
      %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    }
    return
  }
}

// -----

// An index has 64 bits.
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<2xindex>], results ["y" : tensor<2xindex>]>} {
  func.func @verified_index(%x: memref<2xindex>, %y: memref<2xindex>, %arena: memref<64xi8>) {
    memref.copy %x, %y : memref<2xindex> to memref<2xindex>
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<2xindex>], results []>} {
  // expected-error @+1 {{expected argument "x" to have shape [2], found 'memref<2xi32>'}}
  func.func @verify_c1_width(%x: memref<2xi32>, %arena: memref<64xi8>) {
    return
  }
}

// -----

module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>, "z" : tensor<8xf32>]>} {
  func.func @verify_c8_first(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %arena: memref<0xi8>) {
    memref.copy %x, %z : memref<8xf32> to memref<8xf32>
    // expected-error @+1 {{result 0 is not written}}
    return
  }
}

// -----

// The other of two branches overwrites.
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p", arguments ["x" : tensor<8xf32>, "c" : tensor<i1>], results ["y" : tensor<8xf32>]>} {
  func.func @verify_c3_other_branch(%x: memref<8xf32>, %p: memref<i1>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    %b = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %c = memref.load %p[] : memref<i1>
    scf.if %c {
    } else {
      // expected-note @+1 {{overwritten here}}
      dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    }
    // expected-error @+1 {{reads bytes that another buffer has overwritten}}
    dmc.launch @k ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_written_in_flight(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-note @+1 {{started here}}
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    // expected-error @+1 {{touches bytes of a collective in flight}}
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    comm.wait %t
    return
  }
}

// -----

// What is sent may be read meanwhile, but not written.
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_operand_in_flight(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %arena: memref<0xi8>) {
    memref.copy %x, %z : memref<8xf32> to memref<8xf32>
    // expected-note @+1 {{started here}}
    %t = comm.all_reduce sum ins(%z : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    // expected-error @+1 {{touches bytes of a collective in flight}}
    memref.copy %x, %z : memref<8xf32> to memref<8xf32>
    comm.wait %t
    return
  }
}

// -----

// A collective may be in flight while a loop runs that does not touch its bytes.
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #r>]>} {
  func.func @verified_flight_over_loop(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %arena: memref<0xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    memref.copy %x, %z : memref<8xf32> to memref<8xf32>
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    scf.for %i = %c0 to %c1 step %c1 {
      memref.copy %x, %z : memref<8xf32> to memref<8xf32>
    }
    comm.wait %t
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_touched_in_loop(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %arena: memref<0xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{started here}}
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @+1 {{touches bytes of a collective in flight}}
      memref.copy %y, %z : memref<8xf32> to memref<8xf32>
    }
    comm.wait %t
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @verify_c7_waited_in_loop(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{is not waited for in its block}}
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    scf.for %i = %c0 to %c1 step %c1 {
      comm.wait %t
    }
    return
  }
}

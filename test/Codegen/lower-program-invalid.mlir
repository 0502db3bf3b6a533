// RUN: dmc-opt %s --dmc-lower-program --verify-levels=false -split-input-file -verify-diagnostics

// expected-error @below {{expected a module with the attribute 'dmc.program'}}
module {
}

// -----

#mesh = #dmc.mesh<"d" = 1>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  // expected-error @below {{expected arguments for 1 arguments, 0 results and the arena, and no results}}
  func.func @main(%x: memref<8xf32>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 1>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @below {{code generation does not support 'memref.alloc' in the rank function}}
    %0 = memref.alloc() : memref<8xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
// expected-error @below {{expected a program at level 'scheduled', found 'ranks'}}
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  // expected-error @below {{expected arguments for 1 arguments, 0 results and the arena, and no results; found}}
  func.func @main(%x: memref<8xf32>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  // expected-error @below {{expected static memrefs as arguments, found 'memref<?xf32>'}}
  func.func @main(%x: memref<?xf32>, %arena: memref<64xi8>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
// expected-error @below {{'x' has element type 'i4', which the runtime does not have}}
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xi4, #r>], results []>} {
  func.func @main(%x: memref<8xi4>, %arena: memref<64xi8>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  // expected-error @below {{expected a rank function of one block}}
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    cf.br ^next
  ^next:
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    %i = comm.axis_index {"d"} on #mesh
    %a = memref.view %arena[%i][] : memref<64xi8> to memref<8xf32>
    // expected-error @below {{expected buffers at constant offsets of arguments}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    return
  }
  func.func private @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {dmc.kernel_function} {
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    // expected-error @below {{expected a kernel function with a body}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xi4>, %arena: memref<64xi8>) {
    // expected-error @below {{expected memrefs of an element type that the runtime has}}
    comm.all_reduce sum ins(%x : memref<8xi4>) outs(%x : memref<8xi4>) over {"d"} on #mesh
    return
  }
}

// -----

#other = #dmc.mesh<"e" = 2>
#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    // expected-error @below {{expected the mesh of the program}}
    comm.all_reduce sum ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) over {"e"} on #other
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = comm.all_reduce sum ins(%x : memref<8xf32>) outs(%x : memref<8xf32>) over {"d"} on #mesh -> !comm.token
    // expected-error @below {{expected scalars that the rank function computes}}
    scf.for %i = %c0 to %c1 step %c1 iter_args(%u = %t) -> (!comm.token) {
      comm.wait %u
      scf.yield %u : !comm.token
    }
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    dmc.launch @k ins() outs(%x : memref<8xf32>)
    return
  }
  func.func private @dmc_contract_other(memref<8xf32>)
  func.func private @k(%x: memref<8xf32>) attributes {dmc.kernel_function} {
    // expected-error @below {{expected a call of a function with a body or of a library}}
    call @dmc_contract_other(%x) : (memref<8xf32>) -> ()
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8x8xf32, #r>], results []>} {
  func.func @main(%x: memref<8x8xf32>, %arena: memref<64xi8>) {
    dmc.launch @k ins() outs(%x : memref<8x8xf32>)
    return
  }
  func.func private @dmc_contract(memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) attributes {dmc.contraction = {accumulate = false, unsigned = array<i1: false, false>, loops = array<i64: 0, 1, 1, 1>, offsets = array<i64: 0, 0, 0>, sizes = array<i64: 8, 8, 8>, strides_a = array<i64: 8, 0, 1>, strides_b = array<i64: 0, 1, 8>, strides_c = array<i64: 8, 1, 0>}}
  func.func private @k(%x: memref<8x8xf32>) attributes {dmc.kernel_function} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    call @dmc_contract(%x, %x, %x) : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> ()
    // expected-error @below {{expected nests and library calls alone in a kernel that has any}}
    memref.store %zero, %x[%c0, %c0] : memref<8x8xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8x8xf32, #r>], results []>} {
  func.func @main(%x: memref<8x8xf32>, %arena: memref<64xi8>) {
    dmc.launch @k ins() outs(%x : memref<8x8xf32>)
    return
  }
  func.func private @dmc_contract(memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) attributes {dmc.contraction = {accumulate = false, unsigned = array<i1: false, false>, loops = array<i64: 0, 1, 1, 1>, offsets = array<i64: 0, 0, 0>, sizes = array<i64: 8, 8, 8>, strides_a = array<i64: 8, 0, 1>, strides_b = array<i64: 0, 1, 8>, strides_c = array<i64: 8, 1, 0>}}
  func.func private @k(%x: memref<8x8xf32>) attributes {dmc.kernel_function} {
    %t = memref.alloca() : memref<8x8xf32>
    // expected-error @below {{expected a library call on arguments of the kernel}}
    call @dmc_contract(%x, %t, %x) : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> ()
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results []>,
    dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>} {
  func.func @main(%x: memref<8xf32>, %arena: memref<64xi8>) {
    dmc.launch @k ins() outs(%x : memref<8xf32>)
    return
  }
  // expected-error @below {{unsupported: a kernel for a device that is not made of tensors}}
  func.func private @k(%x: memref<8xf32>) attributes {dmc.kernel_function} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%c0] : memref<8xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"d" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>,
    dmc.target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>} {
  func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<0xi8>) {
    // expected-error @below {{unsupported: a launch on stream 1, expected the stream of all launches, 0}}
    dmc.launch @k ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {stream = 1 : i64}
    return
  }
  func.func private @k(memref<8xf32>, memref<8xf32>)
}

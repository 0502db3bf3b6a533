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

// RUN: dmc-opt %s -split-input-file -verify-diagnostics -verify-levels=false --dmc-verify-ranks

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module @accepted attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments ["a" : tensor<5xui8, #x>], results ["y" : tensor<5xui8, #r>]>} {
  func.func @main(%a: tensor<3xi8>) -> tensor<5xi8> {
    %i = comm.axis_index {"x"} on #mesh
    %e = tensor.empty() : tensor<6xi8>
    %g = comm.all_gather ins(%a : tensor<3xi8>) outs(%e : tensor<6xi8>) dim 0 over {"x"} on #mesh -> tensor<6xi8>
    %y = tensor.extract_slice %g[0] [5] [1] : tensor<6xi8> to tensor<5xi8>
    return %y : tensor<5xi8>
  }
}

// -----

// expected-error@+1 {{expects a dmc.program of level ranks with a mesh}}
module @c1_no_program {
  func.func @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
// expected-error@+1 {{expects a dmc.program of level ranks with a mesh}}
module @c1_other_level attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
// expected-error@+1 {{expects one public function with a body}}
module @c1_no_entry attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func private @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
module @c1_two_entries attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    return
  }
  // expected-error@+1 {{expects to be the only public function}}
  func.func @other() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @c2_layout attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    // expected-error@+1 {{expects types without layout in a rank program, found 'tensor<4xf32}}
    %e = tensor.empty() : tensor<4xf32, #x>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
module @c2_dynamic attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    %n = arith.constant 4 : index
    // expected-error@+1 {{expects static tensors in a rank program, found 'tensor<?xf32>'}}
    %e = tensor.empty(%n) : tensor<?xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
module @c3_movement attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments ["a" : tensor<4xf32, #r>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{is a move between layouts; expected none in a rank program}}
    %y = dmc.constrain %a : tensor<4xf32> to #r
    return %y : tensor<4xf32>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @c4_shape attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments ["a" : tensor<5xf32, #x>], results ["y" : tensor<5xf32, #x>]>} {
  // expected-error@+1 {{expects argument 0 to be 'tensor<3xf32>', the local part of the program's 'tensor<5xf32}}
  func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
    return %a : tensor<5xf32>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @c4_element_type attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments ["a" : tensor<4xui8, #x>], results ["y" : tensor<4xf32, #x>]>} {
  // expected-error@+1 {{expects result 0 to be 'tensor<2xf32>'}}
  func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {
    return %a : tensor<2xi8>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @c4_count attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results []>} {
  // expected-error@+1 {{expects 1 arguments, as the program has, found 0}}
  func.func @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#other = #dmc.mesh<"x" = 4>
module @c5_mesh_of_collective attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    %a = tensor.empty() : tensor<4xf32>
    // expected-error@+1 {{expects the program's mesh}}
    %b = comm.all_reduce sum ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) over {"x"} on #other -> tensor<4xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#other = #dmc.mesh<"x" = 4>
module @c5_mesh_of_axis_index attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    // expected-error@+1 {{expects the program's mesh}}
    %i = comm.axis_index {"x"} on #other
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
module @c6_region attributes {dmc.program = #dmc.program<ranks "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    %a = tensor.empty() : tensor<4xf32>
    %r = dmc.kernel ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%x: tensor<4xf32>, %d: tensor<4xf32>):
      // expected-error@+1 {{expects to stand in the function's body or in scf regions, found in dmc.kernel}}
      %b = comm.all_reduce sum ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) over {"x"} on #mesh -> tensor<4xf32>
      dmc.yield %b : tensor<4xf32>
    }
    return
  }
}

// -----

// verify_ranks_c4
#mesh = #dmc.mesh<"x" = 2>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<4xf32>], results []>} {
  // expected-error@+1 {{expects a layout of the program's argument 0, found 'tensor<4xf32>'}}
  func.func @main(%a: tensor<4xf32>) {
    return
  }
}

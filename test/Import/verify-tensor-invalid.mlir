// RUN: dmc-opt %s -split-input-file --verify-levels=false --dmc-verify-tensor -verify-diagnostics

// expected-error@below {{expected a public function, the entry; found none}}
module @verify_tensor_c1 attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
}

// -----

module @verify_tensor_c1_second attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
  func.func @main() {
    return
  }
  // expected-error@below {{'func.func' op stands beside the entry of a tensor program; expected it to be inlined}}
  func.func private @other() {
    return
  }
}

// -----

module @verify_tensor_c2_complex attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<4xf32>], results []>} {
  func.func @main(%x: tensor<4xf32>) {
    // expected-error@below {{unsupported: 'tensor.empty' makes a value of type 'tensor<4xcomplex<f32>>'; expected elements of type i1, i8 to i64, f16, bf16, f32 or f64}}
    %0 = tensor.empty() : tensor<4xcomplex<f32>>
    return
  }
}

// -----

module @verify_tensor_c2_index attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
  func.func @main() {
    // expected-error@below {{unsupported: 'tensor.empty' makes a value of type 'tensor<4xindex>'}}
    %0 = tensor.empty() : tensor<4xindex>
    return
  }
}

// -----

module @verify_tensor_c2_memref attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
  func.func @main() {
    // expected-error@below {{unsupported: 'memref.alloc' makes a value of type 'memref<4xf32>'; expected ranked tensors of static shape}}
    %0 = memref.alloc() : memref<4xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#data = #dmc.layout<#mesh, [{"data"}]>
module @verify_tensor_c2_layout attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  func.func @main() {
    // expected-error@below {{'tensor.empty' op expects types without layout in a tensor program}}
    %0 = tensor.empty() : tensor<4xf32, #data>
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module @verify_tensor_c3 attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  func.func @main() {
    // expected-error@below {{'comm.axis_index' op belongs in a rank program or in dmc.manual, found in a tensor program}}
    %0 = comm.axis_index {"data"} on #mesh
    return
  }
}

// -----

module @verify_tensor_c3_foreign attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<4xf32>], results []>} {
  func.func @main(%x: tensor<4xf32>) {
    // expected-error@below {{unsupported: 'stablehlo.add' in a tensor program; expected operations of linalg, tensor, arith and math}}
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return
  }
}

// -----

module @verify_tensor_c3_kernel attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<4xf32>], results []>} {
  func.func @main(%x: tensor<4xf32>) {
    // expected-error@below {{'dmc.kernel' op is not an operation of a tensor program}}
    %0 = dmc.kernel ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      dmc.yield %a : tensor<4xf32>
    }
    return
  }
}

// -----

module @verify_tensor_c4 attributes {dmc.program = #dmc.program<tensor "p", arguments ["x" : tensor<4xui8>], results []>} {
  // expected-error@below {{'func.func' op expects argument 0 to be 'tensor<4xi8>', as the program has, found 'tensor<4xi16>'}}
  func.func @main(%x: tensor<4xi16>) {
    return
  }
}

// -----

module @verify_tensor_c4_count attributes {dmc.program = #dmc.program<tensor "p", arguments [], results ["y" : tensor<4xf32>]>} {
  // expected-error@below {{'func.func' op expects 1 results, as the program has, found 0}}
  func.func @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
module @verify_tensor_c5 attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["x" : tensor<4xf32>], results []>} {
  // expected-error@below {{'func.func' op expects 'dmc.replicated' on values whose layout the program says, found it on "x"}}
  func.func @main(%x: tensor<4xf32> {dmc.replicated = #dmc.axes<{"data"}>}) {
    return
  }
}

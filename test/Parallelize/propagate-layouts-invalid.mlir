// RUN: dmc-opt %s -split-input-file --dmc-propagate-layouts -verify-diagnostics

// expected-error@below {{expected a module with a dmc.program}}
module {
  func.func @main(%a: tensor<8xf32>) {
    return
  }
}

// -----

module attributes {dmc.program = #dmc.program<tensor "p", arguments ["a" : tensor<8xf32>], results []>} {
  // expected-error@below {{expected argument 0 ("a") to have the shape of 'tensor<8xf32>', found 'tensor<4xf32>'}}
  func.func @main(%a: tensor<4xf32>) {
    return
  }
}

// -----

// expected-error@below {{expected a public function with a body, found none}}
module attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
}

// -----

module attributes {dmc.program = #dmc.program<tensor "p", arguments ["a" : tensor<8xf32>], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    // expected-error@below {{expected tensors of static shape}}
    %0 = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
    return
  }
}

// -----

#other = #dmc.layout<#dmc.mesh<"data" = 4>, [{"data"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #dmc.mesh<"data" = 2>, arguments ["a" : tensor<8xf32>], results []>} {
  func.func @constraint_of_another_mesh(%a: tensor<8xf32>) {
    // expected-error@below {{'dmc.constrain' op expected a layout on the program's mesh #dmc.mesh<"data" = 2>, found}}
    %0 = dmc.constrain %a to #other : tensor<8xf32>
    return
  }
}

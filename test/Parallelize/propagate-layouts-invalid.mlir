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
    %0 = dmc.constrain %a : tensor<8xf32> to #other
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32>], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    // expected-error@below {{asks for a layout of dimension 0 other than that of another member of its group; expected one layout for a group}}
    %0 = dmc.constrain %a : tensor<8xf32> to #r group 1
    %1 = dmc.constrain %a : tensor<8xf32> to #x group 1
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32, #x>], results []>} {
  // expected-error@below {{expected dmc.priorities to have one number for each of the 1 dimensions, found 2}}
  func.func @main(%a: tensor<8xf32> {dmc.priorities = array<i64: 1, 0>}) {
    return
  }
}

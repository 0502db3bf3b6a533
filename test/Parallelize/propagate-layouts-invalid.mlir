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
    // expected-note@below {{asks for the layout [{}]}}
    %0 = dmc.constrain %a : tensor<8xf32> to #r group 1
    // expected-error@+2 {{constraints of one group cannot hold together: dimension 0 would be split in two ways}}
    // expected-note@below {{asks for the layout [{"x"}]}}
    %1 = dmc.constrain %a : tensor<8xf32> to #x group 1
    return
  }
}

// -----

// The smallest set is named: the second member can be without the others, and the first and the
// third go together as long as the fourth is not there.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
#y = #dmc.layout<#mesh, [{}, {"y"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}, {}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x8xf32>], results []>} {
  func.func @main(%a: tensor<8x8xf32>) {
    %0 = dmc.constrain %a : tensor<8x8xf32> to #x open [0, 1] group 1
    %1 = dmc.constrain %a : tensor<8x8xf32> to #r open [0, 1] group 1
    // expected-note@below {{asks for the layout [{}, {"y"}], or more}}
    %2 = dmc.constrain %a : tensor<8x8xf32> to #y open [0, 1] group 1
    // expected-error@+2 {{constraints of one group cannot hold together: axis "y" would split dimensions 0 and 1}}
    // expected-note@below {{asks for the layout [{"x", "y"}, {}], or more}}
    %3 = dmc.constrain %a : tensor<8x8xf32> to #xy open [0, 1] group 1
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32, #x>], results []>} {
  // expected-error@below {{argument 0: expected 'dmc.priorities' to have one number for each dimension of 'tensor<8xf32>', found 2}}
  func.func @main(%a: tensor<8xf32> {dmc.priorities = array<i64: 1, 0>}) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["a" : tensor<8xf32>], results []>} {
  // expected-error@below {{expected a function of one block}}
  func.func @main(%a: tensor<8xf32>) {
    cf.br ^next
  ^next:
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#sd = #dmc.layout<#mesh, [{}], sum {"data"}>
#xm = #dmc.layout<#mesh, [{}], max {"model"}>
#p0 = #dmc.layout<#mesh, [{}], placed {"data" = 0}>
#p1 = #dmc.layout<#mesh, [{}], placed {"data" = 1}>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["a" : tensor<8xf32>], results []>} {
  // expected-error@below {{expected argument 0 of a tensor program without layout, found}}
  func.func @main(%a: tensor<8xf32, #r>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["a" : tensor<8xf32>], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    // expected-error@below {{'scf.forall' op is control flow for which no layouts can be propagated}}
    %0 = scf.forall (%i) in (4) shared_outs(%o = %a) -> (tensor<8xf32>) {
    }
    return
  }
}

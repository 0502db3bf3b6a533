// RUN: dmc-opt %s -split-input-file --verify-levels=false --dmc-materialize-moves -verify-diagnostics

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["a" : tensor<8xf32, #r>], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@below {{'linalg.map' op has no dmc.layouts; dmc-propagate-layouts writes them}}
    %0 = linalg.map { arith.negf } ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>)
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
// expected-error@below {{expected layouts of all arguments and results in dmc.program}}
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["a" : tensor<8xf32>], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
// expected-error@below {{expected as many arguments and results in dmc.program as the entry has}}
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments [], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    return
  }
}

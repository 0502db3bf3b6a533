// A scalar goes from the position that holds it to all others, one a round: who receives nothing in a round keeps
// what it has.
// RUN: rm -rf %t && dmc-interpret %s --seed 3 --output-dir %t
// RUN: env DMC_POISON=1 dmc-run %s --seed 3 --expect-dir %t --rtol=0 --atol=0 | FileCheck %s

// CHECK: check passed
#mesh = #dmc.mesh<"x" = 3>
#r = #dmc.layout<#mesh, []>
#p = #dmc.layout<#mesh, [], placed {"x" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<f32, #r>], results ["y" : tensor<f32, #r>]>} {
  func.func @main(%a: tensor<f32, #r>) -> tensor<f32, #r> {
    %p = dmc.place %a over {"x"} : tensor<f32, #r> to tensor<f32, #p>
    %y = dmc.redistribute %p : tensor<f32, #p> to tensor<f32, #r>
    return %y : tensor<f32, #r>
  }
}

// RUN: dmc-opt %s -verify-diagnostics -verify-levels=false --dmc-to-ranks

// A layout says where operands are, not what a body reads beside them.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["i" : tensor<4xi32, #r>, "t" : tensor<6xf32, #x>], results ["r" : tensor<4xf32, #r>]>} {
  func.func @main(%i: tensor<4xi32, #r>, %t: tensor<6xf32, #x>) -> tensor<4xf32, #r> {
    %e = tensor.empty() : tensor<4xf32, #r>
    %0 = linalg.map ins(%i : tensor<4xi32, #r>) outs(%e : tensor<4xf32, #r>) (%a: i32, %o: f32) {
      %index = arith.index_cast %a : i32 to index
      // expected-error @below {{is unsupported: the body reads 'tensor<6xf32, #dmc.layout<#dmc.mesh<"x" = 2>, [{"x"}]>>'; expected a replicated tensor, or an operand}}
      %element = tensor.extract %t[%index] : tensor<6xf32, #x>
      linalg.yield %element : f32
    }
    return %0 : tensor<4xf32, #r>
  }
}

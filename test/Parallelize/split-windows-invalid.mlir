// RUN: dmc-opt %s --dmc-split-windows -verify-diagnostics

// Seven rows on 2 x 3 positions: blocks begin at 0, 2, 4, 4, 6 and 7.
#m = #dmc.mesh<"a" = 2, "b" = 3>
#x = #dmc.layout<#m, [{"a", "b"}]>
module attributes {dmc.program = #dmc.program<tensor "pad" on #m,
    arguments ["x" : tensor<5xf32, #x>], results ["y" : tensor<7xf32, #x>]>} {
  func.func @main(%x: tensor<5xf32>) -> tensor<7xf32> {
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{is unsupported: loop 1 of 7 positions is split into blocks that do not begin at multiples of their size, and reads around its positions}}
    %p = tensor.pad %x low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>} : tensor<5xf32> to tensor<7xf32>
    return %p : tensor<7xf32>
  }
}

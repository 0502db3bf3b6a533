// A gathered value in front of a loop is alive as long as the loop runs: it is hoisted only where
// the machine's memory has room for it.
// RUN: dmc-opt %s --dmc-hoist-moves | FileCheck %s --check-prefix=HOISTED
// RUN: dmc-opt %s --dmc-hoist-moves=machine=capacity=1e6 | FileCheck %s --check-prefix=HOISTED
// RUN: dmc-opt %s --dmc-hoist-moves=machine=capacity=20000 | FileCheck %s --check-prefix=LEFT
// RUN: dmc-opt %s --dmc-hoist-moves=machine=capacity=20000 --verify-numeric -o /dev/null

// HOISTED: dmc.combine
// HOISTED: scf.for
// HOISTED-NOT: dmc.combine
// LEFT-NOT: dmc.combine
// LEFT: scf.for
// LEFT: dmc.combine
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<32x32xf32, #r>, "w" : tensor<32x32xf32, #rows>], results ["y" : tensor<32x32xf32, #r>]>} {
  func.func @main(%a: tensor<32x32xf32, #r>, %w: tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #r> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<32x32xf32, #r>
    %f = tensor.empty() : tensor<32x32xf32, #rows>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %a) -> (tensor<32x32xf32, #r>) {
      %t = linalg.map { math.tanh } ins(%w : tensor<32x32xf32, #rows>) outs(%f : tensor<32x32xf32, #rows>)
      %g = dmc.combine %t along {"x"} in 0 : tensor<32x32xf32, #rows> to tensor<32x32xf32, #r>
      %n = linalg.map { arith.addf } ins(%v, %g : tensor<32x32xf32, #r>, tensor<32x32xf32, #r>) outs(%e : tensor<32x32xf32, #r>)
      scf.yield %n : tensor<32x32xf32, #r>
    }
    return %s : tensor<32x32xf32, #r>
  }
}

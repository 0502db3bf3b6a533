// A program that a wrong pass changes, without what does not matter for it.
// RUN: dmc-reduce %s --reduction-tree="traversal-mode=0 test=%S/Inputs/dmc-reduce/differs.sh test-arg=%dmc_lib/DMCTestPasses.so" | FileCheck %s

module attributes {dmc.program = #dmc.program<tensor "p",
    arguments ["a" : tensor<5xf32>, "b" : tensor<5xf32>], results ["r" : tensor<5xf32>]>} {
  // CHECK: func.func @main(%[[A:.*]]: tensor<5xf32>, %[[B:.*]]: tensor<5xf32>)
  // CHECK-NOT: negf
  // CHECK-NOT: addf
  // CHECK: %[[R:.*]] = linalg.map { arith.subf } ins(%[[A]], %[[B]]
  // CHECK-NOT: mulf
  // CHECK: return %[[R]]
  func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
    %e = tensor.empty() : tensor<5xf32>
    %0 = linalg.map { arith.negf } ins(%b : tensor<5xf32>) outs(%e : tensor<5xf32>)
    %1 = linalg.map { arith.addf } ins(%a, %0 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>)
    %2 = linalg.map { arith.subf } ins(%a, %b : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>)
    %3 = linalg.map { arith.mulf } ins(%0, %1 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>)
    return %2 : tensor<5xf32>
  }
}

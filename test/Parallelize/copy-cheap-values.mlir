// RUN: dmc-opt %s --dmc-copy-cheap-values | FileCheck %s

// Without copies, the layout of x would leak to y through the rate's broadcast.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>, %[[RATE:.*]]: tensor<f32>
module attributes {dmc.program = #dmc.program<tensor "p",
    arguments ["x" : tensor<8xf32>, "y" : tensor<8xf32>, "rate" : tensor<f32>],
    results ["a" : tensor<8xf32>, "b" : tensor<8xf32>, "c" : tensor<8xf32>]>} {
  func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %rate: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %b = linalg.broadcast ins(%rate : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
    %n = linalg.map { arith.negf } ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>)
    // CHECK: %[[B0:.+]] = linalg.broadcast ins(%[[RATE]]
    // CHECK: %[[N0:.+]] = linalg.map { arith.negf } ins(%[[B0]]
    // CHECK: %[[A:.+]] = linalg.map { arith.mulf } ins(%[[X]], %[[N0]]
    %0 = linalg.map { arith.mulf } ins(%x, %n : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    // CHECK: %[[B1:.+]] = linalg.broadcast ins(%[[RATE]]
    // CHECK: %[[N1:.+]] = linalg.map { arith.negf } ins(%[[B1]]
    // CHECK: %[[C:.+]] = linalg.map { arith.mulf } ins(%[[Y]], %[[N1]]
    %1 = linalg.map { arith.mulf } ins(%y, %n : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    // What comes from a tensor is not cheap.
    // CHECK: %[[EXP:.+]] = linalg.map { math.exp } ins(%[[X]]
    // CHECK: linalg.map { arith.addf } ins(%[[EXP]], %[[EXP]]
    // CHECK-NOT: math.exp
    %2 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
    %3 = linalg.map { arith.addf } ins(%2, %2 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    return %0, %1, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

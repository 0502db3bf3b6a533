// Weights are split by structure: pairs of columns and rows, and experts.
// RUN: dmc-opt %s --pass-pipeline='builtin.module(transform-interpreter)' -split-input-file -verify-diagnostics | FileCheck %s

// The first pair is split; behind it a mean over the columns lies between the weights: there every
// rank has both whole.
// CHECK: arguments ["x" : tensor<8x16xf32>, "up" : tensor<16x32xf32, #layout_r_model>, "bias" : tensor<32xf32, #layout_model>,
// CHECK-SAME: "down" : tensor<32x16xf32, #layout_model_r>, "head" : tensor<16x32xf32>, "out" : tensor<32x4xf32>]
#mesh_2 = #dmc.mesh<"model" = 2>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "blocks" on #mesh_2,
    arguments ["x" : tensor<8x16xf32>, "up" : tensor<16x32xf32>, "bias" : tensor<32xf32>, "down" : tensor<32x16xf32>,
               "head" : tensor<16x32xf32>, "out" : tensor<32x4xf32>],
    results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%x: tensor<8x16xf32>, %up: tensor<16x32xf32>, %bias: tensor<32xf32>, %down: tensor<32x16xf32>,
                  %head: tensor<16x32xf32>, %out: tensor<32x4xf32>) -> tensor<8x4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
    %h = linalg.matmul ins(%x, %up : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
    %b = linalg.broadcast ins(%bias : tensor<32xf32>) outs(%e : tensor<8x32xf32>) dimensions = [0]
    %a = linalg.map { arith.addf } ins(%h, %b : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>)
    %e2 = tensor.empty() : tensor<8x16xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %d = linalg.matmul ins(%a, %down : tensor<8x32xf32>, tensor<32x16xf32>) outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %g = linalg.matmul ins(%d, %head : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
    %e3 = tensor.empty() : tensor<8xf32>
    %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<8xf32>) -> tensor<8xf32>
    %mean = linalg.reduce { arith.addf } ins(%g : tensor<8x32xf32>) outs(%f3 : tensor<8xf32>) dimensions = [1]
    %mb = linalg.broadcast ins(%mean : tensor<8xf32>) outs(%e : tensor<8x32xf32>) dimensions = [1]
    %n = linalg.map { arith.subf } ins(%g, %mb : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>)
    %e4 = tensor.empty() : tensor<8x4xf32>
    %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %y = linalg.matmul ins(%n, %out : tensor<8x32xf32>, tensor<32x4xf32>) outs(%f4 : tensor<8x4xf32>) -> tensor<8x4xf32>
    return %y : tensor<8x4xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %w = transform.dmc.arguments named "up,bias,down,head,out" in %program : (!transform.any_op) -> !transform.any_value
    // expected-remark @+1 {{weights split along {"model"}: "up" in dimension 1, "bias" in dimension 0, "down" in dimension 0}}
    transform.dmc.shard_weights alternately %w along {"model"} in %program : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}

// -----

// A dimension that a weight shares with the tokens is that of experts; other weights stay.
// CHECK: arguments ["x" : tensor<8x16xf32>, "dense" : tensor<16x16xf32>, "t" : tensor<4x8x16xf32>, "w" : tensor<4x16x32xf32, #layout_expert_r_r>]
#mesh_4 = #dmc.mesh<"expert" = 4>
module attributes {transform.with_named_sequence, dmc.program = #dmc.program<tensor "experts" on #mesh_4,
    arguments ["x" : tensor<8x16xf32>, "dense" : tensor<16x16xf32>, "t" : tensor<4x8x16xf32>, "w" : tensor<4x16x32xf32>],
    results ["y" : tensor<4x8x32xf32>, "z" : tensor<8x16xf32>]>} {
  func.func @main(%x: tensor<8x16xf32>, %dense: tensor<16x16xf32>, %t: tensor<4x8x16xf32>, %w: tensor<4x16x32xf32>)
      -> (tensor<4x8x32xf32>, tensor<8x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
    %z = linalg.matmul ins(%x, %dense : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
    %e1 = tensor.empty() : tensor<4x8x32xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    %y = linalg.batch_matmul ins(%t, %w : tensor<4x8x16xf32>, tensor<4x16x32xf32>) outs(%f1 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
    return %y, %z : tensor<4x8x32xf32>, tensor<8x16xf32>
  }
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %w = transform.dmc.arguments named "dense,w" in %program : (!transform.any_op) -> !transform.any_value
    // expected-remark @+1 {{weights split along {"expert"}: "w" in dimension 0}}
    transform.dmc.shard_weights experts %w along {"expert"} in %program : (!transform.any_value, !transform.any_op) -> ()
    transform.yield
  }
}

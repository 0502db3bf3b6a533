// RUN: split-file %s %t
// RUN: dmc-compile %t/program.mlir --emit=tensor -o %t/tensor.mlir
// RUN: mkdir -p %t/expected
// RUN: dmc-interpret %t/tensor.mlir --print --output-dir=%t/expected | FileCheck %s
// RUN: dmc-run %t/program.mlir --expect-dir=%t/expected --rtol=0 --atol=0
// RUN: dmc-run %t/program.mlir --expect-dir=%t/expected --rtol=0 --atol=0 --layouts=%t/layouts.json --case=split

// Results by hand; on two ranks the batch of the product and the rows are split.

// CHECK: result 0 {{.*}} = {{\[\[\[}}19, 22]], {{\[\[}}-2, -3]]]
// CHECK: result 1 {{.*}} = {{\[\[}}5, 2, -1], [50, -64, 4]]
// CHECK: result 2 {{.*}} = {{\[\[\[}}5, 6], [1, 2]]]
// CHECK: result 3 {{.*}} = {{\[\[\[\[}}5], [5]], {{\[\[}}7], [6]]]]
// CHECK: result 4 {{.*}} = [8, -16, 4, 32]

//--- layouts.json
{"split": {"mesh": [["x", 2]], "arguments": [],
           "results": [[["x"], [], []], [["x"], []], [["x"], [], []], [[], ["x"], [], []], [["x"]]]}}

//--- program.mlir
func.func @main() -> (tensor<2x1x2xi32>, tensor<2x3xi8>, tensor<1x2x2xf32>, tensor<1x2x2x1xf32>, tensor<4xf32>) {
  // Zero points 1 and -1: [2 3] - 1 times [[4 5] [6 7]] + 1.
  %a = "tosa.const"() <{values = dense<[[[2, 3]], [[0, 1]]]> : tensor<2x1x2xi8>}> : () -> tensor<2x1x2xi8>
  %b = "tosa.const"() <{values = dense<[[[4, 5], [6, 7]], [[1, 2], [3, 4]]]> : tensor<2x2x2xi8>}> : () -> tensor<2x2x2xi8>
  %za = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zb = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %product = tosa.matmul %a, %b, %za, %zb : (tensor<2x1x2xi8>, tensor<2x2x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x1x2xi32>

  // Multiplied by 2^30 and shifted by 31: halves, rounded up.
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %q = "tosa.const"() <{values = dense<[[10, 3, -3], [100, -128, 7]]> : tensor<2x3xi8>}> : () -> tensor<2x3xi8>
  %rescaled = tosa.rescale %q, %m, %s, %zero, %zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>

  // Rows 2 and 0.
  %table = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %ids = "tosa.const"() <{values = dense<[[2, 0]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
  %rows = tosa.gather %table, %ids : (tensor<1x3x2xf32>, tensor<1x2xi32>) -> tensor<1x2x2xf32>

  // Windows of 2 x 2 at a distance of 1.
  %image = "tosa.const"() <{values = dense<[[[[1.0], [5.0], [2.0]], [[3.0], [4.0], [0.0]], [[7.0], [1.0], [6.0]]]]> : tensor<1x3x3x1xf32>}> : () -> tensor<1x3x3x1xf32>
  %pooled = tosa.max_pool2d %image {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x3x1xf32>) -> tensor<1x2x2x1xf32>

  // Doubled three times.
  %i0 = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %x0 = "tosa.const"() <{values = dense<[1.0, -2.0, 0.5, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  %loop:2 = tosa.while_loop (%i = %i0, %x = %x0) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %n = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %more = tosa.greater %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %x: tensor<4xf32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = tosa.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %twice = tosa.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %next, %twice : tensor<i32>, tensor<4xf32>
  }
  return %product, %rescaled, %rows, %pooled, %loop#1 : tensor<2x1x2xi32>, tensor<2x3xi8>, tensor<1x2x2xf32>, tensor<1x2x2x1xf32>, tensor<4xf32>
}

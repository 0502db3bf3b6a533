// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// 100 elements are 7 blocks of 16: prefixes within blocks, of the 7 sums, and the sum of both.
// CHECK-LABEL: func.func @forward
// CHECK: %[[PADDED:.*]] = tensor.pad %{{.*}} low[0, 0] high[0, 12]
// CHECK: %[[BLOCKS:.*]] = tensor.expand_shape %[[PADDED]] {{.*}} output_shape [3, 7, 16]
// CHECK: tensor.pad %[[BLOCKS]] low[0, 0, 15] high[0, 0, 0]
// CHECK: %[[WITHIN:.*]] = linalg.generic
// CHECK: } -> tensor<3x7x16xf32>
// CHECK: tensor.extract_slice %[[WITHIN]][0, 0, 15] [3, 7, 1] [1, 1, 1]
// CHECK: tensor.pad %{{.*}} low[0, 6] high[0, 0]
// CHECK: %[[ALL:.*]] = linalg.generic
// CHECK: } -> tensor<3x7xf32>
// CHECK: %[[BEFORE:.*]] = tensor.extract_slice %[[ALL]][0, 0] [3, 6] [1, 1]
// CHECK: tensor.pad %[[BEFORE]] low[0, 1] high[0, 0]
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [3, 100] [1, 1]
func.func @forward(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [99, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x100xf32>, tensor<f32>) -> tensor<3x100xf32>
  return %0 : tensor<3x100xf32>
}

// -----

// From the end: the first of each block, and the blocks behind it.
// CHECK-LABEL: func.func @reverse
// CHECK: %[[WITHIN:.*]] = linalg.generic
// CHECK: } -> tensor<4x16x2xi32>
// CHECK: tensor.extract_slice %[[WITHIN]][0, 0, 0] [4, 1, 2] [1, 1, 1]
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [3, 2] [1, 1]
// CHECK: tensor.pad %{{.*}} low[0, 0] high[1, 0]
func.func @reverse(%x: tensor<64x2xi32>) -> tensor<64x2xi32> {
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 64, 1>, padding = dense<[[0, 63], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<64x2xi32>, tensor<i32>) -> tensor<64x2xi32>
  return %0 : tensor<64x2xi32>
}

// -----

// Windows that start from a number which counts in each of them, or of few elements, are as they are.
// CHECK-LABEL: func.func @windows
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @windows(%x: tensor<40xi32>, %y: tensor<32xi32>) -> (tensor<40xi32>, tensor<32xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %one) <{window_dimensions = array<i64: 40>, padding = dense<[[39, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
  %1 = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 32>, padding = dense<[[31, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
  return %0, %1 : tensor<40xi32>, tensor<32xi32>
}

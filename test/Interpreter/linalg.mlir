// RUN: dmc-interpret %s --print | FileCheck %s

#reverse = affine_map<(d0) -> (3 - d0)>
#id = affine_map<(d0) -> (d0)>
#window = affine_map<(d0, d1) -> (d0 + d1)>
#stride = affine_map<(d0) -> (d0 floordiv 2)>

func.func @main() -> (tensor<2x2xf32>, tensor<2xf32>, tensor<3x2xi32>, tensor<2x3xi64>, tensor<4xi32>, tensor<3xi32>,
                      tensor<2x2xf32>, tensor<4xi32>, tensor<2xbf16>, tensor<1x2x1xf32>) {
  %m = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %n = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]> : tensor<3x2xf32>
  %zero = arith.constant 0.0 : f32
  %e22 = tensor.empty() : tensor<2x2xf32>
  %f22 = linalg.fill ins(%zero : f32) outs(%e22 : tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: result 0: {{.*}} = {{\[\[}}7, 8], [16, 17]]
  %0 = linalg.matmul ins(%m, %n : tensor<2x3xf32>, tensor<3x2xf32>) outs(%f22 : tensor<2x2xf32>) -> tensor<2x2xf32>
  // The init takes part.
  // CHECK: result 1: {{.*}} = [16, 35]
  %ten = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %1 = linalg.reduce { arith.addf } ins(%m : tensor<2x3xf32>) outs(%ten : tensor<2xf32>) dimensions = [1]
  // CHECK: result 2: {{.*}} = {{\[\[}}1, 4], [2, 5], [3, 6]]
  %k = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %e32 = tensor.empty() : tensor<3x2xi32>
  %2 = linalg.transpose ins(%k : tensor<2x3xi32>) outs(%e32 : tensor<3x2xi32>) permutation = [1, 0]
  // CHECK: result 3: {{.*}} = {{\[\[}}7, 8, 9], [7, 8, 9]]
  %v = arith.constant dense<[7, 8, 9]> : tensor<3xi64>
  %e23 = tensor.empty() : tensor<2x3xi64>
  %3 = linalg.broadcast ins(%v : tensor<3xi64>) outs(%e23 : tensor<2x3xi64>) dimensions = [0]
  // CHECK: result 4: {{.*}} = [40, 31, 22, 13]
  %four = arith.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %e4 = tensor.empty() : tensor<4xi32>
  %4 = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel"]}
      ins(%four : tensor<4xi32>) outs(%e4 : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %s = arith.addi %in, %j : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  // A window of two; its operand has a shape only.
  // CHECK: result 5: {{.*}} = [30, 50, 70]
  %w = tensor.empty() : tensor<2xi32>
  %e3 = tensor.empty() : tensor<3xi32>
  %c0 = arith.constant 0 : i32
  %f3 = linalg.fill ins(%c0 : i32) outs(%e3 : tensor<3xi32>) -> tensor<3xi32>
  %5 = linalg.generic {indexing_maps = [#window, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%four, %w : tensor<4xi32>, tensor<2xi32>) outs(%f3 : tensor<3xi32>) {
  ^bb0(%in: i32, %u: i32, %out: i32):
    %s = arith.addi %out, %in : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  // CHECK: result 6: {{.*}} = {{\[\[}}2, 2], [2, 2]]
  %6 = linalg.add ins(%f22, %f22 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e22 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %two = arith.constant dense<2.0> : tensor<2x2xf32>
  %max = linalg.max ins(%6, %two : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e22 : tensor<2x2xf32>) -> tensor<2x2xf32>
  // A map that is not linear.
  // CHECK: result 7: {{.*}} = [7, 7, 8, 8]
  %pair = arith.constant dense<[7, 8]> : tensor<2xi32>
  %7 = linalg.generic {indexing_maps = [#stride, #id], iterator_types = ["parallel"]}
      ins(%pair : tensor<2xi32>) outs(%e4 : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<4xi32>
  // Accumulating in bf16 rounds after every element: 256 + 1 + 1 stays 256.
  // CHECK: result 8: {{.*}} = [256, 258]
  %bf = arith.constant dense<[[256.0, 1.0, 1.0], [256.0, 2.0, 0.0]]> : tensor<2x3xbf16>
  %bz = arith.constant dense<0.0> : tensor<2xbf16>
  %8 = linalg.reduce { arith.addf } ins(%bf : tensor<2x3xbf16>) outs(%bz : tensor<2xbf16>) dimensions = [1]
  // CHECK: result 9: {{.*}} = {{\[\[\[}}5], [11]]]
  %img = arith.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %ker = arith.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %acc = arith.constant dense<0.0> : tensor<1x2x1xf32>
  %9 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
      ins(%img, %ker : tensor<1x4x1xf32>, tensor<2x1x1xf32>) outs(%acc : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  return %0, %1, %2, %3, %4, %5, %max, %7, %8, %9 : tensor<2x2xf32>, tensor<2xf32>, tensor<3x2xi32>, tensor<2x3xi64>,
    tensor<4xi32>, tensor<3xi32>, tensor<2x2xf32>, tensor<4xi32>, tensor<2xbf16>, tensor<1x2x1xf32>
}

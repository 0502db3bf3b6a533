// RUN: dmc-opt %s --dmc-print-sharding-rules -verify-diagnostics -o /dev/null

// A reshape has compound dimensions, major to minor; ones hold nothing to split.
func.func @reshapes(%a: tensor<4x6x8xf32>, %b: tensor<24x8xf32>, %c: tensor<1x8x1xf32>, %s: tensor<f32>) {
  // expected-remark@below {{([i, j, k]) -> ([i*j, k]) {i=4, j=6, k=8}}}
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x6x8xf32> into tensor<24x8xf32>
  // expected-remark@below {{([i*j, k]) -> ([i, j, k]) {i=4, j=6, k=8}}}
  %1 = tensor.expand_shape %b [[0, 1], [2]] output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
  // expected-remark@below {{([i, j, k]) -> ([j]) {i=1 whole, j=8, k=1 whole}}}
  %2 = tensor.collapse_shape %c [[0, 1, 2]] : tensor<1x8x1xf32> into tensor<8xf32>
  // expected-remark@below {{([]) -> ([i, j]) {i=1 whole, j=1 whole}}}
  %3 = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return
}

// Of ones that merge, the first is the counterpart.
func.func @ones(%a: tensor<1x1xf32>) {
  // expected-remark@below {{([i, j]) -> ([i]) {i=1, j=1 whole}}}
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
  return
}

// Dimensions taken whole may be split, also where a unit dimension is dropped.
func.func @slices(%a: tensor<4x6x8xf32>, %b: tensor<4x2x8xf32>) {
  // expected-remark@below {{([i, l, k]) -> ([i, j, k]) {i=4, j=2 whole, k=8, l=6 whole}}}
  %0 = tensor.extract_slice %a[0, 1, 0] [4, 2, 8] [1, 1, 1] : tensor<4x6x8xf32> to tensor<4x2x8xf32>
  // expected-remark@below {{([i, k, j]) -> ([i, j]) {i=4, j=8, k=6 whole}}}
  %1 = tensor.extract_slice %a[0, 5, 0] [4, 1, 8] [1, 1, 1] : tensor<4x6x8xf32> to tensor<4x8xf32>
  // expected-remark@below {{([i, j, k], [i, l, k]) -> ([i, l, k]) {i=4, j=2 whole, k=8, l=6 whole}}}
  %2 = tensor.insert_slice %b into %a[0, 1, 0] [4, 2, 8] [1, 1, 1] : tensor<4x2x8xf32> into tensor<4x6x8xf32>
  return
}

func.func @pad_concat_empty(%a: tensor<4x6xf32>, %b: tensor<4x2xf32>, %f: f32) {
  // expected-remark@below {{([i, j]) -> ([i, k]) {i=4, j=6 whole, k=8 whole}}}
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<4x6xf32> to tensor<4x8xf32>
  // expected-remark@below {{([i, k], [i, l]) -> ([i, j]) {i=4, j=8 whole, k=6 whole, l=2 whole}}}
  %1 = tensor.concat dim(1) %a, %b : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{() -> ([i, j]) {i=4, j=8}}}
  %2 = tensor.empty() : tensor<4x8xf32>
  // expected-remark@below {{() -> ([i]) {i=2}}}
  %3 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// What has no rule needs everything whole.
func.func @unknown(%a: tensor<4xf32>, %i: index) {
  // expected-remark@below {{([i]) -> () {i=4 whole}}}
  %0 = tensor.extract %a[%i] : tensor<4xf32>
  return
}

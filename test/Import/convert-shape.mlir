// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// A dimension of size 1 that grows is dropped; reshapes that cancel are no ops.
// CHECK-LABEL: func.func @keep_dims
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>)
// CHECK-NOT:     expand_shape
// CHECK:         %[[R:.*]] = linalg.broadcast ins(%[[X]] : tensor<8xf32>) outs(%{{.*}} : tensor<8x4xf32>) dimensions = [1]
// CHECK:         return %[[R]]
func.func @keep_dims(%x: tensor<8xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @permuted_broadcast
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>)
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
// CHECK:         linalg.broadcast ins(%[[T]] : tensor<3x2xf32>) outs(%{{.*}} : tensor<3x5x2xf32>) dimensions = [1]
func.func @permuted_broadcast(%x: tensor<2x3xf32>) -> tensor<3x5x2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  return %0 : tensor<3x5x2xf32>
}

// -----

// Groups are the finest: the batch stays a dimension of its own.
// CHECK-LABEL: func.func @heads
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0], [1], [2, 3]] output_shape [8, 16, 4, 8]
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2], [3]] : tensor<8x16x4x8xf32> into tensor<128x4x8xf32>
func.func @heads(%x: tensor<8x16x32xf32>) -> tensor<128x4x8xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x16x32xf32>) -> tensor<8x16x4x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x16x4x8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x16x4x8xf32>) -> tensor<128x4x8xf32>
  return %2 : tensor<128x4x8xf32>
}

// -----

// Neither a collapse nor an expansion: only the dimensions that differ are merged.
// CHECK-LABEL: func.func @general_reshape
// CHECK:         %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<5x6x4xf32> into tensor<5x24xf32>
// CHECK:         tensor.expand_shape %[[C]] {{\[}}[0], [1, 2]] output_shape [5, 8, 3] : tensor<5x24xf32> into tensor<5x8x3xf32>
func.func @general_reshape(%x: tensor<5x6x4xf32>) -> tensor<5x8x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<5x6x4xf32>) -> tensor<5x8x3xf32>
  return %0 : tensor<5x8x3xf32>
}

// -----

// CHECK-LABEL: func.func @rank_0
// CHECK:         %[[S:.*]] = tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
// CHECK:         linalg.map { arith.negf } ins(%[[S]] : tensor<f32>)
// CHECK:         tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
func.func @rank_0(%x: tensor<1x1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.reshape %x : (tensor<1x1xf32>) -> tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}

// -----

// CHECK-LABEL: func.func @slice_and_concatenate
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4xf32>)
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[X]][1, 0] [4, 4] [2, 1] : tensor<8x4xf32> to tensor<4x4xf32>
// CHECK:         tensor.concat dim(0) %[[S]], %[[X]] : (tensor<4x4xf32>, tensor<8x4xf32>) -> tensor<12x4xf32>
func.func @slice_and_concatenate(%x: tensor<8x4xf32>) -> tensor<12x4xf32> {
  %0 = stablehlo.slice %x [1:8:2, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<4x4xf32>, tensor<8x4xf32>) -> tensor<12x4xf32>
  return %1 : tensor<12x4xf32>
}

// -----

// CHECK:       #[[$REVERSED:.*]] = affine_map<(d0, d1) -> (-d0 + 7, d1)>
// CHECK-LABEL: func.func @reverse
// CHECK:         linalg.generic {indexing_maps = [#[[$REVERSED]], #{{.*}}], iterator_types = ["parallel", "parallel"]}
func.func @reverse(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @iota
// CHECK:         linalg.generic
// CHECK:           %[[I:.*]] = linalg.index 1 : index
// CHECK:           %[[N:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK:           arith.sitofp %[[N]] : i32 to f32
func.func @iota() -> tensor<2x3xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Padding by a constant; between elements, by insertion; negative, by a cut.
// CHECK-LABEL: func.func @pad
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<f32>)
// CHECK:         tensor.pad %[[X]] low[1] high[2]
// CHECK:         %[[D:.*]] = linalg.broadcast ins(%[[V]] : tensor<f32>) outs(%{{.*}} : tensor<8xf32>) dimensions = [0]
// CHECK:         %[[I:.*]] = tensor.insert_slice %[[X]] into %[[D]][1] [4] [2] : tensor<4xf32> into tensor<8xf32>
// CHECK:         tensor.extract_slice %[[I]][0] [6] [1] : tensor<8xf32> to tensor<6xf32>
func.func @pad(%x: tensor<4xf32>, %v: tensor<f32>) -> (tensor<7xf32>, tensor<6xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %c, low = [1], high = [2], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = stablehlo.pad %x, %v, low = [1], high = [-2], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  return %0, %1 : tensor<7xf32>, tensor<6xf32>
}

// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo=narrow-partials | FileCheck %s --check-prefixes=CHECK,NARROW

// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4xf32>, %[[W:.*]]: tensor<4x2xf32>)
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:         linalg.matmul ins(%[[X]], %[[W]] : tensor<8x4xf32>, tensor<4x2xf32>) outs(%[[INIT]] : tensor<8x2xf32>)
func.func @matmul(%x: tensor<8x4xf32>, %w: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

// CHECK-LABEL: func.func @batch_matmul
// CHECK:         linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<3x8x4xf32>, tensor<3x4x2xf32>)
func.func @batch_matmul(%x: tensor<3x8x4xf32>, %w: tensor<3x4x2xf32>) -> tensor<3x8x2xf32> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x8x4xf32>, tensor<3x4x2xf32>) -> tensor<3x8x2xf32>
  return %0 : tensor<3x8x2xf32>
}

// -----

// Loops: batch, free dimensions of both sides, contracted ones.
// CHECK-DAG:   #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d0, d1, d5)>
// CHECK-DAG:   #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d5, d3, d4)>
// CHECK-DAG:   #[[$OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @general
// CHECK:         linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]], #[[$OUT]]],
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK:           arith.mulf
// CHECK:           arith.addf
func.func @general(%x: tensor<2x3x4x5xf32>, %y: tensor<3x6x5x7x2xf32>) -> tensor<3x4x6x7xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [0, 3] x [4, 2] : (tensor<2x3x4x5xf32>, tensor<3x6x5x7x2xf32>) -> tensor<3x4x6x7xf32>
  return %0 : tensor<3x4x6x7xf32>
}

// -----

// bfloat16 is accumulated in float32, and rounded once.
// CHECK-LABEL: func.func @bf16
// CHECK:         %[[P:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x4xbf16>, tensor<4x2xbf16>) outs(%{{.*}} : tensor<8x2xf32>)
// Partial sums are rounded only if the user permits it.
// WIDE:          linalg.map { arith.truncf } ins(%[[P]] : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xbf16>){{$}}
// NARROW:        linalg.map { arith.truncf } ins(%[[P]] : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xbf16>) {dmc.narrow_partials}
func.func @bf16(%x: tensor<8x4xbf16>, %w: tensor<4x2xbf16>) -> tensor<8x2xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x2xbf16>) -> tensor<8x2xbf16>
  return %0 : tensor<8x2xbf16>
}

// -----

// The program may narrow the sums itself, also in another order of dimensions; but not if it uses them, too.
// CHECK-LABEL: func.func @narrowed
// WIDE-NOT:      dmc.narrow_partials
// NARROW:        linalg.transpose
// NARROW:        linalg.map { arith.truncf } ins(%{{.*}} : tensor<2x8xf32>) outs(%{{.*}} : tensor<2x8xbf16>) {dmc.narrow_partials}
// NARROW:        linalg.map { arith.truncf } ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xbf16>){{$}}
func.func @narrowed(%x: tensor<8x4xf32>, %w: tensor<4x2xf32>) -> (tensor<2x8xbf16>, tensor<8x2xf32>, tensor<8x2xbf16>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %2 = stablehlo.convert %1 : (tensor<2x8xf32>) -> tensor<2x8xbf16>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %4 = stablehlo.convert %3 : (tensor<8x2xf32>) -> tensor<8x2xbf16>
  return %2, %3, %4 : tensor<2x8xbf16>, tensor<8x2xf32>, tensor<8x2xbf16>
}

// -----

// An algorithm says what the sum's precision is: not even the user's permission changes it.
// CHECK-LABEL: func.func @bf16_exact
// CHECK:         linalg.map { arith.truncf } ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xbf16>){{$}}
func.func @bf16_exact(%x: tensor<8x4xbf16>, %w: tensor<4x2xbf16>) -> tensor<8x2xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1,
                 rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<8x4xbf16>, tensor<4x2xbf16>) -> tensor<8x2xbf16>
  return %0 : tensor<8x2xbf16>
}

// -----

// Nor does a conversion of the program behind it.
// CHECK-LABEL: func.func @narrowed_exact
// CHECK:         linalg.map { arith.truncf } ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xbf16>){{$}}
func.func @narrowed_exact(%x: tensor<8x4xf32>, %w: tensor<4x2xf32>) -> tensor<8x2xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1,
                 rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.convert %0 : (tensor<8x2xf32>) -> tensor<8x2xbf16>
  return %1 : tensor<8x2xbf16>
}

// -----

// An algorithm that permits an imprecise sum is a permission of the program's own.
// CHECK-LABEL: func.func @bf16_imprecise
// CHECK:         linalg.map { arith.truncf } {{.*}} {dmc.narrow_partials}
func.func @bf16_imprecise(%x: tensor<8x4xbf16>, %w: tensor<4x2xbf16>) -> tensor<8x2xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1,
                 rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true>
    : (tensor<8x4xbf16>, tensor<4x2xbf16>) -> tensor<8x2xbf16>
  return %0 : tensor<8x2xbf16>
}

// -----

// Convolutions are contractions.
// CHECK-LABEL: func.func @bf16_convolution
// WIDE:          linalg.map { arith.truncf } ins(%{{.*}} : tensor<2x4x5xf32>) outs(%{{.*}} : tensor<2x4x5xbf16>){{$}}
// NARROW:        linalg.map { arith.truncf } ins(%{{.*}} : tensor<2x4x5xf32>) outs(%{{.*}} : tensor<2x4x5xbf16>) {dmc.narrow_partials}
func.func @bf16_convolution(%x: tensor<2x6x3xbf16>, %w: tensor<3x3x5xbf16>) -> tensor<2x4x5xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x3xbf16>, tensor<3x3x5xbf16>) -> tensor<2x4x5xbf16>
  return %0 : tensor<2x4x5xbf16>
}

// -----

// CHECK-LABEL: func.func @unsigned
// CHECK:         linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%{{.*}}, %{{.*}} : tensor<8x4xi8>, tensor<4x2xi8>) outs(%{{.*}} : tensor<8x2xi32>)
func.func @unsigned(%x: tensor<8x4xui8>, %w: tensor<4x2xui8>) -> tensor<8x2xui32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xui8>, tensor<4x2xui8>) -> tensor<8x2xui32>
  return %0 : tensor<8x2xui32>
}

// -----

// A convolution: the input is padded, windows are loops with strides.
// CHECK-DAG:   #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d6)>
// CHECK-DAG:   #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-LABEL: func.func @convolution
// CHECK:         %[[P:.*]] = tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:         linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]], #{{.*}}]
// CHECK-SAME:      ins(%[[P]], %{{.*}} : tensor<2x10x10x3xf32>, tensor<3x3x3x4xf32>)
func.func @convolution(%x: tensor<2x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// -----

// An input with a gap between elements: even positions of the result read two elements and odd
// ones another, and no zeros between them are multiplied.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    (%[[X:.*]]: tensor<2x4x3xf32>, %[[W:.*]]: tensor<3x3x5xf32>)
// CHECK:         %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0, 0] [2, 3, 5] [2, 1, 1]
// CHECK:         %[[P0:.*]] = tensor.pad %[[X]] low[0, 1, 0] high[0, 0, 0]
// CHECK:         %[[C0:.*]] = linalg.generic {{.*}} ins(%[[P0]], %[[W0]] : tensor<2x5x3xf32>, tensor<2x3x5xf32>)
// CHECK:         %[[W1:.*]] = tensor.extract_slice %[[W]][1, 0, 0] [1, 3, 5] [1, 1, 1]
// CHECK:         %[[C1:.*]] = linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<2x4x3xf32>, tensor<3x5xf32>)
// CHECK:         %[[E0:.*]] = tensor.expand_shape %[[C0]]
// CHECK:         %[[E1:.*]] = tensor.expand_shape %[[C1]]
// CHECK:         %[[J:.*]] = tensor.concat dim(2) %[[E0]], %[[E1]]
// CHECK:         tensor.collapse_shape %[[J]] {{.*}} into tensor<2x8x5xf32>
func.func @transposed(%x: tensor<2x4x3xf32>, %w: tensor<3x3x5xf32>) -> tensor<2x8x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {pad = [[2, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x4x3xf32>, tensor<3x3x5xf32>) -> tensor<2x8x5xf32>
  return %0 : tensor<2x8x5xf32>
}

// -----

// Where one phase reads anything, the others are zero.
// CHECK-LABEL: func.func @transposed_pointwise
// CHECK-SAME:    (%[[X:.*]]: tensor<2x4x3xf32>
// CHECK:         %[[C:.*]] = linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<2x4x3xf32>, tensor<3x5xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         %{{.*}} = tensor.insert_slice %[[C]] into %{{.*}}[0, 1, 0] [2, 4, 5] [1, 2, 1]
func.func @transposed_pointwise(%x: tensor<2x4x3xf32>, %w: tensor<1x3x5xf32>) -> tensor<2x9x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {pad = [[1, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x4x3xf32>, tensor<1x3x5xf32>) -> tensor<2x9x5xf32>
  return %0 : tensor<2x9x5xf32>
}

// -----

// A window of one element needs no loop: what is left is a contraction. Groups are a
// dimension.
// CHECK-DAG:   #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d5)>
// CHECK-DAG:   #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d3, d4)>
// CHECK-LABEL: func.func @grouped
// CHECK:         %[[L:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1], [2], [3, 4]] output_shape [2, 8, 8, 2, 3]
// CHECK:         tensor.extract_slice %[[L]][0, 0, 0, 0, 0] [2, 4, 4, 2, 3] [1, 2, 2, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]], #{{.*}}]
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2], [3, 4]] : tensor<2x4x4x2x4xf32> into tensor<2x4x4x8xf32>
func.func @grouped(%x: tensor<2x8x8x6xf32>, %w: tensor<1x1x3x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<2x8x8x6xf32>, tensor<1x1x3x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

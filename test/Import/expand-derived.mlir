// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// Shapes that are computed of constants and static sizes.
// CHECK-LABEL: func.func @shapes
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [2, 3] [1, 1]
func.func @shapes(%x: tensor<2x3xf32>, %c: tensor<f32>) -> tensor<6x5xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi64>
  %size = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %row = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.add %one, %one : tensor<1xi32>
  %wide = stablehlo.convert %zero : (tensor<1xi64>) -> tensor<1xi32>
  %low = stablehlo.concatenate %one, %wide, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %row, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %c, %low, %high, %none : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

// Letters of one side alone are summed first.
// CHECK-LABEL: func.func @einsum
// CHECK:         %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%{{.*}} : tensor<2x3x4xf32>) {{.*}} dimensions = [1]
// CHECK:         %[[P:.*]] = linalg.matmul {{.*}} -> tensor<2x5xf32>
// CHECK:         linalg.transpose ins(%[[P]]
func.func @einsum(%x: tensor<2x3x4xf32>, %y: tensor<4x5xf32>) -> tensor<5x2xf32> {
  %0 = "stablehlo.einsum"(%x, %y) {einsum_config = "abc,cd->da"} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----

// The operand of lower rank is broadcast by the dimensions given.
// CHECK-LABEL: func.func @broadcasting
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK:         %[[B:.*]] = linalg.broadcast ins(%[[Y]] : tensor<2xf32>) {{.*}} dimensions = [1]
// CHECK:         linalg.map { arith.cmpf {predicate = 4 : i64} } ins(%[[X]], %[[B]]
func.func @broadcasting(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> tensor<2x3xi1> {
  %0 = chlo.broadcast_compare %x, %y {broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

// -----

// CHECK-LABEL: func.func @tuple
// CHECK-SAME:    (%{{.*}}: tensor<2xf32>, %[[Y:.*]]: tensor<3xi32>)
// CHECK-NEXT:    return %[[Y]]
func.func @tuple(%x: tensor<2xf32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.tuple"(%x, %y) : (tensor<2xf32>, tensor<3xi32>) -> tuple<tensor<2xf32>, tensor<3xi32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}

// -----

// Narrow floats are normalized in f32.
// CHECK-LABEL: func.func @normalize
// CHECK:         arith.extf
// CHECK:         linalg.map { math.sqrt } ins(%{{.*}} : tensor<3xf32>)
// CHECK:         arith.truncf
func.func @normalize(%x: tensor<2x3xbf16>, %s: tensor<3xbf16>) -> tensor<2x3xbf16> {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}

// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK-LABEL: func.func @older
func.func @older(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // CHECK: stablehlo.broadcast %{{.*}}, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  %0 = stablehlo.broadcast %x, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<2x3xf32>, %s: tensor<2xi32>, %c: tensor<f32>) {
  // CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  // CHECK: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  %1 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dynamic_iota %{{.*}}, dim = 0 : (tensor<2xi32>) -> tensor<2x3xf32>
  %3 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dynamic_pad
  %4 = stablehlo.dynamic_pad %x, %c, %s, %s, %s : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x5xf32>
  // CHECK: stablehlo.real_dynamic_slice
  %5 = stablehlo.real_dynamic_slice %x, %s, %s, %s : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x1xf32>
  return
}

// CHECK-LABEL: func.func @tuples
func.func @tuples(%x: tensor<2x3xf32>, %s: tensor<2xi32>) {
  // CHECK: %[[T:.*]] = stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<2x3xf32>, tensor<2xi32>>
  %0 = "stablehlo.tuple"(%x, %s) : (tensor<2x3xf32>, tensor<2xi32>) -> tuple<tensor<2x3xf32>, tensor<2xi32>>
  // CHECK: stablehlo.get_tuple_element %[[T]][1] : (tuple<tensor<2x3xf32>, tensor<2xi32>>) -> tensor<2xi32>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x3xf32>, tensor<2xi32>>) -> tensor<2xi32>
  return
}

// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: stablehlo.constant {note = 1 : i32} dense<{{\[}}1, 2]> : tensor<2xui32>
  %1 = stablehlo.constant {note = 1 : i32} dense<[1, 2]> : tensor<2xui32>
  // CHECK: stablehlo.constant dense<> : tensor<0xi8>
  %2 = stablehlo.constant dense<> : tensor<0xi8>
  // CHECK: stablehlo.iota dim = 1 : tensor<2x3xi32>
  %3 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%s: tensor<f32>, %x: tensor<2x3xf32>) {
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0, 1] : tensor<2x3xf32>
  %4 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3x2xi16>
  %6 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3x2xi16>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%s: tensor<f32>, %x: tensor<2x8xf32>, %i: tensor<i32>) {
  // CHECK: stablehlo.slice %{{.*}} [0:1, 2:8:3] : (tensor<2x8xf32>) -> tensor<1x2xf32>
  %0 = stablehlo.slice %x [0:1, 2:8:3] : (tensor<2x8xf32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.slice %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, 0], high = [0, -2], interior = [1, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<4x6xf32>
  %2 = stablehlo.pad %x, %s, low = [1, 0], high = [0, -2], interior = [1, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<4x6xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 4] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %3 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  %4 = stablehlo.dynamic_update_slice %x, %3, %i, %i : (tensor<2x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func.func @slice_of_a_scalar
func.func @slice_of_a_scalar(%s: tensor<f32>) {
  // CHECK-COUNT-2: stablehlo.dynamic_slice %{{.*}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %0 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_slice %s, , sizes = [] : (tensor<f32>) -> tensor<f32>
  return
}

// RUN: dmc-opt %s --dmc-convert-tosa -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @abs
// CHECK-NOT: tosa
// CHECK: linalg.generic
// CHECK: math.absf
func.func @abs(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tosa.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// A named operation: the vendor library knows products.
// CHECK-LABEL: func.func @matmul
// CHECK: linalg.batch_matmul
func.func @matmul(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// Positions from a tensor: no reads from a body.
// CHECK-LABEL: func.func @gather
// CHECK: dmc.gather ins(%{{.*}}, %{{.*}} : tensor<2x6x5xf32>, tensor<2x3xi32>)
// CHECK-SAME: collapsed_slice_dims = array<i64: 1>
// CHECK-SAME: operand_batching_dims = array<i64: 0>
func.func @gather(%x: tensor<2x6x5xf32>, %i: tensor<2x3xi32>) -> tensor<2x3x5xf32> {
  %0 = tosa.gather %x, %i : (tensor<2x6x5xf32>, tensor<2x3xi32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @scatter
// CHECK: dmc.scatter ins(%{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<2x3x5xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<2x6x5xf32>)
// CHECK: ^bb0(%{{.*}}: f32, %[[NEW:.*]]: f32):
// CHECK: dmc.yield %[[NEW]]
func.func @scatter(%x: tensor<2x6x5xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3x5xf32>) -> tensor<2x6x5xf32> {
  %0 = tosa.scatter %x, %i, %u : (tensor<2x6x5xf32>, tensor<2x3xi32>, tensor<2x3x5xf32>) -> tensor<2x6x5xf32>
  return %0 : tensor<2x6x5xf32>
}

// -----

// Unsigned integers are in the program and in the operations chosen.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: (%{{.*}}: tensor<4xi8>) -> tensor<4xi8>
// CHECK: arith.extui
func.func @unsigned(%a: tensor<4xui8>) -> tensor<4xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<128> : tensor<1xui8>}> : () -> tensor<1xui8>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %a, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = true, output_unsigned = false} : (tensor<4xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

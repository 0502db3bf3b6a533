// RUN: dmc-opt %s -split-input-file -dmc-split-complex | FileCheck %s

// At the boundary the parts lie side by side, under the name and the sharding given.
// CHECK:       func.func public @boundary(
// CHECK-SAME:    %[[X:.*]]: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, tf.aliasing_output = 0 : i32}
// CHECK-SAME:    -> (tensor<4x2xf32> {jax.result_info = "y", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
// CHECK:         %[[RE:.*]] = stablehlo.slice %[[X]] [0:4, 0:1]
// CHECK:         %[[R:.*]] = stablehlo.reshape %[[RE]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK:         %[[IM:.*]] = stablehlo.slice %[[X]] [0:4, 1:2]
// CHECK:         %[[I:.*]] = stablehlo.reshape %[[IM]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK:         %[[NR:.*]] = stablehlo.negate %[[R]]
// CHECK:         %[[NI:.*]] = stablehlo.negate %[[I]]
// CHECK:         %[[A:.*]] = stablehlo.reshape %[[NR]] : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK:         %[[B:.*]] = stablehlo.reshape %[[NI]] : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK:         %[[P:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 1
// CHECK:         return %[[P]] : tensor<4x2xf32>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @boundary(%x: tensor<4xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32})
      -> (tensor<4xcomplex<f32>> {jax.result_info = "y", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.negate %x : tensor<4xcomplex<f32>>
    return %0 : tensor<4xcomplex<f32>>
  }
}

// -----

// Loops and branches carry both parts; a comparator has those of one operand side by side.
// CHECK-LABEL: func.func public @regions
// CHECK:         stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
// CHECK:         stablehlo.return %{{.*}}, %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>, tensor<4xf32>
// CHECK:         "stablehlo.sort"(%{{.*}}, %{{.*}})
// CHECK:         ^bb0(%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
// CHECK:           stablehlo.compare LT, %[[L]], %[[R]]
// CHECK-NOT:     complex
func.func public @regions(%x: tensor<4xcomplex<f32>>, %n: tensor<i32>) -> tensor<4xcomplex<f32>> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %z = %x) : tensor<i32>, tensor<4xcomplex<f32>>
  cond {
    %p = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %s = stablehlo.add %z, %x : tensor<4xcomplex<f32>>
    stablehlo.return %j, %s : tensor<i32>, tensor<4xcomplex<f32>>
  }
  %1 = "stablehlo.sort"(%0#1) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %l = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
    %r = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
    %p = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}

// -----

// A sum is two sums, which may be split among ranks; a product is one reduction of both parts.
// CHECK-LABEL: func.func public @reductions
// CHECK:         stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
// CHECK:         stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
// CHECK:         stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0]
func.func public @reductions(%x: tensor<4xcomplex<f64>>) -> (tensor<complex<f64>>, tensor<complex<f64>>) {
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %1 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0, %1 : tensor<complex<f64>>, tensor<complex<f64>>
}

// -----

// An imaginary part of zeros is not multiplied.
// CHECK-LABEL: func.func public @products
// CHECK-COUNT-4: stablehlo.dot_general
// CHECK:         return
// CHECK-LABEL: func.func private @unused
func.func public @products(%x: tensor<4x4xcomplex<f32>>, %y: tensor<4x4xf32>) -> tensor<4x4xcomplex<f32>> {
  %0 = stablehlo.convert %y : (tensor<4x4xf32>) -> tensor<4x4xcomplex<f32>>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %2 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %3 = stablehlo.add %1, %2 : tensor<4x4xcomplex<f32>>
  return %3 : tensor<4x4xcomplex<f32>>
}
func.func private @unused()

// -----

// Shardings of operations and of manual computations are those of both parts; sums of ranks too.
// CHECK-LABEL: func.func public @shardings
// CHECK:         stablehlo.exponential
// CHECK:         sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}]> : tensor<4xf32>
// CHECK:         sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}]> : tensor<4xf32>
// CHECK:         sdy.manual_computation(%{{.*}}, %{{.*}}) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>]
// CHECK-COUNT-2: "stablehlo.all_reduce"(%{{.*}}) <{{.*}} ({
// CHECK:           sdy.return %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @shardings(%x: tensor<4xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.exponential %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xcomplex<f32>>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%a: tensor<2xcomplex<f32>>) {
      %2 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<complex<f32>>, %r: tensor<complex<f32>>):
        %s = stablehlo.add %l, %r : tensor<complex<f32>>
        stablehlo.return %s : tensor<complex<f32>>
      }) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
      sdy.return %2 : tensor<2xcomplex<f32>>
    } : (tensor<4xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    return %1 : tensor<2xcomplex<f32>>
  }
}

// -----

// Elements that are kept beside the program.
// CHECK-LABEL: func.func public @resource
// CHECK-DAG:     stablehlo.constant dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG:     stablehlo.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
func.func public @resource() -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.constant dense_resource<numbers> : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// -----

// A length is divided into factors, between which are products with roots of unity.
// CHECK-LABEL: func.func public @fourier
// CHECK:         stablehlo.reshape %{{.*}} : (tensor<3x64xf32>) -> tensor<3x8x8xf32>
// CHECK-COUNT-2: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8x8xf32>, tensor<8x8xf32>) -> tensor<3x8x8xf32>
// CHECK-COUNT-4: stablehlo.multiply
// CHECK-COUNT-4: stablehlo.dot_general
// CHECK:         stablehlo.slice %{{.*}} [0:3, 0:33]
func.func public @fourier(%x: tensor<3x64xf32>) -> tensor<3x33xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [64] : (tensor<3x64xf32>) -> tensor<3x33xcomplex<f32>>
  return %0 : tensor<3x33xcomplex<f32>>
}

// -----

// Programs without complex numbers stay as they are.
// CHECK-LABEL: func.func public @real
// CHECK-NEXT:    %[[R:.*]] = stablehlo.real %{{.*}} : tensor<4xf32>
// CHECK-NEXT:    return %[[R]]
func.func public @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.real %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

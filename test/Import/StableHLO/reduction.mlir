// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK-LABEL: func.func @short_form
func.func @short_form(%x: tensor<2x3xf32>, %i: tensor<f32>) -> tensor<2xf32> {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-NOT: reducer
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A body that is more than one operation on its arguments in order has the long form.
// CHECK-LABEL: func.func @swapped_arguments
func.func @swapped_arguments(%x: tensor<2x3xf32>, %i: tensor<f32>) -> tensor<2xf32> {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [1]
  // CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) {
  // CHECK: stablehlo.subtract %[[B]], %[[A]] : tensor<f32>
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.subtract %b, %a : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @two_inputs
func.func @two_inputs(%x: tensor<2x3xf32>, %n: tensor<2x3xi32>, %i: tensor<f32>, %j: tensor<i32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  // CHECK: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) (%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>)
  %0:2 = stablehlo.reduce(%x init: %i), (%n init: %j) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
      %1 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %1, %c : tensor<f32>, tensor<i32>
    }
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<8xf32>, %i: tensor<f32>, %s: tensor<4xf32>) {
  // CHECK: "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{padding = dense<{{.*}}> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}>
  %0 = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: "stablehlo.select_and_scatter"
  %1 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @map_and_sort
func.func @map_and_sort(%x: tensor<8xf32>) {
  // CHECK: "stablehlo.map"(%{{.*}}) <{dimensions = array<i64: 0>}>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %2 = stablehlo.multiply %a, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: "stablehlo.sort"(%{{.*}}) <{dimension = 0 : i64, is_stable = true}>
  %1 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

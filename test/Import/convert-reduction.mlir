// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4xf32>)
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<8xf32>)
// CHECK:         linalg.reduce { arith.addf } ins(%[[X]] : tensor<8x4xf32>) outs(%[[INIT]] : tensor<8xf32>) dimensions = [1]
func.func @sum(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An initial value that is not a constant is broadcast; dimensions are sorted.
// CHECK-LABEL: func.func @initial_value
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4x2xi8>, %[[I:.*]]: tensor<i8>)
// CHECK:         %[[INIT:.*]] = linalg.broadcast ins(%[[I]] : tensor<i8>) outs(%{{.*}} : tensor<4xi8>) dimensions = [0]
// CHECK:         linalg.reduce { arith.maxui } ins(%{{.*}} : tensor<8x4x2xi8>) outs(%[[INIT]] : tensor<4xi8>) dimensions = [0, 2]
func.func @initial_value(%x: tensor<8x4x2xui8>, %i: tensor<ui8>) -> tensor<4xui8> {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [2, 0] : (tensor<8x4x2xui8>, tensor<ui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// Several operands and a body: the accumulators come first in StableHLO.
// CHECK-LABEL: func.func @argmax
// CHECK:         linalg.reduce ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8x4xi32>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xi32>) dimensions = [1]
// CHECK-NEXT:      (%[[X:.*]]: f32, %[[I:.*]]: i32, %[[BEST:.*]]: f32, %[[WHERE:.*]]: i32) {
// CHECK-NEXT:        %[[GREATER:.*]] = arith.cmpf ogt, %[[BEST]], %[[X]] : f32
// CHECK-NEXT:        %[[V:.*]] = arith.select %[[GREATER]], %[[BEST]], %[[X]] : f32
// CHECK-NEXT:        %[[W:.*]] = arith.select %[[GREATER]], %[[WHERE]], %[[I]] : i32
// CHECK-NEXT:        linalg.yield %[[V]], %[[W]] : f32, i32
func.func @argmax(%x: tensor<8x4xf32>, %i: tensor<8x4xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %c, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%best: tensor<f32>, %where: tensor<i32>, %value: tensor<f32>, %index: tensor<i32>):
    %1 = stablehlo.compare GT, %best, %value, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %best, %value : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %where, %index : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }) : (tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// -----

// A cumulative sum: one loop for the one window dimension.
// CHECK-DAG:   #[[$IN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
// CHECK-DAG:   #[[$WINDOW:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG:   #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @cumulative_sum
// CHECK:         %[[P:.*]] = tensor.pad %{{.*}} low[0, 3] high[0, 0]
// CHECK:         %[[W:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[$IN]], #[[$WINDOW]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[P]], %[[W]] : tensor<2x7xf32>, tensor<4xf32>)
// CHECK:           arith.addf
func.func @cumulative_sum(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[0, 0], [3, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 4>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Where each window's maximum is; then each element looks for itself among the windows that may
// cover it: of windows as long as their stride there is one.
// CHECK-DAG:   #[[$SOURCE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d3)>
// CHECK-DAG:   #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @select_and_scatter
// CHECK-SAME:    (%{{.*}}: tensor<2x6xf32>, %[[S:.*]]: tensor<2x3xf32>)
// CHECK:         %[[WHERE:.*]]:2 = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[$SOURCE]], #[[$SOURCE]], #{{.*}}, #[[$RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[S]], %[[WHERE]]#1, %{{.*}} : tensor<2x3xf32>, tensor<2x3xi32>, tensor<1xf32>) outs(%{{.*}} : tensor<2x3x2xf32>)
// CHECK:         tensor.collapse_shape %[[R]] {{.*}} : tensor<2x3x2xf32> into tensor<2x6xf32>
func.func @select_and_scatter(%x: tensor<2x6xf32>, %s: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

// Windows that overlap and are padded: positions 2 t and 2 t + 1 of the padded operand are covered by windows t and t - 1.
// CHECK-LABEL: func.func @select_overlapping
// CHECK-SAME:    (%{{.*}}: tensor<2x7xf32>, %[[S:.*]]: tensor<2x4xf32>)
// CHECK:         %[[WHERE:.*]]:2 = linalg.generic
// CHECK:         %[[PS:.*]] = tensor.pad %[[S]] low[0, 1] high[0, 0]
// CHECK:         %[[PW:.*]] = tensor.pad %[[WHERE]]#1 low[0, 1] high[0, 0]
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[PS]], %[[PW]], %{{.*}} : tensor<2x5xf32>, tensor<2x5xi32>, tensor<2xf32>) outs(%{{.*}} : tensor<2x4x2xf32>)
// CHECK:           %[[T:.*]] = linalg.index 1
// CHECK:           %[[REST:.*]] = linalg.index 2
// CHECK:           arith.cmpi eq
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[R]] {{.*}} : tensor<2x4x2xf32> into tensor<2x8xf32>
// CHECK:         tensor.extract_slice %[[C]][0, 1] [2, 7] [1, 1]
func.func @select_overlapping(%x: tensor<2x7xf32>, %s: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x7xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// -----

// Each element is covered by many windows: a scatter. The batch stays a batch.
// CHECK-LABEL: func.func @select_among_many
// CHECK:         %[[WHERE:.*]]:2 = linalg.generic
// CHECK:         %[[I:.*]] = linalg.generic {{.*}} ins(%[[WHERE]]#1 : tensor<2x21xi32>) outs(%{{.*}} : tensor<2x21x1xi64>)
// CHECK:         dmc.scatter ins(%[[I]], %{{.*}} : tensor<2x21x1xi64>, tensor<2x21xf32>) outs(%{{.*}} : tensor<2x90xf32>)
// CHECK-SAME:      input_batching_dims = array<i64: 0>
func.func @select_among_many(%x: tensor<2x90xf32>, %s: tensor<2x21xf32>) -> tensor<2x90xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 1, 70>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x90xf32>, tensor<2x21xf32>, tensor<f32>) -> tensor<2x90xf32>
  return %0 : tensor<2x90xf32>
}

// -----

// The order, then a gather by it; lines stay apart.
// CHECK-LABEL: func.func @sort
// CHECK-SAME:    (%[[X:.*]]: tensor<2x5xf32>)
// CHECK:         %[[ORDER:.*]], %{{.*}} = dmc.sort ins(%[[X]] : tensor<2x5xf32>) outs(%{{.*}}, %{{.*}} : tensor<2x5xi32>, tensor<2x5xi32>) along 1
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK:           %[[BEFORE:.*]] = arith.cmpf olt, %[[A]], %[[B]] : f32
// CHECK:           dmc.yield %[[BEFORE]] : i1
// CHECK:         %[[I:.*]] = tensor.expand_shape %[[ORDER]]
// CHECK:         dmc.gather ins(%[[X]], %[[I]] : tensor<2x5xf32>, tensor<2x5x1xi32>)
// CHECK-SAME:      operand_batching_dims = array<i64: 0>
func.func @sort(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// What is not looked at is not sorted; sorted positions are the order, and of what is cut
// away nothing is collected: the greatest three.
// CHECK-LABEL: func.func @greatest
// CHECK-SAME:    (%[[X:.*]]: tensor<2x9xf32>)
// CHECK:         %[[ORDER:.*]], %{{.*}} = dmc.sort ins(%[[X]] : tensor<2x9xf32>) outs(%{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<2x9xi32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK:         %[[I:.*]] = tensor.expand_shape %[[ORDER]]
// CHECK:         %[[VALUES:.*]] = dmc.gather ins(%[[X]], %[[I]] : tensor<2x9xf32>, tensor<2x3x1xi32>)
// CHECK:         tensor.extract_slice %[[ORDER]][0, 1] [2, 2] [1, 1]
// CHECK-NOT:     dmc.gather
// CHECK:         return %[[VALUES]], %{{.*}} : tensor<2x3xf32>, tensor<2x2xi32>
func.func @greatest(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x2xi32>) {
  %p = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<9xi32>
  %i = "stablehlo.broadcast_in_dim"(%p) <{broadcast_dimensions = array<i64: 1>}> : (tensor<9xi32>) -> tensor<2x9xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %ia: tensor<i32>, %ib: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x9xf32>, tensor<2x9xi32>) -> (tensor<2x9xf32>, tensor<2x9xi32>)
  %v = stablehlo.slice %0#0 [0:2, 0:3] : (tensor<2x9xf32>) -> tensor<2x3xf32>
  %k = stablehlo.slice %0#1 [0:2, 0:3] : (tensor<2x9xi32>) -> tensor<2x3xi32>
  %w = stablehlo.slice %k [0:2, 1:3] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  return %v, %w : tensor<2x3xf32>, tensor<2x2xi32>
}

// -----

// Positions along another dimension are values like any other, and so is what a slice does not begin.
// CHECK-LABEL: func.func @other_positions
// CHECK:         dmc.gather ins(%{{.*}}, %{{.*}} : tensor<2x9xi32>, tensor<2x9x1xi32>)
func.func @other_positions(%x: tensor<2x9xf32>) -> tensor<2x3xi32> {
  %i = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2x9xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %ia: tensor<i32>, %ib: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x9xf32>, tensor<2x9xi32>) -> (tensor<2x9xf32>, tensor<2x9xi32>)
  %k = stablehlo.slice %0#1 [0:2, 2:5] : (tensor<2x9xi32>) -> tensor<2x3xi32>
  return %k : tensor<2x3xi32>
}

// -----

// Canonicalization moves constants out of bodies.
// CHECK-LABEL: func.func @constant_from_outside
// CHECK:         linalg.reduce
// CHECK-NEXT:      (%[[X:.*]]: f32, %[[A:.*]]: f32) {
// CHECK:             %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:             arith.mulf %{{.*}}, %[[C]] : f32
func.func @constant_from_outside(%x: tensor<8xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %b, %c : tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

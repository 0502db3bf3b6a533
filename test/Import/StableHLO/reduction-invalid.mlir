// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected an initial value for each input, at least one, but got 1 operands}}
  %0 = "stablehlo.reduce"(%x) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<2x3xf32>, %i: tensor<f64>) {
  // expected-error @below {{expected input and initial value to have the same element type, but got 'f32' and 'f64'}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c3(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected dimensions to be distinct, but got [1, 1]}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c4(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected result of shape [2], but got [3]}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c5(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected the body to return ('tensor<f32>'), but got ('tensor<i1>')}}
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }
  return
}

// -----

func.func @reduce_two_inputs_apply_nothing(%x: tensor<2xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected one input to apply an operation to, but got 2}}
  %0:2 = stablehlo.reduce(%x init: %i), (%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @reduce_window_c3(%x: tensor<8xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected window_dimensions to be positive, but got [0]}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_window_c4_huge(%x: tensor<8xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected result of shape [0], but got [8]}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 9223372036854775807>, window_dilations = array<i64: 9223372036854775807>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @select_and_scatter_c3(%x: tensor<8xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected source of shape [4], but got [3]}}
  %1 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>, tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @map_c2(%x: tensor<8xf32>) {
  // expected-error @below {{expected dimensions 0 to rank - 1 for rank 1, but got [1]}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_c2(%x: tensor<8xf32>) {
  // expected-error @below {{expected a dimension of -1 to 0, but got 1}}
  %1 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_c3(%x: tensor<8xf32>) {
  // expected-error @below {{expected the comparator to return ('tensor<i1>'), but got ('tensor<f32>')}}
  %1 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected results of the inputs' types ('tensor<4xf32>'), but got ('tensor<5xf32>')}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @map_c1(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected inputs of shape [8], but got [4]}}
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @map_c3(%x: tensor<8xf32>) {
  // expected-error @below {{expected the computation to take ('tensor<f32>'), but got ('tensor<f32>', 'tensor<f32>')}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_window_c1(%x: tensor<8xf32>) {
  // expected-error @below {{expected an initial value for each input, at least one, but got 1 operands}}
  %0 = "stablehlo.reduce_window"(%x) <{operandSegmentSizes = array<i32: 1, 0>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @reduce_window_c2(%x: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected input and initial value to have the same element type, but got 'f32' and 'i32'}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<i32>) -> tensor<7xf32>
  return
}

// -----

func.func @reduce_window_c5(%x: tensor<8xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected the body to take ('tensor<f32>', 'tensor<f32>'), but got ('tensor<f32>')}}
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<7xf32>
  return
}

// -----

func.func @select_and_scatter_c1(%x: tensor<8xf32>, %s: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected operand and initial value to have the same element type, but got 'f32' and 'i32'}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @select_and_scatter_c2(%x: tensor<8xf32>, %s: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected window_strides to be positive, but got [0]}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @select_and_scatter_c4(%x: tensor<8xf32>, %s: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected select to return ('tensor<i1>'), but got ('tensor<f32>')}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @select_and_scatter_c5(%x: tensor<8xf32>, %s: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @below {{expected scatter to take ('tensor<f32>', 'tensor<f32>'), but got ('tensor<f32>')}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

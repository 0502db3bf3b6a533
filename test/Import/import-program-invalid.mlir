// RUN: dmc-opt %s -split-input-file -dmc-import-program -verify-diagnostics

module {
  sdy.mesh @mesh = <["x"=2]>
  // expected-error @+1 {{unsupported: sharding of argument 0 has unreduced axes}}
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
    return
  }
}

// -----

module {
  sdy.mesh @mesh = <["x"=2]>
  // expected-error @+1 {{unsupported: a program of ranks (with several replicas, or with collectives outside of 'sdy.manual_computation') with a mesh of its own; expected none}}
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{unsupported: argument 0 of type 'f32'; expected a ranked tensor of static shape}}
func.func @main(%arg0: f32) {
  return
}

// -----

// expected-error @+1 {{unsupported: argument 0 of type 'tensor<?xf32>'; expected a static shape}}
func.func @main(%arg0: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{unsupported: argument 0 of type 'tensor<2xcomplex<f32>>'; expected real and imaginary parts as tensors of their own}}
func.func @main(%arg0: tensor<2xcomplex<f32>>) {
  return
}

// -----

// expected-error @+1 {{argument 0 is donated to result 1, but there are 1}}
func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 of type 'tensor<4xi32>' is donated to result 0 of type 'tensor<4xf32>'}}
func.func @main(%arg0: tensor<4xi32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  return %arg1 : tensor<4xf32>
}

// -----

func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32},
                // expected-error @+1 {{argument 1 is donated to result 0, to which another argument is donated already}}
                %arg1: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

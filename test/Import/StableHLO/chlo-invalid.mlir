// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @top_k_c1(%x: tensor<2x8xf32>) {
  // expected-error @below {{expected an operand with at least k = 9 elements along its last dimension, but got 'tensor<2x8xf32>'}}
  %0:2 = chlo.top_k(%x, k = 9) : tensor<2x8xf32> -> (tensor<2x9xf32>, tensor<2x9xi32>)
  return
}

// -----

func.func @top_k_c2(%x: tensor<2x8xf32>) {
  // expected-error @below {{expected indices of shape [2, 3], but got [2, 4]}}
  %0:2 = chlo.top_k(%x, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @integers(%x: tensor<i32>) {
  // expected-error @below {{must be static tensor of f16, bf16, f32, f64 or complex numbers, but got 'tensor<i32>'}}
  %0 = chlo.erf %x : tensor<i32> -> tensor<i32>
  return
}

// -----

func.func @top_k_indices(%x: tensor<4xf32>) {
  // expected-error @below {{expected indices of type i32, but got 'tensor<2xi64>'}}
  %0:2 = "chlo.top_k"(%x) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

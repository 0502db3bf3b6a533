// RUN: dmc-opt %s -split-input-file -dmc-split-complex -verify-diagnostics

func.func @maximum(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  // expected-error @below {{unsupported: 'stablehlo.maximum' of type 'tensor<2xcomplex<f32>>'; expected real and imaginary parts as tensors of their own}}
  %0 = stablehlo.maximum %x, %x : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

func.func @order(%x: tensor<2xcomplex<f32>>) -> tensor<2xi1> {
  // expected-error @below {{unsupported: 'stablehlo.compare' of complex numbers by LT; expected EQ or NE}}
  %0 = stablehlo.compare LT, %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @product_of_ranks(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  // expected-error @below {{unsupported: 'stablehlo.all_reduce' of type 'tensor<2xcomplex<f32>>'}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<complex<f32>>, %r: tensor<complex<f32>>):
    %s = stablehlo.multiply %l, %r : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

func.func @bits(%x: tensor<2xcomplex<f32>>) -> tensor<2xi64> {
  // expected-error @below {{unsupported: 'stablehlo.bitcast_convert' of type 'tensor<2xcomplex<f32>>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

func.func @call(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'f'; expected operations whose meaning is in the program}}
  %0 = stablehlo.custom_call @f(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

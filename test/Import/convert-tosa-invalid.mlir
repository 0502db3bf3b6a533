// RUN: dmc-opt %s --dmc-convert-tosa -split-input-file -verify-diagnostics

func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'tosa.custom' cannot be converted to a tensor program; expected operations of TOSA without state, on static shapes, that upstream lowers to linalg, tensor, arith and scf}}
  %0 = tosa.custom %x {domain_name = "d", operator_name = "o", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module {
  // expected-error @below {{unsupported: 'tosa.variable' cannot be converted}}
  tosa.variable @state = dense<1.0> : tensor<4xf32>
  func.func @variable() -> tensor<4xf32> {
    %0 = tosa.variable_read @state : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

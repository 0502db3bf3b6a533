// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @while_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected results of the operands' types ('tensor<4xf32>'), but got ('tensor<5xf32>')}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @while_c3(%x: tensor<4xf32>) {
  // expected-error @below {{expected the condition to return ('tensor<i1>'), but got ('tensor<4xf32>')}}
  %0 = stablehlo.while(%a = %x) : tensor<4xf32>
  cond {
    stablehlo.return %a : tensor<4xf32>
  } do {
    stablehlo.return %a : tensor<4xf32>
  }
  return
}

// -----

func.func @while_types(%x: tensor<4xf32>) {
  // expected-error @below {{expected 1 types, but got 2}}
  %0 = stablehlo.while(%a = %x) : tensor<4xf32>, tensor<4xf32>
  cond {
    stablehlo.return %a : tensor<4xf32>
  } do {
    stablehlo.return %a : tensor<4xf32>
  }
  return
}

// -----

func.func @if_c1(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{expected the false branch to return ('tensor<4xf32>'), but got ()}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @case_c1(%n: tensor<i32>) {
  // expected-error @below {{expected at least one branch}}
  "stablehlo.case"(%n) : (tensor<i32>) -> ()
  return
}

// -----

func.func @composite_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected a function as decomposition, but there is no @nothing}}
  %1 = stablehlo.composite "my.op" %x {decomposition = @nothing} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rng_bit_generator_c2(%s: tensor<3xui64>) {
  // expected-error @below {{expected a state of 128 bits, but got 'tensor<3xui64>'}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

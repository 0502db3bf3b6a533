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

// -----

func.func @composite_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected a name that is not empty}}
  %1 = stablehlo.composite "" %x {decomposition = @nothing} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @composite_version(%x: tensor<4xf32>) {
  // expected-error @below {{expected a version that is not negative, but got -1}}
  %1 = stablehlo.composite "my.op" %x {decomposition = @nothing, version = -1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @scalar(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @composite_types(%x: tensor<4xf32>) {
  // expected-error @below {{expected a decomposition of type ('tensor<4xf32>') -> ('tensor<4xf32>')}}
  %1 = stablehlo.composite "my.op" %x {decomposition = @scalar} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @rng_bit_generator_c1(%s: tensor<2x1xui64>) {
  // expected-error @below {{expected states of one type of rank 1, but got}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2x1xui64>) -> (tensor<2x1xui64>, tensor<4xui32>)
  return
}

// -----

func.func @rng_c1(%a: tensor<i32>, %n: tensor<1xi64>) {
  // expected-error @below {{expected a float element type for NORMAL, but got 'i32'}}
  %0 = stablehlo.rng %a, %a, %n, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @while_end(%x: tensor<4xf32>) {
  // expected-error @below {{expected the condition to end with stablehlo.return, but got sdy.return}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    sdy.return %a : tensor<4xf32>
  }, {
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tuple_elements(%x: tensor<4xf32>) {
  // expected-error @below {{expected a tuple of the operands' types, but got 'tuple<tensor<5xf32>>'}}
  %0 = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return
}

// -----

func.func @case_c2(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{expected branch 0 to return ('tensor<4xf32>'), but got ()}}
  %0 = "stablehlo.case"(%n) ({
    stablehlo.return
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @while_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected the condition to take ('tensor<4xf32>'), but got ('tensor<5xf32>')}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @optimization_barrier_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected results of the operands' types ('tensor<4xf32>'), but got ('tensor<5xf32>')}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @rng_c2(%a: tensor<f32>, %n: tensor<2xi64>) {
  // expected-error @below {{expected shape operand of shape [1], but got [2]}}
  %0 = stablehlo.rng %a, %a, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// RUN: dmc-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(dmc-apply-rules{kernels=f},dmc-split-complex,dmc-import-program,dmc-convert-stablehlo)'

func.func @too_few_operands(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the rule of the kernel 'g', "([i]) -> ([i])", does not fit: the rule has 1 operand, the operation 2}}
  %0 = stablehlo.custom_call @g(%x, %y) {dmc.rule = "([i]) -> ([i])"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @too_many_results(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{does not fit: the rule has 2 results, the operation 1}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([i]) -> ([i], [i])"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{does not fit: result 0 has 2 dimensions in the rule, but 1 in the operation}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([i]) -> ([i, j])"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @size(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{does not fit: factor i has size 5 in dimension 0 of result 0, but 4 in dimension 0 of operand 0}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([i]) -> ([i])"} : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @stated_size(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{does not fit: factor i has size 4 in dimension 0 of operand 0, but 8 among the sizes}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([i]) -> ([i]) {i=8}"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @sizes_of_one_dimension(%x: tensor<12xf32>) -> tensor<12xf32> {
  // expected-error @below {{does not fit: expected the sizes of factors i, j, as {j=2}: dimension 0 of operand 0 has them together}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([ij]) -> ([ij])"} : (tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

func.func @not_a_multiple(%x: tensor<12xf32>) -> tensor<12xf32> {
  // expected-error @below {{does not fit: dimension 0 of operand 0 has 12 elements, but its factors i, j have a multiple of 5}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([ij]) -> ([ij]) {j=5}"} : (tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

func.func @not_the_product(%x: tensor<3x5xf32>) -> tensor<12xf32> {
  // expected-error @below {{does not fit: dimension 0 of result 0 has 12 elements, but its factors i, j have 15}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([i, j]) -> ([ij])"} : (tensor<3x5xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

func.func @sum_of_booleans(%x: tensor<4xi1>) -> tensor<i1> {
  // expected-error @below {{does not fit: results are added over factor i, but result 0 has elements of i1}}
  %0 = stablehlo.custom_call @g(%x) {dmc.rule = "([i]) -> ([]) reduction={i}"} : (tensor<4xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

func.func @side_effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the kernel 'f' with side effects; expected a function of its operands}}
  %0 = stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the kernel 'f' with called computations; expected operands alone}}
  %0 = stablehlo.custom_call @f(%x) {called_computations = [@other]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the kernel 'f' with results in the place of operands; expected results of their own}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [0]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_results(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the kernel 'f' without results; expected one at least}}
  stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  // expected-error @below {{of the kernel 'f' with operand 0 of type 'tensor<4xcomplex<f32>>'; expected tensors of static shape of real numbers}}
  %0 = stablehlo.custom_call @f(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @without_elements(%x: tensor<0xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the kernel 'f' with operand 0 without elements, 'tensor<0xf32>'}}
  %0 = stablehlo.custom_call @f(%x) : (tensor<0xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @columns_first(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{of the kernel 'f' with operand 0 in the order dense<[0, 1]> : tensor<2xindex>; expected row-major arrays, whose last dimension is the first of it}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @attributes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the kernel 'f' with the attributes {to = f32}; expected numbers, strings, and lists and dictionaries of them}}
  %0 = stablehlo.custom_call @f(%x) {backend_config = {to = f32}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unnamed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of the target 'g'; expected operations whose meaning is in the program, or a kernel of this name (--custom-call=g)}}
  %0 = stablehlo.custom_call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

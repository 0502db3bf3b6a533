// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo -verify-diagnostics

func.func @custom_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' of the target 'f'; expected operations whose meaning is in the program}}
  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @outside_value(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{unsupported: 'stablehlo.add' in a computation uses a value from outside of it; expected arguments and constants}}
    %1 = stablehlo.add %a, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Operations of the specification that are not supported are refused by name, and what
// is not an operation either.
func.func @fourier(%x: tensor<4xf32>) -> tensor<3xcomplex<f32>> {
  // expected-error @+1 {{unsupported: 'stablehlo.fft' of type 'tensor<3xcomplex<f32>>'; expected real and imaginary parts as tensors of their own}}
  %0 = "stablehlo.fft"(%x) {fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type RFFT>} : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

func.func @token(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.create_token' orders effects by tokens; expected all inputs and outputs as arguments and results}}
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  return %x : tensor<4xf32>
}

// -----

func.func @quantize(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error @+1 {{unsupported: 'stablehlo.uniform_quantize' of quantized numbers; expected integers with scales as tensors of their own}}
  %0 = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @shape_value(%x: tensor<4xf32>, %l: tensor<1xi32>, %c: tensor<f32>) -> tensor<6xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.dynamic_pad' with a padding that is not known at compile time; expected constants}}
  %0 = stablehlo.dynamic_pad %x, %c, %l, %l, %l : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.unary_einsum' of the equation "ii->i"; expected a distinct letter for each dimension}}
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ii->i"} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @whole_tuple(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  // expected-error @+1 {{unsupported: 'stablehlo.tuple' whose value is used as a whole}}
  %0 = stablehlo.tuple %x : tuple<tensor<4xf32>>
  return %0 : tuple<tensor<4xf32>>
}

// -----

func.func @selected_shape(%x: tensor<3x4xf32>, %i: tensor<3x2xi32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{'stablehlo.torch_index_select' expects the result 'tensor<3x3x2xf32>', found 'tensor<3x2xf32>'}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @global_collective(%x: tensor<3xf32>) {
  // expected-error @below {{unsupported: 'stablehlo.collective_permute' communicates in a program on global tensors; expected it in a program of ranks or in a manual computation}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @algorithm(%x: tensor<2xf32>) {
  // expected-error @below {{with an algorithm other than products of the operands' types accumulated in 'f32'}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @random_state(%s: tensor<4xui32>) {
  // expected-error @below {{with a state of 'tensor<4xi32>'; expected words of 64 bits}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
  return
}

// -----

func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @no_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.composite' cannot be converted to a tensor program; expected elementwise, shape, product, reduction, window and indexing operations}}
  %0 = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @signed(%x: tensor<4xsi32>) {
  // expected-error @below {{unsupported: 'tensor.cast' with an integer of explicit signedness}}
  %0 = tensor.cast %x : tensor<4xsi32> to tensor<4xsi32>
  return
}

// -----

func.func @blocks(%x: tensor<4xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{unsupported: 'scf.execute_region' with a region of several blocks}}
  scf.execute_region {
    cf.br ^next
  ^next:
    scf.yield
  }
  return
}

// -----

func.func @computed_shape(%x: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @below {{unsupported: 'stablehlo.iota' in a computation; expected elementwise operations on tensors of rank 0}}
    %1 = stablehlo.iota dim = 0 : tensor<4xf32>
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @constant_list(%x: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @below {{unsupported: 'stablehlo.constant' in a computation is not a dense scalar}}
    %1 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @outside_result(%x: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @below {{unsupported: 'stablehlo.return' returns a value from outside of the computation}}
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @batch_norm_dimension(%x: tensor<4x2xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{'stablehlo.batch_norm_inference' expects a feature dimension of 'tensor<4x2xf32>', found 2}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.1 : f32, feature_index = 2 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @batch_norm_features(%x: tensor<4x2xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{'stablehlo.batch_norm_inference' expects a vector of 2 features, found 'tensor<3xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @pad_count(%x: tensor<4xf32>, %c: tensor<f32>) {
  %l = stablehlo.constant dense<1> : tensor<2xi32>
  // expected-error @below {{'stablehlo.dynamic_pad' expects 1 integers as padding, found 2}}
  %0 = stablehlo.dynamic_pad %x, %c, %l, %l, %l : (tensor<4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<6xf32>
  return
}

// -----

func.func @dimension_size(%x: tensor<4xf32>) {
  // expected-error @below {{'stablehlo.get_dimension_size' expects a dimension of 'tensor<4xf32>', found 1}}
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4xf32>) -> tensor<i32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<4x2xf32>) {
  // expected-error @below {{'stablehlo.broadcast' expects a result of at least rank 2, found 'tensor<4xf32>'}}
  %0 = stablehlo.broadcast %x, sizes = [] : (tensor<4x2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dot_ranks(%x: tensor<4x2x1xf32>) {
  // expected-error @below {{'stablehlo.dot' expects vectors and matrices, found 'tensor<4x2x1xf32>' and 'tensor<4x2x1xf32>'}}
  %0 = stablehlo.dot %x, %x : (tensor<4x2x1xf32>, tensor<4x2x1xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @index_select(%x: tensor<4x2xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{'stablehlo.torch_index_select' expects a dimension of 'tensor<4x2xf32>' behind the batch dimensions of 'tensor<3xi32>', found 2 and 0}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 2 : i64}> : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @tuple_value(%t: tuple<tensor<4xf32>>) {
  // expected-error @below {{unsupported: 'stablehlo.get_tuple_element' of a value of type 'tuple<tensor<4xf32>>'; expected the values of a 'stablehlo.tuple'}}
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @tuple_index(%x: tensor<4xf32>) {
  %t = stablehlo.tuple %x : tuple<tensor<4xf32>>
  // expected-error @below {{'stablehlo.get_tuple_element' expects an index below 1, found 1}}
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @tuple_used(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  // expected-error @below {{unsupported: 'stablehlo.tuple' whose value is used as a whole; expected its elements to be taken by 'stablehlo.get_tuple_element'}}
  %t = stablehlo.tuple %x : tuple<tensor<4xf32>>
  return %t : tuple<tensor<4xf32>>
}

// -----

func.func @broadcast_operands(%x: tensor<4x2xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'chlo.broadcast_add' expects operands to be broadcast to 'tensor<4xf32>', found 'tensor<4x2xf32>'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<4x2xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @constant_like(%x: tensor<4xf32>) {
  // expected-error @below {{unsupported: 'chlo.constant_like' with the value 1 : i32; expected a number of type 'f32'}}
  %0 = "chlo.constant_like"(%x) <{value = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @derived_type(%x: tensor<4xf32>) {
  %t = stablehlo.tuple %x : tuple<tensor<4xf32>>
  // expected-error @below {{'stablehlo.get_tuple_element' expects a result of type 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>>) -> tensor<5xf32>
  return
}

// -----

func.func @sparse(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'arith.constant' has a value that is neither dense nor a resource}}
  %0 = arith.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  %1 = stablehlo.add %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @resource_missing() -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.constant' of the resource 'absent', which the file does not have; expected its elements}}
  %0 = stablehlo.constant dense_resource<absent> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @resource_short() -> tensor<4xf32> {
  // expected-error @below {{expected the resource 'short' to hold the elements of 'tensor<4xf32>', found 8 bytes}}
  %0 = stablehlo.constant dense_resource<short> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F00000040"
    }
  }
#-}

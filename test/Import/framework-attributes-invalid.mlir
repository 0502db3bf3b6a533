// RUN: dmc-opt %s -split-input-file -dmc-inline-functions -dmc-import-program -verify-diagnostics

func.func @contains_origin(
    // expected-error @+1 {{unsupported: 'sdy.original_sharding' of argument 0 with value "x"; expected 'sdy.sharding', 'tf.aliasing_output' or 'jax.buffer_donor'}}
    %x: tensor<4xf32> {sdy.original_sharding = "x"}) {
  return
}

// -----

func.func @contains_edges(%x: tensor<4xf32>) {
  // expected-error @+1 {{unsupported: 'stablehlo.negate' with 'sdy.manual_edges'; expected 'sdy.sharding' only}}
  %0 = stablehlo.negate %x {sdy.manual_edges = 1 : i64} : tensor<4xf32>
  return
}

// -----

func.func @other_memory(
    // expected-error @+1 {{unsupported: 'mhlo.memory_kind' of argument 1 with value "pinned_host"}}
    %x: tensor<4xf32>, %y: tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
  return
}

// -----

func.func @other_layout(
    // expected-error @+1 {{unsupported: 'mhlo.layout_mode' of argument 0 with value "{0,1}"}}
    %x: tensor<4x4xf32> {mhlo.layout_mode = "{0,1}"}) {
  return
}

// -----

func.func @unknown_argument_attribute(
    // expected-error @+1 {{unsupported: 'bufferization.writable' of argument 0 with value false}}
    %x: tensor<4xf32> {bufferization.writable = false}) {
  return
}

// -----

// expected-error @+1 {{unsupported: 'tf.aliasing_output' of result 0 with value 0 : i32; expected 'sdy.sharding' or 'jax.result_info'}}
func.func @of_an_argument_only(%x: tensor<4xf32>) -> (tensor<4xf32> {tf.aliasing_output = 0 : i32}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{unsupported: 'mhlo.spmd_output_sharding' of the module; expected 'mhlo.num_partitions' or 'mhlo.num_replicas'}}
module attributes {mhlo.spmd_output_sharding = "{replicated}"} {
  func.func @main(%x: tensor<4xf32>) {
    return
  }
}

// -----

// expected-error @+1 {{unsupported: 'sdy.func_manual_edges' of @main; expected 'sdy.sharding' of its arguments and results only}}
func.func @main(%x: tensor<4xf32>) attributes {sdy.func_manual_edges = 1 : i64} {
  return
}

// -----

// Of functions that are called, too.
func.func private @callee(
    // expected-error @+1 {{unsupported: 'mhlo.sharding' "{devices=[2]<=[2]}" of argument 0 of @callee; expected a sharding of Shardy}}
    %x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

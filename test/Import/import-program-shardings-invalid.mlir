// RUN: dmc-opt %s -split-input-file -dmc-import-program -verify-diagnostics

module {
  sdy.mesh @a = <["x"=2, "y"=3]>
  sdy.mesh @b = <["u"=3, "v"=2]>
  // expected-error @+1 {{unsupported: several meshes, #sdy.mesh<["x"=2, "y"=3]> and #sdy.mesh<["u"=3, "v"=2]>; expected meshes of the same devices, each axis of one a part of the other's axes}}
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>},
                  %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@b, [{"v"}]>}) {
    return
  }
}

// -----

module {
  sdy.mesh @a = <["x"=4]>
  sdy.mesh @b = <["x"=4], device_ids=[1, 0, 2, 3]>
  // expected-error @+1 {{unsupported: several meshes}}
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>},
                  %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) {
    return
  }
}

// -----

module {
  sdy.mesh @a = <["p"=6, "q"=2]>
  sdy.mesh @b = <["x"=12]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@a, [{"p"}]>},
                  // expected-error @+1 {{unsupported: part (1)4 of axis "x" of the mesh #sdy.mesh<["x"=12]>; expected one that is of parts of the axes of #sdy.mesh<["p"=6, "q"=2]>}}
                  %arg1: tensor<12xf32> {sdy.sharding = #sdy.sharding<@b, [{"x":(1)4}]>}) {
    return
  }
}

// -----

module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    // expected-error @+1 {{unsupported: sharding of the result of 'stablehlo.negate' on device 1 alone; expected a mesh with axes, over which the tensor may be replicated}}
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module {
  sdy.mesh @mesh = <["x"=2]>
  // expected-error @+1 {{unsupported: sharding of result 0 has unreduced axes; expected arguments and results to be whole or split}}
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
    return %arg0 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{unsupported: 'mhlo.sharding' "{devices=[2]<=[2]}" of argument 0; expected a sharding of Shardy, 'sdy.sharding' (in JAX: jax_use_shardy_partitioner)}}
func.func @main(%arg0: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return
}

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' of the target 'SPMDFullToShardShape', a sharding for another partitioner; expected operations of the dialect sdy}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.custom_call' of the target 'Sharding', a sharding for another partitioner}}
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{unsupported: 'xla.sdy.meshes' among 'mhlo.frontend_attributes' of the module, a sharding as a string; expected operations and attributes of the dialect sdy}}
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @main() {
    return
  }
}

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'xla.sdy.sharding' among 'mhlo.frontend_attributes' of 'stablehlo.negate', a sharding as a string; expected operations and attributes of the dialect sdy}}
  %0 = stablehlo.negate %arg0 {mhlo.frontend_attributes = {xla.sdy.sharding = "x"}} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: 'stablehlo.negate' with 'sdy.sharding_rule'; expected 'sdy.sharding' only}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{unsupported: 'sdy.func_manual_axes' of @main; expected 'sdy.sharding' of its arguments and results only}}
func.func @main(%arg0: tensor<4xf32>) attributes {sdy.func_manual_axes = 1 : i64} {
  return
}

// -----

// Shardy's verifier does not look at an edge's axes.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @unknown_axis(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{sharding names the axis "z", which the mesh #sdy.mesh<["x"=2]> does not have}}
    %0 = sdy.data_flow_edge %arg0 sharding=<@mesh, [{"z"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

func.func @gspmd(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'Sharding', a sharding for another partitioner; expected operations of the dialect sdy (in JAX: jax_use_shardy_partitioner)}}
  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A text that is not a sharding of Shardy, or one for other dimensions.
func.func @sharding_as_text(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'Sharding', a sharding for another partitioner}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @sharding_of_another_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{sharding: expected a sharding of 1 dimensions for 'tensor<4xf32>', but got 2}}
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {}]>"}} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A call is refused for what it calls, whatever its shardings say.
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @pure_callback(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'xla_ffi_python_cpu_callback', a function of the Python process (in JAX: debug.print, pure_callback, io_callback); expected operations whose meaning is in the program}}
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

func.func @schur_form(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call' of the target 'lapack_sgees_ffi', a function of LAPACK; expected potrf, trsm, getrf, geqrf, orgqr, ormqr, syevd, gesdd, gesvd or gtsv, as JAX calls them (lapack_spotrf_ffi)}}
  %0:3 = stablehlo.custom_call @lapack_sgees_ffi(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=4, j=4, k=4, l=4, m=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>)
  return %0#0 : tensor<4x4xf32>
}

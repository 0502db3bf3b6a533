// RUN: dmc-opt %s -split-input-file -dmc-import-program | FileCheck %s

// What Shardy's propagation records about itself, and what holds of every program, is ignored by
// its exact name.
// CHECK-LABEL: @ignored
// CHECK-NOT: sdy.
// CHECK-NOT: mhlo.
// CHECK-NOT: jax.
module @ignored attributes {mhlo.num_replicas = 1 : i32, mhlo.is_dynamic = false, jax.uses_shape_polymorphism = false} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(
      %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {x = "self"}, mhlo.layout_mode = "default", mhlo.memory_kind = "device"},
      %b: tensor<4xf32> {sdy.propagation_edges = 1 : i64, mhlo.layout_mode = "auto", mhlo.is_same_data_across_replicas = true})
      -> (tensor<4xf32> {jax.result_info = "", sdy.sharding_origins = {x = "input: 0"}, mhlo.layout_mode = "default"}) {
    %0 = stablehlo.add %a, %b {sdy.propagation_edges = 1 : i64, sdy.sharding_origin_name = "c"} : tensor<4xf32>
    %1 = stablehlo.add %0, %b {sdy.block_arg_sharding_origins = [], sdy.result_sharding_origins = [], sdy.block_arg_propagation_edges = [], sdy.result_propagation_edges = []} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

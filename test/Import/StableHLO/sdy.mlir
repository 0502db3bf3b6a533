// RUN: dmc-opt %s | dmc-opt | FileCheck %s
// RUN: dmc-opt %s -mlir-print-op-generic | dmc-opt | FileCheck %s

// CHECK: sdy.mesh @mesh_4x2 = <["data"=4, "model"=2]> {note}
sdy.mesh @mesh_4x2 = <["data"=4, "model"=2]> {note}
// CHECK: sdy.mesh @reordered = <["x"=4], device_ids=[3, 1, 2, 0]>
sdy.mesh @reordered = <["x"=4], device_ids=[3, 1, 2, 0]>
// CHECK: sdy.mesh @one_device = <[], device_ids=[5]>
sdy.mesh @one_device = <[], device_ids=[5]>

// CHECK-LABEL: func.func @shardings
func.func @shardings(
    // CHECK-SAME: #sdy.sharding<@mesh_4x2, [{"data"}, {}]>
    %0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_4x2, [{"data"}, {}]>},
    // CHECK-SAME: #sdy.sharding<@mesh_4x2, [{"data", ?}p1, {?}]>
    %1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_4x2, [{"data", ?}p1, {?}]>},
    // CHECK-SAME: #sdy.sharding<@mesh_4x2, [{"data":(2)2, "model"}, {"data":(1)2}]>
    %2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_4x2, [{"data":(2)2, "model"}, {"data":(1)2}]>},
    // CHECK-SAME: #sdy.sharding<@mesh_4x2, [{}, {}], replicated={"data"}, unreduced={"model"}>
    %3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_4x2, [{}, {}], replicated={"data"}, unreduced={"model"}>},
    // CHECK-SAME: #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>
    %4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>},
    // CHECK-SAME: #sdy.sharding<@mesh_4x2, []>
    %5: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh_4x2, []>})
    // CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_4x2, [{}, {"model"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh_4x2, [{}, {"model"}]>}) {
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh_4x2, [{"data", "model"}, {?}]> : tensor<8x8xf32>
  %6 = sdy.sharding_constraint %0 <@mesh_4x2, [{"data", "model"}, {?}]> : tensor<8x8xf32>
  // CHECK: stablehlo.add {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh_4x2, [{}, {}]>]>}
  %7 = stablehlo.add %6, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh_4x2, [{}, {}]>]>} : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @manual
func.func @manual(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh_4x2, [{"data"}, {"model"}]>] out_shardings=[<@mesh_4x2, [{"data"}, {}]>] manual_axes={"data"} (%{{.*}}: tensor<2x8xf32>) {
  // CHECK: sdy.return %{{.*}} : tensor<2x8xf32>
  // CHECK: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh_4x2, [{"data"}, {"model"}]>] out_shardings=[<@mesh_4x2, [{"data"}, {}]>] manual_axes={"data"} (%y: tensor<2x8xf32>) {
    sdy.return %y : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @on_one_device
func.func @on_one_device(%x: tensor<8x8xf32>) {
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@one_device, []>]>
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@one_device, []>]>} : tensor<8x8xf32>
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@one_device, []>]>
  stablehlo.custom_call @print(%x) {sdy.sharding = #sdy.sharding_per_value<[<@one_device, []>]>} : (tensor<8x8xf32>) -> ()
  // CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>
  %1 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

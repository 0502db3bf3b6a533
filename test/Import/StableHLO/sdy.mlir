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

// CHECK-LABEL: func.func @reshardings
func.func @reshardings(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.reshard %{{.*}} <@mesh_4x2, [{"model"}, {}]> : tensor<8x8xf32>
  %0 = sdy.reshard %x <@mesh_4x2, [{"model"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_gather [{"model"}, {}] %{{.*}} out_sharding=<@mesh_4x2, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_gather [{"model"}, {}] %0 out_sharding=<@mesh_4x2, [{}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_slice [{"data":(1)2}, {"model"}] %{{.*}} out_sharding=<@mesh_4x2, [{"data":(1)2}, {"model"}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"data":(1)2}, {"model"}] %1 out_sharding=<@mesh_4x2, [{"data":(1)2}, {"model"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"data":(1)2}: 0->1, {"model"}: 1->0] %{{.*}} out_sharding=<@mesh_4x2, [{"model"}, {"data":(1)2}]> : tensor<8x8xf32>
  %3 = sdy.all_to_all [{"data":(1)2}: 0->1, {"model"}: 1->0] %2 out_sharding=<@mesh_4x2, [{"model"}, {"data":(1)2}]> : tensor<8x8xf32>
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@mesh_4x2, [{"data":(1)2}, {"model"}]> : tensor<8x8xf32>
  %4 = sdy.collective_permute %3 out_sharding=<@mesh_4x2, [{"data":(1)2}, {"model"}]> : tensor<8x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"data"} %{{.*}} out_sharding=<@mesh_4x2, [{}, {"model"}], unreduced={"data"}> : tensor<8x8xf32>
  %5 = sdy.replicated_to_unreduced {"data"} %4 out_sharding=<@mesh_4x2, [{}, {"model"}], unreduced={"data"}> : tensor<8x8xf32>
  // CHECK: sdy.sharded_to_unreduced [{}, {"model"}] %{{.*}} out_sharding=<@mesh_4x2, [{}, {}], unreduced=max{"data", "model"}> : tensor<8x8xf32>
  %6 = sdy.sharded_to_unreduced [{}, {"model"}] %5 out_sharding=<@mesh_4x2, [{}, {}], unreduced=max{"data", "model"}> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"data"} %{{.*}} out_sharding=<@mesh_4x2, [{}, {}], unreduced={"model"}> : tensor<8x8xf32>
  %7 = sdy.all_reduce {"data"} %6 out_sharding=<@mesh_4x2, [{}, {}], unreduced=sum{"model"}> : tensor<8x8xf32>
  // CHECK: sdy.reduce_scatter max [{"model"}, {}] %{{.*}} out_sharding=<@mesh_4x2, [{"model"}, {}]> : tensor<8x8xf32>
  %8 = sdy.reduce_scatter max [{"model"}, {}] %7 out_sharding=<@mesh_4x2, [{"model"}, {}]> : tensor<8x8xf32>
  return %8 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @of_propagation
func.func @of_propagation(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.sharding_group %{{.*}} group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %x group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
  %0 = sdy.constant dense<1.0> : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@mesh_4x2, [{"data"}, {}]> : tensor<8x8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh_4x2, [{"data"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{[0-9]*}} : tensor<8x8xf32>
  %2 = sdy.data_flow_edge %1 : tensor<8x8xf32>
  // CHECK: sdy.func_data_flow_edge %{{.*}} : tensor<8x8xf32>
  %3 = sdy.func_data_flow_edge %2 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD : tensor<8x8xf32>
  %4 = sdy.propagation_barrier %3 allowed_direction=BACKWARD : tensor<8x8xf32>
  // CHECK: sdy.named_computation<"f">(%{{.*}}) in_shardings=[<@mesh_4x2, [{"data"}, {}]>] (%{{.*}}: tensor<8x8xf32>) {
  // CHECK-NEXT: sdy.return %{{.*}} : tensor<8x8xf32>
  // CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = sdy.named_computation<"f">(%4) in_shardings=[<@mesh_4x2, [{"data"}, {}]>] (%y: tensor<8x8xf32>) {
    sdy.return %y : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// RUN: dmc-opt %s | dmc-opt | FileCheck %s

// CHECK-LABEL: @gather
func.func @gather(%t: tensor<128x32xf32>, %ids: tensor<8x16x1xi32>) -> tensor<8x16x32xf32> {
  %e = tensor.empty() : tensor<8x16x32xf32>
  // CHECK: dmc.gather ins(%{{.*}}, %{{.*}} : tensor<128x32xf32>, tensor<8x16x1xi32>) outs(%{{.*}} : tensor<8x16x32xf32>)
  // CHECK-SAME: slice_sizes = array<i64: 1, 32>
  %r = dmc.gather ins(%t, %ids : tensor<128x32xf32>, tensor<8x16x1xi32>) outs(%e : tensor<8x16x32xf32>)
    {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
     index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 32>} -> tensor<8x16x32xf32>
  return %r : tensor<8x16x32xf32>
}

// CHECK-LABEL: @scatter
func.func @scatter(%t: tensor<128x32xf32>, %ids: tensor<8x16x1xi32>, %u: tensor<8x16x32xf32>) -> tensor<128x32xf32> {
  // CHECK: dmc.scatter ins(%{{.*}}, %{{.*}} : tensor<8x16x1xi32>, tensor<8x16x32xf32>) outs(%{{.*}} : tensor<128x32xf32>)
  // CHECK: ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32):
  // CHECK: dmc.yield
  %r = dmc.scatter ins(%ids, %u : tensor<8x16x1xi32>, tensor<8x16x32xf32>) outs(%t : tensor<128x32xf32>)
    {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>,
     scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 2 : i64} -> tensor<128x32xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return %r : tensor<128x32xf32>
}

// Two operands, combined together.
// CHECK-LABEL: @scatter_pairs
func.func @scatter_pairs(%t: tensor<9xf32>, %v: tensor<9xi32>, %ids: tensor<4x1xi32>, %u: tensor<4xf32>, %w: tensor<4xi32>) -> (tensor<9xf32>, tensor<9xi32>) {
  // CHECK: dmc.scatter ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) outs(%{{.*}}, %{{.*}} : tensor<9xf32>, tensor<9xi32>)
  // CHECK-SAME: -> tensor<9xf32>, tensor<9xi32>
  %r:2 = dmc.scatter ins(%ids, %u, %w : tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) outs(%t, %v : tensor<9xf32>, tensor<9xi32>)
    {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<9xf32>, tensor<9xi32> {
  ^bb0(%x: f32, %i: i32, %y: f32, %j: i32):
    %p = arith.cmpf olt, %x, %y : f32
    %a = arith.select %p, %y, %x : f32
    %b = arith.select %p, %j, %i : i32
    dmc.yield %a, %b : f32, i32
  }
  return %r#0, %r#1 : tensor<9xf32>, tensor<9xi32>
}

// CHECK-LABEL: @sort
func.func @sort(%x: tensor<3x8xf32>, %y: tensor<3x8xi8>) -> tensor<3x8xi32> {
  %e = tensor.empty() : tensor<3x8xi32>
  // CHECK: dmc.sort ins(%{{.*}}, %{{.*}} : tensor<3x8xf32>, tensor<3x8xi8>) outs(%{{.*}}, %{{.*}} : tensor<3x8xi32>, tensor<3x8xi32>) along 1 -> tensor<3x8xi32>, tensor<3x8xi32> {
  %order, %place = dmc.sort ins(%x, %y : tensor<3x8xf32>, tensor<3x8xi8>) outs(%e, %e : tensor<3x8xi32>, tensor<3x8xi32>) along 1
      -> tensor<3x8xi32>, tensor<3x8xi32> {
  ^bb0(%a: f32, %b: f32, %c: i8, %d: i8):
    %p = arith.cmpf olt, %a, %b : f32
    dmc.yield %p : i1
  }
  return %order : tensor<3x8xi32>
}

// CHECK-LABEL: @dynamic_slices
func.func @dynamic_slices(%x: tensor<8x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // CHECK: dmc.dynamic_slice ins(%{{.*}} : tensor<8x4xf32>) at(%{{.*}}, %{{.*}} : tensor<i32>, tensor<i32>) outs(%{{.*}} : tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = dmc.dynamic_slice ins(%x : tensor<8x4xf32>) at(%i, %j : tensor<i32>, tensor<i32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: dmc.dynamic_update_slice ins(%{{.*}} : tensor<2x4xf32>) at(%{{.*}}, %{{.*}} : tensor<i32>, tensor<i32>) outs(%{{.*}} : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = dmc.dynamic_update_slice ins(%0 : tensor<2x4xf32>) at(%j, %i : tensor<i32>, tensor<i32>) outs(%x : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: @kernel
func.func @kernel(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %o = tensor.empty() : tensor<8xf32>
  // CHECK: dmc.kernel ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) {in_place = array<i64: 1>} -> (tensor<8xf32>) {
  %r = dmc.kernel ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) {in_place = array<i64: 1>} -> (tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>, %d: tensor<8xf32>):
    %s = linalg.add ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    dmc.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func private @k(%x: memref<8xf32>, %o: memref<8xf32>) { return }
// CHECK-LABEL: @launch
func.func @launch(%a: memref<8xf32>, %o: memref<8xf32>) {
  // CHECK: dmc.launch @k ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<8xf32>)
  dmc.launch @k ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
  return
}

#m = #dmc.mesh<"a" = 2>
#split = #dmc.layout<#m, [{"a"}]>
#whole = #dmc.layout<#m, [{}]>
// CHECK-LABEL: @manual
func.func @manual(%x: tensor<8xf32>, %y: tensor<8xf32, #split>) -> tensor<4xf32, #whole> {
  // CHECK: dmc.manual on #{{.*}} ins(%{{.*}} : tensor<8xf32>) in [#{{.*}}] out [] {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>):
  // CHECK-NEXT: dmc.yield
  dmc.manual on #m ins(%x : tensor<8xf32>) in [#split] out [] {
  ^bb0(%part: tensor<4xf32>):
    dmc.yield
  }
  // CHECK: dmc.manual on #{{.*}} ins(%{{.*}} : tensor<8xf32, #[[S:.*]]>) in [#[[S]]] out [#[[W:.*]]] -> (tensor<4xf32, #[[W]]>) {
  %r = dmc.manual on #m ins(%y : tensor<8xf32, #split>) in [#split] out [#whole] -> (tensor<4xf32, #whole>) {
  ^bb0(%part: tensor<4xf32>):
    dmc.yield %part : tensor<4xf32>
  }
  return %r : tensor<4xf32, #whole>
}

// CHECK-LABEL: @custom_call
func.func @custom_call(%x: tensor<8x4xf32>, %s: tensor<8xi32>) -> (tensor<8x4xf32>, tensor<8xi32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %f = tensor.empty() : tensor<8xi32>
  // CHECK: dmc.custom_call "my.scale" ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8xi32>) outs(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8xi32>)
  // CHECK-SAME: {are_unsigned = array<i1: false, true, false, true>, config = "{\22by\22: 2}", rule = "([i, j], [i]) -> ([i, j], [i]) need_replication={j}"}
  // CHECK-SAME: -> tensor<8x4xf32>, tensor<8xi32>
  %r:2 = dmc.custom_call "my.scale" ins(%x, %s : tensor<8x4xf32>, tensor<8xi32>) outs(%e, %f : tensor<8x4xf32>, tensor<8xi32>)
    {rule = "([i, j], [i]) -> ([i, j], [i]) need_replication={j}", config = "{\"by\": 2}", are_unsigned = array<i1: false, true, false, true>}
    -> tensor<8x4xf32>, tensor<8xi32>
  // CHECK: dmc.custom_call "seed" ins() outs(%{{.*}} : tensor<8xi32>) -> tensor<8xi32>
  %t = dmc.custom_call "seed" ins() outs(%f : tensor<8xi32>) -> tensor<8xi32>
  return %r#0, %t : tensor<8x4xf32>, tensor<8xi32>
}

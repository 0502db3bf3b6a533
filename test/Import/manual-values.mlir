// RUN: split-file %s %t
// RUN: dmc-compile %t/devices.mlir --emit=ranks -o %t/devices.ranks.mlir && dmc-interpret %t/devices.ranks.mlir --print | FileCheck %t/devices.mlir
// RUN: dmc-compile %t/nested.mlir --emit=parallel -o %t/nested.parallel.mlir && dmc-interpret %t/nested.parallel.mlir --print | FileCheck %t/nested.mlir
// RUN: dmc-compile %t/nested.mlir --emit=ranks -o %t/nested.ranks.mlir && dmc-interpret %t/nested.ranks.mlir --print | FileCheck %t/nested.mlir

//--- devices.mlir
// Groups, pairs and partition_id name devices, which stand in an order of their own.
// The sums of neighbours in the mesh: devices 3 and 1 are.
// CHECK: [3, 3, 7, 7]
// CHECK: [3, 1, 0, 2]
// Device 3, which holds 1, sends to 0, which stands third; 2 sends to nobody.
// CHECK: [0, 4, 1, 2]
module {
  sdy.mesh @m = <["a"=2, "b"=2], device_ids=[3, 1, 0, 2]>
  func.func public @main() -> (tensor<4xf32>, tensor<4xui32>, tensor<4xf32>) {
    %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %r:3 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a", "b"}]>] out_shardings=[<@m, [{"a", "b"}]>, <@m, [{"a", "b"}]>, <@m, [{"a", "b"}]>] manual_axes={"a", "b"} (%p: tensor<1xf32>) {
      %0 = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[3, 1], [0, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<1xf32>) -> tensor<1xf32>
      %i = stablehlo.partition_id : tensor<ui32>
      %j = stablehlo.reshape %i : (tensor<ui32>) -> tensor<1xui32>
      %c = "stablehlo.collective_permute"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[3, 0], [1, 2], [2, 1]]> : tensor<3x2xi64>}> : (tensor<1xf32>) -> tensor<1xf32>
      sdy.return %0, %j, %c : tensor<1xf32>, tensor<1xui32>, tensor<1xf32>
    } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui32>, tensor<4xf32>)
    return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xui32>, tensor<4xf32>
  }
}

//--- nested.mlir
// Each rank along "y" takes a column and adds its number, within what a rank along "x"
// has of the rows; along "z" all do the same. A value from outside is everywhere.
// CHECK: {{\[}}[101, 103], [103, 105]]
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=2]>
  func.func public @main() -> tensor<2x2xi32> {
    %v = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %hundred = stablehlo.constant dense<100> : tensor<i32>
    %0 = sdy.manual_computation(%v) in_shardings=[<@m, [{"x", ?}, {"z"}]>] out_shardings=[<@m, [{"x", ?}, {?}]>] manual_axes={"x"} (%a: tensor<1x2xi32>) {
      %h = stablehlo.broadcast_in_dim %hundred, dims = [] : (tensor<i32>) -> tensor<1x2xi32>
      %s = stablehlo.add %a, %h : tensor<1x2xi32>
      %1 = sdy.manual_computation(%s) in_shardings=[<@m, [{?}, {"y", ?}]>] out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%b: tensor<1x1xi32>) {
        %2 = stablehlo.constant dense<2> : tensor<ui32>
        %3 = stablehlo.partition_id : tensor<ui32>
        %4 = stablehlo.divide %3, %2 : tensor<ui32>
        %5 = stablehlo.remainder %4, %2 : tensor<ui32>
        %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i32>
        %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
        %8 = stablehlo.add %b, %7 : tensor<1x1xi32>
        sdy.return %8 : tensor<1x1xi32>
      } : (tensor<1x2xi32>) -> tensor<1x2xi32>
      sdy.return %1 : tensor<1x2xi32>
    } : (tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
}

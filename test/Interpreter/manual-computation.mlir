// Manual computations need ranks: a global program with one is laid out first.
// RUN: dmc-interpret %s --print | FileCheck %s
// RUN: dmc-compile %s --emit=tensor -o %t.0.mlir && dmc-interpret %t.0.mlir --print | FileCheck %s
// RUN: dmc-compile %s --emit=parallel -o %t.1.mlir && dmc-interpret %t.1.mlir --print | FileCheck %s
// RUN: dmc-compile %s --emit=ranks -o %t.2.mlir && dmc-interpret %t.2.mlir --print | FileCheck %s

// The halves of [1, 2, 3, 4] go round, then each is summed up over "y", which holds copies.
// CHECK: [6, 8, 2, 4]
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() -> tensor<4xf32> {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%part: tensor<2xf32>) {
      %1 = "stablehlo.collective_permute"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          source_target_pairs = dense<[[0, 2], [1, 3], [2, 0], [3, 1]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>,
          replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

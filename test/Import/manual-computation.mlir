// RUN: dmc-opt %s -dmc-import | FileCheck %s --check-prefix=IMPORT
// RUN: dmc-opt %s -dmc-import -dmc-parallelize | FileCheck %s --check-prefix=PARALLEL
// RUN: dmc-opt %s -dmc-import -dmc-parallelize -dmc-ranks | FileCheck %s --check-prefix=RANKS
// RUN: dmc-compile %s --emit=parallel -o %t.parallel.mlir && dmc-interpret %t.parallel.mlir --print | FileCheck %s --check-prefix=VALUES
// RUN: dmc-compile %s --emit=ranks -o %t.ranks.mlir && dmc-interpret %t.ranks.mlir --print | FileCheck %s --check-prefix=VALUES

// Global tensors outside, each rank's part inside.
// IMPORT: dmc.program<tensor "main" on #[[MESH:.*]], arguments
// IMPORT: dmc.manual on #[[MESH]] ins(%{{.*}} : tensor<4xf32>) in [{{.*}}] out [{{.*}}] -> (tensor<2xf32>) {
// IMPORT: comm.all_reduce sum ins(%{{.*}} : tensor<2xf32>) {{.*}} over {"x"} on #[[MESH]]
// PARALLEL: dmc.manual on {{.*}} ins(%{{.*}} : tensor<4xf32, #[[X:.*]]>) in [#[[X]]] out [#[[R:.*]]] -> (tensor<2xf32, #[[R]]>) {
// PARALLEL: comm.all_reduce sum ins(%{{.*}} : tensor<2xf32>)
// RANKS-NOT: dmc.manual
// RANKS: comm.all_reduce sum
// VALUES: [4, 6]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> tensor<2xf32> {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%part: tensor<2xf32>) {
      %1 = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

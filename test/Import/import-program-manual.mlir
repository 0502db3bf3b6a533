// RUN: dmc-opt %s -split-input-file -dmc-import-program | FileCheck %s
// RUN: dmc-opt %s -split-input-file -dmc-import -o /dev/null

// What the body uses from outside is an operand that every rank has. Axes that are
// not manual are asked for outside, and hold the same inside.
// CHECK-DAG:   #[[$MESH:.*]] = #dmc.mesh<"x" = 2, "y" = 2>
// CHECK-DAG:   #[[$XY:.*]] = #dmc.layout<#[[$MESH]], [{"x", "y"}]>
// CHECK-DAG:   #[[$X:.*]] = #dmc.layout<#[[$MESH]], [{"x"}]>
// CHECK-DAG:   #[[$R:.*]] = #dmc.layout<#[[$MESH]], [{}]>
// CHECK-LABEL: func.func public @captures
// CHECK:         %[[PART:.*]] = stablehlo.constant
// CHECK:         %[[IN:.*]] = dmc.constrain %{{.*}} : tensor<8xf32> to #[[$XY]]
// CHECK:         %[[OUT:.*]] = dmc.manual on #[[$MESH]] ins(%[[IN]], %[[PART]] : tensor<8xf32>, tensor<4xf32>) in [#[[$X]], #[[$R]]] out [#[[$X]]] -> (tensor<8xf32>) {
// CHECK:         ^bb0(%[[A:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>):
// CHECK:           %[[S:.*]] = stablehlo.add %[[A]], %[[C]]
// CHECK-NOT:       sdy
// CHECK:           dmc.yield %[[S]]
// CHECK:         dmc.constrain %[[OUT]] : tensor<8xf32> to #[[$XY]] open [0]
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @captures(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %part = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y", ?}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
      %1 = stablehlo.add %a, %part : tensor<4xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// One within another takes its parts by the rank, and gives back the whole.
// CHECK-LABEL: func.func public @nested
// CHECK:         dmc.manual on #[[$MESH:.*]] ins(%{{.*}} : tensor<8x4xf32>) in [{{.*}}] out [{{.*}}] -> (tensor<8x4xf32>) {
// CHECK:         ^bb0(%[[A:.*]]: tensor<4x4xf32>):
// CHECK:           %[[STARTS:.*]] = stablehlo.constant dense<[0, 2, 0, 2]> : tensor<4xi32>
// CHECK:           %[[MINE:.*]] = stablehlo.dynamic_slice %[[A]], %{{.*}} sizes = [4, 2]
// CHECK:           %[[NEG:.*]] = stablehlo.negate %[[MINE]] : tensor<4x2xf32>
// CHECK:           %[[ALL:.*]] = "stablehlo.all_gather"(%[[NEG]])
// CHECK-SAME:        all_gather_dim = 1
// CHECK-SAME{LITERAL}: replica_groups = dense<[[0, 1], [2, 3]]>
// CHECK:           dmc.yield %[[ALL]] : tensor<4x4xf32>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @nested(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%a: tensor<4x4xf32>) {
      %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {"y", ?}]>] manual_axes={"y"} (%b: tensor<4x2xf32>) {
        %2 = stablehlo.negate %b : tensor<4x2xf32>
        sdy.return %2 : tensor<4x2xf32>
      } : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %1 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

// Without manual axes the body is part of the program.
// CHECK-LABEL: func.func public @not_manual
// CHECK-NOT:     dmc.manual
// CHECK:         %[[IN:.*]] = dmc.constrain
// CHECK:         stablehlo.negate %[[IN]]
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @not_manual(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%a: tensor<8xf32>) {
      %1 = stablehlo.negate %a : tensor<8xf32>
      sdy.return %1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

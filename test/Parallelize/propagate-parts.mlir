// RUN: dmc-opt %s -split-input-file --pass-pipeline="builtin.module(dmc-propagate-layouts,dmc-materialize-moves,dmc-expand-reshards)" | FileCheck %s
// RUN: dmc-opt %s -split-input-file --verify-numeric --pass-pipeline="builtin.module(dmc-propagate-layouts,dmc-materialize-moves,dmc-expand-reshards,dmc-to-ranks)" -o /dev/null

// Eight positions split eight heads; two groups of four take a part of the axis each, there
// and back, and what has groups only is split by the major part.
#mesh = #dmc.mesh<"model" = 8>
#heads = #dmc.layout<#mesh, [{}, {"model"}]>
#whole = #dmc.layout<#mesh, [{}, {}]>
// CHECK-DAG: #[[$PARTS:.+]] = #dmc.layout<#{{.*}}, [{}, {"model":(1)2}, {"model":(2)4}, {}]>
// CHECK-DAG: #[[$MAJOR:.+]] = #dmc.layout<#{{.*}}, [{}, {"model":(1)2}, {}]>
// CHECK-LABEL: module @groups
// CHECK-NOT: dmc.{{combine|reduce|exchange|reshard}}
// CHECK: tensor.expand_shape {{.*}} into tensor<3x2x4x6xf32, #[[$PARTS]]>
// CHECK-NOT: dmc.{{combine|reduce|exchange|reshard}}
// CHECK: linalg.generic {{.*}}tensor<3x2x6xf32, #[[$MAJOR]]>
// CHECK-NOT: dmc.{{combine|reduce|exchange|reshard}}
// CHECK: tensor.collapse_shape
// CHECK-NEXT: return
module @groups attributes {dmc.program = #dmc.program<tensor "groups" on #mesh,
    arguments ["q" : tensor<3x48xf32, #heads>, "k" : tensor<3x12xf32, #whole>],
    results ["y" : tensor<3x48xf32, #heads>]>} {
  func.func @main(%q: tensor<3x48xf32>, %k: tensor<3x12xf32>) -> tensor<3x48xf32> {
    %a = tensor.expand_shape %q [[0], [1, 2, 3]] output_shape [3, 2, 4, 6] : tensor<3x48xf32> into tensor<3x2x4x6xf32>
    %b = tensor.expand_shape %k [[0], [1, 2]] output_shape [3, 2, 6] : tensor<3x12xf32> into tensor<3x2x6xf32>
    %e = tensor.empty() : tensor<3x2x4x6xf32>
    %c = linalg.generic {indexing_maps = [affine_map<(n, g, r, d) -> (n, g, r, d)>, affine_map<(n, g, r, d) -> (n, g, d)>, affine_map<(n, g, r, d) -> (n, g, r, d)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%a, %b : tensor<3x2x4x6xf32>, tensor<3x2x6xf32>) outs(%e : tensor<3x2x4x6xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %z = arith.mulf %x, %y : f32
      linalg.yield %z : f32
    } -> tensor<3x2x4x6xf32>
    %y = tensor.collapse_shape %c [[0], [1, 2, 3]] : tensor<3x2x4x6xf32> into tensor<3x48xf32>
    return %y : tensor<3x48xf32>
  }
}

// -----

// Blocks of a part would not be those of the axis: 12 elements on 8 positions.
#mesh = #dmc.mesh<"model" = 8>
#split = #dmc.layout<#mesh, [{"model"}]>
#whole = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @uneven
// CHECK: dmc.combine %arg0 along {"model"}
// CHECK-NOT: "model":
module @uneven attributes {dmc.program = #dmc.program<tensor "uneven" on #mesh,
    arguments ["x" : tensor<12xf32, #split>], results ["y" : tensor<2x6xf32, #whole>]>} {
  func.func @main(%x: tensor<12xf32>) -> tensor<2x6xf32> {
    %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }
}

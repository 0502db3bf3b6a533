// Padding that cuts elements off on one side, or on both, of a dimension that is split evenly and
// unevenly: ranks exchange the elements by which blocks are shifted, and nothing is gathered.
// RUN: rm -rf %t && mkdir %t
// RUN: dmc-opt %s --dmc-convert-stablehlo --cse -o %t.0.mlir
// RUN: dmc-interpret %t.0.mlir --seed=7 --output-dir=%t
// RUN: dmc-opt %t.0.mlir --dmc-propagate-layouts=improve=false --dmc-split-windows --dmc-materialize-moves --dmc-expand-reshards --dmc-simplify-moves -o %t.1.mlir
// RUN: FileCheck %s < %t.1.mlir
// RUN: dmc-interpret %t.1.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %t.1.mlir --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.2.mlir
// RUN: dmc-interpret %t.2.mlir --seed=7 --expect-dir=%t

// CHECK-LABEL: func.func @main
// CHECK-NOT: dmc.combine
// CHECK-NOT: dmc.redistribute
// CHECK: dmc.halo
// CHECK-NOT: dmc.combine
// CHECK-NOT: dmc.redistribute
// CHECK: return
#m = #dmc.mesh<"a" = 4>
#a = #dmc.layout<#m, [{"a"}, {}]>
module attributes {dmc.program = #dmc.program<tensor "step" on #m,
    arguments ["x" : tensor<16x2xf32, #a>, "y" : tensor<11x2xf32, #a>],
    results ["left" : tensor<16x2xf32, #a>, "right" : tensor<16x2xf32, #a>, "cut" : tensor<12x2xf32, #a>,
             "uneven" : tensor<9x2xf32, #a>]>} {
  func.func @main(%x: tensor<16x2xf32>, %y: tensor<11x2xf32>) -> (tensor<16x2xf32>, tensor<16x2xf32>, tensor<12x2xf32>, tensor<9x2xf32>) {
    %z = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = stablehlo.pad %x, %z, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<16x2xf32>, tensor<f32>) -> tensor<16x2xf32>
    %1 = stablehlo.pad %x, %z, low = [3, 0], high = [-3, 0], interior = [0, 0] : (tensor<16x2xf32>, tensor<f32>) -> tensor<16x2xf32>
    %2 = stablehlo.pad %x, %z, low = [-2, 0], high = [-2, 0], interior = [0, 0] : (tensor<16x2xf32>, tensor<f32>) -> tensor<12x2xf32>
    %3 = stablehlo.pad %y, %z, low = [-3, 0], high = [1, 0], interior = [0, 0] : (tensor<11x2xf32>, tensor<f32>) -> tensor<9x2xf32>
    return %0, %1, %2, %3 : tensor<16x2xf32>, tensor<16x2xf32>, tensor<12x2xf32>, tensor<9x2xf32>
  }
}

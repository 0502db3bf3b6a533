// A sum of everything in a kernel of few elements, beside a result of each element: both are written.
// RUN: dmc-compile %s --emit=scheduled -o %t.mlir && FileCheck %s < %t.mlir
// RUN: rm -rf %t.out && dmc-run %s --seed=3 --output-dir %t.out
// RUN: dmc-interpret %s --seed=3 --expect-dir %t.out | FileCheck %s --check-prefix=AGREE
// CHECK: linalg.reduce {{.*}}dmc.partials = 1
// AGREE: all 2 results agree
func.func public @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> (tensor<f32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %exp = stablehlo.exponential %a : tensor<8x4xf32>
  %product = stablehlo.multiply %exp, %b : tensor<8x4xf32>
  %sum = "stablehlo.reduce"(%product, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%u: tensor<f32>, %v: tensor<f32>):
    %w = stablehlo.add %u, %v : tensor<f32>
    stablehlo.return %w : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %twice = stablehlo.add %b, %b : tensor<8x4xf32>
  return %sum, %twice : tensor<f32>, tensor<8x4xf32>
}

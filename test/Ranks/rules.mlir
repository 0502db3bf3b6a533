// Local forms against the interpreter, on all layouts that are accepted.
// RUN: dmc-check-rules %s --mesh 2,3,2x2 --max-tried 300 --max-evaluated 60 --strict | FileCheck %s
// Functions, layouts tried, accepted, lowered to level 2; none wrong, none missing.
// CHECK:      dmc.scatter 1 {{[0-9]+}} {{[1-9][0-9]+}} {{[1-9][0-9]+}} 0 0 0 {{[0-9.]+}}
// CHECK-NEXT: linalg.reduce 1 {{[0-9]+}} {{[1-9][0-9]+}} {{[1-9][0-9]+}} 0 0 0 {{[0-9.]+}}
// CHECK-NEXT: all 2 {{[0-9]+}} {{[1-9][0-9]+}} {{[1-9][0-9]+}} 0 0 0 {{[0-9.]+}}

// Updates in padding stay outside, the last row of their window too.
func.func @scatter_windows(%at: tensor<2x1xi32>, %u: tensor<2x2x3xf32>, %a: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %r = dmc.scatter ins(%at, %u : tensor<2x1xi32>, tensor<2x2x3xf32>) outs(%a : tensor<5x3xf32>)
      {update_window_dims = array<i64: 1, 2>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<5x3xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return %r : tensor<5x3xf32>
}

// A difference sums negated values, and is split unevenly too.
func.func @reduce_difference(%a: tensor<5xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce ins(%a : tensor<5xf32>) outs(%c : tensor<f32>) dimensions = [0]
    (%x: f32, %acc: f32) {
      %d = arith.subf %acc, %x : f32
      linalg.yield %d : f32
    }
  return %r : tensor<f32>
}

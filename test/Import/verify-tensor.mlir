// RUN: dmc-opt %s -split-input-file --dmc-verify-tensor | FileCheck %s

// Scalars may be indices, tensors may ask for layouts, and one rank's part stands in dmc.manual.
#mesh = #dmc.mesh<"data" = 2>
#data = #dmc.layout<#mesh, [{"data"}]>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @forms
module @forms attributes {dmc.program = #dmc.program<tensor "forms" on #mesh,
    arguments ["x" : tensor<8xf32, #data>, "n" : tensor<ui8>], results ["y" : tensor<8xf32>]>} {
  func.func @main(%x: tensor<8xf32> {dmc.open = array<i64: 0>, dmc.priorities = array<i64: 1>}, %n: tensor<i8>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<8xf32>) {
      %e = tensor.empty() : tensor<8xf32>
      %w = linalg.map { math.tanh } ins(%v : tensor<8xf32>) outs(%e : tensor<8xf32>)
      %asked = dmc.constrain %w : tensor<8xf32> to #data
      scf.yield %asked : tensor<8xf32>
    }
    %1 = dmc.manual on #mesh ins(%0 : tensor<8xf32>) in [#data] out [#data] -> (tensor<8xf32>) {
    ^bb0(%part: tensor<4xf32>):
      %rank = comm.axis_index {"data"} on #mesh
      %number = arith.index_cast %rank : index to i64
      dmc.yield %part : tensor<4xf32>
    }
    return %1 : tensor<8xf32>
  }
}

// -----

// Another level has other rules.
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @ranks
module @ranks attributes {dmc.program = #dmc.program<ranks "ranks" on #mesh,
    arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %rank = comm.axis_index {"data"} on #mesh
    return %x : tensor<8xf32>
  }
}

// As many values as make the table of buffers grow between a loop's result and what it carries:
// under the address sanitizer a reference into the old table is an error.
// RUN: dmc-opt %s -dmc-plan-buffers | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-16: dmc.launch @body
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8xf32>
  %t0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %x) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t0) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t1) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t2) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t4 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t3) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t5 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t4) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t6 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t5) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t7 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t6) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t8 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t7) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t9 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t8) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t10 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t9) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t11 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t10) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t12 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t11) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t13 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t12) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t14 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t13) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %t15 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %t14) -> (tensor<8xf32>) {
    %n = dmc.launch @body ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  return %t15 : tensor<8xf32>
}
func.func private @body(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

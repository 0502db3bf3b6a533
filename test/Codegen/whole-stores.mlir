// RUN: dmc-compile %s --target-cpu=x86-64-v3 -o %t.so
// RUN: llvm-objdump -d %t.so | FileCheck %s --implicit-check-not=vmaskmov
// REQUIRES: x86

// The gradient of a rectifier is in place: vectors are stored whole, not by the lanes that change.
// CHECK: vcmp{{.*}}ps
// CHECK: vandps
func.func public @main(%y: tensor<4096xf32>, %dy: tensor<4096xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4096xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4096xf32>
  %0 = stablehlo.compare GT, %y, %z, FLOAT : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>
  %1 = stablehlo.select %0, %dy, %z : tensor<4096xi1>, tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

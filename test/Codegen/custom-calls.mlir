// Calls of kernels that the session is given: each is a kernel of its own, of which code generation makes a call, whose
// description is in the program's tables. Equal calls of equal shapes have one.
// RUN: dmc-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: dmc-compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: dmc-explain %s --kernels | FileCheck %s --check-prefix=EXPLAIN

// KERNELS-LABEL: func.func public @main
// KERNELS: dmc.launch @[[FIRST:kernel_[0-9]+_custom_call]]
// KERNELS: dmc.launch @[[FIRST]]
// KERNELS: dmc.launch @[[BOTH:kernel_[0-9]+_custom_call]]
// KERNELS: func.func private @[[CALLEE:dmc_custom[_0-9]*]](memref<4x2xf32>, memref<4x2xf32>, memref<4x2xf32>)
// KERNELS-SAME: attributes {dmc.custom_call = {config = "{\22by\22: 2}", results = 1 : i64, target = "f", unsigned = array<i1: false, false, false>}}
// KERNELS: func.func private @[[FIRST]](%[[X:[a-z0-9]+]]: memref<4x2xf32> {{.*}}, %[[Y:[a-z0-9]+]]: memref<4x2xf32>
// KERNELS-NEXT: call @[[CALLEE]](%[[X]], %[[X]], %[[Y]])
// KERNELS: attributes {dmc.custom_call = {config = "", results = 2 : i64, target = "g", unsigned = array<i1: false, true, false>}}

// LLVM-DAG: "f\00"
// LLVM-DAG: "g\00"
// LLVM-DAG: "{\22by\22: 2}\00"
// LLVM-NOT: dmc_custom(

// EXPLAIN: kernel_0_custom_call at {{.*}}launched 2 times
// EXPLAIN-NEXT: kernel 
// EXPLAIN-NEXT: name {{ *}}f
func.func public @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4xui32>, tensor<f32>) {
  %0 = stablehlo.custom_call @f(%x, %x) {backend_config = {by = 2}, dmc.rule = "([i, j], [i, j]) -> ([i, j])"} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  // What is computed before is in memory, as a constant is.
  %1 = stablehlo.negate %0 : tensor<4x2xf32>
  %2 = stablehlo.custom_call @f(%1, %1) {backend_config = {by = 2}, dmc.rule = "([i, j], [i, j]) -> ([i, j])"} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = stablehlo.constant dense<2.0> : tensor<f32>
  %4:2 = stablehlo.custom_call @g(%3) {dmc.rule = ""} : (tensor<f32>) -> (tensor<4xui32>, tensor<f32>)
  return %2, %4#0, %4#1 : tensor<4x2xf32>, tensor<4xui32>, tensor<f32>
}

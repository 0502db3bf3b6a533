// Passes that are wrong on purpose, between passes that are right.
// The program is small: an all-gather would take less time than the reductions that are tested.
// DEFINE: %{parallelize} = dmc-propagate-layouts{improve=false},dmc-split-windows,dmc-materialize-moves,dmc-expand-reshards,dmc-simplify-moves,dmc-hoist-moves
// DEFINE: %{plugin} = --load-pass-plugin=%dmc_lib/DMCTestPasses.so
// RUN: dmc-opt %s --verify-numeric --pass-pipeline='builtin.module(%{parallelize},dmc-ranks,dmc-form-kernels,dmc-outline-kernels,dmc-plan-buffers)' -o /dev/null
// RUN: dmc-opt %s --verify-numeric --verify-numeric-special --verify-numeric-seed=7 --pass-pipeline='builtin.module(%{parallelize},dmc-ranks)' -o /dev/null
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(cse,dmc-test-break-subtraction,%{parallelize},dmc-ranks)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SUB
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(%{parallelize},dmc-test-break-combiner,dmc-ranks)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=COMBINER
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(dmc-test-break-slice,%{parallelize},dmc-test-break-subtraction,dmc-ranks)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(%{parallelize},dmc-ranks,dmc-test-break-mask,cse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(%{parallelize},dmc-ranks,dmc-test-break-all-reduce,cse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REDUCE
// Without the option nothing is noticed.
// RUN: dmc-opt %s %{plugin} --pass-pipeline='builtin.module(dmc-test-break-subtraction,%{parallelize},dmc-ranks)' -o /dev/null

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<5xf32, #x>, "b" : tensor<5xf32, #x>],
    results ["difference" : tensor<5xf32, #x>, "total" : tensor<f32>, "tail" : tensor<3xf32>]>} {
  func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>, tensor<3xf32>) {
    %e = tensor.empty() : tensor<5xf32>
    // SUB: error: the value of 'main' differs after pass 'dmc-test-break-subtraction': result 0 ("difference") at [{{[0-4]}}] was {{-?[0-9]}} and is {{-?[0-9]}}
    // SUB: [[#@LINE+1]]:{{[0-9]+}}: note: made by 'linalg.map'
    %0 = linalg.map { arith.subf } ins(%a, %b : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>)
    %zero = arith.constant 0.0 : f32
    %s = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
    // COMBINER: error: the value of 'main' differs after pass 'dmc-test-break-combiner': result 1 ("total") at [] was
    // COMBINER: note: made by 'dmc.
    // MASK: after pass 'dmc-test-break-mask': result 1 ("total")
    // REDUCE: error: {{.*}}copies of result 1 differ
    // REDUCE: remark: the program cannot be evaluated after pass 'dmc-test-break-all-reduce'
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<5xf32>) outs(%f : tensor<f32>) dimensions = [0]
    // SLICE: error: the value of 'main' differs after pass 'dmc-test-break-slice': result 2 ("tail") at [{{[0-2]}}] was
    // SLICE: [[#@LINE+2]]:{{[0-9]+}}: note: made by 'tensor.extract_slice'
    // SLICE-NOT: error
    %2 = tensor.extract_slice %b[2] [3] [1] : tensor<5xf32> to tensor<3xf32>
    return %0, %1, %2 : tensor<5xf32>, tensor<f32>, tensor<3xf32>
  }
}

// A limit ends what would not end; below it, and without it, nothing changes.
// RUN: split-file %s %t
// RUN: not dmc-interpret %t/endless.mlir --max-iterations 100 2>&1 | FileCheck %s --check-prefix=WHILE
// RUN: not dmc-interpret %t/nested.mlir --max-iterations 109 2>&1 | FileCheck %s --check-prefix=FOR
// RUN: dmc-interpret %t/nested.mlir --max-iterations 110 --print | FileCheck %s --check-prefix=ENDS
// RUN: dmc-interpret %t/nested.mlir --max-iterations 0 --print | FileCheck %s --check-prefix=ENDS
// RUN: not dmc-interpret %t/nested.mlir --max-iterations -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not dmc-interpret %t/large.mlir --seed 1 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not dmc-interpret %t/inner.mlir 2>&1 | FileCheck %s --check-prefix=INNER

// NEGATIVE: error: --max-iterations expects a number that is not negative

//--- endless.mlir
// WHILE: endless.mlir:4:{{.*}}: error: 'scf.while' op has not ended when the program's loops have run 100 iterations, the limit
func.func @main() -> tensor<i32> {
  %x = arith.constant dense<1> : tensor<i32>
  %0 = scf.while (%a = %x) : (tensor<i32>) -> tensor<i32> {
    %true = arith.constant true
    scf.condition(%true) %a : tensor<i32>
  } do {
  ^bb0(%b: tensor<i32>):
    scf.yield %b : tensor<i32>
  }
  return %0 : tensor<i32>
}

//--- nested.mlir
// FOR: error: 'scf.for' op has not ended when the program's loops have run 109 iterations, the limit
// ENDS: = 100
func.func @main() -> tensor<i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %x = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %0 = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<i32>) {
    %1 = scf.for %j = %c0 to %c10 step %c1 iter_args(%b = %a) -> (tensor<i32>) {
      %2 = arith.addi %b, %one : tensor<i32>
      scf.yield %2 : tensor<i32>
    }
    scf.yield %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}

//--- large.mlir
// LARGE: error: argument 0 has type 'tensor<1000000x1000000xf32>', which the interpreter cannot hold
func.func @main(%x: tensor<1000000x1000000xf32>) {
  return
}

//--- inner.mlir
// INNER: error: type 'tensor<1000000x1000000xf32>' is unsupported by the interpreter
func.func @main() {
  %e = tensor.empty() : tensor<1000000x1000000xf32>
  return
}

// RUN: dmc-interpret %s --print | FileCheck %s

func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %y = arith.addi %x, %x : tensor<i32>
  return %y : tensor<i32>
}

func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant dense<1> : tensor<i32>
  // CHECK: result 0: tensor<i32> = 32
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %one) -> tensor<i32> {
    %y = func.call @twice(%x) : (tensor<i32>) -> tensor<i32>
    scf.yield %y : tensor<i32>
  }
  // CHECK: result 1: tensor<i32> = 128
  %limit = arith.constant 100 : i32
  %1 = scf.while (%x = %one) : (tensor<i32>) -> tensor<i32> {
    %v = tensor.extract %x[] : tensor<i32>
    %more = arith.cmpi slt, %v, %limit : i32
    scf.condition(%more) %x : tensor<i32>
  } do {
  ^bb0(%x: tensor<i32>):
    %y = func.call @twice(%x) : (tensor<i32>) -> tensor<i32>
    scf.yield %y : tensor<i32>
  }
  // CHECK: result 2: tensor<i32> = 1
  %v = tensor.extract %1[] : tensor<i32>
  %big = arith.cmpi sgt, %v, %limit : i32
  %2 = scf.if %big -> tensor<i32> {
    scf.yield %one : tensor<i32>
  } else {
    scf.yield %0 : tensor<i32>
  }
  // CHECK: result 3: tensor<i32> = 128
  %3 = scf.index_switch %c5 -> tensor<i32>
  case 0 {
    scf.yield %0 : tensor<i32>
  }
  case 5 {
    scf.yield %1 : tensor<i32>
  }
  default {
    scf.yield %one : tensor<i32>
  }
  // CHECK: result 4: tensor<i32> = 1
  %4 = scf.index_switch %c1 -> tensor<i32>
  case 0 {
    scf.yield %0 : tensor<i32>
  }
  default {
    scf.yield %one : tensor<i32>
  }
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

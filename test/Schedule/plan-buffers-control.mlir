// RUN: dmc-opt %s -dmc-plan-buffers -dmc-bufferize-kernels -dmc-verify-schedule -split-input-file | FileCheck %s

// The counter and the sum are updated in place; %x never changes and is not
// copied; what the test reads is memory.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[N:[a-z0-9]*]]: memref<i32>, %[[X:[a-z0-9]*]]: memref<8xf32>, %[[R:[a-z0-9]*]]: memref<8xf32>,
// CHECK: dmc.launch @zero ins() outs(%[[R]] : memref<8xf32>)
// CHECK: %[[I:.*]] = memref.view {{.*}} to memref<i32>
// CHECK: memref.copy %[[N]], %[[I]]
// CHECK: scf.while : () -> () {
// CHECK: %[[T:.*]] = memref.view {{.*}} to memref<i1>
// CHECK: dmc.launch @positive ins(%[[I]] : memref<i32>) outs(%[[T]] : memref<i1>)
// CHECK: %[[MORE:.*]] = memref.load %[[T]][]
// CHECK: scf.condition(%[[MORE]]){{$}}
// CHECK: dmc.launch @decrement ins(%[[I]] : memref<i32>) outs(%[[I]] : memref<i32>)
// CHECK: dmc.launch @add ins(%[[R]], %[[X]] : memref<8xf32>, memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK-NEXT: scf.yield{{$}}
// CHECK: return
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["n" : tensor<i32>, "x" : tensor<8xf32>], results ["r" : tensor<8xf32>]>} {
  func.func @carried(%n: tensor<i32>, %x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %s0 = dmc.launch @zero ins() outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r:3 = scf.while (%i = %n, %s = %s0, %k = %x) : (tensor<i32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<8xf32>) {
      %et = tensor.empty() : tensor<i1>
      %t = dmc.launch @positive ins(%i : tensor<i32>) outs(%et : tensor<i1>) -> tensor<i1>
      %more = tensor.extract %t[] : tensor<i1>
      scf.condition(%more) %i, %s, %k : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    } do {
    ^bb0(%i: tensor<i32>, %s: tensor<8xf32>, %k: tensor<8xf32>):
      %ei = tensor.empty() : tensor<i32>
      %ni = dmc.launch @decrement ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {in_place = array<i64: 0>} -> tensor<i32>
      %ns = dmc.launch @add ins(%s, %k : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
      scf.yield %ni, %ns, %k : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    }
    return %r#1 : tensor<8xf32>
  }
  func.func private @zero(tensor<8xf32>) -> tensor<8xf32>
  func.func private @positive(tensor<i32>, tensor<i1>) -> tensor<i1>
  func.func private @decrement(tensor<i32>, tensor<i32>) -> tensor<i32>
  func.func private @add(tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// The pair changes places in every iteration: one copy goes through a third buffer.
// CHECK-LABEL: func.func @shift
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-DAG: memref.copy %[[A:.*]], %[[T:.*]] :
// CHECK-DAG: memref.copy %[[B:.*]], %[[U:.*]] :
// CHECK-DAG: memref.copy %[[T]], %[[B]] :
// CHECK-DAG: memref.copy %[[U]], %[[A]] :
// CHECK: }
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["a" : tensor<8xf32>, "b" : tensor<8xf32>], results ["ra" : tensor<8xf32>, "rb" : tensor<8xf32>]>} {
  func.func @shift(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
      scf.yield %y, %x : tensor<8xf32>, tensor<8xf32>
    }
    return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// The old value is needed after the new one exists: it is copied at the iteration's end.
// CHECK-LABEL: func.func @old_value_needed
// CHECK: scf.for
// CHECK: %[[V:.*]] = memref.view
// CHECK: dmc.launch @k ins(%[[X:.*]] : memref<8xf32>) outs(%[[V]] : memref<8xf32>)
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>)
// CHECK: memref.copy %[[V]], %[[X]]
// CHECK: }
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["a" : tensor<8xf32>], results ["ra" : tensor<8xf32>, "rb" : tensor<8xf32>]>} {
  func.func @old_value_needed(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %e = tensor.empty() : tensor<8xf32>
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %a) -> (tensor<8xf32>, tensor<8xf32>) {
      %nx = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
      %ny = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %nx, %ny : tensor<8xf32>, tensor<8xf32>
    }
    return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// Both branches write the result; one computes it there, one copies an argument.
// CHECK-LABEL: func.func @choice
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<8xf32>, %[[P:[a-z0-9]*]]: memref<i1>, %[[R:[a-z0-9]*]]: memref<8xf32>,
// CHECK: %[[C:.*]] = memref.load %[[P]][]
// CHECK: scf.if %[[C]] {
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK: } else {
// CHECK: memref.copy %[[X]], %[[R]]
// CHECK: }
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>, "c" : tensor<i1>], results ["r" : tensor<8xf32>]>} {
  func.func @choice(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %c = tensor.extract %p[] : tensor<i1>
    %r = scf.if %c -> (tensor<8xf32>) {
      %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %a : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// A donated argument that a loop updates stays in place through the loop, also
// through a loop within it.
// CHECK: dmc.arena_bytes = 0
// CHECK-LABEL: func.func @donated
// CHECK-SAME: (%[[W:[a-z0-9]*]]: memref<8xf32>, %[[R:[a-z0-9]*]]: memref<8xf32>,
// CHECK-NOT: memref.copy
// CHECK: dmc.launch @k ins(%[[R]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["w" : tensor<8xf32> donates 0], results ["r" : tensor<8xf32>]>} {
  func.func @donated(%w: tensor<8xf32>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %e = tensor.empty() : tensor<8xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %w) -> (tensor<8xf32>) {
      %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<8xf32>) {
        %n = dmc.launch @k ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
        scf.yield %n : tensor<8xf32>
      }
      scf.yield %q : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// The condition forwards something else than it got: a buffer of its own.
// CHECK-LABEL: func.func @forwards_other
// CHECK: scf.while
// CHECK: dmc.launch @k ins(%[[X:.*]] : memref<8xf32>) outs(%[[Y:.*]] : memref<8xf32>)
// CHECK: scf.condition
// CHECK: dmc.launch @k ins(%[[Y]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
// CHECK: scf.yield
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>, "c" : tensor<i1>], results ["r" : tensor<8xf32>]>} {
  func.func @forwards_other(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %r = scf.while (%x = %a) : (tensor<8xf32>) -> (tensor<8xf32>) {
      %y = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %c = tensor.extract %p[] : tensor<i1>
      scf.condition(%c) %y : tensor<8xf32>
    } do {
    ^bb0(%y: tensor<8xf32>):
      %n = dmc.launch @k ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %n : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// The cases of a switch stay, and what attributes say about a loop.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<8xf32>, %[[P:[a-z0-9]*]]: memref<index>, %[[R:[a-z0-9]*]]: memref<8xf32>,
// CHECK: scf.for
// CHECK: } {note}
// CHECK: scf.index_switch
// CHECK-NEXT: case 2 {
// CHECK-NEXT: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK: case 5 {
// CHECK-NEXT: memref.copy %[[X]], %[[R]]
// CHECK: default {
// CHECK-NEXT: memref.copy %{{.*}}, %[[R]]
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>, "c" : tensor<index>], results ["r" : tensor<8xf32>]>} {
  func.func @attributes(%x: tensor<8xf32>, %p: tensor<index>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c = tensor.extract %p[] : tensor<index>
    %s = scf.for %i = %c0 to %c step %c1 iter_args(%y = %x) -> (tensor<8xf32>) {
      %n = dmc.launch @k ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
      scf.yield %n : tensor<8xf32>
    } {note}
    %r = scf.index_switch %c -> tensor<8xf32>
    case 2 {
      %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %a : tensor<8xf32>
    }
    case 5 {
      scf.yield %x : tensor<8xf32>
    }
    default {
      scf.yield %s : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// The first argument never changes in the loop: it is read where it is.
// CHECK-LABEL: func.func @first_unchanged
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<8xf32>, %[[P:[a-z0-9]*]]: memref<i1>, %[[R:[a-z0-9]*]]: memref<8xf32>,
// CHECK: scf.while
// CHECK: dmc.launch @test ins(%[[X]] : memref<8xf32>)
// CHECK: dmc.launch @add ins(%[[R]], %[[X]] : memref<8xf32>, memref<8xf32>) outs(%[[R]] : memref<8xf32>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>, "c" : tensor<i1>], results ["r" : tensor<8xf32>]>} {
  func.func @first_unchanged(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %s0 = dmc.launch @zero ins() outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r:2 = scf.while (%k = %x, %s = %s0) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %et = tensor.empty() : tensor<i1>
      %t = dmc.launch @test ins(%k : tensor<8xf32>) outs(%et : tensor<i1>) -> tensor<i1>
      %more = tensor.extract %t[] : tensor<i1>
      scf.condition(%more) %k, %s : tensor<8xf32>, tensor<8xf32>
    } do {
    ^bb0(%k: tensor<8xf32>, %s: tensor<8xf32>):
      %ns = dmc.launch @add ins(%s, %k : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
      scf.yield %k, %ns : tensor<8xf32>, tensor<8xf32>
    }
    return %r#1 : tensor<8xf32>
  }
  func.func private @zero(tensor<8xf32>) -> tensor<8xf32>
  func.func private @test(tensor<8xf32>, tensor<i1>) -> tensor<i1>
  func.func private @add(tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

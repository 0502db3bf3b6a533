// RUN: dmc-opt %s --dmc-recompute-stacks --split-input-file | FileCheck %s
// RUN: dmc-opt %s --dmc-recompute-stacks --verify-numeric --split-input-file -o /dev/null

// Of three stacks two follow from the first: twice it, and its square less one.
// CHECK-LABEL: func.func @follows
// CHECK: %[[S:.*]]:3 = scf.for {{.*}} -> (tensor<i32>, tensor<1x8xf32>, tensor<3x8xf32>)
// CHECK-COUNT-1: dmc.dynamic_update_slice
// CHECK-NOT: dmc.dynamic_update_slice
// CHECK: scf.for
// CHECK: %[[X:.*]] = dmc.dynamic_slice ins(%[[S]]#2
// CHECK: %[[TWICE:.*]] = linalg.map { arith.addf } ins(%[[X]], %[[X]]
// CHECK: %[[X2:.*]] = dmc.dynamic_slice ins(%[[S]]#2
// CHECK: %[[SQUARE:.*]] = linalg.map { arith.mulf } ins(%[[X2]], %[[X2]]
// CHECK: %[[ONE:.*]] = linalg.fill
// CHECK: linalg.map { arith.subf } ins(%[[SQUARE]], %[[ONE]]
#mesh = #dmc.mesh<"data" = 2>
#l = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<1x8xf32, #l>], results ["y" : tensor<1x8xf32, #l>]>} {
  func.func @follows(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %n = tensor.empty() : tensor<i32>
    %zero = linalg.fill ins(%i0 : i32) outs(%n : tensor<i32>) -> tensor<i32>
    %e = tensor.empty() : tensor<3x8xf32>
    %stack = linalg.fill ins(%f0 : f32) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>
    %r = tensor.empty() : tensor<1x8xf32>
    %0:5 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %zero, %v = %x, %a = %stack, %b = %stack, %c = %stack) -> (tensor<i32>, tensor<1x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) {
      %row = linalg.map { math.tanh } ins(%v : tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %twice = linalg.map { arith.addf } ins(%row, %row : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %square = linalg.map { arith.mulf } ins(%row, %row : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %one = linalg.fill ins(%f1 : f32) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
      %less = linalg.map { arith.subf } ins(%square, %one : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %p = dmc.dynamic_update_slice ins(%row : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%a : tensor<3x8xf32>) -> tensor<3x8xf32>
      %q = dmc.dynamic_update_slice ins(%twice : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%b : tensor<3x8xf32>) -> tensor<3x8xf32>
      %s = dmc.dynamic_update_slice ins(%less : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%c : tensor<3x8xf32>) -> tensor<3x8xf32>
      %step = linalg.fill ins(%i1 : i32) outs(%n : tensor<i32>) -> tensor<i32>
      %next = linalg.map { arith.addi } ins(%t, %step : tensor<i32>, tensor<i32>) outs(%n : tensor<i32>)
      scf.yield %next, %twice, %p, %q, %s : tensor<i32>, tensor<1x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>
    }
    %last = linalg.fill ins(%i2 : i32) outs(%n : tensor<i32>) -> tensor<i32>
    %1:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %last, %g = %0#1) -> (tensor<i32>, tensor<1x8xf32>) {
      %b = dmc.dynamic_slice ins(%0#3 : tensor<3x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
      %c = dmc.dynamic_slice ins(%0#4 : tensor<3x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
      %h = linalg.map { arith.mulf } ins(%g, %b : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %k = linalg.map { arith.addf } ins(%h, %c : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %step = linalg.fill ins(%i1 : i32) outs(%n : tensor<i32>) -> tensor<i32>
      %next = linalg.map { arith.subi } ins(%t, %step : tensor<i32>, tensor<i32>) outs(%n : tensor<i32>)
      scf.yield %next, %k : tensor<i32>, tensor<1x8xf32>
    }
    return %1#1 : tensor<1x8xf32>
  }
}

// -----

// Kept: the last row is not written (its old value is not a function of the other's), a
// hyperbolic tangent is dear, a stack that is read as a whole is needed.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-4: dmc.dynamic_update_slice
// CHECK: return
#mesh = #dmc.mesh<"data" = 2>
#l = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<1x8xf32, #l>], results ["y" : tensor<1x8xf32, #l>, "z" : tensor<1x8xf32, #l>, "w" : tensor<3x8xf32, #l>]>} {
  func.func @kept(%x: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>, tensor<3x8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %n = tensor.empty() : tensor<i32>
    %zero = linalg.fill ins(%i0 : i32) outs(%n : tensor<i32>) -> tensor<i32>
    %e = tensor.empty() : tensor<3x8xf32>
    %stack = linalg.fill ins(%f0 : f32) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>
    %e4 = tensor.empty() : tensor<4x8xf32>
    %stack4 = linalg.fill ins(%f0 : f32) outs(%e4 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = tensor.empty() : tensor<1x8xf32>
    %0:5 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %zero, %a = %stack, %b = %stack4, %c = %stack, %d = %stack) -> (tensor<i32>, tensor<3x8xf32>, tensor<4x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) {
      %one = linalg.fill ins(%f1 : f32) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
      %row = linalg.map { arith.addf } ins(%x, %one : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %twice = linalg.map { arith.addf } ins(%row, %row : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %tanh = linalg.map { math.tanh } ins(%row : tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
      %p = dmc.dynamic_update_slice ins(%row : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%a : tensor<3x8xf32>) -> tensor<3x8xf32>
      %q = dmc.dynamic_update_slice ins(%one : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
      %s = dmc.dynamic_update_slice ins(%tanh : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%c : tensor<3x8xf32>) -> tensor<3x8xf32>
      %u = dmc.dynamic_update_slice ins(%twice : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%d : tensor<3x8xf32>) -> tensor<3x8xf32>
      %step = linalg.fill ins(%i1 : i32) outs(%n : tensor<i32>) -> tensor<i32>
      %next = linalg.map { arith.addi } ins(%t, %step : tensor<i32>, tensor<i32>) outs(%n : tensor<i32>)
      scf.yield %next, %p, %q, %s, %u : tensor<i32>, tensor<3x8xf32>, tensor<4x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>
    }
    %a = dmc.dynamic_slice ins(%0#1 : tensor<3x8xf32>) at(%0#0, %zero : tensor<i32>, tensor<i32>) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
    %b = dmc.dynamic_slice ins(%0#2 : tensor<4x8xf32>) at(%0#0, %zero : tensor<i32>, tensor<i32>) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
    %c = dmc.dynamic_slice ins(%0#3 : tensor<3x8xf32>) at(%0#0, %zero : tensor<i32>, tensor<i32>) outs(%r : tensor<1x8xf32>) -> tensor<1x8xf32>
    %h = linalg.map { arith.mulf } ins(%a, %b : tensor<1x8xf32>, tensor<1x8xf32>) outs(%r : tensor<1x8xf32>)
    return %h, %c, %0#4 : tensor<1x8xf32>, tensor<1x8xf32>, tensor<3x8xf32>
  }
}

// -----

// Rows without the dimension of one: what is repeated has the slice's shape.
// CHECK-LABEL: func.func @reshaped_rows
// CHECK: %[[S:.*]]:2 = scf.for {{.*}} -> (tensor<i32>, tensor<3x8xf32>)
// CHECK: dmc.dynamic_slice ins(%[[S]]#1
// CHECK: %[[X:.*]] = dmc.dynamic_slice ins(%[[S]]#1 : tensor<3x8xf32>)
// CHECK: linalg.map { arith.addf } ins(%[[X]], %[[X]] : tensor<1x8xf32>, tensor<1x8xf32>) outs(%{{.*}} : tensor<1x8xf32>)
// CHECK: return
#mesh = #dmc.mesh<"data" = 2>
#l = #dmc.layout<#mesh, [{}]>
#m = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<8xf32, #l>], results ["y" : tensor<1x8xf32, #m>, "z" : tensor<1x8xf32, #m>]>} {
  func.func @reshaped_rows(%x: tensor<8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %f0 = arith.constant 0.0 : f32
    %n = tensor.empty() : tensor<i32>
    %zero = linalg.fill ins(%i0 : i32) outs(%n : tensor<i32>) -> tensor<i32>
    %e = tensor.empty() : tensor<3x8xf32>
    %stack = linalg.fill ins(%f0 : f32) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>
    %r = tensor.empty() : tensor<8xf32>
    %s = tensor.empty() : tensor<1x8xf32>
    %0:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %zero, %a = %stack, %b = %stack) -> (tensor<i32>, tensor<3x8xf32>, tensor<3x8xf32>) {
      %row = linalg.map { math.tanh } ins(%x : tensor<8xf32>) outs(%r : tensor<8xf32>)
      %twice = linalg.map { arith.addf } ins(%row, %row : tensor<8xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>)
      %u = tensor.expand_shape %row [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
      %v = tensor.expand_shape %twice [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
      %p = dmc.dynamic_update_slice ins(%u : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%a : tensor<3x8xf32>) -> tensor<3x8xf32>
      %q = dmc.dynamic_update_slice ins(%v : tensor<1x8xf32>) at(%t, %zero : tensor<i32>, tensor<i32>) outs(%b : tensor<3x8xf32>) -> tensor<3x8xf32>
      %step = linalg.fill ins(%i1 : i32) outs(%n : tensor<i32>) -> tensor<i32>
      %next = linalg.map { arith.addi } ins(%t, %step : tensor<i32>, tensor<i32>) outs(%n : tensor<i32>)
      scf.yield %next, %p, %q : tensor<i32>, tensor<3x8xf32>, tensor<3x8xf32>
    }
    %y = dmc.dynamic_slice ins(%0#1 : tensor<3x8xf32>) at(%zero, %zero : tensor<i32>, tensor<i32>) outs(%s : tensor<1x8xf32>) -> tensor<1x8xf32>
    %z = dmc.dynamic_slice ins(%0#2 : tensor<3x8xf32>) at(%zero, %zero : tensor<i32>, tensor<i32>) outs(%s : tensor<1x8xf32>) -> tensor<1x8xf32>
    return %y, %z : tensor<1x8xf32>, tensor<1x8xf32>
  }
}

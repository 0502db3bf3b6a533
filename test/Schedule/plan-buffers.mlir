// RUN: dmc-opt %s -dmc-plan-buffers -dmc-bufferize-kernels -dmc-verify-schedule -split-input-file | FileCheck %s

// The example of the pass's description: the partial sum is where the sum will be.
// CHECK: module attributes {dmc.arena_bytes = 0 : i64, dmc.program = #dmc.program<scheduled
// CHECK: func.func @main(%[[X:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>, %[[ARENA:.*]]: memref<0xi8>) {
// CHECK: dmc.launch @kernel_0 ins(%[[X]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK: %[[T:.*]] = comm.all_reduce sum ins(%[[R]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>) over {"data"} on {{.*}} -> !comm.token
// CHECK-NEXT: comm.wait %[[T]]
// CHECK-NEXT: return{{$}}
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %a = dmc.launch @kernel_0 ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
    %r = comm.all_reduce sum ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) over {"data"} on #mesh -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
  func.func private @kernel_0(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
}

// -----

// A chain of reductions, whose buffers cannot be taken over: of four values at most two
// live at once. Until the result is computed, values can be in its memory.
// CHECK: dmc.arena_bytes = 64
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[R:.*]]: memref<8xf32>, %[[ARENA:.*]]: memref<64xi8>)
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[C0]]]
// CHECK: dmc.launch @k ins(%[[R]] : memref<8xf32>) outs(%[[B]] : memref<8xf32>)
// CHECK: dmc.launch @k ins(%[[B]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
// CHECK: %[[D:.*]] = memref.view %[[ARENA]][%[[C0]]]
// CHECK: dmc.launch @k ins(%[[R]] : memref<8xf32>) outs(%[[D]] : memref<8xf32>)
// CHECK: dmc.launch @k ins(%[[D]] : memref<8xf32>) outs(%[[R]] : memref<8xf32>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @reuse(%x: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %b = dmc.launch @k ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %c = dmc.launch @k ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %d = dmc.launch @k ins(%c : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = dmc.launch @k ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
  func.func private @k(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
}

// -----

// A donated argument is updated in place; the argument that is not donated is
// never written though the kernel could.
// CHECK: dmc.arena_bytes = 0
// CHECK-LABEL: func.func @donated_in_place
// CHECK-SAME: (%[[W:.*]]: memref<8xf32>, %[[G:.*]]: memref<8xf32>, %[[NW:.*]]: memref<8xf32>, %[[NG:.*]]: memref<8xf32>, %{{.*}}: memref<0xi8>)
// CHECK: dmc.launch @k ins(%[[G]] : memref<8xf32>) outs(%[[NG]] : memref<8xf32>)
// CHECK: dmc.launch @k ins(%[[W]] : memref<8xf32>) outs(%[[NW]] : memref<8xf32>)
// CHECK-NEXT: return
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["w" : tensor<8xf32> donates 0, "g" : tensor<8xf32>], results ["nw" : tensor<8xf32>, "ng" : tensor<8xf32>]>} {
  func.func @donated_in_place(%w: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %ng = dmc.launch @k ins(%g : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
    %nw = dmc.launch @k ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
    return %nw, %ng : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
}

// -----

// The old value is read after the new one exists: the new one waits in the
// arena and is copied at the end.
// CHECK: dmc.arena_bytes = 64
// CHECK-LABEL: func.func @donated_but_read_later
// CHECK-SAME: (%[[W:.*]]: memref<8xf32>, %[[NW:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>,
// CHECK: %[[V:.*]] = memref.view
// CHECK: dmc.launch @k ins(%[[W]] : memref<8xf32>) outs(%[[V]] : memref<8xf32>)
// CHECK: dmc.launch @k ins(%[[W]] : memref<8xf32>) outs(%[[Y]] : memref<8xf32>)
// CHECK: memref.copy %[[V]], %[[NW]]
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["w" : tensor<8xf32> donates 0], results ["nw" : tensor<8xf32>, "y" : tensor<8xf32>]>} {
  func.func @donated_but_read_later(%w: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %nw = dmc.launch @k ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
    %y = dmc.launch @k ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %nw, %y : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
}

// -----

// Two donated arguments change places: neither copy may come first without a
// buffer between.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>, %[[RA:.*]]: memref<8xf32>, %[[RB:.*]]: memref<8xf32>,
// CHECK: %[[V0:.*]] = memref.view
// CHECK: memref.copy %[[B]], %[[V0]]
// CHECK: %[[V1:.*]] = memref.view
// CHECK: memref.copy %[[A]], %[[V1]]
// CHECK: memref.copy %[[V0]], %[[RA]]
// CHECK: memref.copy %[[V1]], %[[RB]]
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["a" : tensor<8xf32> donates 0, "b" : tensor<8xf32> donates 1], results ["ra" : tensor<8xf32>, "rb" : tensor<8xf32>]>} {
  func.func @swap(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    return %b, %a : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// An argument returned, a value returned twice, a reshape of an argument, a
// donated argument returned as it is.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<8xf32>, %[[W:[a-z0-9]*]]: memref<8xf32>, %[[R0:[a-z0-9]*]]: memref<8xf32>, %[[R1:[a-z0-9]*]]: memref<8xf32>, %[[R2:[a-z0-9]*]]: memref<8xf32>, %[[R3:[a-z0-9]*]]: memref<2x4xf32>, %[[R4:[a-z0-9]*]]: memref<8xf32>,
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[R1]] : memref<8xf32>)
// CHECK: %[[S:.*]] = memref.expand_shape %[[X]]
// CHECK: memref.copy %[[X]], %[[R0]]
// CHECK: memref.copy %[[R1]], %[[R2]]
// CHECK: memref.copy %[[S]], %[[R3]]
// CHECK-NEXT: return
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>, "w" : tensor<8xf32> donates 4], results ["r0" : tensor<8xf32>, "r1" : tensor<8xf32>, "r2" : tensor<8xf32>, "r3" : tensor<2x4xf32>, "r4" : tensor<8xf32>]>} {
  func.func @copies(%x: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x4xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    return %x, %a, %a, %s, %w : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2x4xf32>, tensor<8xf32>
  }
  func.func private @k(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
}

// -----

// A result that is a reshape of what is computed is computed in its memref; so
// are rank 0 and tensors without elements.
// CHECK-LABEL: func.func @reshaped_results
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<8xf32>, %[[Z:[a-z0-9]*]]: memref<0x4xf32>, %[[R0:[a-z0-9]*]]: memref<2x2x2xf32>, %[[R1:[a-z0-9]*]]: memref<0x4xf32>, %{{.*}}: memref<0xi8>)
// CHECK: %[[F:.*]] = memref.collapse_shape %[[R0]] {{\[}}[0, 1, 2]] : memref<2x2x2xf32> into memref<8xf32>
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[F]] : memref<8xf32>)
// CHECK: dmc.launch @z ins(%[[Z]] : memref<0x4xf32>) outs(%[[R1]] : memref<0x4xf32>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>, "z" : tensor<0x4xf32>], results ["r0" : tensor<2x2x2xf32>, "r1" : tensor<0x4xf32>]>} {
  func.func @reshaped_results(%x: tensor<8xf32>, %z: tensor<0x4xf32>) -> (tensor<2x2x2xf32>, tensor<0x4xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %ez = tensor.empty() : tensor<0x4xf32>
    %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = tensor.expand_shape %a [[0, 1, 2]] output_shape [2, 2, 2] : tensor<8xf32> into tensor<2x2x2xf32>
    %b = dmc.launch @z ins(%z : tensor<0x4xf32>) outs(%ez : tensor<0x4xf32>) -> tensor<0x4xf32>
    return %s, %b : tensor<2x2x2xf32>, tensor<0x4xf32>
  }
  func.func private @k(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
  func.func private @z(%x: tensor<0x4xf32>, %d: tensor<0x4xf32>) -> tensor<0x4xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<0x4xf32>) outs(%d : tensor<0x4xf32>)
    return %0 : tensor<0x4xf32>
  }
}

// -----

// Two results may be computed in place of one input: only one is, though nobody uses it.
// CHECK-LABEL: func.func @one_in_place
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<8xf32>, %[[R0:[a-z0-9]*]]: memref<8xf32>, %[[R1:[a-z0-9]*]]: memref<8xf32>,
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[R0]] : memref<8xf32>)
// CHECK: dmc.launch @both ins(%[[R0]] : memref<8xf32>) outs(%[[R0]], %[[B:.*]] : memref<8xf32>, memref<8xf32>)
// CHECK: dmc.launch @both ins(%[[B]] : memref<8xf32>) outs(%{{.*}}, %[[R1]] : memref<8xf32>, memref<8xf32>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<8xf32>], results ["y" : tensor<8xf32>, "z" : tensor<8xf32>]>} {
  func.func @one_in_place(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %y, %b = dmc.launch @both ins(%a : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {in_place = array<i64: 0, 0>} -> tensor<8xf32>, tensor<8xf32>
    %unused, %z = dmc.launch @both ins(%b : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {in_place = array<i64: 0, 0>} -> tensor<8xf32>, tensor<8xf32>
    return %y, %z : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.func private @both(tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
}

// -----

// A result of one byte lends its memory like any other.
// CHECK-LABEL: func.func @one_byte
// CHECK-SAME: (%[[X:.*]]: memref<i8>, %[[R:.*]]: memref<i8>, %{{.*}}: memref<64xi8>)
// CHECK: dmc.launch @k ins(%[[X]] : memref<i8>) outs(%[[R]] : memref<i8>)
// CHECK: dmc.launch @k ins(%[[R]] : memref<i8>) outs(%[[B:.*]] : memref<i8>)
// CHECK: dmc.launch @k ins(%[[B]] : memref<i8>) outs(%[[R]] : memref<i8>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<i8>], results ["y" : tensor<i8>]>} {
  func.func @one_byte(%x: tensor<i8>) -> tensor<i8> {
    %e = tensor.empty() : tensor<i8>
    %a = dmc.launch @k ins(%x : tensor<i8>) outs(%e : tensor<i8>) -> tensor<i8>
    %b = dmc.launch @k ins(%a : tensor<i8>) outs(%e : tensor<i8>) -> tensor<i8>
    %r = dmc.launch @k ins(%b : tensor<i8>) outs(%e : tensor<i8>) -> tensor<i8>
    return %r : tensor<i8>
  }
  func.func private @k(tensor<i8>, tensor<i8>) -> tensor<i8>
}

// -----

// Of results in other shapes: from rank 0, to rank 0, and from rank 1.
// CHECK-LABEL: func.func @ranks
// CHECK-SAME: %[[R0:[a-z0-9]*]]: memref<f32>, %[[R1:[a-z0-9]*]]: memref<1x1xf32>, %[[R2:[a-z0-9]*]]: memref<8xf32>, %{{.*}}: memref<0xi8>)
// CHECK-NEXT: %[[A:.*]] = memref.expand_shape %[[R0]] [] output_shape [1] : memref<f32> into memref<1xf32>
// CHECK-NEXT: dmc.launch @k1 ins(%{{.*}}) outs(%[[A]] : memref<1xf32>)
// CHECK: %[[F:.*]] = memref.collapse_shape %[[R1]] {{\[\[}}0, 1]] : memref<1x1xf32> into memref<1xf32>
// CHECK-NEXT: %[[B:.*]] = memref.collapse_shape %[[F]] [] : memref<1xf32> into memref<f32>
// CHECK-NEXT: dmc.launch @k0 ins(%{{.*}}) outs(%[[B]] : memref<f32>)
// CHECK: %[[C:.*]] = memref.expand_shape %[[R2]] {{\[\[}}0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
// CHECK-NEXT: dmc.launch @k2 ins(%{{.*}}) outs(%[[C]] : memref<2x4xf32>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["x" : tensor<1xf32>, "s" : tensor<f32>, "m" : tensor<2x4xf32>], results ["y" : tensor<f32>, "t" : tensor<1x1xf32>, "n" : tensor<8xf32>]>} {
  func.func @ranks(%x: tensor<1xf32>, %s: tensor<f32>, %m: tensor<2x4xf32>) -> (tensor<f32>, tensor<1x1xf32>, tensor<8xf32>) {
    %e1 = tensor.empty() : tensor<1xf32>
    %e0 = tensor.empty() : tensor<f32>
    %e2 = tensor.empty() : tensor<2x4xf32>
    %a = dmc.launch @k1 ins(%x : tensor<1xf32>) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
    %y = tensor.collapse_shape %a [] : tensor<1xf32> into tensor<f32>
    %b = dmc.launch @k0 ins(%s : tensor<f32>) outs(%e0 : tensor<f32>) -> tensor<f32>
    %t = tensor.expand_shape %b [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
    %c = dmc.launch @k2 ins(%m : tensor<2x4xf32>) outs(%e2 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %n = tensor.collapse_shape %c [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    return %y, %t, %n : tensor<f32>, tensor<1x1xf32>, tensor<8xf32>
  }
  func.func private @k0(tensor<f32>, tensor<f32>) -> tensor<f32>
  func.func private @k1(tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  func.func private @k2(tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----

// Attributes of arguments stay with them; those of results go to the arguments for them.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: (%{{.*}}: memref<8xf32> {dmc.parameter = "w"}, %{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32> {dmc.parameter = "y"}, %{{.*}}: memref<0xi8>)
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["w" : tensor<8xf32>, "x" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @attributes(%w: tensor<8xf32> {dmc.parameter = "w"}, %x: tensor<8xf32>) -> (tensor<8xf32> {dmc.parameter = "y"}) {
    %e = tensor.empty() : tensor<8xf32>
    %y = dmc.launch @k ins(%w, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// Only what becomes result 0 may take over the argument that is donated to it.
// CHECK: dmc.arena_bytes = 0
// CHECK-LABEL: func.func @other_result
// CHECK-SAME: (%[[W:[a-z0-9]*]]: memref<8xf32>, %[[G:[a-z0-9]*]]: memref<8xf32>, %[[NW:[a-z0-9]*]]: memref<8xf32>, %[[Y:[a-z0-9]*]]: memref<8xf32>,
// CHECK-NEXT: dmc.launch @k ins(%[[W]] : memref<8xf32>) outs(%[[Y]] : memref<8xf32>)
// CHECK-NEXT: dmc.launch @k ins(%[[G]] : memref<8xf32>) outs(%[[NW]] : memref<8xf32>)
// CHECK-NEXT: return
module attributes {dmc.program = #dmc.program<ranks "p", arguments ["w" : tensor<8xf32> donates 0, "g" : tensor<8xf32>], results ["nw" : tensor<8xf32>, "y" : tensor<8xf32>]>} {
  func.func @other_result(%w: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %y = dmc.launch @k ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) {in_place = array<i64: 0>} -> tensor<8xf32>
    %nw = dmc.launch @k ins(%g : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %nw, %y : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
}

// -----

// An all-reduce is in place only where nothing needs its operand, and other collectives never are.
// CHECK: func.func @operand_is_read_later(%[[X:.*]]: memref<8xf32>, %[[R0:[a-z0-9]+]]: memref<8xf32>, %[[R1:[a-z0-9]+]]: memref<8xf32>
// CHECK: dmc.launch @k ins(%[[X]] : memref<8xf32>) outs(%[[A:.*]] : memref<8xf32>)
// CHECK: comm.all_reduce sum ins(%[[A]] : memref<8xf32>) outs(%[[R0]] :
// CHECK: comm.permute ins(%[[A]] : memref<8xf32>) outs(%[[R1]] :
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #r>]>} {
  func.func @operand_is_read_later(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %a = dmc.launch @k ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = comm.all_reduce sum ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) over {"data"} on #mesh -> tensor<8xf32>
    %p = comm.permute ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) pairs [0, 1, 1, 0] over {"data"} on #mesh -> tensor<8xf32>
    return %r, %p : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function} {
    %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
    return %0 : tensor<8xf32>
  }
}

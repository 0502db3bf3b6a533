// RUN: dmc-opt %s -dmc-form-kernels | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<8xf32>
  // CHECK-NEXT: %[[R:.*]] = dmc.kernel ins(%[[X]] : tensor<8xf32>) outs(%[[E]] : tensor<8xf32>) {dmc.kernel_kind = "loop", in_place = array<i64: 0>}
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<8xf32>, %[[D:.*]]: tensor<8xf32>):
  // CHECK: %[[EXP:.*]] = linalg.map { math.exp } ins(%[[A]]
  // CHECK: %[[SUM:.*]] = linalg.map { arith.addf } ins(%[[EXP]], %[[A]] : {{.*}}) outs(%[[D]]
  // CHECK-NEXT: dmc.yield %[[SUM]]
  // CHECK: return %[[R]]
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %b = linalg.map { arith.addf } ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %b : tensor<8xf32>
}

// A reduction takes its producers and ends the kernel; what it and another
// kernel read is stored once. The broadcast is copied into its reader.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: dmc.kernel {{.*}}dmc.kernel_kind = "reduction"
  // CHECK: linalg.fill
  // CHECK: linalg.reduce { arith.maximumf }
  // CHECK: %[[P:.*]] = dmc.kernel {{.*}}dmc.kernel_kind = "loop"
  // CHECK: linalg.broadcast
  // CHECK: arith.subf
  // CHECK: math.exp
  // CHECK: %[[S:.*]] = dmc.kernel ins(%[[P]] : {{.*}}dmc.kernel_kind = "reduction"
  // CHECK: linalg.reduce { arith.addf }
  // CHECK: dmc.kernel ins({{.*}}%[[P]]{{.*}}dmc.kernel_kind = "loop", in_place
  // CHECK: linalg.broadcast
  // CHECK: arith.divf
  // CHECK-NOT: dmc.kernel
  // CHECK: return
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%low : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %p = linalg.map { math.exp } ins(%d : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %f0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf32>) outs(%f0 : tensor<4xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %q = linalg.map { arith.divf } ins(%p, %sb : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  return %q : tensor<4x8xf32>
}

// An exponential of which each element is read by four rows through a
// broadcast is stored; an addition is repeated.
// CHECK-LABEL: func.func @broadcast_of_expensive
func.func @broadcast_of_expensive(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[S:.*]] = dmc.kernel
  // CHECK: math.exp
  // CHECK: dmc.kernel ins({{.*}}%[[S]]
  // CHECK: arith.addf
  // CHECK: linalg.broadcast
  // CHECK: arith.mulf
  %er = tensor.empty() : tensor<8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%er : tensor<8xf32>)
  %a = linalg.map { arith.addf } ins(%s, %x : tensor<8xf32>, tensor<8xf32>) outs(%er : tensor<8xf32>)
  %b = linalg.broadcast ins(%a : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  %r = linalg.map { arith.mulf } ins(%b, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  return %r : tensor<4x8xf32>
}

// Along a row it is computed once, before the loop over the row.
// CHECK-LABEL: func.func @broadcast_along_rows
// CHECK: dmc.kernel {{.*}}"loop"
// CHECK: math.exp
// CHECK: linalg.broadcast
// CHECK-NOT: dmc.kernel
func.func @broadcast_along_rows(%x: tensor<4xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %er = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.map { math.exp } ins(%x : tensor<4xf32>) outs(%er : tensor<4xf32>)
  %b = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  %r = linalg.map { arith.mulf } ins(%b, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  return %r : tensor<4x8xf32>
}

// Nothing but the fill of its destination joins a contraction.
// CHECK-LABEL: func.func @contraction
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[X:.*]] = dmc.kernel {{.*}}"loop"
  // CHECK: arith.negf
  // CHECK: %[[M:.*]] = dmc.kernel {{.*}}"contraction"
  // CHECK: ^bb0(%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x2xf32>, %[[D:.*]]: tensor<4x2xf32>):
  // CHECK: %[[F:.*]] = linalg.fill {{.*}} outs(%[[D]]
  // CHECK-NEXT: %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[F]]
  // CHECK-NEXT: dmc.yield %[[R]]
  // CHECK: dmc.kernel ins(%[[M]] : {{.*}}"loop", in_place = array<i64: 0>
  // CHECK: math.tanh
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %n = linalg.map { arith.negf } ins(%x : tensor<4x8xf32>) outs(%ex : tensor<4x8xf32>)
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %m = linalg.matmul ins(%n, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %t = linalg.map { math.tanh } ins(%m : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>)
  return %t : tensor<4x2xf32>
}

// A contraction that adds to a value works in place of it.
// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: dmc.kernel {{.*}}"contraction", in_place = array<i64: 2>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %m : tensor<4x2xf32>
}

// What is read by others, too, becomes a further root: one sweep over m, g and p.
// CHECK-LABEL: func.func @momentum
func.func @momentum(%p: tensor<8xf32>, %m: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[K:.*]]:2 = dmc.kernel ins(%[[M:.*]], %[[G:.*]], %[[P:.*]] : {{.*}}in_place
  // CHECK: %[[NM:.*]] = linalg.map { arith.addf } ins({{.*}}) outs(%[[D0:.*]] :
  // CHECK: %[[NP:.*]] = linalg.map { arith.subf } ins({{.*}}, %[[NM]] : {{.*}}) outs(%[[D1:.*]] :
  // CHECK-NEXT: dmc.yield %[[NM]], %[[NP]]
  // CHECK-NOT: dmc.kernel
  // CHECK: return %[[K]]#1, %[[K]]#0
  %e = tensor.empty() : tensor<8xf32>
  %nm = linalg.map { arith.addf } ins(%m, %g : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  %np = linalg.map { arith.subf } ins(%p, %nm : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %np, %nm : tensor<8xf32>, tensor<8xf32>
}

// The same, but the way from the first to the second passes by a reduction:
// together they would wait for themselves.
// CHECK-LABEL: func.func @no_cycle
func.func @no_cycle(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = dmc.kernel {{.*}}"loop"
  // CHECK: math.exp
  // CHECK: %[[S:.*]] = dmc.kernel ins(%[[A]] : {{.*}}"reduction"
  // CHECK: %[[B:.*]] = dmc.kernel ins({{.*}}%[[S]]{{.*}}"loop"
  // CHECK: return %[[A]], %[[B]]
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %es = tensor.empty() : tensor<f32>
  %a = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %f = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<8xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
  %b = linalg.map { arith.divf } ins(%a, %sb : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Two loops over one argument's elements are one; the third has another shape.
// CHECK-LABEL: func.func @siblings
func.func @siblings(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}:2 = dmc.kernel
  // CHECK: math.exp
  // CHECK: math.tanh
  // CHECK: dmc.kernel
  // CHECK: tensor.extract_slice
  // CHECK: math.sin
  // CHECK-NOT: dmc.kernel
  %e = tensor.empty() : tensor<8xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %a = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %b = linalg.map { math.tanh } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %s = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %c = linalg.map { math.sin } ins(%s : tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
}

// Reads elsewhere than at the element written: not in place.
// CHECK-LABEL: func.func @not_in_place
func.func @not_in_place(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: dmc.kernel {{.*}} {dmc.kernel_kind = "loop"} ->
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %r = linalg.map { arith.addf } ins(%x, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  return %r : tensor<4x4xf32>
}

// Scatter starts from zeros that are written in its kernel; into a value, in
// place of it.
// CHECK-LABEL: func.func @scatter
func.func @scatter(%ids: tensor<3x1xi32>, %u: tensor<3x4xf32>, %t: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: dmc.kernel {{.*}} {dmc.kernel_kind = "scatter"} ->
  // CHECK: ^bb0({{.*}}, %[[D:[a-z0-9]*]]: tensor<8x4xf32>):
  // CHECK: %[[F:.*]] = linalg.fill {{.*}} outs(%[[D]]
  // CHECK: dmc.scatter {{.*}} outs(%[[F]]
  // CHECK: dmc.kernel {{.*}} {dmc.kernel_kind = "scatter", in_place = array<i64: 2>} ->
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%f : tensor<8x4xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<8x4xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  %b = dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<8x4xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<8x4xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return %a, %b : tensor<8x4xf32>, tensor<8x4xf32>
}

// Between kernels: collectives, reshapes, index arithmetic. The offset is an
// input; scalar constants are copied.
// CHECK-LABEL: func.func @between
func.func @between(%x: tensor<8x2xf32>) -> tensor<8xf32> {
  // CHECK: %[[I:.*]] = comm.axis_index
  // CHECK: %[[O:.*]] = arith.muli %[[I]]
  // CHECK: %[[K:.*]] = dmc.kernel ins(%{{.*}}, %[[O]] : tensor<8x2xf32>, index)
  // CHECK: tensor.extract_slice
  // CHECK: math.exp
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x2xf32>
  // CHECK: %[[R:.*]] = comm.all_reduce sum ins(%[[K]] : tensor<4x2xf32>) outs(%[[E]]
  // CHECK: %[[V:.*]] = tensor.collapse_shape %[[R]]
  // CHECK: dmc.kernel ins(%[[V]] :
  %c4 = arith.constant 4 : index
  %i = comm.axis_index {"data"} on #dmc.mesh<"data" = 2>
  %o = arith.muli %i, %c4 : index
  %e = tensor.empty() : tensor<4x2xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %s = tensor.extract_slice %x[%o, 0] [4, 2] [1, 1] : tensor<8x2xf32> to tensor<4x2xf32>
  %a = linalg.map { math.exp } ins(%s : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>)
  %r = comm.all_reduce sum ins(%a : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) over {"data"} on #dmc.mesh<"data" = 2> -> tensor<4x2xf32>
  %v = tensor.collapse_shape %r [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  %b = linalg.map { math.tanh } ins(%v : tensor<8xf32>) outs(%e8 : tensor<8xf32>)
  return %b : tensor<8xf32>
}

// Each step reads the last at two places: one kernel would compute the first
// 2^3 times.
// CHECK-LABEL: func.func @doubling
// CHECK-COUNT-2: dmc.kernel {{.*}}"loop"
func.func @doubling(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %s1 = tensor.extract_slice %x[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %p1 = tensor.pad %s1 low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<7xf32> to tensor<8xf32>
  %x1 = linalg.map { arith.divf } ins(%x, %p1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  %s2 = tensor.extract_slice %x1[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
  %p2 = tensor.pad %s2 low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  %x2 = linalg.map { arith.divf } ins(%x1, %p2 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %x2 : tensor<8xf32>
}

// A library call reads and writes with strides: transposes join it, on both
// sides, but nothing that computes.
// CHECK-LABEL: func.func @transposed_contraction
func.func @transposed_contraction(%x: tensor<8x4xf32>, %w: tensor<8x2xf32>) -> (tensor<2x4xf32>, tensor<4x8xf32>) {
  // CHECK: dmc.kernel {{.*}}"loop"
  // CHECK: math.exp
  // CHECK: dmc.kernel {{.*}}"loop"
  // CHECK: linalg.transpose
  // CHECK: dmc.kernel {{.*}}"contraction"
  // CHECK: linalg.transpose
  // CHECK: linalg.matmul
  // CHECK: linalg.transpose
  // CHECK-NOT: dmc.kernel
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %ec = tensor.empty() : tensor<4x2xf32>
  %er = tensor.empty() : tensor<2x4xf32>
  %a = linalg.map { math.exp } ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
  %t = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %f = linalg.fill ins(%zero : f32) outs(%ec : tensor<4x2xf32>) -> tensor<4x2xf32>
  %c = linalg.matmul ins(%t, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = linalg.transpose ins(%c : tensor<4x2xf32>) outs(%er : tensor<2x4xf32>) permutation = [1, 0]
  return %r, %t : tensor<2x4xf32>, tensor<4x8xf32>
}

// Two kernels read the square: both compute it from %x, which takes no more to
// read. Two read the sum, for which they would read two tensors: it is stored.
// CHECK-LABEL: func.func @recompute
func.func @recompute(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: dmc.kernel {{.*}}"reduction"
  // CHECK: arith.mulf
  // CHECK: linalg.reduce
  // CHECK: dmc.kernel {{.*}}"reduction"
  // CHECK: arith.mulf
  // CHECK: linalg.reduce
  // CHECK: dmc.kernel {{.*}}"loop"
  // CHECK: arith.addf
  // CHECK: dmc.kernel {{.*}}"reduction"
  // CHECK-NOT: linalg.map
  // CHECK: return
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %f8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %q = linalg.map { arith.mulf } ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
  %a = linalg.reduce { arith.addf } ins(%q : tensor<8x4xf32>) outs(%f8 : tensor<8xf32>) dimensions = [1]
  %b = linalg.reduce { arith.mulf } ins(%q : tensor<8x4xf32>) outs(%f8 : tensor<8xf32>) dimensions = [1]
  %s = linalg.map { arith.addf } ins(%x, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
  %c = linalg.reduce { arith.addf } ins(%s : tensor<8x4xf32>) outs(%f8 : tensor<8xf32>) dimensions = [1]
  %d = linalg.reduce { arith.mulf } ins(%s : tensor<8x4xf32>) outs(%f8 : tensor<8xf32>) dimensions = [1]
  return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A common constant does not justify fusing: the kernels stay equal.
// CHECK-LABEL: func.func @common_constant
// CHECK-COUNT-2: dmc.kernel {{.*}}"loop"
func.func @common_constant(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.map { arith.mulf } ins(%x, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  %b = linalg.map { arith.mulf } ins(%y, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// An update of what is read at its own window alone is done in place; of what is
// read at another place it is not.
// CHECK-LABEL: func.func @masked_update
// CHECK: dmc.kernel ins(%arg0, {{.*}} in_place = array<i64: 0>
func.func @masked_update(%a: tensor<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %w = dmc.dynamic_slice ins(%a : tensor<8x4xf32>) at(%i, %j : tensor<i32>, tensor<i32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %m = linalg.map { arith.maximumf } ins(%w, %u : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>)
  %r = dmc.dynamic_update_slice ins(%m : tensor<1x4xf32>) at(%i, %j : tensor<i32>, tensor<i32>) outs(%a : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @shifted_update
// CHECK: dmc.kernel ins(
// CHECK-NOT: in_place
// CHECK: return
func.func @shifted_update(%a: tensor<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %w = dmc.dynamic_slice ins(%a : tensor<8x4xf32>) at(%j, %i : tensor<i32>, tensor<i32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %m = linalg.map { arith.maximumf } ins(%w, %u : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>)
  %r = dmc.dynamic_update_slice ins(%m : tensor<1x4xf32>) at(%i, %j : tensor<i32>, tensor<i32>) outs(%a : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

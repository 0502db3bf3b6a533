// RUN: dmc-opt %s --dmc-lower-kernels | FileCheck %s

// What is computed from inputs is inlined; what a loop does not change is
// computed outside of it.
// CHECK-LABEL: func.func private @elementwise
// CHECK-SAME: (%[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4xf32>, %[[OUT:.*]]: memref<4x8xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK: scf.for %[[I:.*]] = %c0 to %c4
// CHECK:   %[[LY:.*]] = memref.load %[[Y]][%[[I]]]
// CHECK:   %[[E:.*]] = math.exp %[[LY]]
// CHECK:   scf.for %[[J:.*]] = %c0 to %c8
// CHECK:     %[[LX:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK:     %[[S:.*]] = arith.addf %[[LX]], %[[E]]
// CHECK:     memref.store %[[S]], %[[OUT]][%[[I]], %[[J]]]
func.func private @elementwise(%x: memref<4x8xf32>, %y: memref<4xf32>, %out: memref<4x8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %1 = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.map { math.exp } ins(%1 : tensor<4xf32>) outs(%e1 : tensor<4xf32>)
  %3 = linalg.broadcast ins(%2 : tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) dimensions = [1]
  %4 = linalg.map { arith.addf } ins(%0, %3 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>)
  bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// A reduction of the contiguous dimension carries a scalar.
// CHECK-LABEL: func.func private @rows
// CHECK: scf.for %[[I:.*]] =
// CHECK:   %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK:     arith.addf {{.*}} fastmath<reassoc,contract>
// CHECK:   memref.store %[[SUM]], %{{.*}}[%[[I]]]
func.func private @rows(%x: memref<16x32xf32>, %out: memref<16xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x32xf32> to tensor<16x32xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<16x32xf32>) outs(%f : tensor<16xf32>) dimensions = [1]
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// Any other accumulates in the destination, contiguous dimension innermost.
// CHECK-LABEL: func.func private @columns
// CHECK: scf.for %[[J:.*]] = %c0 to %c32
// CHECK:   memref.store %{{.*}}, %[[OUT:.*]][%[[J]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %c16
// CHECK:   scf.for %[[J:.*]] = %c0 to %c32
// CHECK:     memref.load %[[OUT]][%[[J]]]
// CHECK:     memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK:     memref.store %{{.*}}, %[[OUT]][%[[J]]]
func.func private @columns(%x: memref<16x32xf32>, %out: memref<32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<16x32xf32> to tensor<16x32xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<16x32xf32>) outs(%f : tensor<32xf32>) dimensions = [0]
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<32xf32>, memref<32xf32>) -> ()
  return
}

// A collapsed and expanded index comes back as it was: no division is left.
// CHECK-LABEL: func.func private @reshapes
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK: return
func.func private @reshapes(%x: memref<4x6xf32>, %out: memref<4x2x3xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4x6xf32> to tensor<4x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %2 = tensor.expand_shape %1 [[0, 1, 2]] output_shape [4, 2, 3] : tensor<24xf32> into tensor<4x2x3xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<4x2x3xf32>, memref<4x2x3xf32>) -> ()
  return
}

// Padding reads inside of its operand only: a loop for what is before it, in it and behind it.
// CHECK-LABEL: func.func private @padding
// CHECK-NOT: scf.if
// CHECK-NOT: memref.load
// CHECK: memref.store
// CHECK: scf.for %[[I:.*]] = %c0 to %c4
// CHECK:   memref.load %{{.*}}[%[[I]]]
// CHECK:   %[[AT:.*]] = arith.addi %[[I]], %c1
// CHECK:   memref.store %{{.*}}[%[[AT]]]
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK-NOT: memref.load
// CHECK:   memref.store
func.func private @padding(%x: memref<4xf32>, %out: memref<7xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %1 = tensor.pad %0 low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<7xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<7xf32>, memref<7xf32>) -> ()
  return
}

// Narrow floats: each operation rounds once, and is computed in f32.
// CHECK-LABEL: func.func private @narrow
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %{{.*}} : f32
// CHECK: arith.truncf %[[P]] : f32 to bf16
func.func private @narrow(%x: memref<4xbf16>, %out: memref<4xbf16>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4xbf16> to tensor<4xbf16>
  %e = tensor.empty() : tensor<4xbf16>
  %1 = linalg.map { arith.mulf } ins(%0, %0 : tensor<4xbf16>, tensor<4xbf16>) outs(%e : tensor<4xbf16>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<4xbf16>, memref<4xbf16>) -> ()
  return
}

// An update in place writes the window alone.
// CHECK-LABEL: func.func private @update
// CHECK-SAME: %[[CACHE:.*]]: memref<8x4xf32> {dmc.shares = 3 : i64}
// CHECK: %[[START:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: memref.store
// CHECK-NOT: memref.store
// CHECK: return
func.func private @update(%cache: memref<8x4xf32> {dmc.shares = 3 : i64}, %u: memref<1x4xf32>, %i: memref<i32>, %out: memref<8x4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %cache restrict : memref<8x4xf32> to tensor<8x4xf32>
  %1 = bufferization.to_tensor %u restrict : memref<1x4xf32> to tensor<1x4xf32>
  %2 = bufferization.to_tensor %i restrict : memref<i32> to tensor<i32>
  %3 = dmc.dynamic_update_slice ins(%1 : tensor<1x4xf32>) at(%2, %2 : tensor<i32>, tensor<i32>) outs(%0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<8x4xf32>, memref<8x4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @gather
// CHECK: %[[ID:.*]] = memref.load %{{.*}}[%[[B:.*]], %c0] : memref<4x1xi32>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[ID]]
// CHECK: arith.maxsi %[[INDEX]], %c0
// CHECK: arith.minsi
// CHECK: memref.load %{{.*}} : memref<16x8xf32>
func.func private @gather(%t: memref<16x8xf32>, %ids: memref<4x1xi32>, %out: memref<4x8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %t restrict : memref<16x8xf32> to tensor<16x8xf32>
  %1 = bufferization.to_tensor %ids restrict : memref<4x1xi32> to tensor<4x1xi32>
  %e = tensor.empty() : tensor<4x8xf32>
  %2 = dmc.gather ins(%0, %1 : tensor<16x8xf32>, tensor<4x1xi32>) outs(%e : tensor<4x8xf32>)
    {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
     index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} -> tensor<4x8xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// A contraction is a library call; transposes of operands and of the result are
// strides.
// CHECK-LABEL: func.func private @contraction
// CHECK-SAME: (%[[A:.*]]: memref<8x4xf32>, %[[B:.*]]: memref<8x5xf32>, %[[C:.*]]: memref<5x4xf32>)
// CHECK-NEXT: call @dmc_contract(%[[A]], %[[B]], %[[C]])
func.func private @contraction(%a: memref<8x4xf32>, %b: memref<8x5xf32>, %out: memref<5x4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<8x4xf32> to tensor<8x4xf32>
  %1 = bufferization.to_tensor %b restrict : memref<8x5xf32> to tensor<8x5xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %e2 = tensor.empty() : tensor<4x5xf32>
  %e3 = tensor.empty() : tensor<5x4xf32>
  %t = linalg.transpose ins(%0 : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%t, %1 : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %rt = linalg.transpose ins(%r : tensor<4x5xf32>) outs(%e3 : tensor<5x4xf32>) permutation = [1, 0]
  bufferization.materialize_in_destination %rt in restrict writable %out : (tensor<5x4xf32>, memref<5x4xf32>) -> ()
  return
}

// Steps of an insertion: the window has every other element only.
// CHECK-LABEL: func.func private @spread
// CHECK: arith.remui
// CHECK: scf.if
// CHECK:   memref.load %{{.*}} : memref<3xf32>
// CHECK: } else {
// CHECK:   memref.load %{{.*}} : memref<8xf32>
func.func private @spread(%x: memref<3xf32>, %y: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<3xf32> to tensor<3xf32>
  %1 = bufferization.to_tensor %y restrict : memref<8xf32> to tensor<8xf32>
  %2 = tensor.insert_slice %0 into %1[1] [3] [2] : tensor<3xf32> into tensor<8xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// A sum that starts from other values than zero: loops put them where the library adds to them.
// CHECK-LABEL: func.func private @biased_nest
// CHECK:         memref.store
// CHECK-LABEL: func.func private @biased(
// CHECK-SAME:    %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<8x5xf32>, %[[BIAS:.*]]: memref<5xf32>, %[[C:.*]]: memref<4x5xf32>)
// CHECK:         call @biased_nest(%[[A]], %[[B]], %[[BIAS]], %[[C]], %{{.*}}, %{{.*}})
// CHECK-NEXT:    call @dmc_contract{{.*}}(%[[A]], %[[B]], %[[C]])
// CHECK-NEXT:    return
func.func private @biased(%a: memref<4x8xf32>, %b: memref<8x5xf32>, %bias: memref<5xf32>, %out: memref<4x5xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<4x8xf32> to tensor<4x8xf32>
  %1 = bufferization.to_tensor %b restrict : memref<8x5xf32> to tensor<8x5xf32>
  %2 = bufferization.to_tensor %bias restrict : memref<5xf32> to tensor<5xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.broadcast ins(%2 : tensor<5xf32>) outs(%e : tensor<4x5xf32>) dimensions = [0]
  %r = linalg.matmul ins(%0, %1 : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4x5xf32>, memref<4x5xf32>) -> ()
  return
}

// A product of padded values is not a contraction of buffers: loops compute it.
// CHECK-LABEL: func.func private @computed_operand
// CHECK-NOT: call
// CHECK: math.exp
// CHECK: arith.mulf
func.func private @computed_operand(%x: memref<4x8xf32>, %w: memref<8x16xf32>, %out: memref<4x16xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %1 = bufferization.to_tensor %w restrict : memref<8x16xf32> to tensor<8x16xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %e2 = tensor.empty() : tensor<4x16xf32>
  %2 = linalg.map { math.exp } ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.matmul ins(%2, %1 : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4x16xf32>, memref<4x16xf32>) -> ()
  return
}

// So is a convolution, whose window and position move in the same dimension; a
// loop of one iteration moves nothing.
// CHECK-LABEL: func.func private @convolution
// CHECK: call @dmc_contract_1
func.func private @convolution(%x: memref<1x9x4xf32>, %w: memref<3x4x5xf32>, %out: memref<1x4x5xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<1x9x4xf32> to tensor<1x9x4xf32>
  %1 = bufferization.to_tensor %w restrict : memref<3x4x5xf32> to tensor<3x4x5xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, o, c, k, i) -> (n, o * 2 + k, i)>, affine_map<(n, o, c, k, i) -> (k, i, c)>, affine_map<(n, o, c, k, i) -> (n, o, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%0, %1 : tensor<1x9x4xf32>, tensor<3x4x5xf32>) outs(%f : tensor<1x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x4x5xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<1x4x5xf32>, memref<1x4x5xf32>) -> ()
  return
}

// A grouped convolution, many products of matrices of two columns, goes to no library: both columns are
// accumulated side by side.
// CHECK-LABEL: func.func private @grouped_nest
// CHECK-NOT: call
// CHECK: scf.for %[[N:.*]] = %c0 to %c2
// CHECK: scf.for %[[O:.*]] = %c0 to %c7
// CHECK: scf.for %[[G:.*]] = %c0 to %c3
// CHECK:   %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:     scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[B]])
// CHECK:       %[[X:.*]] = memref.load %{{.*}} : memref<2x9x3x4xf32>
// CHECK-DAG:   arith.mulf %[[X]], %[[W0:.*]] : f32
// CHECK-DAG:   arith.mulf %[[X]], %[[W1:.*]] : f32
// CHECK:   memref.store %[[R]]#0, %{{.*}}[%[[N]], %[[O]], %[[G]], %c0]
// CHECK:   memref.store %[[R]]#1, %{{.*}}[%[[N]], %[[O]], %[[G]], %c1]
func.func private @grouped(%x: memref<2x9x3x4xf32>, %w: memref<3x4x3x2xf32>, %out: memref<2x7x3x2xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<2x9x3x4xf32> to tensor<2x9x3x4xf32>
  %1 = bufferization.to_tensor %w restrict : memref<3x4x3x2xf32> to tensor<3x4x3x2xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x3x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x3x2xf32>) -> tensor<2x7x3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, o, g, c, k, i) -> (n, o + k, g, i)>, affine_map<(n, o, g, c, k, i) -> (k, i, g, c)>, affine_map<(n, o, g, c, k, i) -> (n, o, g, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%0, %1 : tensor<2x9x3x4xf32>, tensor<3x4x3x2xf32>) outs(%f : tensor<2x7x3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x7x3x2xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<2x7x3x2xf32>, memref<2x7x3x2xf32>) -> ()
  return
}

// Of many rows, with five groups of three columns, which fill no vectors side by side, it is a library call.
// CHECK-LABEL: func.func private @grouped_rows(
// CHECK-NEXT: call @dmc_contract_2
func.func private @grouped_rows(%x: memref<2x27x5x4xf32>, %w: memref<3x4x5x3xf32>, %out: memref<2x25x5x3xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<2x27x5x4xf32> to tensor<2x27x5x4xf32>
  %1 = bufferization.to_tensor %w restrict : memref<3x4x5x3xf32> to tensor<3x4x5x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x25x5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x25x5x3xf32>) -> tensor<2x25x5x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, o, g, c, k, i) -> (n, o + k, g, i)>, affine_map<(n, o, g, c, k, i) -> (k, i, g, c)>, affine_map<(n, o, g, c, k, i) -> (n, o, g, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%0, %1 : tensor<2x27x5x4xf32>, tensor<3x4x5x3xf32>) outs(%f : tensor<2x25x5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x25x5x3xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<2x25x5x3xf32>, memref<2x25x5x3xf32>) -> ()
  return
}

// CHECK: func.func private @dmc_contract(
// CHECK-SAME: accumulate = false, loops = array<i64: 0, 1, 1, 1>
// CHECK-SAME: sizes = array<i64: 4, 5, 8>, strides_a = array<i64: 1, 0, 4>, strides_b = array<i64: 0, 1, 5>, strides_c = array<i64: 1, 4, 0>
// CHECK: func.func private @dmc_contract_0(
// CHECK-SAME: accumulate = true
// CHECK: func.func private @dmc_contract_1(
// CHECK-SAME: loops = array<i64: 0, 1, 1, 2>
// CHECK-SAME: sizes = array<i64: 4, 5, 3, 4>, strides_a = array<i64: 8, 0, 4, 1>, strides_b = array<i64: 0, 1, 20, 5>, strides_c = array<i64: 5, 1, 0, 0>

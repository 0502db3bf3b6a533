// RUN: dmc-opt %s --dmc-lower-kernels --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// The sums of columns are computed beside the elements, for blocks of 128 rows: each block has a row of
// the kernel's scratch. They are added in the order of the blocks, whichever threads computed them. The
// exponential is computed once for both results.
// CHECK-LABEL: func.func private @beside_nest(
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<512x1000xf32>, %[[SUM:[a-z0-9]*]]: memref<1000xf32>, %[[BLOCKS:[a-z0-9]*]]: memref<4x1000xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: iterations 4 flops
// CHECK: scf.for %[[B:[a-z0-9]*]] =
// CHECK:   scf.for %[[Z:[a-z0-9]*]] = %c0 to %c1000
// CHECK:     memref.store %cst, %[[BLOCKS]][%[[B]], %[[Z]]]
// CHECK:   %[[FIRST:.*]] = arith.muli %[[B]], %c128
// CHECK:   scf.for %[[R:[a-z0-9]*]] = %c0 to %c128
// CHECK:     %[[ROW:[a-z0-9]*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK:     scf.for %[[C:[a-z0-9]*]] = %c0 to %c1000
// CHECK:       %[[E:[a-z0-9]*]] = math.exp
// CHECK:       %[[OLD:.*]] = memref.load %[[BLOCKS]][%[[B]], %[[C]]]
// CHECK:       %[[NEW:.*]] = arith.addf %[[OLD]], %[[E]]
// CHECK:       memref.store %[[NEW]], %[[BLOCKS]][%[[B]], %[[C]]]
// CHECK-NOT:   math.exp
// CHECK:       memref.store %[[E]], %[[OUT]][%[[ROW]], %[[C]]]
// CHECK-LABEL: func.func private @beside_nest_0(
// CHECK:   scf.for %[[B:[a-z0-9]*]] = %c0 to %c4
// CHECK:     scf.for %[[C:[a-z0-9]*]] =
// CHECK:       memref.load %{{.*}}[%[[B]], %{{.*}}] : memref<4x1000xf32>
// CHECK-LABEL: func.func private @beside(
// CHECK: call @beside_nest(
// CHECK: call @beside_nest_0(
func.func private @beside(%x: memref<512x1000xf32>, %out: memref<512x1000xf32>, %sum: memref<1000xf32>, %blocks: memref<4x1000xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "row"} {
  %0 = bufferization.to_tensor %x restrict : memref<512x1000xf32> to tensor<512x1000xf32>
  %b = bufferization.to_tensor %blocks restrict writable : memref<4x1000xf32> to tensor<4x1000xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x1000xf32>
  %c = tensor.empty() : tensor<1000xf32>
  %1 = linalg.map { math.exp } ins(%0 : tensor<512x1000xf32>) outs(%e : tensor<512x1000xf32>)
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<1000xf32>) -> tensor<1000xf32>
  %s = linalg.reduce { arith.addf } ins(%1 : tensor<512x1000xf32>) outs(%z : tensor<1000xf32>) dimensions = [0] {dmc.partials = 4 : i64}
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<512x1000xf32>, memref<512x1000xf32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %sum : (tensor<1000xf32>, memref<1000xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %blocks : (tensor<4x1000xf32>, memref<4x1000xf32>) -> ()
  return
}

// -----

// A maximum of everything starts from the least value in each of three blocks of 34 rows, of which the
// last is shorter, and then from its own initial value.
// CHECK-LABEL: func.func private @largest_nest(
// CHECK-SAME: iterations 3 flops
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.for %[[B:[a-z0-9]*]] =
// CHECK:   memref.store %[[LOW]], %{{.*}}[%[[B]]] : memref<3xf32>
// CHECK:   arith.minsi %{{.*}}, %c100
// CHECK:   arith.maximumf
// CHECK-LABEL: func.func private @largest_nest_0(
// CHECK: %[[INIT:.*]] = arith.constant 7.0
// CHECK: scf.for %{{.*}} = %c0 to %c3 {{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK:   arith.maximumf
func.func private @largest(%x: memref<100x50xf32>, %out: memref<f32>, %blocks: memref<3xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "reduction"} {
  %0 = bufferization.to_tensor %x restrict : memref<100x50xf32> to tensor<100x50xf32>
  %b = bufferization.to_tensor %blocks restrict writable : memref<3xf32> to tensor<3xf32>
  %seven = arith.constant 7.0 : f32
  %c = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%seven : f32) outs(%c : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.maximumf } ins(%0 : tensor<100x50xf32>) outs(%z : tensor<f32>) dimensions = [0, 1] {dmc.partials = 3 : i64}
  bufferization.materialize_in_destination %s in restrict writable %out : (tensor<f32>, memref<f32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %blocks : (tensor<3xf32>, memref<3xf32>) -> ()
  return
}

// -----

// Five blocks of two rows are more than there are: the last one is empty and stays at the neutral element.
// CHECK-LABEL: func.func private @empty_block_nest(
// CHECK-SAME: iterations 5 flops 500 loops [<divided 5 [<serial 50>, <serial 2 least 0 [<serial 50>]>]>]
// CHECK: scf.for %[[B:[a-z0-9]*]] =
// CHECK:   %[[FIRST:.*]] = arith.muli %[[B]], %c2
// CHECK:   %[[NEXT:.*]] = arith.addi %[[FIRST]], %c2
// CHECK:   %[[END:.*]] = arith.minsi %[[NEXT]], %c8
// CHECK:   scf.for %[[R:[a-z0-9]*]] = %[[FIRST]] to %[[END]]
func.func private @empty_block(%x: memref<8x50xf32>, %out: memref<50xf32>, %blocks: memref<5x50xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "reduction"} {
  %0 = bufferization.to_tensor %x restrict : memref<8x50xf32> to tensor<8x50xf32>
  %b = bufferization.to_tensor %blocks restrict writable : memref<5x50xf32> to tensor<5x50xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<50xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<50xf32>) -> tensor<50xf32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<8x50xf32>) outs(%z : tensor<50xf32>) dimensions = [0] {dmc.partials = 5 : i64}
  bufferization.materialize_in_destination %s in restrict writable %out : (tensor<50xf32>, memref<50xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %blocks : (tensor<5x50xf32>, memref<5x50xf32>) -> ()
  return
}

// -----

// Of seven rows the last but one of five blocks has one, and the last one none.
// CHECK-LABEL: func.func private @cut_and_empty_block_nest(
// CHECK-SAME: iterations 5 flops 500 loops [<divided 5 [<serial 50>, <serial 2 least 0 [<serial 50>]>]>]
func.func private @cut_and_empty_block(%x: memref<7x50xf32>, %out: memref<50xf32>, %blocks: memref<5x50xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "reduction"} {
  %0 = bufferization.to_tensor %x restrict : memref<7x50xf32> to tensor<7x50xf32>
  %b = bufferization.to_tensor %blocks restrict writable : memref<5x50xf32> to tensor<5x50xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<50xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<50xf32>) -> tensor<50xf32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<7x50xf32>) outs(%z : tensor<50xf32>) dimensions = [0] {dmc.partials = 5 : i64}
  bufferization.materialize_in_destination %s in restrict writable %out : (tensor<50xf32>, memref<50xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %blocks : (tensor<5x50xf32>, memref<5x50xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{expected a buffer for each reduction by blocks: 1, found 0}}
func.func private @no_buffer(%x: memref<100x50xf32>, %out: memref<50xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<100x50xf32> to tensor<100x50xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<50xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<50xf32>) -> tensor<50xf32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<100x50xf32>) outs(%z : tensor<50xf32>) dimensions = [0] {dmc.partials = 3 : i64}
  bufferization.materialize_in_destination %s in restrict writable %out : (tensor<50xf32>, memref<50xf32>) -> ()
  return
}

// -----

func.func private @of_rows(%x: memref<100x50xf32>, %out: memref<100xf32>, %blocks: memref<3x100xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<100x50xf32> to tensor<100x50xf32>
  %b = bufferization.to_tensor %blocks restrict writable : memref<3x100xf32> to tensor<3x100xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<100xf32>) -> tensor<100xf32>
  // expected-error@+1 {{expected a reduction over leading loops, and a buffer of its result for each block}}
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<100x50xf32>) outs(%z : tensor<100xf32>) dimensions = [1] {dmc.partials = 3 : i64}
  bufferization.materialize_in_destination %s in restrict writable %out : (tensor<100xf32>, memref<100xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %blocks : (tensor<3x100xf32>, memref<3x100xf32>) -> ()
  return
}

// -----

// What follows from a sum of everything is computed when its blocks are combined.
// CHECK-LABEL: func.func private @mean_nest(
// CHECK-NOT: arith.divf
// CHECK-LABEL: func.func private @mean_nest_0(
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %c3
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]], %{{.*}} : f32
// CHECK: %[[ROOT:.*]] = math.sqrt %[[MEAN]]
// CHECK: memref.store %[[MEAN]]
// CHECK: memref.store %[[ROOT]]
// CHECK-LABEL: func.func private @mean(
// CHECK: call @mean_nest(
// CHECK: call @mean_nest_0(
// CHECK-NOT: call
// CHECK: return
func.func private @mean(%x: memref<100x50xf32>, %out: memref<f32>, %root: memref<f32>, %blocks: memref<3xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "reduction"} {
  %0 = bufferization.to_tensor %x restrict : memref<100x50xf32> to tensor<100x50xf32>
  %b = bufferization.to_tensor %blocks restrict writable : memref<3xf32> to tensor<3xf32>
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 5000.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %f = linalg.fill ins(%n : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<100x50xf32>) outs(%z : tensor<f32>) dimensions = [0, 1] {dmc.partials = 3 : i64}
  %m = linalg.map { arith.divf } ins(%s, %f : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>)
  %r = linalg.map { math.sqrt } ins(%m : tensor<f32>) outs(%e : tensor<f32>)
  bufferization.materialize_in_destination %m in restrict writable %out : (tensor<f32>, memref<f32>) -> ()
  bufferization.materialize_in_destination %r in restrict writable %root : (tensor<f32>, memref<f32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %blocks : (tensor<3xf32>, memref<3xf32>) -> ()
  return
}

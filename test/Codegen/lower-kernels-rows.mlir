// RUN: dmc-opt %s --dmc-lower-kernels --canonicalize --split-input-file | FileCheck %s
// RUN: dmc-opt %s --dmc-lower-kernels="core-cache=8192" --canonicalize --split-input-file | FileCheck %s --check-prefix=SMALL

// Softmax: the exponential is computed once, in the pass that adds it up, and kept for the division.
// A row of 4 KB fills half of a cache of 8 KB; a larger one is computed twice there.
// CHECK-LABEL: func.func private @softmax_nest
// CHECK: %[[KEPT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1025xf32>
// CHECK: %[[MOST:.*]] = scf.for
// CHECK:   arith.maximumf
// CHECK: %[[SUM:.*]] = scf.for %[[J:[a-z0-9]*]] =
// CHECK:   %[[E:.*]] = math.exp
// CHECK:   memref.store %[[E]], %[[KEPT]][%[[J]]]
// CHECK:   arith.addf %{{.*}}, %[[E]]
// CHECK: scf.for %[[K:[a-z0-9]*]] =
// CHECK-NOT: math.exp
// CHECK:   %[[V:.*]] = memref.load %[[KEPT]][%[[K]]]
// CHECK:   arith.divf %[[V]], %[[SUM]]
// SMALL-LABEL: func.func private @softmax_nest
// SMALL-NOT: memref.alloca
// SMALL-COUNT-2: math.exp
// SMALL: return
func.func private @softmax(%x: memref<64x1025xf32>, %out: memref<64x1025xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "row"} {
  %0 = bufferization.to_tensor %x restrict : memref<64x1025xf32> to tensor<64x1025xf32>
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1025xf32>
  %l = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.reduce { arith.maximumf } ins(%0 : tensor<64x1025xf32>) outs(%l : tensor<64xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<64xf32>) outs(%e : tensor<64x1025xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%0, %mb : tensor<64x1025xf32>, tensor<64x1025xf32>) outs(%e : tensor<64x1025xf32>)
  %p = linalg.map { math.exp } ins(%d : tensor<64x1025xf32>) outs(%e : tensor<64x1025xf32>)
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<64x1025xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x1025xf32>) dimensions = [1]
  %q = linalg.map { arith.divf } ins(%p, %sb : tensor<64x1025xf32>, tensor<64x1025xf32>) outs(%e : tensor<64x1025xf32>)
  bufferization.materialize_in_destination %q in restrict writable %out : (tensor<64x1025xf32>, memref<64x1025xf32>) -> ()
  return
}

// -----

// Reductions that do not need each other are computed in one pass; a difference is computed again
// rather than kept.
// CHECK-LABEL: func.func private @moments_nest
// CHECK-NOT: memref.alloca
// CHECK: %[[BOTH:.*]]:2 = scf.for
// CHECK:   %[[X:.*]] = memref.load
// CHECK:   arith.addf %{{.*}}, %[[X]]
// CHECK:   %[[S:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK:   arith.addf %{{.*}}, %[[S]]
// CHECK: scf.for
// CHECK:   %[[D:.*]] = arith.subf %{{.*}}, %[[BOTH]]#0
// CHECK:   arith.mulf %[[D]], %[[BOTH]]#1
func.func private @moments(%x: memref<64x100xf32>, %out: memref<64x100xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "row"} {
  %0 = bufferization.to_tensor %x restrict : memref<64x100xf32> to tensor<64x100xf32>
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<64x100xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %w = linalg.map { arith.mulf } ins(%0, %0 : tensor<64x100xf32>, tensor<64x100xf32>) outs(%e : tensor<64x100xf32>)
  %t = linalg.reduce { arith.addf } ins(%w : tensor<64x100xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x100xf32>) dimensions = [1]
  %tb = linalg.broadcast ins(%t : tensor<64xf32>) outs(%e : tensor<64x100xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%0, %sb : tensor<64x100xf32>, tensor<64x100xf32>) outs(%e : tensor<64x100xf32>)
  %q = linalg.map { arith.mulf } ins(%d, %tb : tensor<64x100xf32>, tensor<64x100xf32>) outs(%e : tensor<64x100xf32>)
  bufferization.materialize_in_destination %q in restrict writable %out : (tensor<64x100xf32>, memref<64x100xf32>) -> ()
  return
}

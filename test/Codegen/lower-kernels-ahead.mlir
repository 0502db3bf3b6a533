// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=65536" --canonicalize | FileCheck %s --check-prefixes=CHECK,AHEAD
// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=524288" --canonicalize | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: dmc-opt %s --dmc-lower-kernels="last-cache=65536 core-cache=4096" --canonicalize | FileCheck %s --check-prefixes=CHECK,PLAIN

// While the sum of squares is computed, which finds the row in a cache, the next row is fetched: 16
// lines of 16 elements before each 256 elements, and the last 232 without. Nothing is fetched where the
// tensor fits into the last cache, nor where two rows do not fit into a core's.
// CHECK-LABEL: func.func private @squares_nest(
// AHEAD: scf.for {{.*}} = %c0 to %c1000
// AHEAD-NOT: memref.prefetch
// AHEAD: scf.for %[[PART:[a-z0-9]*]] = %c0 to %c3
// AHEAD:   %[[BEGIN:.*]] = arith.muli %[[PART]], %c256
// AHEAD:   arith.addi %{{.*}}, %c1000
// AHEAD:   %[[NEXT:.*]] = arith.minsi %{{.*}}, %c127744
// AHEAD-COUNT-16: memref.prefetch
// AHEAD-NOT: memref.prefetch
// AHEAD:   scf.for %{{.*}} = %c0 to %c256
// AHEAD: scf.for %{{.*}} = %c0 to %c232
// PLAIN-NOT: memref.prefetch
// CHECK-LABEL: func.func private @squares(
func.func private @squares(%x: memref<128x1000xf32>, %out: memref<128x1000xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "row"} {
  %0 = bufferization.to_tensor %x restrict : memref<128x1000xf32> to tensor<128x1000xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<128xf32>
  %e = tensor.empty() : tensor<128x1000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<128x1000xf32>) outs(%z : tensor<128xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<128xf32>) outs(%e : tensor<128x1000xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%0, %sb : tensor<128x1000xf32>, tensor<128x1000xf32>) outs(%e : tensor<128x1000xf32>)
  %q = linalg.map { arith.mulf } ins(%d, %d : tensor<128x1000xf32>, tensor<128x1000xf32>) outs(%e : tensor<128x1000xf32>)
  %v = linalg.reduce { arith.addf } ins(%q : tensor<128x1000xf32>) outs(%z : tensor<128xf32>) dimensions = [1]
  %vb = linalg.broadcast ins(%v : tensor<128xf32>) outs(%e : tensor<128x1000xf32>) dimensions = [1]
  %n = linalg.map { arith.mulf } ins(%d, %vb : tensor<128x1000xf32>, tensor<128x1000xf32>) outs(%e : tensor<128x1000xf32>)
  bufferization.materialize_in_destination %n in restrict writable %out : (tensor<128x1000xf32>, memref<128x1000xf32>) -> ()
  return
}

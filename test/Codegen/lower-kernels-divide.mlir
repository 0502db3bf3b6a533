// RUN: dmc-opt %s --dmc-lower-kernels --canonicalize --split-input-file | FileCheck %s

// A nest is a function over a range of iterations, which the kernel calls for all of them. The rows
// of 1024 elements are divided into chunks of four.
// CHECK-LABEL: func.func private @rows_nest
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index)
// CHECK-SAME: dmc.nest = #dmc.nest<elements iterations 256 flops 1048576 loops [<divided 256 [<serial 4 [<serial 1024>]>]>]
// CHECK-SAME: accesses [<read 0 : 4194304 contiguous>, <read 1 : 4096 contiguous>, <write 2 : 4194304 contiguous>]>
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:   %[[FIRST:.*]] = arith.muli %[[I]], %c4
// CHECK:   scf.for %[[R:.*]] = %c0 to %c4
// CHECK:     %[[ROW:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK:     scf.for %[[J:.*]] = %c0 to %c1024
// CHECK:       memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[J]]]
// CHECK-LABEL: func.func private @rows(
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0
// CHECK: call @rows_nest(%{{.*}}, %{{.*}}, %{{.*}}, %c0, %c256)
// CHECK-NEXT: return
func.func private @rows(%x: memref<1024x1024xf32>, %b: memref<1024xf32>, %out: memref<1024x1024xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<1024x1024xf32> to tensor<1024x1024xf32>
  %e = tensor.empty() : tensor<1024x1024xf32>
  %r = bufferization.to_tensor %b restrict : memref<1024xf32> to tensor<1024xf32>
  %s = linalg.broadcast ins(%r : tensor<1024xf32>) outs(%e : tensor<1024x1024xf32>) dimensions = [0]
  %1 = linalg.add ins(%0, %s : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<1024x1024xf32>, memref<1024x1024xf32>) -> ()
  return
}

// -----

// One dimension is cut into rows of at least 256 neighbours; the last chunk is shorter. 20000 elements
// are four times what an iteration should compute at least.
// CHECK-LABEL: func.func private @flat_nest
// CHECK-SAME: iterations 4 flops
// CHECK: scf.for %[[I:.*]] =
// CHECK:   %[[FIRST:.*]] = arith.muli %[[I]], %c5120
// CHECK:   %[[LAST:.*]] = arith.addi %[[FIRST]], %c5120
// CHECK:   %[[END:.*]] = arith.minsi %[[LAST]], %c20000
// CHECK:   scf.for %{{.*}} = %[[FIRST]] to %[[END]]
func.func private @flat(%x: memref<20000xf32>, %out: memref<20000xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<20000xf32> to tensor<20000xf32>
  %e = tensor.empty() : tensor<20000xf32>
  %1 = linalg.exp ins(%0 : tensor<20000xf32>) outs(%e : tensor<20000xf32>) -> tensor<20000xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<20000xf32>, memref<20000xf32>) -> ()
  return
}

// -----

// Outer loops that are too few are divided together with the next one: 3 times 86 chunks.
// CHECK-LABEL: func.func private @outer_nest
// CHECK-SAME: iterations 258 flops
// CHECK: scf.for %[[P:.*]] =
// CHECK-DAG: %[[I:.*]] = arith.divui %[[P]], %c86
// CHECK-DAG: %[[CHUNK:.*]] = arith.remui %[[P]], %c86
// CHECK:   %[[FIRST:.*]] = arith.muli %[[CHUNK]], %c12
// CHECK:   scf.for %[[J:.*]] = %[[FIRST]]
// CHECK:     scf.for %[[K:.*]] = %c0 to %c512
// CHECK:       memref.store %{{.*}}[%[[I]], %[[J]], %[[K]]]
func.func private @outer(%x: memref<3x1024x512xf32>, %b: memref<3x512xf32>, %out: memref<3x1024x512xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<3x1024x512xf32> to tensor<3x1024x512xf32>
  %e = tensor.empty() : tensor<3x1024x512xf32>
  %r = bufferization.to_tensor %b restrict : memref<3x512xf32> to tensor<3x512xf32>
  %s = linalg.broadcast ins(%r : tensor<3x512xf32>) outs(%e : tensor<3x1024x512xf32>) dimensions = [1]
  %1 = linalg.add ins(%0, %s : tensor<3x1024x512xf32>, tensor<3x1024x512xf32>) outs(%e : tensor<3x1024x512xf32>) -> tensor<3x1024x512xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<3x1024x512xf32>, memref<3x1024x512xf32>) -> ()
  return
}

// -----

// A small nest is one iteration.
// CHECK-LABEL: func.func private @small_nest
// CHECK-SAME: iterations 1 flops
// CHECK: scf.for %{{.*}} = %c0 to %c4096
func.func private @small(%x: memref<64x64xf32>, %out: memref<64x64xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<64x64xf32> to tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.exp ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<64x64xf32>, memref<64x64xf32>) -> ()
  return
}

// -----

// Sums of columns accumulate rows of 256 results at a time; the last one is shorter.
// CHECK-LABEL: func.func private @columns_nest
// CHECK-SAME: iterations 4 flops
// CHECK: scf.for %[[P:.*]] =
// CHECK:   %[[FIRST:.*]] = arith.muli %[[P]], %c256
// CHECK:   %[[LAST:.*]] = arith.addi %[[FIRST]], %c256
// CHECK:   %[[END:.*]] = arith.minsi %[[LAST]], %c1000
// CHECK:   scf.for %[[J:.*]] = %[[FIRST]] to %[[END]]
// CHECK:     memref.store %{{.*}}, %[[OUT:.*]][%[[J]]]
// CHECK:   scf.for %[[I:.*]] = %c0 to %c4096
// CHECK:     scf.for %[[K:.*]] = %[[FIRST]] to %[[END]]
// CHECK:       memref.load %{{.*}}[%[[I]], %[[K]]]
// CHECK:       memref.store %{{.*}}, %[[OUT]][%[[K]]]
func.func private @columns(%x: memref<4096x1000xf32>, %out: memref<1000xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4096x1000xf32> to tensor<4096x1000xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<4096x1000xf32>) outs(%f : tensor<1000xf32>) dimensions = [0]
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<1000xf32>, memref<1000xf32>) -> ()
  return
}

// -----

// A sum of everything is not divided: its order would depend on how it is.
// CHECK-LABEL: func.func private @sum_nest
// CHECK-SAME: iterations 1 flops
func.func private @sum(%x: memref<1024x1024xf32>, %out: memref<f32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<1024x1024xf32> to tensor<1024x1024xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<1024x1024xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<f32>, memref<f32>) -> ()
  return
}

// -----

// Updates of a scatter may hit one element, and stay in order: after copies that are divided, each thread
// does those of its rows.
// CHECK-LABEL: func.func private @scatter_nest(
// CHECK-SAME: iterations 256 flops
// CHECK-LABEL: func.func private @scatter_nest_
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index)
// CHECK-SAME: iterations 128 flops
// CHECK-DAG: %[[B:.*]] = arith.muli %[[BEGIN]], %c32
// CHECK-DAG: %[[E:.*]] = arith.muli %[[END]], %c32
// CHECK: scf.for
// CHECK:   %[[ID:.*]] = arith.index_cast
// CHECK:   arith.cmpi sge, %[[ID]], %[[B]]
// CHECK:   arith.cmpi slt, %[[ID]], %[[E]]
// CHECK-LABEL: func.func private @scatter(
// CHECK: call @scatter_nest(
// CHECK-NEXT: call @scatter_nest_
func.func private @scatter(%x: memref<4096x512xf32>, %i: memref<1024xi32>, %u: memref<1024x512xf32>, %out: memref<4096x512xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4096x512xf32> to tensor<4096x512xf32>
  %1 = bufferization.to_tensor %i restrict : memref<1024xi32> to tensor<1024xi32>
  %2 = bufferization.to_tensor %u restrict : memref<1024x512xf32> to tensor<1024x512xf32>
  %r = dmc.scatter ins(%1, %2 : tensor<1024xi32>, tensor<1024x512xf32>) outs(%0 : tensor<4096x512xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      -> tensor<4096x512xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096x512xf32>, memref<4096x512xf32>) -> ()
  return
}

// -----

// A column that is read again and again needs no tiles.
// CHECK-LABEL: func.func private @broadcast_nest
// CHECK-NOT: %c16
// CHECK: return
func.func private @broadcast(%x: memref<512xf32>, %out: memref<512x512xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<512xf32> to tensor<512xf32>
  %e = tensor.empty() : tensor<512x512xf32>
  %1 = linalg.broadcast ins(%0 : tensor<512xf32>) outs(%e : tensor<512x512xf32>) dimensions = [1]
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<512x512xf32>, memref<512x512xf32>) -> ()
  return
}

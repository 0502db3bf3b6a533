// RUN: dmc-opt %s --dmc-lower-kernels --split-input-file | FileCheck %s
// RUN: dmc-opt %s --split-input-file --dmc-lower-kernels | dmc-opt --split-input-file > /dev/null
// RUN: dmc-opt %s --split-input-file --dmc-set-target=target=cuda:sm_90a --dmc-lower-kernels | FileCheck %s --check-prefix=CUDA

// Rows of three are one long row. Launches pass the shapes that they did.
// CHECK-LABEL: func.func private @short_nest(
// CHECK-SAME: %{{.*}}: memref<1500xf32>, %{{.*}}: memref<1500xf32>,
// CHECK-SAME: loops [<serial 1500>]
// CHECK-LABEL: func.func private @short(
// CHECK-SAME: %{{.*}}: memref<100x5x3xf32>, %{{.*}}: memref<100x5x3xf32>)
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1500], strides: [1] : memref<100x5x3xf32> to memref<1500xf32>
func.func private @short(%x: memref<100x5x3xf32>, %out: memref<100x5x3xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<100x5x3xf32> to tensor<100x5x3xf32>
  %c = arith.constant dense<2.0> : tensor<100x5x3xf32>
  %e = tensor.empty() : tensor<100x5x3xf32>
  %m = linalg.map { arith.mulf } ins(%0, %c : tensor<100x5x3xf32>, tensor<100x5x3xf32>) outs(%e : tensor<100x5x3xf32>)
  %a = linalg.exp ins(%m : tensor<100x5x3xf32>) outs(%e : tensor<100x5x3xf32>) -> tensor<100x5x3xf32>
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<100x5x3xf32>, memref<100x5x3xf32>) -> ()
  return
}

// -----

// A value for each row and one for each column keep what is between them.
// CHECK-LABEL: func.func private @rows_nest(
// CHECK-SAME: memref<20x42xf32>, %{{.*}}: memref<20xf32>, %{{.*}}: memref<42xf32>, %{{.*}}: memref<20x42xf32>
// CHECK-SAME: loops [<serial 20 [<serial 42>]>]
func.func private @rows(%x: memref<4x5x6x7xf32>, %r: memref<4x5xf32>, %b: memref<6x7xf32>, %out: memref<4x5x6x7xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4x5x6x7xf32> to tensor<4x5x6x7xf32>
  %1 = bufferization.to_tensor %r restrict : memref<4x5xf32> to tensor<4x5xf32>
  %2 = bufferization.to_tensor %b restrict : memref<6x7xf32> to tensor<6x7xf32>
  %e = tensor.empty() : tensor<4x5x6x7xf32>
  %rows = linalg.broadcast ins(%1 : tensor<4x5xf32>) outs(%e : tensor<4x5x6x7xf32>) dimensions = [2, 3]
  %bias = linalg.broadcast ins(%2 : tensor<6x7xf32>) outs(%e : tensor<4x5x6x7xf32>) dimensions = [0, 1]
  %a = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>,
                                        affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %rows, %bias : tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>) outs(%e : tensor<4x5x6x7xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %m, %s : f32
    linalg.yield %n : f32
  } -> tensor<4x5x6x7xf32>
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<4x5x6x7xf32>, memref<4x5x6x7xf32>) -> ()
  return
}

// -----

// Reshapes relate what is between their groups: rows of 3 remain, and nothing is left to reshape.
// CHECK-LABEL: func.func private @reshaped_nest(
// CHECK-SAME: memref<40x3xf32>, %{{.*}}: memref<3xf32>, %{{.*}}: memref<40x3xf32>
func.func private @reshaped(%x: memref<4x10x3xf32>, %b: memref<3xf32>, %out: memref<40x3xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4x10x3xf32> to tensor<4x10x3xf32>
  %1 = bufferization.to_tensor %b restrict : memref<3xf32> to tensor<3xf32>
  %r = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x10x3xf32> into tensor<40x3xf32>
  %e = tensor.empty() : tensor<40x3xf32>
  %bias = linalg.broadcast ins(%1 : tensor<3xf32>) outs(%e : tensor<40x3xf32>) dimensions = [0]
  %a = linalg.map { arith.addf } ins(%r, %bias : tensor<40x3xf32>, tensor<40x3xf32>) outs(%e : tensor<40x3xf32>)
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<40x3xf32>, memref<40x3xf32>) -> ()
  return
}

// -----

// A transpose tells its dimensions apart, and with them those of the other result of its shape,
// which is computed in the same loops. The third result has loops of its own.
// CHECK-LABEL: func.func private @transposed_nest(
// CHECK-SAME: memref<8x4xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<32xf32>
// CHECK-LABEL: func.func private @transposed_nest_0(
// CHECK-SAME: loops [<serial 32>]
func.func private @transposed(%x: memref<8x4xf32>, %y: memref<4x8xf32>, %p: memref<4x8xf32>, %q: memref<4x8xf32>, %z: memref<2x16xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8x4xf32> to tensor<8x4xf32>
  %1 = bufferization.to_tensor %y restrict : memref<4x8xf32> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%0 : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %a = linalg.map { math.absf } ins(%1 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %f = tensor.empty() : tensor<2x16xf32>
  %c = arith.constant 1.0 : f32
  %b = linalg.fill ins(%c : f32) outs(%f : tensor<2x16xf32>) -> tensor<2x16xf32>
  bufferization.materialize_in_destination %t in restrict writable %p : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %q : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %z : (tensor<2x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

// Nothing to compute.
// CHECK-LABEL: func.func private @none_nest(
// CUDA-LABEL: func.func private @none_nest(
func.func private @none(%x: memref<0xf32>, %y: memref<0x1xf32>, %o: memref<0xf32>, %p: memref<0x1xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<0xf32> to tensor<0xf32>
  %1 = bufferization.to_tensor %y restrict : memref<0x1xf32> to tensor<0x1xf32>
  %e = tensor.empty() : tensor<0xf32>
  %f = tensor.empty() : tensor<0x1xf32>
  %a = linalg.map { math.absf } ins(%0 : tensor<0xf32>) outs(%e : tensor<0xf32>)
  %b = linalg.map { math.absf } ins(%1 : tensor<0x1xf32>) outs(%f : tensor<0x1xf32>)
  bufferization.materialize_in_destination %a in restrict writable %o : (tensor<0xf32>, memref<0xf32>) -> ()
  bufferization.materialize_in_destination %b in restrict writable %p : (tensor<0x1xf32>, memref<0x1xf32>) -> ()
  return
}

// -----

// Loops that are reduced one after the other are one, also of rows, whose results keep the leading dimensions of the others.
// CHECK-LABEL: func.func private @means_nest(
// CHECK-SAME: memref<8192x196xf32>{{.*}}, %{{.*}}: memref<8192xf32>{{.*}}, %{{.*}}: memref<8192x196xf32>
func.func private @means(%x: memref<16x512x14x14xf32>, %mean: memref<16x512xf32>, %out: memref<16x512x14x14xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "row"} {
  %0 = bufferization.to_tensor %x restrict : memref<16x512x14x14xf32> to tensor<16x512x14x14xf32>
  %1 = bufferization.to_tensor %mean restrict writable : memref<16x512xf32> to tensor<16x512xf32>
  %2 = bufferization.to_tensor %out restrict writable : memref<16x512x14x14xf32> to tensor<16x512x14x14xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%1 : tensor<16x512xf32>) -> tensor<16x512xf32>
  %s = linalg.reduce { arith.addf } ins(%0 : tensor<16x512x14x14xf32>) outs(%f : tensor<16x512xf32>) dimensions = [2, 3]
  %e = tensor.empty() : tensor<16x512x14x14xf32>
  %b = linalg.broadcast ins(%s : tensor<16x512xf32>) outs(%e : tensor<16x512x14x14xf32>) dimensions = [2, 3]
  %d = linalg.map { arith.subf } ins(%0, %b : tensor<16x512x14x14xf32>, tensor<16x512x14x14xf32>) outs(%2 : tensor<16x512x14x14xf32>)
  bufferization.materialize_in_destination %s in restrict writable %mean : (tensor<16x512xf32>, memref<16x512xf32>) -> ()
  bufferization.materialize_in_destination %d in restrict writable %out : (tensor<16x512x14x14xf32>, memref<16x512x14x14xf32>) -> ()
  return
}

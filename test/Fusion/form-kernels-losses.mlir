// RUN: dmc-opt %s --dmc-form-kernels | FileCheck %s

// What is gathered along a row belongs to the kernel of the row, of which the sums stay inside; only
// what the mean reads leaves it, and the mean's division follows its sum. The gradient overwrites
// what is gathered from.
// CHECK-LABEL: func.func @cross_entropy
// CHECK: dmc.kernel ins(%arg0, %arg1 : tensor<64x1000xf32>, tensor<64xi32>) outs(%{{.*}} : tensor<64xf32>, tensor<64x1000xf32>) {dmc.kernel_kind = "row", in_place = array<i64: -1, 0>}
// CHECK: linalg.reduce { arith.maximumf }
// CHECK: linalg.reduce { arith.addf }
// CHECK: dmc.gather
// CHECK: dmc.kernel ins(%{{.*}}#0 : tensor<64xf32>) outs(%{{.*}} : tensor<f32>) {dmc.kernel_kind = "reduction"}
// CHECK: linalg.reduce { arith.addf }
// CHECK: arith.divf
// CHECK-NOT: dmc.kernel
// CHECK: return
func.func @cross_entropy(%x: tensor<64x1000xf32>, %t: tensor<64xi32>) -> (tensor<f32>, tensor<64x1000xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1000xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<64x1000xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %mb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  %p = linalg.map { math.exp } ins(%d : tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<64x1000xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %l = linalg.map { math.log } ins(%s : tensor<64xf32>) outs(%e1 : tensor<64xf32>)
  %g = dmc.gather ins(%d, %t : tensor<64x1000xf32>, tensor<64xi32>) outs(%e1 : tensor<64xf32>) {collapsed_slice_dims = array<i64: 1>, index_vector_dim = 1 : i64, operand_batching_dims = array<i64: 0>, slice_sizes = array<i64: 1, 1>, start_index_map = array<i64: 1>, start_indices_batching_dims = array<i64: 0>} -> tensor<64xf32>
  %loss = linalg.map { arith.subf } ins(%l, %g : tensor<64xf32>, tensor<64xf32>) outs(%e1 : tensor<64xf32>)
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%loss : tensor<64xf32>) outs(%z0 : tensor<f32>) dimensions = [0]
  %n0 = linalg.fill ins(%n : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %mean = linalg.map { arith.divf } ins(%sum, %n0 : tensor<f32>, tensor<f32>) outs(%e0 : tensor<f32>)
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %q = linalg.map { arith.divf } ins(%p, %sb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  return %mean, %q : tensor<f32>, tensor<64x1000xf32>
}

// Without a gradient, the rows have one result each and are a kernel still.
// CHECK-LABEL: func.func @forward
// CHECK: dmc.kernel ins(%arg0 : tensor<64x1000xf32>) outs(%{{.*}} : tensor<64xf32>) {dmc.kernel_kind = "row"}
// CHECK: linalg.reduce { arith.maximumf }
// CHECK: linalg.reduce { arith.addf }
// CHECK: math.log
// CHECK: dmc.kernel {{.*}}{dmc.kernel_kind = "reduction"}
// CHECK: linalg.reduce { arith.addf }
// CHECK-NOT: dmc.kernel
// CHECK: return
func.func @forward(%x: tensor<64x1000xf32>) -> tensor<f32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1000xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<64x1000xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %mb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  %p = linalg.map { math.exp } ins(%d : tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<64x1000xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %l = linalg.map { math.log } ins(%s : tensor<64xf32>) outs(%e1 : tensor<64xf32>)
  %loss = linalg.map { arith.addf } ins(%l, %m : tensor<64xf32>, tensor<64xf32>) outs(%e1 : tensor<64xf32>)
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%loss : tensor<64xf32>) outs(%z0 : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}

// What is gathered from other rows is not the row's: it is not overwritten.
// CHECK-LABEL: func.func @other_rows
// CHECK-NOT: in_place
// CHECK: return
func.func @other_rows(%x: tensor<64x1000xf32>, %t: tensor<64xi32>) -> tensor<64x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1000xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %g = dmc.gather ins(%x, %t : tensor<64x1000xf32>, tensor<64xi32>) outs(%e : tensor<64x1000xf32>) {collapsed_slice_dims = array<i64: 0>, offset_dims = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1000>, start_index_map = array<i64: 0>} -> tensor<64x1000xf32>
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %q = linalg.map { arith.divf } ins(%g, %sb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  return %q : tensor<64x1000xf32>
}

// A sum that another kernel needs before the loss is not computed with the loss: else the gradient,
// which it scales, would follow the loss and could not share the rows' sums with it.
// CHECK-LABEL: func.func @masked
// CHECK-COUNT-3: dmc.kernel ins
// CHECK-NOT: dmc.kernel ins
// CHECK: return
func.func @masked(%x: tensor<64x1000xf32>, %w: tensor<64xf32>) -> (tensor<f32>, tensor<64x1000xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1000xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %l = linalg.map { math.log } ins(%s : tensor<64xf32>) outs(%e1 : tensor<64xf32>)
  %v = linalg.map { arith.mulf } ins(%l, %w : tensor<64xf32>, tensor<64xf32>) outs(%e1 : tensor<64xf32>)
  %sum = linalg.reduce { arith.addf } ins(%v : tensor<64xf32>) outs(%z0 : tensor<f32>) dimensions = [0]
  %count = linalg.reduce { arith.addf } ins(%w : tensor<64xf32>) outs(%z0 : tensor<f32>) dimensions = [0]
  %mean = linalg.map { arith.divf } ins(%sum, %count : tensor<f32>, tensor<f32>) outs(%e0 : tensor<f32>)
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x1000xf32>) dimensions = [1]
  %cb = linalg.broadcast ins(%count : tensor<f32>) outs(%e : tensor<64x1000xf32>) dimensions = [0, 1]
  %sc = linalg.map { arith.mulf } ins(%sb, %cb : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  %q = linalg.map { arith.divf } ins(%x, %sc : tensor<64x1000xf32>, tensor<64x1000xf32>) outs(%e : tensor<64x1000xf32>)
  return %mean, %q : tensor<f32>, tensor<64x1000xf32>
}

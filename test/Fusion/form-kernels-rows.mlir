// RUN: dmc-opt %s --dmc-form-kernels | FileCheck %s

// Softmax is one kernel: the maximum and the sum of a row are computed when the row begins, and the
// exponential once for the sum and once for the result, which overwrites what was read.
// CHECK-LABEL: func.func @softmax
// CHECK: dmc.kernel ins(%arg0 : tensor<64x1024xf32>) {{.*}}{dmc.kernel_kind = "row", in_place = array<i64: 0>}
// CHECK: linalg.reduce { arith.maximumf }
// CHECK: math.exp
// CHECK: linalg.reduce { arith.addf }
// CHECK: arith.divf
// CHECK-NOT: dmc.kernel
// CHECK: return
func.func @softmax(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1024xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<64x1024xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<64xf32>) outs(%e : tensor<64x1024xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %mb : tensor<64x1024xf32>, tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>)
  %p = linalg.map { math.exp } ins(%d : tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>)
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<64x1024xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x1024xf32>) dimensions = [1]
  %q = linalg.map { arith.divf } ins(%p, %sb : tensor<64x1024xf32>, tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>)
  return %q : tensor<64x1024xf32>
}

// A mean that another kernel needs as well is a further root, of the rows alone.
// CHECK-LABEL: func.func @saved_mean
// CHECK: dmc.kernel ins(%arg0 : tensor<64x1024xf32>) outs({{.*}} : tensor<64xf32>, tensor<64x1024xf32>) {dmc.kernel_kind = "row"
// CHECK: linalg.reduce
// CHECK: dmc.yield %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64x1024xf32>
// CHECK-NOT: dmc.kernel
// CHECK: return
func.func @saved_mean(%x: tensor<64x1024xf32>) -> (tensor<64xf32>, tensor<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x1024xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x1024xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %sb = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x1024xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%x, %sb : tensor<64x1024xf32>, tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>)
  return %s, %d : tensor<64xf32>, tensor<64x1024xf32>
}

// Sums of columns are of no row; a sum of everything would be repeated by every thread; a few rows
// would leave threads idle.
// CHECK-LABEL: func.func @no_rows
// CHECK-COUNT-3: dmc.kernel_kind = "reduction"
// CHECK-NOT: "row"
// CHECK: return
func.func @no_rows(%x: tensor<64x64xf32>, %y: tensor<8x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %e1 = tensor.empty() : tensor<64xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %ey = tensor.empty() : tensor<8x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %columns = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>) outs(%z1 : tensor<64xf32>) dimensions = [0]
  %cb = linalg.broadcast ins(%columns : tensor<64xf32>) outs(%e : tensor<64x64xf32>) dimensions = [0]
  %c = linalg.map { arith.subf } ins(%x, %cb : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %all = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>) outs(%z0 : tensor<f32>) dimensions = [0, 1]
  %ab = linalg.broadcast ins(%all : tensor<f32>) outs(%e : tensor<64x64xf32>) dimensions = [0, 1]
  %a = linalg.map { arith.mulf } ins(%x, %ab : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>)
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %few = linalg.reduce { arith.addf } ins(%y : tensor<8x64xf32>) outs(%z8 : tensor<8xf32>) dimensions = [1]
  %fb = linalg.broadcast ins(%few : tensor<8xf32>) outs(%ey : tensor<8x64xf32>) dimensions = [1]
  %g = linalg.map { arith.subf } ins(%y, %fb : tensor<8x64xf32>, tensor<8x64xf32>) outs(%ey : tensor<8x64xf32>)
  return %c, %a, %g : tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>
}

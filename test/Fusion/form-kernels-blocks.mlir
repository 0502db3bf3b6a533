// RUN: dmc-opt %s --dmc-form-kernels | FileCheck %s

// A gradient and its sums over rows, of different values computed from it, are one kernel: the sums are
// computed in 8 blocks of 64 rows, whose results are in further results of the kernel that nobody reads.
// What is written in the place of the input is the gradient; the sums are not.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[K:.*]]:5 = dmc.kernel
// CHECK-SAME: outs({{.*}} : tensor<100xf32>, tensor<100xf32>, tensor<512x100xf32>, tensor<8x100xf32>, tensor<8x100xf32>)
// CHECK-SAME: dmc.kernel_kind = "row", in_place = array<i64: -1, -1, 0, -1, -1>
// CHECK: linalg.reduce {{.*}}dmc.partials = 8
// CHECK: linalg.reduce {{.*}}dmc.partials = 8
// CHECK: return %[[K]]#2, %[[K]]#0, %[[K]]#1
func.func @gradient(%x: tensor<512x100xf32>) -> (tensor<512x100xf32>, tensor<100xf32>, tensor<100xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x100xf32>
  %c = tensor.empty() : tensor<100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<100xf32>) -> tensor<100xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<512x100xf32>) outs(%z : tensor<100xf32>) dimensions = [0]
  %w = linalg.map { arith.mulf } ins(%x, %x : tensor<512x100xf32>, tensor<512x100xf32>) outs(%e : tensor<512x100xf32>)
  %t = linalg.reduce { arith.addf } ins(%w : tensor<512x100xf32>) outs(%z : tensor<100xf32>) dimensions = [0]
  %g = linalg.map { math.exp } ins(%x : tensor<512x100xf32>) outs(%e : tensor<512x100xf32>)
  return %g, %s, %t : tensor<512x100xf32>, tensor<100xf32>, tensor<100xf32>
}

// What needs the sums cannot be in the kernel that computes them.
// CHECK-LABEL: func.func @feeds
// CHECK: dmc.kernel {{.*}} {dmc.kernel_kind = "reduction"}
// CHECK: dmc.kernel
// CHECK-NOT: dmc.partials
// CHECK: return
func.func @feeds(%x: tensor<512x100xf32>) -> tensor<512x100xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x100xf32>
  %c = tensor.empty() : tensor<100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<100xf32>) -> tensor<100xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<512x100xf32>) outs(%z : tensor<100xf32>) dimensions = [0]
  %b = linalg.broadcast ins(%s : tensor<100xf32>) outs(%e : tensor<512x100xf32>) dimensions = [0]
  %g = linalg.map { arith.subf } ins(%x, %b : tensor<512x100xf32>, tensor<512x100xf32>) outs(%e : tensor<512x100xf32>)
  return %g : tensor<512x100xf32>
}

// A sum of few elements is not divided; one of many is, also where nothing is left of it.
// CHECK-LABEL: func.func @scalars
// CHECK: dmc.kernel {{.*}} outs(%{{.*}}, %{{.*}} : tensor<f32>, tensor<16xf32>)
// CHECK: dmc.kernel {{.*}} outs(%{{.*}} : tensor<f32>)
func.func @scalars(%x: tensor<65536xf32>, %y: tensor<100xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<65536xf32>) outs(%z : tensor<f32>) dimensions = [0]
  %t = linalg.reduce { arith.addf } ins(%y : tensor<100xf32>) outs(%z : tensor<f32>) dimensions = [0]
  return %s, %t : tensor<f32>, tensor<f32>
}

// What follows from a sum of everything is computed where its blocks are combined.
// CHECK-LABEL: func.func @norm
// CHECK: dmc.kernel {{.*}} outs(%{{.*}}, %{{.*}} : tensor<f32>, tensor<16xf32>) {dmc.kernel_kind = "reduction"}
// CHECK: linalg.reduce {{.*}}dmc.partials = 16
// CHECK-NEXT: math.sqrt
func.func @norm(%x: tensor<65536xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536xf32>
  %c = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<f32>) -> tensor<f32>
  %p = linalg.map { arith.mulf } ins(%x, %x : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>)
  %s = linalg.reduce { arith.addf } ins(%p : tensor<65536xf32>) outs(%z : tensor<f32>) dimensions = [0]
  %n = linalg.map { math.sqrt } ins(%s : tensor<f32>) outs(%c : tensor<f32>)
  return %n : tensor<f32>
}

// Sums over the rows of the same operand are one kernel where nothing else reads it, unless one needs the other.
// CHECK-LABEL: func.func @sums
// CHECK: dmc.kernel ins({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<100xf32>, tensor<8x100xf32>) {dmc.kernel_kind = "reduction"}
// CHECK: linalg.reduce {{.*}}dmc.partials = 8
// CHECK-NOT: linalg.reduce
// CHECK: %[[K:.*]]:4 = dmc.kernel
// CHECK-SAME: outs({{.*}} : tensor<100xf32>, tensor<100xf32>, tensor<8x100xf32>, tensor<8x100xf32>)
// CHECK-SAME: {dmc.kernel_kind = "reduction"}
// CHECK: linalg.reduce {{.*}}dmc.partials = 8
// CHECK: linalg.reduce {{.*}}dmc.partials = 8
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @sums(%x: tensor<512x100xf32>, %y: tensor<512x100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x100xf32>
  %c = tensor.empty() : tensor<100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<100xf32>) -> tensor<100xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<512x100xf32>) outs(%z : tensor<100xf32>) dimensions = [0]
  %p = linalg.map { arith.mulf } ins(%x, %y : tensor<512x100xf32>, tensor<512x100xf32>) outs(%e : tensor<512x100xf32>)
  %t = linalg.reduce { arith.addf } ins(%p : tensor<512x100xf32>) outs(%z : tensor<100xf32>) dimensions = [0]
  %b = linalg.broadcast ins(%s : tensor<100xf32>) outs(%e : tensor<512x100xf32>) dimensions = [0]
  %d = linalg.map { arith.subf } ins(%x, %b : tensor<512x100xf32>, tensor<512x100xf32>) outs(%e : tensor<512x100xf32>)
  %q = linalg.map { arith.mulf } ins(%d, %d : tensor<512x100xf32>, tensor<512x100xf32>) outs(%e : tensor<512x100xf32>)
  %v = linalg.reduce { arith.addf } ins(%q : tensor<512x100xf32>) outs(%z : tensor<100xf32>) dimensions = [0]
  return %t, %v : tensor<100xf32>, tensor<100xf32>
}

// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a --dmc-lower-kernels --dmc-lower-to-gpu | FileCheck %s
// A block asks for memory that it does not have without asking: parts of one array, whose size the launch gives.

// CHECK-LABEL: func.func private @kept_rows_nest
// CHECK-SAME: shared = 131136 : i64
// CHECK-DAG: llvm.mlir.global external @dmc_shared() {{.*}} : !llvm.array<0 x i8>
func.func private @kept_rows(%x: memref<16x32000xf32>, %out: memref<16x32000xf32>) attributes {dmc.kernel_function, dmc.kernel_kind = "row"} {
  %0 = bufferization.to_tensor %x restrict : memref<16x32000xf32> to tensor<16x32000xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %w = tensor.empty() : tensor<16x32000xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.reduce { arith.addf } ins(%0 : tensor<16x32000xf32>) outs(%f : tensor<16xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%r : tensor<16xf32>) outs(%w : tensor<16x32000xf32>) dimensions = [1]
  %d = linalg.map { arith.divf } ins(%0, %b : tensor<16x32000xf32>, tensor<16x32000xf32>) outs(%w : tensor<16x32000xf32>)
  bufferization.materialize_in_destination %d in restrict writable %out : (tensor<16x32000xf32>, memref<16x32000xf32>) -> ()
  return
}

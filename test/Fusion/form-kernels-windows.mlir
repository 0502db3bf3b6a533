// RUN: dmc-opt %s --dmc-set-target=target=cuda:sm_90a --dmc-form-kernels | FileCheck %s --check-prefix=DEVICE
// RUN: dmc-opt %s --dmc-set-target=cpu=host --dmc-form-kernels | FileCheck %s --check-prefix=HOST

// Blocks of a device read what windows share once, padding included; on a processor the padded image is a buffer.
// DEVICE-LABEL: func.func @pool
// DEVICE: dmc.kernel
// DEVICE: tensor.pad
// DEVICE: linalg.pooling_nchw_max
// DEVICE-NOT: dmc.kernel
// HOST-LABEL: func.func @pool
// HOST: dmc.kernel
// HOST: tensor.pad
// HOST: dmc.kernel
// HOST: linalg.pooling_nchw_max
func.func @pool(%x: tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<2x3x32x32xf32> to tensor<2x3x34x34xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x3x32x32xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  %r = linalg.pooling_nchw_max ins(%p, %w : tensor<2x3x34x34xf32>, tensor<3x3xf32>) outs(%f : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  return %r : tensor<2x3x32x32xf32>
}

// RUN: split-file %s %t
// RUN: dmc-compile %t/nhwc.mlir --mesh space=4 --strategy spatial:images=arg0,parameters=arg1 --emit=parallel -o %t/a.mlir 2>%t/a.txt
// RUN: FileCheck %s --check-prefix=NHWC --input-file=%t/a.txt
// RUN: FileCheck %s --check-prefix=NHWC-PLAN --input-file=%t/a.mlir
// RUN: dmc-compile %t/nchw.mlir --mesh space=4 --strategy spatial:images=arg0,parameters=arg1 --emit=parallel -o %t/b.mlir 2>%t/b.txt
// RUN: FileCheck %s --check-prefix=NCHW --input-file=%t/b.txt
// RUN: FileCheck %s --check-prefix=NCHW-PLAN --input-file=%t/b.mlir
// RUN: dmc-compile %t/pooling.mlir --mesh space=4 --strategy spatial:images=arg0,parameters=arg1 --emit=parallel -o /dev/null 2>&1 | FileCheck %s --check-prefix=POOLING
// RUN: not dmc-compile %t/none.mlir --mesh space=4 --strategy spatial:images=arg0,parameters=arg1 --emit=parallel 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dmc-compile %t/nchw.mlir --mesh space=16 --strategy spatial:images=arg0,parameters=arg1 --emit=parallel 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: dmc-interpret %t/b.mlir --seed=1 --output-dir=%t
// RUN: dmc-compile %t/nchw.mlir --emit=tensor -o %t/c.mlir
// RUN: dmc-interpret %t/c.mlir --seed=1 --expect-dir=%t

// Rows are what windows slide over first, wherever they lie.
// NHWC: remark: images split along {"space"}: "arg0" in dimension 1
// NHWC-PLAN: "arg0" : tensor<2x8x12x4xf32, #layout_r_space_r_r>
// NHWC-PLAN: dmc.halo
// NCHW: remark: images split along {"space"}: "arg0" in dimension 2
// NCHW-PLAN: "arg0" : tensor<2x4x8x12xf32, #layout_r_r_space_r>
// NCHW-PLAN: dmc.halo
// A 1x1 convolution has no windows; what it keeps goes on to the pooling behind it. Of rows that
// are too few the columns take the place.
// POOLING: remark: images split along {"space"}: "arg0" in dimension 3
// NONE: error: found no rows to split along {"space"}: expected a convolution or pooling whose windows slide over a dimension of the images
// SMALL: error: found no rows to split along {"space"}: expected a spatial dimension of at least 16 elements in argument "arg0"

//--- nhwc.mlir
module @nhwc {
  func.func @main(%x: tensor<2x8x12x4xf32>, %k: tensor<3x3x4x4xf32>) -> tensor<2x8x12x4xf32> {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x8x12x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x8x12x4xf32>
    return %0 : tensor<2x8x12x4xf32>
  }
}

//--- nchw.mlir
module @nchw {
  func.func @main(%x: tensor<2x4x8x12xf32>, %k: tensor<4x4x3x3xf32>) -> tensor<2x4x8x12xf32> {
    %t = stablehlo.tanh %x : tensor<2x4x8x12xf32>
    %0 = stablehlo.convolution(%t, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x4x8x12xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x12xf32>
    return %0 : tensor<2x4x8x12xf32>
  }
}

//--- pooling.mlir
module @pooling {
  func.func @main(%x: tensor<2x4x3x12xf32>, %k: tensor<4x4x1x1xf32>) -> tensor<2x4x3x12xf32> {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
      window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x4x3x12xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x3x12xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = "stablehlo.reduce_window"(%0, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 3, 3>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>}
      : (tensor<2x4x3x12xf32>, tensor<f32>) -> tensor<2x4x3x12xf32>
    return %1 : tensor<2x4x3x12xf32>
  }
}

//--- none.mlir
module @none {
  func.func @main(%x: tensor<2x4x8x12xf32>, %k: tensor<12x6xf32>) -> tensor<2x4x8x6xf32> {
    %0 = stablehlo.dot_general %x, %k, contracting_dims = [3] x [0] : (tensor<2x4x8x12xf32>, tensor<12x6xf32>) -> tensor<2x4x8x6xf32>
    return %0 : tensor<2x4x8x6xf32>
  }
}

// Parameters that a step takes in bfloat16 are gathered in bfloat16, and their updates are computed on the parts; what is
// used as it is, is gathered so.
// RUN: dmc-compile %s --strategy=fsdp:batch=x,parameters=w,b --emit=parallel -o - 2>/dev/null | FileCheck %s
// RUN: dmc-compile %s --strategy=zero3:batch=x,parameters=w,b --emit=parallel -o - 2>/dev/null | FileCheck %s

// A value that also something else uses is gathered once, before it is narrowed.
// RUN: dmc-compile %s --strategy=fsdp:batch=x,parameters=v --emit=parallel -o - 2>/dev/null | FileCheck %s --check-prefix=BOTH

#mesh = #dmc.mesh<"data" = 4>
// CHECK: arguments ["x" : tensor<16x64xbf16, #layout_data_r>, "w" : tensor<64x32xf32, #layout_data_r> donates 0, "b" : tensor<32xf32, #layout_data>
// CHECK-DAG: linalg.map { arith.truncf } ins(%{{.*}} : tensor<64x32xf32, #layout_data_r>)
// CHECK-DAG: dmc.combine %{{.*}} along {"data"} in 0 : tensor<64x32xbf16, #layout_data_r> to tensor<64x32xbf16, #layout_r_r>
// CHECK-DAG: dmc.combine %{{.*}} along {"data"} in 0 : tensor<32xf32, #layout_data> to tensor<32xf32, #layout_r>
// CHECK-NOT: dmc.combine
// CHECK: linalg.map { arith.subf } {{.*}}tensor<64x32xf32, #layout_data_r>
// CHECK-NOT: dmc.combine
// BOTH: dmc.combine %{{.*}} along {"data"} in 0 : tensor<64x32xf32, #layout_data_r> to tensor<64x32xf32, #layout_r_r>
// BOTH-NOT: dmc.combine {{.*}}tensor<64x32x
module @step attributes {dmc.program = #dmc.program<tensor "step" on #mesh,
    arguments ["x" : tensor<16x64xbf16>, "w" : tensor<64x32xf32> donates 0, "b" : tensor<32xf32>, "v" : tensor<64x32xf32>],
    results ["u" : tensor<64x32xf32>, "y" : tensor<16x32xf32>, "s" : tensor<64xf32>]>} {
  func.func @main(%x: tensor<16x64xbf16>, %w: tensor<64x32xf32>, %b: tensor<32xf32>, %v: tensor<64x32xf32>)
      -> (tensor<64x32xf32>, tensor<16x32xf32>, tensor<64xf32>) {
    %zero = arith.constant 0.0 : f32
    %rows = tensor.empty() : tensor<16x32xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<16x32xf32>) -> tensor<16x32xf32>
    %weights = tensor.empty() : tensor<64x32xf32>
    %none = linalg.fill ins(%zero : f32) outs(%weights : tensor<64x32xf32>) -> tensor<64x32xf32>
    %narrow = tensor.empty() : tensor<64x32xbf16>
    %wide = tensor.empty() : tensor<16x64xf32>
    %turned = tensor.empty() : tensor<64x16xf32>
    %half = linalg.map { arith.truncf } ins(%w : tensor<64x32xf32>) outs(%narrow : tensor<64x32xbf16>)
    %0 = linalg.matmul ins(%x, %half : tensor<16x64xbf16>, tensor<64x32xbf16>) outs(%zeros : tensor<16x32xf32>) -> tensor<16x32xf32>
    %1 = linalg.broadcast ins(%b : tensor<32xf32>) outs(%rows : tensor<16x32xf32>) dimensions = [0]
    %2 = linalg.map { arith.addf } ins(%0, %1 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%rows : tensor<16x32xf32>)
    %3 = linalg.map { arith.extf } ins(%x : tensor<16x64xbf16>) outs(%wide : tensor<16x64xf32>)
    %4 = linalg.transpose ins(%3 : tensor<16x64xf32>) outs(%turned : tensor<64x16xf32>) permutation = [1, 0]
    %5 = linalg.matmul ins(%4, %2 : tensor<64x16xf32>, tensor<16x32xf32>) outs(%none : tensor<64x32xf32>) -> tensor<64x32xf32>
    %6 = linalg.map { arith.subf } ins(%w, %5 : tensor<64x32xf32>, tensor<64x32xf32>) outs(%weights : tensor<64x32xf32>)
    %other = linalg.map { arith.truncf } ins(%v : tensor<64x32xf32>) outs(%narrow : tensor<64x32xbf16>)
    %7 = linalg.matmul ins(%x, %other : tensor<16x64xbf16>, tensor<64x32xbf16>) outs(%zeros : tensor<16x32xf32>) -> tensor<16x32xf32>
    %8 = linalg.map { arith.addf } ins(%2, %7 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%rows : tensor<16x32xf32>)
    %sums = tensor.empty() : tensor<64xf32>
    %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<64xf32>) -> tensor<64xf32>
    %9 = linalg.reduce { arith.addf } ins(%v : tensor<64x32xf32>) outs(%start : tensor<64xf32>) dimensions = [1]
    return %6, %8, %9 : tensor<64x32xf32>, tensor<16x32xf32>, tensor<64xf32>
  }
}

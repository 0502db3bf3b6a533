// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Each part of a dimension is cut by a part of the axis that cuts the dimension.
//
// IN a f4 [1.0, -2.0, 3.0, 4.0, -5.0, 6.0, 7.0, -8.0]
// IN b f4 [[1.0, -2.0, 3.0, 4.0], [-5.0, 6.0, 7.0, -8.0]]
// NUMPY r0, r1 = a.reshape(2, 4), b.reshape(8)
// OUT r0 f4 [[1.0, -2.0, 3.0, 4.0], [-5.0, 6.0, 7.0, -8.0]]
// OUT r1 f4 [1.0, -2.0, 3.0, 4.0, -5.0, 6.0, 7.0, -8.0]
#mesh = #dmc.mesh<"x" = 4>
#whole = #dmc.layout<#mesh, [{"x"}]>
#parts = #dmc.layout<#mesh, [{"x":(1)2}, {"x":(2)2}]>
module attributes {dmc.program = #dmc.program<parallel "reshape-parts" on #mesh,
    arguments ["a" : tensor<8xf32, #whole>, "b" : tensor<2x4xf32, #parts>],
    results ["r0" : tensor<2x4xf32, #parts>, "r1" : tensor<8xf32, #whole>]>} {
  func.func @main(%a: tensor<8xf32, #whole>, %b: tensor<2x4xf32, #parts>) -> (tensor<2x4xf32, #parts>, tensor<8xf32, #whole>) {
    %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : tensor<8xf32, #whole> into tensor<2x4xf32, #parts>
    %1 = tensor.collapse_shape %b [[0, 1]] : tensor<2x4xf32, #parts> into tensor<8xf32, #whole>
    return %0, %1 : tensor<2x4xf32, #parts>, tensor<8xf32, #whole>
  }
}

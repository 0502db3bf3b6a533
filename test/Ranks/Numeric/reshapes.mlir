// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Reshapes that keep a split, and slices of whole dimensions; dimension 0 has blocks of 2, 2, 1.
//
// IN a f4 [[-2.0, -10.0], [-8.0, 4.0], [1.0, 9.0], [-5.0, -6.0], [7.0, -3.0]]
// IN b f4 [[-5.0, -2.0, 1.0], [6.0, 3.0, -4.0]]
// NUMPY r0, r1, r2, r3 = a.reshape(10), a.reshape(1, 5, 2), b.reshape(6), a[:, 1:]
// NUMPY r4, r5 = np.hstack([a[:, 1:], a[:, 1:]]), np.hstack([a, a[:, 1:]])
// NUMPY r6 = np.pad(a, ((0, 0), (1, 2)), constant_values=1)
// OUT r0 f4 [-2.0, -10.0, -8.0, 4.0, 1.0, 9.0, -5.0, -6.0, 7.0, -3.0]
// OUT r1 f4 [[[-2.0, -10.0], [-8.0, 4.0], [1.0, 9.0], [-5.0, -6.0], [7.0, -3.0]]]
// OUT r2 f4 [-5.0, -2.0, 1.0, 6.0, 3.0, -4.0]
// OUT r3 f4 [[-10.0], [4.0], [9.0], [-6.0], [-3.0]]
// OUT r4 f4 [[-10.0, -10.0], [4.0, 4.0], [9.0, 9.0], [-6.0, -6.0], [-3.0, -3.0]]
// OUT r5 f4 [[-2.0, -10.0, -10.0], [-8.0, 4.0, 4.0], [1.0, 9.0, 9.0], [-5.0, -6.0, -6.0], [7.0, -3.0, -3.0]]
// OUT r6 f4 [[1.0, -2.0, -10.0, 1.0, 1.0], [1.0, -8.0, 4.0, 1.0, 1.0], [1.0, 1.0, 9.0, 1.0, 1.0], [1.0, -5.0, -6.0, 1.0, 1.0], [1.0, 7.0, -3.0, 1.0, 1.0]]
#mesh = #dmc.mesh<"x" = 3, "y" = 2>
#m = #dmc.layout<#mesh, [{"x"}, {}]>
#mk = #dmc.layout<#mesh, [{"x"}]>
#one = #dmc.layout<#mesh, [{}, {"x"}, {}]>
#full = #dmc.layout<#mesh, [{"y"}, {"x"}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}]>
module attributes {dmc.program = #dmc.program<parallel "reshapes" on #mesh,
    arguments ["a" : tensor<5x2xf32, #m>, "b" : tensor<2x3xf32, #full>],
    results ["r0" : tensor<10xf32, #mk>,
               "r1" : tensor<1x5x2xf32, #one>,
               "r2" : tensor<6xf32, #yx>,
               "r3" : tensor<5x1xf32, #m>,
               "r4" : tensor<5x2xf32, #m>,
               "r5" : tensor<5x3xf32, #m>,
               "r6" : tensor<5x5xf32, #m>]>} {
  func.func @main(%a: tensor<5x2xf32, #m>,
                  %b: tensor<2x3xf32, #full>)
      -> (tensor<10xf32, #mk>,
          tensor<1x5x2xf32, #one>,
          tensor<6xf32, #yx>,
          tensor<5x1xf32, #m>,
          tensor<5x2xf32, #m>,
          tensor<5x3xf32, #m>,
          tensor<5x5xf32, #m>) {
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<5x2xf32, #m> into tensor<10xf32, #mk>
    %1 = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 5, 2] : tensor<5x2xf32, #m> into tensor<1x5x2xf32, #one>
    %2 = tensor.collapse_shape %b [[0, 1]] : tensor<2x3xf32, #full> into tensor<6xf32, #yx>
    %3 = tensor.extract_slice %a[0, 1] [5, 1] [1, 1] : tensor<5x2xf32, #m> to tensor<5x1xf32, #m>
    %4 = tensor.insert_slice %3 into %a[0, 0] [5, 1] [1, 1] : tensor<5x1xf32, #m> into tensor<5x2xf32, #m>
    %5 = tensor.concat dim(1) %a, %3 : (tensor<5x2xf32, #m>, tensor<5x1xf32, #m>) -> tensor<5x3xf32, #m>
    %one = arith.constant 1.0 : f32
    %6 = tensor.pad %a low[0, 1] high[0, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %one : f32
    } : tensor<5x2xf32, #m> to tensor<5x5xf32, #m>
    return %0, %1, %2, %3, %4, %5, %6
        : tensor<10xf32, #mk>, tensor<1x5x2xf32, #one>, tensor<6xf32, #yx>, tensor<5x1xf32, #m>, tensor<5x2xf32, #m>, tensor<5x3xf32, #m>, tensor<5x5xf32, #m>
  }
}

// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Two rows of all columns, whose blocks each rank slices for itself. Starts are clamped.
//
// IN a f4 [[-8.0, 4.0, 12.0], [-2.0, -15.0, -10.0], [-11.0, 3.0, -5.0], [13.0, 7.0, 1.0], [-14.0, -6.0, 9.0]]
// IN low i4 -3
// IN mid i4 2
// IN high i4 4
// NUMPY def rows(start): s = int(np.clip(start, 0, 3)); return a[s:s + 2]
// NUMPY r0, r1, r2 = rows(low), rows(mid), rows(high)
// OUT r0 f4 [[-8.0, 4.0, 12.0], [-2.0, -15.0, -10.0]]
// OUT r1 f4 [[-11.0, 3.0, -5.0], [13.0, 7.0, 1.0]]
// OUT r2 f4 [[13.0, 7.0, 1.0], [-14.0, -6.0, 9.0]]
#mesh = #dmc.mesh<"x" = 2>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#s = #dmc.layout<#mesh, []>
module attributes {dmc.program = #dmc.program<parallel "dynamic-slice" on #mesh,
    arguments ["a" : tensor<5x3xf32, #columns>, "low" : tensor<i32, #s>, "mid" : tensor<i32, #s>, "high" : tensor<i32, #s>],
    results ["r0" : tensor<2x3xf32, #columns>, "r1" : tensor<2x3xf32, #columns>, "r2" : tensor<2x3xf32, #columns>]>} {
  func.func @main(%a: tensor<5x3xf32, #columns>, %low: tensor<i32, #s>, %mid: tensor<i32, #s>, %high: tensor<i32, #s>)
      -> (tensor<2x3xf32, #columns>, tensor<2x3xf32, #columns>, tensor<2x3xf32, #columns>) {
    %e = tensor.empty() : tensor<2x3xf32, #columns>
    %0 = dmc.dynamic_slice ins(%a : tensor<5x3xf32, #columns>) at(%low, %low : tensor<i32, #s>, tensor<i32, #s>)
                           outs(%e : tensor<2x3xf32, #columns>) -> tensor<2x3xf32, #columns>
    %1 = dmc.dynamic_slice ins(%a : tensor<5x3xf32, #columns>) at(%mid, %low : tensor<i32, #s>, tensor<i32, #s>)
                           outs(%e : tensor<2x3xf32, #columns>) -> tensor<2x3xf32, #columns>
    %2 = dmc.dynamic_slice ins(%a : tensor<5x3xf32, #columns>) at(%high, %mid : tensor<i32, #s>, tensor<i32, #s>)
                           outs(%e : tensor<2x3xf32, #columns>) -> tensor<2x3xf32, #columns>
    return %0, %1, %2 : tensor<2x3xf32, #columns>, tensor<2x3xf32, #columns>, tensor<2x3xf32, #columns>
  }
}

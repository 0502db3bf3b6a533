// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// Updates of one, two and four rows where blocks have at most two.
//
// IN a f4 [[-8.0, 4.0, 12.0], [-2.0, -15.0, -10.0], [-11.0, 3.0, -5.0], [13.0, 7.0, 1.0], [-14.0, -6.0, 9.0]]
// IN ids i4 7
// IN byte i1 46
// IN u1 f4 [[101.0, 102.0]]
// IN u2 f4 [[204.0, 198.0], [197.0, 201.0]]
// IN u4 f4 [[298.0, 304.0], [303.0, 307.0], [301.0, 294.0], [295.0, 308.0]]
// NUMPY row, column = (ids & 15) - 4, (byte & 15) - 4
// NUMPY def update(a, u): r, c = (int(np.clip(s, 0, n - m)) for s, n, m in zip((row, column), a.shape, u.shape)); b = a.copy(); b[r:r + u.shape[0], c:c + u.shape[1]] = u; return b
// NUMPY r0, r1, r2 = update(a, u1), update(a, u2), update(a, u4)
// OUT r0 f4 [[-8.0, 4.0, 12.0], [-2.0, -15.0, -10.0], [-11.0, 3.0, -5.0], [13.0, 101.0, 102.0], [-14.0, -6.0, 9.0]]
// OUT r1 f4 [[-8.0, 4.0, 12.0], [-2.0, -15.0, -10.0], [-11.0, 3.0, -5.0], [13.0, 204.0, 198.0], [-14.0, 197.0, 201.0]]
// OUT r2 f4 [[-8.0, 4.0, 12.0], [-2.0, 298.0, 304.0], [-11.0, 303.0, 307.0], [13.0, 301.0, 294.0], [-14.0, 295.0, 308.0]]
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#rows = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
#s = #dmc.layout<#mesh, []>
module attributes {dmc.program = #dmc.program<parallel "dynamic-update-slice-rows" on #mesh,
    arguments ["a" : tensor<5x3xf32, #rows>, "ids" : tensor<i32, #s>, "byte" : tensor<i8, #s>, "u1" : tensor<1x2xf32, #r>, "u2" : tensor<2x2xf32, #r>, "u4" : tensor<4x2xf32, #r>],
    results ["r0" : tensor<5x3xf32, #rows>,
               "r1" : tensor<5x3xf32, #rows>,
               "r2" : tensor<5x3xf32, #rows>]>} {
  func.func @main(%a: tensor<5x3xf32, #rows>,
                  %ids: tensor<i32, #s>,
                  %byte: tensor<i8, #s>,
                  %u1: tensor<1x2xf32, #r>,
                  %u2: tensor<2x2xf32, #r>,
                  %u4: tensor<4x2xf32, #r>)
      -> (tensor<5x3xf32, #rows>,
          tensor<5x3xf32, #rows>,
          tensor<5x3xf32, #rows>) {
    %e0 = tensor.empty() : tensor<i32, #s>
    %i0 = linalg.map ins(%ids : tensor<i32, #s>) outs(%e0 : tensor<i32, #s>) (%in: i32, %out: i32) {
      %mask = arith.constant 15 : i32
      %four = arith.constant 4 : i32
      %low = arith.andi %in, %mask : i32
      %id = arith.subi %low, %four : i32
      linalg.yield %id : i32
    }
    %e1 = tensor.empty() : tensor<i8, #s>
    %i1 = linalg.map ins(%byte : tensor<i8, #s>) outs(%e1 : tensor<i8, #s>) (%in: i8, %out: i8) {
      %mask = arith.constant 15 : i8
      %four = arith.constant 4 : i8
      %low = arith.andi %in, %mask : i8
      %id = arith.subi %low, %four : i8
      linalg.yield %id : i8
    }
    %c0 = linalg.map ins(%i1 : tensor<i8, #s>) outs(%e0 : tensor<i32, #s>) (%in: i8, %out: i32) {
      %w = arith.extsi %in : i8 to i32
      linalg.yield %w : i32
    }
    %0 = dmc.dynamic_update_slice ins(%u1 : tensor<1x2xf32, #r>) at(%i0, %c0 : tensor<i32, #s>, tensor<i32, #s>)
                                   outs(%a : tensor<5x3xf32, #rows>) -> tensor<5x3xf32, #rows>
    %e2 = tensor.empty() : tensor<i32, #s>
    %i2 = linalg.map ins(%ids : tensor<i32, #s>) outs(%e2 : tensor<i32, #s>) (%in: i32, %out: i32) {
      %mask = arith.constant 15 : i32
      %four = arith.constant 4 : i32
      %low = arith.andi %in, %mask : i32
      %id = arith.subi %low, %four : i32
      linalg.yield %id : i32
    }
    %e3 = tensor.empty() : tensor<i8, #s>
    %i3 = linalg.map ins(%byte : tensor<i8, #s>) outs(%e3 : tensor<i8, #s>) (%in: i8, %out: i8) {
      %mask = arith.constant 15 : i8
      %four = arith.constant 4 : i8
      %low = arith.andi %in, %mask : i8
      %id = arith.subi %low, %four : i8
      linalg.yield %id : i8
    }
    %c1 = linalg.map ins(%i3 : tensor<i8, #s>) outs(%e2 : tensor<i32, #s>) (%in: i8, %out: i32) {
      %w = arith.extsi %in : i8 to i32
      linalg.yield %w : i32
    }
    %1 = dmc.dynamic_update_slice ins(%u2 : tensor<2x2xf32, #r>) at(%i2, %c1 : tensor<i32, #s>, tensor<i32, #s>)
                                   outs(%a : tensor<5x3xf32, #rows>) -> tensor<5x3xf32, #rows>
    %e4 = tensor.empty() : tensor<i32, #s>
    %i4 = linalg.map ins(%ids : tensor<i32, #s>) outs(%e4 : tensor<i32, #s>) (%in: i32, %out: i32) {
      %mask = arith.constant 15 : i32
      %four = arith.constant 4 : i32
      %low = arith.andi %in, %mask : i32
      %id = arith.subi %low, %four : i32
      linalg.yield %id : i32
    }
    %e5 = tensor.empty() : tensor<i8, #s>
    %i5 = linalg.map ins(%byte : tensor<i8, #s>) outs(%e5 : tensor<i8, #s>) (%in: i8, %out: i8) {
      %mask = arith.constant 15 : i8
      %four = arith.constant 4 : i8
      %low = arith.andi %in, %mask : i8
      %id = arith.subi %low, %four : i8
      linalg.yield %id : i8
    }
    %c2 = linalg.map ins(%i5 : tensor<i8, #s>) outs(%e4 : tensor<i32, #s>) (%in: i8, %out: i32) {
      %w = arith.extsi %in : i8 to i32
      linalg.yield %w : i32
    }
    %2 = dmc.dynamic_update_slice ins(%u4 : tensor<4x2xf32, #r>) at(%i4, %c2 : tensor<i32, #s>, tensor<i32, #s>)
                                   outs(%a : tensor<5x3xf32, #rows>) -> tensor<5x3xf32, #rows>
    return %0, %1, %2
        : tensor<5x3xf32, #rows>, tensor<5x3xf32, #rows>, tensor<5x3xf32, #rows>
  }
}

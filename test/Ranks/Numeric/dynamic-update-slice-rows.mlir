// RUN: dmc-interpret %s --seed 1 --print > %t.parallel
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t.mlir
// RUN: dmc-interpret %t.mlir --seed 1 --print > %t.ranks
// RUN: diff %t.parallel %t.ranks

// Updates of one, two and four rows where blocks have at most two.
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

// RUN: dmc-interpret %s --print --seed 1 | FileCheck %s

// Padding is poison: a sum of a local array of 3 that forgets its mask shows, of 5 elements over 2 positions.
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
#r0 = #dmc.layout<#m, []>

module attributes {dmc.program = #dmc.program<ranks "mean" on #m, arguments ["x" : tensor<5xf32, #a>], results [
    "unmasked" : tensor<f32, #r0>, "masked" : tensor<f32, #r0>, "padding stays" : tensor<5xf32, #a>]>} {
  func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<f32>, tensor<3xf32>) {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<f32>
    %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
    // CHECK: "unmasked": tensor<f32> = nan
    %s = linalg.reduce { arith.addf } ins(%x : tensor<3xf32>) outs(%init : tensor<f32>) dimensions = [0]
    %unmasked = comm.all_reduce sum ins(%s : tensor<f32>) outs(%e0 : tensor<f32>) over {"a"} on #m -> tensor<f32>
    // The sum of the five elements, half of those below.
    // CHECK: "masked": tensor<f32> = -0.283198059{{$}}
    %rank = comm.axis_index {"a"} on #m
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %offset = arith.muli %rank, %c3 : index
    %e3 = tensor.empty() : tensor<3xf32>
    %mask = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 0 : index
      %g = arith.addi %i, %offset : index
      %valid = arith.cmpi slt, %g, %c5 : index
      %v = arith.select %valid, %in, %zero : f32
      linalg.yield %v : f32
    } -> tensor<3xf32>
    %t = linalg.reduce { arith.addf } ins(%mask : tensor<3xf32>) outs(%init : tensor<f32>) dimensions = [0]
    %masked = comm.all_reduce sum ins(%t : tensor<f32>) outs(%e0 : tensor<f32>) over {"a"} on #m -> tensor<f32>
    // CHECK: "padding stays": tensor<5xf32> = [-0.219632313, -0.226936996, 0.0268211029, 0.179817468, -0.326465398]
    %twice = linalg.add ins(%x, %x : tensor<3xf32>, tensor<3xf32>) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
    return %unmasked, %masked, %twice : tensor<f32>, tensor<f32>, tensor<3xf32>
  }
}

// RUN: dmc-opt %s --verify-levels=false | dmc-opt --verify-levels=false | FileCheck %s

#m = #dmc.mesh<"a" = 2, "b" = 3>
#r = #dmc.layout<#m, [{}, {}]>
#a0 = #dmc.layout<#m, [{"a"}, {}]>
#wa = #dmc.layout<#m, [{"a"}, {}, {}]>
#a0p = #dmc.layout<#m, [{"a"}, {}], max {"b"}>
#wap = #dmc.layout<#m, [{"a"}, {}, {}], max {"b"}>

// CHECK-LABEL: @without_layouts
// CHECK: dmc.halo %{{.*}} in 1 step 2 offset -1 padding 0.000000e+00 : f32 : tensor<8x4xf32> to tensor<8x2x4xf32>
func.func @without_layouts(%x: tensor<8x4xf32>) -> tensor<8x2x4xf32> {
  %0 = dmc.halo %x in 1 step 2 offset -1 padding 0.0 : f32 : tensor<8x4xf32> to tensor<8x2x4xf32>
  return %0 : tensor<8x2x4xf32>
}

// Of a split dimension, of an unsharded one, and of partial values.
// CHECK-LABEL: @with_layouts
func.func @with_layouts(%x: tensor<8x4xi32, #a0>, %y: tensor<8x4xi32, #r>, %z: tensor<8x4xi32, #a0p>) {
  // CHECK: dmc.halo %{{.*}} in 0 step 4 offset 0 dilation 2 padding 7 : i32
  %0 = dmc.halo %x in 0 step 4 offset 0 dilation 2 padding 7 : i32 : tensor<8x4xi32, #a0> to tensor<2x5x4xi32, #wa>
  %1 = dmc.halo %y in 0 step 4 offset 0 padding 7 : i32 : tensor<8x4xi32, #r> to tensor<2x5x4xi32, #wa>
  %2 = dmc.halo %z in 0 step -4 offset 4 padding 7 : i32 : tensor<8x4xi32, #a0p> to tensor<2x5x4xi32, #wap>
  return
}

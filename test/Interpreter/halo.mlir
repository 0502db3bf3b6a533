// RUN: dmc-interpret %s --print | FileCheck %s

// Windows over five rows on four positions: two, two, one and none.
#m = #dmc.mesh<"a" = 4>
#r = #dmc.layout<#m, [{}]>
#a = #dmc.layout<#m, [{"a"}]>
#w = #dmc.layout<#m, [{"a"}, {}]>
#rr = #dmc.layout<#m, [{}, {}]>
func.func @main() -> (tensor<4x7xi32, #w>, tensor<4x3xi32, #w>, tensor<4x4xi32, #w>, tensor<2x3xi32, #rr>) {
  %x = arith.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi32, #a>
  %y = arith.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi32, #r>
  // What the first position lacks comes from two others.
  // CHECK: result 0: {{.*}} = {{\[}}[-1, -1, -1, 10, 11, 12, 13], [-1, 10, 11, 12, 13, 14, -1], [11, 12, 13, 14, -1, -1, -1], [13, 14, -1, -1, -1, -1, -1]]
  %0 = dmc.halo %x in 0 step 2 offset -3 padding -1 : i32 : tensor<5xi32, #a> to tensor<4x7xi32, #w>
  // Backwards.
  // CHECK: result 1: {{.*}} = {{\[}}[13, 14, 0], [11, 12, 13], [0, 10, 11], [0, 0, 0]]
  %1 = dmc.halo %x in 0 step -2 offset 3 padding 0 : i32 : tensor<5xi32, #a> to tensor<4x3xi32, #w>
  // Dilated: 10, 0, 0, 11, 0, 0, 12, ...
  // CHECK: result 2: {{.*}} = {{\[}}[0, 10, 0, 0], [0, 11, 0, 0], [0, 12, 0, 0], [0, 13, 0, 0]]
  %2 = dmc.halo %y in 0 step 3 offset -1 dilation 3 padding 0 : i32 : tensor<5xi32, #r> to tensor<4x4xi32, #w>
  // All windows everywhere.
  // CHECK: result 3: {{.*}} = {{\[}}[10, 11, 12], [12, 13, 14]]
  %3 = dmc.halo %y in 0 step 2 offset 0 padding 0 : i32 : tensor<5xi32, #r> to tensor<2x3xi32, #rr>
  return %0, %1, %2, %3 : tensor<4x7xi32, #w>, tensor<4x3xi32, #w>, tensor<4x4xi32, #w>, tensor<2x3xi32, #rr>
}

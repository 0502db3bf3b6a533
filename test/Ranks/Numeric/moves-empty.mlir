// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// All moves of 3 x 1 elements over 4 x 2: some shards are empty.
//
// IN a f4 [[3.0], [2.0], [1.0]]
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
// OUT a
#mesh = #dmc.mesh<"x" = 4, "y" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}, {}]>
#c_xy = #dmc.layout<#mesh, [{}, {"x", "y"}]>
#x_c_y = #dmc.layout<#mesh, [{"x"}, {"y"}]>
#sum_xy = #dmc.layout<#mesh, [{}, {}], sum {"x", "y"}>
#max_xy = #dmc.layout<#mesh, [{}, {}], max {"x", "y"}>
#prod_y = #dmc.layout<#mesh, [{"x"}, {}], prod {"y"}>
#px = #dmc.layout<#mesh, [{}, {}], placed {"x" = 1}>
#pxy = #dmc.layout<#mesh, [{}, {}], placed {"x" = 1, "y" = 0}>
module attributes {dmc.program = #dmc.program<parallel "moves-empty" on #mesh,
    arguments ["a" : tensor<3x1xf32, #xy>],
    results ["r0" : tensor<3x1xf32, #r>,
               "r1" : tensor<3x1xf32, #x>,
               "r2" : tensor<3x1xf32, #c_xy>,
               "r3" : tensor<3x1xf32, #x_c_y>,
               "r4" : tensor<3x1xf32, #yx>,
               "r5" : tensor<3x1xf32, #xy>,
               "r6" : tensor<3x1xf32, #r>,
               "r7" : tensor<3x1xf32, #xy>,
               "r8" : tensor<3x1xf32, #x>,
               "r9" : tensor<3x1xf32, #r>,
               "r10" : tensor<3x1xf32, #r>,
               "r11" : tensor<3x1xf32, #r>]>} {
  func.func @main(%a: tensor<3x1xf32, #xy>)
      -> (tensor<3x1xf32, #r>,
          tensor<3x1xf32, #x>,
          tensor<3x1xf32, #c_xy>,
          tensor<3x1xf32, #x_c_y>,
          tensor<3x1xf32, #yx>,
          tensor<3x1xf32, #xy>,
          tensor<3x1xf32, #r>,
          tensor<3x1xf32, #xy>,
          tensor<3x1xf32, #x>,
          tensor<3x1xf32, #r>,
          tensor<3x1xf32, #r>,
          tensor<3x1xf32, #r>) {
    %0 = dmc.combine %a along {"x", "y"} in 0 : tensor<3x1xf32, #xy> to tensor<3x1xf32, #r>
    %1 = dmc.combine %a along {"y"} in 0 : tensor<3x1xf32, #xy> to tensor<3x1xf32, #x>
    %2 = dmc.exchange %a along {"x", "y"} from 0 to 1 : tensor<3x1xf32, #xy> to tensor<3x1xf32, #c_xy>
    %3 = dmc.exchange %a along {"y"} from 0 to 1 : tensor<3x1xf32, #xy> to tensor<3x1xf32, #x_c_y>
    %4 = dmc.partition %0 along {"y", "x"} in 0 : tensor<3x1xf32, #r> to tensor<3x1xf32, #yx>
    %5 = dmc.partition %1 along {"y"} in 0 : tensor<3x1xf32, #x> to tensor<3x1xf32, #xy>
    %s0 = dmc.spread %a over {"x", "y"} : tensor<3x1xf32, #xy> to tensor<3x1xf32, #sum_xy>
    %6 = dmc.reduce %s0 over {"x", "y"} : tensor<3x1xf32, #sum_xy> to tensor<3x1xf32, #r>
    %s1 = dmc.spread %0 over {"x", "y"} : tensor<3x1xf32, #r> to tensor<3x1xf32, #sum_xy>
    %s2 = dmc.reduce %s1 over {"x", "y"} : tensor<3x1xf32, #sum_xy> to tensor<3x1xf32, #r>
    %7 = dmc.partition %s2 along {"x", "y"} in 0 : tensor<3x1xf32, #r> to tensor<3x1xf32, #xy>
    %s3 = dmc.spread %1 over {"y"} : tensor<3x1xf32, #x> to tensor<3x1xf32, #prod_y>
    %8 = dmc.reduce %s3 over {"y"} : tensor<3x1xf32, #prod_y> to tensor<3x1xf32, #x>
    %s4 = dmc.spread %a over {"x", "y"} : tensor<3x1xf32, #xy> to tensor<3x1xf32, #max_xy>
    %9 = dmc.reduce %s4 over {"x", "y"} : tensor<3x1xf32, #max_xy> to tensor<3x1xf32, #r>
    %p0 = dmc.place %0 over {"x", "y"} : tensor<3x1xf32, #r> to tensor<3x1xf32, #pxy>
    %p1 = dmc.replicate %p0 over {"y"} : tensor<3x1xf32, #pxy> to tensor<3x1xf32, #px>
    %10 = dmc.replicate %p1 over {"x"} : tensor<3x1xf32, #px> to tensor<3x1xf32, #r>
    %s5 = dmc.spread %p0 over {"x", "y"} : tensor<3x1xf32, #pxy> to tensor<3x1xf32, #sum_xy>
    %11 = dmc.reduce %s5 over {"x", "y"} : tensor<3x1xf32, #sum_xy> to tensor<3x1xf32, #r>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11
        : tensor<3x1xf32, #r>, tensor<3x1xf32, #x>, tensor<3x1xf32, #c_xy>, tensor<3x1xf32, #x_c_y>, tensor<3x1xf32, #yx>, tensor<3x1xf32, #xy>, tensor<3x1xf32, #r>, tensor<3x1xf32, #xy>, tensor<3x1xf32, #x>, tensor<3x1xf32, #r>, tensor<3x1xf32, #r>, tensor<3x1xf32, #r>
  }
}

// RUN: dmc-opt %s -split-input-file --dmc-simplify-moves | FileCheck %s

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
#s = #dmc.layout<#mesh, [{}], sum {"x"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #x>, "b" : tensor<8xf32, #xy>, "c" : tensor<8xf32, #r>],
    results ["cancelled" : tensor<8xf32, #x>, "gathered" : tensor<8xf32, #r>, "spread" : tensor<8xf32, #r>,
             "once" : tensor<8xf32, #r>, "twice" : tensor<8xf32, #r>]>} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME:    %[[A:.*]]: tensor<8xf32, #{{.*}}>, %[[B:.*]]: tensor<8xf32, #{{.*}}>, %[[C:.*]]: tensor<8xf32, #{{.*}}>)
  func.func @main(%a: tensor<8xf32, #x>, %b: tensor<8xf32, #xy>, %c: tensor<8xf32, #r>)
      -> (tensor<8xf32, #x>, tensor<8xf32, #r>, tensor<8xf32, #r>, tensor<8xf32, #r>, tensor<8xf32, #r>) {
    // partition(combine x) = x
    %0 = dmc.combine %a along {"x"} in 0 : tensor<8xf32, #x> to tensor<8xf32, #r>
    %1 = dmc.partition %0 along {"x"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #x>
    // CHECK-NEXT: %[[G:.+]] = dmc.combine %[[A]] along {"x"} in 0 :
    // Which collectives are one follows from the machine: dmc-merge-moves decides.
    // CHECK-NEXT: %[[M0:.+]] = dmc.combine %[[B]] along {"y"} in 0 :
    // CHECK-NEXT: %[[M:.+]] = dmc.combine %[[M0]] along {"x"} in 0 :
    %2 = dmc.combine %b along {"y"} in 0 : tensor<8xf32, #xy> to tensor<8xf32, #x>
    %3 = dmc.combine %2 along {"x"} in 0 : tensor<8xf32, #x> to tensor<8xf32, #r>
    // reduce(spread x) = x
    %4 = dmc.spread %c over {"x"} : tensor<8xf32, #r> to tensor<8xf32, #s>
    %5 = dmc.reduce %4 over {"x"} : tensor<8xf32, #s> to tensor<8xf32, #r>
    // Equal moves are one (with that of %0 here), dead ones none.
    %6 = dmc.combine %a along {"x"} in 0 : tensor<8xf32, #x> to tensor<8xf32, #r>
    %7 = dmc.combine %a along {"x"} in 0 : tensor<8xf32, #x> to tensor<8xf32, #r>
    %8 = dmc.partition %c along {"x", "y"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #xy>
    // CHECK-NEXT: return %[[A]], %[[M]], %[[C]], %[[G]], %[[G]] :
    return %1, %3, %5, %6, %7 : tensor<8xf32, #x>, tensor<8xf32, #r>, tensor<8xf32, #r>, tensor<8xf32, #r>, tensor<8xf32, #r>
  }
}

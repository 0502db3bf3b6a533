// RUN: dmc-opt %s -split-input-file --dmc-merge-moves | FileCheck %s
// RUN: dmc-opt %s -split-input-file --dmc-merge-moves=machine=%S/Inputs/two-levels.json | FileCheck %s --check-prefix=LEVELS
// RUN: not dmc-opt %s -split-input-file --dmc-merge-moves=machine=link=0 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: in the option machine of dmc-merge-moves: expected a positive number for link

// "x" lies in a level that is slower by a hundred than that of "y". Along both, one collective sends
// all at the slower rate; a slice sends nothing.
// LEVELS-LABEL: func.func @two_reduces
// LEVELS: dmc.reduce %{{.+}} over {"y"}
// LEVELS-NEXT: dmc.reduce %{{.+}} over {"x"}
// LEVELS-LABEL: func.func @combines_and_partitions
// LEVELS-NEXT: dmc.combine %{{.+}} along {"y"} in 0
// LEVELS-NEXT: dmc.combine %{{.+}} along {"x"} in 0
// LEVELS-NEXT: dmc.partition %{{.+}} along {"y", "x"} in 0

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#sum_x = #dmc.layout<#mesh, [{}], sum {"x"}>
#sum_xy = #dmc.layout<#mesh, [{}], sum {"x", "y"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  // CHECK-LABEL: func.func @two_reduces
  func.func @two_reduces(%a: tensor<8xf32, #r>) -> tensor<8xf32, #r> {
    // CHECK: %[[P:.+]] = dmc.spread
    // CHECK-NEXT: %[[Y:.+]] = dmc.reduce %[[P]] over {"y", "x"}
    // CHECK-NEXT: return %[[Y]]
    %p = dmc.spread %a over {"x", "y"} : tensor<8xf32, #r> to tensor<8xf32, #sum_xy>
    %0 = dmc.reduce %p over {"y"} : tensor<8xf32, #sum_xy> to tensor<8xf32, #sum_x>
    %y = dmc.reduce %0 over {"x"} : tensor<8xf32, #sum_x> to tensor<8xf32, #r>
    return %y : tensor<8xf32, #r>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#sum_xy = #dmc.layout<#mesh, [{}], sum {"x", "y"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #x>]>} {
  // The reduce-scatter first, so that the rest of the reduce moves half as much.
  // CHECK-LABEL: func.func @split_reduce
  func.func @split_reduce(%a: tensor<8xf32, #r>) -> tensor<8xf32, #x> {
    // CHECK: %[[P:.+]] = dmc.spread
    // CHECK-NEXT: %[[R:.+]] = dmc.reduce %[[P]] over {"x"} : tensor<8xf32, #{{.+}}> to tensor<8xf32, #[[SUM_Y:.+]]>
    // CHECK-NEXT: %[[S:.+]] = dmc.partition %[[R]] along {"x"} in 0 : tensor<8xf32, #[[SUM_Y]]> to tensor<8xf32, #[[X_SUM_Y:.+]]>
    // CHECK-NEXT: dmc.reduce %[[S]] over {"y"} : tensor<8xf32, #[[X_SUM_Y]]>
    %p = dmc.spread %a over {"x", "y"} : tensor<8xf32, #r> to tensor<8xf32, #sum_xy>
    %0 = dmc.reduce %p over {"x", "y"} : tensor<8xf32, #sum_xy> to tensor<8xf32, #r>
    %y = dmc.partition %0 along {"x"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #x>
    return %y : tensor<8xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
#xy = #dmc.layout<#mesh, [{"x"}, {"y"}]>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
#sum_xy = #dmc.layout<#mesh, [{}, {}], sum {"x", "y"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8x8xf32, #r>], results ["y" : tensor<8x8xf32, #xy>]>} {
  // Partitions of two dimensions: two reduce-scatters.
  // CHECK-LABEL: func.func @two_scatters
  func.func @two_scatters(%a: tensor<8x8xf32, #r>) -> tensor<8x8xf32, #xy> {
    // CHECK: dmc.spread
    // CHECK-NEXT: dmc.reduce %{{.+}} over {"x"}
    // CHECK-NEXT: dmc.partition %{{.+}} along {"x"} in 0
    // CHECK-NEXT: dmc.reduce %{{.+}} over {"y"}
    // CHECK-NEXT: dmc.partition %{{.+}} along {"y"} in 1
    %p = dmc.spread %a over {"x", "y"} : tensor<8x8xf32, #r> to tensor<8x8xf32, #sum_xy>
    %0 = dmc.reduce %p over {"x", "y"} : tensor<8x8xf32, #sum_xy> to tensor<8x8xf32, #r>
    %1 = dmc.partition %0 along {"x"} in 0 : tensor<8x8xf32, #r> to tensor<8x8xf32, #x>
    %y = dmc.partition %1 along {"y"} in 1 : tensor<8x8xf32, #x> to tensor<8x8xf32, #xy>
    return %y : tensor<8x8xf32, #xy>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
#y = #dmc.layout<#mesh, [{"y"}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #xy>], results ["y" : tensor<8xf32, #yx>]>} {
  // CHECK-LABEL: func.func @combines_and_partitions
  func.func @combines_and_partitions(%a: tensor<8xf32, #xy>) -> tensor<8xf32, #yx> {
    // CHECK-NEXT: %[[R:.+]] = dmc.combine %{{.+}} along {"x", "y"} in 0
    // CHECK-NEXT: %[[Y:.+]] = dmc.partition %[[R]] along {"y", "x"} in 0
    // CHECK-NEXT: return %[[Y]]
    %0 = dmc.combine %a along {"y"} in 0 : tensor<8xf32, #xy> to tensor<8xf32, #x>
    %1 = dmc.combine %0 along {"x"} in 0 : tensor<8xf32, #x> to tensor<8xf32, #r>
    %2 = dmc.partition %1 along {"y"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #y>
    %y = dmc.partition %2 along {"x"} in 0 : tensor<8xf32, #y> to tensor<8xf32, #yx>
    return %y : tensor<8xf32, #yx>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #xy>],
    results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #x>]>} {
  // What another operation needs stays.
  // CHECK-LABEL: func.func @other_use
  func.func @other_use(%a: tensor<8xf32, #xy>) -> (tensor<8xf32, #r>, tensor<8xf32, #x>) {
    // CHECK-NEXT: %[[X:.+]] = dmc.combine %{{.+}} along {"y"} in 0
    // CHECK-NEXT: %[[R:.+]] = dmc.combine %[[X]] along {"x"} in 0
    %0 = dmc.combine %a along {"y"} in 0 : tensor<8xf32, #xy> to tensor<8xf32, #x>
    %1 = dmc.combine %0 along {"x"} in 0 : tensor<8xf32, #x> to tensor<8xf32, #r>
    return %1, %0 : tensor<8xf32, #r>, tensor<8xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<6xf32, #xy>], results ["y" : tensor<6xf32, #r>]>} {
  // One combine would send the padding of the blocks of two on.
  // CHECK-LABEL: func.func @padded_combines
  func.func @padded_combines(%a: tensor<6xf32, #xy>) -> tensor<6xf32, #r> {
    // CHECK: dmc.combine %{{.*}} along {"y"} in 0
    // CHECK-NEXT: dmc.combine %{{.*}} along {"x"} in 0
    %0 = dmc.combine %a along {"y"} in 0 : tensor<6xf32, #xy> to tensor<6xf32, #x>
    %1 = dmc.combine %0 along {"x"} in 0 : tensor<6xf32, #x> to tensor<6xf32, #r>
    return %1 : tensor<6xf32, #r>
  }
}

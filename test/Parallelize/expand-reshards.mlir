// RUN: dmc-opt %s --dmc-expand-reshards | FileCheck %s

#mesh = #dmc.mesh<"x" = 2, "y" = 2, "z" = 3>
#r = #dmc.layout<#mesh, [{}, {}]>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
#_x = #dmc.layout<#mesh, [{}, {"x"}]>
#y = #dmc.layout<#mesh, [{"y"}, {}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}, {}]>
#z = #dmc.layout<#mesh, [{"z"}, {}]>
#zx = #dmc.layout<#mesh, [{"z", "x"}, {}]>
#xz = #dmc.layout<#mesh, [{"x", "z"}, {}]>
#zxy = #dmc.layout<#mesh, [{"z", "x"}, {"y"}]>
#xzy = #dmc.layout<#mesh, [{"x", "z"}, {"y"}]>
#sum_xy = #dmc.layout<#mesh, [{}, {}], sum {"x", "y"}>
#sum_y = #dmc.layout<#mesh, [{}, {}], sum {"y"}>
#x_sum_y = #dmc.layout<#mesh, [{"x"}, {}], sum {"y"}>
#max_x = #dmc.layout<#mesh, [{}, {}], max {"x"}>
#p0 = #dmc.layout<#mesh, [{}, {}], placed {"x" = 0}>
#p1 = #dmc.layout<#mesh, [{}, {}], placed {"x" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments [], results []>} {
  func.func @main() {
    %r = tensor.empty() : tensor<12x6xf32, #r>
    %x = tensor.empty() : tensor<12x6xf32, #x>
    %xy = tensor.empty() : tensor<12x6xf32, #xy>
    %zx = tensor.empty() : tensor<12x6xf32, #zx>
    %sum_xy = tensor.empty() : tensor<12x6xf32, #sum_xy>
    %odd = tensor.empty() : tensor<7x6xf32, #zx>
    %w = tensor.empty() : tensor<7x6xf32, #zxy>
    %p0 = tensor.empty() : tensor<12x6xf32, #p0>

    // CHECK: %[[R:.+]] = tensor.empty() : tensor<12x6xf32, #[[LR:.+]]>
    // CHECK: %[[X:.+]] = tensor.empty() : tensor<12x6xf32, #[[LX:.+]]>
    // CHECK: %[[XY:.+]] = tensor.empty() : tensor<12x6xf32, #[[LXY:.+]]>
    // CHECK: %[[ZX:.+]] = tensor.empty()
    // CHECK: %[[SUM:.+]] = tensor.empty()
    // CHECK: %[[ODD:.+]] = tensor.empty()
    // CHECK: %[[W:.+]] = tensor.empty()
    // CHECK: %[[P0:.+]] = tensor.empty()

    // A slice, then its inverse; several axes of one dimension are one move.
    // CHECK-NEXT: dmc.partition %[[R]] along {"x", "y"} in 0 :
    %0 = dmc.reshard %r : tensor<12x6xf32, #r> to tensor<12x6xf32, #xy>
    // CHECK-NEXT: dmc.combine %[[XY]] along {"x", "y"} in 0 :
    %1 = dmc.reshard %xy : tensor<12x6xf32, #xy> to tensor<12x6xf32, #r>

    // Only the minor end moves: what is left is split by the wrong axis.
    // The other order of the axes first, of which the minor end can go.
    // CHECK-NEXT: %[[YX:.+]] = dmc.permute %[[XY]] :
    // CHECK-NEXT: dmc.combine %[[YX]] along {"x"} in 0 :
    %2 = dmc.reshard %xy : tensor<12x6xf32, #xy> to tensor<12x6xf32, #y>
    // CHECK-NEXT: dmc.permute %[[X]] :
    %3 = dmc.reshard %x : tensor<12x6xf32, #x> to tensor<12x6xf32, #y>
    // CHECK-NEXT: dmc.permute %[[ZX]] :
    %4 = dmc.reshard %zx : tensor<12x6xf32, #zx> to tensor<12x6xf32, #xz>

    // The blocks of 7 by (3, 2) are others than those by (2, 3); cut by "y" too, they are the same.
    // CHECK-NEXT: %[[CUT:.+]] = dmc.partition %[[ODD]] along {"y"} in 0 :
    // CHECK-NEXT: %[[ORDER:.+]] = dmc.permute %[[CUT]] :
    // CHECK-NEXT: dmc.combine %[[ORDER]] along {"y"} in 0 :
    %5 = dmc.reshard %odd : tensor<7x6xf32, #zx> to tensor<7x6xf32, #xz>

    // From dimension to dimension.
    // CHECK-NEXT: dmc.exchange %[[X]] along {"x"} from 0 to 1 :
    %6 = dmc.reshard %x : tensor<12x6xf32, #x> to tensor<12x6xf32, #_x>

    // Scattered where the target splits by the axis; that first, since the rest is smaller then.
    // CHECK-NEXT: %[[A:.+]] = dmc.reduce %[[SUM]] over {"x"} :
    // CHECK-NEXT: %[[B:.+]] = dmc.partition %[[A]] along {"x"} in 0 :
    // CHECK-NEXT: dmc.reduce %[[B]] over {"y"} : {{.*}} to tensor<12x6xf32, #[[LX]]>
    %7 = dmc.reshard %sum_xy : tensor<12x6xf32, #sum_xy> to tensor<12x6xf32, #x>
    // CHECK-NEXT: %[[A1:.+]] = dmc.reduce %[[SUM]] over {"x"} :
    // CHECK-NEXT: dmc.partition %[[A1]] along {"x"} in 0 :
    %8 = dmc.reshard %sum_xy : tensor<12x6xf32, #sum_xy> to tensor<12x6xf32, #x_sum_y>

    // Other partial axes: combined, then spread again, for which "x" may stay split.
    // CHECK-NEXT: %[[A2:.+]] = dmc.reduce %[[SUM]] over {"x"} :
    // CHECK-NEXT: %[[B2:.+]] = dmc.partition %[[A2]] along {"x"} in 0 :
    // CHECK-NEXT: %[[D:.+]] = dmc.reduce %[[B2]] over {"y"} :
    // CHECK-NEXT: dmc.spread %[[D]] over {"x"} :
    %9 = dmc.reshard %sum_xy : tensor<12x6xf32, #sum_xy> to tensor<12x6xf32, #max_x>
    // CHECK-NEXT: dmc.spread %[[XY]] over {"y"} :
    %10 = dmc.reshard %xy : tensor<12x6xf32, #xy> to tensor<12x6xf32, #x_sum_y>

    // Sent from one place to the other.
    // CHECK-NEXT: dmc.permute %[[P0]] :
    %11 = dmc.reshard %p0 : tensor<12x6xf32, #p0> to tensor<12x6xf32, #p1>
    // Without an axis to spare.
    // CHECK-NEXT: dmc.redistribute %[[W]] :
    %12 = dmc.reshard %w : tensor<7x6xf32, #zxy> to tensor<7x6xf32, #xzy>
    // CHECK-NOT: dmc.reshard
    return
  }
}

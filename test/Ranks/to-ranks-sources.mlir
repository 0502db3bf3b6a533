// RUN: dmc-opt %s -split-input-file -verify-levels=false --dmc-to-ranks | FileCheck %s

// Each rank makes its part of a constant; what is partial is there on the first position alone.
// CHECK-LABEL: func.func @main
// CHECK: %[[INDEX:.*]] = comm.axis_index {"x"}
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[INDEX]], %[[C2]]
// CHECK: %[[NUMBERS:.*]] = arith.constant dense_resource<numbers> : tensor<4xi32>
// CHECK: tensor.extract_slice %[[NUMBERS]][%[[OFFSET]]] [2] [1] : tensor<4xi32> to tensor<2xi32>
// CHECK: %[[ELEMENTS:.*]] = tensor.from_elements {{.*}} : tensor<4xi32>
// CHECK: tensor.extract_slice %[[ELEMENTS]][%[[OFFSET]]] [2] [1] : tensor<4xi32> to tensor<2xi32>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4xi32>)
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[INDEX]]
// CHECK-NEXT: arith.select %[[FIRST]]
// CHECK: comm.all_reduce
// CHECK: %[[FIRST2:.*]] = arith.cmpi eq, %[[INDEX]]
// CHECK-NEXT: arith.select %[[FIRST2]]
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4xi32>)
// CHECK-NOT: arith.select
// CHECK: comm.all_reduce
// CHECK: arith.addi {{.*}} : tensor<2xi32>
// CHECK: arith.divsi {{.*}} : i32
// CHECK: return
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#p = #dmc.layout<#mesh, [{}], sum {"x"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["v" : tensor<4xi32, #r>, "u" : tensor<3xi32, #x>],
    results ["a" : tensor<4xi32, #x>, "b" : tensor<4xi32, #x>, "c" : tensor<4xi32, #r>, "d" : tensor<4xi32, #r>, "e" : tensor<3xi32, #x>]>} {
  func.func @main(%v: tensor<4xi32, #r>, %u: tensor<3xi32, #x>) -> (tensor<4xi32, #x>, tensor<4xi32, #x>, tensor<4xi32, #r>, tensor<4xi32, #r>, tensor<3xi32, #x>) {
    %a = arith.constant dense_resource<numbers> : tensor<4xi32, #x>
    %0 = arith.constant 7 : i32
    %1 = arith.constant 3 : i32
    %b = tensor.from_elements %0, %1, %1, %0 : tensor<4xi32, #x>
    %empty = tensor.empty() : tensor<4xi32, #p>
    %pc = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%empty : tensor<4xi32, #p>) {
    ^bb0(%out: i32):
      linalg.yield %0 : i32
    } -> tensor<4xi32, #p>
    %c = dmc.reduce %pc over {"x"} : tensor<4xi32, #p> to tensor<4xi32, #r>
    // What reads its destination is as partial as that already.
    %p = dmc.spread %v over {"x"} : tensor<4xi32, #r> to tensor<4xi32, #p>
    %pd = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : tensor<4xi32, #p>) {
    ^bb0(%out: i32):
      %twice = arith.addi %out, %out : i32
      linalg.yield %twice : i32
    } -> tensor<4xi32, #p>
    %d = dmc.reduce %pd over {"x"} : tensor<4xi32, #p> to tensor<4xi32, #r>
    // Unevenly split: padding may hold anything where nothing traps.
    %e = arith.addi %u, %u : tensor<3xi32, #x>
    %2 = arith.divsi %0, %1 : i32
    return %a, %b, %c, %d, %e : tensor<4xi32, #x>, tensor<4xi32, #x>, tensor<4xi32, #r>, tensor<4xi32, #r>, tensor<3xi32, #x>
  }
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x0400000001000000020000000300000004000000"
    }
  }
#-}

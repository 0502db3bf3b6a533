// RUN: dmc-opt %s --dmc-propagate-layouts | FileCheck %s

// What a donated argument or the result that takes it over has not, it gets from the
// other; without a request, both lie alike.
// CHECK-DAG: #[[X:.*]] = #dmc.layout<{{.*}}, [{"x"}]>
// CHECK-DAG: #[[R:.*]] = #dmc.layout<{{.*}}, [{}]>
// CHECK: arguments ["a" : tensor<4xf32, #[[X]]> donates 0, "b" : tensor<4xf32, #[[X]]>, "c" : tensor<4xf32, #[[R]]> donates 1]
// CHECK-SAME: results ["r" : tensor<4xf32, #[[X]]>, "s" : tensor<4xf32, #[[R]]>]
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<4xf32> donates 0, "b" : tensor<4xf32, #x>, "c" : tensor<4xf32> donates 1],
    results ["r" : tensor<4xf32, #x>, "s" : tensor<4xf32>]>} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    return %b, %b : tensor<4xf32>, tensor<4xf32>
  }
}

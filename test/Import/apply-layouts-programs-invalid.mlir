// Programs that cannot have another mesh.
// RUN: split-file %s %t
// RUN: not dmc-opt %t/placed.mlir -dmc-apply-layouts="mesh=a=4" 2>&1 | FileCheck %s --check-prefix=PLACED
// PLACED: error: unsupported: option 'mesh' with the placed layout of "x"
// RUN: not dmc-opt %t/ranks.mlir -dmc-apply-layouts="mesh=a=4" 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: expected a program of level tensor, found level ranks: its layouts are decided
// RUN: not dmc-opt %t/manual.mlir -dmc-apply-layouts="mesh=a=4" 2>&1 | FileCheck %s --check-prefix=MANUAL
// MANUAL: error: unsupported: another mesh for a manual computation, which is written for a=2; found a=4
// RUN: not dmc-opt %t/constrain.mlir -dmc-apply-layouts="mesh=a=3" 2>&1 | FileCheck %s --check-prefix=REQUEST
// REQUEST: error: requested layout: sub-axis (1)2 does not divide axis "a" of size 3

//--- placed.mlir
#mesh = #dmc.mesh<"a" = 2>
#p = #dmc.layout<#mesh, [{}], placed {"a" = 1}>
module attributes {dmc.program = #dmc.program<tensor "f" on #mesh, arguments ["x" : tensor<4xf32, #p>], results []>} {
}
//--- ranks.mlir
#mesh = #dmc.mesh<"a" = 2>
module attributes {dmc.program = #dmc.program<ranks "f" on #mesh, arguments [], results []>} {
}
//--- manual.mlir
#mesh = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#mesh, [{"a"}]>
module attributes {dmc.program = #dmc.program<tensor "f" on #mesh, arguments ["x" : tensor<4xf32>], results []>} {
  func.func @main(%x: tensor<4xf32>) {
    %0 = dmc.manual on #mesh ins(%x : tensor<4xf32>) in [#s] out [#s] -> (tensor<4xf32>) {
    ^bb0(%part: tensor<2xf32>):
      dmc.yield %part : tensor<2xf32>
    }
    return
  }
}
//--- constrain.mlir
#mesh = #dmc.mesh<"a" = 4>
#s = #dmc.layout<#mesh, [{"a":(1)2}]>
module attributes {dmc.program = #dmc.program<tensor "f" on #mesh, arguments ["x" : tensor<4xf32>], results []>} {
  func.func @main(%x: tensor<4xf32>) {
    %0 = dmc.constrain %x : tensor<4xf32> to #s
    return
  }
}

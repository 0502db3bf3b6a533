// Blocks of one shape are not enough to take over a buffer: the next step would read what lies
// in the result's layout in the argument's.
// RUN: dmc-compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: dmc-compile %s --emit=tensor -o %t.0 && dmc-interpret %t.0 --seed 3 --output-dir %t.want
// RUN: dmc-run %t.so --seed 3 --expect-dir %t.want --rtol=0 --atol=0

// CHECK: warning: argument "x" cannot donate its buffer to result "y": their layouts or element types differ
#mesh = #dmc.mesh<"a" = 2, "b" = 2>
#ab = #dmc.layout<#mesh, [{"a"}, {"b"}]>
#ba = #dmc.layout<#mesh, [{"b"}, {"a"}]>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh, arguments ["x" : tensor<4x4xf32, #ab> donates 0], results ["y" : tensor<4x4xf32, #ba>]>} {
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %e = tensor.empty() : tensor<4x4xf32>
    %y = linalg.map { arith.negf } ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
    return %y : tensor<4x4xf32>
  }
}

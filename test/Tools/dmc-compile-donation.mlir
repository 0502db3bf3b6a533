// A buffer that does not fit its result is not taken over, and the user is told.
// RUN: dmc-compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: dmc-compile %s --emit=tensor -o %t.0 && dmc-interpret %t.0 --seed 3 --output-dir %t.want
// RUN: dmc-run %t.so --seed 3 --expect-dir %t.want --rtol=0 --atol=0

// CHECK: warning: argument "x" cannot donate its buffer to result "y": their layouts or element types differ
// The line that describes the program is long, and is quoted in part.
// CHECK-NEXT: {{^}}module attributes {dmc.program = {{.*}}...{{$}}
// CHECK-NEXT: {{^}}^{{$}}
#mesh = #dmc.mesh<"a" = 2>
#split = #dmc.layout<#mesh, [{"a"}]>
#whole = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<tensor "a_program_with_a_name_that_makes_this_line_long" on #mesh, arguments ["x" : tensor<6xf32, #split> donates 0], results ["y" : tensor<6xf32, #whole>]>} {
  func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
    %e = tensor.empty() : tensor<6xf32>
    %y = linalg.map { arith.negf } ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>)
    return %y : tensor<6xf32>
  }
}

// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/arrays.py %s %t
// RUN: dmc-interpret %s --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: dmc-opt %s --dmc-merge-moves --dmc-to-ranks --dmc-verify-ranks -o %t/ranks.mlir
// RUN: dmc-interpret %t/ranks.mlir --input-dir %t/in --expect-dir %t/out --rtol 0 --atol 0
// RUN: env DMC_POISON=1 dmc-run %s --input-dir %t/in --expect-dir %t/out --rtol=0 --atol=0

// A scalar spread over tensors that are split, partial, and whole: each denotes its value once.
//
// IN n i4 5
// NUMPY r0, r1, r2 = np.full((5,), 2 * n), np.full((5,), n), np.array([n, 2 * n])
// OUT r0 i4 [10, 10, 10, 10, 10]
// OUT r1 i4 [5, 5, 5, 5, 5]
// OUT r2 i4 [5, 10]
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#p = #dmc.layout<#mesh, [{"x"}], sum {"y"}>
#s = #dmc.layout<#mesh, []>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "splats" on #mesh,
    arguments ["n" : tensor<i32, #s>],
    results ["r0" : tensor<5xi32, #x>, "r1" : tensor<5xi32, #xy>, "r2" : tensor<2xi32, #r>]>} {
  func.func @main(%a: tensor<i32, #s>) -> (tensor<5xi32, #x>, tensor<5xi32, #xy>, tensor<2xi32, #r>) {
    %n = tensor.extract %a[] : tensor<i32, #s>
    %two = arith.constant 2 : i32
    %m = arith.muli %n, %two : i32
    %p = tensor.splat %m : tensor<5xi32, #p>
    %0 = dmc.reduce %p over {"y"} : tensor<5xi32, #p> to tensor<5xi32, #x>
    %1 = tensor.splat %n : tensor<5xi32, #xy>
    %2 = tensor.from_elements %n, %m : tensor<2xi32, #r>
    return %0, %1, %2 : tensor<5xi32, #x>, tensor<5xi32, #xy>, tensor<2xi32, #r>
  }
}

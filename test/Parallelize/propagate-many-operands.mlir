// An operation with more tensor operands than layouts lie within a node: while the producer of %v is
// tried as one use takes it, the layouts of the other uses are replaced. Refinement must not read
// those that it has replaced (the address sanitizer finds it).
// RUN: dmc-opt %s --dmc-propagate-layouts | FileCheck %s

// CHECK-DAG: #[[D0:.*]] = #dmc.layout<{{.*}}, [{"x"}, {}, {}]>
// CHECK-DAG: #[[D1:.*]] = #dmc.layout<{{.*}}, [{}, {"x"}, {}]>
// CHECK-DAG: #[[D2:.*]] = #dmc.layout<{{.*}}, [{}, {}, {"x"}]>
// CHECK: linalg.map { math.tanh } {{.*}}results = [#[[D0]]]
// CHECK: linalg.map { arith.addf } {{.*}}results = [#[[D1]]]
// CHECK: linalg.generic
// CHECK-SAME: operands = [#[[D2]], #[[D2]], #[[D2]], #[[D2]], #[[D2]], #[[D2]]], results = [#[[D2]]]
#mesh = #dmc.mesh<"x" = 2>
#d0 = #dmc.layout<#mesh, [{"x"}, {}, {}]>
#d1 = #dmc.layout<#mesh, [{}, {"x"}, {}]>
#d2 = #dmc.layout<#mesh, [{}, {}, {"x"}]>
#id = affine_map<(i, j, k) -> (i, j, k)>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x8x8xf32, #d0>, "b" : tensor<8x8x8xf32, #d1>, "c" : tensor<8x8x8xf32, #d2>,
      "d" : tensor<8x8x8xf32, #d2>, "f" : tensor<8x8x8xf32, #d2>, "g" : tensor<8x8x8xf32, #d2>],
    results ["y" : tensor<8x8x8xf32, #d1>, "z" : tensor<8x8x8xf32, #d2>]>} {
  func.func @main(%a: tensor<8x8x8xf32>, %b: tensor<8x8x8xf32>, %c: tensor<8x8x8xf32>,
      %d: tensor<8x8x8xf32>, %f: tensor<8x8x8xf32>, %g: tensor<8x8x8xf32>)
      -> (tensor<8x8x8xf32>, tensor<8x8x8xf32>) {
    %e = tensor.empty() : tensor<8x8x8xf32>
    %v = linalg.map { math.tanh } ins(%a : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>)
    %y = linalg.map { arith.addf } ins(%v, %b : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>)
    %z = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%v, %c, %d, %f, %g : tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>)
        outs(%e : tensor<8x8x8xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %t: f32, %u: f32):
      %0 = arith.addf %p, %q : f32
      %1 = arith.addf %0, %r : f32
      %2 = arith.addf %1, %s : f32
      %3 = arith.addf %2, %t : f32
      linalg.yield %3 : f32
    } -> tensor<8x8x8xf32>
    return %y, %z : tensor<8x8x8xf32>, tensor<8x8x8xf32>
  }
}

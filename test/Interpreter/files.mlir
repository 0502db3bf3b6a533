// Results written are arguments that can be read, and expectations that hold, or do not.
// RUN: rm -rf %t && mkdir %t
// RUN: dmc-interpret %s --seed 3 --output-dir %t/once
// RUN: dmc-interpret %s --input-dir %t/once --output-dir %t/twice
// RUN: dmc-interpret %s --input %t/once/000.npy --input %t/once/001.npy --expect-dir %t/twice | FileCheck %s --check-prefix=AGREE
// RUN: not dmc-interpret %s --seed 4 --expect-dir %t/twice 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: cp %t/once/000.npy %t/p.in0.npy
// RUN: cp %t/once/001.npy %t/p.in1.npy
// RUN: dmc-interpret %s --in %t/p --out %t/p
// RUN: diff %t/p.out0.npy %t/twice/000.npy
// RUN: echo '{"results": [{"name": "sum", "atol": 100.0}, {"name": "n", "atol": 1e5}]}' > %t/meta.json
// RUN: dmc-interpret %s --seed 4 --expect-dir %t/twice --meta %t/meta.json | FileCheck %s --check-prefix=AGREE
// What the command line says counts more than the file; without either, integers are equal.
// RUN: not dmc-interpret %s --seed 4 --expect-dir %t/twice --meta %t/meta.json --atol 0 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: echo '{"results": [{"name": "sum", "atol": 100.0}, {"name": "n"}]}' > %t/meta.json
// RUN: not dmc-interpret %s --seed 4 --expect-dir %t/twice --meta %t/meta.json 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: not dmc-interpret %s --input-dir %t/nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE

// AGREE: all 2 results agree
// DIFFER: error: {{.*}}000.npy (sum): {{.*}} elements differ
// DIFFER: 2 of 2 results differ
// INTEGERS-NOT: sum
// INTEGERS: error: {{.*}}001.npy (n): {{.*}} elements differ
// INTEGERS: 1 of 2 results differ
// NOWHERE: error: {{.*}}000.npy
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #m,
    arguments ["x" : tensor<5xf32, #a>, "n" : tensor<3xui16, #a>],
    results ["sum" : tensor<5xf32, #a>, "n" : tensor<3xui16, #a>]>} {
  func.func @main(%x: tensor<5xf32, #a>, %n: tensor<3xi16, #a>) -> (tensor<5xf32, #a>, tensor<3xi16, #a>) {
    %y = arith.addf %x, %x : tensor<5xf32, #a>
    %k = arith.addi %n, %n : tensor<3xi16, #a>
    return %y, %k : tensor<5xf32, #a>, tensor<3xi16, #a>
  }
}

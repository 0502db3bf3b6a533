// Blocks of a device's threads sort lines that fit in their memory: the results are the
// interpreter's, of ties, of several keys, along any dimension, and by a comparison that gives no
// order (NaN is neither below nor above). A line of 127 elements has too few merges for two warps,
// one of 4100 does not fit: threads sort them alone.
// RUN: rm -rf %t && mkdir %t
// RUN: dmc-compile %s --target=cuda:sm_90a -o %t/program.so
// RUN: dmc-run %t/program.so --device=simulated --seed=3 --output-dir %t/out
// RUN: dmc-interpret %s --seed=3 --max-iterations=0 --expect-dir %t/out --rtol=0 --atol=0 | FileCheck %s --check-prefix=AGREE
// AGREE: all 8 results agree

// RUN: dmc-compile %s --target=cuda:sm_90a --emit=kernels | FileCheck %s
// CHECK-DAG: #dmc.nest<sort iterations 3 {{.*}}<team 128
// CHECK-DAG: #dmc.nest<sort iterations 5 {{.*}}<team 64
// CHECK-DAG: #dmc.nest<sort iterations 2 {{.*}}<team 64
// CHECK-DAG: #dmc.nest<sort iterations 1 flops 0 loops [<grid 1 [<thread 1
// CHECK-DAG: #dmc.nest<sort iterations 2 flops 0 loops [<grid 1 [<thread 2

func.func @main(%x: tensor<3x300xf32>, %y: tensor<200x5xi8>, %z: tensor<2x128xi32>, %u: tensor<127xf32>, %v: tensor<2x4100xf32>)
    -> (tensor<3x300xf32>, tensor<3x300xf32>, tensor<200x5xi8>, tensor<200x5xf32>, tensor<2x128xi32>, tensor<2x128xi1>, tensor<127xf32>, tensor<2x4100xf32>) {
  // Half of it are NaN.
  %root = stablehlo.sqrt %x : tensor<3x300xf32>
  %position = stablehlo.iota dim = 1 : tensor<3x300xf32>
  %a:2 = "stablehlo.sort"(%root, %position) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %i: tensor<f32>, %j: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x300xf32>, tensor<3x300xf32>) -> (tensor<3x300xf32>, tensor<3x300xf32>)
  %number = stablehlo.iota dim = 0 : tensor<200x5xf32>
  %b:2 = "stablehlo.sort"(%y, %number) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i8>, %q: tensor<i8>, %i: tensor<f32>, %j: tensor<f32>):
    %c = stablehlo.compare GT, %p, %q, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<200x5xi8>, tensor<200x5xf32>) -> (tensor<200x5xi8>, tensor<200x5xf32>)
  %two = stablehlo.constant dense<2> : tensor<2x128xi32>
  %rest = stablehlo.remainder %z, %two : tensor<2x128xi32>
  %zero = stablehlo.constant dense<0> : tensor<2x128xi32>
  %odd = stablehlo.compare NE, %rest, %zero, SIGNED : (tensor<2x128xi32>, tensor<2x128xi32>) -> tensor<2x128xi1>
  %d:2 = "stablehlo.sort"(%z, %odd) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %i: tensor<i1>, %j: tensor<i1>):
    %same = stablehlo.compare EQ, %i, %j, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %less = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = stablehlo.select %same, %less, %j : tensor<i1>, tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2x128xi32>, tensor<2x128xi1>) -> (tensor<2x128xi32>, tensor<2x128xi1>)
  %e = "stablehlo.sort"(%u) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<127xf32>) -> tensor<127xf32>
  %f = "stablehlo.sort"(%v) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2x4100xf32>) -> tensor<2x4100xf32>
  return %a#0, %a#1, %b#0, %b#1, %d#0, %d#1, %e, %f : tensor<3x300xf32>, tensor<3x300xf32>, tensor<200x5xi8>, tensor<200x5xf32>, tensor<2x128xi32>, tensor<2x128xi1>, tensor<127xf32>, tensor<2x4100xf32>
}

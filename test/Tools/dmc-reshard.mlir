// A state saved by one plan is read by another, and rewritten for it: uneven
// blocks of several dimensions, replicated and placed values, a scalar.
// RUN: rm -rf %t && split-file %s %t
// RUN: dmc-compile %t/a.mlir -o %t/a.so && dmc-compile %t/b.mlir -o %t/b.so
// RUN: dmc-run %t/a.so --save-state %t/s0 --output-dir %t/o0
// RUN: FileCheck %s --check-prefix=MANIFEST < %t/s0/manifest.json
// MANIFEST:      {"version": 1,
// MANIFEST-NEXT{LITERAL}: "mesh": [{"name":"a","size":2},{"name":"b","size":3}],
// MANIFEST-NEXT: "values": [
// MANIFEST-NEXT{LITERAL}: {"name": "w", "type": "f32", "shape": [5,7], "layout": {"dims":[["a"],["b"]]},
// MANIFEST-NEXT: "shards": [
// MANIFEST-NEXT{LITERAL}: {"file": "000.0.npy", "offset": [0,0], "size": [3,3]},
// MANIFEST-NEXT{LITERAL}: {"file": "000.1.npy", "offset": [0,3], "size": [3,3]},
// MANIFEST-NEXT{LITERAL}: {"file": "000.2.npy", "offset": [0,6], "size": [3,1]},
// MANIFEST-NEXT{LITERAL}: {"file": "000.3.npy", "offset": [3,0], "size": [2,3]},
// MANIFEST-NEXT{LITERAL}: {"file": "000.4.npy", "offset": [3,3], "size": [2,3]},
// MANIFEST-NEXT{LITERAL}: {"file": "000.5.npy", "offset": [3,6], "size": [2,1]}]},
// MANIFEST-NEXT{LITERAL}: {"name": "m", "type": "bf16", "shape": [4], "layout": {"dims":[[]]},
// MANIFEST-NEXT: "shards": [
// MANIFEST-NEXT{LITERAL}: {"file": "001.0.npy", "offset": [0], "size": [4]}]},
// MANIFEST-NEXT{LITERAL}: {"name": "n", "type": "i32", "shape": [], "layout": {"dims":[]},
// MANIFEST-NEXT: "shards": [
// MANIFEST-NEXT{LITERAL}: {"file": "002.0.npy", "offset": [], "size": []}]}]}

// A second step goes on from the state under any plan, as from whole arrays.
// RUN: dmc-run %t/a.so --load-state %t/s0 --output-dir %t/o1
// RUN: dmc-run %t/a.so --input-dir %t/o0 --expect-dir %t/o1 --rtol=0 --atol=0
// RUN: dmc-run %t/b.so --load-state %t/s0 --expect-dir %t/o1 --rtol=0 --atol=0
// RUN: dmc-reshard %t/s0 --to %t/b.so -o %t/s1 | FileCheck %s --check-prefix=DONE
// DONE: 3 values in 9 shards for the mesh c=4,d=2
// RUN: FileCheck %s --check-prefix=MOVED < %t/s1/manifest.json
// MOVED{LITERAL}: "layout": {"dims":[[],["c:(1)2","d"]]},
// MOVED-NEXT: "shards": [
// MOVED-NEXT{LITERAL}: {"file": "000.0.npy", "offset": [0,0], "size": [5,2]},
// MOVED-NEXT{LITERAL}: {"file": "000.1.npy", "offset": [0,2], "size": [5,2]},
// MOVED-NEXT{LITERAL}: {"file": "000.2.npy", "offset": [0,4], "size": [5,2]},
// MOVED-NEXT{LITERAL}: {"file": "000.3.npy", "offset": [0,6], "size": [5,1]}]},
// MOVED-NEXT: {{.*}}"m"{{.*}}{"dims":{{.}}["c"]]},
// RUN: dmc-run %t/b.so --load-state %t/s1 --expect-dir %t/o1 --rtol=0 --atol=0

// There and back, by a program and by a manifest.
// RUN: dmc-reshard %t/s1 --to %t/a.so -o %t/s2 && diff -r %t/s0 %t/s2
// RUN: dmc-reshard %t/s1 --to %t/s0/manifest.json -o %t/s3 && diff -r %t/s0 %t/s3

//--- a.mlir
#mesh = #dmc.mesh<"a" = 2, "b" = 3>
#w = #dmc.layout<#mesh, [{"a"}, {"b"}]>
#m = #dmc.layout<#mesh, [{}]>
#n = #dmc.layout<#mesh, []>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["w" : tensor<5x7xf32, #w> donates 0, "m" : tensor<4xbf16, #m> donates 1,
               "n" : tensor<i32, #n> donates 2],
    results ["w" : tensor<5x7xf32, #w>, "m" : tensor<4xbf16, #m>, "n" : tensor<i32, #n>]>} {
  func.func @main(%w: tensor<5x7xf32>, %m: tensor<4xbf16>, %n: tensor<i32>)
      -> (tensor<5x7xf32>, tensor<4xbf16>, tensor<i32>) {
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.map { arith.addf } ins(%w, %w : tensor<5x7xf32>, tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>)
    %2 = tensor.empty() : tensor<4xbf16>
    %3 = linalg.map { arith.negf } ins(%m : tensor<4xbf16>) outs(%2 : tensor<4xbf16>)
    %4 = tensor.empty() : tensor<i32>
    %5 = linalg.map { arith.addi } ins(%n, %n : tensor<i32>, tensor<i32>) outs(%4 : tensor<i32>)
    return %1, %3, %5 : tensor<5x7xf32>, tensor<4xbf16>, tensor<i32>
  }
}

//--- b.mlir
#mesh = #dmc.mesh<"c" = 4, "d" = 2>
#w = #dmc.layout<#mesh, [{}, {"c":(1)2, "d"}]>
#m = #dmc.layout<#mesh, [{"c"}]>
#n = #dmc.layout<#mesh, []>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["w" : tensor<5x7xf32, #w> donates 0, "m" : tensor<4xbf16, #m> donates 1,
               "n" : tensor<i32, #n> donates 2],
    results ["w" : tensor<5x7xf32, #w>, "m" : tensor<4xbf16, #m>, "n" : tensor<i32, #n>]>} {
  func.func @main(%w: tensor<5x7xf32>, %m: tensor<4xbf16>, %n: tensor<i32>)
      -> (tensor<5x7xf32>, tensor<4xbf16>, tensor<i32>) {
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.map { arith.addf } ins(%w, %w : tensor<5x7xf32>, tensor<5x7xf32>) outs(%0 : tensor<5x7xf32>)
    %2 = tensor.empty() : tensor<4xbf16>
    %3 = linalg.map { arith.negf } ins(%m : tensor<4xbf16>) outs(%2 : tensor<4xbf16>)
    %4 = tensor.empty() : tensor<i32>
    %5 = linalg.map { arith.addi } ins(%n, %n : tensor<i32>, tensor<i32>) outs(%4 : tensor<i32>)
    return %1, %3, %5 : tensor<5x7xf32>, tensor<4xbf16>, tensor<i32>
  }
}

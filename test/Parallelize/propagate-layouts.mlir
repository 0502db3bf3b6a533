// RUN: dmc-opt %s -split-input-file --dmc-propagate-layouts | FileCheck %s

// Columns, then rows of the weights split: the second product is a partial sum.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#x = #dmc.layout<#mesh, [{"data"}, {}]>
#w1 = #dmc.layout<#mesh, [{}, {"model"}]>
#w2 = #dmc.layout<#mesh, [{"model"}, {}]>
// CHECK-DAG: #[[BX:.+]] = #dmc.layout<#{{.*}}, [{"data"}, {}]>
// CHECK-DAG: #[[W1:.+]] = #dmc.layout<#{{.*}}, [{}, {"model"}]>
// CHECK-DAG: #[[W2:.+]] = #dmc.layout<#{{.*}}, [{"model"}, {}]>
// CHECK-DAG: #[[BH:.+]] = #dmc.layout<#{{.*}}, [{"data"}, {"model"}]>
// CHECK-DAG: #[[YP:.+]] = #dmc.layout<#{{.*}}, [{"data"}, {}], sum {"model"}>
// CHECK: module @megatron
module @megatron attributes {dmc.program = #dmc.program<tensor "megatron" on #mesh,
    arguments ["x" : tensor<64x32xf32, #x>, "w1" : tensor<32x128xf32, #w1>, "w2" : tensor<128x16xf32, #w2>],
    results ["y" : tensor<64x16xf32, #x>]>} {
  func.func @main(%x: tensor<64x32xf32>, %w1: tensor<32x128xf32>, %w2: tensor<128x16xf32>) -> tensor<64x16xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x128xf32>
    %h0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
    // CHECK: linalg.matmul {dmc.layouts = #dmc.op_layouts<operands = [#[[BX]], #[[W1]], #[[BH]]], results = [#[[BH]]]>}
    %h = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x128xf32>) outs(%h0 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %f = tensor.empty() : tensor<64x16xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
    // CHECK: linalg.matmul {dmc.layouts = #dmc.op_layouts<operands = [#[[BH]], #[[W2]], #[[YP]]], results = [#[[YP]]]>}
    %y = linalg.matmul ins(%h, %w2 : tensor<64x128xf32>, tensor<128x16xf32>) outs(%y0 : tensor<64x16xf32>) -> tensor<64x16xf32>
    return %y : tensor<64x16xf32>
  }
}

// -----

// The batch and the weights are split over one axis. The batch (large here) stays
// where it is; the weights, donated, are gathered: they wait for their priority.
#mesh = #dmc.mesh<"data" = 8>
#b = #dmc.layout<#mesh, [{"data"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-DAG: #[[B:.+]] = #dmc.layout<#{{.*}}, [{"data"}, {}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}, {}]>
// CHECK: module @batch_first
module @batch_first attributes {dmc.program = #dmc.program<tensor "fsdp" on #mesh,
    arguments ["w" : tensor<32x16xf32, #b> donates 0, "x" : tensor<512x32xf32, #b>],
    results ["w" : tensor<32x16xf32, #b>, "y" : tensor<512x16xf32, #b>]>} {
  func.func @main(%w: tensor<32x16xf32>, %x: tensor<512x32xf32>) -> (tensor<32x16xf32>, tensor<512x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<512x16xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%e : tensor<512x16xf32>) -> tensor<512x16xf32>
    // CHECK: linalg.matmul {dmc.layouts = #dmc.op_layouts<operands = [#[[B]], #[[R]], #[[B]]], results = [#[[B]]]>}
    %y = linalg.matmul ins(%x, %w : tensor<512x32xf32>, tensor<32x16xf32>) outs(%y0 : tensor<512x16xf32>) -> tensor<512x16xf32>
    %f = tensor.empty() : tensor<32x16xf32>
    // CHECK: linalg.map { math.tanh } {{.*}}#dmc.op_layouts<operands = [#[[B]], #[[B]]], results = [#[[B]]]>
    %v = linalg.map { math.tanh } ins(%w : tensor<32x16xf32>) outs(%f : tensor<32x16xf32>)
    return %v, %y : tensor<32x16xf32>, tensor<512x16xf32>
  }
}

// -----

// With a small batch and large weights, the weights stay and the activations move:
// the same work for each rank and fewer bytes.
#mesh = #dmc.mesh<"data" = 8>
#b = #dmc.layout<#mesh, [{"data"}, {}]>
// CHECK-DAG: #[[K:.+]] = #dmc.layout<#{{.*}}, [{}, {"data"}]>
// CHECK-DAG: #[[B:.+]] = #dmc.layout<#{{.*}}, [{"data"}, {}]>
// CHECK-DAG: #[[P:.+]] = #dmc.layout<#{{.*}}, [{}, {}], sum {"data"}>
// CHECK: module @fewest_bytes
module @fewest_bytes attributes {dmc.program = #dmc.program<tensor "fsdp" on #mesh,
    arguments ["w" : tensor<512x512xf32, #b> donates 0, "x" : tensor<8x512xf32, #b>],
    results ["w" : tensor<512x512xf32, #b>, "y" : tensor<8x512xf32, #b>]>} {
  func.func @main(%w: tensor<512x512xf32>, %x: tensor<8x512xf32>) -> (tensor<512x512xf32>, tensor<8x512xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x512xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x512xf32>) -> tensor<8x512xf32>
    // CHECK: linalg.matmul {dmc.layouts = #dmc.op_layouts<operands = [#[[K]], #[[B]], #[[P]]], results = [#[[P]]]>}
    %y = linalg.matmul ins(%x, %w : tensor<8x512xf32>, tensor<512x512xf32>) outs(%y0 : tensor<8x512xf32>) -> tensor<8x512xf32>
    return %w, %y : tensor<512x512xf32>, tensor<8x512xf32>
  }
}

// -----

// Two partial sums and a replicated value: spread the value, add the partial sums, and
// reduce once. Alone, each sum would be reduced by itself.
#mesh = #dmc.mesh<"x" = 4>
#k = #dmc.layout<#mesh, [{}, {"x"}]>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-DAG: #[[K:.+]] = #dmc.layout<#{{.*}}, [{}, {"x"}]>
// CHECK-DAG: #[[P:.+]] = #dmc.layout<#{{.*}}, [{}], sum {"x"}>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK: module @reduce_once
module @reduce_once attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x16xf32, #k>, "b" : tensor<8x16xf32, #k>, "c" : tensor<8xf32, #r>],
    results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #r>]>} {
  func.func @main(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    %1 = linalg.reduce { arith.addf } ins(%b : tensor<8x16xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    // CHECK: linalg.map { arith.addf } {{.*}}#dmc.op_layouts<operands = [#[[P]], #[[P]], #[[P]]], results = [#[[P]]]>
    %2 = linalg.map { arith.addf } ins(%0, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    // CHECK: linalg.map { arith.subf } {{.*}}#dmc.op_layouts<operands = [#[[P]], #[[P]], #[[P]]], results = [#[[P]]]>
    %3 = linalg.map { arith.subf } ins(%2, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    // Partial factors of a product do not multiply: both are scattered, and the product is gathered.
    // CHECK: linalg.map { arith.mulf } {{.*}}#dmc.op_layouts<operands = [#[[X]], #[[X]], #[[X]]], results = [#[[X]]]>
    %4 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    %5 = linalg.reduce { arith.addf } ins(%b : tensor<8x16xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    %6 = linalg.map { arith.mulf } ins(%4, %5 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    return %3, %6 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// Where narrowing the partial sums is permitted, the narrow ones are reduced: half the bytes; else
// wide partial sums are scattered, and what is narrow is gathered.
#mesh = #dmc.mesh<"x" = 4>
#k = #dmc.layout<#mesh, [{}, {"x"}]>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG: #[[P:.+]] = #dmc.layout<#{{.*}}, [{}], sum {"x"}>
// CHECK: module @narrow
module @narrow attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x16xf32, #k>], results ["y" : tensor<8xbf16, #r>, "z" : tensor<8xbf16, #r>]>} {
  func.func @main(%a: tensor<8x16xf32>) -> (tensor<8xbf16>, tensor<8xbf16>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %h = tensor.empty() : tensor<8xbf16>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    // CHECK: linalg.map { arith.truncf } {{.*}}operands = [#[[P]], #[[P]]], results = [#[[P]]]>, dmc.narrow_partials}
    %1 = linalg.map { arith.truncf } ins(%0 : tensor<8xf32>) outs(%h : tensor<8xbf16>) {dmc.narrow_partials}
    %2 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    // CHECK: linalg.map { arith.truncf } {{.*}}operands = [#[[X]], #[[X]]], results = [#[[X]]]>}
    %3 = linalg.map { arith.truncf } ins(%2 : tensor<8xf32>) outs(%h : tensor<8xbf16>)
    return %1, %3 : tensor<8xbf16>, tensor<8xbf16>
  }
}

// -----

// Also where they are transposed first, which takes as many bytes.
#mesh = #dmc.mesh<"x" = 4>
#k = #dmc.layout<#mesh, [{}, {}, {"x"}]>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-DAG: #[[P:.+]] = #dmc.layout<#{{.*}}, [{}, {}], sum {"x"}>
// CHECK: module @narrow_transposed
module @narrow_transposed attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x6x16xf32, #k>], results ["y" : tensor<6x8xbf16, #r>]>} {
  func.func @main(%a: tensor<8x6x16xf32>) -> tensor<6x8xbf16> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x6xf32>
    %t = tensor.empty() : tensor<6x8xf32>
    %h = tensor.empty() : tensor<6x8xbf16>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
    %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x6x16xf32>) outs(%i : tensor<8x6xf32>) dimensions = [2]
    // CHECK: linalg.transpose {{.*}}operands = [#[[P]], #[[P]]], results = [#[[P]]]>
    %1 = linalg.transpose ins(%0 : tensor<8x6xf32>) outs(%t : tensor<6x8xf32>) permutation = [1, 0]
    // CHECK: linalg.map { arith.truncf } {{.*}}operands = [#[[P]], #[[P]]], results = [#[[P]]]>, dmc.narrow_partials}
    %2 = linalg.map { arith.truncf } ins(%1 : tensor<6x8xf32>) outs(%h : tensor<6x8xbf16>) {dmc.narrow_partials}
    return %2 : tensor<6x8xbf16>
  }
}

// -----

// A constraint wins over what would be propagated; what the program does not say is
// completed from it.
#mesh = #dmc.mesh<"x" = 2>
#k = #dmc.layout<#mesh, [{}, {"x"}]>
#b = #dmc.layout<#mesh, [{"x"}, {}]>
// CHECK-DAG: #[[K:.+]] = #dmc.layout<#{{.*}}, [{}, {"x"}]>
// CHECK-DAG: #[[B:.+]] = #dmc.layout<#{{.*}}, [{"x"}, {}]>
// CHECK: module @constrain attributes {dmc.program = #dmc.program<tensor "p" on #{{.*}}, arguments ["a" : tensor<8x4xf32, #[[B]]>], results ["y" : tensor<8x4xf32, #[[K]]>]>}
module @constrain attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x4xf32, #b>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    // CHECK: linalg.map { math.exp } {{.*}}#dmc.op_layouts<operands = [#[[K]], #[[K]]], results = [#[[K]]]>
    %0 = linalg.map { math.exp } ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    // CHECK: dmc.constrain {{.*}}#dmc.op_layouts<operands = [#[[K]]], results = [#[[K]]]>
    %1 = dmc.constrain %0 : tensor<8x4xf32> to #k
    // CHECK: linalg.map { math.tanh } {{.*}}#dmc.op_layouts<operands = [#[[K]], #[[K]]], results = [#[[K]]]>
    %2 = linalg.map { math.tanh } ins(%1 : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %2 : tensor<8x4xf32>
  }
}

// -----

// What a loop carries has one layout: that of its init, kept by the body.
#mesh = #dmc.mesh<"x" = 2>
#b = #dmc.layout<#mesh, [{"x"}, {}]>
// CHECK: #[[B:.+]] = #dmc.layout<#{{.*}}, [{"x"}, {}]>
// CHECK: module @loop
module @loop attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x4xf32, #b>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %e = tensor.empty() : tensor<8x4xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> tensor<8x4xf32> {
      // CHECK: linalg.map { math.tanh } {{.*}}#dmc.op_layouts<operands = [#[[B]], #[[B]]], results = [#[[B]]]>
      %0 = linalg.map { math.tanh } ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
      // CHECK: scf.yield {dmc.layouts = #dmc.op_layouts<operands = [#[[B]]], results = []>}
      scf.yield %0 : tensor<8x4xf32>
    }
    // CHECK: } {dmc.layouts = #dmc.op_layouts<operands = [#[[B]]], results = [#[[B]]]>}
    return %r : tensor<8x4xf32>
  }
}

// -----

// A program without mesh is one rank.
// CHECK: #[[MESH:.+]] = #dmc.mesh<"rank" = 1>
// CHECK: #[[L:.+]] = #dmc.layout<#[[MESH]], [{}]>
// CHECK: module @one_rank attributes {dmc.program = #dmc.program<tensor "p" on #[[MESH]], arguments ["a" : tensor<8xf32, #[[L]]>], results ["y" : tensor<8xf32, #[[L]]>]>}
module @one_rank attributes {dmc.program = #dmc.program<tensor "p",
    arguments ["a" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

// RUN: dmc-opt %s -split-input-file --dmc-verify-parallel | FileCheck %s

// Column-parallel, then row-parallel: the second product is a partial sum.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#bx = #dmc.layout<#mesh, [{"data"}, {}]>
#w1 = #dmc.layout<#mesh, [{}, {"model"}]>
#bh = #dmc.layout<#mesh, [{"data"}, {"model"}]>
#w2 = #dmc.layout<#mesh, [{"model"}, {}]>
#yp = #dmc.layout<#mesh, [{"data"}, {}], sum {"model"}>
// CHECK-LABEL: module @megatron
module @megatron attributes {dmc.program = #dmc.program<parallel "megatron" on #mesh,
    arguments ["x" : tensor<64x32xf32, #bx>, "w1" : tensor<32x128xf32, #w1>, "w2" : tensor<128x16xf32, #w2>],
    results ["y" : tensor<64x16xf32, #bx>]>} {
  func.func @main(%x: tensor<64x32xf32, #bx>, %w1: tensor<32x128xf32, #w1>, %w2: tensor<128x16xf32, #w2>)
      -> tensor<64x16xf32, #bx> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x128xf32, #bh>
    %h0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32, #bh>) -> tensor<64x128xf32, #bh>
    %h = linalg.matmul ins(%x, %w1 : tensor<64x32xf32, #bx>, tensor<32x128xf32, #w1>)
                       outs(%h0 : tensor<64x128xf32, #bh>) -> tensor<64x128xf32, #bh>
    %f = tensor.empty() : tensor<64x16xf32, #yp>
    %p0 = linalg.fill ins(%zero : f32) outs(%f : tensor<64x16xf32, #yp>) -> tensor<64x16xf32, #yp>
    %p = linalg.matmul ins(%h, %w2 : tensor<64x128xf32, #bh>, tensor<128x16xf32, #w2>)
                       outs(%p0 : tensor<64x16xf32, #yp>) -> tensor<64x16xf32, #yp>
    %y = dmc.reduce %p over {"model"} : tensor<64x16xf32, #yp> to tensor<64x16xf32, #bx>
    return %y : tensor<64x16xf32, #bx>
  }
}

// -----

// The major part of a merged dimension keeps its split; a full one lets the next
// part go on. 12 = 4 * 3.
#mesh = #dmc.mesh<"x" = 2, "y" = 2, "z" = 3>
#a = #dmc.layout<#mesh, [{"x"}, {}]>
#am = #dmc.layout<#mesh, [{"x"}]>
#b = #dmc.layout<#mesh, [{"x", "y"}, {"z"}]>
#bm = #dmc.layout<#mesh, [{"x", "y", "z"}]>
// CHECK-LABEL: module @reshapes
module @reshapes attributes {dmc.program = #dmc.program<parallel "reshapes" on #mesh,
    arguments ["a" : tensor<4x3xf32, #a>, "b" : tensor<4x3xf32, #b>], results []>} {
  func.func @main(%a: tensor<4x3xf32, #a>, %b: tensor<4x3xf32, #b>) {
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x3xf32, #a> into tensor<12xf32, #am>
    %1 = tensor.collapse_shape %b [[0, 1]] : tensor<4x3xf32, #b> into tensor<12xf32, #bm>
    %2 = tensor.expand_shape %1 [[0, 1]] output_shape [4, 3] : tensor<12xf32, #bm> into tensor<4x3xf32, #b>
    return
  }
}

// -----

// Partial sums add up to partial sums; a maximum stays partial through a growing function.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#s = #dmc.layout<#mesh, [{}], sum {"x"}>
#m = #dmc.layout<#mesh, [{}], max {"x"}>
#n = #dmc.layout<#mesh, [{}], min {"x"}>
// CHECK-LABEL: module @partial
module @partial attributes {dmc.program = #dmc.program<parallel "partial" on #mesh,
    arguments ["r" : tensor<8xf32, #r>], results []>} {
  func.func @main(%r: tensor<8xf32, #r>) {
    %a = dmc.spread %r over {"x"} : tensor<8xf32, #r> to tensor<8xf32, #s>
    %b = dmc.spread %r over {"x"} : tensor<8xf32, #r> to tensor<8xf32, #m>
    %e = tensor.empty() : tensor<8xf32, #s>
    %0 = linalg.map { arith.addf } ins(%a, %a : tensor<8xf32, #s>, tensor<8xf32, #s>) outs(%e : tensor<8xf32, #s>)
    %f = tensor.empty() : tensor<8xf32, #m>
    %1 = linalg.map { math.exp } ins(%b : tensor<8xf32, #m>) outs(%f : tensor<8xf32, #m>)
    %g = tensor.empty() : tensor<8xf32, #n>
    %2 = linalg.map { arith.negf } ins(%b : tensor<8xf32, #m>) outs(%g : tensor<8xf32, #n>)
    return
  }
}

// -----

// A tensor program has no layouts.
// CHECK-LABEL: module @tensor_program
module @tensor_program attributes {dmc.program = #dmc.program<tensor "t", arguments ["a" : tensor<8xf32>], results []>} {
  func.func @main(%a: tensor<8xf32>) {
    return
  }
}

// RUN: dmc-interpret %s --print | FileCheck %s

// Compute operations on shards, uneven and empty ones among them.
#m = #dmc.mesh<"a" = 2, "b" = 2>
#r0 = #dmc.layout<#m, []>
#r = #dmc.layout<#m, [{}]>
#rr = #dmc.layout<#m, [{}, {}]>
#rrr = #dmc.layout<#m, [{}, {}, {}]>
#a = #dmc.layout<#m, [{"a"}]>
#abr = #dmc.layout<#m, [{"a", "b"}, {}]>
#ar = #dmc.layout<#m, [{"a"}, {}]>
#ra = #dmc.layout<#m, [{}, {"a"}]>
#p = #dmc.layout<#m, [{}], sum {"a"}>
#pp = #dmc.layout<#m, [{}], sum {"a", "b"}>
#maxp = #dmc.layout<#m, [{}], max {"a", "b"}>
#bp = #dmc.layout<#m, [{"b"}, {}], sum {"a"}>
#br = #dmc.layout<#m, [{"b"}, {}]>
#ba = #dmc.layout<#m, [{"b"}, {"a"}]>
#ppr = #dmc.layout<#m, [{}, {}], sum {"a"}>
#id = affine_map<(d0) -> (d0)>

func.func @main() -> (tensor<2xi32, #r>, tensor<2xf32, #r>, tensor<3x2xi32, #br>, tensor<5xi64, #a>, tensor<5xi32, #a>,
                      tensor<4x2xi32, #rr>, tensor<3x2xi32, #ar>, tensor<3x2xi32, #rr>, tensor<2x2xi32, #ar>,
                      tensor<5x2xi32, #ar>, tensor<4xi32, #r>) {
  // A reduction over a split dimension leaves partial values; an init is one too.
  // CHECK: result 0: {{.*}} = [120, 225]
  %x = arith.constant dense<[[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]> : tensor<5x2xi32, #abr>
  %init = arith.constant dense<[100, 200]> : tensor<2xi32, #pp>
  %sum = linalg.reduce { arith.addi } ins(%x : tensor<5x2xi32, #abr>) outs(%init : tensor<2xi32, #pp>) dimensions = [0]
  %0 = dmc.reduce %sum over {"a", "b"} : tensor<2xi32, #pp> to tensor<2xi32, #r>
  // An empty block leaves the neutral element.
  // CHECK: result 1: {{.*}} = [-1, -2]
  %f = arith.constant dense<[[-5.0, -2.0], [-1.0, -3.0]]> : tensor<2x2xf32, #abr>
  %low = arith.constant 0xff800000 : f32
  %e1 = tensor.empty() : tensor<2xf32, #maxp>
  %neutral = linalg.fill ins(%low : f32) outs(%e1 : tensor<2xf32, #maxp>) -> tensor<2xf32, #maxp>
  %max = linalg.reduce { arith.maximumf } ins(%f : tensor<2x2xf32, #abr>) outs(%neutral : tensor<2xf32, #maxp>) dimensions = [0]
  %1 = dmc.reduce %max over {"a", "b"} : tensor<2xf32, #maxp> to tensor<2xf32, #r>
  // A product, split over rows and over the contraction.
  // CHECK: result 2: {{.*}} = {{\[\[}}80, 90], [220, 255], [360, 420]]
  %lhs = arith.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]> : tensor<3x5xi32, #ba>
  %rhs = arith.constant dense<[[1, 2], [3, 4], [5, 6], [9, 10], [10, 11]]> : tensor<5x2xi32, #ar>
  %c0 = arith.constant 0 : i32
  %e2 = tensor.empty() : tensor<3x2xi32, #bp>
  %z2 = linalg.fill ins(%c0 : i32) outs(%e2 : tensor<3x2xi32, #bp>) -> tensor<3x2xi32, #bp>
  %mm = linalg.matmul ins(%lhs, %rhs : tensor<3x5xi32, #ba>, tensor<5x2xi32, #ar>) outs(%z2 : tensor<3x2xi32, #bp>) -> tensor<3x2xi32, #bp>
  %2 = dmc.reduce %mm over {"a"} : tensor<3x2xi32, #bp> to tensor<3x2xi32, #br>
  // Indices are global.
  // CHECK: result 3: {{.*}} = [0, 1, 2, 3, 4]
  %e3 = tensor.empty() : tensor<5xi64, #a>
  %3 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e3 : tensor<5xi64, #a>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<5xi64, #a>
  // A rank reads its block of what it has whole.
  // CHECK: result 4: {{.*}} = [0, 2, 4, 6, 8]
  %whole = arith.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32, #r>
  %part = arith.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32, #a>
  %e4 = tensor.empty() : tensor<5xi32, #a>
  %4 = linalg.map { arith.addi } ins(%whole, %part : tensor<5xi32, #r>, tensor<5xi32, #a>) outs(%e4 : tensor<5xi32, #a>)
  // Rows of a split table: each rank gives what it has.
  // CHECK: result 5: {{.*}} = {{\[\[}}4, 5], [0, 1], [4, 5], [2, 3]]
  %table = arith.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32, #ar>
  %ids = arith.constant dense<[[2], [-5], [7], [1]]> : tensor<4x1xi32, #rr>
  %e5 = tensor.empty() : tensor<4x2xi32, #ppr>
  %g = dmc.gather ins(%table, %ids : tensor<3x2xi32, #ar>, tensor<4x1xi32, #rr>) outs(%e5 : tensor<4x2xi32, #ppr>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<4x2xi32, #ppr>
  %5 = dmc.reduce %g over {"a"} : tensor<4x2xi32, #ppr> to tensor<4x2xi32, #rr>
  // Updates for everybody go to whoever has the row.
  // CHECK: result 6: {{.*}} = {{\[\[}}0, 1], [9, 11], [5, 7]]
  %upd = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32, #rr>
  %6 = dmc.scatter ins(%ids, %upd : tensor<4x1xi32, #rr>, tensor<4x2xi32, #rr>) outs(%table : tensor<3x2xi32, #ar>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<3x2xi32, #ar> {
  ^bb0(%old: i32, %new: i32):
    %s = arith.addi %old, %new : i32
    dmc.yield %s : i32
  }
  // Updates split: partial values of the operand.
  // CHECK: result 7: {{.*}} = {{\[\[}}0, 1], [9, 11], [5, 7]]
  %spread = dmc.spread %table over {"a"} : tensor<3x2xi32, #ar> to tensor<3x2xi32, #ppr>
  %updb = dmc.partition %upd along {"a"} in 0 : tensor<4x2xi32, #rr> to tensor<4x2xi32, #ar>
  %idsb = dmc.partition %ids along {"a"} in 0 : tensor<4x1xi32, #rr> to tensor<4x1xi32, #ar>
  %s7 = dmc.scatter ins(%idsb, %updb : tensor<4x1xi32, #ar>, tensor<4x2xi32, #ar>) outs(%spread : tensor<3x2xi32, #ppr>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<3x2xi32, #ppr> {
  ^bb0(%old: i32, %new: i32):
    %s = arith.addi %old, %new : i32
    dmc.yield %s : i32
  }
  %7 = dmc.reduce %s7 over {"a"} : tensor<3x2xi32, #ppr> to tensor<3x2xi32, #rr>
  // A split of the major part of a reshape.
  // CHECK: result 8: {{.*}} = {{\[\[}}7, 8], [9, 10]]
  %four = arith.constant dense<[7, 8, 9, 10]> : tensor<4xi32, #a>
  %8 = tensor.expand_shape %four [[0, 1]] output_shape [2, 2] : tensor<4xi32, #a> into tensor<2x2xi32, #ar>
  // CHECK: result 9: {{.*}} = {{\[\[}}0, 0], [0, 1], [2, 3], [4, 5], [0, 0]]
  %rows = dmc.combine %table along {"a"} in 0 : tensor<3x2xi32, #ar> to tensor<3x2xi32, #rr>
  %9 = tensor.pad %rows low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c0 : i32
  } : tensor<3x2xi32, #rr> to tensor<5x2xi32, #ar>
  // Padding partial values with a constant: it counts once.
  // CHECK: result 10: {{.*}} = [3, 120, 225, 3]
  %c3 = arith.constant 3 : i32
  %pad = tensor.pad %sum low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c3 : i32
  } : tensor<2xi32, #pp> to tensor<4xi32, #pp>
  %10 = dmc.reduce %pad over {"a", "b"} : tensor<4xi32, #pp> to tensor<4xi32, #r>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2xi32, #r>, tensor<2xf32, #r>, tensor<3x2xi32, #br>,
    tensor<5xi64, #a>, tensor<5xi32, #a>, tensor<4x2xi32, #rr>, tensor<3x2xi32, #ar>, tensor<3x2xi32, #rr>,
    tensor<2x2xi32, #ar>, tensor<5x2xi32, #ar>, tensor<4xi32, #r>
}

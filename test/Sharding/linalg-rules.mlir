// RUN: dmc-opt %s --dmc-print-sharding-rules -verify-diagnostics -o /dev/null

func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark@below {{([i, k], [k, j], [i, j]) -> ([i, j]) {i=4, j=6, k=8 sum}}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-remark@below {{([i, j]) -> () {i=4, j=6}}}
  return %0 : tensor<4x6xf32>
}

// A reduction by a NaN-keeping maximum splits with max.
func.func @reduce_max(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 max}}}
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  // expected-remark@below {{([i]) -> () {i=4}}}
  return %0 : tensor<4xf32>
}

// maxnumf loses NaN: partial values of it do not combine.
func.func @reduce_maxnum(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 whole}}}
  %0 = linalg.reduce { arith.maxnumf } ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  // expected-remark@below {{([i]) -> () {i=4}}}
  return %0 : tensor<4xf32>
}

// On i1, or is the maximum; of signed i1 numbers true is the smaller.
func.func @reduce_i1(%a: tensor<4x8xi1>, %c: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 max}}}
  %0 = linalg.reduce { arith.ori } ins(%a : tensor<4x8xi1>) outs(%c : tensor<4xi1>) dimensions = [1]
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 min}}}
  %1 = linalg.reduce { arith.maxsi } ins(%a : tensor<4x8xi1>) outs(%c : tensor<4xi1>) dimensions = [1]
  // expected-remark@below {{([i], [j]) -> () {i=4, j=4}}}
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// Layouts do not know signedness: an unsigned maximum is not split.
func.func @reduce_unsigned(%a: tensor<4x8xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 whole}}}
  %0 = linalg.reduce { arith.maxui } ins(%a : tensor<4x8xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  // expected-remark@below {{([i]) -> () {i=4}}}
  return %0 : tensor<4xi32>
}

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// acc - f(x) sums the values -f(x); f may not read acc.
func.func @accumulate(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 sum}}}
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %e = math.exp %x : f32
    %s = arith.subf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // expected-remark@below {{([i, j], [i]) -> ([i]) {i=4, j=8 whole}}}
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %m = arith.mulf %x, %acc : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // expected-remark@below {{([i], [j]) -> () {i=4, j=4}}}
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two reductions with two combiners cannot share a layout's one combiner.
func.func @two_combiners(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark@below {{([i, j], [i], [i]) -> ([i], [i]) {i=4, j=8 whole}}}
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%c, %c : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32, %top: f32):
    %s = arith.addf %acc, %x : f32
    %t = arith.maximumf %top, %x : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  // expected-remark@below {{([i], [j]) -> () {i=4, j=4}}}
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Windows overlap; a reversed dimension is one; a diagonal would need an axis twice.
#in = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
#win = affine_map<(d0, d1, d2) -> (d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#rev = affine_map<(d0, d1) -> (d0, 7 - d1)>
#diag = affine_map<(d0) -> (d0, d0)>
#vec = affine_map<(d0) -> (d0)>
func.func @windows(%a: tensor<4x8xf32>, %w: tensor<3xf32>, %c: tensor<4x6xf32>, %d: tensor<4x8xf32>,
                   %s: tensor<8x8xf32>, %v: tensor<8xf32>) {
  // expected-remark@below {{([i, l], [k], [i, j]) -> ([i, j]) {i=4, j=6 window, k=3 window, l=8 whole}}}
  %0 = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<4x8xf32>, tensor<3xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %m = arith.addf %acc, %x : f32
    linalg.yield %m : f32
  } -> tensor<4x6xf32>
  // expected-remark@below {{([i, k], [i, j]) -> ([i, j]) {i=4, j=8 window, k=8 whole}}}
  %1 = linalg.generic {indexing_maps = [#rev, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%d : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  // expected-remark@below {{([i, i], [i]) -> ([i]) {i=8 window}}}
  %2 = linalg.generic {indexing_maps = [#diag, #vec], iterator_types = ["parallel"]}
      ins(%s : tensor<8x8xf32>) outs(%v : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return
}

// Scalars are not operands of the rule; linalg.index is allowed.
func.func @scalars(%f: f32, %e: tensor<4x8xf32>, %i: tensor<8xi32>) {
  // expected-remark@below {{([i, j]) -> ([i, j]) {i=4, j=8}}}
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{([i]) -> ([i]) {i=8}}}
  %1 = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%i : tensor<8xi32>) {
  ^bb0(%x: i32):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i32
    linalg.yield %c : i32
  } -> tensor<8xi32>
  return
}

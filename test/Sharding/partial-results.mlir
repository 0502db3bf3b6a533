// RUN: dmc-opt %s --dmc-print-sharding-rules=partial=true -verify-diagnostics -o /dev/null

// Sets of operands that may be partial jointly: 0 and 1 are the inputs, the
// destination is not read.
func.func @binary_float(%x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-remark@below {{partial: sum {0, 1} -> sum}}
  linalg.map { arith.addf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: sum {0, 1} -> sum}}
  linalg.map { arith.subf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: sum {0} -> sum, sum {1} -> sum, prod {0, 1} -> prod}}
  linalg.map { arith.mulf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: sum {0} -> sum, prod {0, 1} -> prod}}
  linalg.map { arith.divf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: max {0} -> max, max {1} -> max, max {0, 1} -> max, min {0} -> min, min {1} -> min}}
  linalg.map { arith.maximumf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // maxnumf loses NaN.
  // expected-remark@below {{partial: none}}
  linalg.map { arith.maxnumf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  return
}

func.func @unary_float(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-remark@below {{partial: sum {0} -> sum, max {0} -> min, min {0} -> max}}
  linalg.map { arith.negf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: max {0} -> max, min {0} -> min}}
  linalg.map { math.exp } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: prod {0} -> prod}}
  linalg.map { math.absf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: none}}
  linalg.map { math.log } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  // A value used twice counts at every use: the square is a product only.
  // expected-remark@below {{partial: prod {0} -> prod}}
  linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  }
  // expected-remark@below {{partial: sum {0} -> sum}}
  linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  }
  return
}

func.func @constants(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  %c0 = arith.constant 0.0 : f32
  %c2 = arith.constant 2.0 : f32
  %cm = arith.constant -2.0 : f32
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %two = linalg.fill ins(%c2 : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %minus = linalg.fill ins(%cm : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // relu of a maximum is one, of a sum not.
  // expected-remark@below {{partial: max {0} -> max, max {1} -> max, max {0, 1} -> max, min {0} -> min, min {1} -> min}}
  linalg.map { arith.maximumf } ins(%x, %zero : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // The sign of a constant decides.
  // expected-remark@below {{partial: sum {0} -> sum, sum {1} -> sum, prod {0, 1} -> prod, max {0} -> max, min {0} -> min}}
  linalg.map { arith.mulf } ins(%x, %two : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: sum {0} -> sum, sum {1} -> sum, prod {0, 1} -> prod, max {0} -> min, min {0} -> max}}
  linalg.map { arith.mulf } ins(%x, %minus : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // Adding a constant: finite ones keep the order; zero adds nothing to each partial value.
  // expected-remark@below {{partial: sum {0, 1} -> sum, max {0} -> max, min {0} -> min}}
  linalg.map { arith.addf } ins(%x, %two : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: sum {0} -> sum, sum {0, 1} -> sum, max {0} -> max, min {0} -> min}}
  linalg.map { arith.addf } ins(%x, %zero : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  return
}

func.func @select(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<4xf32>) {
  %c0 = arith.constant 0.0 : f32
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{partial: sum {1, 2} -> sum, prod {1, 2} -> prod, max {1, 2} -> max, min {1, 2} -> min}}
  linalg.map { arith.select } ins(%p, %x, %y : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: sum {1} -> sum, sum {1, 2} -> sum, prod {1} -> prod, prod {1, 2} -> prod, max {1} -> max, max {1, 2} -> max, min {1} -> min, min {1, 2} -> min}}
  linalg.map { arith.select } ins(%p, %x, %zero : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  return
}

func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>, %e: tensor<4xi32>, %p: tensor<4xi1>, %q: tensor<4xi1>, %f: tensor<4xf32>) {
  // expected-remark@below {{partial: sum {0, 1} -> sum}}
  linalg.map { arith.addi } ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  // expected-remark@below {{partial: sum {0} -> sum, sum {1} -> sum, prod {0, 1} -> prod}}
  linalg.map { arith.muli } ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  // expected-remark@below {{partial: none}}
  linalg.map { arith.divsi } ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  // expected-remark@below {{partial: max {0} -> max, max {1} -> max, max {0, 1} -> max, min {0} -> min, min {1} -> min}}
  linalg.map { arith.maxsi } ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  // expected-remark@below {{partial: none}}
  linalg.map { arith.maxui } ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  // expected-remark@below {{partial: sum {0} -> sum}}
  linalg.map { arith.shli } ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  // Comparisons of integers keep or swap the order; of floats NaN breaks it.
  // expected-remark@below {{partial: max {0} -> max, max {1} -> min, min {0} -> min, min {1} -> max}}
  linalg.map ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%p : tensor<4xi1>) (%a: i32, %b: i32, %o: i1) {
    %m = arith.cmpi sgt, %a, %b : i32
    linalg.yield %m : i1
  }
  // expected-remark@below {{partial: none}}
  linalg.map ins(%f, %f : tensor<4xf32>, tensor<4xf32>) outs(%p : tensor<4xi1>) (%a: f32, %b: f32, %o: i1) {
    %m = arith.cmpf ogt, %a, %b : f32
    linalg.yield %m : i1
  }
  // On i1: or is max, and is min, exclusive or neither; true is -1 as a signed number.
  // expected-remark@below {{max}}
  linalg.map { arith.ori } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>)
  // expected-remark@below {{partial: none}}
  linalg.map { arith.xori } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>)
  // expected-remark@below {{partial: none}}
  linalg.map { arith.maxsi } ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%p : tensor<4xi1>)
  return
}

func.func @conversions(%x: tensor<4xbf16>, %y: tensor<4xf32>, %e: tensor<4xf32>, %h: tensor<4xbf16>,
                       %i: tensor<4xi32>, %p: tensor<4xi1>) {
  // Widening keeps sums, narrowing does not.
  // expected-remark@below {{partial: sum {0} -> sum, max {0} -> max, min {0} -> min}}
  linalg.map { arith.extf } ins(%x : tensor<4xbf16>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: max {0} -> max, min {0} -> min}}
  linalg.map { arith.truncf } ins(%y : tensor<4xf32>) outs(%h : tensor<4xbf16>)
  // Unless that is permitted.
  // expected-remark@below {{partial: sum {0} -> sum, max {0} -> max, min {0} -> min}}
  linalg.map { arith.truncf } ins(%y : tensor<4xf32>) outs(%h : tensor<4xbf16>) {dmc.narrow_partials}
  // expected-remark@below {{partial: max {0} -> max, min {0} -> min}}
  linalg.map { arith.sitofp } ins(%i : tensor<4xi32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: none}}
  linalg.map { arith.uitofp } ins(%i : tensor<4xi32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: max {0} -> max, min {0} -> min}}
  linalg.map { arith.uitofp } ins(%p : tensor<4xi1>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: none}}
  linalg.map { arith.fptosi } ins(%y : tensor<4xf32>) outs(%i : tensor<4xi32>)
  return
}

// A loop hands its result on: the destination is partial with one operand.
func.func @loops(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>, %r: tensor<4xf32>) {
  // expected-remark@below {{partial: sum {0, 2} -> sum, sum {1, 2} -> sum}}
  linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-remark@below {{partial: max {1} -> max, max {0, 1} -> max, min {1} -> min}}
  linalg.reduce { arith.maximumf } ins(%a : tensor<4x8xf32>) outs(%r : tensor<4xf32>) dimensions = [1]
  return
}

func.func @tensors(%a: tensor<4x8xf32>, %b: tensor<4x2xf32>, %f: f32) {
  %c0 = arith.constant 0.0 : f32
  %c1 = arith.constant 1.0 : f32
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // A padding value stands on all positions.
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %1 = tensor.pad %b low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c0 : f32
  } : tensor<4x2xf32> to tensor<4x4xf32>
  // expected-remark@below {{partial: prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %2 = tensor.pad %b low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c1 : f32
  } : tensor<4x2xf32> to tensor<4x4xf32>
  // expected-remark@below {{partial: sum {0, 1} -> sum, prod {0, 1} -> prod, max {0, 1} -> max, min {0, 1} -> min}}
  %3 = tensor.concat dim(1) %a, %b : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  return
}

func.func @indices(%t: tensor<32x6xf32>, %i: tensor<8x1xi32>, %u: tensor<8x6xf32>) {
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod, max {0} -> max, min {0} -> min}}
  %0 = dmc.gather ins(%t, %i : tensor<32x6xf32>, tensor<8x1xi32>) outs(%u : tensor<8x6xf32>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 6>} -> tensor<8x6xf32>
  // expected-remark@below {{partial: sum {1, 2} -> sum}}
  %1 = dmc.scatter ins(%i, %u : tensor<8x1xi32>, tensor<8x6xf32>) outs(%t : tensor<32x6xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<32x6xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  return
}

func.func @monotone(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>, %e: tensor<4xf32>, %f: tensor<4xi32>,
                    %g: tensor<4xi8>, %h: tensor<4xi1>) {
  // expected-remark@below {{partial: max {0} -> max, min {0} -> min}}
  linalg.map { math.erf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  // expected-remark@below {{partial: max {0} -> min, min {0} -> max}}
  linalg.map { math.erfc } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  // A run-time divisor may be negative.
  // expected-remark@below {{partial: none}}
  linalg.map { arith.divsi } ins(%i, %i : tensor<4xi32>, tensor<4xi32>) outs(%f : tensor<4xi32>)
  // expected-remark@below {{partial: max {0} -> max, min {0} -> min}}
  linalg.map ins(%i : tensor<4xi32>) outs(%f : tensor<4xi32>) (%a: i32, %o: i32) {
    %c = arith.constant 3 : i32
    %q = arith.divsi %a, %c : i32
    linalg.yield %q : i32
  }
  // The complement is the negation of all and the other way round.
  // expected-remark@below {{partial: max {0} -> min, min {0} -> max}}
  linalg.map ins(%p : tensor<4xi1>) outs(%h : tensor<4xi1>) (%a: i1, %o: i1) {
    %c = arith.constant true
    %q = arith.xori %a, %c : i1
    linalg.yield %q : i1
  }
  // expected-remark@below {{partial: sum {0} -> sum, prod {0} -> prod}}
  linalg.map ins(%i : tensor<4xi32>) outs(%g : tensor<4xi8>) (%a: i32, %o: i8) {
    %q = arith.trunci %a : i32 to i8
    linalg.yield %q : i8
  }
  return
}

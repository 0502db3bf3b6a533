// Contractions and reductions: reduction loops, initial values, several results.

func.func @matmul(%a: tensor<3x5xf32>, %b: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @matmul_accumulates(%a: tensor<3x5xf32>, %b: tensor<5x2xf32>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x2xf32>) outs(%c : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @matmul_of_itself(%a: tensor<3x3xf32>, %c: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = linalg.matmul ins(%a, %a : tensor<3x3xf32>, tensor<3x3xf32>) outs(%c : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

func.func @matmul_integers(%a: tensor<3x5xi8>, %b: tensor<5x2xi8>, %c: tensor<3x2xi8>) -> tensor<3x2xi8> {
  %r = linalg.matmul ins(%a, %b : tensor<3x5xi8>, tensor<5x2xi8>) outs(%c : tensor<3x2xi8>) -> tensor<3x2xi8>
  return %r : tensor<3x2xi8>
}

func.func @matmul_widens(%a: tensor<3x5xi8>, %b: tensor<5x2xi8>, %c: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x5xi8>, tensor<5x2xi8>) outs(%c : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %r : tensor<3x2xi32>
}

func.func @matmul_widens_floats(%a: tensor<3x5xbf16>, %b: tensor<5x2xbf16>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x5xbf16>, tensor<5x2xbf16>) outs(%c : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @matmul_transposed(%a: tensor<5x3xf32>, %b: tensor<2x5xf32>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> attributes {dmc.check = "linalg.generic"} {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x3xf32>, tensor<2x5xf32>) outs(%c : tensor<3x2xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @batch_matmul(%a: tensor<2x3x2xf32>, %b: tensor<2x2x3xf32>, %c: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x3x2xf32>, tensor<2x2x3xf32>) outs(%c : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @matvec(%a: tensor<5x3xf32>, %b: tensor<3xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.matvec ins(%a, %b : tensor<5x3xf32>, tensor<3xf32>) outs(%c : tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @dot(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%a, %b : tensor<5xf32>, tensor<5xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func @outer(%a: tensor<3xf32>, %b: tensor<2xf32>) -> tensor<3x2xf32> attributes {dmc.check = "linalg.generic"} {
  %e = tensor.empty() : tensor<3x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<3xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @two_reduction_loops(%a: tensor<3x5x2xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.reduce { arith.addf } ins(%a : tensor<3x5x2xf32>) outs(%c : tensor<3xf32>) dimensions = [1, 2]
  return %r : tensor<3xf32>
}

func.func @reduce_sum(%a: tensor<5x2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<5x2xf32>) outs(%init : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}

func.func @reduce_sum_from_seven(%a: tensor<5x2xf32>) -> tensor<2xf32> {
  %seven = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%seven : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<5x2xf32>) outs(%init : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}

func.func @reduce_prod(%a: tensor<5x2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.reduce { arith.mulf } ins(%a : tensor<5x2xf32>) outs(%c : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}

func.func @reduce_max(%a: tensor<5x2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.reduce { arith.maximumf } ins(%a : tensor<5x2xf32>) outs(%c : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}

func.func @reduce_maxnum(%a: tensor<5x2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.reduce { arith.maxnumf } ins(%a : tensor<5x2xf32>) outs(%c : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}

func.func @reduce_min_integers(%a: tensor<5x2xi8>, %c: tensor<2xi8>) -> tensor<2xi8> {
  %r = linalg.reduce { arith.minsi } ins(%a : tensor<5x2xi8>) outs(%c : tensor<2xi8>) dimensions = [0]
  return %r : tensor<2xi8>
}

func.func @reduce_max_unsigned(%a: tensor<5x2xi8>, %c: tensor<2xi8>) -> tensor<2xi8> {
  %r = linalg.reduce { arith.maxui } ins(%a : tensor<5x2xi8>) outs(%c : tensor<2xi8>) dimensions = [0]
  return %r : tensor<2xi8>
}

func.func @reduce_sum_integers(%a: tensor<5x2xi8>, %c: tensor<2xi8>) -> tensor<2xi8> {
  %r = linalg.reduce { arith.addi } ins(%a : tensor<5x2xi8>) outs(%c : tensor<2xi8>) dimensions = [0]
  return %r : tensor<2xi8>
}

func.func @reduce_or(%a: tensor<5x2xi1>, %c: tensor<2xi1>) -> tensor<2xi1> {
  %r = linalg.reduce { arith.ori } ins(%a : tensor<5x2xi1>) outs(%c : tensor<2xi1>) dimensions = [0]
  return %r : tensor<2xi1>
}

func.func @reduce_and(%a: tensor<5x2xi1>, %c: tensor<2xi1>) -> tensor<2xi1> {
  %r = linalg.reduce { arith.andi } ins(%a : tensor<5x2xi1>) outs(%c : tensor<2xi1>) dimensions = [0]
  return %r : tensor<2xi1>
}

func.func @reduce_and_bits(%a: tensor<5x2xi8>, %c: tensor<2xi8>) -> tensor<2xi8> {
  %r = linalg.reduce { arith.andi } ins(%a : tensor<5x2xi8>) outs(%c : tensor<2xi8>) dimensions = [0]
  return %r : tensor<2xi8>
}

func.func @reduce_xor(%a: tensor<5x2xi1>, %c: tensor<2xi1>) -> tensor<2xi1> {
  %r = linalg.reduce { arith.xori } ins(%a : tensor<5x2xi1>) outs(%c : tensor<2xi1>) dimensions = [0]
  return %r : tensor<2xi1>
}

func.func @reduce_everything(%a: tensor<5x2xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce { arith.addf } ins(%a : tensor<5x2xf32>) outs(%c : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}

func.func @reduce_difference(%a: tensor<5xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce ins(%a : tensor<5xf32>) outs(%c : tensor<f32>) dimensions = [0]
    (%x: f32, %acc: f32) {
      %d = arith.subf %acc, %x : f32
      linalg.yield %d : f32
    }
  return %r : tensor<f32>
}

func.func @reduce_of_squares(%a: tensor<5x2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.reduce ins(%a : tensor<5x2xf32>) outs(%c : tensor<2xf32>) dimensions = [0]
    (%x: f32, %acc: f32) {
      %s = arith.mulf %x, %x : f32
      %d = arith.addf %acc, %s : f32
      linalg.yield %d : f32
    }
  return %r : tensor<2xf32>
}

func.func @reduce_decays(%a: tensor<5xf32>, %c: tensor<f32>) -> tensor<f32> {
  %half = arith.constant 0.5 : f32
  %r = linalg.reduce ins(%a : tensor<5xf32>) outs(%c : tensor<f32>) dimensions = [0]
    (%x: f32, %acc: f32) {
      %s = arith.mulf %acc, %half : f32
      %d = arith.addf %s, %x : f32
      linalg.yield %d : f32
    }
  return %r : tensor<f32>
}

func.func @reduce_max_and_sum(%a: tensor<5x2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {dmc.check = "linalg.reduce of several"} {
  %m, %s = linalg.reduce ins(%a, %a : tensor<5x2xf32>, tensor<5x2xf32>) outs(%c, %d : tensor<2xf32>, tensor<2xf32>) dimensions = [0]
    (%x: f32, %y: f32, %m0: f32, %s0: f32) {
      %m1 = arith.maximumf %x, %m0 : f32
      %s1 = arith.addf %y, %s0 : f32
      linalg.yield %m1, %s1 : f32, f32
    }
  return %m, %s : tensor<2xf32>, tensor<2xf32>
}

func.func @reduce_two_sums(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<f32>) -> (tensor<f32>, tensor<f32>) attributes {dmc.check = "linalg.reduce of several"} {
  %m, %s = linalg.reduce ins(%a, %b : tensor<5xf32>, tensor<5xf32>) outs(%c, %d : tensor<f32>, tensor<f32>) dimensions = [0]
    (%x: f32, %y: f32, %m0: f32, %s0: f32) {
      %m1 = arith.addf %x, %m0 : f32
      %s1 = arith.addf %y, %s0 : f32
      linalg.yield %m1, %s1 : f32, f32
    }
  return %m, %s : tensor<f32>, tensor<f32>
}

func.func @argmax(%a: tensor<5x2xf32>, %c: tensor<2xf32>, %d: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) attributes {dmc.check = "argmax"} {
  %m, %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]} ins(%a : tensor<5x2xf32>) outs(%c, %d : tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%x: f32, %m0: f32, %i0: i32):
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i32
    %more = arith.cmpf ogt, %x, %m0 : f32
    %m1 = arith.select %more, %x, %m0 : f32
    %i1 = arith.select %more, %at, %i0 : i32
    linalg.yield %m1, %i1 : f32, i32
  } -> (tensor<2xf32>, tensor<2xi32>)
  return %m, %s : tensor<2xf32>, tensor<2xi32>
}

func.func @weighted_by_index(%a: tensor<5x2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> attributes {dmc.check = "linalg.index"} {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]} ins(%a : tensor<5x2xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %w = arith.sitofp %n : i32 to f32
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @iota(%a: tensor<5x2xi32>) -> tensor<5x2xi32> attributes {dmc.check = "linalg.index"} {
  %e = tensor.empty() : tensor<5x2xi32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x2xi32>) outs(%e : tensor<5x2xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %s = arith.addi %n, %x : i32
    linalg.yield %s : i32
  } -> tensor<5x2xi32>
  return %r : tensor<5x2xi32>
}

func.func @iota_alone() -> tensor<5x2xi32> attributes {dmc.check = "linalg.index"} {
  %e = tensor.empty() : tensor<5x2xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<5x2xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<5x2xi32>
  return %r : tensor<5x2xi32>
}

func.func @fill(%a: tensor<5xf32>) -> tensor<5xf32> attributes {dmc.check = "linalg.fill"} {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.map { arith.maximumf } ins(%f, %a : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>)
  return %r : tensor<5xf32>
}

func.func @max_of_products(%a: tensor<3x5xf32>, %b: tensor<5x2xf32>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> attributes {dmc.check = "linalg.generic"} {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<5x2xf32>) outs(%c : tensor<3x2xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.maximumf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @does_not_read_an_operand(%a: tensor<2xf32>, %w: tensor<5xf32>, %c: tensor<2xf32>) -> tensor<2xf32> attributes {dmc.check = "linalg.generic"} {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]} ins(%a, %w : tensor<2xf32>, tensor<5xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @two_results(%a: tensor<5x2xf32>, %c: tensor<5xf32>) -> (tensor<5x2xf32>, tensor<5xf32>) attributes {dmc.check = "linalg.generic of several"} {
  %e = tensor.empty() : tensor<5x2xf32>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<5x2xf32>) outs(%e, %c : tensor<5x2xf32>, tensor<5xf32>) {
  ^bb0(%x: f32, %o: f32, %acc: f32):
    %t = arith.negf %x : f32
    %s = arith.addf %acc, %x : f32
    linalg.yield %t, %s : f32, f32
  } -> (tensor<5x2xf32>, tensor<5xf32>)
  return %r#0, %r#1 : tensor<5x2xf32>, tensor<5xf32>
}

func.func @mean(%a: tensor<5x2xf32>) -> tensor<2xf32> attributes {dmc.check = "mean"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<5x2xf32>) outs(%init : tensor<2xf32>) dimensions = [0]
  %r = linalg.map ins(%s : tensor<2xf32>) outs(%e : tensor<2xf32>)
    (%x: f32, %o: f32) {
      %n = arith.constant 5.0 : f32
      %y = arith.divf %x, %n : f32
      linalg.yield %y : f32
    }
  return %r : tensor<2xf32>
}

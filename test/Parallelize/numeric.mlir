// A step with lookups, a contraction, softmax, reshapes, a cache and an update, the
// same on one device and on the ranks of each case, sizes that do not divide included.
// RUN: rm -rf %t && mkdir %t
// RUN: dmc-interpret %s --seed=7 --output-dir=%t
// RUN: dmc-opt %s --dmc-apply-layouts="layouts-file=%S/Inputs/numeric.json case=batch" --dmc-copy-cheap-values --dmc-propagate-layouts --dmc-materialize-moves -o %t.m.mlir
// RUN: dmc-interpret %t.m.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %t.m.mlir --dmc-expand-reshards --dmc-simplify-moves -o %t.1.mlir
// RUN: dmc-interpret %t.1.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %s --dmc-apply-layouts="layouts-file=%S/Inputs/numeric.json case=uneven" --dmc-copy-cheap-values --dmc-propagate-layouts --dmc-materialize-moves --dmc-expand-reshards --dmc-simplify-moves -o %t.2.mlir
// RUN: dmc-interpret %t.2.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %s --dmc-apply-layouts="layouts-file=%S/Inputs/numeric.json case=rows" --dmc-copy-cheap-values --dmc-propagate-layouts --dmc-materialize-moves --dmc-expand-reshards --dmc-simplify-moves -o %t.3.mlir
// RUN: dmc-interpret %t.3.mlir --seed=7 --expect-dir=%t
// RUN: dmc-opt %s --dmc-apply-layouts="layouts-file=%S/Inputs/numeric.json case=both" --dmc-copy-cheap-values --dmc-propagate-layouts --dmc-materialize-moves --dmc-expand-reshards --dmc-simplify-moves -o %t.4.mlir
// RUN: dmc-interpret %t.4.mlir --seed=7 --expect-dir=%t

#bsd = affine_map<(b, s, n, k) -> (b, s, k)>
#kn = affine_map<(b, s, n, k) -> (k, n)>
#bsn = affine_map<(b, s, n, k) -> (b, s, n)>
#dw_x = affine_map<(k, n, b, s) -> (b, s, k)>
#dw_y = affine_map<(k, n, b, s) -> (b, s, n)>
#dw = affine_map<(k, n, b, s) -> (k, n)>
module attributes {dmc.program = #dmc.program<tensor "step",
    arguments ["table" : tensor<11x6xf32> donates 0, "w" : tensor<6x8xf32> donates 1, "cache" : tensor<4x9x8xf32> donates 2,
               "ids" : tensor<4x5x1xi32>, "position" : tensor<i32>],
    results ["table" : tensor<11x6xf32>, "w" : tensor<6x8xf32>, "cache" : tensor<4x9x8xf32>, "loss" : tensor<f32>, "heads" : tensor<4x5x2x4xf32>]>} {
  func.func @main(%table: tensor<11x6xf32>, %w: tensor<6x8xf32>, %cache: tensor<4x9x8xf32>, %ids: tensor<4x5x1xi32>, %position: tensor<i32>)
      -> (tensor<11x6xf32>, tensor<6x8xf32>, tensor<4x9x8xf32>, tensor<f32>, tensor<4x5x2x4xf32>) {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %rate = arith.constant 0.125 : f32
    %c0 = arith.constant dense<0> : tensor<i32>

    // A lookup and a contraction.
    %ex = tensor.empty() : tensor<4x5x6xf32>
    %x = dmc.gather ins(%table, %ids : tensor<11x6xf32>, tensor<4x5x1xi32>) outs(%ex : tensor<4x5x6xf32>)
        {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
         index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 6>} -> tensor<4x5x6xf32>
    %ey = tensor.empty() : tensor<4x5x8xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
    %y = linalg.generic {indexing_maps = [#bsd, #kn, #bsn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<4x5x6xf32>, tensor<6x8xf32>) outs(%y0 : tensor<4x5x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<4x5x8xf32>

    // Softmax over the last dimension.
    %er = tensor.empty() : tensor<4x5xf32>
    %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<4x5xf32>) -> tensor<4x5xf32>
    %max = linalg.reduce { arith.maximumf } ins(%y : tensor<4x5x8xf32>) outs(%m0 : tensor<4x5xf32>) dimensions = [2]
    %maxb = linalg.broadcast ins(%max : tensor<4x5xf32>) outs(%ey : tensor<4x5x8xf32>) dimensions = [2]
    %d = linalg.map { arith.subf } ins(%y, %maxb : tensor<4x5x8xf32>, tensor<4x5x8xf32>) outs(%ey : tensor<4x5x8xf32>)
    %e = linalg.map { math.exp } ins(%d : tensor<4x5x8xf32>) outs(%ey : tensor<4x5x8xf32>)
    %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4x5xf32>) -> tensor<4x5xf32>
    %sum = linalg.reduce { arith.addf } ins(%e : tensor<4x5x8xf32>) outs(%s0 : tensor<4x5xf32>) dimensions = [2]
    %sumb = linalg.broadcast ins(%sum : tensor<4x5xf32>) outs(%ey : tensor<4x5x8xf32>) dimensions = [2]
    %p = linalg.map { arith.divf } ins(%e, %sumb : tensor<4x5x8xf32>, tensor<4x5x8xf32>) outs(%ey : tensor<4x5x8xf32>)
    %heads = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [4, 5, 2, 4] : tensor<4x5x8xf32> into tensor<4x5x2x4xf32>

    // One position of the cache is written.
    %last = tensor.extract_slice %p[0, 4, 0] [4, 1, 8] [1, 1, 1] : tensor<4x5x8xf32> to tensor<4x1x8xf32>
    %cache1 = dmc.dynamic_update_slice ins(%last : tensor<4x1x8xf32>) at(%c0, %position, %c0 : tensor<i32>, tensor<i32>, tensor<i32>)
        outs(%cache : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
    %ef = tensor.empty() : tensor<f32>
    %l0 = linalg.fill ins(%zero : f32) outs(%ef : tensor<f32>) -> tensor<f32>
    %loss = linalg.reduce { arith.addf } ins(%cache1 : tensor<4x9x8xf32>) outs(%l0 : tensor<f32>) dimensions = [0, 1, 2]

    // Updates from sums over the batch; the table's also by the ids, twice.
    %ew = tensor.empty() : tensor<6x8xf32>
    %g0 = linalg.fill ins(%zero : f32) outs(%ew : tensor<6x8xf32>) -> tensor<6x8xf32>
    %g = linalg.generic {indexing_maps = [#dw_x, #dw_y, #dw], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %p : tensor<4x5x6xf32>, tensor<4x5x8xf32>) outs(%g0 : tensor<6x8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<6x8xf32>
    %rw = linalg.fill ins(%rate : f32) outs(%ew : tensor<6x8xf32>) -> tensor<6x8xf32>
    %step = linalg.map { arith.mulf } ins(%g, %rw : tensor<6x8xf32>, tensor<6x8xf32>) outs(%ew : tensor<6x8xf32>)
    %w1 = linalg.map { arith.subf } ins(%w, %step : tensor<6x8xf32>, tensor<6x8xf32>) outs(%ew : tensor<6x8xf32>)
    %et = tensor.empty() : tensor<11x6xf32>
    %t0 = linalg.fill ins(%zero : f32) outs(%et : tensor<11x6xf32>) -> tensor<11x6xf32>
    %ta = dmc.scatter ins(%ids, %x : tensor<4x5x1xi32>, tensor<4x5x6xf32>) outs(%t0 : tensor<11x6xf32>)
        {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>,
         scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 2 : i64} -> tensor<11x6xf32> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      dmc.yield %s : f32
    }
    %xx = linalg.map { math.tanh } ins(%x : tensor<4x5x6xf32>) outs(%ex : tensor<4x5x6xf32>)
    %tb = dmc.scatter ins(%ids, %xx : tensor<4x5x1xi32>, tensor<4x5x6xf32>) outs(%t0 : tensor<11x6xf32>)
        {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>,
         scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 2 : i64} -> tensor<11x6xf32> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      dmc.yield %s : f32
    }
    %tg = linalg.map { arith.addf } ins(%ta, %tb : tensor<11x6xf32>, tensor<11x6xf32>) outs(%et : tensor<11x6xf32>)
    %table1 = linalg.map { arith.subf } ins(%table, %tg : tensor<11x6xf32>, tensor<11x6xf32>) outs(%et : tensor<11x6xf32>)
    return %table1, %w1, %cache1, %loss, %heads : tensor<11x6xf32>, tensor<6x8xf32>, tensor<4x9x8xf32>, tensor<f32>, tensor<4x5x2x4xf32>
  }
}

// Reductions whose elements keep their order: a position of two dimensions that the body itself names, the smallest of
// two keys with what belongs to it, and one beside a sum of the same rows.
func.func @main(%x: tensor<6x5x130xf32>, %k: tensor<37x100xi8>, %l: tensor<37x100xi32>, %p: tensor<37x100xf32>)
    -> (tensor<6x5xf32>, tensor<6x5xi64>, tensor<37xi8>, tensor<37xi32>, tensor<37xf32>, tensor<37x100xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i64
  %e0 = tensor.empty() : tensor<6x5xf32>
  %e1 = tensor.empty() : tensor<6x5xi64>
  %i0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %i1 = linalg.fill ins(%none : i64) outs(%e1 : tensor<6x5xi64>) -> tensor<6x5xi64>
  %most:2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<6x5x130xf32>) outs(%i0, %i1 : tensor<6x5xf32>, tensor<6x5xi64>) {
  ^bb0(%in: f32, %best: f32, %where: i64):
    %n = linalg.index 2 : index
    %c = arith.index_cast %n : index to i64
    %g = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %g, %in, %best : f32
    %w = arith.select %g, %c, %where : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<6x5xf32>, tensor<6x5xi64>)
  %ck = stablehlo.constant dense<127> : tensor<i8>
  %cl = stablehlo.constant dense<2147483647> : tensor<i32>
  %cp = stablehlo.constant dense<0.0> : tensor<f32>
  %least:3 = "stablehlo.reduce"(%k, %l, %p, %ck, %cl, %cp) <{dimensions = array<i64: 1>}> ({
  ^bb0(%ka: tensor<i8>, %la: tensor<i32>, %pa: tensor<f32>, %kb: tensor<i8>, %lb: tensor<i32>, %pb: tensor<f32>):
    %lt = stablehlo.compare LT, %ka, %kb, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %ka, %kb, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %le = stablehlo.compare LE, %la, %lb, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %eq, %le : tensor<i1>
    %first = stablehlo.or %lt, %both : tensor<i1>
    %rk = stablehlo.select %first, %ka, %kb : tensor<i1>, tensor<i8>
    %rl = stablehlo.select %first, %la, %lb : tensor<i1>, tensor<i32>
    %rp = stablehlo.select %first, %pa, %pb : tensor<i1>, tensor<f32>
    stablehlo.return %rk, %rl, %rp : tensor<i8>, tensor<i32>, tensor<f32>
  }) : (tensor<37x100xi8>, tensor<37x100xi32>, tensor<37x100xf32>, tensor<i8>, tensor<i32>, tensor<f32>) -> (tensor<37xi8>, tensor<37xi32>, tensor<37xf32>)
  %pl = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %pi = stablehlo.iota dim = 1 : tensor<37x100xi32>
  %pz = stablehlo.constant dense<0> : tensor<i32>
  %top:2 = "stablehlo.reduce"(%p, %pi, %pl, %pz) <{dimensions = array<i64: 1>}> ({
  ^bb0(%va: tensor<f32>, %wa: tensor<i32>, %vb: tensor<f32>, %wb: tensor<i32>):
    %ge = stablehlo.compare GE, %va, %vb, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %rv = stablehlo.select %ge, %va, %vb : tensor<i1>, tensor<f32>
    %rw = stablehlo.select %ge, %wa, %wb : tensor<i1>, tensor<i32>
    stablehlo.return %rv, %rw : tensor<f32>, tensor<i32>
  }) : (tensor<37x100xf32>, tensor<37x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<37xf32>, tensor<37xi32>)
  %tw = stablehlo.broadcast_in_dim %top#1, dims = [0] : (tensor<37xi32>) -> tensor<37x100xi32>
  %hot = stablehlo.compare EQ, %pi, %tw, SIGNED : (tensor<37x100xi32>, tensor<37x100xi32>) -> tensor<37x100xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<37x100xf32>
  %kept = stablehlo.select %hot, %p, %zeros : tensor<37x100xi1>, tensor<37x100xf32>
  return %most#0, %most#1, %least#0, %least#1, %least#2, %kept : tensor<6x5xf32>, tensor<6x5xi64>, tensor<37xi8>, tensor<37xi32>, tensor<37xf32>, tensor<37x100xf32>
}

// Functions of f64 that devices compute by arithmetic; of magnitudes, since logarithms of negative numbers have no value.
func.func @main(%x: tensor<1000xf64>) -> (tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>) {
  %e = tensor.empty() : tensor<1000xf64>
  %a = linalg.map { math.absf } ins(%x : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %0 = linalg.map { math.exp } ins(%x : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %1 = linalg.map { math.exp2 } ins(%x : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %2 = linalg.map { math.expm1 } ins(%x : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %3 = linalg.map { math.log } ins(%a : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %4 = linalg.map { math.log10 } ins(%a : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %5 = linalg.map { math.log1p } ins(%a : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %6 = linalg.map { math.log2 } ins(%a : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  %7 = linalg.map { math.tanh } ins(%x : tensor<1000xf64>) outs(%e : tensor<1000xf64>)
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>, tensor<1000xf64>
}

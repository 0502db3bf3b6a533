// Rows of which a thread has all, that are one access or less, and sums of few rows into few columns.
func.func @main(%x: tensor<4096x4xf32>, %y: tensor<1000x2xf32>, %b: tensor<777x8xbf16>, %c: tensor<511x3xf32>, %r: tensor<2x96x40xf32>, %h: tensor<200x24xbf16>, %v: tensor<37x5xf64>)
    -> (tensor<4096x4xf32>, tensor<1000xf32>, tensor<777x8xbf16>, tensor<511x3xf32>, tensor<40xf32>, tensor<24xbf16>, tensor<5xf64>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zb = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %zd = stablehlo.constant dense<1.0> : tensor<f64>
  %e = stablehlo.exponential %x : tensor<4096x4xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4096x4xf32>, tensor<f32>) -> tensor<4096xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4096xf32>) -> tensor<4096x4xf32>
  %o = stablehlo.divide %e, %sb : tensor<4096x4xf32>
  %t = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1000x2xf32>, tensor<f32>) -> tensor<1000xf32>
  %m = stablehlo.reduce(%b init: %zb) applies stablehlo.maximum across dimensions = [1] : (tensor<777x8xbf16>, tensor<bf16>) -> tensor<777xbf16>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<777xbf16>) -> tensor<777x8xbf16>
  %q = stablehlo.subtract %b, %mb : tensor<777x8xbf16>
  %n = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [1] : (tensor<511x3xf32>, tensor<f32>) -> tensor<511xf32>
  %nb = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<511xf32>) -> tensor<511x3xf32>
  %w = stablehlo.subtract %c, %nb : tensor<511x3xf32>
  %r2 = stablehlo.multiply %r, %r : tensor<2x96x40xf32>
  %u = stablehlo.reduce(%r2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x96x40xf32>, tensor<f32>) -> tensor<40xf32>
  %k = stablehlo.reduce(%h init: %zb) applies stablehlo.maximum across dimensions = [0] : (tensor<200x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
  %l = stablehlo.reduce(%v init: %zd) applies stablehlo.multiply across dimensions = [0] : (tensor<37x5xf64>, tensor<f64>) -> tensor<5xf64>
  return %o, %t, %q, %w, %u, %k, %l : tensor<4096x4xf32>, tensor<1000xf32>, tensor<777x8xbf16>, tensor<511x3xf32>, tensor<40xf32>, tensor<24xbf16>, tensor<5xf64>
}

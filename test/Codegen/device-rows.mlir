// Rows and reductions on a simulated device, of sizes that fill no blocks.
// RUN: dmc-compile %s --target=cuda:sm_80 -o %t.so
// RUN: rm -rf %t.out && dmc-run %t.so --device=simulated --seed=5 --output-dir %t.out
// RUN: dmc-interpret %s --seed=5 --expect-dir %t.out --rtol=1e-5 --atol=1e-5
func.func @main(%x: tensor<37x130xf32>, %g: tensor<130xf32>, %k: tensor<2500x3xi32>, %dy: tensor<37x130xf32>)
    -> (tensor<37x130xf32>, tensor<37x130xf32>, tensor<37xf32>, tensor<130xf32>, tensor<f32>, tensor<3xi32>, tensor<130xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<37x130xf32>, tensor<f32>) -> tensor<37xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<37xf32>) -> tensor<37x130xf32>
  %d = stablehlo.subtract %x, %mb : tensor<37x130xf32>
  %e = stablehlo.exponential %d : tensor<37x130xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<37x130xf32>, tensor<f32>) -> tensor<37xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<37xf32>) -> tensor<37x130xf32>
  %softmax = stablehlo.divide %e, %sb : tensor<37x130xf32>
  %n = stablehlo.constant dense<130.0> : tensor<37xf32>
  %sum = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<37x130xf32>, tensor<f32>) -> tensor<37xf32>
  %mean = stablehlo.divide %sum, %n : tensor<37xf32>
  %meanb = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<37xf32>) -> tensor<37x130xf32>
  %c = stablehlo.subtract %x, %meanb : tensor<37x130xf32>
  %c2 = stablehlo.multiply %c, %c : tensor<37x130xf32>
  %sum2 = stablehlo.reduce(%c2 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<37x130xf32>, tensor<f32>) -> tensor<37xf32>
  %var = stablehlo.divide %sum2, %n : tensor<37xf32>
  %inv = stablehlo.rsqrt %var : tensor<37xf32>
  %invb = stablehlo.broadcast_in_dim %inv, dims = [0] : (tensor<37xf32>) -> tensor<37x130xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<130xf32>) -> tensor<37x130xf32>
  %norm = stablehlo.multiply %c, %invb : tensor<37x130xf32>
  %layernorm = stablehlo.multiply %norm, %gb : tensor<37x130xf32>
  %columns = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<37x130xf32>, tensor<f32>) -> tensor<130xf32>
  %all = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<37x130xf32>, tensor<f32>) -> tensor<f32>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %counts = stablehlo.reduce(%k init: %zi) applies stablehlo.add across dimensions = [0] : (tensor<2500x3xi32>, tensor<i32>) -> tensor<3xi32>
  %dg = stablehlo.multiply %dy, %norm : tensor<37x130xf32>
  %dgamma = stablehlo.reduce(%dg init: %z) applies stablehlo.add across dimensions = [0] : (tensor<37x130xf32>, tensor<f32>) -> tensor<130xf32>
  return %softmax, %layernorm, %sum, %columns, %all, %counts, %dgamma : tensor<37x130xf32>, tensor<37x130xf32>, tensor<37xf32>, tensor<130xf32>, tensor<f32>, tensor<3xi32>, tensor<130xf32>
}

// Horner's rule: what comes first counts, and no two elements can be combined before the others. Then the element that
// beats the one before it: grouped otherwise, others would win.
func.func @main(%x: tensor<37x130xf32>, %i: tensor<37x130xi32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %p = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %s = stablehlo.multiply %a, %half : tensor<f32>
    %t = stablehlo.add %s, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<37x130xf32>, tensor<f32>) -> tensor<37xf32>
  %m:2 = "stablehlo.reduce"(%x, %i, %z, %zi) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %ia: tensor<i32>, %b: tensor<f32>, %ib: tensor<i32>):
    %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %g, %b, %a : tensor<i1>, tensor<f32>
    %l = stablehlo.compare LT, %ia, %ib, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %n = stablehlo.xor %g, %l : tensor<i1>
    %w = stablehlo.select %n, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }) : (tensor<37x130xf32>, tensor<37x130xi32>, tensor<f32>, tensor<i32>) -> (tensor<37xf32>, tensor<37xi32>)
  return %p, %m#0, %m#1 : tensor<37xf32>, tensor<37xf32>, tensor<37xi32>
}

func.func @main(%x: tensor<8xf32>, %limit: tensor<f32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %start = stablehlo.constant dense<3.0> : tensor<f32>
  %first = stablehlo.add %x, %x : tensor<8xf32>
  %r:2 = "stablehlo.while"(%first, %start) ({
  ^bb0(%v: tensor<8xf32>, %l: tensor<f32>):
    %c = stablehlo.compare GT, %l, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%v: tensor<8xf32>, %l: tensor<f32>):
    %n = stablehlo.tanh %v : tensor<8xf32>
    %m = stablehlo.subtract %l, %limit : tensor<f32>
    %k = stablehlo.add %m, %limit : tensor<f32>
    %o = stablehlo.subtract %k, %one : tensor<f32>
    stablehlo.return %n, %o : tensor<8xf32>, tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<f32>)
  return %r#0 : tensor<8xf32>
}

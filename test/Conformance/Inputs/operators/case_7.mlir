"builtin.module"() ({
  "func.func"() <{function_type = (tensor<i32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<4xf32>):
    %0:2 = "stablehlo.case"(%arg0) ({
      %5 = "stablehlo.add"(%arg1, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%5, %arg0) : (tensor<4xf32>, tensor<i32>) -> ()
    }, {
      %3 = "stablehlo.negate"(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      "stablehlo.return"(%3, %4) : (tensor<4xf32>, tensor<i32>) -> ()
    }, {
      %1 = "stablehlo.multiply"(%arg1, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
      "stablehlo.return"(%1, %2) : (tensor<4xf32>, tensor<i32>) -> ()
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    "func.return"(%0#0, %0#1) : (tensor<4xf32>, tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()


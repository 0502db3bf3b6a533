"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<3x4xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi32>):
    %0 = "stablehlo.tuple"(%arg0, %arg1) : (tensor<3x4xf32>, tensor<2xi32>) -> tuple<tensor<3x4xf32>, tensor<2xi32>>
    %1 = "stablehlo.get_tuple_element"(%0) <{index = 1 : i32}> : (tuple<tensor<3x4xf32>, tensor<2xi32>>) -> tensor<2xi32>
    %2 = "stablehlo.get_tuple_element"(%0) <{index = 0 : i32}> : (tuple<tensor<3x4xf32>, tensor<2xi32>>) -> tensor<3x4xf32>
    "func.return"(%1, %2) : (tensor<2xi32>, tensor<3x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()


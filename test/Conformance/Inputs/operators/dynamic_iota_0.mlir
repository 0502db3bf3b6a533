"builtin.module"() ({
  "func.func"() <{function_type = () -> tensor<4x3xf32>, sym_name = "main"}> ({
    %0 = "stablehlo.constant"() <{value = dense<[4, 3]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %1 = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi32>) -> tensor<4x3xf32>
    "func.return"(%1) : (tensor<4x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()


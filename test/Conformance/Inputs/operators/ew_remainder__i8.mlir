"builtin.module"() ({
  "func.func"() <{function_type = (tensor<225xi8>, tensor<225xi8>) -> tensor<225xi8>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<225xi8>, %arg1: tensor<225xi8>):
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<225xi8>, tensor<225xi8>) -> tensor<225xi8>
    "func.return"(%0) : (tensor<225xi8>) -> ()
  }) : () -> ()
}) : () -> ()


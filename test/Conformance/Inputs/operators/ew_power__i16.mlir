"builtin.module"() ({
  "func.func"() <{function_type = (tensor<289xi16>, tensor<289xi16>) -> tensor<289xi16>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<289xi16>, %arg1: tensor<289xi16>):
    %0 = "stablehlo.power"(%arg0, %arg1) : (tensor<289xi16>, tensor<289xi16>) -> tensor<289xi16>
    "func.return"(%0) : (tensor<289xi16>) -> ()
  }) : () -> ()
}) : () -> ()


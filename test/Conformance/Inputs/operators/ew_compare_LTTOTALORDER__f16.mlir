"builtin.module"() ({
  "func.func"() <{function_type = (tensor<256xf16>, tensor<256xf16>) -> tensor<256xi1>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<256xf16>, %arg1: tensor<256xf16>):
    %0 = "stablehlo.compare"(%arg0, %arg1) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<256xf16>, tensor<256xf16>) -> tensor<256xi1>
    "func.return"(%0) : (tensor<256xi1>) -> ()
  }) : () -> ()
}) : () -> ()


"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2xf16>) -> tensor<2xf16>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xf16>):
    %0 = "stablehlo.sort"(%arg0) <{dimension = -1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
      %1 = "stablehlo.compare"(%arg1, %arg2) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f16>, tensor<f16>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<2xf16>) -> tensor<2xf16>
    "func.return"(%0) : (tensor<2xf16>) -> ()
  }) : () -> ()
}) : () -> ()


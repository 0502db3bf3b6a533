"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x7x1xi1>, tensor<4x7x1xi16>, tensor<4x7x1xf16>) -> (tensor<4x7x1xi1>, tensor<4x7x1xi16>, tensor<4x7x1xf16>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x7x1xi1>, %arg1: tensor<4x7x1xi16>, %arg2: tensor<4x7x1xf16>):
    %0:3 = "stablehlo.sort"(%arg0, %arg1, %arg2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i1>, %arg4: tensor<i1>, %arg5: tensor<i16>, %arg6: tensor<i16>, %arg7: tensor<f16>, %arg8: tensor<f16>):
      %1 = "stablehlo.compare"(%arg3, %arg4) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<4x7x1xi1>, tensor<4x7x1xi16>, tensor<4x7x1xf16>) -> (tensor<4x7x1xi1>, tensor<4x7x1xi16>, tensor<4x7x1xf16>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<4x7x1xi1>, tensor<4x7x1xi16>, tensor<4x7x1xf16>) -> ()
  }) : () -> ()
}) : () -> ()


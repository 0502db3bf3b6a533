"builtin.module"() ({
  "func.func"() <{function_type = (tensor<9xui8>, tensor<9xf32>, tensor<9xui8>) -> (tensor<9xui8>, tensor<9xf32>, tensor<9xui8>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<9xui8>, %arg1: tensor<9xf32>, %arg2: tensor<9xui8>):
    %0:3 = "stablehlo.sort"(%arg0, %arg1, %arg2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<ui8>, %arg8: tensor<ui8>):
      %1 = "stablehlo.compare"(%arg3, %arg4) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<9xui8>, tensor<9xf32>, tensor<9xui8>) -> (tensor<9xui8>, tensor<9xf32>, tensor<9xui8>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<9xui8>, tensor<9xf32>, tensor<9xui8>) -> ()
  }) : () -> ()
}) : () -> ()


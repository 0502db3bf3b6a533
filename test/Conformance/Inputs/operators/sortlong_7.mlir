"builtin.module"() ({
  "func.func"() <{function_type = (tensor<7xi8>, tensor<7xui8>, tensor<7xi8>) -> (tensor<7xi8>, tensor<7xui8>, tensor<7xi8>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<7xi8>, %arg1: tensor<7xui8>, %arg2: tensor<7xi8>):
    %0:3 = "stablehlo.sort"(%arg0, %arg1, %arg2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i8>, %arg4: tensor<i8>, %arg5: tensor<ui8>, %arg6: tensor<ui8>, %arg7: tensor<i8>, %arg8: tensor<i8>):
      %1 = "stablehlo.compare"(%arg3, %arg4) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<7xi8>, tensor<7xui8>, tensor<7xi8>) -> (tensor<7xi8>, tensor<7xui8>, tensor<7xi8>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<7xi8>, tensor<7xui8>, tensor<7xi8>) -> ()
  }) : () -> ()
}) : () -> ()


"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3xui8>) -> tensor<3xui8>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<3xui8>):
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 2, -1], [3, 1, 4]]> : tensor<2x3xi64>}> ({
    ^bb0(%arg1: tensor<ui8>, %arg2: tensor<ui8>):
      %1 = "stablehlo.maximum"(%arg1, %arg2) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
      "stablehlo.return"(%1) : (tensor<ui8>) -> ()
    }) : (tensor<3xui8>) -> tensor<3xui8>
    "func.return"(%0) : (tensor<3xui8>) -> ()
  }) : () -> ()
}) {mhlo.num_replicas = 5 : i32} : () -> ()


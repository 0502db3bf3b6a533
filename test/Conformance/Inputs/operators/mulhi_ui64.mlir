"builtin.module"() ({
  "func.func"() <{function_type = (tensor<40xui64>, tensor<40xui64>) -> tensor<40xui64>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<40xui64>, %arg1: tensor<40xui64>):
    %0 = "chlo.mulhi"(%arg0, %arg1) : (tensor<40xui64>, tensor<40xui64>) -> tensor<40xui64>
    "func.return"(%0) : (tensor<40xui64>) -> ()
  }) : () -> ()
}) : () -> ()


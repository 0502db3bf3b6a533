"builtin.module"() ({
  "func.func"() <{function_type = (tensor<40xi64>, tensor<40xi64>) -> tensor<40xi64>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<40xi64>, %arg1: tensor<40xi64>):
    %0 = "chlo.mulhi"(%arg0, %arg1) : (tensor<40xi64>, tensor<40xi64>) -> tensor<40xi64>
    "func.return"(%0) : (tensor<40xi64>) -> ()
  }) : () -> ()
}) : () -> ()


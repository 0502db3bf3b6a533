"builtin.module"() ({
  "func.func"() <{function_type = (tensor<40xi8>, tensor<40xi8>) -> tensor<40xi8>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<40xi8>, %arg1: tensor<40xi8>):
    %0 = "chlo.mulhi"(%arg0, %arg1) : (tensor<40xi8>, tensor<40xi8>) -> tensor<40xi8>
    "func.return"(%0) : (tensor<40xi8>) -> ()
  }) : () -> ()
}) : () -> ()


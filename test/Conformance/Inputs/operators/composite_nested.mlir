"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "main"}> ({
  ^bb0(%arg2: tensor<3x4xf32>):
    %3 = "stablehlo.composite"(%arg2) <{composite_attributes = {n = 1 : i64}, decomposition = @d1, name = "my.op", version = 2 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%3) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "d1", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<3x4xf32>):
    %1 = "stablehlo.composite"(%arg1) <{decomposition = @d2, name = "my.op2"}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %2 = "stablehlo.add"(%1, %arg1) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%2) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "d2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x4xf32>):
    %0 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()


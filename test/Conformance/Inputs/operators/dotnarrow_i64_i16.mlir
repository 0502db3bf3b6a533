"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x6xi64>, tensor<6x5xi64>) -> tensor<4x5xi16>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x6xi64>, %arg1: tensor<6x5xi64>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x6xi64>, tensor<6x5xi64>) -> tensor<4x5xi16>
    "func.return"(%0) : (tensor<4x5xi16>) -> ()
  }) : () -> ()
}) : () -> ()


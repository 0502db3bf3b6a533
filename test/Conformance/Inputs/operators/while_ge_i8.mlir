"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2xf32>) -> (tensor<i8>, tensor<2xf32>, tensor<i32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xf32>):
    %0 = "stablehlo.constant"() <{value = dense<9> : tensor<i8>}> : () -> tensor<i8>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.constant"() <{value = dense<-3> : tensor<i8>}> : () -> tensor<i8>
    %4:3 = "stablehlo.while"(%0, %arg0, %1) ({
    ^bb0(%arg4: tensor<i8>, %arg5: tensor<2xf32>, %arg6: tensor<i32>):
      %11 = "stablehlo.constant"() <{value = dense<-3> : tensor<i8>}> : () -> tensor<i8>
      %12 = "stablehlo.compare"(%arg4, %11) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      "stablehlo.return"(%12) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<2xf32>, %arg3: tensor<i32>):
      %5 = "stablehlo.constant"() <{value = dense<-4> : tensor<i8>}> : () -> tensor<i8>
      %6 = "stablehlo.add"(%5, %arg1) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      %7 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<2xf32>}> : () -> tensor<2xf32>
      %8 = "stablehlo.multiply"(%arg2, %7) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %9 = "stablehlo.add"(%8, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %10 = "stablehlo.add"(%arg3, %2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%6, %9, %10) : (tensor<i8>, tensor<2xf32>, tensor<i32>) -> ()
    }) : (tensor<i8>, tensor<2xf32>, tensor<i32>) -> (tensor<i8>, tensor<2xf32>, tensor<i32>)
    "func.return"(%4#0, %4#1, %4#2) : (tensor<i8>, tensor<2xf32>, tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()


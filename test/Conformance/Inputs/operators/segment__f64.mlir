module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x3xf64>, %arg1: tensor<8xi64>) -> (tensor<5x3xf64> {jax.result_info = "result[0]"}, tensor<5x3xf64> {jax.result_info = "result[1]"}, tensor<8x3xf64> {jax.result_info = "result[2]"}, tensor<8x3xf64> {jax.result_info = "result[3]"}, tensor<8x3xf64> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %1 = stablehlo.convert %arg1 : (tensor<8xi64>) -> tensor<8xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %3 = "stablehlo.scatter"(%0, %2, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %35 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %35 : tensor<f64>
    }) : (tensor<5x3xf64>, tensor<8x1xi32>, tensor<8x3xf64>) -> tensor<5x3xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %5 = stablehlo.convert %arg1 : (tensor<8xi64>) -> tensor<8xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %7 = "stablehlo.scatter"(%4, %6, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %35 = stablehlo.maximum %arg2, %arg3 : tensor<f64>
      stablehlo.return %35 : tensor<f64>
    }) : (tensor<5x3xf64>, tensor<8x1xi32>, tensor<8x3xf64>) -> tensor<5x3xf64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %9 = stablehlo.compare LT, %arg1, %8, SIGNED : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<8> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %11 = stablehlo.add %arg1, %10 : tensor<8xi64>
    %12 = stablehlo.select %9, %11, %arg1 : tensor<8xi1>, tensor<8xi64>
    %13 = stablehlo.convert %12 : (tensor<8xi64>) -> tensor<8xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %cst_3 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<8x3xf64>
    %16 = "stablehlo.scatter"(%arg0, %14, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<8x3xf64>, tensor<8x1xi32>, tensor<8x3xf64>) -> tensor<8x3xf64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %18 = stablehlo.compare LT, %arg1, %17, SIGNED : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
    %c_5 = stablehlo.constant dense<8> : tensor<i64>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<8xi64>
    %20 = stablehlo.add %arg1, %19 : tensor<8xi64>
    %21 = stablehlo.select %18, %20, %arg1 : tensor<8xi1>, tensor<8xi64>
    %22 = stablehlo.convert %21 : (tensor<8xi64>) -> tensor<8xi32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<8x3xf64>
    %25 = "stablehlo.scatter"(%arg0, %23, %24) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %35 = stablehlo.multiply %arg2, %arg3 : tensor<f64>
      stablehlo.return %35 : tensor<f64>
    }) : (tensor<8x3xf64>, tensor<8x1xi32>, tensor<8x3xf64>) -> tensor<8x3xf64>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %26 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %27 = stablehlo.compare LT, %c, %26, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_8 = stablehlo.constant dense<8> : tensor<i64>
    %28 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %29 = stablehlo.add %c, %28 : tensor<2xi64>
    %30 = stablehlo.select %27, %29, %c : tensor<2xi1>, tensor<2xi64>
    %31 = stablehlo.convert %30 : (tensor<2xi64>) -> tensor<2xi32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %34 = "stablehlo.scatter"(%arg0, %32, %33) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %35 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %35 : tensor<f64>
    }) : (tensor<8x3xf64>, tensor<2x1xi32>, tensor<2x3xf64>) -> tensor<8x3xf64>
    return %3, %7, %16, %25, %34 : tensor<5x3xf64>, tensor<5x3xf64>, tensor<8x3xf64>, tensor<8x3xf64>, tensor<8x3xf64>
  }
}

// RUN: dmc-interpret %s --print | FileCheck %s

func.func @main() -> (tensor<4x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x1xi32>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<3xi32>, tensor<3xf32>) {
  %table = arith.constant dense<[[0.0, 1.0], [10.0, 11.0], [20.0, 21.0]]> : tensor<3x2xf32>
  // Starts are clamped into the operand.
  // CHECK: result 0: {{.*}} = {{\[\[}}20, 21], [0, 1], [20, 21], [10, 11]]
  %ids = arith.constant dense<[[2], [-5], [7], [1]]> : tensor<4x1xi32>
  %e42 = tensor.empty() : tensor<4x2xf32>
  %0 = dmc.gather ins(%table, %ids : tensor<3x2xf32>, tensor<4x1xi32>) outs(%e42 : tensor<4x2xf32>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 2>} -> tensor<4x2xf32>
  // What lies outside is dropped; row 2 is hit once, row 1 once.
  // CHECK: result 1: {{.*}} = {{\[\[}}0, 1], [17, 19], [21, 23]]
  %upd = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %1 = dmc.scatter ins(%ids, %upd : tensor<4x1xi32>, tensor<4x2xf32>) outs(%table : tensor<3x2xf32>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<3x2xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  // CHECK: result 2: {{.*}} = {{\[\[}}10, 11], [20, 21]]
  %five = arith.constant dense<5> : tensor<i32>
  %zero = arith.constant dense<0> : tensor<i32>
  %e22 = tensor.empty() : tensor<2x2xf32>
  %2 = dmc.dynamic_slice ins(%table : tensor<3x2xf32>) at(%five, %zero : tensor<i32>, tensor<i32>)
      outs(%e22 : tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: result 3: {{.*}} = {{\[\[}}0, 1], [10, 11], [10, 11]]
  %row = tensor.extract_slice %table[1, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<1x2xf32>
  %3 = dmc.dynamic_update_slice ins(%row : tensor<1x2xf32>) at(%five, %zero : tensor<i32>, tensor<i32>)
      outs(%table : tensor<3x2xf32>) -> tensor<3x2xf32>
  // Batching dimensions: each row of the operand with its own index.
  // CHECK: result 4: {{.*}} = {{\[\[}}2], [3]]
  %b = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %bi = arith.constant dense<[[[1]], [[0]]]> : tensor<2x1x1xi64>
  %e21 = tensor.empty() : tensor<2x1xi32>
  %4 = dmc.gather ins(%b, %bi : tensor<2x2xi32>, tensor<2x1x1xi64>) outs(%e21 : tensor<2x1xi32>)
      {collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>,
       start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>,
       index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 1>} -> tensor<2x1xi32>
  // Stable; the second result is the inverse of the first.
  // CHECK: result 5: {{.*}} = {{\[\[}}1, 3, 0, 4, 2], [4, 0, 1, 2, 3]]
  // CHECK: result 6: {{.*}} = {{\[\[}}2, 0, 4, 1, 3], [1, 2, 3, 4, 0]]
  %keys = arith.constant dense<[[3, 1, 9, 1, 3], [5, 5, 5, 5, 0]]> : tensor<2x5xi8>
  %e25 = tensor.empty() : tensor<2x5xi32>
  %5, %6 = dmc.sort ins(%keys : tensor<2x5xi8>) outs(%e25, %e25 : tensor<2x5xi32>, tensor<2x5xi32>) along 1
      -> tensor<2x5xi32>, tensor<2x5xi32> {
  ^bb0(%a: i8, %k: i8):
    %p = arith.cmpi slt, %a, %k : i8
    dmc.yield %p : i1
  }
  // Two operands: the larger update and its number.
  // CHECK: result 7: {{.*}} = [0, 3, 1]
  // CHECK: result 8: {{.*}} = [0, 8, 6]
  %numbers = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %values = arith.constant dense<[6.0, 6.0, 5.0, 8.0]> : tensor<4xf32>
  %noNumbers = arith.constant dense<0> : tensor<3xi32>
  %noValues = arith.constant dense<0.0> : tensor<3xf32>
  %where = arith.constant dense<[[-1], [2], [1], [1]]> : tensor<4x1xi32>
  %7, %8 = dmc.scatter ins(%where, %numbers, %values : tensor<4x1xi32>, tensor<4xi32>, tensor<4xf32>)
      outs(%noNumbers, %noValues : tensor<3xi32>, tensor<3xf32>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>,
       index_vector_dim = 1 : i64} -> tensor<3xi32>, tensor<3xf32> {
  ^bb0(%i: i32, %x: f32, %j: i32, %y: f32):
    %p = arith.cmpf olt, %x, %y : f32
    %m = arith.select %p, %j, %i : i32
    %n = arith.select %p, %y, %x : f32
    dmc.yield %m, %n : i32, f32
  }
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x1xi32>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<3xi32>, tensor<3xf32>
}

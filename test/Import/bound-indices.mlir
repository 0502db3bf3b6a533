// Arguments whose elements select slices of others are below the number of these: directly, or behind
// what moves elements, chooses between them, keeps them within limits or changes their type.
// RUN: dmc-opt %s --dmc-bound-indices --split-input-file | FileCheck %s

// Wrapped as NumPy does, from one column of four; the smaller table decides. What is added to, and
// what else is an integer, has no bound.
// CHECK: "table" : tensor<100x8xf32> donates 0, "small" : tensor<9x8xf32>, "ids" : tensor<4x2xi32> below 9, "moved" : tensor<4x1xi32>, "count" : tensor<i32>]
module attributes {dmc.program = #dmc.program<tensor "main", arguments ["table" : tensor<100x8xf32> donates 0, "small" : tensor<9x8xf32>, "ids" : tensor<4x2xi32>, "moved" : tensor<4x1xi32>, "count" : tensor<i32>], results ["a" : tensor<100x8xf32>, "b" : tensor<4x8xf32>, "c" : tensor<4x8xf32>]>} {
  func.func @main(%table: tensor<100x8xf32>, %small: tensor<9x8xf32>, %ids: tensor<4x2xi32>, %moved: tensor<4x1xi32>, %count: tensor<i32>) -> (tensor<100x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %zero = arith.constant dense<0> : tensor<4x1xi32>
    %rows = arith.constant dense<100> : tensor<4x1xi32>
    %column = tensor.extract_slice %ids[0, 1] [4, 1] [1, 1] : tensor<4x2xi32> to tensor<4x1xi32>
    %b = tensor.empty() : tensor<4x1xi1>
    %i = tensor.empty() : tensor<4x1xi32>
    %e = tensor.empty() : tensor<4x8xf32>
    %isBelow = linalg.map { arith.cmpi {predicate = 2 : i64} } ins(%column, %zero : tensor<4x1xi32>, tensor<4x1xi32>) outs(%b : tensor<4x1xi1>)
    %wrapped = linalg.map { arith.addi } ins(%column, %rows : tensor<4x1xi32>, tensor<4x1xi32>) outs(%i : tensor<4x1xi32>)
    %index = linalg.map { arith.select } ins(%isBelow, %wrapped, %column : tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) outs(%i : tensor<4x1xi32>)
    %clamped = linalg.map { arith.maxsi } ins(%index, %zero : tensor<4x1xi32>, tensor<4x1xi32>) outs(%i : tensor<4x1xi32>)
    %x = dmc.gather ins(%table, %clamped : tensor<100x8xf32>, tensor<4x1xi32>) outs(%e : tensor<4x8xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} -> tensor<4x8xf32>
    %y = dmc.gather ins(%small, %column : tensor<9x8xf32>, tensor<4x1xi32>) outs(%e : tensor<4x8xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} -> tensor<4x8xf32>
    %sum = linalg.map { arith.addi } ins(%moved, %rows : tensor<4x1xi32>, tensor<4x1xi32>) outs(%i : tensor<4x1xi32>)
    %z = dmc.gather ins(%table, %sum : tensor<100x8xf32>, tensor<4x1xi32>) outs(%e : tensor<4x8xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} -> tensor<4x8xf32>
    %t = dmc.scatter ins(%clamped, %y : tensor<4x1xi32>, tensor<4x8xf32>) outs(%table : tensor<100x8xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<100x8xf32> {
    ^bb0(%old: f32, %new: f32):
      %added = arith.addf %old, %new : f32
      dmc.yield %added : f32
    }
    return %t, %x, %z : tensor<100x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

// Slices of three rows begin in one of eight, and an update of two in one of nine.
// CHECK: "starts" : tensor<4x1xi64> below 8, "ends" : tensor<4x1xi32> below 9]
module attributes {dmc.program = #dmc.program<tensor "main", arguments ["x" : tensor<10x6xf32>, "u" : tensor<4x2x6xf32>, "starts" : tensor<4x1xi64>, "ends" : tensor<4x1xi32>], results ["a" : tensor<4x3x6xf32>, "b" : tensor<10x6xf32>]>} {
  func.func @main(%x: tensor<10x6xf32>, %u: tensor<4x2x6xf32>, %starts: tensor<4x1xi64>, %ends: tensor<4x1xi32>) -> (tensor<4x3x6xf32>, tensor<10x6xf32>) {
    %i = tensor.empty() : tensor<4x1xi32>
    %narrow = linalg.map { arith.trunci } ins(%starts : tensor<4x1xi64>) outs(%i : tensor<4x1xi32>)
    %e = tensor.empty() : tensor<4x3x6xf32>
    %a = dmc.gather ins(%x, %narrow : tensor<10x6xf32>, tensor<4x1xi32>) outs(%e : tensor<4x3x6xf32>) {offset_dims = array<i64: 1, 2>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 3, 6>} -> tensor<4x3x6xf32>
    %b = dmc.scatter ins(%ends, %u : tensor<4x1xi32>, tensor<4x2x6xf32>) outs(%x : tensor<10x6xf32>) {update_window_dims = array<i64: 1, 2>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x6xf32> {
    ^bb0(%old: f32, %new: f32):
      dmc.yield %new : f32
    }
    return %a, %b : tensor<4x3x6xf32>, tensor<10x6xf32>
  }
}

// Nests of every kind that is divided, of odd sizes, large enough for two threads: elements, sums of rows
// and of columns, a sort of rows, an update of a window, a gather.
func.func public @main(%x: tensor<513x1031xf32>, %ids: tensor<300xi32>, %at: tensor<i32>)
    -> (tensor<513x1031xf32>, tensor<513xf32>, tensor<1031xf32>, tensor<513x1031xf32>, tensor<513x1031xf32>,
        tensor<300x1031xf32>, tensor<1031x513xf32>, tensor<513x1031xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.tanh %x : tensor<513x1031xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<513x1031xf32>, tensor<f32>) -> tensor<513xf32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<513x1031xf32>, tensor<f32>) -> tensor<1031xf32>
  %3 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<513x1031xf32>) -> tensor<513x1031xf32>
  %4 = stablehlo.slice %0 [0:256, 0:1031] : (tensor<513x1031xf32>) -> tensor<256x1031xf32>
  %5 = stablehlo.dynamic_update_slice %x, %4, %at, %c0 : (tensor<513x1031xf32>, tensor<256x1031xf32>, tensor<i32>, tensor<i32>) -> tensor<513x1031xf32>
  %6 = "stablehlo.gather"(%0, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1031>}> : (tensor<513x1031xf32>, tensor<300xi32>) -> tensor<300x1031xf32>
  %7 = stablehlo.transpose %0, dims = [1, 0] : (tensor<513x1031xf32>) -> tensor<1031x513xf32>
  // Rows that are hit many times, in an order that rounding shows.
  %8 = "stablehlo.scatter"(%x, %ids, %6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<513x1031xf32>, tensor<300xi32>, tensor<300x1031xf32>) -> tensor<513x1031xf32>
  return %0, %1, %2, %3, %5, %6, %7, %8 : tensor<513x1031xf32>, tensor<513xf32>, tensor<1031xf32>, tensor<513x1031xf32>, tensor<513x1031xf32>,
    tensor<300x1031xf32>, tensor<1031x513xf32>, tensor<513x1031xf32>
}

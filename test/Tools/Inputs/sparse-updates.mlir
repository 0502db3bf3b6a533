// Tables that are updated by the sums of scattered rows: in place and not, several times an element and never,
// beyond the table, by elements that follow from the table itself, and of integers.
func.func public @main(%w: tensor<3000x33xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<3000x33xf32>, %n: tensor<4000xi32>,
                       %x: tensor<700x33xf32>)
    -> (tensor<3000x33xf32>, tensor<3000x33xf32>, tensor<4000xi32>, tensor<3000x33xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3000x33xf32>
  %rate = stablehlo.constant dense<0.125> : tensor<3000x33xf32>
  %decay = stablehlo.constant dense<0.96875> : tensor<3000x33xf32>
  // Rows 0, 7, ... 3290: the last are none of the table; and the first 100 of them again, twice.
  %i = stablehlo.iota dim = 0 : tensor<500xi32>
  %seven = stablehlo.constant dense<7> : tensor<500xi32>
  %spread = stablehlo.multiply %i, %seven : tensor<500xi32>
  %some = stablehlo.slice %spread [0:100] : (tensor<500xi32>) -> tensor<100xi32>
  %ids = stablehlo.concatenate %spread, %some, %some, dim = 0 : (tensor<500xi32>, tensor<100xi32>, tensor<100xi32>) -> tensor<700xi32>
  %g = "stablehlo.scatter"(%zeros, %ids, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3000x33xf32>, tensor<700xi32>, tensor<700x33xf32>) -> tensor<3000x33xf32>
  %step = stablehlo.multiply %rate, %g : tensor<3000x33xf32>
  %0 = stablehlo.subtract %w, %step : tensor<3000x33xf32>

  // Not donated, scaled, and updated by what is read of it.
  %read = "stablehlo.gather"(%v, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 33>}> : (tensor<3000x33xf32>, tensor<700xi32>) -> tensor<700x33xf32>
  %h = "stablehlo.scatter"(%zeros, %ids, %read) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3000x33xf32>, tensor<700xi32>, tensor<700x33xf32>) -> tensor<3000x33xf32>
  %scaled = stablehlo.multiply %v, %decay : tensor<3000x33xf32>
  %back = stablehlo.multiply %rate, %h : tensor<3000x33xf32>
  %1 = stablehlo.subtract %scaled, %back : tensor<3000x33xf32>

  // Counts.
  %none = stablehlo.constant dense<0> : tensor<4000xi32>
  %one = stablehlo.constant dense<1> : tensor<700xi32>
  %c = "stablehlo.scatter"(%none, %ids, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4000xi32>, tensor<700xi32>, tensor<700xi32>) -> tensor<4000xi32>
  %2 = stablehlo.add %n, %c : tensor<4000xi32>

  // Elements that no update hits change, too.
  %k = "stablehlo.scatter"(%zeros, %ids, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3000x33xf32>, tensor<700xi32>, tensor<700x33xf32>) -> tensor<3000x33xf32>
  %more = stablehlo.add %k, %rate : tensor<3000x33xf32>
  %3 = stablehlo.multiply %v, %more : tensor<3000x33xf32>
  return %0, %1, %2, %3 : tensor<3000x33xf32>, tensor<3000x33xf32>, tensor<4000xi32>, tensor<3000x33xf32>
}

// Sorting, and scatters of several tensors.

func.func @sort_lines(%a: tensor<3x4xf32>) -> (tensor<3x4xi32>, tensor<3x4xi32>) {
  %e = tensor.empty() : tensor<3x4xi32>
  %f = tensor.empty() : tensor<3x4xi32>
  %o, %p = dmc.sort ins(%a : tensor<3x4xf32>) outs(%e, %f : tensor<3x4xi32>, tensor<3x4xi32>) along 1 -> tensor<3x4xi32>, tensor<3x4xi32> {
  ^bb0(%x: f32, %y: f32):
    %b = arith.cmpf olt, %x, %y : f32
    dmc.yield %b : i1
  }
  return %o, %p : tensor<3x4xi32>, tensor<3x4xi32>
}
func.func @scatter_pair(%at: tensor<3xi32>, %u: tensor<3xf32>, %v: tensor<3xi8>, %a: tensor<5xf32>, %b: tensor<5xi8>) -> (tensor<5xf32>, tensor<5xi8>) {
  %r:2 = dmc.scatter ins(%at, %u, %v : tensor<3xi32>, tensor<3xf32>, tensor<3xi8>) outs(%a, %b : tensor<5xf32>, tensor<5xi8>)
      {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<5xf32>, tensor<5xi8> {
  ^bb0(%x: f32, %y: i8, %n: f32, %m: i8):
    %s = arith.addf %x, %n : f32
    %t = arith.addi %y, %m : i8
    dmc.yield %s, %t : f32, i8
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi8>
}

// Two dense layers. The batch is split over "data"; the weights over "model":
// the first by columns, the second by rows.
module @two_layer {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @main(
      %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("x"),
      %w1: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("w1"),
      %w2: tensor<128x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>} loc("w2"))
      -> (tensor<64x16xf32> {jax.result_info = "y", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %r = stablehlo.maximum %h, %zeros : tensor<64x128xf32>
    %y = stablehlo.dot_general %r, %w2, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x16xf32>) -> tensor<64x16xf32>
    return %y : tensor<64x16xf32>
  }
}

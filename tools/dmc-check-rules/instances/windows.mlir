// Windows: convolutions, pooling, stencils.

func.func @stencil(%a: tensor<7xf32>, %w: tensor<3xf32>, %c: tensor<5xf32>) -> tensor<5xf32> attributes {dmc.check = "window"} {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, w) -> (i + w)>, affine_map<(i, w) -> (w)>, affine_map<(i, w) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<7xf32>, tensor<3xf32>) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @window_of_one(%a: tensor<5xf32>, %w: tensor<1xf32>, %c: tensor<5xf32>) -> tensor<5xf32> attributes {dmc.check = "window"} {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, w) -> (i + w)>, affine_map<(i, w) -> (w)>, affine_map<(i, w) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<5xf32>, tensor<1xf32>) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @strided_sums(%a: tensor<8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> attributes {dmc.check = "window"} {
  %w = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, w) -> (2 * i + w)>, affine_map<(i, w) -> (w)>, affine_map<(i, w) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<8xf32>, tensor<2xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = arith.addf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @convolution(%a: tensor<2x5x2xf32>, %k: tensor<2x2x3xf32>, %c: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %r = linalg.conv_1d_nwc_wcf ins(%a, %k : tensor<2x5x2xf32>, tensor<2x2x3xf32>) outs(%c : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

func.func @depthwise(%a: tensor<2x4x3xf32>, %k: tensor<2x3xf32>, %c: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %r = linalg.depthwise_conv_1d_nwc_wc ins(%a, %k : tensor<2x4x3xf32>, tensor<2x3xf32>) outs(%c : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @pooling_sum(%a: tensor<2x4x3xf32>, %c: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %w = tensor.empty() : tensor<2xf32>
  %r = linalg.pooling_nwc_sum ins(%a, %w : tensor<2x4x3xf32>, tensor<2xf32>) outs(%c : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @pooling_max(%a: tensor<2x4x3xf32>, %c: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %w = tensor.empty() : tensor<2xf32>
  %r = linalg.pooling_nwc_max ins(%a, %w : tensor<2x4x3xf32>, tensor<2xf32>) outs(%c : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @pooling_max_integers(%a: tensor<1x4x2xi8>, %c: tensor<1x3x2xi8>) -> tensor<1x3x2xi8> {
  %w = tensor.empty() : tensor<2xi8>
  %r = linalg.pooling_nwc_max ins(%a, %w : tensor<1x4x2xi8>, tensor<2xi8>) outs(%c : tensor<1x3x2xi8>) -> tensor<1x3x2xi8>
  return %r : tensor<1x3x2xi8>
}

// What moves elements: transposes, broadcasts, reshapes, slices, pads, windows.

func.func @transpose(%a: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.transpose ins(%a : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]
  return %r : tensor<2x3xf32>
}

func.func @transpose_cycle(%a: tensor<3x2x5xi32>) -> tensor<2x5x3xi32> {
  %e = tensor.empty() : tensor<2x5x3xi32>
  %r = linalg.transpose ins(%a : tensor<3x2x5xi32>) outs(%e : tensor<2x5x3xi32>) permutation = [1, 2, 0]
  return %r : tensor<2x5x3xi32>
}

func.func @broadcast(%a: tensor<3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.broadcast ins(%a : tensor<3xf32>) outs(%e : tensor<3x5xf32>) dimensions = [1]
  return %r : tensor<3x5xf32>
}

func.func @broadcast_scalar(%a: tensor<f32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<5xf32>) dimensions = [0]
  return %r : tensor<5xf32>
}

func.func @copy(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.copy ins(%a : tensor<5xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @reverse(%a: tensor<5x2xf32>) -> tensor<5x2xf32> attributes {dmc.check = "reverse"} {
  %e = tensor.empty() : tensor<5x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (4 - i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x2xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func @diagonal(%a: tensor<3x3xf32>) -> tensor<3xf32> attributes {dmc.check = "diagonal"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<3x3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @first_row(%a: tensor<3x5xf32>) -> tensor<5xf32> attributes {dmc.check = "map with a constant"} {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (0, i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<3x5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @first_of_one(%a: tensor<1x5xf32>) -> tensor<5xf32> attributes {dmc.check = "map with a constant"} {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (0, i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<1x5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @repeat(%a: tensor<3xf32>) -> tensor<6xf32> attributes {dmc.check = "map that divides"} {
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<3xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @merge(%a: tensor<4x3xf32>) -> tensor<12xf32> {
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @merge_uneven(%a: tensor<3x2xf32>) -> tensor<6xf32> {
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @merge_five(%a: tensor<5x3xf32>) -> tensor<15xf32> {
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
  return %r : tensor<15xf32>
}

func.func @merge_three(%a: tensor<2x3x2xf32>) -> tensor<12xf32> {
  %r = tensor.collapse_shape %a [[0, 1, 2]] : tensor<2x3x2xf32> into tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func @merge_powers(%a: tensor<2x2x2xf32>) -> tensor<8xf32> {
  %r = tensor.collapse_shape %a [[0, 1, 2]] : tensor<2x2x2xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @merge_pairs(%a: tensor<2x3x3xf32>) -> tensor<6x3xf32> {
  %r = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x3x3xf32> into tensor<6x3xf32>
  return %r : tensor<6x3xf32>
}

func.func @merge_with_one(%a: tensor<1x5x1xf32>) -> tensor<5xf32> {
  %r = tensor.collapse_shape %a [[0, 1, 2]] : tensor<1x5x1xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @merge_ones(%a: tensor<1x1xf32>) -> tensor<1xf32> {
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @merge_to_scalar(%a: tensor<1x1xf32>) -> tensor<f32> {
  %r = tensor.collapse_shape %a [] : tensor<1x1xf32> into tensor<f32>
  return %r : tensor<f32>
}

func.func @divide(%a: tensor<12xf32>) -> tensor<4x3xf32> {
  %r = tensor.expand_shape %a [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @divide_uneven(%a: tensor<10xf32>) -> tensor<5x2xf32> {
  %r = tensor.expand_shape %a [[0, 1]] output_shape [5, 2] : tensor<10xf32> into tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func @divide_three(%a: tensor<8xf32>) -> tensor<2x2x2xf32> {
  %r = tensor.expand_shape %a [[0, 1, 2]] output_shape [2, 2, 2] : tensor<8xf32> into tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}

func.func @divide_pair(%a: tensor<3x6xf32>) -> tensor<3x2x3xf32> {
  %r = tensor.expand_shape %a [[0], [1, 2]] output_shape [3, 2, 3] : tensor<3x6xf32> into tensor<3x2x3xf32>
  return %r : tensor<3x2x3xf32>
}

func.func @add_ones(%a: tensor<5xf32>) -> tensor<1x5x1xf32> {
  %r = tensor.expand_shape %a [[0, 1, 2]] output_shape [1, 5, 1] : tensor<5xf32> into tensor<1x5x1xf32>
  return %r : tensor<1x5x1xf32>
}

func.func @scalar_to_ones(%a: tensor<f32>) -> tensor<1x1xf32> {
  %r = tensor.expand_shape %a [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

func.func @slice_rows(%a: tensor<5x3xf32>) -> tensor<2x3xf32> {
  %r = tensor.extract_slice %a[1, 0] [2, 3] [1, 1] : tensor<5x3xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @slice_strided(%a: tensor<5x3xf32>) -> tensor<3x3xf32> {
  %r = tensor.extract_slice %a[0, 0] [3, 3] [2, 1] : tensor<5x3xf32> to tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

func.func @slice_reduced(%a: tensor<5x1x3xf32>) -> tensor<3xf32> {
  %r = tensor.extract_slice %a[2, 0, 0] [1, 1, 3] [1, 1, 1] : tensor<5x1x3xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @slice_one(%a: tensor<3x2xf32>) -> tensor<1x2xf32> {
  %r = tensor.extract_slice %a[0, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

func.func @slice_everything(%a: tensor<5xf32>) -> tensor<5xf32> {
  %r = tensor.extract_slice %a[0] [5] [1] : tensor<5xf32> to tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @insert_rows(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %r = tensor.insert_slice %a into %b[1, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}

func.func @insert_strided(%a: tensor<2xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %r = tensor.insert_slice %a into %b[1] [2] [2] : tensor<2xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @insert_reduced(%a: tensor<3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = tensor.insert_slice %a into %b[1, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @insert_into_zeros(%a: tensor<2xf32>) -> tensor<5xf32> {
  %b = arith.constant dense<0.0> : tensor<5xf32>
  %r = tensor.insert_slice %a into %b[1] [2] [1] : tensor<2xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @insert_constant(%b: tensor<5xf32>) -> tensor<5xf32> {
  %a = arith.constant dense<1.0> : tensor<2xf32>
  %r = tensor.insert_slice %a into %b[1] [2] [1] : tensor<2xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @insert_everything(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %r = tensor.insert_slice %a into %b[0] [3] [1] : tensor<3xf32> into tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @pad_with_zero(%a: tensor<3x2xf32>) -> tensor<6x2xf32> {
  %c = arith.constant 0.0 : f32
  %r = tensor.pad %a low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<3x2xf32> to tensor<6x2xf32>
  return %r : tensor<6x2xf32>
}

func.func @pad_with_one(%a: tensor<3xf32>) -> tensor<4xf32> {
  %c = arith.constant 1.0 : f32
  %r = tensor.pad %a low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<3xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @pad_with_nan(%a: tensor<3xf32>) -> tensor<4xf32> {
  %c = arith.constant 0x7FC00000 : f32
  %r = tensor.pad %a low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<3xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @pad_with_argument(%a: tensor<3xf32>, %v: tensor<f32>) -> tensor<4xf32> attributes {dmc.check = "tensor.pad"} {
  %c = tensor.extract %v[] : tensor<f32>
  %r = tensor.pad %a low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<3xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @pad_nothing(%a: tensor<3xi32>) -> tensor<3xi32> {
  %c = arith.constant 7 : i32
  %r = tensor.pad %a low[0] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : i32
  } : tensor<3xi32> to tensor<3xi32>
  return %r : tensor<3xi32>
}

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

func.func @concat_three(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<6xf32> {
  %r = tensor.concat dim(0) %a, %b, %c : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @concat_one(%a: tensor<5xf32>) -> tensor<5xf32> {
  %r = tensor.concat dim(0) %a : (tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @concat_same(%a: tensor<3xf32>) -> tensor<6xf32> {
  %r = tensor.concat dim(0) %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @concat_zeros(%a: tensor<3xf32>) -> tensor<5xf32> {
  %z = arith.constant dense<0.0> : tensor<2xf32>
  %r = tensor.concat dim(0) %a, %z : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @concat_twos(%a: tensor<3xf32>) -> tensor<5xf32> {
  %z = arith.constant dense<2.0> : tensor<2xf32>
  %r = tensor.concat dim(0) %a, %z : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @extract(%a: tensor<3xf32>, %b: tensor<5xf32>) -> tensor<5xf32> attributes {dmc.check = "tensor.extract"} {
  %i = arith.constant 1 : index
  %s = tensor.extract %a[%i] : tensor<3xf32>
  %t = tensor.splat %s : tensor<5xf32>
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.map { arith.addf } ins(%t, %b : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>)
  return %r : tensor<5xf32>
}

func.func @extract_scalar(%a: tensor<f32>) -> tensor<5xf32> attributes {dmc.check = "tensor.extract"} {
  %s = tensor.extract %a[] : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.fill ins(%s : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @captured_scalar(%a: tensor<f32>, %b: tensor<5xf32>) -> tensor<5xf32> attributes {dmc.check = "captured scalar"} {
  %s = tensor.extract %a[] : tensor<f32>
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.map ins(%b : tensor<5xf32>) outs(%e : tensor<5xf32>)
    (%x: f32, %o: f32) {
      %y = arith.mulf %x, %s : f32
      linalg.yield %y : f32
    }
  return %r : tensor<5xf32>
}

func.func @cast(%a: tensor<5xf32>) -> tensor<5xf32> {
  %r = tensor.cast %a : tensor<5xf32> to tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @read_in_body(%a: tensor<5xf32>, %at: tensor<3xi32> {dmc.range = array<i64: 0, 4>}) -> tensor<3xf32> attributes {dmc.check = "tensor.extract in a body"} {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.map ins(%at : tensor<3xi32>) outs(%e : tensor<3xf32>)
    (%i: i32, %o: f32) {
      %n = arith.index_cast %i : i32 to index
      %x = tensor.extract %a[%n] : tensor<5xf32>
      linalg.yield %x : f32
    }
  return %r : tensor<3xf32>
}

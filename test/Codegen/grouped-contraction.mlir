// RUN: dmc-opt %s --dmc-lower-kernels --canonicalize --split-input-file | FileCheck %s

// Four columns are half a vector of eight lanes: it reaches over two groups. What is read of A (16 x 16
// positions of two groups of four) and of B for it is copied first. Seven positions of a row are computed
// together: at each of the three columns of the window they overlap, and nine vectors of A serve 3 x 7 products
// of each of the four input channels.
// CHECK-LABEL: func.func private @four_columns_nest
// CHECK-DAG:   %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2048xf32>
// CHECK-DAG:   %[[WEIGHTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<288xf32>
// CHECK:       memref.store %{{.*}}, %[[COPY]]
// CHECK:       memref.store %{{.*}}, %[[WEIGHTS]]
// CHECK:       scf.for {{.*}} = %c0 to %c3 step %c1 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-NEXT:  arith.muli
// CHECK:       %[[LINE:.*]] = vector.load %[[COPY]][%{{.*}}] : memref<2048xf32>, vector<8xf32>
// CHECK:       vector.shuffle %[[LINE]], %[[LINE]] [0, 0, 0, 0, 4, 4, 4, 4] : vector<8xf32>, vector<8xf32>
// CHECK-COUNT-8: vector.shuffle %{{.*}} [0, 0, 0, 0, 4, 4, 4, 4]
// CHECK-COUNT-9: vector.shuffle %{{.*}} [1, 1, 1, 1, 5, 5, 5, 5]
// CHECK-COUNT-9: vector.shuffle %{{.*}} [2, 2, 2, 2, 6, 6, 6, 6]
// CHECK-COUNT-9: vector.shuffle %{{.*}} [3, 3, 3, 3, 7, 7, 7, 7]
// CHECK-NOT:   vector.shuffle
// CHECK-COUNT-7: vector.store
// CHECK-NOT:   dmc_contract
module attributes {dmc.target = #dmc.target<"x86-64-v3", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func private @four_columns(%a: memref<2x16x16x8x4xf32>, %b: memref<3x3x4x8x4xf32>, %c: memref<2x14x14x8x4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<2x16x16x8x4xf32> to tensor<2x16x16x8x4xf32>
  %1 = bufferization.to_tensor %b restrict : memref<3x3x4x8x4xf32> to tensor<3x3x4x8x4xf32>
  %e = tensor.empty() : tensor<2x14x14x8x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x14x14x8x4xf32>) -> tensor<2x14x14x8x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, w, g, o, i, j, k) -> (b, h + i, w + j, g, k)>, affine_map<(b, h, w, g, o, i, j, k) -> (i, j, k, g, o)>, affine_map<(b, h, w, g, o, i, j, k) -> (b, h, w, g, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%0, %1 : tensor<2x16x16x8x4xf32>, tensor<3x3x4x8x4xf32>) outs(%f : tensor<2x14x14x8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x14x14x8x4xf32>
  bufferization.materialize_in_destination %2 in restrict writable %c : (tensor<2x14x14x8x4xf32>, memref<2x14x14x8x4xf32>) -> ()
  return
}
}

// -----

// A group of eight columns is a vector: each element of A is the same for all lanes.
// CHECK-LABEL: func.func private @eight_columns_nest
// CHECK-COUNT-9: vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK-NOT:   vector.broadcast
// CHECK-COUNT-7: vector.store
module attributes {dmc.target = #dmc.target<"x86-64-v3", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func private @eight_columns(%a: memref<2x16x16x4x8xf32>, %b: memref<3x3x8x4x8xf32>, %c: memref<2x14x14x4x8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<2x16x16x4x8xf32> to tensor<2x16x16x4x8xf32>
  %1 = bufferization.to_tensor %b restrict : memref<3x3x8x4x8xf32> to tensor<3x3x8x4x8xf32>
  %e = tensor.empty() : tensor<2x14x14x4x8xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x14x14x4x8xf32>) -> tensor<2x14x14x4x8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, w, g, o, i, j, k) -> (b, h + i, w + j, g, k)>, affine_map<(b, h, w, g, o, i, j, k) -> (i, j, k, g, o)>, affine_map<(b, h, w, g, o, i, j, k) -> (b, h, w, g, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%0, %1 : tensor<2x16x16x4x8xf32>, tensor<3x3x8x4x8xf32>) outs(%f : tensor<2x14x14x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x14x14x4x8xf32>
  bufferization.materialize_in_destination %2 in restrict writable %c : (tensor<2x14x14x4x8xf32>, memref<2x14x14x4x8xf32>) -> ()
  return
}
}

// -----

// The gradient of weights: a long sum, of which a slice is added to all results before the next is read. The
// iterations that threads share are the four vectors. Three columns of the window by four input channels are
// computed together.
// CHECK-LABEL: func.func private @weights_nest
// CHECK-SAME:  %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index) attributes {dmc.nest = #dmc.nest<contraction iterations 4 {{.*}}<unrolled 12 [<lanes 8>]>{{.*}}>}
// CHECK:       scf.for %{{.*}} = %[[LO:.*]] to %[[HI:.*]] step %c1
// CHECK-COUNT-12: vector.store %cst
// CHECK:       scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK-NEXT:    arith.muli
// CHECK:         scf.for %{{.*}} = %[[LO]] to %[[HI]] step %c1
// CHECK-COUNT-12: vector.load
// CHECK-COUNT-12: vector.store
module attributes {dmc.target = #dmc.target<"x86-64-v3", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func private @weights(%a: memref<4x16x16x8x4xf32>, %b: memref<4x14x14x8x4xf32>, %c: memref<3x3x4x8x4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<4x16x16x8x4xf32> to tensor<4x16x16x8x4xf32>
  %1 = bufferization.to_tensor %b restrict : memref<4x14x14x8x4xf32> to tensor<4x14x14x8x4xf32>
  %e = tensor.empty() : tensor<3x3x4x8x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3x4x8x4xf32>) -> tensor<3x3x4x8x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k, g, o, b, h, w) -> (b, h + i, w + j, g, k)>, affine_map<(i, j, k, g, o, b, h, w) -> (b, h, w, g, o)>, affine_map<(i, j, k, g, o, b, h, w) -> (i, j, k, g, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%0, %1 : tensor<4x16x16x8x4xf32>, tensor<4x14x14x8x4xf32>) outs(%f : tensor<3x3x4x8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x3x4x8x4xf32>
  bufferization.materialize_in_destination %2 in restrict writable %c : (tensor<3x3x4x8x4xf32>, memref<3x3x4x8x4xf32>) -> ()
  return
}
}

// -----

// A depthwise convolution reads and writes vectors of channels.
// CHECK-LABEL: func.func private @depthwise_nest
// CHECK-COUNT-9: vector.load %{{.*}} : memref<2048xf32>, vector<8xf32>
// CHECK-COUNT-7: vector.store
// CHECK-NOT:   dmc_contract
module attributes {dmc.target = #dmc.target<"x86-64-v3", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func private @depthwise(%a: memref<2x16x16x32xf32>, %b: memref<3x3x32xf32>, %c: memref<2x14x14x32xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<2x16x16x32xf32> to tensor<2x16x16x32xf32>
  %1 = bufferization.to_tensor %b restrict : memref<3x3x32xf32> to tensor<3x3x32xf32>
  %e = tensor.empty() : tensor<2x14x14x32xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x14x14x32xf32>) -> tensor<2x14x14x32xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, w, c, i, j) -> (b, h + i, w + j, c)>, affine_map<(b, h, w, c, i, j) -> (i, j, c)>, affine_map<(b, h, w, c, i, j) -> (b, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%0, %1 : tensor<2x16x16x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<2x14x14x32xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x14x14x32xf32>
  bufferization.materialize_in_destination %2 in restrict writable %c : (tensor<2x14x14x32xf32>, memref<2x14x14x32xf32>) -> ()
  return
}
}

// -----

// Packed blocks are faster for many columns.
// CHECK-LABEL: func.func private @many_columns(
// CHECK:       call @dmc_contract
module attributes {dmc.target = #dmc.target<"x86-64-v3", features = "", vector = 32, registers = 16, line = 64, alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func private @many_columns(%a: memref<2x16x16x2x64xf32>, %b: memref<3x3x64x2x64xf32>, %c: memref<2x14x14x2x64xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %a restrict : memref<2x16x16x2x64xf32> to tensor<2x16x16x2x64xf32>
  %1 = bufferization.to_tensor %b restrict : memref<3x3x64x2x64xf32> to tensor<3x3x64x2x64xf32>
  %e = tensor.empty() : tensor<2x14x14x2x64xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x14x14x2x64xf32>) -> tensor<2x14x14x2x64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, h, w, g, o, i, j, k) -> (b, h + i, w + j, g, k)>, affine_map<(b, h, w, g, o, i, j, k) -> (i, j, k, g, o)>, affine_map<(b, h, w, g, o, i, j, k) -> (b, h, w, g, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%0, %1 : tensor<2x16x16x2x64xf32>, tensor<3x3x64x2x64xf32>) outs(%f : tensor<2x14x14x2x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x14x14x2x64xf32>
  bufferization.materialize_in_destination %2 in restrict writable %c : (tensor<2x14x14x2x64xf32>, memref<2x14x14x2x64xf32>) -> ()
  return
}
}

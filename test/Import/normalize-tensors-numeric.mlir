// RUN: split-file %s %t
// RUN: dmc-compile %t/program.mlir --emit=tensor -o %t/tensor.mlir
// RUN: mkdir -p %t/expected
// RUN: dmc-interpret %t/tensor.mlir --print --output-dir=%t/expected | FileCheck %s
// RUN: dmc-run %t/program.mlir --expect-dir=%t/expected --rtol=0 --atol=0
// RUN: dmc-run %t/program.mlir --expect-dir=%t/expected --rtol=0 --atol=0 --layouts=%t/layouts.json --case=split

// Results by hand, on one rank and on two.

// Windows, a filter that counts its places: 1*1 + 2*2 + 4*3 + 5*4, ...
// CHECK: result 0 {{.*}} = {{\[\[\[\[}}37, 47], [67, 77]]]]
// Rows 2, 0, 2 and columns in reverse.
// CHECK: result 1 {{.*}} = {{\[\[}}6, 5], [2, 1], [6, 5]]
// 8 x 2 in tiles of 4 x 2 and back: the first 5 rows.
// CHECK: result 2 {{.*}} = [1, 2, 3, 4, 5]
// The square where positive, else 100 / 5.
// CHECK: result 3 {{.*}} = [4, 20, 9, 20]
// Sum of the loop 0 + 1 + 2 + 3 times 2, and that number squared.
// CHECK: result 4 {{.*}} = 12
// CHECK: result 5 {{.*}} = 144
// The second of three cases.
// CHECK: result 6 {{.*}} = [2, -4, 6, -10]
// Quarters of e^0, padded with what is computed from places.
// CHECK: result 7 {{.*}} = {{\[\[}}0.25, 0.25, 0.25, 0.25, 4], [1, 2, 3, 4, 5]]
// Rows 3 and 1 replaced.
// CHECK: result 8 {{.*}} = {{\[\[}}0, 0], [3, 4], [0, 0], [1, 2]]
// Each part by an iteration of its own.
// CHECK: result 9 {{.*}} = [2, 4, 6, 8]
// 2^3, (-3)^3, (-1)^-1, 5^-2.
// CHECK: result 10 {{.*}} = [8, -27, -1, 0]

//--- layouts.json
{"split": {"mesh": [["x", 2]], "arguments": [],
           "results": [[[], [], ["x"], []], [["x"], []], [["x"]], [["x"]], [], [], [["x"]], [["x"], []],
                       [["x"], []], [["x"]], [["x"]]]}}

//--- program.mlir
func.func @main() -> (tensor<1x1x2x2xf32>, tensor<3x2xf32>, tensor<5xf32>, tensor<4xi32>, f32, f32,
                      tensor<4xf32>, tensor<2x5xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32

  %image = arith.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %filter = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %none = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%image, %filter : tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>)
    outs(%none : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>

  %ids = arith.constant dense<[2, 0, 2]> : tensor<3xindex>
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %1 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %row = tensor.extract %ids[%i] : tensor<3xindex>
    %column = arith.subi %c1, %j : index
    %element = tensor.extract %table[%row, %column] : tensor<3x2xf32>
    tensor.yield %element : f32
  } : tensor<3x2xf32>

  %rows = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %minus = arith.constant -1.0 : f32
  %tiles = tensor.empty() : tensor<2x4xf32>
  %packed = linalg.pack %rows padding_value(%minus : f32) inner_dims_pos = [0] inner_tiles = [4] into %tiles
    : tensor<5xf32> -> tensor<2x4xf32>
  %flat = tensor.empty() : tensor<5xf32>
  %2 = linalg.unpack %packed inner_dims_pos = [0] inner_tiles = [4] into %flat : tensor<2x4xf32> -> tensor<5xf32>

  %numbers = arith.constant dense<[2, -5, 3, 0]> : tensor<4xi32>
  %divisors = arith.constant dense<[0, 5, 0, 5]> : tensor<4xi32>
  %choice = tensor.empty() : tensor<4xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%numbers, %divisors : tensor<4xi32>, tensor<4xi32>) outs(%choice : tensor<4xi32>) {
  ^bb0(%x: i32, %d: i32, %o: i32):
    %none_ = arith.constant 0 : i32
    %isPositive = arith.cmpi sgt, %x, %none_ : i32
    %r = scf.if %isPositive -> (i32) {
      %square = arith.muli %x, %x : i32
      scf.yield %square : i32
    } else {
      %hundred = arith.constant 100 : i32
      %quotient = arith.divsi %hundred, %d : i32
      scf.yield %quotient : i32
    }
    linalg.yield %r : i32
  } -> tensor<4xi32>

  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
    %integer = arith.index_cast %i : index to i32
    %number = arith.sitofp %integer : i32 to f32
    %next = arith.addf %s, %number : f32
    scf.yield %next : f32
  }
  %two = arith.constant 2.0 : f32
  %4 = arith.mulf %sum, %two : f32
  %5 = math.powf %4, %two : f32

  %signed = arith.constant dense<[1.0, -2.0, 3.0, -5.0]> : tensor<4xf32>
  %6 = scf.index_switch %c1 -> tensor<4xf32>
  case 0 {
    scf.yield %signed : tensor<4xf32>
  }
  case 1 {
    %double = arith.addf %signed, %signed : tensor<4xf32>
    scf.yield %double : tensor<4xf32>
  }
  default {
    %square = arith.mulf %signed, %signed : tensor<4xf32>
    scf.yield %square : tensor<4xf32>
  }

  %equal = arith.constant dense<3.0> : tensor<1x4xf32>
  %soft = tensor.empty() : tensor<1x4xf32>
  %quarters = linalg.softmax dimension(1) ins(%equal : tensor<1x4xf32>) outs(%soft : tensor<1x4xf32>) -> tensor<1x4xf32>
  %7 = tensor.pad %quarters low[0, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    %place = arith.addi %i, %j : index
    %integer = arith.index_cast %place : index to i32
    %number = arith.sitofp %integer : i32 to f32
    tensor.yield %number : f32
  } : tensor<1x4xf32> to tensor<2x5xf32>

  %updates = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %places = arith.constant dense<[[3], [1]]> : tensor<2x1xi32>
  %into = arith.constant dense<0.0> : tensor<4x2xf32>
  %8 = tensor.expand_shape %updates [[0], [1, 2]] output_shape [2, 1, 2] : tensor<2x2xf32> into tensor<2x1x2xf32>
  %scattered = tensor.scatter %8 into %into[%places] scatter_dims([0]) unique
    : (tensor<2x1x2xf32>, tensor<4x2xf32>, tensor<2x1xi32>) -> tensor<4x2xf32>

  %four = tensor.extract_slice %rows[0] [4] [1] : tensor<5xf32> to tensor<4xf32>
  %shared = tensor.empty() : tensor<4xf32>
  %9 = scf.forall (%i) in (4) shared_outs(%out = %shared) -> (tensor<4xf32>) {
    %part = tensor.extract_slice %four[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %double = arith.addf %part, %part : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %double into %out[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }

  %bases = arith.constant dense<[2, -3, -1, 5]> : tensor<4xi32>
  %exponents = arith.constant dense<[3, 3, -1, -2]> : tensor<4xi32>
  %10 = math.ipowi %bases, %exponents : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %scattered, %9, %10
    : tensor<1x1x2x2xf32>, tensor<3x2xf32>, tensor<5xf32>, tensor<4xi32>, f32, f32, tensor<4xf32>, tensor<2x5xf32>,
      tensor<4x2xf32>, tensor<4xf32>, tensor<4xi32>
}

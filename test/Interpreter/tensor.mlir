// RUN: dmc-interpret %s --print | FileCheck %s

func.func @main() -> (tensor<2x2xi32>, tensor<2xi32>, tensor<3x4xi32>, tensor<6x2xi32>, tensor<2x6xi32>, tensor<4x6xi32>,
                      tensor<5x4xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x2xi32>) {
  %x = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %c1 = arith.constant 1 : index
  // CHECK: result 0: {{.*}} = {{\[\[}}0, 2], [8, 10]]
  %0 = tensor.extract_slice %x[0, 0] [2, 2] [2, 2] : tensor<3x4xi32> to tensor<2x2xi32>
  // A dynamic offset, and a dimension dropped.
  // CHECK: result 1: {{.*}} = [5, 9]
  %1 = tensor.extract_slice %x[%c1, 1] [2, 1] [1, 1] : tensor<3x4xi32> to tensor<2xi32>
  // CHECK: result 2: {{.*}} = {{\[\[}}0, 0, 2, 2], [4, 5, 6, 7], [8, 8, 10, 10]]
  %2 = tensor.insert_slice %0 into %x[0, 1] [2, 2] [2, 2] : tensor<2x2xi32> into tensor<3x4xi32>
  // CHECK: result 3: {{.*}} = {{\[\[}}0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xi32> into tensor<12xi32>
  %3 = tensor.expand_shape %flat [[0, 1]] output_shape [6, 2] : tensor<12xi32> into tensor<6x2xi32>
  // CHECK: result 4: {{.*}} = {{\[\[}}0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
  %shape = arith.constant dense<[2, 6]> : tensor<2xi32>
  %4 = tensor.reshape %x(%shape) : (tensor<3x4xi32>, tensor<2xi32>) -> tensor<2x6xi32>
  // CHECK: result 5: {{.*}} = {{\[\[}}-1, 0, 1, 2, 3, -1], [-1, 4, 5, 6, 7, -1], [-1, 8, 9, 10, 11, -1], [-1, -1, -1, -1, -1, -1]]
  %c = arith.constant -1 : i32
  %5 = tensor.pad %x low[0, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : i32
  } : tensor<3x4xi32> to tensor<4x6xi32>
  // CHECK: result 6: {{.*}} = {{\[\[}}0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [0, 0, 2, 2], [4, 5, 6, 7]]
  %head = tensor.extract_slice %2[0, 0] [2, 4] [1, 1] : tensor<3x4xi32> to tensor<2x4xi32>
  %6 = tensor.concat dim(0) %x, %head : (tensor<3x4xi32>, tensor<2x4xi32>) -> tensor<5x4xi32>
  // CHECK: result 7: {{.*}} = [5, 4]
  %five = tensor.extract %x[%c1, %c1] : tensor<3x4xi32>
  %dim = tensor.dim %x, %c1 : tensor<3x4xi32>
  %four = arith.index_cast %dim : index to i32
  %7 = tensor.from_elements %five, %four : tensor<2xi32>
  // CHECK: result 8: {{.*}} = {{\[\[}}0, 1, 2], [10, 11, 12]]
  %8 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ten = arith.constant 10 : index
    %row = arith.muli %i, %ten : index
    %sum = arith.addi %row, %j : index
    %value = arith.index_cast %sum : index to i32
    tensor.yield %value : i32
  } : tensor<2x3xi32>
  // CHECK: result 9: {{.*}} = [5, 9]
  %nine = arith.constant 9 : i32
  %9 = tensor.insert %nine into %7[%c1] : tensor<2xi32>
  // CHECK: result 10: {{.*}} = {{\[\[}}9, 9], [9, 9]]
  %10 = tensor.splat %nine : tensor<2x2xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2x2xi32>, tensor<2xi32>, tensor<3x4xi32>, tensor<6x2xi32>,
    tensor<2x6xi32>, tensor<4x6xi32>, tensor<5x4xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x2xi32>
}

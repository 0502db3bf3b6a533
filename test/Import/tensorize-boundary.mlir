// RUN: dmc-opt %s --dmc-tensorize-boundary -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: tensor<f32>, %[[N:.*]]: tensor<i64>, %{{.*}}: tensor<4xi1>) -> (tensor<i64>, tensor<f32>)
func.func @scalars(%x: f32, %n: index, %t: tensor<4xi1>) -> (index, f32) {
  // CHECK: %[[ELEMENT:.*]] = tensor.extract %[[X]][] : tensor<f32>
  // CHECK: %[[INTEGER:.*]] = tensor.extract %[[N]][] : tensor<i64>
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[INTEGER]] : i64 to index
  // CHECK: %[[SUM:.*]] = arith.addi %[[INDEX]], %[[INDEX]] : index
  %sum = arith.addi %n, %n : index
  // CHECK: %[[BACK:.*]] = arith.index_cast %[[SUM]] : index to i64
  // CHECK: %[[FIRST:.*]] = tensor.from_elements %[[BACK]] : tensor<i64>
  // CHECK: %[[SECOND:.*]] = tensor.from_elements %[[ELEMENT]] : tensor<f32>
  // CHECK: return %[[FIRST]], %[[SECOND]]
  return %sum, %x : index, f32
}

// -----

// CHECK-LABEL: func.func @index_tensors
// CHECK-SAME: (%[[I:.*]]: tensor<3xi64>) -> tensor<3xi8>
func.func @index_tensors(%i: tensor<3xindex>) -> tensor<3xi8> {
  // CHECK: arith.constant dense<[4, 5, 6]> : tensor<3xi64>
  %c = arith.constant dense<[4, 5, 6]> : tensor<3xindex>
  // CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %[[I]] : tensor<3xi64>
  %sum = arith.addi %c, %i : tensor<3xindex>
  // CHECK: arith.trunci %[[SUM]] : tensor<3xi64> to tensor<3xi8>
  %r = arith.index_cast %sum : tensor<3xindex> to tensor<3xi8>
  return %r : tensor<3xi8>
}

// -----

// A program's signature is settled.
// CHECK-LABEL: func.func @program
// CHECK-SAME: (%{{.*}}: f32)
module attributes {dmc.program = #dmc.program<tensor "p", arguments [], results []>} {
  func.func @program(%x: f32) {
    return
  }
}

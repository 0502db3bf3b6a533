// A query about partial operands leaves the program as it is, though folders of the operations in
// a body change them in place: of two extensions the second would read what the first reads.
// RUN: dmc-opt %s --dmc-print-sharding-rules=partial 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: ^bb0(%[[C:.*]]: i8, %{{.*}}: i32, %{{.*}}: i32):
// CHECK: %[[A:.*]] = arith.extui %[[C]] : i8 to i16
// CHECK: %[[B:.*]] = arith.extui %[[A]] : i16 to i32
// CHECK: arith.muli %{{.*}}, %[[B]]
func.func @chain(%x: tensor<8xi32>) -> tensor<8xi32> {
  %three = arith.constant dense<3> : tensor<8xi8>
  %e = tensor.empty() : tensor<8xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%three, %x : tensor<8xi8>, tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%c: i8, %v: i32, %o: i32):
    %a = arith.extui %c : i8 to i16
    %b = arith.extui %a : i16 to i32
    %p = arith.muli %v, %b : i32
    linalg.yield %p : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

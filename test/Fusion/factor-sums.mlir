// RUN: dmc-opt %s --dmc-factor-sums --cse | FileCheck %s

// A factor that is the same for all rows, and the sign, are applied to the sum.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME:    %[[X:.*]]: tensor<100x4x8xf32>, %[[C:.*]]: tensor<8xf32>
// CHECK:         %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[X]] : tensor<100x4x8xf32>) {{.*}} dimensions = [0, 1]
// CHECK:         %[[P:.*]] = linalg.map { arith.mulf } ins(%[[SUM]], %[[C]] : tensor<8xf32>, tensor<8xf32>)
// CHECK:         %[[N:.*]] = linalg.map { arith.negf } ins(%[[P]] : tensor<8xf32>)
// CHECK:         return %[[N]]
func.func @scaled(%x: tensor<100x4x8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<100x4x8xf32>
  %b = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<100x4x8xf32>) dimensions = [0, 1]
  %p = linalg.map { arith.mulf } ins(%b, %x : tensor<100x4x8xf32>, tensor<100x4x8xf32>) outs(%e : tensor<100x4x8xf32>)
  %n = linalg.map { arith.negf } ins(%p : tensor<100x4x8xf32>) outs(%e : tensor<100x4x8xf32>)
  %s = linalg.reduce { arith.addf } ins(%n : tensor<100x4x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0, 1]
  return %s : tensor<8xf32>
}

// Two products that differ in such factors become one sum.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[X:.*]]: tensor<100x8xf32>, %[[Y:.*]]: tensor<100x8xf32>, %[[C:.*]]: tensor<8xf32>, %[[D:.*]]: tensor<8xf32>
// CHECK:         %[[P:.*]] = linalg.map { arith.mulf } ins(%[[X]], %[[Y]] :
// CHECK:         %[[S:.*]] = linalg.reduce { arith.addf } ins(%[[P]] : tensor<100x8xf32>)
// CHECK-NOT:     linalg.reduce
// CHECK-DAG:     linalg.map { arith.mulf } ins(%[[S]], %[[C]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-DAG:     linalg.map { arith.mulf } ins(%[[S]], %[[D]] : tensor<8xf32>, tensor<8xf32>)
func.func @shared(%x: tensor<100x8xf32>, %y: tensor<100x8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<100x8xf32>
  %b = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<100x8xf32>) dimensions = [0]
  %g = linalg.broadcast ins(%d : tensor<8xf32>) outs(%e : tensor<100x8xf32>) dimensions = [0]
  %p = linalg.map { arith.mulf } ins(%x, %b : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
  %q = linalg.map { arith.mulf } ins(%p, %y : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
  %0 = linalg.reduce { arith.addf } ins(%q : tensor<100x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  %s = linalg.map { arith.mulf } ins(%y, %g : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
  %t = linalg.map { arith.mulf } ins(%x, %s : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
  %1 = linalg.reduce { arith.addf } ins(%t : tensor<100x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// What differs between rows stays, as do sums that do not begin with zero, maxima, and sums within a row.
// CHECK-LABEL: func.func @others
// CHECK-SAME:    %[[X:.*]]: tensor<100x8xf32>
// CHECK:         %[[P:.*]] = linalg.map { arith.mulf }
// CHECK:         linalg.reduce { arith.addf } ins(%[[P]] : tensor<100x8xf32>) outs(%{{.*}} : tensor<100xf32>) dimensions = [1]
// CHECK:         linalg.reduce { arith.addf } ins(%[[P]] : tensor<100x8xf32>) outs(%{{.*}} : tensor<8xf32>) dimensions = [0]
// CHECK:         %[[Q:.*]] = linalg.map { arith.mulf }
// CHECK:         linalg.reduce { arith.addf } ins(%[[Q]] : tensor<100x8xf32>) outs(%{{.*}} : tensor<8xf32>) dimensions = [0]
// CHECK:         linalg.reduce { arith.maximumf } ins(%[[Q]] : tensor<100x8xf32>) outs(%{{.*}} : tensor<8xf32>) dimensions = [0]
// CHECK-NOT:     linalg.map
func.func @others(%x: tensor<100x8xf32>, %rows: tensor<100xf32>, %c: tensor<8xf32>, %start: tensor<8xf32>)
    -> (tensor<100xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<8xf32>
  %q = tensor.empty() : tensor<100xf32>
  %init = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %column = linalg.fill ins(%zero : f32) outs(%q : tensor<100xf32>) -> tensor<100xf32>
  %e = tensor.empty() : tensor<100x8xf32>
  %b = linalg.broadcast ins(%rows : tensor<100xf32>) outs(%e : tensor<100x8xf32>) dimensions = [1]
  %p = linalg.map { arith.mulf } ins(%b, %x : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
  %0 = linalg.reduce { arith.addf } ins(%p : tensor<100x8xf32>) outs(%column : tensor<100xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%p : tensor<100x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  %d = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<100x8xf32>) dimensions = [0]
  %s = linalg.map { arith.mulf } ins(%d, %x : tensor<100x8xf32>, tensor<100x8xf32>) outs(%e : tensor<100x8xf32>)
  %2 = linalg.reduce { arith.addf } ins(%s : tensor<100x8xf32>) outs(%start : tensor<8xf32>) dimensions = [0]
  %3 = linalg.reduce { arith.maximumf } ins(%s : tensor<100x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  return %0, %1, %2, %3 : tensor<100xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// RUN: dmc-opt %s --dmc-normalize-tensors -split-input-file | FileCheck %s

// A position that is a loop's becomes the operand's map.
// CHECK: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @generate
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @generate(%x: tensor<4xf32>) -> tensor<4x2xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$ROW]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<4xf32>)
  // CHECK-NOT: tensor.extract
  %0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %1 = tensor.extract %x[%i] : tensor<4xf32>
    tensor.yield %1 : f32
  } : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A computed one is gathered: rows by the loop that computes them, whole in the other dimension.
// CHECK-LABEL: func.func @embedding
// CHECK-SAME: (%[[IDS:.*]]: tensor<8xi32>, %[[TABLE:.*]]: tensor<16x4xf32>)
func.func @embedding(%ids: tensor<8xi32>, %table: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%[[IDS]] : tensor<8xi32>) outs(%{{.*}} : tensor<8x1xi64>)
  // CHECK: %[[GATHERED:.*]] = dmc.gather ins(%[[TABLE]], %[[ROWS]] : tensor<16x4xf32>, tensor<8x1xi64>) outs(%{{.*}} : tensor<8x4xf32>)
  // CHECK-SAME: collapsed_slice_dims = array<i64: 0>
  // CHECK-SAME: slice_sizes = array<i64: 1, 4>
  // CHECK: linalg.generic {{.*}} ins(%[[IDS]], %[[GATHERED]] : tensor<8xi32>, tensor<8x4xf32>)
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%ids : tensor<8xi32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%id: i32, %o: f32):
    %row = arith.index_cast %id : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%row, %j] : tensor<16x4xf32>
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @choice
func.func @choice(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  // The divisor is 1 where the branch is not taken.
  // CHECK: %[[IS:.*]] = arith.cmpi
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: %[[DIVISOR:.*]] = arith.select %[[IS]], %{{.*}}, %[[ONE]] : i32
  // CHECK: %[[QUOTIENT:.*]] = arith.divsi %{{.*}}, %[[DIVISOR]] : i32
  // CHECK: arith.select %[[IS]], %[[QUOTIENT]], %{{.*}} : i32
  // CHECK-NOT: scf.if
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.map ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
    (%a: i32, %b: i32, %o: i32) {
      %zero = arith.constant 0 : i32
      %is = arith.cmpi ne, %b, %zero : i32
      %r = scf.if %is -> (i32) {
        %q = arith.divsi %a, %b : i32
        scf.yield %q : i32
      } else {
        scf.yield %a : i32
      }
      linalg.yield %r : i32
    }
  return %0 : tensor<4xi32>
}

// -----

// What is read of an empty tensor is zero.
// CHECK-LABEL: func.func @read_empty
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: tensor.insert_slice %{{.*}} into %[[FILL]]
func.func @read_empty(%x: tensor<2xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %x into %e[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: tensor<f32>)
// CHECK: %[[EXP:.*]] = linalg.map { math.exp } ins(%[[X]] : tensor<f32>)
// CHECK: linalg.broadcast ins(%[[EXP]] : tensor<f32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [0]
func.func @scalars(%x: tensor<f32>) -> tensor<4xf32> {
  %0 = tensor.extract %x[] : tensor<f32>
  %1 = math.exp %0 : f32
  %2 = tensor.splat %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

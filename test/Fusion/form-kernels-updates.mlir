// RUN: dmc-opt %s --dmc-form-kernels --split-input-file | FileCheck %s

// An update that changes a table only where a scatter does is one kernel with it. The scatter's result is
// in a further result of the kernel that nobody reads.
// CHECK-LABEL: func.func @sgd
// CHECK: %[[K:.*]]:2 = dmc.kernel
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<1000x8xf32>, tensor<1000x8xf32>)
// CHECK-SAME: dmc.kernel_kind = "scatter", in_place = array<i64: {{[0-9]}}, -1>
// CHECK: ^bb0({{.*}}, %[[SCRATCH:.*]]: tensor<1000x8xf32>):
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[SCRATCH]]
// CHECK: dmc.scatter {{.*}} outs(%[[FILL]]
// CHECK: dmc.yield %{{.*}}, %[[SCRATCH]]
// CHECK-NOT: dmc.kernel
// CHECK: return %[[K]]#0
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @sgd(%w: tensor<1000x8xf32>, %i: tensor<20x1xi32>, %u: tensor<20x8xf32>) -> tensor<1000x8xf32> {
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<1000x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1000x8xf32>) -> tensor<1000x8xf32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20x8xf32>) outs(%z : tensor<1000x8xf32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, update_window_dims = array<i64: 1>} -> tensor<1000x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  %r = linalg.generic {indexing_maps = [#identity, #identity, #identity], iterator_types = ["parallel", "parallel"]} ins(%g, %w : tensor<1000x8xf32>, tensor<1000x8xf32>) outs(%e : tensor<1000x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %rate, %a : f32
    %d = arith.subf %b, %s : f32
    linalg.yield %d : f32
  } -> tensor<1000x8xf32>
  return %r : tensor<1000x8xf32>
}

// -----

// -0.0 + 0.0 is 0.0: the sum is not the table's element. With a negative rate it is.
// CHECK-LABEL: func.func @zeros
// CHECK-COUNT-2: dmc.kernel
// CHECK-LABEL: func.func @negative
// CHECK-COUNT-1: dmc.kernel
func.func @zeros(%w: tensor<1000xf32>, %i: tensor<20x1xi32>, %u: tensor<20xf32>) -> tensor<1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20xf32>) outs(%z : tensor<1000xf32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<1000xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  %r = linalg.map { arith.addf } ins(%g, %w : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>)
  return %r : tensor<1000xf32>
}
func.func @negative(%w: tensor<1000xf32>, %i: tensor<20x1xi32>, %u: tensor<20xf32>) -> tensor<1000xf32> {
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant -0.1 : f32
  %e = tensor.empty() : tensor<1000xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %y = linalg.fill ins(%rate : f32) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20xf32>) outs(%z : tensor<1000xf32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<1000xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  %m = linalg.map { arith.mulf } ins(%g, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>)
  %r = linalg.map { arith.addf } ins(%m, %w : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>)
  return %r : tensor<1000xf32>
}

// -----

// Not where the updates are most of the table, where the sum is read elsewhere, where it starts from no
// splat, or where elements that no update hits change.
// CHECK-LABEL: func.func @most
// CHECK-COUNT-2: dmc.kernel
// CHECK-LABEL: func.func @read
// CHECK-COUNT-2: dmc.kernel
// CHECK-LABEL: func.func @tensor
// CHECK-COUNT-2: dmc.kernel
// CHECK-LABEL: func.func @changed
// CHECK-COUNT-2: dmc.kernel
func.func @most(%w: tensor<29xi32>, %i: tensor<20x1xi32>, %u: tensor<20xi32>) -> tensor<29xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<29xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<29xi32>) -> tensor<29xi32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20xi32>) outs(%z : tensor<29xi32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<29xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    dmc.yield %s : i32
  }
  %r = linalg.map { arith.addi } ins(%g, %w : tensor<29xi32>, tensor<29xi32>) outs(%e : tensor<29xi32>)
  return %r : tensor<29xi32>
}
func.func @read(%w: tensor<1000xi32>, %i: tensor<20x1xi32>, %u: tensor<20xi32>) -> (tensor<1000xi32>, tensor<1000xi32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1000xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<1000xi32>) -> tensor<1000xi32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20xi32>) outs(%z : tensor<1000xi32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<1000xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    dmc.yield %s : i32
  }
  %r = linalg.map { arith.addi } ins(%g, %w : tensor<1000xi32>, tensor<1000xi32>) outs(%e : tensor<1000xi32>)
  return %r, %g : tensor<1000xi32>, tensor<1000xi32>
}
func.func @tensor(%w: tensor<1000xi32>, %z: tensor<1000xi32>, %i: tensor<20x1xi32>, %u: tensor<20xi32>) -> tensor<1000xi32> {
  %e = tensor.empty() : tensor<1000xi32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20xi32>) outs(%z : tensor<1000xi32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<1000xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    dmc.yield %s : i32
  }
  %r = linalg.map { arith.addi } ins(%g, %w : tensor<1000xi32>, tensor<1000xi32>) outs(%e : tensor<1000xi32>)
  return %r : tensor<1000xi32>
}
func.func @changed(%w: tensor<1000xi32>, %i: tensor<20x1xi32>, %u: tensor<20xi32>) -> tensor<1000xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1000xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<1000xi32>) -> tensor<1000xi32>
  %g = dmc.scatter ins(%i, %u : tensor<20x1xi32>, tensor<20xi32>) outs(%z : tensor<1000xi32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<1000xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    dmc.yield %s : i32
  }
  %r = linalg.map { arith.maxsi } ins(%g, %w : tensor<1000xi32>, tensor<1000xi32>) outs(%e : tensor<1000xi32>)
  return %r : tensor<1000xi32>
}

// RUN: dmc-opt %s --dmc-hoist-transposes | FileCheck %s
// RUN: dmc-opt %s --dmc-hoist-transposes --verify-numeric -o /dev/null

#mesh = #dmc.mesh<"x" = 2>
#square = #dmc.mesh<"x" = 2, "y" = 2>

// CHECK-LABEL: func @gradient(
// CHECK-SAME:      %[[A:.*]]: tensor<8x3xf32>, %[[B:.*]]: tensor<3x4xf32>)
func.func @gradient(%a: tensor<8x3xf32>, %b: tensor<3x4xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[P:.*]] = linalg.matmul ins(%[[A]], %[[B]] :
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[P]] : tensor<8x4xf32>) outs({{.*}} : tensor<4x8xf32>) permutation = [1, 0]
  // CHECK: %[[G:.*]] = comm.all_reduce max ins(%[[T]] : tensor<4x8xf32>) outs({{.*}} : tensor<4x8xf32>) over {"x"} on #mesh{{.*}} -> tensor<4x8xf32>
  // CHECK: return %[[G]]
  %d = tensor.empty() : tensor<8x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8x3xf32>, tensor<3x4xf32>) outs(%d : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = comm.all_reduce max ins(%p : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) over {"x"} on #mesh -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%g : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  return %t : tensor<4x8xf32>
}

// CHECK-LABEL: func @permutation_of_three(
// CHECK: linalg.transpose ins({{.*}} : tensor<2x3x4xf32>) outs({{.*}} : tensor<4x2x3xf32>) permutation = [2, 0, 1]
// CHECK: comm.all_reduce sum ins({{.*}} : tensor<4x2x3xf32>)
func.func @permutation_of_three(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %d = tensor.empty() : tensor<2x3x4xf32>
  %p = linalg.exp ins(%a : tensor<2x3x4xf32>) outs(%d : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %g = comm.all_reduce sum ins(%p : tensor<2x3x4xf32>) outs(%d : tensor<2x3x4xf32>) over {"x"} on #mesh -> tensor<2x3x4xf32>
  %e = tensor.empty() : tensor<4x2x3xf32>
  %t = linalg.transpose ins(%g : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  return %t : tensor<4x2x3xf32>
}

// The blocks are those of the same dimension, which is another one of the transposed tensor.
// CHECK-LABEL: func @scattered(
// CHECK: linalg.transpose ins({{.*}} : tensor<2x8x4xf32>) outs({{.*}} : tensor<4x2x8xf32>) permutation = [2, 0, 1]
// CHECK: %[[S:.*]] = comm.reduce_scatter sum ins({{.*}} : tensor<4x2x8xf32>) outs({{.*}} : tensor<4x2x4xf32>) dim 2 over {"x"} on #mesh{{.*}} -> tensor<4x2x4xf32>
// CHECK: return %[[S]]
func.func @scattered(%a: tensor<2x8x4xf32>) -> tensor<4x2x4xf32> {
  %d = tensor.empty() : tensor<2x8x4xf32>
  %p = linalg.exp ins(%a : tensor<2x8x4xf32>) outs(%d : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %i = tensor.empty() : tensor<2x4x4xf32>
  %g = comm.reduce_scatter sum ins(%p : tensor<2x8x4xf32>) outs(%i : tensor<2x4x4xf32>) dim 1 over {"x"} on #mesh -> tensor<2x4x4xf32>
  %e = tensor.empty() : tensor<4x2x4xf32>
  %t = linalg.transpose ins(%g : tensor<2x4x4xf32>) outs(%e : tensor<4x2x4xf32>) permutation = [2, 0, 1]
  return %t : tensor<4x2x4xf32>
}

// CHECK-LABEL: func @reduced_twice(
// CHECK: linalg.transpose ins({{.*}} : tensor<8x4xf32>) outs({{.*}} : tensor<4x8xf32>) permutation = [1, 0]
// CHECK: comm.all_reduce sum ins({{.*}} : tensor<4x8xf32>)
// CHECK: comm.reduce_scatter sum ins({{.*}} : tensor<4x8xf32>) outs({{.*}} : tensor<4x4xf32>) dim 1 over {"y"}
// CHECK-NOT: linalg.transpose
func.func @reduced_twice(%a: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %d = tensor.empty() : tensor<8x4xf32>
  %p = linalg.exp ins(%a : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = comm.all_reduce sum ins(%p : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) over {"x"} on #square -> tensor<8x4xf32>
  %i = tensor.empty() : tensor<4x4xf32>
  %s = comm.reduce_scatter sum ins(%g : tensor<8x4xf32>) outs(%i : tensor<4x4xf32>) dim 0 over {"y"} on #square -> tensor<4x4xf32>
  %t = linalg.transpose ins(%s : tensor<4x4xf32>) outs(%i : tensor<4x4xf32>) permutation = [1, 0]
  return %t : tensor<4x4xf32>
}

// Both orders are needed.
// CHECK-LABEL: func @result_has_other_users(
// CHECK: comm.all_reduce
// CHECK: linalg.transpose
func.func @result_has_other_users(%a: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %d = tensor.empty() : tensor<8x4xf32>
  %p = linalg.exp ins(%a : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = comm.all_reduce sum ins(%p : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) over {"x"} on #mesh -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%g : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  return %t, %g : tensor<4x8xf32>, tensor<8x4xf32>
}

// The operand is written in one order for its other user.
// CHECK-LABEL: func @operand_has_other_users(
// CHECK: comm.all_reduce
// CHECK: linalg.transpose
func.func @operand_has_other_users(%a: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %d = tensor.empty() : tensor<8x4xf32>
  %p = linalg.exp ins(%a : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = comm.all_reduce sum ins(%p : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) over {"x"} on #mesh -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%g : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  return %t, %p : tensor<4x8xf32>, tensor<8x4xf32>
}

// Nothing computes an argument: it would be transposed by itself.
// CHECK-LABEL: func @argument(
// CHECK: comm.all_reduce
// CHECK: linalg.transpose
func.func @argument(%p: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %d = tensor.empty() : tensor<8x4xf32>
  %g = comm.all_reduce sum ins(%p : tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) over {"x"} on #mesh -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%g : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  return %t : tensor<4x8xf32>
}

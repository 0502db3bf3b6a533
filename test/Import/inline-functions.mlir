// RUN: dmc-opt %s -split-input-file -dmc-inline-functions -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.add %[[X]], %[[X]] : tensor<4xf32> loc(callsite("in twice" at "call"))
// CHECK-NEXT:    return %[[R]]
// CHECK-NOT:   @twice
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("call")
  return %0 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32> loc("in twice")
  return %0 : tensor<4xf32>
}

// -----

// A callee of a callee, called twice; a callee that returns its argument.
// CHECK-LABEL: func.func public @nested
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[A:.*]] = stablehlo.negate %[[X]]
// CHECK-SAME:      loc(callsite(callsite("in inner" at "in outer") at "first"))
// CHECK-NEXT:    %[[B:.*]] = stablehlo.negate %[[A]]
// CHECK-NEXT:    return %[[B]], %[[X]]
func.func public @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("first")
  %1 = call @outer(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("second")
  %2 = call @same(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("in outer")
  return %0 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32> loc("in inner")
  return %0 : tensor<4xf32>
}
func.func private @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Calls within regions, and a composite by its decomposition.
// CHECK-LABEL: func.func public @regions
// CHECK:         stablehlo.while
// CHECK:           stablehlo.compare
// CHECK:           stablehlo.add
// CHECK-NOT:     func.call
// CHECK-NOT:     stablehlo.composite
// CHECK:         stablehlo.add
// CHECK:         return
func.func public @regions(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @double(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  %2 = stablehlo.composite "my.double" %0 {decomposition = @double} : (tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}
func.func private @double(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %x, %x : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A program of a later level keeps its kernels.
// CHECK-LABEL: dmc.program<ranks "p"
// CHECK:         func.func public @main
// CHECK:         func.func private @kernel
module attributes {dmc.program = #dmc.program<ranks "p" on #dmc.mesh<"x" = 2>, arguments [], results []>} {
  func.func public @main() {
    return
  }
  func.func private @kernel() {
    return
  }
}

// -----

// An approximate top-k is an exact one: a sort by the comparator, which JAX leaves public.
// CHECK-LABEL: func.func public @nearest
// CHECK:         %[[S:.*]]:2 = "stablehlo.sort"(%{{.*}}, %{{.*}}) <{dimension = 1 : i64, is_stable = true}>
// CHECK:           stablehlo.compare GT
// CHECK:         stablehlo.slice %[[S]]#0 [0:4, 0:2]
// CHECK:         stablehlo.slice %[[S]]#1 [0:4, 0:2]
// CHECK-NOT:   @comparator
func.func public @comparator(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func public @nearest(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %least: tensor<f32>, %none: tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %least, %none) {called_computations = [@comparator], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

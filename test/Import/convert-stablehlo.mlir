// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK-SAME:    (%[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[E0:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK-NEXT:    %[[BROADCAST:.*]] = linalg.broadcast ins(%[[B]] : tensor<4xf32>) outs(%[[E0]] : tensor<8x4xf32>) dimensions = [0]
// CHECK-NEXT:    %[[E1:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK-NEXT:    %[[R:.*]] = linalg.map { arith.addf } ins(%[[X]], %[[BROADCAST]] : tensor<8x4xf32>, tensor<8x4xf32>) outs(%[[E1]] : tensor<8x4xf32>)
// CHECK-NEXT:    return %[[R]]
func.func public @main(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %x, %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Splat constants are fills, wherever they go; others are constants; nothing
// that is not used stays.
// CHECK-LABEL: func.func @constants
// CHECK:         %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[TWO]] : f32) outs(%{{.*}} : tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NOT:     arith.constant 3
// CHECK:         %[[DENSE:.*]] = arith.constant dense<[1, -2]> : tensor<2xi8>
// CHECK:         return %[[FILL]], %[[DENSE]]
func.func @constants() -> (tensor<3x2xf32>, tensor<2xui8>) {
  %0 = stablehlo.constant dense<2.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.constant dense<3.0> : tensor<2xf32>
  %4 = stablehlo.constant dense<[1, 254]> : tensor<2xui8>
  return %2, %4 : tensor<3x2xf32>, tensor<2xui8>
}

// -----

// Constants of constants are computed.
// CHECK-LABEL: func.func @folded
// CHECK-NOT:     linalg.map
// CHECK:         %[[C:.*]] = arith.constant 2.500000e-01 : f32
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<2xf32>
// CHECK-NEXT:    %[[F:.*]] = linalg.fill ins(%[[C]] : f32) outs(%[[E]] : tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    return %[[F]]
func.func @folded() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<4.0> : tensor<f32>
  %2 = stablehlo.divide %0, %1 : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// -----

// Elementwise operations of arith and math on tensors, and splat constants; what
// is level 0 already stays.
// CHECK-LABEL: func.func @upstream
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[SUM:.*]] = linalg.map { arith.addf {fastmath = #arith.fastmath<contract>} } ins(%[[X]], %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK:         %[[EXP:.*]] = linalg.map { math.exp } ins(%[[SUM]] : tensor<4xf32>)
// CHECK:         %[[NEG:.*]] = linalg.map { arith.negf } ins(%[[EXP]] : tensor<4xf32>)
// CHECK:         return %[[NEG]]
func.func @upstream(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = arith.addf %x, %c fastmath<contract> : tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  %2 = tensor.empty() : tensor<4xf32>
  %3 = linalg.map { arith.negf } ins(%1 : tensor<4xf32>) outs(%2 : tensor<4xf32>)
  return %3 : tensor<4xf32>
}

// -----

// A result without elements needs no computation.
// CHECK-LABEL: func.func @no_elements
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<0x3xf32>
// CHECK-NEXT:    return %[[E]]
func.func @no_elements(%x: tensor<2x3xf32>) -> tensor<0x3xf32> {
  %0 = stablehlo.slice %x [2:2, 0:3] : (tensor<2x3xf32>) -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}

// -----

// Control flow: a loop on tensors, of which the condition is read.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    (%[[X:.*]]: tensor<i32>, %[[N:.*]]: tensor<i32>)
// CHECK:         %[[R:.*]] = scf.while (%[[I:.*]] = %[[X]]) : (tensor<i32>) -> tensor<i32> {
// CHECK:           %[[LESS:.*]] = linalg.map { arith.cmpi {predicate = 2 : i64} } ins(%[[I]], %[[N]] : tensor<i32>, tensor<i32>)
// CHECK:           %[[HOLDS:.*]] = tensor.extract %[[LESS]][] : tensor<i1>
// CHECK:           scf.condition(%[[HOLDS]]) %[[I]] : tensor<i32>
// CHECK:         } do {
// CHECK:         ^bb0(%[[J:.*]]: tensor<i32>):
// CHECK:           %[[NEXT:.*]] = linalg.map { arith.addi
// CHECK:           scf.yield %[[NEXT]] : tensor<i32>
// CHECK:         return %[[R]]
func.func @loop(%x: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %x : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}

// -----

// From a constant to a constant: the trip count is known.
// CHECK-LABEL: func.func @counted_loop
// CHECK-DAG:     %[[TRIPS:.*]] = arith.constant 4 : index
// CHECK:         %[[R:.*]]:2 = scf.for %{{.*}} = %c0 to %[[TRIPS]] step %c1 iter_args(%[[I:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}) -> (tensor<i32>, tensor<f32>)
// CHECK:           %[[NEXT:.*]] = linalg.map { arith.addi
// CHECK:           scf.yield %[[NEXT]], %{{.*}}
// CHECK:         return %[[R]]#1
func.func @counted_loop(%x: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<f32>
   cond {
    %n = stablehlo.constant dense<13> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %s = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.add %i, %s : tensor<i32>
    %2 = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}

// -----

// The counter wraps before it gets there: the condition is computed.
// CHECK-LABEL: func.func @wrapping_loop
// CHECK:         scf.while
func.func @wrapping_loop(%x: tensor<f32>) -> tensor<i8> {
  %c = stablehlo.constant dense<0> : tensor<i8>
  %0 = stablehlo.while(%i = %c) : tensor<i8>
   cond {
    %n = stablehlo.constant dense<126> : tensor<i8>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %s = stablehlo.constant dense<50> : tensor<i8>
    %1 = stablehlo.add %i, %s : tensor<i8>
    stablehlo.return %1 : tensor<i8>
  }
  return %0 : tensor<i8>
}

// -----

// The last branch takes every index that no other branch takes.
// CHECK-LABEL: func.func @cases
// CHECK-SAME:    (%[[I:.*]]: tensor<i32>, %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>)
// CHECK:         %[[INDEX:.*]] = tensor.extract %[[I]][] : tensor<i32>
// CHECK:         %[[IS0:.*]] = arith.cmpi eq, %[[INDEX]], %c0_i32 : i32
// CHECK:         %[[R:.*]] = scf.if %[[IS0]] -> (tensor<f32>) {
// CHECK:           scf.yield %[[A]]
// CHECK:         } else {
// CHECK:           %[[IS1:.*]] = arith.cmpi eq, %[[INDEX]], %c1_i32 : i32
// CHECK:           %[[REST:.*]] = scf.if %[[IS1]] -> (tensor<f32>) {
// CHECK:             scf.yield %[[B]]
// CHECK:           } else {
// CHECK:             scf.yield %[[C]]
// CHECK:           scf.yield %[[REST]]
// CHECK:         return %[[R]]
func.func @cases(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }, {
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Constants whose elements are kept beside the program.
// CHECK-LABEL: func.func @resources
// CHECK-DAG:     arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG:     arith.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG:     arith.constant dense<[7, -1]> : tensor<2xi8>
func.func @resources() -> (tensor<2xf32>, tensor<2xi1>, tensor<2xui8>) {
  %0 = stablehlo.constant dense_resource<floats> : tensor<2xf32>
  %1 = "stablehlo.constant"() <{value = dense_resource<bits> : tensor<2xi1>}> : () -> tensor<2xi1>
  %2 = stablehlo.constant dense_resource<bytes> : tensor<2xui8>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi1>, tensor<2xui8>
}

{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F00000040",
      bits: "0x010000000100",
      bytes: "0x0100000007FF"
    }
  }
#-}

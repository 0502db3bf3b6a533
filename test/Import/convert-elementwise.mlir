// RUN: dmc-opt %s -split-input-file -dmc-convert-stablehlo | FileCheck %s

// CHECK-LABEL: func.func @floats
// CHECK:         linalg.map { arith.maximumf }
// CHECK:         linalg.map { arith.minimumf }
// CHECK:         linalg.map { math.powf }
// CHECK:         linalg.map { arith.remf }
// CHECK:         linalg.map { math.atan2 }
func.func @floats(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.maximum %x, %y : tensor<4xf32>
  %1 = stablehlo.minimum %0, %y : tensor<4xf32>
  %2 = stablehlo.power %1, %y : tensor<4xf32>
  %3 = stablehlo.remainder %2, %y : tensor<4xf32>
  %4 = stablehlo.atan2 %3, %y : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @functions
// CHECK:         math.cbrt
// CHECK:         math.ceil
// CHECK:         math.cos
// CHECK:         math.exp
// CHECK:         math.expm1
// CHECK:         math.erf
// CHECK:         math.floor
// CHECK:         math.log
// CHECK:         math.log1p
// CHECK:         math.round
// CHECK:         math.roundeven
// CHECK:         math.rsqrt
// CHECK:         math.sin
// CHECK:         math.sqrt
// CHECK:         math.tan
// CHECK:         math.tanh
func.func @functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.cbrt %x : tensor<4xf32>
  %1 = stablehlo.ceil %0 : tensor<4xf32>
  %2 = stablehlo.cosine %1 : tensor<4xf32>
  %3 = stablehlo.exponential %2 : tensor<4xf32>
  %4 = stablehlo.exponential_minus_one %3 : tensor<4xf32>
  %5 = chlo.erf %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = stablehlo.floor %5 : tensor<4xf32>
  %7 = stablehlo.log %6 : tensor<4xf32>
  %8 = stablehlo.log_plus_one %7 : tensor<4xf32>
  %9 = stablehlo.round_nearest_afz %8 : tensor<4xf32>
  %10 = stablehlo.round_nearest_even %9 : tensor<4xf32>
  %11 = stablehlo.rsqrt %10 : tensor<4xf32>
  %12 = stablehlo.sine %11 : tensor<4xf32>
  %13 = stablehlo.sqrt %12 : tensor<4xf32>
  %14 = stablehlo.tan %13 : tensor<4xf32>
  %15 = stablehlo.tanh %14 : tensor<4xf32>
  return %15 : tensor<4xf32>
}

// -----

// Unsigned types choose the unsigned operations, and become signless.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi16>, %[[Y:.*]]: tensor<4xi16>) -> (tensor<4xi1>, tensor<4xf32>, tensor<4xi64>)
// CHECK:         linalg.map { arith.maxui }
// CHECK:         linalg.map { arith.cmpi {predicate = 6 : i64} }
// CHECK:         linalg.map { arith.uitofp }
// CHECK:         linalg.map { arith.extui }
func.func @unsigned(%x: tensor<4xui16>, %y: tensor<4xui16>) -> (tensor<4xi1>, tensor<4xf32>, tensor<4xi64>) {
  %0 = stablehlo.maximum %x, %y : tensor<4xui16>
  %1 = stablehlo.compare LT, %0, %y, UNSIGNED : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xi1>
  %2 = stablehlo.convert %0 : (tensor<4xui16>) -> tensor<4xf32>
  %3 = stablehlo.convert %0 : (tensor<4xui16>) -> tensor<4xi64>
  return %1, %2, %3 : tensor<4xi1>, tensor<4xf32>, tensor<4xi64>
}

// -----

// A conversion between integers of one width does nothing.
// CHECK-LABEL: func.func @same_width
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    return %[[X]]
func.func @same_width(%x: tensor<4xui32>) -> tensor<4xi32> {
  %0 = stablehlo.convert %x : (tensor<4xui32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// On booleans a sum is or, a product and.
// CHECK-LABEL: func.func @booleans
// CHECK:         linalg.map { arith.ori }
// CHECK:         linalg.map { arith.andi }
// CHECK:         linalg.map { arith.maxui }
func.func @booleans(%x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.add %x, %y : tensor<4xi1>
  %1 = stablehlo.multiply %0, %y : tensor<4xi1>
  %2 = stablehlo.maximum %1, %y : tensor<4xi1>
  return %2 : tensor<4xi1>
}

// -----

// x / 0 = -1; the smallest integer by -1 is itself.
// CHECK-LABEL: func.func @division
// CHECK:         linalg.map ins(%[[X:.*]], %[[Y:.*]] : tensor<4xi32>, tensor<4xi32>)
// CHECK-NEXT:      (%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i32) {
// CHECK:           %[[ISZERO:.*]] = arith.cmpi eq, %[[B]], %c0_i32 : i32
// CHECK:           %[[ISMIN:.*]] = arith.cmpi eq, %[[A]], %c-2147483648_i32 : i32
// CHECK:           %[[ISMINUSONE:.*]] = arith.cmpi eq, %[[B]], %c-1_i32 : i32
// CHECK:           %[[OVERFLOWS:.*]] = arith.andi %[[ISMIN]], %[[ISMINUSONE]] : i1
// CHECK:           %[[TRAPS:.*]] = arith.ori %[[ISZERO]], %[[OVERFLOWS]] : i1
// CHECK:           %[[SAFE:.*]] = arith.select %[[TRAPS]], %c1_i32, %[[B]] : i32
// CHECK:           %[[Q:.*]] = arith.divsi %[[A]], %[[SAFE]] : i32
// CHECK:           arith.select %[[ISZERO]], %c-1_i32, %[[Q]] : i32
func.func @division(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.divide %x, %y : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @division_by_constant
// CHECK:         linalg.map { arith.remsi }
func.func @division_by_constant(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %1 = stablehlo.remainder %x, %0 : tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// A shift by the width or more leaves nothing.
// CHECK-LABEL: func.func @shift
// CHECK:           %[[INRANGE:.*]] = arith.cmpi ult, %[[N:.*]], %c8_i8 : i8
// CHECK:           %[[AMOUNT:.*]] = arith.select %[[INRANGE]], %[[N]], %c0_i8 : i8
// CHECK:           %[[SHIFTED:.*]] = arith.shli %{{.*}}, %[[AMOUNT]] : i8
// CHECK:           arith.select %[[INRANGE]], %[[SHIFTED]], %c0_i8 : i8
func.func @shift(%x: tensor<4xi8>, %n: tensor<4xi8>) -> tensor<4xi8> {
  %0 = stablehlo.shift_left %x, %n : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// Floats to integers saturate; NaN becomes 0.
// CHECK-LABEL: func.func @saturate
// CHECK-SAME:    (%{{.*}}: tensor<4xf32>) -> tensor<4xi8>
// CHECK:         (%[[X:.*]]: f32, %{{.*}}: i8) {
// CHECK:           %[[LARGE:.*]] = arith.cmpf oge, %[[X]], %{{.*}} : f32
// CHECK:           %[[SMALL:.*]] = arith.cmpf ole, %[[X]], %{{.*}} : f32
// CHECK:           %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK:           %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[X]] : f32
// CHECK:           %[[INT:.*]] = arith.fptosi %[[SAFE]] : f32 to i8
// CHECK:           %[[HIGH:.*]] = arith.select %[[LARGE]], %c127_i8, %[[INT]] : i8
// CHECK:           arith.select %[[SMALL]], %c-128_i8, %[[HIGH]] : i8
func.func @saturate(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// Neither of f16 and bf16 holds the other.
// CHECK-LABEL: func.func @halves
// CHECK:           %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.truncf %[[WIDE]] : f32 to bf16
func.func @halves(%x: tensor<4xf16>) -> tensor<4xbf16> {
  %0 = stablehlo.convert %x : (tensor<4xf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Predicates and bounds of rank 0 are broadcast.
// CHECK-LABEL: func.func @scalars
// CHECK-SAME:    (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>, %[[LOW:.*]]: tensor<f32>)
// CHECK:         %[[PS:.*]] = linalg.broadcast ins(%[[P]] : tensor<i1>) outs(%{{.*}} : tensor<4xi1>) dimensions = [0]
// CHECK:         linalg.map { arith.select } ins(%[[PS]], %[[X]], %[[X]]
// CHECK:         %[[LOWS:.*]] = linalg.broadcast ins(%[[LOW]] : tensor<f32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [0]
// CHECK:           arith.maximumf
// CHECK:           arith.minimumf
func.func @scalars(%p: tensor<i1>, %x: tensor<4xf32>, %low: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<4xf32>
  %1 = stablehlo.clamp %low, %0, %x : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Total order: on the bits as integers.
// CHECK-LABEL: func.func @total_order
// CHECK-COUNT-2:   arith.bitcast %{{.*}} : f32 to i32
// CHECK:           arith.cmpi slt
func.func @total_order(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// Two polynomials, and infinity at the ends.
// CHECK-LABEL: func.func @erf_inv
// CHECK:           math.log
// CHECK:           math.sqrt
// CHECK:           arith.cmpf oeq
func.func @erf_inv(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

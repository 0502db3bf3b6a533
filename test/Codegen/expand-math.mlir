// RUN: dmc-opt %s --dmc-lower-program | FileCheck %s

// CHECK-DAG: #[[$COUNT4:.*]] = #llvm.loop_interleave<count = 4 : i32>
// CHECK-DAG: #[[$COUNT2:.*]] = #llvm.loop_interleave<count = 2 : i32>
// CHECK-DAG: #[[$FOUR:.*]] = #llvm.loop_annotation<interleave = #[[$COUNT4]]>
// CHECK-DAG: #[[$TWO:.*]] = #llvm.loop_annotation<interleave = #[[$COUNT2]]>
#mesh = #dmc.mesh<"d" = 1>
module attributes {dmc.program = #dmc.program<scheduled "p" on #mesh, arguments [], results []>, dmc.arena_bytes = 64 : i64} {
func.func @main(%arena: memref<64xi8>) {
  return
}

// No function of f32 is left to a library. Those of f64 are: they are not arithmetic here.
// CHECK-LABEL: llvm.func {{.*}}@functions
// CHECK-NOT: llvm.call
// CHECK-NOT: llvm.intr.{{exp|log|sin|cos|pow|tan}}
// CHECK: llvm.return
func.func private @functions(%in: memref<1xf32>, %out: memref<26xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %x = memref.load %in[%c0] : memref<1xf32>
  %n = arith.fptosi %x : f32 to i32
  %0 = math.acos %x : f32
  %1 = math.acosh %0 : f32
  %2 = math.asin %1 : f32
  %3 = math.asinh %2 : f32
  %4 = math.atan %3 : f32
  %5 = math.atan2 %4, %x : f32
  %6 = math.atanh %5 : f32
  %7 = math.cbrt %6 : f32
  %8 = math.cos %7 : f32
  %9 = math.cosh %8 : f32
  %10 = math.erf %9 : f32
  %11 = math.erfc %10 : f32
  %12 = math.exp %11 : f32
  %13 = math.exp2 %12 : f32
  %14 = math.expm1 %13 : f32
  %15 = math.log %14 : f32
  %16 = math.log10 %15 : f32
  %17 = math.log1p %16 : f32
  %18 = math.log2 %17 : f32
  %19 = math.powf %18, %x : f32
  %20 = math.fpowi %19, %n : f32, i32
  %21 = math.sin %20 : f32
  %22 = math.sinh %21 : f32
  %23 = math.tan %22 : f32
  %24 = math.tanh %23 : f32
  %25 = math.rsqrt %24 : f32
  memref.store %25, %out[%c0] : memref<26xf32>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@wide
// CHECK: llvm.intr.exp
// CHECK: llvm.call @expm1
func.func private @wide(%in: memref<1xf64>, %out: memref<1xf64>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %x = memref.load %in[%c0] : memref<1xf64>
  %0 = math.exp %x : f64
  %1 = math.expm1 %0 : f64
  memref.store %1, %out[%c0] : memref<1xf64>
  return
}

// One exponential and one division, and neither 1 nor tanh to round.
// CHECK-LABEL: llvm.func {{.*}}@gelu
// CHECK-COUNT-1: llvm.fdiv
// CHECK-NOT: llvm.intr.copysign
// CHECK-NOT: llvm.fdiv
// CHECK: llvm.return
func.func private @gelu(%in: memref<1xf32>, %out: memref<1xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %x = memref.load %in[%c0] : memref<1xf32>
  %0 = math.tanh %x : f32
  %1 = arith.addf %one, %0 : f32
  %2 = arith.mulf %1, %half : f32
  memref.store %2, %out[%c0] : memref<1xf32>
  return
}

// The factor of the exponential, 2, goes into the constant.
// CHECK-LABEL: llvm.func {{.*}}@scaled_gelu
// CHECK: %[[TWICE:.*]] = llvm.mlir.constant(1.600000e+00 : f32)
// CHECK: llvm.fmul %{{.*}}, %[[TWICE]]
// CHECK-COUNT-1: llvm.fdiv
// CHECK: llvm.return
func.func private @scaled_gelu(%in: memref<1xf32>, %out: memref<1xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %scale = arith.constant 0.8 : f32
  %x = memref.load %in[%c0] : memref<1xf32>
  %s = arith.mulf %x, %scale : f32
  %0 = math.tanh %s : f32
  %1 = arith.addf %one, %0 : f32
  %2 = arith.mulf %1, %half : f32
  memref.store %2, %out[%c0] : memref<1xf32>
  return
}

// A tangent that is stored is computed.
// CHECK-LABEL: llvm.func {{.*}}@tangent_is_kept
// CHECK: llvm.intr.copysign
// CHECK: llvm.return
func.func private @tangent_is_kept(%in: memref<1xf32>, %out: memref<2xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %x = memref.load %in[%c0] : memref<1xf32>
  %0 = math.tanh %x : f32
  %1 = arith.addf %one, %0 : f32
  %2 = arith.mulf %1, %half : f32
  memref.store %2, %out[%c0] : memref<2xf32>
  memref.store %0, %out[%c1] : memref<2xf32>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@logistic
// CHECK-NOT: llvm.fneg
// CHECK-COUNT-1: llvm.fdiv
// CHECK: llvm.return
func.func private @logistic(%in: memref<1xf32>, %out: memref<1xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %x = memref.load %in[%c0] : memref<1xf32>
  %0 = arith.negf %x : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %1, %one : f32
  %3 = arith.divf %one, %2 : f32
  memref.store %3, %out[%c0] : memref<1xf32>
  return
}

// Four vectors an iteration hide the latency of the chain, two where each takes two registers;
// other loops are left to LLVM.
// CHECK-LABEL: llvm.func {{.*}}@interleaved
// CHECK: llvm.br {{.*}} {loop_annotation = #[[$FOUR]]}
// CHECK: llvm.return
func.func private @interleaved(%in: memref<64xf32>, %out: memref<64xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %in[%i] : memref<64xf32>
    %0 = math.exp %x : f32
    memref.store %0, %out[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: llvm.func {{.*}}@wide_of_64
// CHECK: llvm.br {{.*}} {loop_annotation = #[[$TWO]]}
// CHECK: llvm.return
func.func private @wide_of_64(%in: memref<64xf32>, %out: memref<64xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %in[%i] : memref<64xf32>
    %0 = math.erfc %x : f32
    memref.store %0, %out[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: llvm.func {{.*}}@not_interleaved
// CHECK-NOT: loop_annotation
// CHECK: llvm.return
func.func private @not_interleaved(%in: memref<64xf32>, %out: memref<64xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %in[%i] : memref<64xf32>
    %0 = arith.addf %x, %x : f32
    memref.store %0, %out[%i] : memref<64xf32>
  }
  return
}
}

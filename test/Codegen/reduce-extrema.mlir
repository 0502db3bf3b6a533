// RUN: dmc-opt %s --dmc-lower-program | FileCheck %s

#mesh = #dmc.mesh<"d" = 1>
module attributes {dmc.program = #dmc.program<scheduled "p" on #mesh, arguments [], results []>, dmc.arena_bytes = 64 : i64,
                   dmc.target = #dmc.target<"x86-64-v3", features = "avx,avx2,fma", vector = 32, registers = 16, line = 64,
                                            alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func @main(%arena: memref<64xi8>) {
  return
}

// A maximum that tells neither zeros nor NaN apart, and the largest magnitude; the loop runs again
// after a NaN or where the result is a zero. The sum beside it is taken from the first run.
// CHECK-LABEL: llvm.func {{.*}}@largest
// CHECK: llvm.intr.maxnum({{.*}}) {fastmathFlags = #llvm.fastmath<nnan, nsz>}
// CHECK: llvm.bitcast
// CHECK: llvm.and
// CHECK: llvm.intr.smax
// CHECK: llvm.mlir.constant(2139095040 : i32)
// CHECK: %[[NAN:.*]] = llvm.icmp "sgt" %{{.*}}, %{{.*}} : i32
// CHECK: %[[ZERO:.*]] = llvm.fcmp "oeq"
// CHECK: %[[AGAIN:.*]] = llvm.select %[[NAN]], %{{.*}}, %[[ZERO]]
// CHECK: llvm.cond_br %[[AGAIN]]
// CHECK: llvm.intr.maximum
// CHECK: llvm.return
func.func private @largest(%in: memref<96xf32>, %out: memref<2xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %most:2 = scf.for %i = %c0 to %c96 step %c1 iter_args(%a = %low, %s = %zero) -> (f32, f32) {
    %x = memref.load %in[%i] : memref<96xf32>
    %next = arith.maximumf %x, %a : f32
    %sum = arith.addf %s, %x : f32
    scf.yield %next, %sum : f32, f32
  }
  memref.store %most#0, %out[%c0] : memref<2xf32>
  memref.store %most#1, %out[%c1] : memref<2xf32>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@least
// CHECK: llvm.intr.minnum
// CHECK: llvm.intr.smax({{.*}}) : (i64, i64) -> i64
// CHECK: llvm.intr.minimum
func.func private @least(%in: memref<96xf64>, %out: memref<f64>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %high = arith.constant 0x7FF0000000000000 : f64
  %least = scf.for %i = %c0 to %c96 step %c1 iter_args(%a = %high) -> f64 {
    %x = memref.load %in[%i] : memref<96xf64>
    %next = arith.minimumf %a, %x : f64
    scf.yield %next : f64
  }
  memref.store %least, %out[] : memref<f64>
  return
}

// A loop that writes, one that is unrolled, and a maximum that is read on the way stay.
// CHECK-LABEL: llvm.func {{.*}}@stays
// CHECK-NOT: maxnum
// CHECK: llvm.return
func.func private @stays(%in: memref<96xf32>, %out: memref<96xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c96 = arith.constant 96 : index
  %low = arith.constant 0xFF800000 : f32
  %written = scf.for %i = %c0 to %c96 step %c1 iter_args(%a = %low) -> f32 {
    %x = memref.load %in[%i] : memref<96xf32>
    memref.store %x, %out[%i] : memref<96xf32>
    %next = arith.maximumf %a, %x : f32
    scf.yield %next : f32
  }
  %short = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %written) -> f32 {
    %x = memref.load %in[%i] : memref<96xf32>
    %next = arith.maximumf %a, %x : f32
    scf.yield %next : f32
  }
  %both:2 = scf.for %i = %c0 to %c96 step %c1 iter_args(%a = %short, %s = %low) -> (f32, f32) {
    %x = memref.load %in[%i] : memref<96xf32>
    %next = arith.maximumf %a, %x : f32
    %sum = arith.addf %s, %next : f32
    scf.yield %next, %sum : f32, f32
  }
  memref.store %both#1, %out[%c0] : memref<96xf32>
  return
}
}

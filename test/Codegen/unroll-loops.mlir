// RUN: dmc-opt %s --dmc-lower-program | FileCheck %s

// CHECK-DAG: #[[$UNROLL:.*]] = #llvm.loop_unroll<disable = false, full = true>
// CHECK-DAG: #[[$FULL:.*]] = #llvm.loop_annotation<unroll = #[[$UNROLL]]>
#mesh = #dmc.mesh<"d" = 1>
module attributes {dmc.program = #dmc.program<scheduled "p" on #mesh, arguments [], results []>, dmc.arena_bytes = 64 : i64,
                   dmc.target = #dmc.target<"x86-64-v3", features = "avx,avx2,fma", vector = 32, registers = 16, line = 64,
                                            alignment = 64, spaces = ["host"], operations = 64, results = 8>} {
func.func @main(%arena: memref<64xi8>) {
  return
}

// A window of 2 x 3 elements is straight code in the loop over windows, which stays.
// CHECK-LABEL: llvm.func {{.*}}@window
// CHECK: loop_annotation = #[[$FULL]]
// CHECK: loop_annotation = #[[$FULL]]
// CHECK-NOT: loop_annotation
// CHECK: llvm.return
func.func private @window(%in: memref<8x96xf32>, %out: memref<96xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    %sum = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %zero) -> f32 {
      %row = scf.for %k = %c0 to %c3 step %c1 iter_args(%b = %a) -> f32 {
        %at = arith.addi %i, %k : index
        %x = memref.load %in[%j, %at] : memref<8x96xf32>
        %next = arith.addf %b, %x : f32
        scf.yield %next : f32
      }
      scf.yield %row : f32
    }
    memref.store %sum, %out[%i] : memref<96xf32>
  }
  return
}

// Elements that fill a vector are for vectors, and a loop around a loop that stays is one too.
// CHECK-LABEL: llvm.func {{.*}}@vector
// CHECK-NOT: loop_annotation
// CHECK: llvm.return
func.func private @vector(%in: memref<3x8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %in[%i, %j] : memref<3x8xf32>
      %y = memref.load %out[%j] : memref<8xf32>
      %sum = arith.addf %x, %y : f32
      memref.store %sum, %out[%j] : memref<8xf32>
    }
  }
  return
}

// Two elements of a long body would be longer than 150 operations.
// CHECK-LABEL: llvm.func {{.*}}@long
// CHECK-NOT: unroll
// CHECK: loop_annotation = #{{.*}}
// CHECK: llvm.return
func.func private @long(%in: memref<2xf32>, %out: memref<2xf32>) attributes {dmc.kernel_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %x = memref.load %in[%i] : memref<2xf32>
    %0 = math.erf %x : f32
    %1 = math.log %0 : f32
    %2 = math.sin %1 : f32
    memref.store %2, %out[%i] : memref<2xf32>
  }
  return
}
}

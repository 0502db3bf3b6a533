// RUN: dmc-opt %s --dmc-lower-program | FileCheck %s

// Booleans are bytes; bf16 is moved as 16 bits, since LLVM would call a library
// to round it; exp and log1p of f32 are arithmetic, and log1p is exact
// near zero; buffers without elements are plain pointers.
#mesh = #dmc.mesh<"d" = 1>
module attributes {dmc.program = #dmc.program<scheduled "p" on #mesh, arguments [], results []>, dmc.arena_bytes = 64 : i64} {
  func.func @main(%arena: memref<64xi8>) {
    return
  }
  // CHECK-LABEL: llvm.func @narrow
  // CHECK-NOT: bf16
  // CHECK: llvm.return
  func.func private @narrow(%in: memref<8xbf16>, %out: memref<8xbf16>, %i: index, %c: i1) attributes {dmc.kernel_function} {
    %one = arith.constant 1.0 : bf16
    %v = memref.load %in[%i] : memref<8xbf16>
    %s = arith.select %c, %v, %one : bf16
    memref.store %s, %out[%i] : memref<8xbf16>
    return
  }
  // CHECK-LABEL: llvm.func @functions
  // CHECK-NOT: llvm.intr.exp
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  func.func private @functions(%out: memref<2xf32>, %x: f32) attributes {dmc.kernel_function} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.exp %x : f32
    %1 = math.log1p %x : f32
    memref.store %0, %out[%c0] : memref<2xf32>
    memref.store %1, %out[%c1] : memref<2xf32>
    return
  }
  // CHECK-LABEL: llvm.func @empty(%{{.*}}: !llvm.ptr)
  func.func private @empty(%x: memref<2x0xf32>) attributes {dmc.kernel_function} {
    return
  }
}

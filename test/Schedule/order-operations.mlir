// RUN: dmc-opt %s -dmc-order-operations -split-input-file | FileCheck %s
// RUN: dmc-opt %s -dmc-order-operations -dmc-plan-buffers -split-input-file | FileCheck %s --check-prefix=ARENA
// RUN: dmc-opt %s -dmc-plan-buffers=describe-peak -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PEAK

// The example of the pass's description: weight and gradient share their bytes.
// Empty tensors stand where they are used first.
// CHECK-LABEL: func.func @gathered_weight
// CHECK-NEXT: tensor.empty() : tensor<64x64xf32>
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: tensor.empty() : tensor<4x64xf32>
// CHECK-NEXT: dmc.launch @product
// CHECK-NEXT: dmc.launch @gradient
// CHECK-NEXT: tensor.empty() : tensor<8x64xf32>
// CHECK-NEXT: comm.reduce_scatter
// ARENA: dmc.arena_bytes = 16384
// PEAK: remark: the arena of 32768 bytes holds at most 32768 at a time, here
// PEAK: note: 16384 bytes alive: 'tensor<64x64xf32>'
// PEAK: note: 16384 bytes alive: 'tensor<64x64xf32>'
#mesh = #dmc.mesh<"data" = 8>
func.func @gathered_weight(%a: tensor<8x64xf32>, %x: tensor<4x64xf32>, %dy: tensor<4x64xf32>) -> (tensor<8x64xf32>, tensor<4x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<8x64xf32>
  %h = tensor.empty() : tensor<4x64xf32>
  %w = comm.all_gather ins(%a : tensor<8x64xf32>) outs(%e : tensor<64x64xf32>) dim 0 over {"data"} on #mesh -> tensor<64x64xf32>
  %g = dmc.launch @gradient ins(%x, %dy : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = comm.reduce_scatter sum ins(%g : tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) dim 0 over {"data"} on #mesh -> tensor<8x64xf32>
  %dx = dmc.launch @product ins(%dy, %w : tensor<4x64xf32>, tensor<64x64xf32>) outs(%h : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %s, %dx : tensor<8x64xf32>, tensor<4x64xf32>
}
func.func private @gradient(tensor<4x64xf32>, tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> attributes {dmc.kernel_function}
func.func private @product(tensor<4x64xf32>, tensor<64x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> attributes {dmc.kernel_function}

// -----

// What gains nothing stays in the order of the text, though the second chain could come first.
// CHECK-LABEL: func.func @same
// CHECK: %[[A:.*]] = dmc.launch @grow ins(%arg0
// CHECK: %[[S:.*]] = dmc.launch @shrink ins(%[[A]]
// CHECK: %[[B:.*]] = dmc.launch @grow ins(%arg1
// CHECK: dmc.launch @shrink ins(%[[B]]
// ARENA: dmc.arena_bytes = 4096
func.func @same(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<1024xf32>
  %f = tensor.empty() : tensor<8xf32>
  %a = dmc.launch @grow ins(%x : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %s = dmc.launch @shrink ins(%a : tensor<1024xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %b = dmc.launch @grow ins(%y : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %t = dmc.launch @shrink ins(%b : tensor<1024xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %s, %t : tensor<8xf32>, tensor<8xf32>
}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

// -----

// Backwards: both are made before either is needed; the second is made late.
// A reshape goes with its value.
// CHECK-LABEL: func.func @made_late
// CHECK: dmc.launch @grow ins(%arg0
// CHECK: dmc.launch @shrink
// CHECK: %[[B:.*]] = dmc.launch @grow ins(%arg1
// CHECK: tensor.expand_shape %[[B]]
// CHECK: dmc.launch @square
// ARENA: dmc.arena_bytes = 4096
func.func @made_late(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<1024xf32>
  %f = tensor.empty() : tensor<8xf32>
  %a = dmc.launch @grow ins(%x : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %b = dmc.launch @grow ins(%y : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %v = tensor.expand_shape %b [[0, 1]] output_shape [32, 32] : tensor<1024xf32> into tensor<32x32xf32>
  %s = dmc.launch @shrink ins(%a : tensor<1024xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %t = dmc.launch @square ins(%v : tensor<32x32xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %s, %t : tensor<8xf32>, tensor<8xf32>
}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @square(tensor<32x32xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

// -----

// In a loop's body as well.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.for
// CHECK: dmc.launch @grow
// CHECK: dmc.launch @shrink
// CHECK: dmc.launch @grow
// CHECK: dmc.launch @shrink
// CHECK: scf.yield
// ARENA: dmc.arena_bytes = 4160
func.func @in_a_loop(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %x) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<1024xf32>
    %f = tensor.empty() : tensor<8xf32>
    %a = dmc.launch @grow ins(%z : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
    %b = dmc.launch @grow ins(%y : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
    %s = dmc.launch @shrink ins(%a : tensor<1024xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    %t = dmc.launch @shrink ins(%b : tensor<1024xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    %n = dmc.launch @add ins(%s, %t : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @add(tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

// -----

// What a loop uses of its surroundings is made before it, however late.
// CHECK-LABEL: func.func @used_inside
// CHECK: dmc.launch @grow ins(%arg0
// CHECK: dmc.launch @shrink
// CHECK: %[[B:.*]] = dmc.launch @grow ins(%arg1
// CHECK: scf.for
// CHECK: dmc.launch @weigh ins(%[[B]]
// ARENA: dmc.arena_bytes = 4096
func.func @used_inside(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<1024xf32>
  %f = tensor.empty() : tensor<8xf32>
  %a = dmc.launch @grow ins(%x : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %b = dmc.launch @grow ins(%y : tensor<8xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %s = dmc.launch @shrink ins(%a : tensor<1024xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %t = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %x) -> tensor<8xf32> {
    %n = dmc.launch @weigh ins(%b, %z : tensor<1024xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) {in_place = array<i64: 1>} -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  return %s, %t : tensor<8xf32>, tensor<8xf32>
}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @weigh(tensor<1024xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

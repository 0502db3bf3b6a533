// RUN: dmc-opt %s -dmc-recompute-pads -split-input-file | FileCheck %s
// RUN: dmc-opt %s -dmc-plan-buffers -split-input-file | FileCheck %s --check-prefix=BEFORE
// RUN: dmc-opt %s -dmc-recompute-pads -dmc-plan-buffers -split-input-file | FileCheck %s --check-prefix=AFTER

// Two padded copies of one tensor are kept across the fullest moment, and freed only together.
// CHECK-LABEL: func.func @two_paddings
// CHECK: %[[X:.*]] = dmc.launch @double
// CHECK: %[[P:.*]] = dmc.launch @pad_low ins(%[[X]]
// CHECK: %[[Q:.*]] = dmc.launch @pad_high ins(%[[X]]
// CHECK: dmc.launch @sum ins(%[[P]], %[[Q]]
// CHECK: dmc.launch @grow
// CHECK: %[[P2:.*]] = dmc.launch @pad_low ins(%[[X]]
// CHECK: %[[Q2:.*]] = dmc.launch @pad_high ins(%[[X]]
// CHECK: dmc.launch @weigh ins(%[[P2]], %[[Q2]]
// BEFORE: dmc.arena_bytes = 4544
// AFTER: dmc.arena_bytes = 4288
func.func @two_paddings(%a: tensor<32xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty() : tensor<40xf32>
  %r = tensor.empty() : tensor<8xf32>
  %l = tensor.empty() : tensor<1024xf32>
  %x = dmc.launch @double ins(%a : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %p = dmc.launch @pad_low ins(%x : tensor<32xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %q = dmc.launch @pad_high ins(%x : tensor<32xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %s = dmc.launch @sum ins(%p, %q : tensor<40xf32>, tensor<40xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %g = dmc.launch @grow ins(%s : tensor<8xf32>) outs(%l : tensor<1024xf32>) -> tensor<1024xf32>
  %h = dmc.launch @shrink ins(%g : tensor<1024xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %w = dmc.launch @weigh ins(%p, %q, %h : tensor<40xf32>, tensor<40xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  return %s, %w : tensor<8xf32>, tensor<8xf32>
}
func.func private @double(%x: tensor<32xf32>, %o: tensor<32xf32>) -> tensor<32xf32> attributes {dmc.kernel_function} {
  %y = linalg.map { arith.addf } ins(%x, %x : tensor<32xf32>, tensor<32xf32>) outs(%o : tensor<32xf32>)
  return %y : tensor<32xf32>
}
func.func private @pad_low(%x: tensor<32xf32>, %o: tensor<40xf32>) -> tensor<40xf32> attributes {dmc.kernel_function} {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[8] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<32xf32> to tensor<40xf32>
  return %y : tensor<40xf32>
}
func.func private @pad_high(%x: tensor<32xf32>, %o: tensor<40xf32>) -> tensor<40xf32> attributes {dmc.kernel_function} {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[0] high[8] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<32xf32> to tensor<40xf32>
  return %y : tensor<40xf32>
}
func.func private @sum(tensor<40xf32>, tensor<40xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @weigh(tensor<40xf32>, tensor<40xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

// -----

// Nothing is freed where what is padded would be kept in its place, or where the padded tensor is
// not kept across the fullest moment; and what takes an exponential of each element is not repeated.
// CHECK-LABEL: func.func @no_gain
// CHECK-COUNT-3: dmc.launch @{{pad|pad_exp}} ins
// CHECK-NOT: dmc.launch @{{pad|pad_exp}} ins
// CHECK-LABEL: func.func private @double
func.func @no_gain(%a: tensor<32xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty() : tensor<40xf32>
  %r = tensor.empty() : tensor<8xf32>
  %l = tensor.empty() : tensor<1024xf32>
  %x = dmc.launch @double ins(%a : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %p = dmc.launch @pad ins(%x : tensor<32xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %q = dmc.launch @pad_exp ins(%a : tensor<32xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %s = dmc.launch @sum ins(%p, %q : tensor<40xf32>, tensor<40xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %g = dmc.launch @grow ins(%s : tensor<8xf32>) outs(%l : tensor<1024xf32>) -> tensor<1024xf32>
  %h = dmc.launch @shrink ins(%g : tensor<1024xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %w = dmc.launch @weigh ins(%p, %q, %h : tensor<40xf32>, tensor<40xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %o = dmc.launch @pad ins(%a : tensor<32xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %u = dmc.launch @sum ins(%o, %o : tensor<40xf32>, tensor<40xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  return %w, %u : tensor<8xf32>, tensor<8xf32>
}
func.func private @double(%x: tensor<32xf32>, %o: tensor<32xf32>) -> tensor<32xf32> attributes {dmc.kernel_function} {
  %y = linalg.map { arith.addf } ins(%x, %x : tensor<32xf32>, tensor<32xf32>) outs(%o : tensor<32xf32>)
  return %y : tensor<32xf32>
}
func.func private @pad(%x: tensor<32xf32>, %o: tensor<40xf32>) -> tensor<40xf32> attributes {dmc.kernel_function} {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[8] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<32xf32> to tensor<40xf32>
  return %y : tensor<40xf32>
}
func.func private @pad_exp(%x: tensor<32xf32>, %o: tensor<40xf32>) -> tensor<40xf32> attributes {dmc.kernel_function} {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %z = linalg.map { math.exp } ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>)
  %y = tensor.pad %z low[0] high[8] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<32xf32> to tensor<40xf32>
  return %y : tensor<40xf32>
}
func.func private @sum(tensor<40xf32>, tensor<40xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @weigh(tensor<40xf32>, tensor<40xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

// -----

// Repeated once, in front of the first of its late users.
// CHECK-LABEL: func.func @late_users
// CHECK: %[[P:.*]] = dmc.launch @pad ins(%arg0
// CHECK: dmc.launch @sum ins(%[[P]], %[[P]]
// CHECK: dmc.launch @shrink
// CHECK: %[[P2:.*]] = dmc.launch @pad ins(%arg0
// CHECK: dmc.launch @weigh ins(%[[P2]]
// CHECK: dmc.launch @weigh ins(%[[P2]]
// CHECK: return
func.func @late_users(%a: tensor<32xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %f = tensor.empty() : tensor<40xf32>
  %r = tensor.empty() : tensor<8xf32>
  %l = tensor.empty() : tensor<1024xf32>
  %p = dmc.launch @pad ins(%a : tensor<32xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %s = dmc.launch @sum ins(%p, %p : tensor<40xf32>, tensor<40xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %g = dmc.launch @grow ins(%s : tensor<8xf32>) outs(%l : tensor<1024xf32>) -> tensor<1024xf32>
  %h = dmc.launch @shrink ins(%g : tensor<1024xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %w = dmc.launch @weigh ins(%p, %h : tensor<40xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %v = dmc.launch @weigh ins(%p, %w : tensor<40xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  return %w, %v : tensor<8xf32>, tensor<8xf32>
}
func.func private @pad(%x: tensor<32xf32>, %o: tensor<40xf32>) -> tensor<40xf32> attributes {dmc.kernel_function} {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[8] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<32xf32> to tensor<40xf32>
  return %y : tensor<40xf32>
}
func.func private @sum(tensor<40xf32>, tensor<40xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @grow(tensor<8xf32>, tensor<1024xf32>) -> tensor<1024xf32> attributes {dmc.kernel_function}
func.func private @shrink(tensor<1024xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}
func.func private @weigh(tensor<40xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {dmc.kernel_function}

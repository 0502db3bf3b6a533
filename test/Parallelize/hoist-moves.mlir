// RUN: dmc-opt %s --dmc-hoist-moves --split-input-file | FileCheck %s
// RUN: dmc-opt %s --dmc-hoist-moves=max-bytes=100 --split-input-file | FileCheck %s --check-prefix=BOUND
// RUN: dmc-opt %s --dmc-hoist-moves --verify-numeric --split-input-file -o /dev/null

// The example of the pass's description: partial sums are added up, and reduced once.
// CHECK-LABEL: func.func @partial_sums
// CHECK: %[[T:.*]] = dmc.spread
// CHECK: %[[U:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]], %{{.*}} = %arg0)
// CHECK: %[[P:.*]] = linalg.reduce
// CHECK-NOT: dmc.reduce
// CHECK: linalg.map { arith.addf } ins(%[[A]], %[[P]]
// CHECK: scf.yield
// CHECK: dmc.reduce %[[U]]#0
#mesh = #dmc.mesh<"data" = 2>
#data_r = #dmc.layout<#mesh, [{"data"}, {}]>
#r = #dmc.layout<#mesh, [{}]>
#sum = #dmc.layout<#mesh, [{}], sum {"data"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["x" : tensor<4x8xf32, #data_r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @partial_sums(%x: tensor<4x8xf32, #data_r>) -> tensor<8xf32, #r> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %f0 = arith.constant 0.0 : f32
    %f1 = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<8xf32, #r>
    %one = linalg.fill ins(%f1 : f32) outs(%e : tensor<8xf32, #r>) -> tensor<8xf32, #r>
    %f = tensor.empty() : tensor<8xf32, #sum>
    %z = linalg.fill ins(%f0 : f32) outs(%f : tensor<8xf32, #sum>) -> tensor<8xf32, #sum>
    %v0 = tensor.empty() : tensor<4x8xf32, #data_r>
    %s:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %one, %v = %x) -> (tensor<8xf32, #r>, tensor<4x8xf32, #data_r>) {
      %w = linalg.map { math.tanh } ins(%v : tensor<4x8xf32, #data_r>) outs(%v0 : tensor<4x8xf32, #data_r>)
      %p = linalg.reduce { arith.addf } ins(%w : tensor<4x8xf32, #data_r>) outs(%z : tensor<8xf32, #sum>) dimensions = [0]
      %g = dmc.reduce %p over {"data"} : tensor<8xf32, #sum> to tensor<8xf32, #r>
      %n = linalg.map { arith.addf } ins(%a, %g : tensor<8xf32, #r>, tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      scf.yield %n, %w : tensor<8xf32, #r>, tensor<4x8xf32, #data_r>
    }
    return %s#0 : tensor<8xf32, #r>
  }
}

// -----

// Not where another user needs what was added up, nor where a product follows.
// CHECK-LABEL: func.func @needed
// CHECK: scf.for
// CHECK-COUNT-2: dmc.reduce
// CHECK: scf.yield
// CHECK-NOT: dmc.reduce
#mesh = #dmc.mesh<"data" = 2>
#data_r = #dmc.layout<#mesh, [{"data"}, {}]>
#r = #dmc.layout<#mesh, [{}]>
#sum = #dmc.layout<#mesh, [{}], sum {"data"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["x" : tensor<4x8xf32, #data_r>], results ["y" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r>]>} {
  func.func @needed(%x: tensor<4x8xf32, #data_r>) -> (tensor<8xf32, #r>, tensor<8xf32, #r>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %f0 = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32, #r>
    %zero = linalg.fill ins(%f0 : f32) outs(%e : tensor<8xf32, #r>) -> tensor<8xf32, #r>
    %f = tensor.empty() : tensor<8xf32, #sum>
    %z = linalg.fill ins(%f0 : f32) outs(%f : tensor<8xf32, #sum>) -> tensor<8xf32, #sum>
    %v0 = tensor.empty() : tensor<4x8xf32, #data_r>
    %s:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero, %b = %zero, %v = %x) -> (tensor<8xf32, #r>, tensor<8xf32, #r>, tensor<4x8xf32, #data_r>) {
      %w = linalg.map { math.tanh } ins(%v : tensor<4x8xf32, #data_r>) outs(%v0 : tensor<4x8xf32, #data_r>)
      %p = linalg.reduce { arith.addf } ins(%w : tensor<4x8xf32, #data_r>) outs(%z : tensor<8xf32, #sum>) dimensions = [0]
      %g = dmc.reduce %p over {"data"} : tensor<8xf32, #sum> to tensor<8xf32, #r>
      %n = linalg.map { arith.mulf } ins(%a, %g : tensor<8xf32, #r>, tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      %q = linalg.reduce { arith.addf } ins(%w : tensor<4x8xf32, #data_r>) outs(%z : tensor<8xf32, #sum>) dimensions = [0]
      %h = dmc.reduce %q over {"data"} : tensor<8xf32, #sum> to tensor<8xf32, #r>
      %t = linalg.map { math.absf } ins(%b : tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      %u = linalg.map { arith.addf } ins(%t, %h : tensor<8xf32, #r>, tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      scf.yield %n, %u, %w : tensor<8xf32, #r>, tensor<8xf32, #r>, tensor<4x8xf32, #data_r>
    }
    return %s#0, %s#1 : tensor<8xf32, #r>, tensor<8xf32, #r>
  }
}

// -----

// What the loop does not change is gathered once, with what makes it; not in a branch
// that may not be taken. A slice, which sends nothing, stays.
// CHECK-LABEL: func.func @invariant
// CHECK: %[[M:.*]] = linalg.map { math.tanh } ins(%arg1
// CHECK: %[[G:.*]] = dmc.combine %[[M]]
// CHECK: scf.for
// CHECK-NOT: dmc.combine
// CHECK: linalg.map { arith.addf } ins({{.*}}, %[[G]]
// CHECK: scf.if
// CHECK: dmc.combine
// BOUND-LABEL: func.func @invariant
// BOUND: scf.for
// BOUND: dmc.combine
// BOUND: scf.if
#mesh = #dmc.mesh<"data" = 2>
#d = #dmc.layout<#mesh, [{"data"}]>
#r = #dmc.layout<#mesh, [{}]>
#s = #dmc.layout<#mesh, []>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["x" : tensor<64xf32, #r>, "w" : tensor<64xf32, #d>, "b" : tensor<i1, #s>], results ["y" : tensor<64xf32, #r>]>} {
  func.func @invariant(%x: tensor<64xf32, #r>, %w: tensor<64xf32, #d>, %b: tensor<i1, #s>) -> tensor<64xf32, #r> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<64xf32, #r>
    %f = tensor.empty() : tensor<64xf32, #d>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<64xf32, #r>) {
      %t = linalg.map { math.tanh } ins(%w : tensor<64xf32, #d>) outs(%f : tensor<64xf32, #d>)
      %g = dmc.combine %t along {"data"} in 0 : tensor<64xf32, #d> to tensor<64xf32, #r>
      %n = linalg.map { arith.addf } ins(%a, %g : tensor<64xf32, #r>, tensor<64xf32, #r>) outs(%e : tensor<64xf32, #r>)
      %c = tensor.extract %b[] : tensor<i1, #s>
      %m = scf.if %c -> (tensor<64xf32, #r>) {
        %h = dmc.combine %w along {"data"} in 0 : tensor<64xf32, #d> to tensor<64xf32, #r>
        scf.yield %h : tensor<64xf32, #r>
      } else {
        scf.yield %n : tensor<64xf32, #r>
      }
      scf.yield %m : tensor<64xf32, #r>
    }
    return %s : tensor<64xf32, #r>
  }
}

// -----

// Each iteration gathers what the one before has split: carried unsharded.
// CHECK-LABEL: func.func @undone
// CHECK: %[[G:.*]] = dmc.combine %arg0
// CHECK: %[[S:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[G]])
// CHECK-NOT: dmc.combine
// CHECK: linalg.map { math.tanh } ins(%[[A]]
// CHECK: scf.yield
// CHECK: dmc.partition %[[S]]
#mesh = #dmc.mesh<"data" = 2>
#d = #dmc.layout<#mesh, [{"data"}]>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["x" : tensor<8xf32, #d>], results ["y" : tensor<8xf32, #d>]>} {
  func.func @undone(%x: tensor<8xf32, #d>) -> tensor<8xf32, #d> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<8xf32, #r>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<8xf32, #d>) {
      %g = dmc.combine %a along {"data"} in 0 : tensor<8xf32, #d> to tensor<8xf32, #r>
      %t = linalg.map { math.tanh } ins(%g : tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      %p = dmc.partition %t along {"data"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #d>
      scf.yield %p : tensor<8xf32, #d>
    }
    return %s : tensor<8xf32, #d>
  }
}

// -----

// The other way round it is carried split; a user of the whole slice in between is
// served by a slice.
// CHECK-LABEL: func.func @split
// CHECK: %[[P:.*]] = dmc.partition %arg0
// CHECK: %[[S:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[P]])
// CHECK-NOT: dmc.combine
// CHECK: scf.yield
// CHECK: dmc.combine %[[S]]
// CHECK-LABEL: func.func @also_used
// CHECK: %[[G:.*]] = dmc.combine %arg0
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[G]], %{{.*}} = %arg0)
// CHECK: %[[O:.*]] = dmc.partition %[[A]]
// CHECK-NOT: dmc.combine
// CHECK: linalg.map { math.exp } ins(%[[O]]
// CHECK: scf.yield
#mesh = #dmc.mesh<"data" = 2>
#d = #dmc.layout<#mesh, [{"data"}]>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @split(%x: tensor<8xf32, #r>) -> tensor<8xf32, #r> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<8xf32, #d>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<8xf32, #r>) {
      %g = dmc.partition %a along {"data"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #d>
      %t = linalg.map { math.tanh } ins(%g : tensor<8xf32, #d>) outs(%e : tensor<8xf32, #d>)
      %p = dmc.combine %t along {"data"} in 0 : tensor<8xf32, #d> to tensor<8xf32, #r>
      scf.yield %p : tensor<8xf32, #r>
    }
    return %s : tensor<8xf32, #r>
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#d = #dmc.layout<#mesh, [{"data"}]>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["x" : tensor<8xf32, #d>], results ["y" : tensor<8xf32, #d>, "z" : tensor<8xf32, #d>]>} {
  func.func @also_used(%x: tensor<8xf32, #d>) -> (tensor<8xf32, #d>, tensor<8xf32, #d>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<8xf32, #r>
    %f = tensor.empty() : tensor<8xf32, #d>
    %s:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<8xf32, #d>, tensor<8xf32, #d>) {
      %g = dmc.combine %a along {"data"} in 0 : tensor<8xf32, #d> to tensor<8xf32, #r>
      %t = linalg.map { math.tanh } ins(%g : tensor<8xf32, #r>) outs(%e : tensor<8xf32, #r>)
      %o = linalg.map { math.exp } ins(%a : tensor<8xf32, #d>) outs(%f : tensor<8xf32, #d>)
      %p = dmc.partition %t along {"data"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #d>
      scf.yield %p, %o : tensor<8xf32, #d>, tensor<8xf32, #d>
    }
    return %s#0, %s#1 : tensor<8xf32, #d>, tensor<8xf32, #d>
  }
}

// RUN: dmc-interpret %s --print | FileCheck %s

// Collectives on local tensors: rank r has [10r, 10r + 1]; a result of [{"a", "b"}] shows all four.
#m = #dmc.mesh<"a" = 2, "b" = 2>
#ab = #dmc.layout<#m, [{"a", "b"}]>
#a = #dmc.layout<#m, [{"a"}]>
#b = #dmc.layout<#m, [{"b"}]>
#r = #dmc.layout<#m, [{}]>
#ab2 = #dmc.layout<#m, [{"a", "b"}, {}]>

module attributes {dmc.program = #dmc.program<ranks "collectives" on #m, arguments [], results [
    "all_reduce" : tensor<8xi32, #ab>, "all_gather" : tensor<8xi32, #a>, "reduce_scatter" : tensor<4xi32, #ab>,
    "all_to_all" : tensor<8x1xi32, #ab2>, "permute" : tensor<8xi32, #ab>, "broadcast" : tensor<8xi32, #ab>,
    "kernel" : tensor<8xi32, #ab>, "launch" : tensor<8xi32, #ab>, "branch" : tensor<8xi32, #ab>,
    "loop" : tensor<8xi32, #ab>, "minor_first" : tensor<16xi32, #a>]>} {
  func.func private @negate(%x: tensor<2xi32>, %out: tensor<2xi32>) -> tensor<2xi32> attributes {dmc.kernel_function} {
    %zero = arith.constant dense<0> : tensor<2xi32>
    %y = linalg.map { arith.subi } ins(%zero, %x : tensor<2xi32>, tensor<2xi32>) outs(%out : tensor<2xi32>)
    return %y : tensor<2xi32>
  }

  func.func @main() -> (tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2x1xi32>, tensor<2xi32>, tensor<2xi32>,
                        tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<8xi32>) {
    %rank = comm.axis_index {"a", "b"} on #m
    %c10 = arith.constant 10 : index
    %base = arith.muli %rank, %c10 : index
    %x = tensor.generate {
    ^bb0(%i: index):
      %s = arith.addi %base, %i : index
      %v = arith.index_cast %s : index to i32
      tensor.yield %v : i32
    } : tensor<2xi32>
    %e1 = tensor.empty() : tensor<1xi32>
    %e2 = tensor.empty() : tensor<2xi32>
    %e4 = tensor.empty() : tensor<4xi32>
    %e8 = tensor.empty() : tensor<8xi32>
    %e21 = tensor.empty() : tensor<2x1xi32>
    // CHECK: "all_reduce": {{.*}} = [20, 22, 40, 42, 20, 22, 40, 42]
    %0 = comm.all_reduce sum ins(%x : tensor<2xi32>) outs(%e2 : tensor<2xi32>) over {"a"} on #m -> tensor<2xi32>
    // CHECK: "all_gather": {{.*}} = [0, 1, 10, 11, 20, 21, 30, 31]
    %1 = comm.all_gather ins(%x : tensor<2xi32>) outs(%e4 : tensor<4xi32>) dim 0 over {"b"} on #m -> tensor<4xi32>
    // CHECK: "reduce_scatter": {{.*}} = [10, 11, 30, 31]
    %2 = comm.reduce_scatter max ins(%x : tensor<2xi32>) outs(%e1 : tensor<1xi32>) dim 0 over {"b"} on #m -> tensor<1xi32>
    // CHECK: "all_to_all": {{.*}} = {{\[\[}}0], [20], [10], [30], [1], [21], [11], [31]]
    %x21 = tensor.expand_shape %x [[0, 1]] output_shape [2, 1] : tensor<2xi32> into tensor<2x1xi32>
    %3 = comm.all_to_all ins(%x21 : tensor<2x1xi32>) outs(%e21 : tensor<2x1xi32>) split 0 concat 0 over {"a"} on #m -> tensor<2x1xi32>
    // Position 1 receives nothing.
    // CHECK: "permute": {{.*}} = [20, 21, 30, 31, 0, 0, 0, 0]
    %4 = comm.permute ins(%x : tensor<2xi32>) outs(%e2 : tensor<2xi32>) pairs [1, 0] over {"a"} on #m -> tensor<2xi32>
    // CHECK: "broadcast": {{.*}} = [20, 21, 20, 21, 20, 21, 20, 21]
    %5 = comm.broadcast ins(%x : tensor<2xi32>) outs(%e2 : tensor<2xi32>) from 2 over {"a", "b"} on #m -> tensor<2xi32>
    // CHECK: "kernel": {{.*}} = [0, 2, 20, 22, 40, 42, 60, 62]
    %6 = dmc.kernel ins(%x : tensor<2xi32>) outs(%e2 : tensor<2xi32>) -> (tensor<2xi32>) {
    ^bb0(%in: tensor<2xi32>, %out: tensor<2xi32>):
      %y = linalg.map { arith.addi } ins(%in, %in : tensor<2xi32>, tensor<2xi32>) outs(%out : tensor<2xi32>)
      dmc.yield %y : tensor<2xi32>
    }
    // CHECK: "launch": {{.*}} = [0, -1, -10, -11, -20, -21, -30, -31]
    %7 = dmc.launch @negate ins(%x : tensor<2xi32>) outs(%e2 : tensor<2xi32>) -> tensor<2xi32>
    // Ranks may branch differently where they do not communicate.
    // CHECK: "branch": {{.*}} = [0, 1, 10, 11, 20, 21, -30, -31]
    %c3 = arith.constant 3 : index
    %last = arith.cmpi eq, %rank, %c3 : index
    %8 = scf.if %last -> tensor<2xi32> {
      scf.yield %7 : tensor<2xi32>
    } else {
      scf.yield %x : tensor<2xi32>
    }
    // Rank r runs r iterations.
    // CHECK: "loop": {{.*}} = [0, 1, 20, 22, 80, 84, 240, 248]
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %9 = scf.for %i = %c0 to %rank step %c1 iter_args(%y = %x) -> tensor<2xi32> {
      %z = arith.addi %y, %y : tensor<2xi32>
      scf.yield %z : tensor<2xi32>
    }
    // A group's order is that of its axes as listed.
    // CHECK: "minor_first": {{.*}} = [0, 1, 20, 21, 10, 11, 30, 31, 0, 1, 20, 21, 10, 11, 30, 31]
    %10 = comm.all_gather ins(%x : tensor<2xi32>) outs(%e8 : tensor<8xi32>) dim 0 over {"b", "a"} on #m -> tensor<8xi32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2x1xi32>,
      tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<8xi32>
  }
}

// RUN: dmc-interpret %s --print | FileCheck %s

// Groups that no axes describe, in their own order: rank r has [10r, 10r + 1]; rank 2 is in none.
#m = #dmc.mesh<"a" = 5>
#a = #dmc.layout<#m, [{"a"}]>

module attributes {dmc.program = #dmc.program<ranks "listed" on #m, arguments [], results [
    "all_reduce" : tensor<10xi32, #a>, "all_gather" : tensor<20xi32, #a>, "broadcast" : tensor<10xi32, #a>]>} {
  // CHECK: "all_reduce": tensor<10xi32> = [40, 42, 40, 42, 0, 0, 40, 42, 40, 42]
  // CHECK: "all_gather": tensor<20xi32> = [0, 1, 40, 41, 30, 31, 10, 11, 0, 0, 0, 0, 30, 31, 10, 11, 0, 1, 40, 41]
  // CHECK: "broadcast": tensor<10xi32> = [0, 1, 30, 31, 0, 0, 30, 31, 0, 1]
  func.func @main() -> (tensor<2xi32>, tensor<4xi32>, tensor<2xi32>) {
    %ten = arith.constant 10 : index
    %rank = comm.axis_index {"a"} on #m
    %e = tensor.empty() : tensor<2xi32>
    %x = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<2xi32>) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %base = arith.muli %rank, %ten : index
      %sum = arith.addi %base, %i : index
      %s = arith.index_cast %sum : index to i32
      linalg.yield %s : i32
    } -> tensor<2xi32>
    %w = tensor.empty() : tensor<4xi32>
    %0 = comm.all_reduce sum ins(%x : tensor<2xi32>) outs(%e : tensor<2xi32>) over {} on #m {groups = dense<[[3, 1], [0, 4]]> : tensor<2x2xi64>} -> tensor<2xi32>
    %1 = comm.all_gather ins(%x : tensor<2xi32>) outs(%w : tensor<4xi32>) dim 0 over {} on #m {groups = dense<[[3, 1], [0, 4]]> : tensor<2x2xi64>} -> tensor<4xi32>
    %2 = comm.broadcast ins(%x : tensor<2xi32>) outs(%e : tensor<2xi32>) from 0 over {} on #m {groups = dense<[[3, 1], [0, 4]]> : tensor<2x2xi64>} -> tensor<2xi32>
    return %0, %1, %2 : tensor<2xi32>, tensor<4xi32>, tensor<2xi32>
  }
}

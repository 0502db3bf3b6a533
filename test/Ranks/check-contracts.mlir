// What tactics promise is compared with what ranks send and need.
// RUN: split-file %s %t
// RUN: dmc-opt %t/kept.mlir --pass-pipeline='builtin.module(dmc-check-contracts)' | FileCheck %s --check-prefix=KEPT
// RUN: not dmc-opt %t/bytes.mlir --pass-pipeline='builtin.module(dmc-check-contracts)' -mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not dmc-opt %t/loop.mlir --pass-pipeline='builtin.module(dmc-check-contracts)' -mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not dmc-opt %t/peak.mlir --pass-pipeline='builtin.module(dmc-check-contracts)' -mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s --check-prefix=PEAK
// RUN: dmc-opt %t/peak-kept.mlir --pass-pipeline='builtin.module(dmc-check-contracts)' | FileCheck %s --check-prefix=PEAK-KEPT

//--- kept.mlir
// An all-reduce of 32 bytes over 4 ranks: 2 * 3/4 * 32.
// KEPT: comm.all_reduce
#mesh = #dmc.mesh<"x" = 4>
#r = #dmc.layout<#mesh, [{}]>
module attributes {
    dmc.contracts = [{loc = loc("plan.mlir":1:1), wire_bytes = 48 : i64, only = ["all_reduce"]},
                     {loc = loc("plan.mlir":2:1), counts = {all_reduce = 1, all_gather = 0}}],
    dmc.program = #dmc.program<ranks "p" on #mesh,
        arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %i = tensor.empty() : tensor<8xf32>
    %y = comm.all_reduce sum ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) over {"x"} on #mesh -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}

//--- bytes.mlir
// BYTES: plan.mlir:1:1: error: contract broken: expected at most 47 bytes to leave a rank, found 48
// BYTES: step.py:3:7: note: all_reduce of 'tensor<8xf32>' sends 48 bytes
// BYTES: plan.mlir:1:1: error: contract broken: expected no collectives but all_gather, permute
// BYTES: step.py:3:7: note: all_reduce of
// BYTES: plan.mlir:2:1: error: contract broken: expected all_reduce 2 times in a step, found 1
#mesh = #dmc.mesh<"x" = 4>
#r = #dmc.layout<#mesh, [{}]>
module attributes {
    dmc.contracts = [{loc = loc("plan.mlir":1:1), wire_bytes = 47 : i64, only = ["all_gather", "permute"]},
                     {loc = loc("plan.mlir":2:1), counts = {all_reduce = 2}}],
    dmc.program = #dmc.program<ranks "p" on #mesh,
        arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %i = tensor.empty() : tensor<8xf32>
    %y = comm.all_reduce sum ins(%x : tensor<8xf32>) outs(%i : tensor<8xf32>) over {"x"} on #mesh -> tensor<8xf32> loc("step.py":3:7)
    return %y : tensor<8xf32>
  }
}

//--- loop.mlir
// A loop counts by its trip count.
// LOOP: plan.mlir:1:1: error: contract broken: expected at most 100 bytes to leave a rank, found 144
// LOOP: note: all_reduce of 'tensor<8xf32>' sends 48 bytes, 3 times
#mesh = #dmc.mesh<"x" = 4>
#r = #dmc.layout<#mesh, [{}]>
module attributes {
    dmc.contracts = [{loc = loc("plan.mlir":1:1), wire_bytes = 100 : i64, counts = {all_reduce = 3}}],
    dmc.program = #dmc.program<ranks "p" on #mesh,
        arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %y = scf.for %n = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<8xf32> {
      %i = tensor.empty() : tensor<8xf32>
      %s = comm.all_reduce sum ins(%a : tensor<8xf32>) outs(%i : tensor<8xf32>) over {"x"} on #mesh -> tensor<8xf32>
      scf.yield %s : tensor<8xf32>
    }
    return %y : tensor<8xf32>
  }
}

//--- peak.mlir
// An argument of 8 elements, a result of its own, and an arena of 64 bytes.
// PEAK: plan.mlir:1:1: error: contract broken: expected a rank to need at most 127 bytes, found 128
#mesh = #dmc.mesh<"x" = 4>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64,
    dmc.contracts = [{loc = loc("plan.mlir":1:1), peak_bytes = 127 : i64}],
    dmc.program = #dmc.program<scheduled "p" on #mesh,
        arguments ["x" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #r>]>} {
  func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    return
  }
}

//--- peak-kept.mlir
// As many bytes as promised; a result in its argument's memory takes none.
// PEAK-KEPT: memref.copy
#mesh = #dmc.mesh<"x" = 4>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.arena_bytes = 64 : i64,
    dmc.contracts = [{loc = loc("plan.mlir":1:1), peak_bytes = 160 : i64}],
    dmc.program = #dmc.program<scheduled "p" on #mesh,
        arguments ["x" : tensor<8xf32, #r>, "w" : tensor<8xf32, #r> donates 1],
        results ["y" : tensor<8xf32, #r>, "nw" : tensor<8xf32, #r>]>} {
  func.func @main(%x: memref<8xf32>, %w: memref<8xf32>, %y: memref<8xf32>, %nw: memref<8xf32>, %arena: memref<64xi8>) {
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    return
  }
}

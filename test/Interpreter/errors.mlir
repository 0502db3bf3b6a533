// RUN: split-file %s %t
// RUN: not dmc-interpret %t/unsupported.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dmc-interpret %t/stablehlo.mlir 2>&1 | FileCheck %s --check-prefix=STABLEHLO
// RUN: not dmc-interpret %t/not-held.mlir 2>&1 | FileCheck %s --check-prefix=NOT-HELD
// RUN: not dmc-interpret %t/not-partial.mlir 2>&1 | FileCheck %s --check-prefix=NOT-PARTIAL
// RUN: not dmc-interpret %t/replicas.mlir 2>&1 | FileCheck %s --check-prefix=REPLICAS
// RUN: dmc-interpret %t/replicas.mlir --check-replicas=false --print | FileCheck %s --check-prefix=UNCHECKED
// RUN: not dmc-interpret %t/reshape.mlir 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not dmc-interpret %t/scatter.mlir 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not dmc-interpret %t/no-layout.mlir 2>&1 | FileCheck %s --check-prefix=NO-LAYOUT
// RUN: not dmc-interpret %t/division.mlir 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: not dmc-interpret %t/diverge.mlir 2>&1 | FileCheck %s --check-prefix=DIVERGE
// RUN: not dmc-interpret %t/scheduled.mlir 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// RUN: not dmc-interpret %t/no-entry.mlir 2>&1 | FileCheck %s --check-prefix=NO-ENTRY
// RUN: not dmc-interpret %t/inputs.mlir 2>&1 | FileCheck %s --check-prefix=INPUTS

//--- unsupported.mlir
// UNKNOWN: unsupported.mlir:3:8: error: 'other.op' op is unsupported by the interpreter
func.func @main() -> tensor<2xf32> {
  %0 = "other.op"() : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- stablehlo.mlir
// STABLEHLO: error: unsupported
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "foreign"}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- not-held.mlir
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
#r = #dmc.layout<#m, [{}]>
// NOT-HELD: error: 'linalg.map' op needs element (3) on rank 0, which does not hold it: operand of layout [{"a"}]
func.func @main() -> tensor<4xi32, #r> {
  %x = arith.constant dense<1> : tensor<4xi32, #a>
  %e = tensor.empty() : tensor<4xi32, #r>
  %0 = linalg.map { math.absi } ins(%x : tensor<4xi32, #a>) outs(%e : tensor<4xi32, #r>)
  return %0 : tensor<4xi32, #r>
}

//--- not-partial.mlir
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
#r0 = #dmc.layout<#m, []>
// NOT-PARTIAL: error: 'linalg.reduce' op has reduction loop 0 split by dimension 0 of operand 0, but a result that is not partial over the same axes
func.func @main() -> tensor<i32, #r0> {
  %x = arith.constant dense<1> : tensor<4xi32, #a>
  %e = arith.constant dense<0> : tensor<i32, #r0>
  %0 = linalg.reduce { arith.addi } ins(%x : tensor<4xi32, #a>) outs(%e : tensor<i32, #r0>) dimensions = [0]
  return %0 : tensor<i32, #r0>
}

//--- replicas.mlir
#m = #dmc.mesh<"a" = 2>
#p = #dmc.layout<#m, [{}], sum {"a"}>
#r = #dmc.layout<#m, [{}]>
// Partial values taken for a value.
// REPLICAS: error: replicated copies of result 0 differ: ranks 0 and 1 at element (0)
// UNCHECKED: result 0: tensor<2xi32> = [5, 6]
func.func @main() -> tensor<2xi32, #r> {
  %x = arith.constant dense<[5, 6]> : tensor<2xi32, #p>
  %e = tensor.empty() : tensor<2xi32, #r>
  %0 = linalg.map { math.absi } ins(%x : tensor<2xi32, #p>) outs(%e : tensor<2xi32, #r>)
  return %0 : tensor<2xi32, #r>
}

//--- reshape.mlir
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
#ar = #dmc.layout<#m, [{"a"}, {}]>
// Three rows over two positions are 2 + 1, nine elements 5 + 4.
// RESHAPE: error: 'tensor.collapse_shape' op needs element (1, 2) on rank 1, which does not hold it: operand of layout [{"a"}, {}]
func.func @main() -> tensor<9xi32, #a> {
  %x = arith.constant dense<1> : tensor<3x3xi32, #ar>
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<3x3xi32, #ar> into tensor<9xi32, #a>
  return %0 : tensor<9xi32, #a>
}

//--- scatter.mlir
#m = #dmc.mesh<"a" = 2>
#ar = #dmc.layout<#m, [{"a"}, {}]>
#rr = #dmc.layout<#m, [{}, {}]>
// SCATTER: error: 'dmc.scatter' op has updates split in dimension 0, but a result that is not partial over the same axes
func.func @main() -> tensor<3x2xi32, #ar> {
  %x = arith.constant dense<0> : tensor<3x2xi32, #ar>
  %ids = arith.constant dense<0> : tensor<4x1xi32, #ar>
  %upd = arith.constant dense<1> : tensor<4x2xi32, #ar>
  %0 = dmc.scatter ins(%ids, %upd : tensor<4x1xi32, #ar>, tensor<4x2xi32, #ar>) outs(%x : tensor<3x2xi32, #ar>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<3x2xi32, #ar> {
  ^bb0(%old: i32, %new: i32):
    dmc.yield %new : i32
  }
  return %0 : tensor<3x2xi32, #ar>
}

//--- no-layout.mlir
#m = #dmc.mesh<"a" = 2>
#a = #dmc.layout<#m, [{"a"}]>
// NO-LAYOUT: error: expected a layout on every tensor at level parallel, found 'tensor<4xi32>'
func.func @main() -> tensor<4xi32, #a> {
  %0 = arith.constant dense<1> : tensor<4xi32, #a>
  %1 = arith.constant dense<1> : tensor<4xi32>
  return %0 : tensor<4xi32, #a>
}

//--- division.mlir
// DIVISION: error: 'arith.divsi' op divides an integer by zero on rank 0
func.func @main() -> tensor<2xi32> {
  %0 = arith.constant dense<0> : tensor<2xi32>
  %1 = arith.divsi %0, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}

//--- diverge.mlir
#m = #dmc.mesh<"a" = 2>
#r0 = #dmc.layout<#m, []>
module attributes {dmc.program = #dmc.program<ranks "diverge" on #m, arguments [], results ["x" : tensor<i32, #r0>]>} {
  // DIVERGE: error: 'comm.all_reduce' op is reached by rank 1 but not by rank 0 of its group
  func.func @main() -> tensor<i32> {
    %x = arith.constant dense<1> : tensor<i32>
    %rank = comm.axis_index {"a"} on #m
    %c1 = arith.constant 1 : index
    %second = arith.cmpi eq, %rank, %c1 : index
    %0 = scf.if %second -> tensor<i32> {
      %y = comm.all_reduce sum ins(%x : tensor<i32>) outs(%x : tensor<i32>) over {"a"} on #m -> tensor<i32>
      scf.yield %y : tensor<i32>
    } else {
      scf.yield %x : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}

//--- scheduled.mlir
#m = #dmc.mesh<"a" = 2>
// SCHEDULED: error: expected a program of level tensor, parallel or ranks, found scheduled
module attributes {dmc.program = #dmc.program<scheduled "p" on #m, arguments [], results []>} {
  func.func @main() {
    return
  }
}

//--- no-entry.mlir
// NO-ENTRY: error: expected one public function with a body as the entry, found 2
module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}

//--- inputs.mlir
// INPUTS: error: the program has 1 arguments: expected --input, --input-dir, --in or --seed
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

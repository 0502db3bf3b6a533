// The decisions as a tactic, and the same program from it.
// RUN: split-file %s %t
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/ask.mlir},dmc-propagate-layouts,dmc-save-plan{file=%t/plan.mlir},dmc-materialize-moves)' -o %t/first.mlir
// RUN: FileCheck %s --input-file=%t/plan.mlir
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/plan.mlir},dmc-propagate-layouts,dmc-save-plan{file=%t/again.mlir},dmc-materialize-moves)' -o %t/second.mlir
// RUN: diff %t/plan.mlir %t/again.mlir
// RUN: diff %t/first.mlir %t/second.mlir

// A plan is of one program, and of one mesh; what it lost is missed.
// RUN: not dmc-opt %t/other.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/plan.mlir})' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: the plan was saved from another program: expected fingerprint {{[0-9a-f]+}}, found
// RUN: sed 's/"data" = 2/"data" = 4/' %t/program.mlir > %t/larger.mlir
// RUN: not dmc-opt %t/larger.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/plan.mlir})' 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: error: expected a plan on the program's mesh data=4, found one on data=2
// RUN: sed '/"linalg.map"/d' %t/plan.mlir > %t/lost.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/lost.mlir})' 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: error: the plan says no layouts of operation {{[0-9]+}} (linalg.map)
// RUN: sed '/argument "x"/p' %t/plan.mlir > %t/twice.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/twice.mlir})' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: the plan says layouts twice of argument "x"
// RUN: sed '/"linalg.map".*d.*d.*d.*d/p' %t/plan.mlir > %t/twice.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/twice.mlir})' 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: the plan says layouts twice of operation {{[0-9]+}}
// RUN: sed 's/"linalg.map"/"linalg.generic"/' %t/plan.mlir > %t/name.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/name.mlir})' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: decision {{[0-9]+}}: expected linalg.generic, found linalg.map
// RUN: sed 's/"x" : tensor<8xf32>,/"x" : tensor<8xf32, #dmc.layout<#mesh, [{}]>>,/' %t/program.mlir > %t/given.mlir
// RUN: not dmc-opt %t/given.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/plan.mlir})' 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: expected the layout [{}] of "x", as the program says, found [{"data"}]
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-save-plan)' 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: expected a program at level 'tensor' with decided layouts
// RUN: sed 's/of argument 1 /of argument 7 /' %t/plan.mlir > %t/value.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/value.mlir})' 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: decision {{[0-9]+}}: expected a constraint of a value of the program
// RUN: sed 's/argument "x" #layout_data/argument "x" #dmc.layout<#mesh_data2, [{}, {}]>/' %t/plan.mlir > %t/rank.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/rank.mlir})' 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: "x": expected a layout on the plan's mesh for 'tensor<8xf32>', found [{}, {}]
// RUN: sed '/result "y"/d' %t/plan.mlir > %t/result.mlir
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/result.mlir})' 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: the plan says no layout of "y"
// RUN: not dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/ask.mlir},dmc-apply-tactics{files=%t/plan.mlir})' 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: error: expected a program that no tactic has changed

//--- program.mlir
// CHECK: // Layouts of p on data=2, for dmc-compile --tactics.
// CHECK: #layout_data = #dmc.layout<#mesh_data2, [{"data"}]>
// CHECK: transform.dmc.plan %{{.*}} of "{{[0-9a-f]+}}" on #mesh_data2 plain {
// CHECK-NEXT: argument "x" #layout_data
// CHECK-NEXT: argument "w" #layout_data
// CHECK-NEXT: result "y" #layout_data
// CHECK-NEXT: {{[0-9]+}} "linalg.map" (#layout_data, #layout_data) -> (#layout_data)
// CHECK-NEXT: {{[0-9]+}} "dmc.constrain" of argument 1 (#layout_r) -> (#layout_r)
// CHECK-NEXT: {{[0-9]+}} "linalg.map" (#layout_data, #layout_data, #layout_data) -> (#layout_data)
#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8xf32>, "w" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @main(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %t = linalg.map { math.tanh } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
    %y = linalg.map { arith.addf } ins(%t, %w : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    return %y : tensor<8xf32>
  }
}

//--- other.mlir
#mesh = #dmc.mesh<"data" = 2>
module attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["x" : tensor<8xf32>, "w" : tensor<8xf32>], results ["y" : tensor<8xf32>]>} {
  func.func @main(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %t = linalg.map { math.tanh } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
    %y = linalg.map { arith.mulf } ins(%t, %w : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    return %y : tensor<8xf32>
  }
}

//--- ask.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %a = transform.dmc.arguments of any in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %a dim 0 along {"data"} : (!transform.any_value) -> ()
    %w = transform.dmc.arguments named "w" in %program : (!transform.any_op) -> !transform.any_value
    %whole = transform.dmc.reshard %w replicated {"data"} : (!transform.any_value) -> !transform.any_value
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    transform.yield
  }
}

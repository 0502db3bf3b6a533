// Requests become layouts of the boundary and constraints; what is decided stays.
// RUN: split-file %s %t
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/ask.mlir})' | FileCheck %s --check-prefix=ASK
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/steps.mlir},dmc-propagate-layouts,dmc-materialize-moves,dmc-expand-reshards)' | FileCheck %s --check-prefix=STEPS
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/inner.mlir},dmc-propagate-layouts,dmc-materialize-moves,dmc-expand-reshards)' | FileCheck %s --check-prefix=INNER
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{strategies=data_parallel:batch=x,megatron:parameters=w*},dmc-propagate-layouts,dmc-materialize-moves,dmc-expand-reshards)' | FileCheck %s --check-prefix=BOTH

// Upstream's interpreter runs the same tactics.
// RUN: dmc-opt %t/program.mlir --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t/ask.mlir},transform-interpreter)' | FileCheck %s --check-prefix=ASK

// RUN: dmc-opt %t/uneven.mlir --pass-pipeline='builtin.module(dmc-apply-tactics{files=%t/split.mlir})' 2>&1 | FileCheck %s --check-prefix=UNEVEN

//--- uneven.mlir
// Evenly where that is possible; else with the least padding; too small is said.
// UNEVEN: remark: not split along {"data"}: argument "d": no dimension has as many as 6 elements on a rank
// What is split already is split further where no other dimension is left.
// UNEVEN: "a" : tensor<7x12xf32, #layout_r_data>, "b" : tensor<8x17xf32, #layout_r_data>, "c" : tensor<13xf32, #layout_data>, "d" : tensor<5xf32>,
// UNEVEN-SAME: "e" : tensor<4x24xf32, #layout_r_modeldata>, "f" : tensor<12x12xf32, #layout_model_data>
#mesh = #dmc.mesh<"data" = 6, "model" = 2>
module attributes {dmc.program = #dmc.program<tensor "uneven" on #mesh,
    arguments ["a" : tensor<7x12xf32>, "b" : tensor<8x17xf32>, "c" : tensor<13xf32>, "d" : tensor<5xf32>,
               "e" : tensor<4x24xf32>, "f" : tensor<12x12xf32>], results []>} {
  func.func @main(%a: tensor<7x12xf32>, %b: tensor<8x17xf32>, %c: tensor<13xf32>, %d: tensor<5xf32>,
                  %e: tensor<4x24xf32>, %f: tensor<12x12xf32>) { return }
}

//--- split.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %columns = transform.dmc.arguments named "e" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %columns dim 1 along {"model"} : (!transform.any_value) -> ()
    %rows = transform.dmc.arguments named "f" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %rows dim 0 along {"model"} : (!transform.any_value) -> ()
    %w = transform.dmc.arguments of any in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %w along {"data"} : (!transform.any_value) -> ()
    transform.yield
  }
}

//--- program.mlir
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {dmc.program = #dmc.program<tensor "two_layer" on #mesh,
    arguments ["x" : tensor<64x32xf32>, "w1" : tensor<32x128xf32>, "w2" : tensor<128x16xf32>],
    results ["y" : tensor<64x16xf32>]>} {
  func.func @main(%x: tensor<64x32xf32>, %w1: tensor<32x128xf32>, %w2: tensor<128x16xf32>) -> tensor<64x16xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
    %h = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
    %t = linalg.map { math.tanh } ins(%h : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>)
    %g = tensor.empty() : tensor<64x16xf32>
    %k = linalg.fill ins(%zero : f32) outs(%g : tensor<64x16xf32>) -> tensor<64x16xf32>
    %y = linalg.matmul ins(%t, %w2 : tensor<64x128xf32>, tensor<128x16xf32>) outs(%k : tensor<64x16xf32>) -> tensor<64x16xf32>
    return %y : tensor<64x16xf32>
  }
}

//--- ask.mlir
// ASK: arguments ["x" : tensor<64x32xf32, #layout_data_r>, "w1" : tensor<32x128xf32, #layout_r_model>,
// ASK-SAME: "w2" : tensor<128x16xf32, #layout_r_r>], results ["y" : tensor<64x16xf32, #layout_data_r>]
// ASK: %{{.*}}: tensor<64x32xf32> {dmc.open = array<i64: 0, 1>
// ASK-SAME: %{{.*}}: tensor<32x128xf32> {dmc.requests =
// ASK-SAME: %{{.*}}: tensor<128x16xf32> {dmc.open = array<i64: 0, 1>, dmc.replicated = #dmc.axes<{"data"}>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    // Twice the same does not conflict.
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    %w1 = transform.dmc.arguments named "w1" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %w1 dim 1 along {"model"} : (!transform.any_value) -> ()
    transform.dmc.pin %w1 : (!transform.any_value) -> ()
    %w2 = transform.dmc.arguments named "*2" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.replicate %w2 along {"data"} : (!transform.any_value) -> ()
    %y = transform.dmc.results named "y" in %program : (!transform.any_op) -> !transform.any_param
    transform.dmc.shard %y dim 0 along {"data"} : (!transform.any_param) -> ()
    transform.yield
  }
}

//--- steps.mlir
// The second step builds on what the first has decided: "data" stays in dimension 0 of all
// activations, w2 follows w1.
// STEPS: arguments ["x" : tensor<64x32xf32, #layout_data_r>, "w1" : tensor<32x128xf32, #layout_r_model>,
// STEPS-SAME: "w2" : tensor<128x16xf32, #layout_model_r>]
// STEPS-NOT: dmc.combine
// STEPS: linalg.map { math.tanh } {{.*}}#layout_data_model
// STEPS: dmc.reduce %{{.*}} over {"model"}
// STEPS-NOT: dmc.reduce
// STEPS-NOT: dmc.requests
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    %y = transform.dmc.results named "y" in %program : (!transform.any_op) -> !transform.any_param
    transform.dmc.expect_split %y dim 0 along {"data"} : (!transform.any_param) -> ()
    %w1 = transform.dmc.arguments named "w1" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %w1 dim 1 along {"model"} : (!transform.any_value) -> ()
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    %h = transform.dmc.values by "linalg.map" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.expect_split %h dim 0 along {"data"} : (!transform.any_value) -> ()
    transform.dmc.expect_split %h dim 1 along {"model"} : (!transform.any_value) -> ()
    transform.yield
  }
}

//--- inner.mlir
// Within the program: the hidden layer is split by columns, and its uses see it by rows.
// INNER: arguments ["x" : tensor<64x32xf32, #layout_r_r>
// INNER: linalg.map { math.tanh } {{.*}}#layout_r_model
// INNER: dmc.exchange %{{.*}} along {"model"} from 1 to 0
// INNER: linalg.matmul {{.*}}#layout_model_r
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op) {
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.replicate %x : (!transform.any_value) -> ()
    %h = transform.dmc.values by "linalg.map" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %h dim 1 along {"model"} : (!transform.any_value) -> ()
    %rows = transform.dmc.reshard %h : (!transform.any_value) -> !transform.any_value
        to #dmc.layout<#mesh, [{"model"}, {}]>
    transform.dmc.propagate %program : (!transform.any_op) -> ()
    transform.yield
  }
}

//--- both.mlir
// BOTH: arguments ["x" : tensor<64x32xf32, #layout_data_r>, "w1" : tensor<32x128xf32, #layout_r_model>,
// BOTH-SAME: "w2" : tensor<128x16xf32, #layout_model_r>]
// BOTH: dmc.reduce %{{.*}} over {"model"}
// BOTH-NOT: dmc.reduce

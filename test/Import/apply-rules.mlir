// RUN: dmc-opt %s -split-input-file -pass-pipeline='builtin.module(dmc-apply-rules{kernels=whole kernels="scale=([i, j], [i]) -> ([i, j])"})' | FileCheck %s
// RUN: dmc-opt %s -split-input-file -pass-pipeline='builtin.module(dmc-apply-rules{kernels=whole kernels="scale=([i, j], [i]) -> ([i, j])"},dmc-split-complex,dmc-import-program,dmc-convert-stablehlo)' | FileCheck %s --check-prefix=ZERO

// CHECK-LABEL: @rules
// ZERO-LABEL: @rules
func.func public @rules(%x: tensor<8x4xf32>, %s: tensor<8xui32>) -> tensor<8x4xf32> {
  // CHECK: stablehlo.custom_call @scale(%{{.*}}, %{{.*}}) {dmc.rule = "([i, j], [i]) -> ([i, j])"}
  // ZERO: dmc.custom_call "scale" ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8xi32>) outs(%{{.*}} : tensor<8x4xf32>)
  // ZERO-SAME: {are_unsigned = array<i1: false, true, false>, rule = "([i, j], [i]) -> ([i, j])"} -> tensor<8x4xf32>
  %0 = stablehlo.custom_call @scale(%x, %s) : (tensor<8x4xf32>, tensor<8xui32>) -> tensor<8x4xf32>
  // Without a rule, that of the program.
  // CHECK: stablehlo.custom_call @whole(%{{.*}}) {dmc.rule = ""}
  // ZERO: dmc.custom_call "whole" ins(%{{.*}} : tensor<8x4xf32>) outs(%{{.*}} : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @whole(%0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.custom_call @whole(%{{.*}}) {dmc.rule = "([i, j])->([i, j]) {i=8, j=4}, custom"}
  // ZERO: dmc.custom_call "whole"
  // ZERO-SAME: {rule = "([i, j])->([i, j]) {i=8, j=4}, custom"}
  %2 = stablehlo.custom_call @whole(%1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.custom_call @other(%{{.*}}) {dmc.rule = "([i, j]) -> ([i, j]) need_replication={i}"}
  // ZERO: dmc.custom_call "other"
  %3 = stablehlo.custom_call @other(%2) {dmc.rule = "([i, j]) -> ([i, j]) need_replication={i}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// -----

// What the call says reaches the kernel as text.
// ZERO-LABEL: @config
func.func public @config(%x: tensor<4xf32>) -> tensor<4xf32> {
  // ZERO: config = "{\22axes\22: [0, -1], \22big\22: 18446744073709551615, \22is_on\22: true, \22limit\22: -Infinity, \22name\22: \22a \\\22b\\\22\22, \22sizes\22: [1, 2], \22step\22: {\22eps\22: 0.5}}"
  %0 = stablehlo.custom_call @whole(%x) {api_version = 4 : i32, backend_config = {axes = array<i64: 0, -1>, big = 18446744073709551615 : ui64, is_on = true, limit = 0xFF800000 : f32,
    name = "a \"b\"", sizes = dense<[1, 2]> : tensor<2xi32>, step = {eps = 5.000000e-01 : f32}}, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  // ZERO: config = "as it is"
  %1 = stablehlo.custom_call @whole(%0) {backend_config = "as it is"} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A kernel may have a name that import knows otherwise.
// ZERO-LABEL: @known_names
func.func public @known_names(%x: tensor<4xf32>) -> tensor<4xf32> {
  // ZERO: dmc.custom_call "mhlo.erf"
  %0 = stablehlo.custom_call @mhlo.erf(%x) {dmc.rule = "([i]) -> ([i])"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: dmc-opt %s -split-input-file -dmc-import-program -dmc-convert-stablehlo -verify-diagnostics

// expected-error @below {{collectives name more processes than the 2 replicas of 1 partitions}}
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

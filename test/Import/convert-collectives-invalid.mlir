// RUN: dmc-opt %s -split-input-file -dmc-import-program -dmc-convert-stablehlo -verify-diagnostics

// expected-error @below {{collectives name more processes than the 2 replicas of 1 partitions}}
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

module {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @below {{is unsupported: process 9223372036854775807; expected one below 1073741824}}
    %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 9223372036854775807]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

// expected-error @below {{unsupported: 4611686018427387904 replicas of 4 partitions; expected at most 1073741824 of each}}
module attributes {mhlo.num_replicas = 4611686018427387904 : i64, mhlo.num_partitions = 4 : i64} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    return %x : tensor<3xf32>
  }
}

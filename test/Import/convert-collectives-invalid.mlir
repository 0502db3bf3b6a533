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
// -----

module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
      // expected-error @below {{'stablehlo.collective_broadcast' names process 2, but there are 1}}
      %1 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// RUN: dmc-opt %s -split-input-file -verify-diagnostics

func.func @all_gather_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected each process once in replica_groups, but got 1 again}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 1]]> : tensor<1x3xi64>}> : (tensor<4xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @all_gather_c1_missing(%x: tensor<4xf32>) {
  // expected-error @below {{expected processes 0 to 1 in replica_groups, but got no 1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected a channel_handle above 0 with use_global_device_ids}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c3(%x: tensor<4xf32>) {
  // expected-error @below {{expected the result's size 12 along dimension 0 to be 2 times 4}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @all_to_all_c2(%x: tensor<3x4xf32>) {
  // expected-error @below {{expected split_count to divide 3, but got 2}}
  %3 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<3x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @collective_permute_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected distinct targets in source_target_pairs, but got 0 again}}
  %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_scatter_c3(%x: tensor<5xf32>) {
  // expected-error @below {{expected the operand's size 5 along dimension 0 to be 2 times 2}}
  %2 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @partition_id() {
  // expected-error @below {{expected a result of type tensor<ui32>, but got 'tensor<ui64>'}}
  %6 = stablehlo.partition_id : tensor<ui64>
  return
}

// -----

func.func @empty_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a process at the start of group 1 in replica_groups, but got -1}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [-1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

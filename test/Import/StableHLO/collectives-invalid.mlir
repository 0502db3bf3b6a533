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

func.func @all_reduce_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a process at the start of group 1 in replica_groups, but got -1}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [-1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @all_gather_c1_rank(%x: tensor<4xf32>) {
  // expected-error @below {{expected replica_groups of rank 2, but got 'tensor<2xi64>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c1_negative(%x: tensor<4xf32>) {
  // expected-error @below {{expected processes in replica_groups, but got -1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_operands() {
  // expected-error @below {{expected at least one operand}}
  "stablehlo.all_gather"() <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

func.func @all_gather_c3_rank(%x: tensor<4xf32>) {
  // expected-error @below {{expected operand and result of the same rank, but got 1 and 2}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8x1xf32>
  return
}

// -----

func.func @all_to_all_count(%x: tensor<4x4xf32>) {
  // expected-error @below {{expected a positive split_count, but got 0}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 0 : i64, split_dimension = 0 : i64}> : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @all_to_all_c1(%x: tensor<4x4xf32>) {
  // expected-error @below {{expected replica_groups of 4 columns, as split_count says, but got 2}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x4xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @collective_permute_columns(%x: tensor<4xf32>) {
  // expected-error @below {{expected source_target_pairs of two columns, but got 'tensor<1x3xi64>'}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0, 1]]> : tensor<1x3xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute_negative(%x: tensor<4xf32>) {
  // expected-error @below {{expected processes in source_target_pairs, but got -1}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_gather_c4(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected the result's size 4 along dimension 1 to be 3}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x3xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @all_reduce_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected a channel_handle above 0 with use_global_device_ids}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c3(%x: tensor<4xf32>) {
  // expected-error @below {{expected result of shape [4], but got [5]}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @all_reduce_c4(%x: tensor<4xf32>) {
  // expected-error @below {{expected the computation to take ('tensor<f32>', 'tensor<f32>'), but got ('tensor<f32>')}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_to_all_c3(%x: tensor<4x4xf32>) {
  // expected-error @below {{expected result of shape [2, 8], but got [2, 4]}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @collective_broadcast_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected each process once in replica_groups, but got 1 again}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_scatter_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected processes 0 to 1 in replica_groups, but got no 0}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected a channel_handle above 0 with use_global_device_ids}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_c4(%x: tensor<4x3xf32>) {
  // expected-error @below {{expected the operand's size 3 along dimension 1 to be 2}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c5(%x: tensor<4xf32>) {
  // expected-error @below {{expected the computation to take ('tensor<f32>', 'tensor<f32>'), but got ('tensor<f32>')}}
  %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

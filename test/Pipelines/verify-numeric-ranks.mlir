// Programs of ranks: each rank has arguments of its own, so that what mixes ranks up is noticed.
// DEFINE: %{plugin} = --load-pass-plugin=%dmc_lib/DMCTestPasses.so
// RUN: dmc-opt %s --verify-numeric --pass-pipeline='builtin.module(dmc-import,cse,dmc-form-kernels,dmc-outline-kernels,dmc-plan-buffers)' -o /dev/null
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(dmc-import,dmc-test-break-all-reduce,cse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REDUCE --implicit-check-not=error:
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(dmc-import,dmc-test-break-group,cse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=GROUP --implicit-check-not=error:
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(dmc-import,dmc-test-break-nan)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAN --implicit-check-not=error:
// Between small integers they are the same.
// RUN: not dmc-opt %s %{plugin} --verify-numeric --pass-pipeline='builtin.module(dmc-import,dmc-test-break-unsigned)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNSIGNED --implicit-check-not=error:

// REDUCE: error: the value of 'main' differs after pass 'dmc-test-break-all-reduce': result 0 ("result0") of rank {{[0-3]}} at [{{[0-4]}}] was
// REDUCE: note: this argument
// GROUP: error: the value of 'main' differs after pass 'dmc-test-break-group': result 1 ("result1") of rank {{[0-3]}} at [{{[0-9]}}] was
// GROUP: note: made by 'comm.all_gather'
// NAN: error: the value of 'main' differs after pass 'dmc-test-break-nan': result 2 ("result2") of rank {{[0-3]}} at [{{[0-9]+}}] was nan and is
// NAN: note: made by 'linalg.
// UNSIGNED: error: the value of 'main' differs after pass 'dmc-test-break-unsigned': result 3 ("result3") of rank {{[0-3]}} at [{{[0-9]+}}] was
// UNSIGNED: note: made by 'linalg.
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<5xi32>, %y: tensor<64xf32>, %n: tensor<64xui16>) -> (tensor<5xi32>, tensor<10xi32>, tensor<64xf32>, tensor<64xui16>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<5xi32>) -> tensor<5xi32>
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<5xi32>) -> tensor<10xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<64xf32>
    %2 = stablehlo.maximum %y, %zero : tensor<64xf32>
    %four = stablehlo.constant dense<4> : tensor<64xui16>
    %3 = stablehlo.maximum %n, %four : tensor<64xui16>
    return %0, %1, %2, %3 : tensor<5xi32>, tensor<10xi32>, tensor<64xf32>, tensor<64xui16>
  }
}

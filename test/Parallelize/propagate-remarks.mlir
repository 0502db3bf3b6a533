// What has no sharding rule says so if asked, and needs its operands whole.
// RUN: dmc-opt %s --dmc-propagate-layouts="remarks=true" 2>&1 | FileCheck %s
// RUN: dmc-opt %s --dmc-propagate-layouts 2>&1 | FileCheck %s --check-prefix=QUIET
// QUIET-NOT: remark:
// CHECK-NOT: remark:
// CHECK: [[@LINE+12]]:10: remark: 'linalg.softmax' has no sharding rule: it needs its operands whole on every rank
// CHECK-NOT: remark:
// CHECK: #[[R:.+]] = #dmc.layout<#{{.+}}, [{}, {}]>
// CHECK: linalg.softmax {dmc.layouts = #dmc.op_layouts<operands = [#[[R]], #[[R]]], results = [#[[R]]]>}

#mesh = #dmc.mesh<"data" = 2>
#s = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<tensor "softmax" on #mesh,
    arguments ["x" : tensor<8x8xf32, #s>], results ["y" : tensor<8x8xf32, #s>]>} {
  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %e = tensor.empty() : tensor<8x8xf32>
    %0 = linalg.map { math.tanh } ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
    %1 = linalg.softmax dimension(1) ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

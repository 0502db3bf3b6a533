// RUN: dmc-opt %s --dmc-expand-reshards | FileCheck %s
// RUN: dmc-opt %s --dmc-expand-reshards=machine=latency=1 | FileCheck %s --check-prefix=LATENCY
// RUN: dmc-opt %s --dmc-expand-reshards=machine=link=1 | FileCheck %s
// RUN: not dmc-opt %s --dmc-expand-reshards=machine=latency=-1 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: dmc-opt %s --dmc-expand-reshards=machine=capacity=300000 2>&1 -o /dev/null | FileCheck %s --check-prefix=CAPACITY
// RUN: dmc-opt %s --dmc-expand-reshards=machine=capacity=1e9 2>&1 -o /dev/null | FileCheck %s --check-prefix=FITS --allow-empty

// In parts an all-reduce sends fewer bytes in more messages: which of them is faster follows
// from the machine.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = dmc.partition %{{.*}} along {"x"} in 0
// CHECK: %[[B:.*]] = dmc.reduce %[[A]] over {"z"}
// CHECK: %[[C:.*]] = dmc.partition %[[B]] along {"z"} in 0
// CHECK: dmc.combine %[[C]] along {"x", "z"} in 0
// LATENCY-LABEL: func.func @main
// LATENCY-NEXT: %[[S:.*]] = tensor.empty
// LATENCY-NEXT: dmc.reduce %[[S]] over {"z"}
// LATENCY-NEXT: return

// WRONG: error: in the option machine of dmc-expand-reshards: expected a positive number for latency, found '-1'

// No sequence of moves fits: operand and result have 288000 bytes each.
// CAPACITY: expand-reshards-machine.mlir:[[#@LINE+9]]:{{.*}} warning: expected moves whose operand and result fit into the capacity of 300000 bytes, found none that need less than
// FITS-NOT: warning

#mesh = #dmc.mesh<"x" = 2, "z" = 3>
#r = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"z"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments [], results []>} {
  func.func @main() {
    %s = tensor.empty() : tensor<1200x60xf32, #sum>
    %y = dmc.reshard %s : tensor<1200x60xf32, #sum> to tensor<1200x60xf32, #r>
    return
  }
}

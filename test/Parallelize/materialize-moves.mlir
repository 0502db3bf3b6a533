// RUN: dmc-opt %s -split-input-file --dmc-materialize-moves | FileCheck %s

// Types, one reshard for two uses that want the same, a copy of a constant for each
// layout that is wanted.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK: module @shared attributes {dmc.program = #dmc.program<parallel
module @shared attributes {dmc.program = #dmc.program<tensor "shared" on #mesh,
    arguments ["a" : tensor<8xf32, #x>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #x>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor<8xf32, #[[X]]>) -> (tensor<8xf32, #[[R]]>, tensor<8xf32, #[[X]]>)
  func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-DAG: %[[CR:.+]] = arith.constant dense<{{.*}}> : tensor<8xf32, #[[R]]>
    // CHECK-DAG: %[[CX:.+]] = arith.constant dense<{{.*}}> : tensor<8xf32, #[[X]]>
    %c = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    // CHECK: %[[M:.+]] = dmc.reshard %[[A]] : tensor<8xf32, #[[X]]> to tensor<8xf32, #[[R]]>
    // CHECK: %[[E:.+]] = tensor.empty() : tensor<8xf32, #[[R]]>
    // CHECK: linalg.map { arith.addf } ins(%[[M]], %[[CR]] : tensor<8xf32, #[[R]]>, tensor<8xf32, #[[R]]>) outs(%[[E]] : tensor<8xf32, #[[R]]>)
    // CHECK-NOT: dmc.layouts
    %0 = linalg.map { arith.addf } ins(%a, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
        {dmc.layouts = #dmc.op_layouts<operands = [#r, #r, #r], results = [#r]>}
    // CHECK: linalg.map { arith.mulf } ins(%[[M]], %{{.*}})
    %1 = linalg.map { arith.mulf } ins(%a, %0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
        {dmc.layouts = #dmc.op_layouts<operands = [#r, #r, #r], results = [#r]>}
    // CHECK: %[[Z:.+]] = linalg.map { arith.subf } ins(%[[A]], %[[CX]] : tensor<8xf32, #[[X]]>, tensor<8xf32, #[[X]]>)
    %2 = linalg.map { arith.subf } ins(%a, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
        {dmc.layouts = #dmc.op_layouts<operands = [#x, #x, #x], results = [#x]>}
    // CHECK: return %{{.*}}, %[[Z]] : tensor<8xf32, #[[R]]>, tensor<8xf32, #[[X]]>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A partial value is reduced once although its uses want different layouts; without
// that there would be an all-reduce and a reduce-scatter.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#k = #dmc.layout<#mesh, [{}, {"x"}]>
#p = #dmc.layout<#mesh, [{}], sum {"x"}>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG: #[[P:.+]] = #dmc.layout<#{{.*}}, [{}], sum {"x"}>
// CHECK: module @reduce_once
module @reduce_once attributes {dmc.program = #dmc.program<tensor "once" on #mesh,
    arguments ["a" : tensor<8x4xf32, #k>], results ["y" : tensor<8xf32, #x>, "z" : tensor<8xf32, #r>]>} {
  func.func @main(%a: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    // CHECK: %[[F:.+]] = linalg.fill {{.*}} -> tensor<8xf32, #[[P]]>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // CHECK: %[[S:.+]] = linalg.reduce {{.*}} outs(%[[F]] : tensor<8xf32, #[[P]]>)
    %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
        {dmc.layouts = #dmc.op_layouts<operands = [#k, #p], results = [#p]>}
    // CHECK: %[[Z:.+]] = dmc.reshard %[[S]] : tensor<8xf32, #[[P]]> to tensor<8xf32, #[[R]]>
    // CHECK: %[[Y:.+]] = dmc.reshard %[[Z]] : tensor<8xf32, #[[R]]> to tensor<8xf32, #[[X]]>
    // CHECK: return %[[Y]], %[[Z]]
    return %0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A constraint becomes the move that it asks for.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK: module @constrain
module @constrain attributes {dmc.program = #dmc.program<tensor "c" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #x>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[Y:.+]] = dmc.reshard %[[A]] : tensor<8xf32, #[[R]]> to tensor<8xf32, #[[X]]>
    %0 = dmc.constrain %a : tensor<8xf32> to #x {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>}
    // CHECK-NEXT: return %[[Y]]
    return %0 : tensor<8xf32>
  }
}

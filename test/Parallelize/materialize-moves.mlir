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

// -----

// There and back: the second constraint and the result are what the argument is already, and the
// first is moved to for the one use that wants it so.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK: module @there_and_back
module @there_and_back attributes {dmc.program = #dmc.program<tensor "c" on #mesh,
    arguments ["a" : tensor<8xf32, #x>], results ["y" : tensor<8xf32, #r>, "z" : tensor<8xf32, #x>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor
  func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[Y:.+]] = dmc.reshard %[[A]] : tensor<8xf32, #[[X]]> to tensor<8xf32, #[[R]]>
    %0 = dmc.constrain %a : tensor<8xf32> to #r {dmc.layouts = #dmc.op_layouts<operands = [#r], results = [#r]>}
    %1 = dmc.constrain %0 : tensor<8xf32> to #x {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>}
    // CHECK-NEXT: return %[[Y]], %[[A]]
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// What nobody takes in the layout of a constraint goes where it is wanted at once; nothing is made
// of a constraint without uses.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
#y = #dmc.layout<#mesh, [{"y"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG: #[[Y:.+]] = #dmc.layout<#{{.*}}, [{"y"}]>
// CHECK: module @passed_on
module @passed_on attributes {dmc.program = #dmc.program<tensor "c" on #mesh,
    arguments ["a" : tensor<8xf32, #x>], results ["y" : tensor<8xf32, #y>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[M:.+]] = dmc.reshard %[[A]] : tensor<8xf32, #[[X]]> to tensor<8xf32, #[[Y]]>
    %0 = dmc.constrain %a : tensor<8xf32> to #r {dmc.layouts = #dmc.op_layouts<operands = [#r], results = [#r]>}
    %1 = dmc.constrain %a : tensor<8xf32> to #r {dmc.layouts = #dmc.op_layouts<operands = [#r], results = [#r]>}
    // CHECK-NEXT: return %[[M]]
    return %0 : tensor<8xf32>
  }
}

// -----

// Two constraints to one layout make one version; where that has several uses it is made, and the
// use to which the argument is nearer takes the argument.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#x = #dmc.layout<#mesh, [{"x"}, {}]>
#y = #dmc.layout<#mesh, [{}, {"y"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}, {}]>
#yx = #dmc.layout<#mesh, [{}, {"y", "x"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}, {}]>
// CHECK-DAG: #[[Y:.+]] = #dmc.layout<#{{.*}}, [{}, {"y"}]>
// CHECK-DAG: #[[XY:.+]] = #dmc.layout<#{{.*}}, [{"x", "y"}, {}]>
// CHECK-DAG: #[[YX:.+]] = #dmc.layout<#{{.*}}, [{}, {"y", "x"}]>
// CHECK: module @shared_versions
module @shared_versions attributes {dmc.program = #dmc.program<tensor "c" on #mesh,
    arguments ["a" : tensor<8x8xf32, #x>],
    results ["w" : tensor<8x8xf32, #y>, "v" : tensor<8x8xf32, #xy>, "u" : tensor<8x8xf32, #yx>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor
  func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    // CHECK-NEXT: %[[W:.+]] = dmc.reshard %[[A]] : tensor<8x8xf32, #[[X]]> to tensor<8x8xf32, #[[Y]]>
    %0 = dmc.constrain %a : tensor<8x8xf32> to #y {dmc.layouts = #dmc.op_layouts<operands = [#y], results = [#y]>}
    %1 = dmc.constrain %a : tensor<8x8xf32> to #y {dmc.layouts = #dmc.op_layouts<operands = [#y], results = [#y]>}
    // CHECK-NEXT: %[[V:.+]] = dmc.reshard %[[A]] : tensor<8x8xf32, #[[X]]> to tensor<8x8xf32, #[[XY]]>
    // CHECK-NEXT: %[[U:.+]] = dmc.reshard %[[W]] : tensor<8x8xf32, #[[Y]]> to tensor<8x8xf32, #[[YX]]>
    // CHECK-NEXT: return %[[W]], %[[V]], %[[U]]
    return %0, %1, %1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}

// -----

// A constant is made in the layout of each use, whatever is asked for between them.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK: module @constrained_constant
module @constrained_constant attributes {dmc.program = #dmc.program<tensor "c" on #mesh,
    arguments [], results ["y" : tensor<8xf32, #r>]>} {
  // CHECK: func.func @main()
  func.func @main() -> tensor<8xf32> {
    // CHECK-NEXT: %[[Y:.+]] = arith.constant dense<{{.*}}> : tensor<8xf32, #[[R]]>
    %a = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
    %0 = dmc.constrain %a : tensor<8xf32> to #x {dmc.layouts = #dmc.op_layouts<operands = [#x], results = [#x]>}
    // CHECK-NEXT: return %[[Y]]
    return %0 : tensor<8xf32>
  }
}

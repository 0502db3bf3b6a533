// RUN: dmc-opt %s -split-input-file -dmc-propagate-layouts | FileCheck %s

// An open dimension has at least its axes and takes more; a closed one does not. The
// argument's "y" reaches the result of the first constraint only.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG: #[[XY:.+]] = #dmc.layout<#{{.*}}, [{"x", "y"}]>
// CHECK: module @open {{.*}} results ["y" : tensor<8xf32, #[[XY]]>, "z" : tensor<8xf32, #[[X]]>]>}
module @open attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32, #xy>], results ["y" : tensor<8xf32>, "z" : tensor<8xf32>]>} {
  func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK: dmc.constrain {{.*}}operands = [#[[XY]]], results = [#[[XY]]]>
    %0 = dmc.constrain %a : tensor<8xf32> to #x open [0]
    // CHECK: dmc.constrain {{.*}}operands = [#[[X]]], results = [#[[X]]]>
    %1 = dmc.constrain %a : tensor<8xf32> to #x
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A replicated axis does not split an open dimension.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK: module @replicated {{.*}} results ["y" : tensor<8xf32, #[[X]]>]>}
module @replicated attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32, #xy>], results ["y" : tensor<8xf32>]>} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: dmc.constrain {{.*}}results = [#[[X]]]>
    %0 = dmc.constrain %a : tensor<8xf32> to #r open [0] replicated {"y"}
    return %0 : tensor<8xf32>
  }
}

// -----

// Both ask for "x" in another dimension of the sum: the lower number wins, whichever
// comes first in the text.
#mesh = #dmc.mesh<"x" = 2>
#x0 = #dmc.layout<#mesh, [{"x"}, {}]>
#x1 = #dmc.layout<#mesh, [{}, {"x"}]>
// CHECK-DAG: #[[X1:.+]] = #dmc.layout<#{{.*}}, [{}, {"x"}]>
// CHECK: module @priority
module @priority attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x4xf32>, "b" : tensor<8x4xf32>], results ["y" : tensor<8x4xf32>]>} {
  func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    %0 = dmc.constrain %a : tensor<8x4xf32> to #x0 priority [1, 1]
    %1 = dmc.constrain %b : tensor<8x4xf32> to #x1
    // CHECK: linalg.map { arith.addf } {{.*}}results = [#[[X1]]]>
    %2 = linalg.map { arith.addf } ins(%0, %1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %2 : tensor<8x4xf32>
  }
}

// -----

// The same of arguments.
#mesh = #dmc.mesh<"x" = 2>
#x0 = #dmc.layout<#mesh, [{"x"}, {}]>
#x1 = #dmc.layout<#mesh, [{}, {"x"}]>
// CHECK-DAG: #[[X1:.+]] = #dmc.layout<#{{.*}}, [{}, {"x"}]>
// CHECK: module @priority_of_arguments
module @priority_of_arguments attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x4xf32, #x0>, "b" : tensor<8x4xf32, #x1>], results ["y" : tensor<8x4xf32>]>} {
  // CHECK-NOT: dmc.priorities
  func.func @main(%a: tensor<8x4xf32> {dmc.priorities = array<i64: 1, 1>}, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    // CHECK: linalg.map { arith.addf } {{.*}}results = [#[[X1]]]>
    %2 = linalg.map { arith.addf } ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %2 : tensor<8x4xf32>
  }
}

// -----

// A group is one value to propagation: what one is given, all have.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK: module @group {{.*}} arguments ["a" : tensor<8xf32, #[[X]]>, "b" : tensor<8xf32, #[[X]]>], results ["y" : tensor<8xf32, #[[X]]>, "z" : tensor<8xf32, #[[X]]>]>}
module @group attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32, #x>, "b" : tensor<8xf32>], results ["y" : tensor<8xf32>, "z" : tensor<8xf32>]>} {
  func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = dmc.constrain %a : tensor<8xf32> to #r open [0] group 9223372036854775807
    // CHECK: dmc.constrain {{.*}} group 9223372036854775807 {dmc.layouts = #dmc.op_layouts<operands = [#[[X]]], results = [#[[X]]]>}
    // CHECK: dmc.constrain {{.*}} group 9223372036854775807 {dmc.layouts = #dmc.op_layouts<operands = [#[[X]]], results = [#[[X]]]>}
    %1 = dmc.constrain %b : tensor<8xf32> to #r open [0] group 9223372036854775807
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A barrier lets layouts pass one way: forward the argument's reaches the result,
// backward it does not.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK: module @barrier {{.*}} results ["f" : tensor<8xf32, #[[X]]>, "b" : tensor<8xf32, #[[R]]>, "n" : tensor<8xf32, #[[R]]>]>}
module @barrier attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32, #x>], results ["f" : tensor<8xf32>, "b" : tensor<8xf32>, "n" : tensor<8xf32>]>} {
  func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = dmc.constrain %a : tensor<8xf32> to #r open [0] allow forward
    %1 = dmc.constrain %a : tensor<8xf32> to #r open [0] allow backward
    %2 = dmc.constrain %a : tensor<8xf32> to #r open [0] allow none
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// And the other way.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-DAG: #[[X:.+]] = #dmc.layout<#{{.*}}, [{"x"}]>
// CHECK-DAG: #[[R:.+]] = #dmc.layout<#{{.*}}, [{}]>
// CHECK: module @barrier_backward {{.*}} arguments ["a" : tensor<8xf32, #[[R]]>, "b" : tensor<8xf32, #[[X]]>]
module @barrier_backward attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8xf32>, "b" : tensor<8xf32>], results ["f" : tensor<8xf32, #x>, "b" : tensor<8xf32, #x>]>} {
  func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = dmc.constrain %a : tensor<8xf32> to #r open [0] allow forward
    %1 = dmc.constrain %b : tensor<8xf32> to #r open [0] allow backward
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// Partial values are kept where they are asked for.
#mesh = #dmc.mesh<"x" = 2>
#p = #dmc.layout<#mesh, [{}], sum {"x"}>
#x1 = #dmc.layout<#mesh, [{}, {"x"}]>
// CHECK-DAG: #[[P:.+]] = #dmc.layout<#{{.*}}, [{}], sum {"x"}>
// CHECK: module @partial_sums
module @partial_sums attributes {dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x4xf32, #x1>], results ["y" : tensor<8xf32>]>} {
  func.func @main(%a: tensor<8x4xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // CHECK: linalg.reduce {{.*}}results = [#[[P]]]>
    %0 = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
    // CHECK: dmc.constrain {{.*}}operands = [#[[P]]], results = [#[[P]]]>
    %1 = dmc.constrain %0 : tensor<8xf32> to #p
    return %1 : tensor<8xf32>
  }
}

// -----

// In order, a result asks too, and what it returns may be split further; by bytes it stays.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r_y = #dmc.layout<#mesh, [{}, {"y"}]>
#x_y = #dmc.layout<#mesh, [{"x"}, {"y"}]>
// CHECK-DAG: #[[XY:.+]] = #dmc.layout<#{{.*}}, [{"x"}, {"y"}]>
// CHECK: module @further
module @further attributes {dmc.in_order, dmc.plain, dmc.program = #dmc.program<tensor "p" on #mesh,
    arguments ["a" : tensor<8x4xf32, #r_y>], results ["y" : tensor<8x4xf32, #x_y>]>} {
  func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %e = tensor.empty() : tensor<8x4xf32>
    // CHECK: linalg.map { math.tanh } {{.*}}results = [#[[XY]]]>
    %0 = linalg.map { math.tanh } ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
    return %0 : tensor<8x4xf32>
  }
}

// RUN: dmc-opt %s -split-input-file --pass-pipeline="builtin.module(dmc-propagate-layouts,dmc-materialize-moves,dmc-expand-reshards)" | FileCheck %s
// RUN: dmc-opt %s -split-input-file --pass-pipeline="builtin.module(dmc-propagate-layouts{machine=flops=1e15},dmc-materialize-moves,dmc-expand-reshards)" | FileCheck %s --check-prefix=FAST
// RUN: not dmc-opt %s -split-input-file --dmc-propagate-layouts="machine=speed=1" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dmc-opt %s -split-input-file --dmc-propagate-layouts="machine=flops=-1" 2>&1 | FileCheck %s --check-prefix=RATE

// NAME: error: in the option machine of dmc-propagate-layouts: expected link, latency, flops, memory or capacity, found 'speed'
// RATE: error: in the option machine of dmc-propagate-layouts: expected a positive number for flops, found '-1'

// Experts: tokens go to the experts once and come back once; what lies between the two
// products stays where it is, though the batch's split came to it first.
#mesh = #dmc.mesh<"expert" = 4>
#tokens = #dmc.layout<#mesh, [{}, {"expert"}, {}]>
#experts = #dmc.layout<#mesh, [{"expert"}, {}, {}]>
// CHECK-LABEL: module @experts
// CHECK: dmc.exchange %{{.*}} along {"expert"} from 1 to 0
// CHECK: linalg.batch_matmul
// CHECK-NOT: dmc.exchange
// CHECK: linalg.batch_matmul
// CHECK: dmc.exchange %{{.*}} along {"expert"} from 0 to 1
// CHECK-NOT: dmc.{{exchange|combine|reduce}}
// FAST-LABEL: module @experts
module @experts attributes {dmc.program = #dmc.program<tensor "experts" on #mesh,
    arguments ["x" : tensor<4x64x32xf32, #tokens>, "g" : tensor<4x64x64xf32, #tokens>,
               "w1" : tensor<4x32x64xf32, #experts>, "w2" : tensor<4x64x32xf32, #experts>],
    results ["y" : tensor<4x64x32xf32, #tokens>]>} {
  func.func @main(%x: tensor<4x64x32xf32>, %g: tensor<4x64x64xf32>, %w1: tensor<4x32x64xf32>, %w2: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x64x64xf32>
    %h0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %h = linalg.batch_matmul ins(%x, %w1 : tensor<4x64x32xf32>, tensor<4x32x64xf32>) outs(%h0 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %t = linalg.map { math.tanh } ins(%h : tensor<4x64x64xf32>) outs(%e : tensor<4x64x64xf32>)
    %f = tensor.empty() : tensor<4x64x32xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%f : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
    %y = linalg.batch_matmul ins(%t, %w2 : tensor<4x64x64xf32>, tensor<4x64x32xf32>) outs(%y0 : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
    return %y : tensor<4x64x32xf32>
  }
}

// -----

// A product that all ranks would compute is split where its flops take longer than
// the bytes that this moves, unless the rank is so fast that they do not.
#mesh = #dmc.mesh<"rank" = 8>
#r = #dmc.layout<#mesh, [{}, {}]>
#s = #dmc.layout<#mesh, [{"rank"}, {}]>
// CHECK-LABEL: module @replicated
// CHECK: linalg.matmul ins({{.*}}tensor<64x512xf32, #[[S:.+]]>, tensor<512x512xf32, #{{.*}}>)
// CHECK: dmc.combine
// FAST-LABEL: module @replicated
// FAST: linalg.matmul
// FAST: dmc.combine %arg2
// FAST-NOT: dmc.combine
module @replicated attributes {dmc.program = #dmc.program<tensor "replicated" on #mesh,
    arguments ["x" : tensor<64x512xf32, #r>, "w" : tensor<512x512xf32, #r>, "z" : tensor<4096x4096xf32, #s>],
    results ["y" : tensor<64x512xf32, #r>, "z" : tensor<4096x4096xf32, #r>]>} {
  func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x512xf32>, %z: tensor<4096x4096xf32>) -> (tensor<64x512xf32>, tensor<4096x4096xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x512xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %y = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%y0 : tensor<64x512xf32>) -> tensor<64x512xf32>
    return %y, %z : tensor<64x512xf32>, tensor<4096x4096xf32>
  }
}

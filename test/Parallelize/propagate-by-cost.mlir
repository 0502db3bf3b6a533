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
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: linalg.batch_matmul
// CHECK: dmc.exchange %{{.*}} along {"expert"} from 0 to 1
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
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

// -----

// One use alone: a value is made as it wants it where that takes less than moving it. What
// the other use makes of it stays split, and eight elements move.
#mesh = #dmc.mesh<"rank" = 8>
#s1 = #dmc.layout<#mesh, [{"rank"}]>
#s2 = #dmc.layout<#mesh, [{"rank"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @one_use
// CHECK: dmc.combine {{.*}} : tensor<8xf32, #{{.*}}> to tensor<8xf32, #{{.*}}>
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// FAST-LABEL: module @one_use
module @one_use attributes {dmc.program = #dmc.program<tensor "one_use" on #mesh,
    arguments ["x" : tensor<8xf32, #s1>, "y" : tensor<8x512xf32, #s2>],
    results ["whole" : tensor<8x512xf32, #r>, "split" : tensor<8x512xf32, #s2>]>} {
  func.func @main(%x: tensor<8xf32>, %y: tensor<8x512xf32>) -> (tensor<8x512xf32>, tensor<8x512xf32>) {
    %e = tensor.empty() : tensor<8x512xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %t = linalg.map { math.tanh } ins(%x : tensor<8xf32>) outs(%e1 : tensor<8xf32>)
    %b = linalg.broadcast ins(%t : tensor<8xf32>) outs(%e : tensor<8x512xf32>) dimensions = [1]
    %c = linalg.broadcast ins(%t : tensor<8xf32>) outs(%e : tensor<8x512xf32>) dimensions = [1]
    %n = linalg.map { arith.addf } ins(%c, %y : tensor<8x512xf32>, tensor<8x512xf32>) outs(%e : tensor<8x512xf32>)
    return %b, %n : tensor<8x512xf32>, tensor<8x512xf32>
  }
}

// -----

// A sum of what every rank has anyway makes no partial values, though what else is made of it stays
// split; and a product is not computed by every rank to send less.
#mesh = #dmc.mesh<"rank" = 8>
#s = #dmc.layout<#mesh, [{"rank"}, {}]>
#s3 = #dmc.layout<#mesh, [{"rank"}, {}, {}]>
#c = #dmc.layout<#mesh, [{}, {"rank"}]>
#r = #dmc.layout<#mesh, [{}, {}]>
#r1 = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @sum_of_whole
// CHECK: dmc.combine {{.*}} : tensor<8x16xf32, #{{.*}}> to tensor<8x16xf32, #{{.*}}>
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: linalg.matmul
// CHECK: dmc.reduce
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// FAST-LABEL: module @sum_of_whole
module @sum_of_whole attributes {dmc.program = #dmc.program<tensor "sum_of_whole" on #mesh,
    arguments ["x" : tensor<8x16xf32, #s>, "y" : tensor<8x16x512xf32, #s3>, "a" : tensor<8x16xf32, #c>, "b" : tensor<16x6xf32, #s>],
    results ["whole" : tensor<8x16xf32, #r>, "sum" : tensor<16xf32, #r1>, "split" : tensor<8x16x512xf32, #s3>, "product" : tensor<8x6xf32, #r>]>} {
  func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16x512xf32>, %a: tensor<8x16xf32>, %b: tensor<16x6xf32>)
      -> (tensor<8x16xf32>, tensor<16xf32>, tensor<8x16x512xf32>, tensor<8x6xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x16xf32>
    %t = linalg.map { math.tanh } ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>)
    %e1 = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
    %s = linalg.reduce { arith.addf } ins(%t : tensor<8x16xf32>) outs(%f : tensor<16xf32>) dimensions = [0]
    %e3 = tensor.empty() : tensor<8x16x512xf32>
    %w = linalg.broadcast ins(%t : tensor<8x16xf32>) outs(%e3 : tensor<8x16x512xf32>) dimensions = [2]
    %n = linalg.map { arith.addf } ins(%w, %y : tensor<8x16x512xf32>, tensor<8x16x512xf32>) outs(%e3 : tensor<8x16x512xf32>)
    %e2 = tensor.empty() : tensor<8x6xf32>
    %g = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x6xf32>) -> tensor<8x6xf32>
    %p = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x6xf32>) outs(%g : tensor<8x6xf32>) -> tensor<8x6xf32>
    return %t, %s, %n, %p : tensor<8x16xf32>, tensor<16xf32>, tensor<8x16x512xf32>, tensor<8x6xf32>
  }
}

// -----

// Logits that are split where lines are sorted: lines are exchanged rather than gathered, and
// the greatest of each is collected where it was sorted.
#mesh = #dmc.mesh<"x" = 8>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @sorted_lines
// CHECK: dmc.exchange %arg0 along {"x"} from 1 to 0
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: dmc.gather
// CHECK: dmc.combine %{{.*}} along {"x"} in 0 : tensor<64x2xf32
// FAST-LABEL: module @sorted_lines
module @sorted_lines attributes {dmc.program = #dmc.program<tensor "sorted_lines" on #mesh,
    arguments ["x" : tensor<64x512xf32, #columns>], results ["y" : tensor<64x2xf32, #r>]>} {
  func.func @main(%x: tensor<64x512xf32>) -> tensor<64x2xf32> {
    %e = tensor.empty() : tensor<64x512xi32>
    %order, %place = dmc.sort ins(%x : tensor<64x512xf32>) outs(%e, %e : tensor<64x512xi32>, tensor<64x512xi32>) along 1 -> tensor<64x512xi32>, tensor<64x512xi32> {
    ^bb0(%a: f32, %b: f32):
      %before = arith.cmpf ogt, %a, %b : f32
      dmc.yield %before : i1
    }
    %first = tensor.extract_slice %order[0, 0] [64, 2] [1, 1] : tensor<64x512xi32> to tensor<64x2xi32>
    %i = tensor.expand_shape %first [[0], [1, 2]] output_shape [64, 2, 1] : tensor<64x2xi32> into tensor<64x2x1xi32>
    %f = tensor.empty() : tensor<64x2xf32>
    %y = dmc.gather ins(%x, %i : tensor<64x512xf32>, tensor<64x2x1xi32>) outs(%f : tensor<64x2xf32>)
        {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>,
         start_index_map = array<i64: 1>, index_vector_dim = 2, slice_sizes = array<i64: 1, 1>} -> tensor<64x2xf32>
    return %y : tensor<64x2xf32>
  }
}

// -----

// Products are split and their results sent where that takes less time: not where ranks compute fast.
#mesh = #dmc.mesh<"rank" = 8>
#r = #dmc.layout<#mesh, [{}, {}]>
#s = #dmc.layout<#mesh, [{"rank"}, {}]>
// CHECK-LABEL: module @worth_its_bytes
// CHECK-COUNT-3: dmc.combine
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// FAST-LABEL: module @worth_its_bytes
// FAST-NOT: dmc.{{partition|combine|reduce|exchange|redistribute|permute|replicate}}
// FAST: dmc.combine %arg4
// FAST-NOT: dmc.{{partition|combine|reduce|exchange|redistribute|permute|replicate}}
// FAST: return
module @worth_its_bytes attributes {dmc.program = #dmc.program<tensor "worth_its_bytes" on #mesh,
    arguments ["x" : tensor<64x512xf32, #r>, "w" : tensor<512x512xf32, #r>, "a" : tensor<512x2048xf32, #r>,
               "b" : tensor<2048x512xf32, #r>, "z" : tensor<1024x1024xf32, #s>],
    results ["y" : tensor<64x512xf32, #r>, "c" : tensor<512x512xf32, #r>, "z" : tensor<1024x1024xf32, #r>]>} {
  func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x512xf32>, %a: tensor<512x2048xf32>, %b: tensor<2048x512xf32>, %z: tensor<1024x1024xf32>) -> (tensor<64x512xf32>, tensor<512x512xf32>, tensor<1024x1024xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x512xf32>
    %y0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %y = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x512xf32>) outs(%y0 : tensor<64x512xf32>) -> tensor<64x512xf32>
    %f = tensor.empty() : tensor<512x512xf32>
    %c0 = linalg.fill ins(%zero : f32) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
    %c = linalg.matmul ins(%a, %b : tensor<512x2048xf32>, tensor<2048x512xf32>) outs(%c0 : tensor<512x512xf32>) -> tensor<512x512xf32>
    return %y, %c, %z : tensor<64x512xf32>, tensor<512x512xf32>, tensor<1024x1024xf32>
  }
}

// -----

// A table that all ranks update by few rows of each: the rows are sent, not the sums that each rank makes of the whole table, nor
// parts of the new table.
#mesh = #dmc.mesh<"data" = 4>
#rows = #dmc.layout<#mesh, [{"data"}, {}]>
#ids = #dmc.layout<#mesh, [{"data"}, {}, {}]>
#whole = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @table
// CHECK-DAG: dmc.combine %{{.*}} : tensor<64x2x1xi32
// CHECK-DAG: dmc.combine %{{.*}} : tensor<64x16xf32
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: dmc.scatter
// CHECK-NOT: dmc.{{combine|reduce|exchange|redistribute|permute|replicate}}
// CHECK: return
module @table attributes {dmc.program = #dmc.program<tensor "table" on #mesh,
    arguments ["w" : tensor<5000x16xf32, #whole>, "i" : tensor<64x2x1xi32, #ids>, "u" : tensor<64x16xf32, #rows>],
    results ["y" : tensor<5000x16xf32, #whole>]>} {
  func.func @main(%w: tensor<5000x16xf32>, %i: tensor<64x2x1xi32>, %u: tensor<64x16xf32>) -> tensor<5000x16xf32> {
    %zero = arith.constant 0.0 : f32
    %rate = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<5000x16xf32>
    %d = tensor.empty() : tensor<64x2x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5000x16xf32>) -> tensor<5000x16xf32>
    %x = linalg.fill ins(%rate : f32) outs(%e : tensor<5000x16xf32>) -> tensor<5000x16xf32>
    %b = linalg.broadcast ins(%u : tensor<64x16xf32>) outs(%d : tensor<64x2x16xf32>) dimensions = [1]
    %g = dmc.scatter ins(%i, %b : tensor<64x2x1xi32>, tensor<64x2x16xf32>) outs(%z : tensor<5000x16xf32>) {index_vector_dim = 2 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, update_window_dims = array<i64: 2>} -> tensor<5000x16xf32> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      dmc.yield %s : f32
    }
    %m = linalg.map { arith.mulf } ins(%x, %g : tensor<5000x16xf32>, tensor<5000x16xf32>) outs(%e : tensor<5000x16xf32>)
    %r = linalg.map { arith.subf } ins(%w, %m : tensor<5000x16xf32>, tensor<5000x16xf32>) outs(%e : tensor<5000x16xf32>)
    return %r : tensor<5000x16xf32>
  }
}

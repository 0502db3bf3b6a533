// RUN: dmc-opt %s --dmc-combine-collectives=bucket-bytes=4096 --split-input-file | FileCheck %s
// RUN: dmc-opt %s --dmc-combine-collectives=bucket-bytes=0 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: dmc-opt %s --dmc-combine-collectives=bucket-bytes=4096 --verify-numeric --split-input-file -o /dev/null

// The example of the pass's description. What depends on the first follows the
// bucket; the location says where both come from.
// CHECK-LABEL: func.func @reduce
// CHECK: %[[B:.*]] = linalg.map { math.exp }
// CHECK: %[[P:.*]] = tensor.expand_shape %arg0 {{.*}} : tensor<4xf32> into tensor<1x4xf32>
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]]
// CHECK: %[[Q:.*]] = tensor.expand_shape %[[C]] {{.*}} : tensor<6xf32> into tensor<1x6xf32>
// CHECK: %[[IN:.*]] = tensor.concat dim(1) %[[P]], %[[Q]]
// CHECK: %[[ALL:.*]] = comm.all_reduce sum ins(%[[IN]] : tensor<1x10xf32>)
// CHECK: %[[X:.*]] = tensor.extract_slice %[[ALL]][0, 0] [1, 4] [1, 1]
// CHECK: %[[X1:.*]] = tensor.collapse_shape %[[X]]
// CHECK: %[[Y:.*]] = tensor.extract_slice %[[ALL]][0, 4] [1, 6] [1, 1]
// CHECK: linalg.map { math.absf } ins(%[[X1]]
// OFF-LABEL: func.func @reduce
// OFF-COUNT-2: comm.all_reduce
#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
#m = #dmc.layout<#mesh, [{}, {}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<4xf32, #v>, "b" : tensor<2x3xf32, #m>], results ["x" : tensor<4xf32, #v>, "y" : tensor<2x3xf32, #m>]>} {
  func.func @reduce(%a: tensor<4xf32>, %b: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = tensor.empty() : tensor<2x3xf32>
    %x = comm.all_reduce sum ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
    %z = linalg.map { math.absf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
    %c = linalg.map { math.exp } ins(%b : tensor<2x3xf32>) outs(%f : tensor<2x3xf32>)
    %y = comm.all_reduce sum ins(%c : tensor<2x3xf32>) outs(%f : tensor<2x3xf32>) over {"data"} on #mesh -> tensor<2x3xf32>
    return %z, %y : tensor<4xf32>, tensor<2x3xf32>
  }
}

// -----

// Not combined: another combiner, another group, one that depends on the first, and
// one that is too large.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-5: comm.all_reduce
// CHECK-NOT: tensor.concat
// CHECK: return
#mesh = #dmc.mesh<"data" = 2, "model" = 2>
#v = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<4xf32, #v>, "b" : tensor<2048xf32, #v>], results ["x" : tensor<4xf32, #v>, "y" : tensor<4xf32, #v>, "z" : tensor<4xf32, #v>, "w" : tensor<2048xf32, #v>]>} {
  func.func @different(%a: tensor<4xf32>, %b: tensor<2048xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2048xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = tensor.empty() : tensor<2048xf32>
    %x = comm.all_reduce sum ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
    %y = comm.all_reduce max ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
    %z = comm.all_reduce sum ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"model"} on #mesh -> tensor<4xf32>
    %n = linalg.map { math.exp } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
    %u = comm.all_reduce sum ins(%n : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
    %w = comm.all_reduce sum ins(%b : tensor<2048xf32>) outs(%f : tensor<2048xf32>) over {"data"} on #mesh -> tensor<2048xf32>
    return %u, %y, %z, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2048xf32>
  }
}

// -----

// A scattered tensor is a row for each rank; dimensions before the scattered one are
// transposed out of the way.
// CHECK-LABEL: func.func @scatter
// CHECK: tensor.expand_shape {{.*}} : tensor<12xf32> into tensor<3x2x2xf32>
// CHECK: linalg.transpose ins({{.*}} : tensor<3x2x2xf32>) outs({{.*}} : tensor<2x3x2xf32>) permutation = [1, 0, 2]
// CHECK: tensor.concat dim(1) {{.*}} : (tensor<2x1xf32>, tensor<2x6xf32>) -> tensor<2x7xf32>
// CHECK: comm.reduce_scatter sum ins({{.*}} : tensor<2x7xf32>) outs({{.*}} : tensor<1x7xf32>) dim 0
// CHECK: tensor.extract_slice {{.*}}[0, 1] [1, 6] [1, 1]
#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#m = #dmc.layout<#mesh, [{}, {}]>
#n = #dmc.layout<#mesh, [{}, {"data"}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<2xf32, #v>, "b" : tensor<3x4xf32, #m>], results ["x" : tensor<2xf32, #d>, "y" : tensor<3x4xf32, #n>]>} {
  func.func @scatter(%a: tensor<2xf32>, %b: tensor<3x4xf32>) -> (tensor<1xf32>, tensor<3x2xf32>) {
    %e = tensor.empty() : tensor<1xf32>
    %f = tensor.empty() : tensor<3x2xf32>
    %x = comm.reduce_scatter sum ins(%a : tensor<2xf32>) outs(%e : tensor<1xf32>) dim 0 over {"data"} on #mesh -> tensor<1xf32>
    %y = comm.reduce_scatter sum ins(%b : tensor<3x4xf32>) outs(%f : tensor<3x2xf32>) dim 1 over {"data"} on #mesh -> tensor<3x2xf32>
    return %x, %y : tensor<1xf32>, tensor<3x2xf32>
  }
}

// -----

// Gathers stand where the first is used; an operand that is made behind that place
// stays alone.
// CHECK-LABEL: func.func @gather
// CHECK: comm.all_gather ins({{.*}} : tensor<1x7xf32>) outs({{.*}} : tensor<2x7xf32>) dim 0
// CHECK: linalg.transpose ins({{.*}} : tensor<2x3x2xf32>) outs({{.*}} : tensor<3x2x2xf32>) permutation = [1, 0, 2]
// CHECK: math.absf
// CHECK: math.exp
// CHECK: comm.all_gather ins({{.*}} : tensor<1xf32>)
#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#m = #dmc.layout<#mesh, [{}, {}]>
#n = #dmc.layout<#mesh, [{}, {"data"}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<2xf32, #d>, "b" : tensor<3x4xf32, #n>], results ["x" : tensor<2xf32, #v>, "y" : tensor<3x4xf32, #m>, "z" : tensor<2xf32, #v>]>} {
  func.func @gather(%a: tensor<1xf32>, %b: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x4xf32>, tensor<2xf32>) {
    %e = tensor.empty() : tensor<2xf32>
    %f = tensor.empty() : tensor<3x4xf32>
    %g = tensor.empty() : tensor<1xf32>
    %x = comm.all_gather ins(%a : tensor<1xf32>) outs(%e : tensor<2xf32>) dim 0 over {"data"} on #mesh -> tensor<2xf32>
    %u = linalg.map { math.absf } ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>)
    %y = comm.all_gather ins(%b : tensor<3x2xf32>) outs(%f : tensor<3x4xf32>) dim 1 over {"data"} on #mesh -> tensor<3x4xf32>
    %c = linalg.map { math.exp } ins(%a : tensor<1xf32>) outs(%g : tensor<1xf32>)
    %z = comm.all_gather ins(%c : tensor<1xf32>) outs(%e : tensor<2xf32>) dim 0 over {"data"} on #mesh -> tensor<2xf32>
    return %u, %y, %z : tensor<2xf32>, tensor<3x4xf32>, tensor<2xf32>
  }
}

// -----

// Exchanges, of whatever dimensions, and permutes with the same pairs; a scalar.
// CHECK-LABEL: func.func @exchange
// CHECK: comm.all_to_all ins({{.*}} : tensor<2x14xf32>) outs({{.*}} : tensor<2x14xf32>) split 0 concat 0
// CHECK: comm.permute ins({{.*}} : tensor<1x17xf32>)
// CHECK-NOT: comm.
#mesh = #dmc.mesh<"data" = 2>
#s = #dmc.layout<#mesh, []>
#r = #dmc.layout<#mesh, [{"data"}, {}]>
#c = #dmc.layout<#mesh, [{}, {"data"}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<8x4xf32, #r>, "b" : tensor<6x4xf32, #c>, "s" : tensor<f32, #s>], results ["x" : tensor<8x4xf32, #c>, "y" : tensor<6x4xf32, #r>, "z" : tensor<8x4xf32, #r>, "t" : tensor<f32, #s>]>} {
  func.func @exchange(%a: tensor<4x4xf32>, %b: tensor<6x2xf32>, %s: tensor<f32>) -> (tensor<8x2xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<f32>) {
    %e = tensor.empty() : tensor<8x2xf32>
    %f = tensor.empty() : tensor<3x4xf32>
    %g = tensor.empty() : tensor<4x4xf32>
    %h = tensor.empty() : tensor<f32>
    %x = comm.all_to_all ins(%a : tensor<4x4xf32>) outs(%e : tensor<8x2xf32>) split 1 concat 0 over {"data"} on #mesh -> tensor<8x2xf32>
    %y = comm.all_to_all ins(%b : tensor<6x2xf32>) outs(%f : tensor<3x4xf32>) split 0 concat 1 over {"data"} on #mesh -> tensor<3x4xf32>
    %z = comm.permute ins(%a : tensor<4x4xf32>) outs(%g : tensor<4x4xf32>) pairs [0, 1, 1, 0] over {"data"} on #mesh -> tensor<4x4xf32>
    %t = comm.permute ins(%s : tensor<f32>) outs(%h : tensor<f32>) pairs [0, 1, 1, 0] over {"data"} on #mesh -> tensor<f32>
    return %x, %y, %z, %t : tensor<8x2xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<f32>
  }
}

// -----

// In a loop's body: what the body uses from outside counts as there.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.for
// CHECK: comm.all_reduce sum ins({{.*}} : tensor<1x8xf32>)
// CHECK-NOT: comm.
// CHECK: scf.yield
#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<4xf32, #v>, "b" : tensor<4xf32, #v>], results ["x" : tensor<4xf32, #v>]>} {
  func.func @in_a_loop(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %e = tensor.empty() : tensor<4xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %b) -> tensor<4xf32> {
      %x = comm.all_reduce sum ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
      %y = comm.all_reduce sum ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) over {"data"} on #mesh -> tensor<4xf32>
      %z = linalg.map { arith.subf } ins(%y, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
      scf.yield %z : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// Two fill the bucket: the third stays alone.
// CHECK-LABEL: func.func @full
// CHECK: comm.all_reduce sum ins({{.*}} : tensor<1x1024xf32>)
// CHECK: comm.all_reduce sum ins(%arg2 : tensor<512xf32>)
// CHECK-NOT: comm.
// CHECK-LABEL: func.func @full_gathers
// CHECK: comm.all_gather ins(%arg2 : tensor<256xf32>)
// CHECK: comm.all_gather ins({{.*}} : tensor<1x512xf32>) outs({{.*}} : tensor<2x512xf32>)
// CHECK-NOT: comm.
#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<512xf32, #v>, "b" : tensor<512xf32, #v>, "c" : tensor<512xf32, #v>], results ["x" : tensor<512xf32, #v>, "y" : tensor<512xf32, #v>, "z" : tensor<512xf32, #v>]>} {
  func.func @full(%a: tensor<512xf32>, %b: tensor<512xf32>, %c: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
    %e = tensor.empty() : tensor<512xf32>
    %x = comm.all_reduce sum ins(%a : tensor<512xf32>) outs(%e : tensor<512xf32>) over {"data"} on #mesh -> tensor<512xf32>
    %y = comm.all_reduce sum ins(%b : tensor<512xf32>) outs(%e : tensor<512xf32>) over {"data"} on #mesh -> tensor<512xf32>
    %z = comm.all_reduce sum ins(%c : tensor<512xf32>) outs(%e : tensor<512xf32>) over {"data"} on #mesh -> tensor<512xf32>
    return %x, %y, %z : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<512xf32, #d>, "b" : tensor<512xf32, #d>, "c" : tensor<512xf32, #d>], results ["x" : tensor<512xf32, #v>, "y" : tensor<512xf32, #v>, "z" : tensor<512xf32, #v>]>} {
  func.func @full_gathers(%a: tensor<256xf32>, %b: tensor<256xf32>, %c: tensor<256xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
    %e = tensor.empty() : tensor<512xf32>
    %x = comm.all_gather ins(%a : tensor<256xf32>) outs(%e : tensor<512xf32>) dim 0 over {"data"} on #mesh -> tensor<512xf32>
    %y = comm.all_gather ins(%b : tensor<256xf32>) outs(%e : tensor<512xf32>) dim 0 over {"data"} on #mesh -> tensor<512xf32>
    %z = comm.all_gather ins(%c : tensor<256xf32>) outs(%e : tensor<512xf32>) dim 0 over {"data"} on #mesh -> tensor<512xf32>
    return %x, %y, %z : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
  }
}

// -----

// Without elements there is nothing to send: they stay as they are.
// CHECK-LABEL: func.func @no_elements
// CHECK-COUNT-2: comm.all_reduce sum ins({{.*}} : tensor<0xf32>)
// CHECK-NOT: tensor.concat
// CHECK: return
#mesh = #dmc.mesh<"data" = 2>
#v = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<ranks "p" on #mesh, arguments ["a" : tensor<0xf32, #v>, "b" : tensor<0xf32, #v>], results ["x" : tensor<0xf32, #v>, "y" : tensor<0xf32, #v>]>} {
  func.func @no_elements(%a: tensor<0xf32>, %b: tensor<0xf32>) -> (tensor<0xf32>, tensor<0xf32>) {
    %e = tensor.empty() : tensor<0xf32>
    %x = comm.all_reduce sum ins(%a : tensor<0xf32>) outs(%e : tensor<0xf32>) over {"data"} on #mesh -> tensor<0xf32>
    %y = comm.all_reduce sum ins(%b : tensor<0xf32>) outs(%e : tensor<0xf32>) over {"data"} on #mesh -> tensor<0xf32>
    return %x, %y : tensor<0xf32>, tensor<0xf32>
  }
}

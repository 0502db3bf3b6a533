// RUN: dmc-opt %s -split-input-file --verify-levels=false --dmc-verify-parallel -verify-diagnostics

// relu of a partial sum is not the relu of the sum.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#s = #dmc.layout<#mesh, [{}], sum {"model"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results []>} {
  func.func @main(%r: tensor<8xf32, #r>) {
    // expected-note@below {{the operand is made here}}
    %a = dmc.spread %r over {"model"} : tensor<8xf32, #r> to tensor<8xf32, #s>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32, #s>
    %f = tensor.empty() : tensor<8xf32, #r>
    %z = linalg.fill ins(%zero : f32) outs(%f : tensor<8xf32, #r>) -> tensor<8xf32, #r>
    // expected-error@below {{'linalg.map' op operand 0 is a partial sum over "model", which the operation does not carry over}}
    %0 = linalg.map { arith.maximumf } ins(%a, %z : tensor<8xf32, #s>, tensor<8xf32, #r>) outs(%e : tensor<8xf32, #s>)
    return
  }
}

// -----

// A replicated value is not added to partial sums.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#s = #dmc.layout<#mesh, [{}], sum {"model"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>, "b" : tensor<8xf32, #r>], results []>} {
  func.func @main(%r: tensor<8xf32, #r>, %b: tensor<8xf32, #r>) {
    // expected-note@below {{the operand is made here}}
    %a = dmc.spread %r over {"model"} : tensor<8xf32, #r> to tensor<8xf32, #s>
    %e = tensor.empty() : tensor<8xf32, #s>
    // expected-error@below {{operand 0 is a partial sum over "model", which the operation does not carry over}}
    %0 = linalg.map { arith.addf } ins(%a, %b : tensor<8xf32, #s>, tensor<8xf32, #r>) outs(%e : tensor<8xf32, #s>)
    return
  }
}

// -----

// A missing reduction.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#rr = #dmc.layout<#mesh, [{}, {}]>
#rm = #dmc.layout<#mesh, [{}, {"model"}]>
#mr = #dmc.layout<#mesh, [{"model"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x8xf32, #rm>, "b" : tensor<8x6xf32, #mr>], results []>} {
  // expected-note@below {{loop 2 is dimension 1 of operand 0, made here}}
  func.func @main(%a: tensor<4x8xf32, #rm>, %b: tensor<8x6xf32, #mr>) {
    %c = tensor.empty() : tensor<4x6xf32, #rr>
    // expected-error@below {{loop 2 is split over "model", but operand 2 is not a partial sum over it}}
    %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32, #rm>, tensor<8x6xf32, #mr>) outs(%c : tensor<4x6xf32, #rr>) -> tensor<4x6xf32, #rr>
    return
  }
}

// -----

// A result that is partial for no reason.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#s = #dmc.layout<#mesh, [{}], sum {"model"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results []>} {
  func.func @main(%a: tensor<8xf32, #r>) {
    %e = tensor.empty() : tensor<8xf32, #s>
    // expected-error@below {{result 0 is partial over "model", but no operand is and no loop is split over it}}
    %0 = linalg.map { math.exp } ins(%a : tensor<8xf32, #r>) outs(%e : tensor<8xf32, #s>)
    return
  }
}

// -----

// Operands that disagree.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#rd = #dmc.layout<#mesh, [{}, {"data"}]>
#mr = #dmc.layout<#mesh, [{"model"}, {}]>
#ss = #dmc.layout<#mesh, [{}, {}], sum {"model"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x8xf32, #rd>, "b" : tensor<8x6xf32, #mr>], results []>} {
  // expected-note@below {{loop 2 is dimension 1 of operand 0, made here}}
  func.func @main(%a: tensor<4x8xf32, #rd>, %b: tensor<8x6xf32, #mr>) {
    %c = tensor.empty() : tensor<4x6xf32, #ss>
    // expected-error@below {{dimension 0 of operand 1 is split over "model", but loop 2 is split over "data"}}
    %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32, #rd>, tensor<8x6xf32, #mr>) outs(%c : tensor<4x6xf32, #ss>) -> tensor<4x6xf32, #ss>
    return
  }
}

// -----

// A result that is not split as its loop.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#rr = #dmc.layout<#mesh, [{}, {}]>
#dr = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x8xf32, #dr>], results []>} {
  // expected-note@below {{loop 0 is dimension 0 of operand 0, made here}}
  func.func @main(%a: tensor<4x8xf32, #dr>) {
    %e = tensor.empty() : tensor<4x8xf32, #rr>
    // expected-error@below {{dimension 0 of operand 1 is not split, but loop 0 is split over "data"}}
    %0 = linalg.map { math.exp } ins(%a : tensor<4x8xf32, #dr>) outs(%e : tensor<4x8xf32, #rr>)
    return
  }
}

// -----

// One axis for two loops.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#d = #dmc.layout<#mesh, [{"data"}]>
#dr = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #d>, "b" : tensor<8xf32, #d>], results []>} {
  // expected-note@below {{loop 1 is dimension 0 of operand 1, made here}}
  func.func @main(%a: tensor<4xf32, #d>, %b: tensor<8xf32, #d>) {
    %c = tensor.empty() : tensor<4x8xf32, #dr>
    // expected-error@below {{dimension 1 of operand 2 is not split, but loop 1 is split over "data"}}
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4xf32, #d>, tensor<8xf32, #d>) outs(%c : tensor<4x8xf32, #dr>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      linalg.yield %p : f32
    } -> tensor<4x8xf32, #dr>
    return
  }
}

// -----

// The minor part of a merged dimension has no merged layout.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#rm = #dmc.layout<#mesh, [{}, {"model"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x8xf32, #rm>], results []>} {
  // expected-note@below {{loop 1 is dimension 1 of operand 0, made here}}
  func.func @main(%a: tensor<4x8xf32, #rm>) {
    // expected-error@below {{dimension 0 of result 0 is not split, but loop 1 is split over "model"}}
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32, #rm> into tensor<32xf32, #r>
    return
  }
}

// -----

// Blocks of 3 * 4 rows by 4 are not blocks of 12 by 4.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#m = #dmc.layout<#mesh, [{"model"}]>
#mr = #dmc.layout<#mesh, [{"model"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<3x4xf32, #mr>], results []>} {
  func.func @main(%a: tensor<3x4xf32, #mr>) {
    // expected-error@below {{dimension 0 of result 0 is split over "model", which no split of the operation's loops gives}}
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<3x4xf32, #mr> into tensor<12xf32, #m>
    return
  }
}

// -----

// A padded dimension is needed whole.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#d = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #d>], results []>} {
  func.func @main(%a: tensor<8xf32, #d>) {
    %f = arith.constant 0.0 : f32
    // expected-error@below {{dimension 0 of operand 0 is split over "data", but the operation needs it whole}}
    %0 = tensor.pad %a low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %f : f32
    } : tensor<8xf32, #d> to tensor<10xf32, #d>
    return
  }
}

// -----

// No layout.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#d = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #d>], results []>} {
  func.func @main(%a: tensor<8xf32, #d>) {
    // expected-error@below {{expected a layout of every tensor of a parallel program, found 'tensor<8xf32>'}}
    %e = tensor.empty() : tensor<8xf32>
    return
  }
}

// -----

// Another mesh.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#d = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #d>], results []>} {
  func.func @main(%a: tensor<8xf32, #d>) {
    // expected-error@below {{expected a layout on the program's mesh}}
    %e = tensor.empty() : tensor<8xf32, #dmc.layout<#dmc.mesh<"other" = 2>, [{"other"}]>>
    return
  }
}

// -----

// Overwriting needs all updates.
#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#rr = #dmc.layout<#mesh, [{}, {}]>
#dr = #dmc.layout<#mesh, [{"data"}, {}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<8x6xf32, #rr>, "i" : tensor<4x1xi32, #dr>, "u" : tensor<4x6xf32, #dr>], results []>} {
  func.func @main(%t: tensor<8x6xf32, #rr>, %i: tensor<4x1xi32, #dr>, %u: tensor<4x6xf32, #dr>) {
    // expected-error@below {{dimension 0 of operand 0 is split over "data", but the operation needs it whole}}
    %1 = dmc.scatter ins(%i, %u : tensor<4x1xi32, #dr>, tensor<4x6xf32, #dr>) outs(%t : tensor<8x6xf32, #rr>)
        {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
         scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<8x6xf32, #rr> {
    ^bb0(%old: f32, %new: f32):
      dmc.yield %new : f32
    }
    return
  }
}

// -----

// The signature is dmc.program's.
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #d>], results []>} {
  // expected-error@below {{argument 0 ("a") has another layout than dmc.program says}}
  func.func @main(%a: tensor<8xf32, #r>) {
    return
  }
}

// -----

// A body reads any element of what it captures.
#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#s = #dmc.layout<#mesh, [{"x"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #s>, "at" : tensor<3xi32, #r>], results []>} {
  func.func @main(%a: tensor<5xf32, #s>, %at: tensor<3xi32, #r>) {
    %e = tensor.empty() : tensor<3xf32, #r>
    // expected-error@below {{reads a tensor of layout [{"x"}] in its region, expected a replicated one}}
    %r = linalg.map ins(%at : tensor<3xi32, #r>) outs(%e : tensor<3xf32, #r>) (%i: i32, %o: f32) {
      %n = arith.index_cast %i : i32 to index
      %x = tensor.extract %a[%n] : tensor<5xf32, #s>
      linalg.yield %x : f32
    }
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
#p = #dmc.layout<#mesh, [{}], placed {"x" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #r>, "at" : tensor<3xi32, #p>], results []>} {
  func.func @main(%a: tensor<5xf32, #r>, %at: tensor<3xi32, #p>) {
    %e = tensor.empty() : tensor<3xf32, #p>
    // expected-error@below {{reads a tensor in its region, but operand 0 is placed}}
    %r = linalg.map ins(%at : tensor<3xi32, #p>) outs(%e : tensor<3xf32, #p>) (%i: i32, %o: f32) {
      %n = arith.index_cast %i : i32 to index
      %x = tensor.extract %a[%n] : tensor<5xf32, #r>
      linalg.yield %x : f32
    }
    return
  }
}

// -----

// A scalar is on every position.
#mesh = #dmc.mesh<"x" = 2>
#p = #dmc.layout<#mesh, [], placed {"x" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<f32, #p>], results []>} {
  func.func @main(%a: tensor<f32, #p>) {
    // expected-error@below {{makes a scalar of operand 0, which is placed where not every position has it}}
    %x = tensor.extract %a[] : tensor<f32, #p>
    return
  }
}

// -----

// A split over a part of an axis explains partial sums over that part alone.
#mesh = #dmc.mesh<"x" = 4>
#s = #dmc.layout<#mesh, [{"x":(1)2}]>
#p = #dmc.layout<#mesh, [], sum {"x"}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #s>], results []>} {
  func.func @main(%a: tensor<5xf32, #s>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<f32, #p>
    // expected-note@below {{the operand is made here}}
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32, #p>) -> tensor<f32, #p>
    // expected-error@below {{operand 1 is a partial sum over "x:(2)2", which the operation does not carry over}}
    %r = linalg.reduce { arith.addf } ins(%a : tensor<5xf32, #s>) outs(%i : tensor<f32, #p>) dimensions = [0]
    return
  }
}

// -----

// What differs by rank cannot be replicated.
#mesh = #dmc.mesh<"data" = 2>
#r = #dmc.layout<#mesh, [{}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results []>} {
  func.func @main(%a: tensor<8xf32, #r>) {
    // expected-error@below {{'comm.axis_index' op belongs in a rank program or in dmc.manual, found in a parallel program}}
    %0 = comm.axis_index {"data"} on #mesh
    return
  }
}

// -----

// expected-error@below {{expected a mesh in the dmc.program of a parallel program}}
module attributes {dmc.program = #dmc.program<parallel "p", arguments [], results []>} {
  func.func @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#sd = #dmc.layout<#mesh, [{}], sum {"data"}>
#xm = #dmc.layout<#mesh, [{}], max {"model"}>
#p0 = #dmc.layout<#mesh, [{}], placed {"data" = 0}>
#p1 = #dmc.layout<#mesh, [{}], placed {"data" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh ,
    arguments [], results []>} {
  func.func @main() {
    %e = tensor.empty() : tensor<8xf32, #r>
    // expected-error@below {{must not remain in a parallel program}}
    %0 = dmc.constrain %e : tensor<8xf32, #r> to #r
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#sd = #dmc.layout<#mesh, [{}], sum {"data"}>
#xm = #dmc.layout<#mesh, [{}], max {"model"}>
#p0 = #dmc.layout<#mesh, [{}], placed {"data" = 0}>
#p1 = #dmc.layout<#mesh, [{}], placed {"data" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh ,
    arguments [], results []>} {
  func.func @main() {
    %a = tensor.empty() : tensor<8xf32, #sd>
    %b = tensor.empty() : tensor<8xf32, #xm>
    // expected-error@below {{operand 1 is a partial max, another operand a partial sum}}
    %0 = linalg.map { arith.addf } ins(%a, %b : tensor<8xf32, #sd>, tensor<8xf32, #xm>) outs(%a : tensor<8xf32, #sd>)
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#sd = #dmc.layout<#mesh, [{}], sum {"data"}>
#xm = #dmc.layout<#mesh, [{}], max {"model"}>
#p0 = #dmc.layout<#mesh, [{}], placed {"data" = 0}>
#p1 = #dmc.layout<#mesh, [{}], placed {"data" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh ,
    arguments [], results []>} {
  func.func @main() {
    %a = tensor.empty() : tensor<8xf32, #sd>
    %e = tensor.empty() : tensor<8xf32, #r>
    // expected-error@below {{result 0 must be a partial sum over "data", as its operands are}}
    %0 = linalg.map { arith.negf } ins(%a : tensor<8xf32, #sd>) outs(%e : tensor<8xf32, #r>)
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#r = #dmc.layout<#mesh, [{}]>
#d = #dmc.layout<#mesh, [{"data"}]>
#sd = #dmc.layout<#mesh, [{}], sum {"data"}>
#xm = #dmc.layout<#mesh, [{}], max {"model"}>
#p0 = #dmc.layout<#mesh, [{}], placed {"data" = 0}>
#p1 = #dmc.layout<#mesh, [{}], placed {"data" = 1}>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh ,
    arguments [], results []>} {
  func.func @main() {
    %a = tensor.empty() : tensor<8xf32, #p0>
    %b = tensor.empty() : tensor<8xf32, #p1>
    // expected-error@below {{operand 1 is not placed where operand 0 is}}
    %0 = linalg.map { arith.addf } ins(%a, %b : tensor<8xf32, #p0>, tensor<8xf32, #p1>) outs(%a : tensor<8xf32, #p0>)
    return
  }
}

// -----

#mesh = #dmc.mesh<"data" = 2, "model" = 4>
#d = #dmc.layout<#mesh, [{"data"}]>
#r = #dmc.layout<#mesh, [{}]>
#rd = #dmc.layout<#mesh, [{}, {"data"}]>
module attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #d>], results []>} {
  func.func @main(%a: tensor<8xf32, #d>) {
    // expected-error@below {{dimension 0 of operand 0 is split over "data", but blocks of 6 and 8 elements differ in size}}
    %0 = tensor.extract_slice %a[0] [6] [1] : tensor<8xf32, #d> to tensor<6xf32, #d>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 4>
#x = #dmc.layout<#mesh, [{"x"}]>
module @kernel_blocks_of_one_size attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<6xf32, #x>], results ["y" : tensor<6xf32, #x>]>} {
  func.func @main(%a: tensor<6xf32, #x>) -> tensor<6xf32, #x> {
    %e = tensor.empty() : tensor<6xf32, #x>
    // expected-error@below {{'dmc.custom_call' op dimension 0 of operand 0 is split over "x", but 6 elements are not cut into blocks of one size}}
    %0 = dmc.custom_call "f" ins(%a : tensor<6xf32, #x>) outs(%e : tensor<6xf32, #x>) {rule = "([i]) -> ([i])"} -> tensor<6xf32, #x>
    return %0 : tensor<6xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @kernel_without_rule attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<6xf32, #x>], results ["y" : tensor<6xf32, #x>]>} {
  func.func @main(%a: tensor<6xf32, #x>) -> tensor<6xf32, #x> {
    %e = tensor.empty() : tensor<6xf32, #x>
    // expected-error@below {{'dmc.custom_call' op dimension 0 of operand 0 is split over "x", but the operation needs it whole}}
    %0 = dmc.custom_call "f" ins(%a : tensor<6xf32, #x>) outs(%e : tensor<6xf32, #x>) -> tensor<6xf32, #x>
    return %0 : tensor<6xf32, #x>
  }
}

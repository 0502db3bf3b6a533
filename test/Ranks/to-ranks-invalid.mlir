// RUN: dmc-opt %s -split-input-file -verify-diagnostics -verify-levels=false --dmc-to-ranks

// expected-error@+1 {{expects a dmc.program of level parallel with a mesh}}
module @no_program {
  func.func @main() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
module @two_functions attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    return
  }
  // expected-error@+1 {{is unsupported: expected one function in a parallel program}}
  func.func private @other() {
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module @signature attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<4xf32, #x>]>} {
  // expected-error@+1 {{expects argument 0 to be as the program says, 'tensor<4xf32}}
  func.func @main(%a: tensor<4xf32, #r>) -> tensor<4xf32, #r> {
    return %a : tensor<4xf32, #r>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module @reshard attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #x>) -> tensor<4xf32, #r> {
    // expected-error@+1 {{expects dmc-expand-reshards to have run before dmc-to-ranks}}
    %y = dmc.reshard %a : tensor<4xf32, #x> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
module @no_layout attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments [], results []>} {
  func.func @main() {
    // expected-error@+1 {{expects result 0 to have a layout, found 'tensor<4xf32>'}}
    %e = tensor.empty() : tensor<4xf32>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#r = #dmc.layout<#mesh, [{}]>
module @unknown attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #r>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #r>) -> tensor<4xf32, #r> {
    // expected-error@+1 {{is unsupported in a parallel program: it has no local form}}
    %y = bufferization.alloc_tensor() copy(%a) : tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @slice_of_split_dimension attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<2xf32, #x>]>} {
  func.func @main(%a: tensor<4xf32, #x>) -> tensor<2xf32, #x> {
    // expected-error@+1 {{is unsupported: dimension 0 is split over {"x"} and is sliced}}
    %y = tensor.extract_slice %a[0] [2] [1] : tensor<4xf32, #x> to tensor<2xf32, #x>
    return %y : tensor<2xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @concat_along_split_dimension attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<8xf32, #x>]>} {
  func.func @main(%a: tensor<4xf32, #x>) -> tensor<8xf32, #x> {
    // expected-error@+1 {{is unsupported: dimension 0 is split over {"x"} and is concatenated}}
    %y = tensor.concat dim(0) %a, %a : (tensor<4xf32, #x>, tensor<4xf32, #x>) -> tensor<8xf32, #x>
    return %y : tensor<8xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @pad_of_split_dimension attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<5xf32, #x>]>} {
  func.func @main(%a: tensor<4xf32, #x>) -> tensor<5xf32, #x> {
    %z = arith.constant 0.0 : f32
    // expected-error@+1 {{is unsupported: dimension 0 is split over {"x"} and is padded}}
    %y = tensor.pad %a low[0] high[1] {
    ^bb0(%i: index):
      tensor.yield %z : f32
    } : tensor<4xf32, #x> to tensor<5xf32, #x>
    return %y : tensor<5xf32, #x>
  }
}

// -----

// Blocks of 2, 1 rows of 3 elements are 6, 3; a flat cut of 9 is 5, 4.
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
module @reshape_of_other_blocks attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<3x3xf32, #rows>], results ["y" : tensor<9xf32, #x>]>} {
  func.func @main(%a: tensor<3x3xf32, #rows>) -> tensor<9xf32, #x> {
    // expected-error@+1 {{is unsupported: the blocks of merged dimension 0 are not those of its parts}}
    %y = tensor.collapse_shape %a [[0, 1]] : tensor<3x3xf32, #rows> into tensor<9xf32, #x>
    return %y : tensor<9xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#cols = #dmc.layout<#mesh, [{}, {"x"}]>
module @reshape_of_minor_part attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<2x4xf32, #cols>], results ["y" : tensor<8xf32, #x>]>} {
  func.func @main(%a: tensor<2x4xf32, #cols>) -> tensor<8xf32, #x> {
    // expected-error@+1 {{is unsupported: the blocks of merged dimension 0 are not those of its parts}}
    %y = tensor.collapse_shape %a [[0, 1]] : tensor<2x4xf32, #cols> into tensor<8xf32, #x>
    return %y : tensor<8xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module @loop_split_differently attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>, "b" : tensor<4xf32, #r>],
    results ["y" : tensor<4xf32, #x>]>} {
  func.func @main(%a: tensor<4xf32, #x>, %b: tensor<4xf32, #r>) -> tensor<4xf32, #x> {
    %e = tensor.empty() : tensor<4xf32, #x>
    // expected-error@+1 {{expects all operands to split loop 0 alike, found dimension 0 of operand 1 split over {} and another over {"x"}}}
    %y = linalg.map { arith.addf } ins(%a, %b : tensor<4xf32, #x>, tensor<4xf32, #r>)
                                   outs(%e : tensor<4xf32, #x>)
    return %y : tensor<4xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
module @reversed_dimension attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>], results ["y" : tensor<4xf32, #x>]>} {
  func.func @main(%a: tensor<4xf32, #x>) -> tensor<4xf32, #x> {
    %e = tensor.empty() : tensor<4xf32, #x>
    // expected-error@+1 {{is unsupported: dimension 0 is split over {"x"} in operand 0, which indexes it by -d0 + 3}}
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32, #x>) outs(%e : tensor<4xf32, #x>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32, #x>
    return %y : tensor<4xf32, #x>
  }
}

// -----

// Neither addend nor combiner can be told apart.
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#s = #dmc.layout<#mesh, []>
#sum = #dmc.layout<#mesh, [], sum {"x"}>
module @reduction_without_addend attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #x>], results ["y" : tensor<f32, #s>]>} {
  func.func @main(%a: tensor<5xf32, #x>) -> tensor<f32, #s> {
    %e = tensor.empty() : tensor<f32, #sum>
    // expected-error@+1 {{expects a body that combines a value into its accumulator, since reduction loop 0 is split unevenly}}
    %p = linalg.reduce ins(%a : tensor<5xf32, #x>) outs(%e : tensor<f32, #sum>) dimensions = [0]
      (%in: f32, %acc: f32) {
        %n = arith.negf %acc : f32
        linalg.yield %n : f32
      }
    %y = dmc.reduce %p over {"x"} : tensor<f32, #sum> to tensor<f32, #s>
    return %y : tensor<f32, #s>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
#s = #dmc.layout<#mesh, []>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module @dynamic_slice_of_split_dimension attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>, "i" : tensor<i32, #s>], results ["y" : tensor<2xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #x>, %i: tensor<i32, #s>) -> tensor<2xf32, #r> {
    %e = tensor.empty() : tensor<2xf32, #r>
    // expected-error@+1 {{is unsupported: dimension 0 is split over {"x"} and is sliced}}
    %y = dmc.dynamic_slice ins(%a : tensor<4xf32, #x>) at(%i : tensor<i32, #s>) outs(%e : tensor<2xf32, #r>) -> tensor<2xf32, #r>
    return %y : tensor<2xf32, #r>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
#s = #dmc.layout<#mesh, []>
module @update_split attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #r>, "u" : tensor<2xf32, #x>, "i" : tensor<i32, #s>], results []>} {
  func.func @main(%a: tensor<8xf32, #r>, %u: tensor<2xf32, #x>, %i: tensor<i32, #s>) {
    // expected-error@below {{is unsupported: dimension 0 is split over {"x"} in the update, which the operand's dimension is not}}
    %0 = dmc.dynamic_update_slice ins(%u : tensor<2xf32, #x>) at(%i : tensor<i32, #s>) outs(%a : tensor<8xf32, #r>) -> tensor<8xf32, #r>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @gathered_slices attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>, "i" : tensor<3x1xi32, #rr>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>, %i: tensor<3x1xi32, #rr>) {
    %e = tensor.empty() : tensor<3x2xf32, #rr>
    // expected-error@below {{is unsupported: dimension 0 is split over {"x"} and slices of it are gathered}}
    %0 = dmc.gather ins(%a, %i : tensor<8xf32, #x>, tensor<3x1xi32, #rr>) outs(%e : tensor<3x2xf32, #rr>) {offset_dims = array<i64: 1>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 2>} -> tensor<3x2xf32, #rr>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @gather_not_partial attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>, "i" : tensor<3x1xi32, #rr>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>, %i: tensor<3x1xi32, #rr>) {
    %e = tensor.empty() : tensor<3xf32, #r>
    // expected-error@below {{expects a result that is partial over the axes that split the operand's rows, found}}
    %0 = dmc.gather ins(%a, %i : tensor<8xf32, #x>, tensor<3x1xi32, #rr>) outs(%e : tensor<3xf32, #r>) {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xf32, #r>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @compound attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<9xf32, #r>, "w" : tensor<2xf32, #r>], results []>} {
  func.func @main(%a: tensor<9xf32, #r>, %w: tensor<2xf32, #r>) {
    %e = tensor.empty() : tensor<8xf32, #x>
    // expected-error@below {{is unsupported: loop 0 is split over {"x"}, and operand 0 indexes a dimension by d0 + d1}}
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a, %w : tensor<9xf32, #r>, tensor<2xf32, #r>) outs(%e : tensor<8xf32, #x>) {
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %s = arith.addf %p, %acc : f32
      linalg.yield %s : f32
    } -> tensor<8xf32, #x>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @division attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<7xi32, #x>], results []>} {
  func.func @main(%a: tensor<7xi32, #x>) {
    // expected-error@below {{is unsupported: dimension 0 is split over {"x"} unevenly, and padding might trap; use linalg.map}}
    %0 = arith.divsi %a, %a : tensor<7xi32, #x>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @request attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #r>], results []>} {
  func.func @main(%a: tensor<8xf32, #r>) {
    // expected-error@below {{is a request of level 0 and is unsupported in a parallel program}}
    %0 = dmc.constrain %a : tensor<8xf32, #r> to #r
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @updated_windows attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>, "i" : tensor<3x1xi32, #rr>, "u" : tensor<3x2xf32, #rx>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>, %i: tensor<3x1xi32, #rr>, %u: tensor<3x2xf32, #rx>) {
    // expected-error@below {{is unsupported: dimension 0 is split over {"x"} and windows of it are updated}}
    %0 = dmc.scatter ins(%i, %u : tensor<3x1xi32, #rr>, tensor<3x2xf32, #rx>) outs(%a : tensor<8xf32, #x>) {update_window_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<8xf32, #x> {
    ^bb0(%old: f32, %new: f32):
      dmc.yield %new : f32
    }
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @sorted attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>) {
    %e = tensor.empty() : tensor<8xi32, #x>
    // expected-error@below {{is unsupported: dimension 0 is split over {"x"} and sorted along}}
    %0:2 = dmc.sort ins(%a : tensor<8xf32, #x>) outs(%e, %e : tensor<8xi32, #x>, tensor<8xi32, #x>) along 0 -> tensor<8xi32, #x>, tensor<8xi32, #x> {
    ^bb0(%p: f32, %q: f32):
      %c = arith.cmpf olt, %p, %q : f32
      dmc.yield %c : i1
    }
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @merged attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<4x6xf32, #rr>], results []>} {
  func.func @main(%a: tensor<4x6xf32, #rr>) {
    // expected-error@below {{is unsupported: expected the axes that split dimension 0 of the merged side on its parts, found}}
    %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x6xf32, #rr> into tensor<24xf32, #x>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @padded_partial attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments [], results []>} {
  func.func @main() {
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<8xf32, #sum>
    // expected-error@below {{expects a constant padding that combined with itself stays, since its result is partial under sum}}
    %0 = tensor.pad %e low[1] high[0] {
    ^bb0(%i: index):
      tensor.yield %one : f32
    } : tensor<8xf32, #sum> to tensor<9xf32, #sum>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @cast attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>) {
    // expected-error@below {{is unsupported: expected equal types, found}}
    %0 = tensor.cast %a : tensor<8xf32, #x> to tensor<8xf32, #r>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @constant attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments [], results []>} {
  func.func @main() {
    // expected-error@below {{is unsupported: expected a dense constant, found sparse}}
    %0 = arith.constant sparse<[[0]], [1.0]> : tensor<8xf32, #r>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
#xr = #dmc.layout<#mesh, [{"x"}, {}]>
#rx = #dmc.layout<#mesh, [{}, {"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#prod = #dmc.layout<#mesh, [{}], prod {"x"}>
module @extracted attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>) {
    %c0 = arith.constant 0 : index
    // expected-error@below {{expects a replicated operand, found 'tensor<8xf32}}
    %0 = tensor.extract %a[%c0] : tensor<8xf32, #x>
    return
  }
}

// -----

#mesh = #dmc.mesh<"x" = 2>
// expected-error@below {{expects one public function with a body of one block}}
module @private attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments [], results []>} {
  func.func private @main() {
    return
  }
}

// -----

// Partial over another axis than the rows'.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"y"}>
module @gather_partial_elsewhere attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>, "i" : tensor<3x1xi32, #rr>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>, %i: tensor<3x1xi32, #rr>) {
    %e = tensor.empty() : tensor<3xf32, #sum>
    // expected-error@below {{expects a result that is partial over the axes that split the operand's rows, found}}
    %0 = dmc.gather ins(%a, %i : tensor<8xf32, #x>, tensor<3x1xi32, #rr>) outs(%e : tensor<3xf32, #sum>) {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xf32, #sum>
    return
  }
}

// -----

// Partial over the other part of the rows' axis.
#mesh = #dmc.mesh<"x" = 4>
#x = #dmc.layout<#mesh, [{"x":(2)2}]>
#rr = #dmc.layout<#mesh, [{}, {}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x":(1)2}>
module @gather_partial_other_part attributes {dmc.program = #dmc.program<parallel "p" on #mesh, arguments ["a" : tensor<8xf32, #x>, "i" : tensor<3x1xi32, #rr>], results []>} {
  func.func @main(%a: tensor<8xf32, #x>, %i: tensor<3x1xi32, #rr>) {
    %e = tensor.empty() : tensor<3xf32, #sum>
    // expected-error@below {{expects a result that is partial over the axes that split the operand's rows, found}}
    %0 = dmc.gather ins(%a, %i : tensor<8xf32, #x>, tensor<3x1xi32, #rr>) outs(%e : tensor<3xf32, #sum>) {collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3xf32, #sum>
    return
  }
}

// -----

// The first argument is right, the second is not.
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#r = #dmc.layout<#mesh, [{}]>
module @signature_second attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #x>, "b" : tensor<4xf32, #x>], results ["y" : tensor<4xf32, #x>]>} {
  // expected-error@+1 {{expects argument 1 to be as the program says, 'tensor<4xf32}}
  func.func @main(%a: tensor<4xf32, #x>, %b: tensor<4xf32, #r>) -> tensor<4xf32, #x> {
    return %a : tensor<4xf32, #x>
  }
}

// -----

#mesh = #dmc.mesh<"x" = 4>
#x = #dmc.layout<#mesh, [{"x"}]>
module @kernel_sees_no_padding attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<6xf32, #x>], results ["y" : tensor<6xf32, #x>]>} {
  func.func @main(%a: tensor<6xf32, #x>) -> tensor<6xf32, #x> {
    %e = tensor.empty() : tensor<6xf32, #x>
    // expected-error@+1 {{'dmc.custom_call' op is unsupported: dimension 0 is split over {"x"} into blocks of different sizes, and the kernel sees no padding}}
    %0 = dmc.custom_call "f" ins(%a : tensor<6xf32, #x>) outs(%e : tensor<6xf32, #x>) {rule = "([i]) -> ([i])"} -> tensor<6xf32, #x>
    return %0 : tensor<6xf32, #x>
  }
}

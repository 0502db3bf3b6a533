// RUN: dmc-opt %s -split-input-file --dmc-to-ranks --dmc-verify-ranks | FileCheck %s

// The example of the pass's description.
#mesh = #dmc.mesh<"x" = 2>
#k = #dmc.layout<#mesh, [{}, {"x"}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @example
// CHECK-SAME: #dmc.program<ranks "p" on #mesh_x2, arguments ["a" : tensor<4x6xf32, #layout_r_x>
module @example attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x6xf32, #k>, "b" : tensor<6x8xf32, #rows>],
    results ["y" : tensor<4x8xf32, #r>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor<4x3xf32>, %[[B:.+]]: tensor<3x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0.0
  // CHECK-NEXT: %[[E:.+]] = tensor.empty() : tensor<4x8xf32>
  // CHECK-NEXT: %[[I:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]] : tensor<4x8xf32>)
  // CHECK-NEXT: %[[P:.+]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x3xf32>, tensor<3x8xf32>) outs(%[[I]] : tensor<4x8xf32>)
  // CHECK-NEXT: %[[D:.+]] = tensor.empty() : tensor<4x8xf32>
  // CHECK-NEXT: %[[Y:.+]] = comm.all_reduce sum ins(%[[P]] : tensor<4x8xf32>) outs(%[[D]] : tensor<4x8xf32>) over {"x"} on #mesh_x2
  // CHECK-NEXT: return %[[Y]] : tensor<4x8xf32>
  func.func @main(%a: tensor<4x6xf32, #k>, %b: tensor<6x8xf32, #rows>) -> tensor<4x8xf32, #r> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x8xf32, #sum>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32, #sum>) -> tensor<4x8xf32, #sum>
    %p = linalg.matmul ins(%a, %b : tensor<4x6xf32, #k>, tensor<6x8xf32, #rows>)
                       outs(%i : tensor<4x8xf32, #sum>) -> tensor<4x8xf32, #sum>
    %y = dmc.reduce %p over {"x"} : tensor<4x8xf32, #sum> to tensor<4x8xf32, #r>
    return %y : tensor<4x8xf32, #r>
  }
}

// -----

// Both factors are masked: zero times what padding may hold is not zero.
#mesh = #dmc.mesh<"x" = 2>
#k = #dmc.layout<#mesh, [{}, {"x"}]>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @uneven_contraction
module @uneven_contraction attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x5xf32, #k>, "b" : tensor<5x8xf32, #rows>],
    results ["y" : tensor<4x8xf32, #r>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor<4x3xf32>, %[[B:.+]]: tensor<3x8xf32>)
  // CHECK-DAG: %[[N:.+]] = arith.constant 5 : index
  // CHECK-DAG: %[[X:.+]] = comm.axis_index {"x"}
  // CHECK-DAG: %[[SIZE:.+]] = arith.constant 3 : index
  // CHECK: %[[BEGIN:.+]] = arith.muli %[[X]], %[[SIZE]]
  // CHECK: %[[REST:.+]] = arith.subi %[[N]], %[[BEGIN]]
  // CHECK: %[[SOME:.+]] = arith.maxsi %[[REST]]
  // CHECK: %[[VALID:.+]] = arith.minsi %[[SOME]], %[[SIZE]]
  // CHECK: %[[MA:.+]] = linalg.generic {{.+}} ins(%[[A]] : tensor<4x3xf32>)
  // CHECK: %[[J:.+]] = linalg.index 1
  // CHECK: %[[W:.+]] = arith.cmpi slt, %[[J]], %[[VALID]]
  // CHECK: arith.select %[[W]]
  // CHECK: %[[MB:.+]] = linalg.generic {{.+}} ins(%[[B]] : tensor<3x8xf32>)
  // CHECK: linalg.index 0
  // CHECK: linalg.matmul ins(%[[MA]], %[[MB]]
  func.func @main(%a: tensor<4x5xf32, #k>, %b: tensor<5x8xf32, #rows>) -> tensor<4x8xf32, #r> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x8xf32, #sum>
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32, #sum>) -> tensor<4x8xf32, #sum>
    %p = linalg.matmul ins(%a, %b : tensor<4x5xf32, #k>, tensor<5x8xf32, #rows>)
                       outs(%i : tensor<4x8xf32, #sum>) -> tensor<4x8xf32, #sum>
    %y = dmc.reduce %p over {"x"} : tensor<4x8xf32, #sum> to tensor<4x8xf32, #r>
    return %y : tensor<4x8xf32, #r>
  }
}

// -----

// Of other reductions the combined value is masked.
#mesh = #dmc.mesh<"x" = 2>
#cols = #dmc.layout<#mesh, [{}, {"x"}]>
#max = #dmc.layout<#mesh, [{}], max {"x"}>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @uneven_reduction
module @uneven_reduction attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x5xf32, #cols>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4x5xf32, #cols>) -> tensor<4xf32, #r> {
    %lowest = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<4xf32, #max>
    %i = linalg.fill ins(%lowest : f32) outs(%e : tensor<4xf32, #max>) -> tensor<4xf32, #max>
    // CHECK: linalg.generic {{.+}} iterator_types = ["parallel", "reduction"]
    // CHECK: ^bb0(%[[IN:.+]]: f32, %[[ACC:.+]]: f32):
    // CHECK: %[[J:.+]] = linalg.index 1
    // CHECK: %[[W:.+]] = arith.cmpi slt, %[[J]]
    // CHECK: %[[NEUTRAL:.+]] = arith.constant 0xFF800000
    // CHECK: %[[T:.+]] = arith.select %[[W]], %[[IN]], %[[NEUTRAL]]
    // CHECK: arith.maximumf %[[ACC]], %[[T]]
    %p = linalg.reduce { arith.maximumf } ins(%a : tensor<4x5xf32, #cols>)
                       outs(%i : tensor<4xf32, #max>) dimensions = [1]
    // CHECK: comm.all_reduce max
    %y = dmc.reduce %p over {"x"} : tensor<4xf32, #max> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

// Padding of parallel loops is left alone, but must not trap.
#mesh = #dmc.mesh<"x" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-LABEL: module @uneven_parallel_loops
module @uneven_parallel_loops attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xi32, #x>, "b" : tensor<5xi32, #x>],
    results ["y" : tensor<5xi32, #x>, "z" : tensor<5xi32, #x>]>} {
  func.func @main(%a: tensor<5xi32, #x>, %b: tensor<5xi32, #x>)
      -> (tensor<5xi32, #x>, tensor<5xi32, #x>) {
    %e = tensor.empty() : tensor<5xi32, #x>
    // CHECK: linalg.map { arith.addi{{.*}} } ins(%{{.+}}, %{{.+}} : tensor<3xi32>, tensor<3xi32>) outs(%{{.+}} : tensor<3xi32>)
    %y = linalg.map { arith.addi } ins(%a, %b : tensor<5xi32, #x>, tensor<5xi32, #x>)
                                   outs(%e : tensor<5xi32, #x>)
    // CHECK: linalg.generic
    // CHECK: ^bb0(%[[A:.+]]: i32, %[[B:.+]]: i32, %{{.+}}: i32):
    // CHECK: %[[W:.+]] = arith.cmpi slt
    // CHECK: %[[ONE:.+]] = arith.constant 1 : i32
    // CHECK: %[[D:.+]] = arith.select %[[W]], %[[B]], %[[ONE]]
    // CHECK: arith.divsi %[[A]], %[[D]]
    %z = linalg.map { arith.divsi } ins(%a, %b : tensor<5xi32, #x>, tensor<5xi32, #x>)
                                    outs(%e : tensor<5xi32, #x>)
    return %y, %z : tensor<5xi32, #x>, tensor<5xi32, #x>
  }
}

// -----

// An index of a split loop gets the offset of the block. Even cuts of several axes
// have one joint position.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
// CHECK-LABEL: module @index
module @index attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments [], results ["y" : tensor<8xi32, #xy>]>} {
  func.func @main() -> tensor<8xi32, #xy> {
    // CHECK: %[[X:.+]] = comm.axis_index {"x", "y"}
    // CHECK: %[[C2:.+]] = arith.constant 2
    // CHECK: %[[O:.+]] = arith.muli %[[X]], %[[C2]]
    %e = tensor.empty() : tensor<8xi32, #xy>
    // CHECK: %[[I:.+]] = linalg.index 0
    // CHECK: %[[G:.+]] = arith.addi %[[I]], %[[O]]
    // CHECK: arith.index_cast %[[G]]
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%e : tensor<8xi32, #xy>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %v = arith.index_cast %i : index to i32
      linalg.yield %v : i32
    } -> tensor<8xi32, #xy>
    return %y : tensor<8xi32, #xy>
  }
}

// -----

// Of a constant each rank takes its block, and one rank of those that hold partial values.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#x_sum = #dmc.layout<#mesh, [{"x"}], sum {"y"}>
// CHECK-LABEL: module @constant
module @constant attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments [], results ["y" : tensor<4xi32, #x>, "z" : tensor<4xi32, #x>]>} {
  func.func @main() -> (tensor<4xi32, #x>, tensor<4xi32, #x>) {
    // CHECK-DAG: %[[Y:.+]] = comm.axis_index {"y"}
    // CHECK: %[[C:.+]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    // CHECK: %[[B:.+]] = tensor.extract_slice %[[C]][%{{.+}}] [2] [1]
    // CHECK: linalg.map ins(%[[B]] : tensor<2xi32>)
    // CHECK: arith.cmpi eq, %[[Y]], %c0
    // CHECK: arith.select %{{.+}}, %{{.+}}, %c0_i32
    %p = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #x_sum>
    // CHECK: comm.all_reduce
    %y = dmc.reduce %p over {"y"} : tensor<4xi32, #x_sum> to tensor<4xi32, #x>
    // CHECK: %[[Z:.+]] = arith.constant dense<7> : tensor<2xi32>
    %z = arith.constant dense<7> : tensor<4xi32, #x>
    // CHECK: return %{{.+}}, %[[Z]]
    return %y, %z : tensor<4xi32, #x>, tensor<4xi32, #x>
  }
}

// -----

// A sum's zero stands on all positions; another value on one.
#mesh = #dmc.mesh<"x" = 2>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @partial_fill
module @partial_fill attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments [], results ["y" : tensor<4xf32, #r>, "z" : tensor<4xf32, #r>]>} {
  func.func @main() -> (tensor<4xf32, #r>, tensor<4xf32, #r>) {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<4xf32, #sum>
    // CHECK: %[[ZERO:.+]] = linalg.fill
    // CHECK: %[[ONE:.+]] = linalg.fill
    // CHECK: %[[ADDEND:.+]] = linalg.map ins(%[[ONE]]
    %p = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
    %q = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32, #sum>) -> tensor<4xf32, #sum>
    // CHECK: comm.all_reduce sum ins(%[[ZERO]]
    // CHECK: comm.all_reduce sum ins(%[[ADDEND]]
    %y = dmc.reduce %p over {"x"} : tensor<4xf32, #sum> to tensor<4xf32, #r>
    %z = dmc.reduce %q over {"x"} : tensor<4xf32, #sum> to tensor<4xf32, #r>
    return %y, %z : tensor<4xf32, #r>, tensor<4xf32, #r>
  }
}

// -----

// Rows of the operand are split: the start is clamped with the global size, made
// relative to the block, and what other ranks hold is neutral.
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @gather_rows
module @gather_rows attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<10x4xf32, #rows>, "i" : tensor<3x1xi32, #r>],
    results ["y" : tensor<3x4xf32, #r>]>} {
  func.func @main(%t: tensor<10x4xf32, #rows>, %i: tensor<3x1xi32, #r>) -> tensor<3x4xf32, #r> {
    // CHECK: %[[LAST:.+]] = arith.constant 9
    %e = tensor.empty() : tensor<3x4xf32, #sum>
    // CHECK: %[[I:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<3x1xi32>)
    // CHECK: arith.minsi %{{.+}}, %[[LAST]]
    // CHECK: %[[REL:.+]] = arith.subi
    // CHECK: %[[HELD:.+]] = arith.cmpi ult, %[[REL]]
    // CHECK: arith.select %[[HELD]], %[[REL]], %c0
    // CHECK: %[[G:.+]] = dmc.gather ins(%{{.+}}, %[[I]] : tensor<5x4xf32>, tensor<3x1xi32>)
    // CHECK: linalg.generic {{.+}} ins(%[[G]], %{{.+}} : tensor<3x4xf32>, tensor<3xi32>)
    // CHECK: arith.select
    // CHECK: comm.all_reduce sum
    %p = dmc.gather ins(%t, %i : tensor<10x4xf32, #rows>, tensor<3x1xi32, #r>) outs(%e : tensor<3x4xf32, #sum>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4xf32, #sum>
    %y = dmc.reduce %p over {"x"} : tensor<3x4xf32, #sum> to tensor<3x4xf32, #r>
    return %y : tensor<3x4xf32, #r>
  }
}

// -----

// A split slice or batch needs nothing but other sizes.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#cols = #dmc.layout<#mesh, [{}, {"x"}]>
#batch = #dmc.layout<#mesh, [{"y"}, {}]>
#both = #dmc.layout<#mesh, [{"y"}, {"x"}]>
// CHECK-LABEL: module @gather_slices
module @gather_slices attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<10x4xf32, #cols>, "i" : tensor<6x1xi32, #batch>],
    results ["y" : tensor<6x4xf32, #both>]>} {
  func.func @main(%t: tensor<10x4xf32, #cols>, %i: tensor<6x1xi32, #batch>) -> tensor<6x4xf32, #both> {
    %e = tensor.empty() : tensor<6x4xf32, #both>
    // CHECK-NOT: linalg
    // CHECK: dmc.gather ins(%{{.+}}, %{{.+}} : tensor<10x2xf32>, tensor<3x1xi32>) outs(%{{.+}} : tensor<3x2xf32>)
    // CHECK-SAME: slice_sizes = array<i64: 1, 2>
    %y = dmc.gather ins(%t, %i : tensor<10x4xf32, #cols>, tensor<6x1xi32, #batch>) outs(%e : tensor<6x4xf32, #both>)
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
       index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<6x4xf32, #both>
    return %y : tensor<6x4xf32, #both>
  }
}

// -----

// Split rows: the index less the block's offset, of what falls outside nothing is
// written.
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @scatter_rows
module @scatter_rows attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<10x4xf32, #rows>, "i" : tensor<3x1xi8, #r>, "u" : tensor<3x4xf32, #r>],
    results ["y" : tensor<10x4xf32, #rows>]>} {
  func.func @main(%t: tensor<10x4xf32, #rows>, %i: tensor<3x1xi8, #r>, %u: tensor<3x4xf32, #r>)
      -> tensor<10x4xf32, #rows> {
    // CHECK: %[[I:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<3x1xi32>)
    // CHECK: %[[W:.+]] = arith.extsi %{{.+}} : i8 to i32
    // CHECK: arith.subi %[[W]]
    // CHECK: dmc.scatter ins(%[[I]], %{{.+}} : tensor<3x1xi32>, tensor<3x4xf32>) outs(%{{.+}} : tensor<5x4xf32>)
    %y = dmc.scatter ins(%i, %u : tensor<3x1xi8, #r>, tensor<3x4xf32, #r>) outs(%t : tensor<10x4xf32, #rows>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32, #rows> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      dmc.yield %s : f32
    }
    return %y : tensor<10x4xf32, #rows>
  }
}

// -----

// Updates in padding go to where no window reaches the operand.
#mesh = #dmc.mesh<"x" = 2>
#batch = #dmc.layout<#mesh, [{"x"}, {}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @scatter_uneven_updates
module @scatter_uneven_updates attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<10x4xf32, #r>, "i" : tensor<3x1xi32, #batch>, "u" : tensor<3x4xf32, #batch>],
    results ["y" : tensor<10x4xf32, #r>]>} {
  func.func @main(%t: tensor<10x4xf32, #r>, %i: tensor<3x1xi32, #batch>, %u: tensor<3x4xf32, #batch>)
      -> tensor<10x4xf32, #r> {
    %s = dmc.spread %t over {"x"} : tensor<10x4xf32, #r> to tensor<10x4xf32, #sum>
    // CHECK: %[[I:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<2x1xi32>)
    // CHECK: %[[B:.+]] = linalg.index 0
    // CHECK: %[[W:.+]] = arith.cmpi slt, %[[B]]
    // CHECK: %[[OUT:.+]] = arith.constant -4 : i32
    // CHECK: arith.select %[[W]], %{{.+}}, %[[OUT]]
    // CHECK: dmc.scatter ins(%[[I]], %{{.+}} : tensor<2x1xi32>, tensor<2x4xf32>)
    %p = dmc.scatter ins(%i, %u : tensor<3x1xi32, #batch>, tensor<3x4xf32, #batch>) outs(%s : tensor<10x4xf32, #sum>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32, #sum> {
    ^bb0(%old: f32, %new: f32):
      %n = arith.addf %old, %new : f32
      dmc.yield %n : f32
    }
    %y = dmc.reduce %p over {"x"} : tensor<10x4xf32, #sum> to tensor<10x4xf32, #r>
    return %y : tensor<10x4xf32, #r>
  }
}

// -----

// An update of split rows: each rank rewrites a window of its block with the rows of
// the update that fall into it.
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
#s = #dmc.layout<#mesh, []>
// CHECK-LABEL: module @dynamic_update_slice_rows
module @dynamic_update_slice_rows attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<10x4xf32, #rows>, "u" : tensor<1x4xf32, #r>, "i" : tensor<i32, #s>],
    results ["y" : tensor<10x4xf32, #rows>]>} {
  // CHECK: func.func @main(%[[T:.+]]: tensor<5x4xf32>, %[[U:.+]]: tensor<1x4xf32>, %[[I:.+]]: tensor<i32>)
  func.func @main(%t: tensor<10x4xf32, #rows>, %u: tensor<1x4xf32, #r>, %i: tensor<i32, #s>)
      -> tensor<10x4xf32, #rows> {
    // CHECK: %[[S:.+]] = linalg.map ins(%[[I]] : tensor<i32>)
    // CHECK: %[[W:.+]] = dmc.dynamic_slice ins(%[[T]] : tensor<5x4xf32>) at(%[[S]], %[[I]] : tensor<i32>, tensor<i32>) outs(%{{.+}} : tensor<1x4xf32>)
    // CHECK: %[[M:.+]] = linalg.generic {{.+}} ins(%[[W]], %[[U]], %[[I]] : tensor<1x4xf32>, tensor<1x4xf32>, tensor<i32>)
    // CHECK: dmc.dynamic_update_slice ins(%[[M]] : tensor<1x4xf32>) at(%[[S]], %[[I]] : tensor<i32>, tensor<i32>) outs(%[[T]] : tensor<5x4xf32>)
    %y = dmc.dynamic_update_slice ins(%u : tensor<1x4xf32, #r>) at(%i, %i : tensor<i32, #s>, tensor<i32, #s>)
                                  outs(%t : tensor<10x4xf32, #rows>) -> tensor<10x4xf32, #rows>
    return %y : tensor<10x4xf32, #rows>
  }
}

// -----

// Blocks of a single row have room for updates of a single row: nothing is padded.
#mesh = #dmc.mesh<"x" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#r = #dmc.layout<#mesh, [{}, {}]>
// CHECK-LABEL: module @scatter_single_rows
module @scatter_single_rows attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["t" : tensor<2x4xf32, #rows>, "i" : tensor<3x1xi32, #r>, "u" : tensor<3x4xf32, #r>],
    results ["y" : tensor<2x4xf32, #rows>]>} {
  func.func @main(%t: tensor<2x4xf32, #rows>, %i: tensor<3x1xi32, #r>, %u: tensor<3x4xf32, #r>)
      -> tensor<2x4xf32, #rows> {
    // CHECK: dmc.scatter ins(%{{.+}}, %arg2 : tensor<3x1xi32>, tensor<3x4xf32>) outs(%arg0 : tensor<1x4xf32>)
    %y = dmc.scatter ins(%i, %u : tensor<3x1xi32, #r>, tensor<3x4xf32, #r>) outs(%t : tensor<2x4xf32, #rows>)
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<2x4xf32, #rows> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      dmc.yield %s : f32
    }
    return %y : tensor<2x4xf32, #rows>
  }
}

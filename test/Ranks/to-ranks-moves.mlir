// RUN: dmc-opt %s -split-input-file --dmc-to-ranks --dmc-verify-ranks | FileCheck %s

// A reduce is an all-reduce.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#sum = #dmc.layout<#mesh, [{}], sum {"x", "y"}>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @reduce attributes
module @reduce attributes {dmc.program = #dmc.program<parallel "reduce" on #mesh,
    arguments ["a" : tensor<4xf32, #r>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #r>) -> tensor<4xf32, #r> {
    // CHECK: %[[A:.+]] = linalg.map
    %p = dmc.spread %a over {"x", "y"} : tensor<4xf32, #r> to tensor<4xf32, #sum>
    // CHECK: %[[D:.+]] = tensor.empty() : tensor<4xf32>
    // CHECK: comm.all_reduce sum ins(%[[A]] : tensor<4xf32>) outs(%[[D]] : tensor<4xf32>) over {"x", "y"} on #mesh_x2_y2
    %y = dmc.reduce %p over {"x", "y"} : tensor<4xf32, #sum> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

// A reduce whose only use is a partition of the same axes is a reduce-scatter, in
// the order of the dimension's list.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#max = #dmc.layout<#mesh, [{}], max {"x", "y"}>
#r = #dmc.layout<#mesh, [{}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}]>
// CHECK-LABEL: module @reduce_scatter
module @reduce_scatter attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #r>], results ["y" : tensor<8xf32, #yx>]>} {
  func.func @main(%a: tensor<8xf32, #r>) -> tensor<8xf32, #yx> {
    %p = dmc.spread %a over {"x", "y"} : tensor<8xf32, #r> to tensor<8xf32, #max>
    // CHECK-NOT: all_reduce
    // CHECK: comm.reduce_scatter max ins(%{{.+}} : tensor<8xf32>) outs(%{{.+}} : tensor<2xf32>) dim 0 over {"y", "x"}
    %0 = dmc.reduce %p over {"x", "y"} : tensor<8xf32, #max> to tensor<8xf32, #r>
    %y = dmc.partition %0 along {"y", "x"} in 0 : tensor<8xf32, #r> to tensor<8xf32, #yx>
    return %y : tensor<8xf32, #yx>
  }
}

// -----

// Five elements over two axes are blocks of 3 = 2 + 1, then of 2: the second axis'
// blocks are padded apart so that equal blocks stand in group order.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#sum = #dmc.layout<#mesh, [{}], sum {"x", "y"}>
#r = #dmc.layout<#mesh, [{}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
// CHECK-LABEL: module @reduce_scatter_uneven
module @reduce_scatter_uneven attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #r>], results ["y" : tensor<5xf32, #xy>]>} {
  func.func @main(%a: tensor<5xf32, #r>) -> tensor<5xf32, #xy> {
    %p = dmc.spread %a over {"x", "y"} : tensor<5xf32, #r> to tensor<5xf32, #sum>
    // CHECK: %[[P:.+]] = tensor.pad %{{.+}} low[0] high[1]
    // CHECK: %[[E:.+]] = tensor.expand_shape %[[P]] {{.+}} : tensor<6xf32> into tensor<2x3xf32>
    // CHECK: %[[Q:.+]] = tensor.pad %[[E]] low[0, 0] high[0, 1]
    // CHECK: %[[C:.+]] = tensor.collapse_shape %[[Q]] {{.+}} : tensor<2x4xf32> into tensor<8xf32>
    // CHECK: comm.reduce_scatter sum ins(%[[C]] : tensor<8xf32>) outs(%{{.+}} : tensor<2xf32>) dim 0 over {"x", "y"}
    %0 = dmc.reduce %p over {"x", "y"} : tensor<5xf32, #sum> to tensor<5xf32, #r>
    %y = dmc.partition %0 along {"x", "y"} in 0 : tensor<5xf32, #r> to tensor<5xf32, #xy>
    return %y : tensor<5xf32, #xy>
  }
}

// -----

// A partition is a slice at the position's offset.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}, {}]>
#x = #dmc.layout<#mesh, [{}, {"x"}]>
// CHECK-LABEL: module @partition attributes
module @partition attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x6xf32, #r>], results ["y" : tensor<4x6xf32, #x>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor<4x6xf32>) -> tensor<4x3xf32>
  func.func @main(%a: tensor<4x6xf32, #r>) -> tensor<4x6xf32, #x> {
    // CHECK: %[[I:.+]] = comm.axis_index {"x"}
    // CHECK: %[[C3:.+]] = arith.constant 3
    // CHECK: %[[O:.+]] = arith.muli %[[I]], %[[C3]]
    // CHECK: tensor.extract_slice %[[A]][0, %[[O]]] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
    %y = dmc.partition %a along {"x"} in 1 : tensor<4x6xf32, #r> to tensor<4x6xf32, #x>
    return %y : tensor<4x6xf32, #x>
  }
}

// -----

// Where the last block is short the tensor is padded first.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-LABEL: module @partition_uneven
module @partition_uneven attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #r>], results ["y" : tensor<5xf32, #x>]>} {
  func.func @main(%a: tensor<5xf32, #r>) -> tensor<5xf32, #x> {
    // CHECK: %[[P:.+]] = tensor.pad %{{.+}} low[0] high[1]
    // CHECK: tensor.extract_slice %[[P]][%{{.+}}] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %y = dmc.partition %a along {"x"} in 0 : tensor<5xf32, #r> to tensor<5xf32, #x>
    return %y : tensor<5xf32, #x>
  }
}

// -----

// A combine is an all-gather, cut to the valid part.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#x = #dmc.layout<#mesh, [{"x"}]>
// CHECK-LABEL: module @combine_uneven
module @combine_uneven attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #x>], results ["y" : tensor<5xf32, #r>]>} {
  func.func @main(%a: tensor<5xf32, #x>) -> tensor<5xf32, #r> {
    // CHECK: %[[G:.+]] = comm.all_gather ins(%{{.+}} : tensor<3xf32>) outs(%{{.+}} : tensor<6xf32>) dim 0 over {"x"}
    // CHECK: tensor.extract_slice %[[G]][0] [5] [1] : tensor<6xf32> to tensor<5xf32>
    %y = dmc.combine %a along {"x"} in 0 : tensor<5xf32, #x> to tensor<5xf32, #r>
    return %y : tensor<5xf32, #r>
  }
}

// -----

// Several axes are one all-gather even where inner cuts are uneven.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
// CHECK-LABEL: module @combine_nested
module @combine_nested attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5xf32, #xy>], results ["y" : tensor<5xf32, #r>]>} {
  func.func @main(%a: tensor<5xf32, #xy>) -> tensor<5xf32, #r> {
    // CHECK: %[[G:.+]] = comm.all_gather ins(%{{.+}} : tensor<2xf32>) outs(%{{.+}} : tensor<8xf32>) dim 0 over {"x", "y"}
    // CHECK: %[[E:.+]] = tensor.expand_shape %[[G]] {{.+}} : tensor<8xf32> into tensor<2x4xf32>
    // CHECK: %[[S:.+]] = tensor.extract_slice %[[E]][0, 0] [2, 3] [1, 1]
    // CHECK: %[[C:.+]] = tensor.collapse_shape %[[S]] {{.+}} : tensor<2x3xf32> into tensor<6xf32>
    // CHECK: tensor.extract_slice %[[C]][0] [5] [1]
    %y = dmc.combine %a along {"x", "y"} in 0 : tensor<5xf32, #xy> to tensor<5xf32, #r>
    return %y : tensor<5xf32, #r>
  }
}

// -----

// An exchange is an all-to-all: what is split is padded, what is gathered is cut.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#cols = #dmc.layout<#mesh, [{}, {"x"}]>
// CHECK-LABEL: module @exchange_uneven
module @exchange_uneven attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<5x3xf32, #rows>], results ["y" : tensor<5x3xf32, #cols>]>} {
  func.func @main(%a: tensor<5x3xf32, #rows>) -> tensor<5x3xf32, #cols> {
    // CHECK: %[[P:.+]] = tensor.pad %{{.+}} low[0, 0] high[0, 1]
    // CHECK: %[[X:.+]] = comm.all_to_all ins(%[[P]] : tensor<3x4xf32>) outs(%{{.+}} : tensor<6x2xf32>) split 1 concat 0 over {"x"}
    // CHECK: tensor.extract_slice %[[X]][0, 0] [5, 2] [1, 1]
    %y = dmc.exchange %a along {"x"} from 0 to 1 : tensor<5x3xf32, #rows> to tensor<5x3xf32, #cols>
    return %y : tensor<5x3xf32, #cols>
  }
}

// -----

// A replicate is a broadcast from the coordinates that hold the tensor; a place is
// nothing.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#placed = #dmc.layout<#mesh, [{}], placed {"x" = 1, "y" = 0}>
// CHECK-LABEL: module @replicate
module @replicate attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #r>], results ["y" : tensor<4xf32, #r>]>} {
  // CHECK: func.func @main(%[[A:.+]]: tensor<4xf32>)
  func.func @main(%a: tensor<4xf32, #r>) -> tensor<4xf32, #r> {
    // CHECK: comm.broadcast ins(%[[A]] : tensor<4xf32>) outs(%{{.+}} : tensor<4xf32>) from 2 over {"x", "y"}
    %0 = dmc.place %a over {"x", "y"} : tensor<4xf32, #r> to tensor<4xf32, #placed>
    %y = dmc.replicate %0 over {"x", "y"} : tensor<4xf32, #placed> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

// A spread of replicated axes: coordinate 0 keeps the tensor, the others hold the
// neutral element, which is -0.0 for a sum.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
// CHECK-LABEL: module @spread_replicated
module @spread_replicated attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #r>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #r>) -> tensor<4xf32, #r> {
    // CHECK-DAG: %[[I:.+]] = comm.axis_index {"x"}
    // CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
    // CHECK-DAG: %[[N:.+]] = arith.constant -0.0
    // CHECK: linalg.map
    // CHECK: (%[[IN:.+]]: f32, %{{.+}}: f32)
    // CHECK: %[[HERE:.+]] = arith.cmpi eq, %[[I]], %[[C0]]
    // CHECK: arith.select %[[HERE]], %[[IN]], %[[N]]
    %p = dmc.spread %a over {"x"} : tensor<4xf32, #r> to tensor<4xf32, #sum>
    %y = dmc.reduce %p over {"x"} : tensor<4xf32, #sum> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

// Under max all may keep it.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#r = #dmc.layout<#mesh, [{}]>
#max = #dmc.layout<#mesh, [{}], max {"x"}>
// CHECK-LABEL: module @spread_max
module @spread_max attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xf32, #r>], results ["y" : tensor<4xf32, #r>]>} {
  func.func @main(%a: tensor<4xf32, #r>) -> tensor<4xf32, #r> {
    // CHECK: func.func @main(%[[A:.+]]: tensor<4xf32>)
    // CHECK-NOT: select
    // CHECK: comm.all_reduce max ins(%[[A]]
    %p = dmc.spread %a over {"x"} : tensor<4xf32, #r> to tensor<4xf32, #max>
    %y = dmc.reduce %p over {"x"} : tensor<4xf32, #max> to tensor<4xf32, #r>
    return %y : tensor<4xf32, #r>
  }
}

// -----

// A spread of split axes: the block in a neutral tensor.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#x = #dmc.layout<#mesh, [{"x"}]>
#sum = #dmc.layout<#mesh, [{}], sum {"x"}>
#r = #dmc.layout<#mesh, [{}]>
// CHECK-LABEL: module @spread_split
module @spread_split attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4xi32, #x>], results ["y" : tensor<4xi32, #r>]>} {
  func.func @main(%a: tensor<4xi32, #x>) -> tensor<4xi32, #r> {
    // CHECK: %[[F:.+]] = linalg.fill ins(%c0_i32 : i32) outs(%{{.+}} : tensor<4xi32>)
    // CHECK: tensor.insert_slice %{{.+}} into %[[F]][%{{.+}}] [2] [1] : tensor<2xi32> into tensor<4xi32>
    %p = dmc.spread %a over {"x"} : tensor<4xi32, #x> to tensor<4xi32, #sum>
    %y = dmc.reduce %p over {"x"} : tensor<4xi32, #sum> to tensor<4xi32, #r>
    return %y : tensor<4xi32, #r>
  }
}

// -----

// A permute of the order of axes: positions (0, 1) and (1, 0) swap.
#mesh = #dmc.mesh<"x" = 2, "y" = 2>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}]>
// CHECK-LABEL: module @permute
module @permute attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8xf32, #xy>], results ["y" : tensor<8xf32, #yx>]>} {
  func.func @main(%a: tensor<8xf32, #xy>) -> tensor<8xf32, #yx> {
    // CHECK: comm.permute ins(%{{.+}} : tensor<2xf32>) outs(%{{.+}} : tensor<2xf32>) pairs [0, 0, 1, 2, 2, 1, 3, 3] over {"x", "y"}
    %y = dmc.permute %a : tensor<8xf32, #xy> to tensor<8xf32, #yx>
    return %y : tensor<8xf32, #yx>
  }
}

// -----

// Blocks {2, 2, 2, 1} of 7 on 2 x 3 to {2, 1, 2, 1, 1} on 3 x 2: what a rank has of its new
// block it keeps; the rest comes in rounds, at places that a table knows.
#mesh = #dmc.mesh<"x" = 2, "y" = 3>
#xy = #dmc.layout<#mesh, [{"x", "y"}]>
#yx = #dmc.layout<#mesh, [{"y", "x"}]>
// CHECK-LABEL: module @redistribute
module @redistribute attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<7xf32, #xy>], results ["y" : tensor<7xf32, #yx>]>} {
  func.func @main(%a: tensor<7xf32, #xy>) -> tensor<7xf32, #yx> {
    // CHECK: %[[TABLE:.+]] = arith.constant dense<{{.+}}> : tensor<6x{{[0-9]+}}xi64>
    // CHECK: %[[ROW:.+]] = tensor.extract_slice %[[TABLE]][%{{.+}}, 0]
    // CHECK: tensor.extract %[[ROW]]
    // CHECK: linalg.generic
    // CHECK: comm.permute ins(%{{.+}} : tensor<{{[12]}}xf32>) {{.+}} over {"x", "y"} on
    // CHECK: arith.select
    %y = dmc.redistribute %a : tensor<7xf32, #xy> to tensor<7xf32, #yx>
    return %y : tensor<7xf32, #yx>
  }
}

// -----

// Where each rank gets a whole box in each round, boxes are put where they belong and nothing is selected.
#mesh = #dmc.mesh<"x" = 4>
#rows = #dmc.layout<#mesh, [{"x"}, {}]>
#columns = #dmc.layout<#mesh, [{}, {"x"}]>
// CHECK-LABEL: module @redistribute_evenly
module @redistribute_evenly attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<8x12xf32, #rows>], results ["y" : tensor<8x12xf32, #columns>]>} {
  func.func @main(%a: tensor<8x12xf32, #rows>) -> tensor<8x12xf32, #columns> {
    // The table has which pair of rows and which three columns: programs say that boxes begin at multiples of their sizes.
    // CHECK: %[[FILL:.+]] = linalg.fill {{.*}} -> tensor<8x3xf32>
    // CHECK: arith.muli %{{.+}}, %{{c2|c3}}{{(_[0-9]+)?}} : index
    // CHECK: %[[KEPT:.+]] = tensor.insert_slice %{{.+}} into %[[FILL]][%{{.+}}, %{{.+}}] [2, 3] [1, 1]
    // CHECK-COUNT-3: comm.permute ins(%{{.+}} : tensor<2x3xf32>)
    // CHECK-NOT: arith.select
    // CHECK: %[[Y:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[%{{.+}}, %{{.+}}] [2, 3] [1, 1]
    // CHECK: return %[[Y]]
    %y = dmc.redistribute %a : tensor<8x12xf32, #rows> to tensor<8x12xf32, #columns>
    return %y : tensor<8x12xf32, #columns>
  }
}

// -----

// Along an axis of one position nothing moves.
#mesh = #dmc.mesh<"x" = 2, "one" = 1>
#r = #dmc.layout<#mesh, [{}, {}]>
#one = #dmc.layout<#mesh, [{"one"}, {}]>
#moved = #dmc.layout<#mesh, [{}, {"one"}]>
#sum = #dmc.layout<#mesh, [{}, {}], sum {"one"}>
// CHECK-LABEL: module @alone
module @alone attributes {dmc.program = #dmc.program<parallel "p" on #mesh,
    arguments ["a" : tensor<4x2xf32, #r>], results ["y" : tensor<4x2xf32, #r>]>} {
  func.func @main(%a: tensor<4x2xf32, #r>) -> tensor<4x2xf32, #r> {
    // CHECK: func.func @main(%[[A:.+]]: tensor<4x2xf32>)
    // CHECK-NEXT: return %[[A]]
    %p = dmc.spread %a over {"one"} : tensor<4x2xf32, #r> to tensor<4x2xf32, #sum>
    %q = dmc.reduce %p over {"one"} : tensor<4x2xf32, #sum> to tensor<4x2xf32, #r>
    %b = dmc.partition %q along {"one"} in 0 : tensor<4x2xf32, #r> to tensor<4x2xf32, #one>
    %c = dmc.exchange %b along {"one"} from 0 to 1 : tensor<4x2xf32, #one> to tensor<4x2xf32, #moved>
    %d = dmc.combine %c along {"one"} in 1 : tensor<4x2xf32, #moved> to tensor<4x2xf32, #r>
    return %d : tensor<4x2xf32, #r>
  }
}

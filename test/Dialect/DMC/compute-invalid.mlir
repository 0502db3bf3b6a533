// RUN: dmc-opt %s -split-input-file -verify-diagnostics
// One function per numbered constraint.

func.func @gather_c1(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{expected one slice size per operand dimension, found 1 for rank 2}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_c1_bound(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{slice size 11 of dimension 0 is not between 0 and 10}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 11, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_c2(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{expected 'offset_dims' to be strictly increasing and below 2}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_c3(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{dropped dimension 0 has slice size 2}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 2, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_c4(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{expected 'start_index_map' to have 1 entries, found 2}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0, 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_c5(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{expected as many batching dimensions of operand and indices, found 1 and 0}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>, operand_batching_dims = array<i64: 0>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_c6(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<5x4xf32>) {
  // expected-error @below {{expected result dimension 0 to have size 3, found 5}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<5x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<5x4xf32>
  return
}

// -----
func.func @scatter_c1(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected 'update_window_dims' to be strictly increasing and below 2}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_c2(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected window, inserted and batching dimensions to be as many as the operand's 2}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_c3(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected 'scatter_dims_to_operand_dims' to be distinct and below 2}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 5>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_c4(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected as many batching dimensions of operand and indices, found 1 and 0}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 1 : i64, input_batching_dims = array<i64: 0>} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_c5(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error @below {{window dimension 1 of the updates has size 5, more than the operand's 4}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x5xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_c6(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected the region to yield 'f32'}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield
  }
  return
}

// -----
func.func @scatter_c7(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected the result's type to be the operand's}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x5xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_c8(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>, %s: tensor<10xf32>) {
  // expected-error @below {{expected operands of one shape and updates of one shape, found 'tensor<10xf32>' and 'tensor<3x4xf32>'}}
  dmc.scatter ins(%ids, %u, %u : tensor<3x1xi32>, tensor<3x4xf32>, tensor<3x4xf32>) outs(%t, %s : tensor<10x4xf32>, tensor<10xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32>, tensor<10xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    dmc.yield %a, %b : f32, f32
  }
  return
}

// -----
func.func @sort_c1(%x: tensor<4xf32>, %e: tensor<4xi32>) {
  // expected-error @below {{expected a dimension of 'tensor<4xf32>', found 1}}
  dmc.sort ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xi32>, tensor<4xi32>) along 1 -> tensor<4xi32>, tensor<4xi32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.cmpf olt, %a, %b : f32
    dmc.yield %p : i1
  }
  return
}

// -----
func.func @sort_c2(%x: tensor<4xf32>, %e: tensor<5xi32>) {
  // expected-error @below {{expected destinations and results of one i32 or i64 tensor type in the inputs' shape, found 'tensor<5xi32>' and 'tensor<5xi32>'}}
  dmc.sort ins(%x : tensor<4xf32>) outs(%e, %e : tensor<5xi32>, tensor<5xi32>) along 0 -> tensor<5xi32>, tensor<5xi32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.cmpf olt, %a, %b : f32
    dmc.yield %p : i1
  }
  return
}

// -----
func.func @sort_c2_order(%x: tensor<4xf32>, %e: tensor<5xi32>, %f: tensor<4xi32>) {
  // expected-error @below {{expected an order of the inputs' shape, or of fewer elements along the dimension, found 'tensor<5xi32>'}}
  dmc.sort ins(%x : tensor<4xf32>) outs(%e, %f : tensor<5xi32>, tensor<4xi32>) along 0 -> tensor<5xi32>, tensor<4xi32> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.cmpf olt, %a, %b : f32
    dmc.yield %p : i1
  }
  return
}

// -----
func.func @sort_c3(%x: tensor<4xf32>, %e: tensor<4xi32>) {
  // expected-error @below {{expected the region to yield one i1}}
  dmc.sort ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xi32>, tensor<4xi32>) along 0 -> tensor<4xi32>, tensor<4xi32> {
  ^bb0(%a: f32, %b: f32):
    dmc.yield %a : f32
  }
  return
}

// -----
func.func @dynamic_slice_c1(%x: tensor<8x4xf32>, %i: tensor<i32>, %e: tensor<2x4xf32>) {
  // expected-error @below {{expected one start per dimension, found 1 for rank 2}}
  dmc.dynamic_slice ins(%x : tensor<8x4xf32>) at(%i : tensor<i32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @dynamic_slice_c2(%x: tensor<8x4xf32>, %i: tensor<i32>, %e: tensor<9x4xf32>) {
  // expected-error @below {{dimension 0 of the slice has size 9, more than 8}}
  dmc.dynamic_slice ins(%x : tensor<8x4xf32>) at(%i, %i : tensor<i32>, tensor<i32>) outs(%e : tensor<9x4xf32>) -> tensor<9x4xf32>
  return
}

// -----
func.func @dynamic_update_slice_c1(%x: tensor<8xf32>, %i: tensor<f32>, %u: tensor<2xf32>) {
  // expected-error @below {{expected starts to be rank-0 tensors of one integer type, found 'tensor<f32>'}}
  dmc.dynamic_update_slice ins(%u : tensor<2xf32>) at(%i : tensor<f32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
func.func @dynamic_update_slice_c2(%x: tensor<8xf32>, %i: tensor<i32>, %u: tensor<2xf64>) {
  // expected-error @below {{expected one rank and element type, found 'tensor<2xf64>' and 'tensor<8xf32>'}}
  dmc.dynamic_update_slice ins(%u : tensor<2xf64>) at(%i : tensor<i32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
func.func @dynamic_update_slice_c3(%x: tensor<8xf32>, %i: tensor<i32>, %u: tensor<2xf32>) {
  // expected-error @below {{expected the result's type to be the operand's}}
  dmc.dynamic_update_slice ins(%u : tensor<2xf32>) at(%i : tensor<i32>) outs(%x : tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----
func.func @kernel_c1(%a: tensor<8xf32>) {
  // expected-error @below {{expected region arguments of the types of inputs and destinations}}
  dmc.kernel ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>):
    dmc.yield %x : tensor<8xf32>
  }
  return
}

// -----
func.func @kernel_c2(%a: tensor<8xf32>) {
  // expected-error @below {{expected the region to yield values of the results' types}}
  dmc.kernel ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>, %o: tensor<8xf32>):
    dmc.yield
  }
  return
}

// -----
func.func @kernel_c3(%a: tensor<8xf32>) {
  // expected-error @below {{'in_place' entry 0 names input 3, which does not exist}}
  dmc.kernel ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) {in_place = array<i64: 3>} -> (tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>, %o: tensor<8xf32>):
    dmc.yield %x : tensor<8xf32>
  }
  return
}

// -----
// expected-note @below {{the kernel function is}}
func.func private @other(%x: memref<4xf32>)
func.func @launch_c1(%a: memref<8xf32>) {
  // expected-error @below {{operands do not match the arguments of @other}}
  dmc.launch @other ins() outs(%a : memref<8xf32>)
  return
}

// -----
func.func private @k(%x: tensor<8xf32>)
func.func @launch_c2(%a: tensor<8xf32>) {
  // expected-error @below {{expected results of the destinations' types}}
  dmc.launch @k ins() outs(%a : tensor<8xf32>)
  return
}

// -----
func.func private @k(%x: tensor<8xf32>, %y: memref<8xf32>)
func.func @launch_c3(%a: tensor<8xf32>, %b: memref<8xf32>) {
  // expected-error @below {{expected operands that are all tensors or all memrefs}}
  dmc.launch @k ins(%a : tensor<8xf32>) outs(%b : memref<8xf32>)
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{"a"}]>
func.func @manual_c1(%x: tensor<7xf32>) {
  // expected-error @below {{expected the layout of operand 0 to cut every dimension of}}
  dmc.manual on #m ins(%x : tensor<7xf32>) in [#s] out [] {
  ^bb0(%part: tensor<4xf32>):
    dmc.yield
  }
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{"a"}]>
func.func @manual_c2(%x: tensor<8xf32>) {
  // expected-error @below {{expected the body's part of operand 0 to be 'tensor<4xf32>', found 'tensor<8xf32>'}}
  dmc.manual on #m ins(%x : tensor<8xf32>) in [#s] out [] {
  ^bb0(%part: tensor<8xf32>):
    dmc.yield
  }
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{"a"}]>
#r = #dmc.layout<#m, [{}]>
func.func @manual_c3(%x: tensor<8xf32, #r>) {
  // expected-error @below {{expected operand 0 to have no layout or}}
  dmc.manual on #m ins(%x : tensor<8xf32, #r>) in [#s] out [] {
  ^bb0(%part: tensor<4xf32>):
    dmc.yield
  }
  return
}

// -----
func.func @gather_index_type(%t: tensor<10x4xf32>, %ids: tensor<3x1xf32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{expected integer indices, found 'f32'}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xf32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_index_vector_dim(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{expected 'index_vector_dim' between 0 and 2, found 3}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 3 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_collapsed_batching(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{dimension 0 is both in 'collapsed_slice_dims' and a batching dimension}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_mapped_batching(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{dimension 0 is both in 'start_index_map' and a batching dimension}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_batching_vector(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{the index vector's dimension is a batching dimension}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 1>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_batching_size(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf32>) {
  // expected-error @below {{batching dimension 0 of the operand has size 10, but dimension 0 of the indices has 3}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>} -> tensor<3x4xf32>
  return
}

// -----
func.func @gather_rank(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4x1xf32>) {
  // expected-error @below {{expected a result of rank 2 with 1 offset dimensions}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4x1xf32>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4x1xf32>
  return
}

// -----
func.func @gather_destination(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %e: tensor<3x4xf64>) {
  // expected-error @below {{expected destination and result of one type, with the operand's elements}}
  dmc.gather ins(%t, %ids : tensor<10x4xf32>, tensor<3x1xi32>) outs(%e : tensor<3x4xf64>) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 4>} -> tensor<3x4xf32>
  return
}

// -----
func.func @scatter_update_rank(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4x1xf32>) {
  // expected-error @below {{expected updates of rank 2, found 3}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4x1xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_update_size(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<2x4xf32>) {
  // expected-error @below {{expected dimension 0 of the updates to have size 3, found 2}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<2x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_region(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @below {{expected a region on ('f32', 'f32')}}
  dmc.scatter ins(%ids, %u : tensor<3x1xi32>, tensor<3x4xf32>) outs(%t : tensor<10x4xf32>) {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<10x4xf32> {
  ^bb0(%old: f32):
    dmc.yield %old : f32
  }
  return
}

// -----
func.func @scatter_count(%t: tensor<10x4xf32>, %ids: tensor<3x1xi32>) {
  // expected-error @below {{expected as many updates as operands, at least one, found 0 together}}
  "dmc.scatter"(%ids) <{update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}> ({
  ^bb0(%old: f32, %new: f32):
    dmc.yield %old : f32
  }) : (tensor<3x1xi32>) -> ()
  return
}

// -----
func.func @sort_inputs(%e: tensor<4xi32>) {
  // expected-error @below {{expected at least one input}}
  %0:2 = "dmc.sort"(%e, %e) <{dimension = 0 : i64}> ({
    %p = arith.constant true
    dmc.yield %p : i1
  }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return
}

// -----
func.func @sort_shapes(%x: tensor<4xf32>, %y: tensor<5xf32>, %e: tensor<4xi32>) {
  // expected-error @below {{expected inputs of one shape, found 'tensor<5xf32>' beside 'tensor<4xf32>'}}
  dmc.sort ins(%x, %y : tensor<4xf32>, tensor<5xf32>) outs(%e, %e : tensor<4xi32>, tensor<4xi32>) along 0 -> tensor<4xi32>, tensor<4xi32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %p = arith.cmpf olt, %a, %b : f32
    dmc.yield %p : i1
  }
  return
}

// -----
func.func @sort_region(%x: tensor<4xf32>, %e: tensor<4xi32>) {
  // expected-error @below {{expected a region on ('f32', 'f32')}}
  dmc.sort ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xi32>, tensor<4xi32>) along 0 -> tensor<4xi32>, tensor<4xi32> {
  ^bb0(%a: f32):
    %p = arith.cmpf olt, %a, %a : f32
    dmc.yield %p : i1
  }
  return
}

// -----
func.func @dynamic_slice_destination(%x: tensor<8xf32>, %i: tensor<i32>, %e: tensor<3xf32>) {
  // expected-error @below {{expected destination and result of one type}}
  dmc.dynamic_slice ins(%x : tensor<8xf32>) at(%i : tensor<i32>) outs(%e : tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{"a"}]>
func.func @manual_layouts(%x: tensor<8xf32>) {
  // expected-error @below {{expected a layout for each operand, found 0 for 1}}
  dmc.manual on #m ins(%x : tensor<8xf32>) in [] out [] {
  ^bb0(%part: tensor<4xf32>):
    dmc.yield
  }
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{"a"}]>
func.func @manual_parts(%x: tensor<8xf32>) {
  // expected-error @below {{expected the body to have 1 local parts of operands, found 0}}
  dmc.manual on #m ins(%x : tensor<8xf32>) in [#s] out [] {
    dmc.yield
  }
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{"a"}]>
func.func @manual_terminator(%x: tensor<8xf32>) {
  // expected-error @below {{expected the body to end in dmc.yield}}
  dmc.manual on #m ins(%x : tensor<8xf32>) in [#s] out [] {
  ^bb0(%part: tensor<4xf32>):
    func.return
  }
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#n = #dmc.mesh<"a" = 4>
#s = #dmc.layout<#n, [{"a"}]>
func.func @manual_mesh(%x: tensor<8xf32>) {
  // expected-error @below {{expected the layout of operand 0 to be on the mesh}}
  dmc.manual on #m ins(%x : tensor<8xf32>) in [#s] out [] {
  ^bb0(%part: tensor<2xf32>):
    dmc.yield
  }
  return
}

// -----
#m = #dmc.mesh<"a" = 2>
#s = #dmc.layout<#m, [{}], sum {"a"}>
func.func @manual_partial(%x: tensor<8xf32>) {
  // expected-error @below {{expected the layout of operand 0 to split or replicate 'tensor<8xf32>', found}}
  dmc.manual on #m ins(%x : tensor<8xf32>) in [#s] out [] {
  ^bb0(%part: tensor<8xf32>):
    dmc.yield
  }
  return
}

// -----
func.func @kernel_in_place_count(%a: tensor<8xf32>) {
  // expected-error @below {{expected one 'in_place' entry per destination, found 2 for 1}}
  dmc.kernel ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) {in_place = array<i64: -1, 0>} -> (tensor<8xf32>) {
  ^bb0(%x: tensor<8xf32>, %o: tensor<8xf32>):
    dmc.yield %x : tensor<8xf32>
  }
  return
}

// -----
func.func @kernel_in_place_types(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'in_place' entry 0 pairs 'tensor<4xf32>' with 'tensor<8xf32>'}}
  dmc.kernel ins(%b : tensor<4xf32>) outs(%a : tensor<8xf32>) {in_place = array<i64: 0>} -> (tensor<8xf32>) {
  ^bb0(%x: tensor<4xf32>, %o: tensor<8xf32>):
    dmc.yield %o : tensor<8xf32>
  }
  return
}

// -----
func.func @launch_missing(%a: memref<8xf32>) {
  // expected-error @below {{kernel function @nowhere does not exist}}
  dmc.launch @nowhere ins() outs(%a : memref<8xf32>)
  return
}

// -----
func.func @custom_call_c1(%x: tensor<4xf32>) {
  // expected-error @below {{expected at least one result}}
  dmc.custom_call "f" ins(%x : tensor<4xf32>) outs()
  return
}

// -----
func.func @custom_call_c1_types(%x: tensor<4xf32>) {
  // expected-error @below {{expected type of operand #1 ('tensor<4xf32>') to match type of corresponding result ('tensor<5xf32>')}}
  %0 = dmc.custom_call "f" ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----
func.func @custom_call_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected 'are_unsigned' to have 2 entries, found 1}}
  %0 = dmc.custom_call "f" ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {are_unsigned = array<i1: true>} -> tensor<4xf32>
  return
}

// -----
func.func @custom_call_c3(%x: tensor<4xf32>) {
  // expected-error @below {{with rule "([i, j]) -> ([i, j])": operand 0 has 2 dimensions in the rule, but 1 in the operation}}
  %0 = dmc.custom_call "f" ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {rule = "([i, j]) -> ([i, j])"} -> tensor<4xf32>
  return
}

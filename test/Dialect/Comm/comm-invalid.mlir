// RUN: dmc-opt %s -split-input-file -verify-diagnostics
// One function per numbered constraint.

#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c1(%x: tensor<8x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @below {{expected operand and destination to be both tensors or both memrefs}}
  comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%o : memref<8x4xf32>)  over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c2(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{axis "c" is not in the mesh a=2,b=4}}
  comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>)  over {"c"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c3(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{expected a result of the destination's type}}
  comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>)  over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c4(%x: tensor<8x4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @below {{expected a destination of the operand's shape}}
  comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x4xf32>)  over {"a"} on #m -> tensor<4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_gather_c1(%x: tensor<4x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @below {{expected operand and destination to be both tensors or both memrefs}}
  comm.all_gather ins(%x : tensor<4x4xf32>) outs(%o : memref<8x4xf32>) dim 0 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_gather_c2(%x: tensor<4x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{axis "c" is not in the mesh a=2,b=4}}
  comm.all_gather ins(%x : tensor<4x4xf32>) outs(%o : tensor<8x4xf32>) dim 0 over {"c"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_gather_c3(%x: tensor<4x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{expected a result of the destination's type}}
  comm.all_gather ins(%x : tensor<4x4xf32>) outs(%o : tensor<8x4xf32>) dim 0 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_gather_c4(%x: tensor<4x4xf32>, %o: tensor<9x4xf32>) {
  // expected-error @below {{expected dimension 0 to have sizes 4 and 8 for a group of 2, found 9}}
  comm.all_gather ins(%x : tensor<4x4xf32>) outs(%o : tensor<9x4xf32>) dim 0 over {"a"} on #m -> tensor<9x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @reduce_scatter_c1(%x: tensor<8x4xf32>, %o: memref<4x4xf32>) {
  // expected-error @below {{expected operand and destination to be both tensors or both memrefs}}
  comm.reduce_scatter sum ins(%x : tensor<8x4xf32>) outs(%o : memref<4x4xf32>) dim 0 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @reduce_scatter_c2(%x: tensor<8x4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @below {{axis "c" is not in the mesh a=2,b=4}}
  comm.reduce_scatter sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x4xf32>) dim 0 over {"c"} on #m -> tensor<4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @reduce_scatter_c3(%x: tensor<8x4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @below {{expected a result of the destination's type}}
  comm.reduce_scatter sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x4xf32>) dim 0 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @reduce_scatter_c4(%x: tensor<8x4xf32>, %o: tensor<3x4xf32>) {
  // expected-error @below {{expected dimension 0 to have sizes 3 and 6 for a group of 2, found 8}}
  comm.reduce_scatter sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<3x4xf32>) dim 0 over {"a"} on #m -> tensor<3x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_to_all_c1(%x: tensor<8x4xf32>, %o: memref<4x8xf32>) {
  // expected-error @below {{expected operand and destination to be both tensors or both memrefs}}
  comm.all_to_all ins(%x : tensor<8x4xf32>) outs(%o : memref<4x8xf32>) split 0 concat 1 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_to_all_c2(%x: tensor<8x4xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{axis "c" is not in the mesh a=2,b=4}}
  comm.all_to_all ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x8xf32>) split 0 concat 1 over {"c"} on #m -> tensor<4x8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_to_all_c3(%x: tensor<8x4xf32>, %o: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of the destination's type}}
  comm.all_to_all ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x8xf32>) split 0 concat 1 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_to_all_c4(%x: tensor<8x4xf32>, %o: tensor<8x8xf32>) {
  // expected-error @below {{expected a destination of shape 4, 8, found 8, 8}}
  comm.all_to_all ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x8xf32>) split 0 concat 1 over {"a"} on #m -> tensor<8x8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c1(%x: tensor<8x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @below {{expected operand and destination to be both tensors or both memrefs}}
  comm.permute ins(%x : tensor<8x4xf32>) outs(%o : memref<8x4xf32>) pairs [0, 1, 1, 0] over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c2(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{axis "c" is not in the mesh a=2,b=4}}
  comm.permute ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) pairs [0, 1, 1, 0] over {"c"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c3(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{expected a result of the destination's type}}
  comm.permute ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) pairs [0, 1, 1, 0] over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c4(%x: tensor<8x4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @below {{expected a destination of the operand's shape}}
  comm.permute ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x4xf32>) pairs [0, 1, 1, 0] over {"a"} on #m -> tensor<4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @broadcast_c1(%x: tensor<8x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @below {{expected operand and destination to be both tensors or both memrefs}}
  comm.broadcast ins(%x : tensor<8x4xf32>) outs(%o : memref<8x4xf32>) from 0 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @broadcast_c2(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{axis "c" is not in the mesh a=2,b=4}}
  comm.broadcast ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) from 0 over {"c"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @broadcast_c3(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{expected a result of the destination's type}}
  comm.broadcast ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) from 0 over {"a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @broadcast_c4(%x: tensor<8x4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @below {{expected a destination of the operand's shape}}
  comm.broadcast ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x4xf32>) from 0 over {"a"} on #m -> tensor<4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c5(%x: tensor<8xf32>) {
  // expected-error @below {{position 0 is twice a source}}
  comm.permute ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) pairs [0, 1, 0, 0] over {"a"} on #m -> tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @broadcast_c5(%x: tensor<8xf32>) {
  // expected-error @below {{root 2 is outside of a group of 2}}
  comm.broadcast ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) from 2 over {"a"} on #m -> tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @axis_index_c1() {
  // expected-error @below {{axis "a" is used twice}}
  comm.axis_index {"a", "a"} on #m
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c2_both(%x: tensor<8xf32>) {
  // expected-error @below {{expected either axes or listed groups, found both}}
  comm.all_reduce sum ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) over {"a"} on #m {groups = dense<[[0, 1]]> : tensor<1x2xi64>} -> tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_gather_c2_listed(%x: tensor<8xf32>, %o: tensor<16xf32>) {
  // expected-error @below {{group member 8 is not a rank of 8}}
  comm.all_gather ins(%x : tensor<8xf32>) outs(%o : tensor<16xf32>) dim 0 over {} on #m {groups = dense<[[0, 8]]> : tensor<1x2xi64>} -> tensor<16xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c2_listed(%x: tensor<8xf32>) {
  // expected-error @below {{rank 1 is twice in the groups}}
  comm.permute ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) pairs [0, 1] over {} on #m {groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} -> tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @broadcast_c2_listed(%x: tensor<8xf32>) {
  // expected-error @below {{expected a matrix of groups}}
  comm.broadcast ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) from 0 over {} on #m {groups = dense<[0, 1]> : tensor<2xi64>} -> tensor<8xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c1_element(%x: tensor<8x4xf32>, %o: tensor<8x4xf64>) {
  // expected-error @below {{expected static shapes of one element type, found}}
  comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf64>) over {"a"} on #m -> tensor<8x4xf64>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_reduce_c3_memref(%x: memref<8x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @below {{expected no result on memrefs, or a token}}
  comm.all_reduce sum ins(%x : memref<8x4xf32>) outs(%o : memref<8x4xf32>) over {"a"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c4_shape(%x: tensor<8x4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @below {{expected a destination of the operand's shape, found 'tensor<4x4xf32>' for 'tensor<8x4xf32>'}}
  comm.permute ins(%x : tensor<8x4xf32>) outs(%o : tensor<4x4xf32>) pairs [0, 1] over {"a"} on #m -> tensor<4x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_gather_c4_dim(%x: tensor<8x4xf32>, %o: tensor<16x4xf32>) {
  // expected-error @below {{dimension 2 does not exist in both shapes}}
  comm.all_gather ins(%x : tensor<8x4xf32>) outs(%o : tensor<16x4xf32>) dim 2 over {"a"} on #m -> tensor<16x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_to_all_c4_dims(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{dimensions 0 and 2 do not both exist in a tensor of rank 2}}
  comm.all_to_all ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) split 0 concat 2 over {"a"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @all_to_all_c4_size(%x: tensor<7x4xf32>, %o: tensor<7x4xf32>) {
  // expected-error @below {{a group of 2 does not divide dimension 0 of size 7}}
  comm.all_to_all ins(%x : tensor<7x4xf32>) outs(%o : tensor<7x4xf32>) split 0 concat 1 over {"a"} on #m -> tensor<7x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @permute_c5_pairs(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{expected pairs of positions, found 1 numbers}}
  comm.permute ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) pairs [0] over {"a"} on #m -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @comm_c1_tensors(%x: tensor<8x4xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{expected "comm.stream" on a collective on memrefs without a token or on a copy of memrefs}}
  %0 = comm.all_reduce sum ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) over {"a"} on #m {comm.stream = 1 : i64} -> tensor<8x4xf32>
  return
}

// -----
#m = #dmc.mesh<"a" = 2, "b" = 4>
func.func @comm_c1_token(%x: memref<8x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @below {{expected "comm.stream" on a collective on memrefs without a token or on a copy of memrefs}}
  %0 = comm.all_reduce sum ins(%x : memref<8x4xf32>) outs(%o : memref<8x4xf32>) over {"a"} on #m {comm.stream = 1 : i64} -> !comm.token
  return
}

// -----
func.func @comm_c1_negative(%x: memref<8xf32>, %o: memref<8xf32>) {
  // expected-error @below {{expected "comm.stream" to be a non-negative 64-bit integer, found -1 : i64}}
  memref.copy %x, %o {comm.stream = -1 : i64} : memref<8xf32> to memref<8xf32>
  return
}

// -----
func.func @comm_unknown(%x: memref<8xf32>, %o: memref<8xf32>) {
  // expected-error @below {{unknown attribute "comm.queue" of the comm dialect}}
  memref.copy %x, %o {comm.queue = 1 : i64} : memref<8xf32> to memref<8xf32>
  return
}

// -----
func.func @record_negative() {
  // expected-error @below {{attribute 'stream' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %e = comm.record on -1
  return
}

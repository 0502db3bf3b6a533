// RUN: dmc-opt %s --dmc-lower-kernels -split-input-file -verify-diagnostics

// expected-error@+1 {{expected a value that differs from one of its operands only where the scatter changes its target, and a buffer for the scatter}}
func.func private @update(%ids: memref<4x1xi32>, %upd: memref<4xf32>, %x: memref<8xf32>, %out: memref<8xf32>, %scratch: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %ids restrict : memref<4x1xi32> to tensor<4x1xi32>
  %1 = bufferization.to_tensor %upd restrict : memref<4xf32> to tensor<4xf32>
  %2 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %3 = bufferization.to_tensor %out restrict writable : memref<8xf32> to tensor<8xf32>
  %4 = bufferization.to_tensor %scratch restrict writable : memref<8xf32> to tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%4 : tensor<8xf32>) -> tensor<8xf32>
  %g = dmc.scatter ins(%0, %1 : tensor<4x1xi32>, tensor<4xf32>) outs(%z : tensor<8xf32>) {index_vector_dim = 1 : i64, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>} -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    dmc.yield %s : f32
  }
  %r = linalg.map { arith.maximumf } ins(%g, %2 : tensor<8xf32>, tensor<8xf32>) outs(%3 : tensor<8xf32>)
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %4 in restrict writable %scratch : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @nested_scatter(%ids: memref<4x1xi32>, %upd: memref<4xf32>, %x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %ids restrict : memref<4x1xi32> to tensor<4x1xi32>
  %1 = bufferization.to_tensor %upd restrict : memref<4xf32> to tensor<4xf32>
  %2 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  // expected-error @below {{code generation does not support 'dmc.scatter' inside a kernel}}
  %3 = dmc.scatter ins(%0, %1 : tensor<4x1xi32>, tensor<4xf32>) outs(%2 : tensor<8xf32>)
    {inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} -> tensor<8xf32> {
  ^bb0(%old: f32, %new: f32):
    %s = arith.addf %old, %new : f32
    dmc.yield %s : f32
  }
  %e = tensor.empty() : tensor<8xf32>
  %4 = linalg.map { math.exp } ins(%3 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Each result needs the other's old value: no order of two loop nests is right.
// expected-error @below {{expected in-place results that no other result of the kernel needs, found two that need each other's old value}}
func.func private @swapped(%x: memref<8xf32> {dmc.shares = 2 : i64}, %y: memref<4xf32> {dmc.shares = 3 : i64}, %o: memref<8xf32>, %p: memref<4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %3 = tensor.extract_slice %0[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %2 in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %3 in restrict writable %p : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @runtime_stride(%x: memref<8xf32>, %s: index, %out: memref<4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  // expected-error @below {{code generation does not support a slice with a run-time stride}}
  %1 = tensor.extract_slice %0[0] [4] [%s] : tensor<8xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @runtime_insertion(%x: memref<8xf32>, %y: memref<4xf32>, %s: index, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %v = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{code generation does not support an insertion with run-time sizes or steps}}
  %1 = tensor.insert_slice %v into %0[0] [4] [%s] : tensor<4xf32> into tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @padding(%x: memref<4xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{code generation does not support padding by anything but constants}}
  %1 = tensor.pad %0 low[0] high[4] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    %p = arith.sitofp %n : i32 to f32
    tensor.yield %p : f32
  } : tensor<4xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @unwritten(%x: memref<8xf32>, %out: memref<8xi32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xi32>
  // expected-error @below {{code generation does not support 'dmc.sort' of which not all results are written}}
  %1:2 = dmc.sort ins(%0 : tensor<8xf32>) outs(%e, %e : tensor<8xi32>, tensor<8xi32>) along 0 -> tensor<8xi32>, tensor<8xi32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    dmc.yield %c : i1
  }
  bufferization.materialize_in_destination %1#0 in restrict writable %out : (tensor<8xi32>, memref<8xi32>) -> ()
  return
}

// -----

// expected-error @below {{expected a kernel of one block}}
func.func private @two_blocks(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  cf.br ^next
^next:
  return
}

// -----

func.func private @writes_shape(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %a = memref.alloc() : memref<8xf32>
  // expected-error @below {{expected the kernel to write an argument of the same shape}}
  bufferization.materialize_in_destination %0 in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @reads_other(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %a = memref.alloc() : memref<8xf32>
  // expected-error @below {{expected the kernel to read its arguments}}
  %0 = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  return
}

// -----

func.func private @dynamic(%x: memref<?xf32>, %out: memref<?xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<?xf32> to tensor<?xf32>
  %1 = bufferization.to_tensor %out restrict : memref<?xf32> to tensor<?xf32>
  // expected-error @below {{expected static shapes}}
  %2 = linalg.map { math.exp } ins(%0 : tensor<?xf32>) outs(%1 : tensor<?xf32>)
  return
}

// -----

func.func private @compound_result(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %h = tensor.extract_slice %0[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{code generation does not support a result indexed by more than a loop}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2)>], iterator_types = ["parallel"]}
      ins(%h : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @unindexed(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{code generation does not support a parallel loop that does not index the result}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @constant_form(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  // expected-error @below {{code generation does not support this form of constant}}
  %1 = arith.constant sparse<[[0]], [1.0]> : tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// expected-error @below {{code generation does not support a tensor argument}}
func.func private @tensor_argument(%t: tensor<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  bufferization.materialize_in_destination %t in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

func.func private @this_scalar(%p: i1, %a: f32, %b: f32, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  // expected-error @below {{code generation does not support this scalar}}
  %c = scf.if %p -> (f32) {
    scf.yield %a : f32
  } else {
    scf.yield %b : f32
  }
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.fill ins(%c : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Every value reads the one before at two distances: 2^17 elements for one of the result.
func.func private @distances(%x: memref<131087xf32>, %out: memref<16xf32>) attributes {dmc.kernel_function} {
  // expected-error @below {{kernels that compute more than 100000 distinct elements in an iteration}}
  %v0 = bufferization.to_tensor %x restrict : memref<131087xf32> to tensor<131087xf32>
  %a0 = tensor.extract_slice %v0[0] [131086] [1] : tensor<131087xf32> to tensor<131086xf32>
  %b0 = tensor.extract_slice %v0[1] [131086] [1] : tensor<131087xf32> to tensor<131086xf32>
  %e0 = tensor.empty() : tensor<131086xf32>
  %v1 = linalg.map { arith.addf } ins(%a0, %b0 : tensor<131086xf32>, tensor<131086xf32>) outs(%e0 : tensor<131086xf32>)
  %a1 = tensor.extract_slice %v1[0] [131084] [1] : tensor<131086xf32> to tensor<131084xf32>
  %b1 = tensor.extract_slice %v1[2] [131084] [1] : tensor<131086xf32> to tensor<131084xf32>
  %e1 = tensor.empty() : tensor<131084xf32>
  %v2 = linalg.map { arith.addf } ins(%a1, %b1 : tensor<131084xf32>, tensor<131084xf32>) outs(%e1 : tensor<131084xf32>)
  %a2 = tensor.extract_slice %v2[0] [131080] [1] : tensor<131084xf32> to tensor<131080xf32>
  %b2 = tensor.extract_slice %v2[4] [131080] [1] : tensor<131084xf32> to tensor<131080xf32>
  %e2 = tensor.empty() : tensor<131080xf32>
  %v3 = linalg.map { arith.addf } ins(%a2, %b2 : tensor<131080xf32>, tensor<131080xf32>) outs(%e2 : tensor<131080xf32>)
  %a3 = tensor.extract_slice %v3[0] [131072] [1] : tensor<131080xf32> to tensor<131072xf32>
  %b3 = tensor.extract_slice %v3[8] [131072] [1] : tensor<131080xf32> to tensor<131072xf32>
  %e3 = tensor.empty() : tensor<131072xf32>
  %v4 = linalg.map { arith.addf } ins(%a3, %b3 : tensor<131072xf32>, tensor<131072xf32>) outs(%e3 : tensor<131072xf32>)
  %a4 = tensor.extract_slice %v4[0] [131056] [1] : tensor<131072xf32> to tensor<131056xf32>
  %b4 = tensor.extract_slice %v4[16] [131056] [1] : tensor<131072xf32> to tensor<131056xf32>
  %e4 = tensor.empty() : tensor<131056xf32>
  %v5 = linalg.map { arith.addf } ins(%a4, %b4 : tensor<131056xf32>, tensor<131056xf32>) outs(%e4 : tensor<131056xf32>)
  %a5 = tensor.extract_slice %v5[0] [131024] [1] : tensor<131056xf32> to tensor<131024xf32>
  %b5 = tensor.extract_slice %v5[32] [131024] [1] : tensor<131056xf32> to tensor<131024xf32>
  %e5 = tensor.empty() : tensor<131024xf32>
  %v6 = linalg.map { arith.addf } ins(%a5, %b5 : tensor<131024xf32>, tensor<131024xf32>) outs(%e5 : tensor<131024xf32>)
  %a6 = tensor.extract_slice %v6[0] [130960] [1] : tensor<131024xf32> to tensor<130960xf32>
  %b6 = tensor.extract_slice %v6[64] [130960] [1] : tensor<131024xf32> to tensor<130960xf32>
  %e6 = tensor.empty() : tensor<130960xf32>
  %v7 = linalg.map { arith.addf } ins(%a6, %b6 : tensor<130960xf32>, tensor<130960xf32>) outs(%e6 : tensor<130960xf32>)
  %a7 = tensor.extract_slice %v7[0] [130832] [1] : tensor<130960xf32> to tensor<130832xf32>
  %b7 = tensor.extract_slice %v7[128] [130832] [1] : tensor<130960xf32> to tensor<130832xf32>
  %e7 = tensor.empty() : tensor<130832xf32>
  %v8 = linalg.map { arith.addf } ins(%a7, %b7 : tensor<130832xf32>, tensor<130832xf32>) outs(%e7 : tensor<130832xf32>)
  %a8 = tensor.extract_slice %v8[0] [130576] [1] : tensor<130832xf32> to tensor<130576xf32>
  %b8 = tensor.extract_slice %v8[256] [130576] [1] : tensor<130832xf32> to tensor<130576xf32>
  %e8 = tensor.empty() : tensor<130576xf32>
  %v9 = linalg.map { arith.addf } ins(%a8, %b8 : tensor<130576xf32>, tensor<130576xf32>) outs(%e8 : tensor<130576xf32>)
  %a9 = tensor.extract_slice %v9[0] [130064] [1] : tensor<130576xf32> to tensor<130064xf32>
  %b9 = tensor.extract_slice %v9[512] [130064] [1] : tensor<130576xf32> to tensor<130064xf32>
  %e9 = tensor.empty() : tensor<130064xf32>
  %v10 = linalg.map { arith.addf } ins(%a9, %b9 : tensor<130064xf32>, tensor<130064xf32>) outs(%e9 : tensor<130064xf32>)
  %a10 = tensor.extract_slice %v10[0] [129040] [1] : tensor<130064xf32> to tensor<129040xf32>
  %b10 = tensor.extract_slice %v10[1024] [129040] [1] : tensor<130064xf32> to tensor<129040xf32>
  %e10 = tensor.empty() : tensor<129040xf32>
  %v11 = linalg.map { arith.addf } ins(%a10, %b10 : tensor<129040xf32>, tensor<129040xf32>) outs(%e10 : tensor<129040xf32>)
  %a11 = tensor.extract_slice %v11[0] [126992] [1] : tensor<129040xf32> to tensor<126992xf32>
  %b11 = tensor.extract_slice %v11[2048] [126992] [1] : tensor<129040xf32> to tensor<126992xf32>
  %e11 = tensor.empty() : tensor<126992xf32>
  %v12 = linalg.map { arith.addf } ins(%a11, %b11 : tensor<126992xf32>, tensor<126992xf32>) outs(%e11 : tensor<126992xf32>)
  %a12 = tensor.extract_slice %v12[0] [122896] [1] : tensor<126992xf32> to tensor<122896xf32>
  %b12 = tensor.extract_slice %v12[4096] [122896] [1] : tensor<126992xf32> to tensor<122896xf32>
  %e12 = tensor.empty() : tensor<122896xf32>
  %v13 = linalg.map { arith.addf } ins(%a12, %b12 : tensor<122896xf32>, tensor<122896xf32>) outs(%e12 : tensor<122896xf32>)
  %a13 = tensor.extract_slice %v13[0] [114704] [1] : tensor<122896xf32> to tensor<114704xf32>
  %b13 = tensor.extract_slice %v13[8192] [114704] [1] : tensor<122896xf32> to tensor<114704xf32>
  %e13 = tensor.empty() : tensor<114704xf32>
  %v14 = linalg.map { arith.addf } ins(%a13, %b13 : tensor<114704xf32>, tensor<114704xf32>) outs(%e13 : tensor<114704xf32>)
  %a14 = tensor.extract_slice %v14[0] [98320] [1] : tensor<114704xf32> to tensor<98320xf32>
  %b14 = tensor.extract_slice %v14[16384] [98320] [1] : tensor<114704xf32> to tensor<98320xf32>
  %e14 = tensor.empty() : tensor<98320xf32>
  %v15 = linalg.map { arith.addf } ins(%a14, %b14 : tensor<98320xf32>, tensor<98320xf32>) outs(%e14 : tensor<98320xf32>)
  %a15 = tensor.extract_slice %v15[0] [65552] [1] : tensor<98320xf32> to tensor<65552xf32>
  %b15 = tensor.extract_slice %v15[32768] [65552] [1] : tensor<98320xf32> to tensor<65552xf32>
  %e15 = tensor.empty() : tensor<65552xf32>
  %v16 = linalg.map { arith.addf } ins(%a15, %b15 : tensor<65552xf32>, tensor<65552xf32>) outs(%e15 : tensor<65552xf32>)
  %a16 = tensor.extract_slice %v16[0] [16] [1] : tensor<65552xf32> to tensor<16xf32>
  %b16 = tensor.extract_slice %v16[65536] [16] [1] : tensor<65552xf32> to tensor<16xf32>
  %e16 = tensor.empty() : tensor<16xf32>
  %v17 = linalg.map { arith.addf } ins(%a16, %b16 : tensor<16xf32>, tensor<16xf32>) outs(%e16 : tensor<16xf32>)
  bufferization.materialize_in_destination %v17 in restrict writable %out : (tensor<16xf32>, memref<16xf32>) -> ()
  return
}

// -----

func.func private @operand_without_memory(%out: memref<4xf32>) attributes {dmc.kernel_function} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{expected a kernel whose operands are in memory}}
  %1 = dmc.custom_call "f" ins(%e : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @unwritten_result(%x: memref<4xf32>, %out: memref<4xf32>) attributes {dmc.kernel_function} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  %1 = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{expected a kernel all of whose results are written}}
  %2:2 = dmc.custom_call "f" ins(%0 : tensor<4xf32>) outs(%1, %e : tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  bufferization.materialize_in_destination %2#0 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func private @beside_the_call(%x: memref<4xf32>, %out: memref<4xf32>, %other: memref<4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  %1 = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
  %2 = bufferization.to_tensor %other restrict writable : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{expected a kernel that does nothing beside the call}}
  %3 = dmc.custom_call "f" ins(%0 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.exp ins(%0 : tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %4 in restrict writable %other : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

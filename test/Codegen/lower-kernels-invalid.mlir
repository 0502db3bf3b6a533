// RUN: dmc-opt %s --dmc-lower-kernels -split-input-file -verify-diagnostics

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
// expected-error @below {{expected in-place results that no other result of the kernel needs}}
func.func private @swapped(%x: memref<8xf32> {dmc.shares = 2 : i64}, %y: memref<4xf32> {dmc.shares = 3 : i64}, %o: memref<8xf32>, %p: memref<4xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %3 = tensor.extract_slice %0[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %2 in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %3 in restrict writable %p : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

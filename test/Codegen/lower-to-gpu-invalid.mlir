// RUN: dmc-opt %s --split-input-file --verify-diagnostics --dmc-set-target=target=cuda:sm_80 --dmc-lower-kernels --dmc-lower-to-gpu

// There is no library on a device.
func.func private @library(%x: memref<8xf64>, %out: memref<8xf64>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf64> to tensor<8xf64>
  %e = tensor.empty() : tensor<8xf64>
  // expected-error@+1 {{unsupported on devices: 'math.sinh' of 'f64'}}
  %1 = linalg.map { math.sinh } ins(%0 : tensor<8xf64>) outs(%e : tensor<8xf64>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

// -----

// expected-error@+1 {{unsupported: a nest of 1000000000000 iterations, which is more than a device launches}}
func.func private @large_nest(%x: memref<8xf32>, %begin: index, %end: index) attributes {
    dmc.nest = #dmc.nest<elements iterations 1000000000000 flops 0 loops [<grid 1000000000000 [<thread 1>]>]>} {
  return
}

// -----

// expected-error@+1 {{expected a nest for a device, which has a grid of blocks}}
func.func private @nest_of_a_processor(%x: memref<8xf32>, %begin: index, %end: index) attributes {
    dmc.nest = #dmc.nest<elements iterations 8 flops 0 loops [<divided 8>]>} {
  return
}

// -----

// expected-error@+1 {{unsupported: a nest whose blocks share 166916 bytes, which is more than 166912}}
func.func private @shared_nest(%x: memref<8xf32>, %begin: index, %end: index) attributes {
    dmc.nest = #dmc.nest<elements iterations 4 flops 0 loops [<grid 4 [<thread 1 [<team 64>]>]>] shared 166916>} {
  return
}

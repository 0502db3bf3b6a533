// RUN: dmc-opt %s --dmc-normalize-tensors -split-input-file -verify-diagnostics

func.func @memory(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'bufferization.to_buffer' in a tensor program; expected operations of linalg, tensor, arith and math, and 'scf.for', 'while', 'if' and 'index_switch'}}
  %0 = bufferization.to_buffer %x : tensor<4xf32> to memref<4xf32>
  %1 = bufferization.to_tensor %0 : memref<4xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @dynamic(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'tensor.extract_slice' makes a value of type 'tensor<?xf32>'; expected ranked tensors of static shape}}
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %1 = tensor.insert_slice %0 into %y[0] [%n] [1] : tensor<?xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @narrow(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'arith.truncf' makes a value of type 'tensor<4xf8E5M2>'; expected elements of type i1, i8 to i64, f16, bf16, f32 or f64}}
  %0 = arith.truncf %x : tensor<4xf32> to tensor<4xf8E5M2>
  %1 = arith.extf %0 : tensor<4xf8E5M2> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @parallel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{unsupported: 'scf.parallel' in a tensor program}}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    scf.reduce
  }
  return %x : tensor<4xf32>
}

// -----

func.func @loop_in_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    // expected-error @below {{unsupported: 'scf.for' in the body of a linalg operation; expected scalar operations and 'scf.if'}}
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %a) -> (f32) {
      scf.yield %s : f32
    }
    linalg.yield %r : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// The second result would show the sum on its way.
func.func @running_sum(%x: tensor<4x5xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x5xf32>) {
  %e = tensor.empty() : tensor<4x5xf32>
  // expected-error @below {{unsupported: 'linalg.generic' with reduction loop 1 in the indices of some results and not of others; expected all or none}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x5xf32>) outs(%s, %e : tensor<4xf32>, tensor<4x5xf32>) {
  ^bb0(%a: f32, %u: f32, %v: f32):
    %sum = arith.addf %a, %u : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<4xf32>, tensor<4x5xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4x5xf32>
}

// -----

func.func @winograd(%w: tensor<4x3x3x3xf32>) -> tensor<6x6x3x4xf32> {
  %e = tensor.empty() : tensor<6x6x3x4xf32>
  // expected-error @below {{unsupported: 'linalg.winograd_filter_transform', a step of another form of a convolution; expected the convolution itself}}
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<4x3x3x3xf32>) outs(%e : tensor<6x6x3x4xf32>) -> tensor<6x6x3x4xf32>
  return %0 : tensor<6x6x3x4xf32>
}

// -----

func.func @assertion(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'cf.assert' in a tensor program}}
  cf.assert %c, "known at run time"
  return %x : tensor<4xf32>
}

// -----

func.func @effect_in_branch(%x: tensor<4xf32>, %p: i1, %m: memref<f32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {
    %r = scf.if %p -> (f32) {
      // expected-error @below {{unsupported: 'memref.load' in a branch within the body of a linalg operation; expected scalar operations without effects}}
      %l = memref.load %m[] : memref<f32>
      scf.yield %a : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %r : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @accumulated_position(%x: tensor<4xindex>, %t: tensor<4xf32>) -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %i = arith.index_cast %x : tensor<4xindex> to tensor<4xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%i : tensor<4xi64>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i64, %acc: i64):
    %at = arith.index_cast %acc : i64 to index
    // expected-error @below {{unsupported: 'tensor.extract' at a position that is computed from what a reduction accumulates}}
    %v = tensor.extract %t[%at] : tensor<4xf32>
    %n = arith.fptosi %v : f32 to i64
    %s = arith.addi %acc, %n : i64
    linalg.yield %s : i64
  } -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @pack_tiles(%x: tensor<8xf32>, %d: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  // expected-error @below {{unsupported: 'linalg.pack' of this form; expected constant tiles}}
  %0 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %d : tensor<8xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @resource_missing() -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'arith.constant' of the resource 'absent', which the file does not have; expected its elements}}
  %0 = arith.constant dense_resource<absent> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @resource_short() -> tensor<4xf32> {
  // expected-error @below {{expected the resource 'short' to hold the elements of 'tensor<4xf32>', found 8 bytes}}
  %0 = arith.constant dense_resource<short> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F00000040"
    }
  }
#-}

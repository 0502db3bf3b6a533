// RUN: dmc-opt %s -dmc-lower-kernels -dmc-merge-launches -split-input-file | FileCheck %s

// Kernels that follow each other become one. Nests of one form have one body, however long their buffers are: a branch for each
// finds them. 4000 elements are 1000 accesses of 16 bytes, of 4 blocks; 8 are two, of a block.
#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// CHECK-LABEL: func.func @one_form(
// CHECK-SAME: %[[A:.*]]: memref<4000xf32>, %[[B:.*]]: memref<4000xf32>, %[[C:.*]]: memref<8xf32>, %[[D:.*]]: memref<8xf32>)
// CHECK-NEXT: dmc.launch @long_and_1_more ins(%[[A]], %[[C]] : memref<4000xf32>, memref<8xf32>) outs(%[[B]], %[[D]] : memref<4000xf32>, memref<8xf32>)
// CHECK-NEXT: return
func.func @one_form(%a: memref<4000xf32>, %b: memref<4000xf32>, %c: memref<8xf32>, %d: memref<8xf32>) {
  dmc.launch @long ins(%a : memref<4000xf32>) outs(%b : memref<4000xf32>)
  dmc.launch @short ins(%c : memref<8xf32>) outs(%d : memref<8xf32>)
  return
}
// CHECK-NOT: @long_nest
// CHECK: func.func private @long_and_1_more_nest(%[[A:[^:]*]]: memref<4000xf32>, %[[C:[^:]*]]: memref<8xf32>, %[[B:[^:]*]]: memref<4000xf32>, %[[D:[^:]*]]: memref<8xf32>, %[[BEGIN:[^:]*]]: index, %{{[^:]*}}: index)
// CHECK-SAME: #dmc.nest<elements iterations 1280 flops 4008 loops [<grid 5 [<thread 256 [<lanes 4>]>]>] accesses [<read 0 : 16000 contiguous vector 4>, <write 2 : 16000 contiguous vector 4>, <read 1 : 32 contiguous vector 4>, <write 3 : 32 contiguous vector 4>]>
// CHECK-DAG: %[[GA:.*]] = memref.memory_space_cast %[[A]]
// CHECK-DAG: %[[GB:.*]] = memref.memory_space_cast %[[B]]
// CHECK-DAG: %[[GC:.*]] = memref.memory_space_cast %[[C]]
// CHECK: %[[ISLONG:.*]] = arith.cmpi ult, %[[BEGIN]], %c1024
// CHECK: %[[PART:.*]]:4 = scf.if %[[ISLONG]]
// CHECK:   scf.yield %[[GA]], %[[GB]], %c0{{.*}}, %c1000
// CHECK: else
// CHECK: %[[CAST:.*]] = memref.reinterpret_cast %[[GC]] to offset: [0], sizes: [4000], strides: [1]
// CHECK:   scf.yield %[[CAST]], %{{.*}}, %c1024{{.*}}, %c2
// CHECK: %[[OWN:.*]] = arith.subi %[[BEGIN]], %[[PART]]#2
// CHECK: arith.cmpi ult, %[[OWN]], %[[PART]]#3
// CHECK: vector.load %[[PART]]#0
// CHECK: vector.store %{{.*}}, %[[PART]]#1
// CHECK-NOT: vector.load
// CHECK-NOT: @short_nest
func.func private @long(%x: memref<4000xf32>, %out: memref<4000xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<4000xf32> to tensor<4000xf32>
  %e = tensor.empty() : tensor<4000xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<4000xf32>) outs(%e : tensor<4000xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<4000xf32>, memref<4000xf32>) -> ()
  return
}
func.func private @short(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

// -----

#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// Different bodies are branches of one launch. What both read is one operand.
// CHECK-LABEL: func.func @two_forms
// CHECK-NEXT: dmc.launch @add_and_1_more ins(%arg0, %arg1 : memref<8xf32>, memref<8xf32>) outs(%arg2, %arg3 : memref<8xf32>, memref<8xf32>)
// CHECK-NEXT: return
func.func @two_forms(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>) {
  dmc.launch @add ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  dmc.launch @sub ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%d : memref<8xf32>)
  return
}
// CHECK: func.func private @add_and_1_more_nest
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: else
// CHECK: arith.subf
func.func private @add(%x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = bufferization.to_tensor %y restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %2 = linalg.map { arith.addf } ins(%0, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @sub(%x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = bufferization.to_tensor %y restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %2 = linalg.map { arith.subf } ins(%0, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

// -----

// What launches and others access decides which change places. Each function has another order.
#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// CHECK-LABEL: func.func @needs_the_result
// CHECK-COUNT-2: dmc.launch @root ins
func.func @needs_the_result(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  dmc.launch @root ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  dmc.launch @root ins(%b : memref<8xf32>) outs(%c : memref<8xf32>)
  return
}
func.func private @root(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

// -----

#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// The first launch comes after a copy of other memory.
// CHECK-LABEL: func.func @comes_later
// CHECK-NEXT: memref.copy %arg4
// CHECK-NEXT: dmc.launch @root_and_1_more ins(%arg0, %arg2
func.func @comes_later(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>, %e: memref<8xf32>) {
  dmc.launch @root ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  memref.copy %e, %c : memref<8xf32> to memref<8xf32>
  dmc.launch @root ins(%c : memref<8xf32>) outs(%d : memref<8xf32>)
  return
}
func.func private @root(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

// -----

#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// The copy reads what the first one writes: the second one comes before it, and with it the view that it writes to.
// CHECK-LABEL: func.func @comes_earlier
// CHECK-NEXT: arith.constant
// CHECK-NEXT: %[[VIEW:.*]] = memref.view
// CHECK-NEXT: dmc.launch @root_and_1_more ins(%arg0, %arg2 : {{.*}}) outs(%arg1, %[[VIEW]]
// CHECK-NEXT: memref.copy %arg1
func.func @comes_earlier(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %e: memref<8xf32>, %arena: memref<64xi8>) {
  dmc.launch @root ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  memref.copy %b, %e : memref<8xf32> to memref<8xf32>
  %c0 = arith.constant 0 : index
  %d = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf32>
  dmc.launch @root ins(%c : memref<8xf32>) outs(%d : memref<8xf32>)
  return
}
func.func private @root(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

// -----

#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// Between a value that the first one computes and one that the second one needs there is no place for both.
// CHECK-LABEL: func.func @between
// CHECK-NEXT: dmc.launch @root ins(%arg0
// CHECK-NEXT: memref.copy %arg1, %arg2
// CHECK-NEXT: dmc.launch @root ins(%arg2
func.func @between(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>) {
  dmc.launch @root ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  memref.copy %b, %c : memref<8xf32> to memref<8xf32>
  dmc.launch @root ins(%c : memref<8xf32>) outs(%d : memref<8xf32>)
  return
}
func.func private @root(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

// -----

#target = #dmc.target<"cuda:sm_90a", features = "", vector = 16, registers = 255, line = 32, alignment = 64, spaces = ["device"], operations = 64, results = 8, shared = 232448, warp = 32, block = 1024>
module attributes {dmc.target = #target} {
// What an event stands for stays before it, and what waits stays behind: the second launch joins the first, the third joins neither.
// CHECK-LABEL: func.func @events
// CHECK-NEXT: dmc.launch @root_and_1_more ins(%arg0, %arg2
// CHECK-NEXT: %[[EVENT:.*]] = comm.record on 0
// CHECK-NEXT: comm.await %[[EVENT]] on 1
// CHECK-NEXT: %[[OTHER:.*]] = comm.record on 1
// CHECK-NEXT: comm.await %[[OTHER]] on 0
// CHECK-NEXT: dmc.launch @root ins(%arg4
func.func @events(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>, %e: memref<8xf32>, %f: memref<8xf32>) {
  dmc.launch @root ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  %0 = comm.record on 0
  comm.await %0 on 1
  dmc.launch @root ins(%c : memref<8xf32>) outs(%d : memref<8xf32>)
  %1 = comm.record on 1
  comm.await %1 on 0
  dmc.launch @root ins(%e : memref<8xf32>) outs(%f : memref<8xf32>)
  return
}
func.func private @root(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map { math.sqrt } ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>)
  bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
}

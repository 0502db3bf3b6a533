//===- Passes.td - Schedule --------------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level 2 to level 3: buffers at fixed offsets.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SCHEDULE_PASSES_TD
#define DMC_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OrderOperations : Pass<"dmc-order-operations", "::mlir::ModuleOp"> {
  let summary = "Orders launches and collectives to reduce peak memory";
  let description = [{
    The order of independent operations determines how many buffers are live at once: a
    gathered weight should be live only while it is used, and a gradient should be
    scattered as soon as it is computed. For each block, inner ones first, the pass builds
    orders greedily,

    - forwards: the operation that frees most memory next; if none does, the next in program order;
    - backwards: the operation that ends most live bytes before it; if none does, the last in
      program order;

    and keeps one if the arena that `dmc-plan-buffers` computes for it is smaller. So memory
    never grows, and a program that gains nothing is unchanged. All ranks run one program,
    so they reach collectives in one order.

    On devices collectives run beside kernels. There the pass then lets

    - a collective start as soon as its operand is computed, unless two others of its groups have
      started whose results are not used yet;
    - what uses a result come after the start of the next collective of the same groups, unless
      that one needs it.

    So one collective runs while the next one waits for it and kernels compute what is sent
    after that. The pass keeps this order if the arena grows by no more than the operands and
    results of the two largest collectives of each groups, and to no more than `capacity` leaves.

    ```mlir
    %w = comm.all_gather ins(%a : tensor<8x64xf32>) outs(%e : tensor<64x64xf32>) dim 0 over {"data"} on #mesh -> tensor<64x64xf32>
    %g = dmc.launch @gradient ins(%x, %dy : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %s = comm.reduce_scatter sum ins(%g : tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) dim 0 over {"data"} on #mesh -> tensor<8x64xf32>
    %dx = dmc.launch @product ins(%dy, %w : tensor<4x64xf32>, tensor<64x64xf32>) outs(%h : tensor<4x64xf32>) -> tensor<4x64xf32>
    ```
    becomes
    ```mlir
    %w = comm.all_gather ins(%a : tensor<8x64xf32>) outs(%e : tensor<64x64xf32>) dim 0 over {"data"} on #mesh -> tensor<64x64xf32>
    %dx = dmc.launch @product ins(%dy, %w : tensor<4x64xf32>, tensor<64x64xf32>) outs(%h : tensor<4x64xf32>) -> tensor<4x64xf32>
    %g = dmc.launch @gradient ins(%x, %dy : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %s = comm.reduce_scatter sum ins(%g : tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) dim 0 over {"data"} on #mesh -> tensor<8x64xf32>
    ```
    where weight and gradient share their bytes.
  }];
  let options = [Option<"capacity", "capacity", "int64_t", /*default=*/"0",
                        "bytes that arguments, results and arena of a rank of devices may take; "
                        "0: no bound">];
}

def RecomputePads : Pass<"dmc-recompute-pads", "::mlir::ModuleOp"> {
  let summary = "Rematerializes padded tensors for later uses to reduce peak memory";
  let description = [{
    A convolution reads a padded copy of its operand, and its weight's gradient reads the same
    copy long after. The copy is larger than its operand, which may be live for other users
    anyway. The pass recomputes the result of a launch that pads, with at most elementwise
    arithmetic, and whose live range spans the peak of the arena, in front of the uses after
    the peak. It treats launches on one operand together: only the operand stays live where it
    is padded differently for several users, as for the strides of a gradient. It keeps the
    change if the arena that `dmc-plan-buffers` computes shrinks by at least half of the bytes
    recomputed; a program that gains nothing is unchanged.

    ```mlir
    %p = dmc.launch @pad ins(%x : tensor<4x4xf32>) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>
    %y = dmc.launch @convolve ins(%p, %w : tensor<6x6xf32>, tensor<3x3xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
    ...
    %dw = dmc.launch @correlate ins(%p, %dy : tensor<6x6xf32>, tensor<4x4xf32>) outs(%g : tensor<3x3xf32>) -> tensor<3x3xf32>
    ```
    becomes
    ```mlir
    %p = dmc.launch @pad ins(%x : tensor<4x4xf32>) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>
    %y = dmc.launch @convolve ins(%p, %w : tensor<6x6xf32>, tensor<3x3xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
    ...
    %q = dmc.launch @pad ins(%x : tensor<4x4xf32>) outs(%h : tensor<6x6xf32>) -> tensor<6x6xf32>
    %dw = dmc.launch @correlate ins(%q, %dy : tensor<6x6xf32>, tensor<4x4xf32>) outs(%g : tensor<3x3xf32>) -> tensor<3x3xf32>
    ```
  }];
}

def PlanBuffers : Pass<"dmc-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "Assigns every value of the rank program a fixed offset in one arena";
  let description = [{
    The pass converts the entry with launches on tensors to level 3: its arguments become
    memrefs, one for each argument, one for each result, and the *arena*, of which
    every other value is a view at a constant offset. The size of the arena, the
    module's `dmc.arena_bytes`, is the exact peak.

    - Reshapes share their operand's buffer.
    - A kernel's result takes over the buffer of the input that `in_place` pairs
      it with, if nothing reads that input later. So does the result of an all-reduce, which
      combines element by element, that of its operand.
    - A result is computed in its own memref. One that an argument is donated to
      has the argument's: it is computed there if the old value was read for the
      last time before, or is updated in place; else it is computed in the arena and
      copied at the end. So is a value that is returned twice, and an argument
      that is returned. Arguments that are not donated are never written.
    - A result's memref is unused until the result is computed: until then it holds values that
      are live at the peak and have as many elements of its type.
    - Offsets minimise the arena: see Arena.h.

    A loop-carried value has one buffer for all iterations: the next iteration's value is
    computed there if the old one was read for the last time before, or is updated in
    place; else it is copied at the end of the iteration. Loop-invariant values are not
    copied. The branches of a conditional compute their results in one buffer. Loops and
    conditionals keep scalar operands and results only.

    The wait for a collective follows its start directly on processors, which execute it
    themselves. On devices it stands before what uses the result first, or at the end of the block;
    until then the operand's bytes are not reused. If a device's program needs more than `capacity`
    so, it waits as on processors. Kernel functions stay on tensors until
    `dmc-bufferize-kernels`.

    ```mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %a = dmc.launch @kernel_0 ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %r = comm.all_reduce sum ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) over {"data"} on #mesh -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
    becomes
    ```mlir
    module attributes {dmc.arena_bytes = 0 : i64} {
      func.func @main(%x: memref<8xf32>, %result: memref<8xf32>, %arena: memref<0xi8>) {
        dmc.launch @kernel_0 ins(%x : memref<8xf32>) outs(%result : memref<8xf32>)
        %t = comm.all_reduce sum ins(%result : memref<8xf32>) outs(%result : memref<8xf32>) over {"data"} on #mesh -> !comm.token
        comm.wait %t
        return
      }
    }
    ```
    where the partial sum is in the result's memory, and nothing in the arena. With `describe-peak` a remark states the
    operation at the peak and the buffers that are live there. A program that needs more than
    `capacity` on a rank is refused, with the largest tensors that are live at the peak.
  }];
  let options = [Option<"capacity", "capacity", "int64_t", /*default=*/"0",
                        "bytes that arguments, results and arena may take; 0: no bound">,
                 Option<"describePeak", "describe-peak", "bool", /*default=*/"false",
                        "report in a remark what is live at the peak">];
  let dependentDialects = ["::dmc::DMCDialect", "::dmc::comm::CommDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def AssignStreams : Pass<"dmc-assign-streams", "::mlir::ModuleOp"> {
  let summary = "Puts collectives and copies of a device's program on streams, ordered by events";
  let description = [{
    A device executes what is on different streams at one time. The pass puts

    - launches, scalar loads and stores on stream 0;
    - the collectives of each groups on a stream of their own, on which all ranks execute them in
      the order of the program;
    - copies on another one, if a launch or a loop stands between the copy and what has to follow
      it, and on stream 0 otherwise.

    Tokens and waits go. An operation waits by `comm.await` for an event of each stream on which
    an earlier one accesses the same bytes, one of both writing, unless an event that its stream
    has waited for before, or another one that it waits for, implies it: so no event can be left out.

    A loop or conditional that has streams other than 0 starts and ends, as each of its iterations and
    branches does, with stream 0 behind all others. A step starts and ends with all streams idle.
    Programs for processors are unchanged.

    ```mlir
    dmc.launch @kernel_0 ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %t = comm.all_reduce sum ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh -> !comm.token
    dmc.launch @kernel_0 ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    comm.wait %t
    dmc.launch @kernel_1 ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    ```
    becomes
    ```mlir
    dmc.launch @kernel_0 ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    %e = comm.record on 0
    comm.await %e on 1
    comm.all_reduce sum ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) over {"data"} on #mesh {comm.stream = 1 : i64}
    %f = comm.record on 1
    dmc.launch @kernel_0 ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    comm.await %f on 0
    dmc.launch @kernel_1 ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    ```
    where the second launch runs beside the all-reduce.
  }];
  let dependentDialects = ["::dmc::comm::CommDialect"];
}

def BufferizeKernels : Pass<"dmc-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "Converts the boundary of kernel functions to memrefs";
  let description = [{
    A kernel function's inputs and destinations become memrefs, and it writes
    its results to the destinations instead of returning them. Its body stays on
    tensors for the code generator, with memory at the boundary only.

    ```mlir
    func.func private @kernel_0(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32>
        attributes {dmc.kernel_function} {
      %0 = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>)
      return %0 : tensor<8xf32>
    }
    ```
    becomes
    ```mlir
    func.func private @kernel_0(%x: memref<8xf32>, %d: memref<8xf32>) attributes {dmc.kernel_function} {
      %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
      %1 = bufferization.to_tensor %d restrict writable : memref<8xf32> to tensor<8xf32>
      %2 = linalg.map { math.exp } ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>)
      bufferization.materialize_in_destination %2 in restrict writable %d : (tensor<8xf32>, memref<8xf32>) -> ()
      return
    }
    ```
    `restrict` is up to the pairs of `in_place`: there input and destination may
    be one buffer.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def VerifySchedule : Pass<"dmc-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "Checks that every buffer holds what is read from it";
  let description = [{
    The verifier replays the entry's reads and writes of bytes in order, independently of the
    planner's live ranges: loops for two iterations, which stand for any trip count, and each
    branch of conditionals. A *buffer* is a view of the arena or an argument; a reshape is the
    same buffer. The pass changes nothing.

    Constraints:
    - (C1) the entry's arguments are one memref for each argument and each result
      of `dmc.program`, then the arena, `memref<Nxi8>` with N = `dmc.arena_bytes`;
    - (C2) every other memref is a view of the arena, within it and aligned to 64 bytes (16
      where it has fewer than 64), or a reshape of a buffer;
    - (C3) an operation that reads a buffer finds in each byte what was last written to this
      buffer, and not to another one that shares the byte;
    - (C4) arguments that are not donated are not written;
    - (C5) the operations are launches, collectives, copies, scalar loads and stores, events,
      index arithmetic, and loops and conditionals of such;
    - (C6) what an operation writes overlaps neither what it reads, except as
      `in_place` pairs them and as an all-reduce's destination is its operand, nor what else it
      writes;
    - (C7) each token is waited for exactly once, in the block of its collective, and until then
      the collective's operand is not written and its destination not accessed;
    - (C8) each result is written;
    - (C9) of two operations that access one byte, one of them writing, the earlier ends before
      the later starts, whatever order streams take: they are on one stream, or a chain of events
      leads from one to the other, on each path of control;
    - (C10) collectives of the same groups are on one stream. All ranks run the same program, so
      they execute the collectives of a group in one order.

    ```mlir
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf32>
    %b = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf32>
    dmc.launch @k ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
    dmc.launch @k ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
    dmc.launch @k ins(%a : memref<8xf32>) outs(%result : memref<8xf32>)
    ```
    is refused (C3): the third launch reads `%a`, whose bytes hold `%b`.
  }];
}

#endif // DMC_SCHEDULE_PASSES_TD

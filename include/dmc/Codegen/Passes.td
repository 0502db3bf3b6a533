//===- Passes.td - From the scheduled program to code ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of code generation (level 3 to 4).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_CODEGEN_PASSES_TD
#define DMC_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"dmc-set-target", "::mlir::ModuleOp"> {
  let summary = "Sets the processor or device that kernels are made for";
  let description = [{
    A kernel's shape and its code depend on what the target is built of: its extensions, vector registers and cache lines.
    The pass writes that as the module attribute `dmc.target`, before kernels are formed. A module
    that has the attribute keeps it, unless `cpu` or `target` names another one, which is an error.

    ```mlir
    module {}
    ```

    becomes, with `cpu=x86-64-v3`,

    ```mlir
    module attributes {dmc.target = #dmc.target<"x86-64-v3", features = "sse3,ssse3,...", vector = 32, registers = 16,
                                                line = 64, alignment = 64, spaces = ["host"],
                                                operations = 64, results = 8>} {}
    ```

    whose kernels may use AVX2: 16 registers of 32 bytes. With `target=cuda:sm_90a+sm_80` they are made for devices of
    two kinds, and the attribute says what both have.
  }];
  let options = [Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
                        "the processor as LLVM names it; empty or host: this machine's">,
                 Option<"target", "target", "std::string", /*default=*/"\"\"",
                        "the device instead: cuda: and chips from sm_80 on, joined by +">];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def SpecializeAliasing : Pass<"dmc-specialize-aliasing", "::mlir::ModuleOp"> {
  let summary = "Specializes kernels for buffers that alias";
  let description = [{
    The buffer plan may give an input and a destination of a launch the same memory. A
    specialized kernel addresses both through one argument and may assume that its other
    arguments are disjoint, without which LLVM vectorizes no loop of it.

    Afterwards there is one function for each kernel and each aliasing pattern of its launches. An argument carries `dmc.shares = n` if it is the same
    memory as argument n in every launch, and `llvm.noalias` if it overlaps no
    other argument.

    ```mlir
    dmc.launch @k ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    dmc.launch @k ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
    ```

    becomes

    ```mlir
    dmc.launch @k ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    dmc.launch @k_1 ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)

    func.func private @k_1(%x: memref<8xf32> {dmc.shares = 1 : i64}, %y: memref<8xf32> {llvm.noalias})
    ```

    The second launch works in place, so it has a kernel of its own.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def LowerKernels : Pass<"dmc-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers the tensor bodies of kernels to loops";
  let description = [{
    Each value that a kernel writes becomes a loop nest over its elements, a function that runs a range of the nest's
    iterations; the kernel calls it for all of them. Neighbouring dimensions that no operation of an elementwise kernel tells apart are
    one in its nests, and their arguments' types. The iterations are independent of each other, and how a nest is cut into them depends on
    its shape alone. `dmc.nest` is the nest's plan: how many there are, its loops and who executes them, and what it reads, writes and computes. Operands are
    computed element by element at their use, once for each element and as far out in the
    nest as possible. Reductions carry scalars if the reduced dimension is the contiguous one,
    else accumulate in the destination. The nest of a row kernel computes the reductions of a row where the row begins, those that do not need each other in
    one pass, and keeps what several passes compute slowly. A reduction with `dmc.partials` is computed by that many blocks of its leading loops,
    each into its part of a buffer, beside the roots of a row kernel; a second nest combines them in order. What is read along
    one dimension and written along another is transposed tile by tile, in vectors. Where a concatenation, padding or insertion takes its elements from
    somewhere else, another loop begins. A result that is larger than the last cache and not in the place of an input has `dmc.stream`: stores to it
    are made non-temporal when its loops are vectors. Where a gather reads rows of a table that is larger than the last cache, a later row is fetched while
    one is computed. Contractions of floats, other than many products of tiny matrices, are calls of a function `@dmc_contract_*`
    without a body, whose attribute `dmc.contraction` describes the strides.

    ```mlir
    func.func private @k(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
      %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
      %e = tensor.empty() : tensor<8xf32>
      %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
      return
    }
    ```

    becomes

    ```mlir
    func.func private @k_nest(%x: memref<8xf32>, %out: memref<8xf32>, %begin: index, %end: index)
        attributes {dmc.nest = #dmc.nest<elements iterations 1 flops 8 loops [<serial 8>]
                                          accesses [<read 0 : 32 contiguous>, <write 1 : 32 contiguous>]>} {
      scf.for %i = %c0 to %c8 step %c1 {
        %0 = memref.load %x[%i] : memref<8xf32>
        %1 = math.exp %0 : f32
        memref.store %1, %out[%i] : memref<8xf32>
      }
      return
    }
    func.func private @k(%x: memref<8xf32>, %out: memref<8xf32>) attributes {dmc.kernel_function} {
      func.call @k_nest(%x, %out, %c0, %c1) : (memref<8xf32>, memref<8xf32>, index, index) -> ()
      return
    }
    ```

    For a device (`dmc.target`) a nest has the most iterations that there are: single elements, results of reductions, or
    rows. Its function runs one, the first of its range, and `dmc.nest` has the grid of blocks of threads that run all of them. A team of threads
    may run an iteration together: `gpu.thread_id` says which of them runs, `gpu.shuffle` exchanges values within a warp, `gpu.barrier` waits for
    the team, and buffers in workgroup memory are the block's. With `dmc.narrow_indices` 32 bits are enough for all of its indices.

    An operation without such a form is an error: a kernel has no memory of its own but for tiles and rows on the stack.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect", "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect"];
  let options = [
    Option<"coreCache", "core-cache", "int64_t", "512 << 10",
           "Bytes of cache that a core has to itself: half of them hold what is kept of a row">,
    Option<"lastCache", "last-cache", "int64_t", "8 << 20",
           "Bytes of the largest cache: results that exceed it are written past it">
  ];
}

def MergeLaunches : Pass<"dmc-merge-launches", "::mlir::ModuleOp"> {
  let summary = "Makes one launch of independent elementwise kernels";
  let description = [{
    A launch takes longer than a small kernel runs: the updates of an optimizer are one for each parameter, and most
    parameters are small. Where kernels of a device follow each other that are one nest each, of elements that threads compute alone
    (`elements`, `copy`, `gather` and `update` in `dmc.nest`), and none writes what another one accesses, the pass launches one kernel
    instead. Its blocks are divided among theirs.

    ```mlir
    dmc.launch @k ins(%a : memref<1000xf32>) outs(%b : memref<1000xf32>)
    dmc.launch @l ins(%c : memref<8xf32>) outs(%d : memref<8xf32>)
    ```

    becomes

    ```mlir
    dmc.launch @k_and_1_more ins(%a, %c : memref<1000xf32>, memref<8xf32>) outs(%b, %d : memref<1000xf32>, memref<8xf32>)
    ```

    in which blocks 0 to 3 run the iterations of `@k`'s nest and block 4 those of `@l`'s. Nests that differ only in the length of buffers of one
    dimension, and in the order of their arguments, have one body in the code: a tree of branches finds the block's buffers.

    A launch may change places with what accesses other memory: a group of launches comes after that, or a launch joins
    those before it. None passes an event that its stream waits for, so that what runs beside a collective still does, and those
    in front of an event stay in front of it. A launch has at most 512 operands, which are the 4 KB of parameters that each
    device takes. Programs for processors stay as they are.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def LowerToGPU : Pass<"dmc-lower-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Moves nests into a module of device code";
  let description = [{
    Of a program whose `dmc.target` is a device, each nest becomes a kernel in the LLVM dialect, in the nested module
    `@dmc_device`: with bare pointers, in the order of the nest's arguments but for its range, of which each thread of the grid in
    `dmc.nest` takes one iteration. In the place of the nest remains a function without body, whose attribute `dmc.device_nest` says how the
    kernel is launched: its name, the blocks and the threads of a block along three dimensions, and the bytes of dynamic
    shared memory. Programs for processors stay as they are.

    Functions of f32 become the same arithmetic as on processors. There is no library on a device: what has no form of
    instructions, as functions of f64, is an error.

    ```mlir
    func.func private @k_nest(%x: memref<1000xf32>, %out: memref<1000xf32>, %begin: index, %end: index)
        attributes {dmc.nest = #dmc.nest<elements iterations 1000 flops 1000 loops [<grid 4 [<thread 256 least 232>]>]
                                         accesses [<read 0 : 4000 contiguous>, <write 1 : 4000 contiguous>]>} {
      %0 = memref.load %x[%begin] : memref<1000xf32>
      %1 = arith.addf %0, %0 : f32
      memref.store %1, %out[%begin] : memref<1000xf32>
      return
    }
    ```

    becomes

    ```mlir
    func.func private @k_nest(memref<1000xf32>, memref<1000xf32>, index, index)
        attributes {dmc.device_nest = {block = array<i64: 256, 1, 1>, entry = "k_nest", grid = array<i64: 4, 1, 1>, shared = 0 : i64},
                    dmc.nest = #dmc.nest<...>}
    module @dmc_device {
      llvm.func @k_nest(%x: !llvm.ptr {llvm.align = 32 : i64, llvm.readonly}, %out: !llvm.ptr {llvm.align = 32 : i64})
          attributes {nvvm.kernel, nvvm.maxnreg = 64 : i32, nvvm.reqntid = array<i32: 256, 1, 1>} {
        ...
      }
    }
    ```

    1000 iterations are 4 blocks of 256 threads, the last of which do nothing.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def LowerProgram : Pass<"dmc-lower-program", "::mlir::ModuleOp"> {
  let summary = "Lowers the rank function, the kernels and the program's tables to LLVM";
  let description = [{
    The result is the complete program in the LLVM dialect: the step function, which
    takes its pointers from the runtime and asks it to launch kernels and to execute collectives; the
    nests of the kernels; and the constant tables of the C ABI (`dmc-c/Program.h`),
    reached by `dmc_program_query`, the one exported symbol.

    ```mlir
    func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<64xi8>) {
      dmc.launch @k ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
      return
    }
    ```

    becomes a function that loads `arguments[0]` and `results[0]`, stores them one after the other, and calls the runtime with the number of the
    kernel and that list. For each nest there is an entry that takes the list:

    ```mlir
    llvm.func internal @dmc_step(%context: !llvm.ptr, %api: !llvm.ptr, %coordinates: !llvm.ptr,
                                 %arguments: !llvm.ptr, %results: !llvm.ptr, %arena: !llvm.ptr) -> i32
    llvm.func @k_nest_entry(%context: !llvm.ptr, %api: !llvm.ptr, %arguments: !llvm.ptr, %begin: i64, %end: i64) -> i32
    ```
  }];
  let options = [Option<"machine", "machine", "std::string", /*default=*/"\"\"",
                        "the machine, as dmc-propagate-layouts takes it: the rates of one thread by "
                        "which the runtime decides whether others are worth waking">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // DMC_CODEGEN_PASSES_TD

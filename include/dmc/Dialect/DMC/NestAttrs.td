//===- NestAttrs.td - How a loop nest is executed ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a generated loop nest: its loops, who executes them, what it accesses.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_NEST_ATTRS_TD
#define DMC_DIALECT_DMC_NEST_ATTRS_TD

include "dmc/Dialect/DMC/DMCDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def DMC_NestKind : I32EnumAttr<"NestKind", "what a loop nest computes", [
    I32EnumAttrCase<"elements", 0>, I32EnumAttrCase<"copy", 1>,
    I32EnumAttrCase<"transpose", 2>, I32EnumAttrCase<"gather", 3>,
    I32EnumAttrCase<"rows", 4>, I32EnumAttrCase<"blocks", 5>,
    I32EnumAttrCase<"combination", 6>, I32EnumAttrCase<"reduction", 7>,
    I32EnumAttrCase<"contraction", 8>, I32EnumAttrCase<"update", 9>,
    I32EnumAttrCase<"scatter", 10>, I32EnumAttrCase<"scatter_update", 11>,
    I32EnumAttrCase<"sort", 12>]> {
  let cppNamespace = "::dmc";
}

def DMC_LoopExecutor : I32EnumAttr<"LoopExecutor", "what executes the iterations of a loop", [
    I32EnumAttrCase<"divided", 0>, I32EnumAttrCase<"grid", 1>, I32EnumAttrCase<"thread", 2>,
    I32EnumAttrCase<"serial", 3>, I32EnumAttrCase<"unrolled", 4>, I32EnumAttrCase<"lanes", 5>,
    I32EnumAttrCase<"team", 6>]> {
  let cppNamespace = "::dmc";
}

def DMC_AccessKind : I32EnumAttr<"AccessKind", "what an access does with a buffer", [
    I32EnumAttrCase<"read", 0>, I32EnumAttrCase<"write", 1>, I32EnumAttrCase<"stream", 2>]> {
  let cppNamespace = "::dmc";
}

def DMC_LaneForm : I32EnumAttr<"LaneForm", "where the accesses that run side by side lie in memory", [
    I32EnumAttrCase<"uniform", 0>, I32EnumAttrCase<"contiguous", 1>,
    I32EnumAttrCase<"strided", 2>, I32EnumAttrCase<"gathered", 3>]> {
  let cppNamespace = "::dmc";
}

class DMC_NestPlanAttr<string name, string attrMnemonic> : AttrDef<DMC_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def DMC_NestLoopAttr : DMC_NestPlanAttr<"NestLoop", "nest_loop"> {
  let summary = "A loop of a nest, and the loops within it";
  let description = [{
    `<serial 64 least 8 carries 1 [<serial 4>]>`: a thread runs up to 64 iterations one after the other, and at least 8; one
    value, an accumulator for instance, is carried from iteration to iteration in a register; each iteration runs a loop of
    4. What executes the iterations:

    | executor | iterations |
    | --- | --- |
    | `divided` | ranges of them go to the threads of a processor |
    | `grid` | blocks of threads of a device |
    | `thread` | the threads of a block, or its teams of threads |
    | `team` | the threads that run one iteration of the nest together |
    | `serial` | one thread, one after the other; LLVM may make vectors of the iterations of an innermost loop |
    | `unrolled` | copies in the code |
    | `lanes` | the elements of a vector |

    `least` is given where executions of the loop differ in their number of iterations, as the last of several parts or
    blocks does, and is the fewest of them: 0 where another branch may be taken. `step` is the distance of two iterations, 0
    if it is computed at run time.

    Constraints:
    - (C1) counts are not negative, and `least` is at most the iterations;
    - (C2) a grid consists of blocks of threads and of nothing else, a team is all that such threads have, and lanes hold no
      loop.
  }];
  let parameters = (ins "::dmc::LoopExecutor":$executor, "int64_t":$trips,
                        DefaultValuedParameter<"int64_t", "-1">:$least,
                        DefaultValuedParameter<"int64_t", "1">:$step,
                        DefaultValuedParameter<"int64_t", "0">:$carried,
                        OptionalArrayRefParameter<"::dmc::NestLoopAttr">:$inner);
  let assemblyFormat = [{
    `<` $executor $trips (`least` $least^)? (`step` $step^)? (`carries` $carried^)? (` ` `[` $inner^ `]`)? `>`
  }];
  let extraClassDeclaration = [{
    /// Whether each execution has the same number of iterations.
    bool isExact() const { return getLeast() < 0; }
    /// Whether it is an operation of the nest's function: the others are the range of iterations that
    /// the function is called for, or copies.
    bool isLoopOperation() const {
      return getExecutor() == ::dmc::LoopExecutor::divided || getExecutor() == ::dmc::LoopExecutor::serial;
    }
  }];
}

def DMC_NestAccessAttr : DMC_NestPlanAttr<"NestAccess", "nest_access"> {
  let summary = "What a nest reads or writes of a buffer";
  let description = [{
    `<read 0 : 4096 contiguous vector 4>`: 4096 bytes of argument 0 are read, an element counted once however often it is
    accessed, and four elements at a time. The argument -1 is a constant of the program. `stream` is a write past the
    caches, where the stores of the loop become aligned vectors.

    The form says how the accesses that run side by side lie to each other: those of neighbouring iterations of the loop
    around the access on a processor, those of neighbouring threads on a device. Of several accesses of a buffer it is the
    form of the one that moves most bytes.

    | form | |
    | --- | --- |
    | `uniform` | the same element |
    | `contiguous` | neighbours |
    | `strided` | `stride` elements apart |
    | `gathered` | where data says |

    Constraints:
    - (C1) the argument is -1 or more, bytes are not negative, and a vector has an element;
    - (C2) strided accesses, and no others, have a stride, which is not 0.
  }];
  let parameters = (ins "::dmc::AccessKind":$kind, "int64_t":$argument, "int64_t":$bytes, "::dmc::LaneForm":$form,
                        DefaultValuedParameter<"int64_t", "0">:$stride,
                        DefaultValuedParameter<"int64_t", "1">:$vector);
  let assemblyFormat = [{
    `<` $kind $argument `:` $bytes $form (`stride` $stride^)? (`vector` $vector^)? `>`
  }];
}

def DMC_NestAttr : DMC_NestPlanAttr<"Nest", "nest"> {
  let summary = "How a generated loop nest is executed, and what it costs";
  let description = [{
    The function attribute `dmc.nest`, which `dmc-lower-kernels` sets on the function of each loop nest of a kernel. The
    function takes the kernel's arguments and the range of iterations to run, of which there are `iterations`: they are
    independent of each other, so that threads of a processor, or of a device, run ranges of them.

    ```mlir
    #dmc.nest<rows iterations 256 flops 50331648
              loops [<divided 256 [<serial 64 [<serial 1024 carries 1>, <serial 1024>]>]>]
              accesses [<read 0 : 67108864 contiguous>, <stream 1 : 67108864 contiguous>] stack 4096>
    ```

    A loop is followed by the loops within it; loops that run one after the other are in that order. `flops` are operations
    on floats. `stack` is memory of the running thread: tiles and rows, which stay in its caches. A nest of a device has a
    grid of blocks, and threads of the last block may have nothing to do:

    ```mlir
    #dmc.nest<elements iterations 500 flops 1000 loops [<grid 2 [<thread 256 least 244 [<lanes 2>]>]>]
              accesses [<read 0 : 4000 contiguous vector 2>, <write 1 : 4000 contiguous vector 2>]>
    ```

    Threads of a device may run an iteration as a team, which is a part of a warp, a warp, or a block: they share what they
    compute through registers of the warp and `shared` bytes of the block. Here 8 teams of 32 threads are a block:

    ```mlir
    #dmc.nest<rows iterations 64 flops 196608 loops [<grid 8 [<thread 8 [<team 32 [<unrolled 4 [<lanes 4>]>]>]>]>]
              accesses [<read 0 : 131072 contiguous vector 4>, <write 1 : 131072 contiguous vector 4>]>
    ```

    | kind | nest |
    | --- | --- |
    | `elements` | elements of results of one shape |
    | `copy` | what a result holds before it is updated |
    | `transpose` | elements, of which some are transposed tile by tile |
    | `gather` | elements or rows at positions that are read |
    | `rows` | rows, each reduced and written while it is in the cache |
    | `blocks` | the same, and the sums over rows of each of several blocks of them |
    | `combination` | what blocks have summed becomes one sum |
    | `reduction` | sums and other reductions along dimensions |
    | `contraction` | products that are summed, where no library computes them |
    | `update` | a slice of a result |
    | `scatter` | updates at positions that are read: each iteration goes over all and does those of its part |
    | `scatter_update` | the same, and what is computed from the elements that they change |
    | `sort` | lines that are sorted |

    Constraints:
    - (C1) there is an iteration, and flops, stack and shared bytes are not negative;
    - (C2) one outermost loop at most is divided or a grid, and no other one within; a divided one has all iterations, a
      grid as many blocks as they need; without either there is one iteration;
    - (C3) an argument is read once in the list, and written once;
    - (C4) the function's last two arguments are the range of iterations; arguments that are accessed are buffers of as
      many bytes at least, and those that are written past the caches have `dmc.stream`;
    - (C5) the loops of a body are loops of the plan, in their order; passes may have removed some, as of one iteration.
  }];
  let parameters = (ins "::dmc::NestKind":$kind, "int64_t":$iterations, "int64_t":$flops,
                        OptionalArrayRefParameter<"::dmc::NestLoopAttr">:$loops,
                        OptionalArrayRefParameter<"::dmc::NestAccessAttr">:$accesses,
                        DefaultValuedParameter<"int64_t", "0">:$stackBytes,
                        DefaultValuedParameter<"int64_t", "0">:$sharedBytes);
  let assemblyFormat = [{
    `<` $kind `iterations` $iterations `flops` $flops (`loops` ` ` `[` $loops^ `]`)? (`accesses` ` ` `[` $accesses^ `]`)?
    (`stack` $stackBytes^)? (`shared` $sharedBytes^)? `>`
  }];
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral attrName = "dmc.nest";
    /// Of a function; null where it has none.
    static NestAttr of(::mlir::Operation *function);
    /// The loop whose iterations are those of the nest, or the grid; null if there is none.
    NestLoopAttr getDividedLoop() const;
    /// The threads that run an iteration together: 1 where there is no team.
    int64_t getTeam() const;
    /// Bytes that are read and written, or of some kinds of accesses alone.
    int64_t getBytes() const;
    int64_t getBytes(::llvm::ArrayRef<::dmc::AccessKind> kinds) const;
    /// (C4) and (C5): whether it describes the function that has it.
    ::mlir::LogicalResult verifyFunction(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                                         ::mlir::Operation *function) const;
  }];
}

#endif // DMC_DIALECT_DMC_NEST_ATTRS_TD

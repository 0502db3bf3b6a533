//===- Passes.td - Passes of the import stage --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From StableHLO (with meshes and shardings of sdy) to a tensor program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_IMPORT_PASSES_TD
#define DMC_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineFunctions : Pass<"dmc-inline-functions", "::mlir::ModuleOp"> {
  let summary = "Inlines all private functions into the entry";
  let description = [{
    A tensor program is one function: the planner decides the layout of each value, and a value
    of a function that is called twice would need two layouts. The entry is the only
    public function; every call (`func.call`, and `stablehlo.composite` by its
    decomposition) is replaced by the callee's body, whose locations become call
    sites, and the private functions are erased. Equal code is deduplicated
    when kernels are outlined.

    ```mlir
    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    With `entry=NAME` the public function of this name is the entry, and others are as if they
    were private.

    Errors: no or several public functions without `entry`, recursion, a callee that is not
    defined or has several blocks. A program past the level `tensor` stays as it is.
  }];
  let options = [
    Option<"entryName", "entry", "std::string", /*default=*/"",
           "the public function that is the program, where there are several">
  ];
}

def ApplyRules : Pass<"dmc-apply-rules", "::mlir::ModuleOp"> {
  let summary = "Marks calls of kernels with their sharding rules";
  let description = [{
    A `stablehlo.custom_call` whose target is one of `kernels` is a call of a kernel that the session is given
    at run time. Each of `kernels` is a name, or `name=rule` with the rule as text (RuleText.h). The call gets the rule as the
    attribute `dmc.rule`; without a rule, that of `sdy.sharding_rule`, or an empty one: then every
    rank computes all of it. A program may have the attribute itself.

    ```mlir
    %0 = stablehlo.custom_call @scale_rows(%x, %s) : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
    ```

    becomes, with `kernels=scale_rows=([i, j], [i]) -> ([i, j])`,

    ```mlir
    %0 = stablehlo.custom_call @scale_rows(%x, %s) {dmc.rule = "([i, j], [i]) -> ([i, j])"}
         : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
    ```

    which `dmc-convert-stablehlo` makes `dmc.custom_call`.

    Errors: a rule that does not fit the call, and what a kernel cannot do: side effects, called
    computations, results in the place of operands, arrays that are not row-major.
  }];
  let options = [
    ListOption<"kernels", "kernels", "std::string", "names of kernels, or name=rule">
  ];
  let dependentDialects = ["::dmc::DMCDialect"];
}

def SplitComplex : Pass<"dmc-split-complex", "::mlir::ModuleOp"> {
  let summary = "Replaces complex numbers by their real and imaginary parts";
  let description = [{
    Level 0 has real numbers alone. A tensor of complex numbers becomes two tensors of the type of its
    parts: operations that move elements do so to each part, loops and branches carry both, and
    functions are written out. A contraction is four, or two where one operand has an imaginary part
    that is zero; a sum is two sums. `stablehlo.fft` becomes contractions with matrices of roots of
    unity (`FourierTransform.cpp`).

    At the boundary of the program the parts are side by side: an argument or result of type
    `tensor<4xcomplex<f32>>` is one of type `tensor<4x2xf32>` of the same name, as arrays of complex
    numbers lie in memory. Its sharding is the one given; the last dimension is not split.

    ```mlir
    func.func public @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
      %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    func.func public @main(%x: tensor<4x2xf32>) -> tensor<4xf32> {
      %0 = stablehlo.slice %x [0:4, 0:1] : (tensor<4x2xf32>) -> tensor<4x1xf32>
      %1 = stablehlo.reshape %0 : (tensor<4x1xf32>) -> tensor<4xf32>
      ...
      return %1 : tensor<4xf32>
    }
    ```

    Errors: operations on complex numbers that the pass does not know, each named. A module that has
    a program stays as it is.
  }];
  let dependentDialects = ["::dmc::stablehlo::StableHLODialect", "::dmc::chlo::ChloDialect", "::dmc::sdy::SdyDialect"];
}

def ImportProgram : Pass<"dmc-import-program", "::mlir::ModuleOp"> {
  let summary = "Creates the program attribute from the entry's signature";
  let description = [{
    `dmc.program` holds what every level must know: names, global types with
    signedness, layouts, donation, the mesh. Names of arguments are taken from
    their locations, of results from `jax.result_info`; without them they are
    `arg0`, `result0`, ... Layouts are those of `sdy.sharding`. A sharding with open
    dimensions does not fix the boundary's layout: it becomes a request
    (`dmc.constrain`). `tf.aliasing_output` donates to that result, `jax.buffer_donor`
    to the first result of the same type and layout to which nothing donates yet.
    Constraints, shardings of operations, reshards, groups and barriers become
    `dmc.constrain` too. Meshes and all foreign argument attributes are erased; where
    the mesh gives an order of devices, rank r is device `dmc.devices[r]`.

    ```mlir
    module @step {
      sdy.mesh @mesh = <["data"=4]>
      func.func public @main(
          %arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {} ]>, tf.aliasing_output = 0 : i32})
          -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {} ]>})
    ```

    becomes

    ```mlir
    #mesh_data4 = #dmc.mesh<"data" = 4>
    #layout_data_r = #dmc.layout<#mesh_data4, [{"data"}, {} ]>
    module @step attributes {dmc.program = #dmc.program<tensor "step" on #mesh_data4,
        arguments ["arg0" : tensor<8x4xf32, #layout_data_r>, donates 0], results ["result0" : tensor<8x4xf32, #layout_data_r>]>} {
      func.func public @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32>
    ```

    Errors: meshes that cannot be expressed on one mesh, a sharding that does not fit mesh or type,
    unreduced arguments or results, shardings for other partitioners. A module that
    has a program stays as it is.

    A computation under `sdy.manual_computation` becomes `dmc.manual`; one within
    another slices its operands and gathers its results. A module with
    collectives, `replica_id` or `partition_id` elsewhere, or of several replicas, is
    a program of ranks: its level is `ranks`, on the mesh
    `<"replica" = R, "partition" = P>`, and each rank has arguments of its own. R and
    P are `mhlo.num_replicas` and `mhlo.num_partitions`; without them R * P is `ranks`,
    or the ranks that the groups name.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
  let options = [
    Option<"ranks", "ranks", "int64_t", /*default=*/"0",
           "number of ranks of a program of ranks that does not state it">
  ];
}

def ConvertTosa : Pass<"dmc-convert-tosa", "::mlir::ModuleOp"> {
  let summary = "Converts TOSA to linalg on tensors";
  let description = [{
    Runs upstream's passes in their order: shapes are inferred, operands
    reshaped to equal rank, then operations become those of linalg (the named
    ones first, so that products and convolutions are recognized), tensor, arith
    and scf. A module without operations of TOSA stays as it is.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = tosa.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = tensor.empty() : tensor<2x3xf32>
      %1 = linalg.generic {...} ins(%x : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = math.absf %in : f32
        linalg.yield %2 : f32
      } -> tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }
    ```

    `gather` and `scatter` become `dmc.gather` and `dmc.scatter`.

    Errors: variables (the program has no state), custom operations, and what
    upstream does not lower.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::tensor::TensorDialect"];
}

def TensorizeBoundary : Pass<"dmc-tensorize-boundary", "::mlir::ModuleOp"> {
  let summary = "Converts the entry's scalar arguments and results to tensors";
  let description = [{
    Arguments and results of a program are tensors. A scalar becomes a tensor of
    rank 0, an index a 64-bit integer; all tensors of indices become tensors of
    64-bit integers.

    ```mlir
    func.func @main(%x: f32) -> index {
      ...
      return %0 : index
    }
    ```

    becomes

    ```mlir
    func.func @main(%arg: tensor<f32>) -> tensor<i64> {
      %x = tensor.extract %arg[] : tensor<f32>
      ...
      %1 = arith.index_cast %0 : index to i64
      %2 = tensor.from_elements %1 : tensor<i64>
      return %2 : tensor<i64>
    }
    ```

    A module that has a program stays as it is.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def NormalizeTensors : Pass<"dmc-normalize-tensors", "::mlir::ModuleOp"> {
  let summary = "Normalizes linalg and tensor programs to the operations of level 0";
  let description = [{
    Programs of linalg on tensors can express one computation in several forms; the later
    levels support one. The pass decomposes operations that stand for several others: `linalg.softmax`,
    `pack`, `unpack`, the Winograd transforms. `tensor.generate`, `insert`,
    `reshape` to a constant shape, `gather` and `scatter`, and paddings that are
    computed become `linalg.generic`, slices and reshapes, `dmc.gather` and
    `dmc.scatter`.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4x2xf32> {
      %0 = tensor.generate {
      ^bb0(%i: index, %j: index):
        %1 = tensor.extract %x[%i] : tensor<4xf32>
        tensor.yield %1 : f32
      } : tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4x2xf32> {
      %0 = tensor.empty() : tensor<4x2xf32>
      %1 = linalg.generic {...} ins(%x : tensor<4xf32>) outs(%0 : tensor<4x2xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    ```

    Errors: operations that level 0 cannot express, each named: dynamic
    shapes, memory (memref, bufferization), parallel loops, complex numbers.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertStableHLO : Pass<"dmc-convert-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Converts the entry to linalg on tensors";
  let description = [{
    Elementwise operations become `linalg.map` of scalar arithmetic with the exact
    semantics of StableHLO (NaN-keeping maxima, saturating conversions, total
    integer division); broadcasts, transposes, reductions and products the
    linalg operations of their name where one fits and `linalg.generic` where not;
    reshapes `tensor.collapse_shape` and `tensor.expand_shape` of the fewest
    dimensions; sorts count, for each element, those before it. Integers become
    signless. Elementwise `arith` and `math` on tensors become maps as well.

    ```mlir
    func.func public @main(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
      %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
      %1 = stablehlo.add %x, %0 : tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```

    becomes

    ```mlir
    func.func public @main(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
      %0 = tensor.empty() : tensor<8x4xf32>
      %1 = linalg.broadcast ins(%b : tensor<4xf32>) outs(%0 : tensor<8x4xf32>) dimensions = [0]
      %2 = tensor.empty() : tensor<8x4xf32>
      %3 = linalg.map { arith.addf } ins(%x, %1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%2 : tensor<8x4xf32>)
      return %3 : tensor<8x4xf32>
    }
    ```

    Contractions accumulate in f32 at least. Where their result is narrower, ranks add
    their partial sums in the accumulator's type and round once, unless the conversion to
    the result's type has the attribute `dmc.narrow_partials`: then each rank may round its
    partial sums and send the narrow ones. It is set for contractions without an algorithm
    if `narrow-partials` is given, also where an operation of its own narrows the result, maybe
    behind transposes and reshapes, and for those whose algorithm says
    `allow_imprecise_accumulation = true`.

    An unsupported operation is an error that names it and its location.
  }];
  let options = [
    Option<"narrowPartials", "narrow-partials", "bool", /*default=*/"false",
           "permit partial sums of contractions to be rounded to the result's type before "
           "they are added across ranks">
  ];
  let dependentDialects = ["::dmc::DMCDialect", "::dmc::comm::CommDialect",
    "::dmc::stablehlo::StableHLODialect", "::dmc::chlo::ChloDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def FoldEmptyTensors : Pass<"dmc-fold-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Replaces computations without iterations by what their results begin with";
  let description = [{
    Where a dimension of an operand or a result has no elements, a linalg operation computes
    nothing: an empty result, or the initial value of a reduction. The later levels then meet
    no loop of size 0.

    ```mlir
    func.func @main(%x: tensor<0x5xf32>, %init: tensor<5xf32>) -> tensor<5xf32> {
      %0 = linalg.reduce { arith.addf } ins(%x : tensor<0x5xf32>) outs(%init : tensor<5xf32>) dimensions = [0]
      return %0 : tensor<5xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%x: tensor<0x5xf32>, %init: tensor<5xf32>) -> tensor<5xf32> {
      return %init : tensor<5xf32>
    }
    ```
  }];
}

def BoundIndices : Pass<"dmc-bound-indices", "::mlir::ModuleOp"> {
  let summary = "Notes how many values arguments have that index others";
  let description = [{
    Elements of an integer argument that select slices of other tensors, as tokens select rows of an
    embedding, are of use below the number of slices. The pass follows what gathers and scatters are
    given as indices back through operations that move elements, choose between them or change
    their type, and writes the least bound of an argument into the program's interface. Tools that
    make up arguments keep to it, so that a step which they time reads as much of a table as one of
    a training run.

    ```mlir
    module attributes {dmc.program = #dmc.program<tensor "main", arguments ["table" : tensor<100x8xf32>, "ids" : tensor<4x1xi32>], results ["rows" : tensor<4x8xf32>]>} {
      func.func @main(%table: tensor<100x8xf32>, %ids: tensor<4x1xi32>) -> tensor<4x8xf32> {
        %e = tensor.empty() : tensor<4x8xf32>
        %r = dmc.gather ins(%table, %ids : tensor<100x8xf32>, tensor<4x1xi32>) outs(%e : tensor<4x8xf32>)
                        {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>,
                         index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} -> tensor<4x8xf32>
        return %r : tensor<4x8xf32>
      }
    }
    ```

    then has `"ids" : tensor<4x1xi32> below 100`.
  }];
}

def SimplifyLoops : Pass<"dmc-simplify-loops", "::mlir::ModuleOp"> {
  let summary = "Removes loop-invariant values from what loops carry";
  let description = [{
    In StableHLO a loop carries every value that its body uses, since its region is isolated
    from above. The pass uses a value that each iteration forwards unchanged from outside the
    loop instead, and drops unused ones, as upstream's canonicalization of `scf.for` does. A
    constant then needs no memory of its own, and moves of a loop-invariant tensor can be
    hoisted in front of the loop.

    ```mlir
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x, %b = %w) -> (tensor<4xf32>, tensor<4xf32>) {
      %s = linalg.map { arith.addf } ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
      scf.yield %s, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
      %s = linalg.map { arith.addf } ins(%a, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
      scf.yield %s : tensor<4xf32>
    }
    ```
  }];
}

def ApplyLayouts : Pass<"dmc-apply-layouts", "::mlir::ModuleOp"> {
  let summary = "Sets mesh and layouts of the program from options or a file";
  let description = [{
    The layouts of arguments and results can come from a file instead of the program's text,
    so that one program serves several plans. The file is JSON with one entry for each
    case (docs/schemas.md):

    ```json
    {"dp2": {"mesh": [["data", 2]],
             "arguments": [[["data"], []], []],
             "results": [[]]}}
    ```

    Each argument and result has a list for each dimension, of the axes that split
    it, major to minor. `case` may be omitted if the file has one. `mesh` changes
    the sizes of the mesh's axes, or gives the mesh to a program without one:
    `mesh=data=2,model=4`.

    ```mlir
    module attributes {dmc.program = #dmc.program<tensor "f",
        arguments ["x" : tensor<4x2xf32>, "y" : tensor<f32>], results ["z" : tensor<4xf32>]>}
    ```

    with this file becomes

    ```mlir
    #mesh_data2 = #dmc.mesh<"data" = 2>
    module attributes {dmc.program = #dmc.program<tensor "f" on #mesh_data2,
        arguments ["x" : tensor<4x2xf32, #layout_data_r>, "y" : tensor<f32, #layout>], results ["z" : tensor<4xf32, #layout_r>]>}
    ```

    Everything in the file or the options that does not fit the program is an error.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
  let options = [
    Option<"mesh", "mesh", "std::string", /*default=*/"",
           "axis sizes as in data=4,model=2">,
    Option<"layoutsFile", "layouts-file", "std::string", /*default=*/"",
           "JSON file with the layouts of arguments and results">,
    Option<"layoutsCase", "case", "std::string", /*default=*/"",
           "which entry of the file; may be omitted if there is one">
  ];
}

def VerifyTensor : Pass<"dmc-verify-tensor", "::mlir::ModuleOp"> {
  let summary = "Checks that a module is a tensor program";
  let description = [{
    Constraints of a module whose `dmc.program` is at level `tensor`:
    - (C1) it holds one function, which is public and has one block;
    - (C2) values are scalars, or ranked tensors of static shape without layout; elements
      are i1, i8 to i64, f16, bf16, f32 or f64; scalars, and tensors within `dmc.manual`,
      may be of indices too;
    - (C3) operations are those of `linalg`, `tensor`, `arith` and `math`, loops and
      conditions of `scf`, compute operations of `dmc`, `dmc.constrain`, `dmc.halo` and
      `dmc.manual`; those of `comm` stand within `dmc.manual` only;
    - (C4) arguments and results have the types of the program's, without layout and
      signedness;
    - (C5) `dmc.open`, `dmc.priorities` and `dmc.replicated` stand on arguments and
      results whose layout the program says.

    ```mlir
    %0 = comm.axis_index {"data"} on #mesh
    ```

    is refused: it differs by rank. A module at another level passes.
  }];
}

#endif // DMC_IMPORT_PASSES_TD

//===- Passes.td - Passes of the import stage --------------*- tablegen -*-===//
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
    A tensor program is one function: layouts are decided for values, and a value
    of a function that is called twice would need two. The entry is the only
    public function; every call (`func.call`, and `stablehlo.composite` by its
    decomposition) is replaced by the callee's body, whose locations become call
    sites, and the private functions are erased. Equal code is found again
    when kernels are deduplicated.

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

    Errors: no or several public functions, recursion, a callee that is not
    defined or has several blocks. A program past the level `tensor` stays as it is.
  }];
}

def ImportProgram : Pass<"dmc-import-program", "::mlir::ModuleOp"> {
  let summary = "Makes the program attribute from the entry's signature";
  let description = [{
    `dmc.program` says what every level must know: names, global types with
    signedness, layouts, donation, the mesh. Names of arguments are taken from
    their locations, of results from `jax.result_info`; without them they are
    `arg0`, `result0`, ... Layouts are those of `sdy.sharding`; open dimensions
    count as closed, since at the boundary the layout is a contract, and
    priorities are dropped. `tf.aliasing_output` donates to that result,
    `jax.buffer_donor` to the first result of the same type and layout to which
    nothing donates yet. `sdy.sharding_constraint` becomes `dmc.constrain`. Meshes
    and all foreign argument attributes are erased.

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

    Errors: several different meshes, a sharding that does not fit mesh or type,
    unreduced axes, other `sdy` operations. A module that has a program stays as
    it is.

    A computation under `sdy.manual_computation` becomes `dmc.manual`. A module with
    collectives, `replica_id` or `partition_id` elsewhere, or of several replicas, is
    a program of ranks: its level is `ranks`, on the mesh
    `<"replica" = R, "partition" = P>`, and each rank has arguments of its own. R and
    P are `mhlo.num_replicas` and `mhlo.num_partitions`; without them R * P is `ranks`,
    or what the groups name.
  }];
  let dependentDialects = ["::dmc::DMCDialect"];
  let options = [
    Option<"ranks", "ranks", "int64_t", /*default=*/"0",
           "how many ranks run a program of ranks that does not say it">
  ];
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

    What is not supported is an error that names operation and location.
  }];
  let dependentDialects = ["::dmc::DMCDialect", "::dmc::comm::CommDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def ApplyLayouts : Pass<"dmc-apply-layouts", "::mlir::ModuleOp"> {
  let summary = "Sets mesh and layouts of the program from options or a file";
  let description = [{
    One program, many plans: the layouts of arguments and results can come from a
    file instead of the program's text. The file is JSON with one entry for each
    case:

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

#endif // DMC_IMPORT_PASSES_TD

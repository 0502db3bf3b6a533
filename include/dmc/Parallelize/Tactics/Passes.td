//===- Passes.td - Passes about tactics --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tactics into the program, and plans out of it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_TACTICS_PASSES_TD
#define DMC_PARALLELIZE_TACTICS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplyTactics : Pass<"dmc-apply-tactics", "::mlir::ModuleOp"> {
  let summary = "Runs tactics on a program at level 0";
  let description = [{
    Each file is a module of transform sequences of which `@__transform_main` is run on the
    program; strategies are sequences of the library that comes with the compiler
    (`data_parallel`, `megatron`, `zero1`, ...; docs/tactics.md), written
    `NAME` or `NAME:axis=A,...`. After strategies `dmc-propagate-layouts` follows their
    requests without improvement by cost (`dmc.plain` on the module), unless one of them
    is marked `dmc.improved`. Files run first, and may include sequences of the library.

    ```mlir
    %x = transform.dmc.arguments named "x" in %program : (!transform.any_op) -> !transform.any_value
    transform.dmc.shard %x dim 0 along {"data"} : (!transform.any_value) -> ()
    ```

    makes of the argument `"x" : tensor<8x4xf32>` in `dmc.program`
    `"x" : tensor<8x4xf32, #layout_data_r>`. A module that is not at level `tensor`
    passes.
  }];
  let options = [ListOption<"files", "files", "std::string", "files of tactics">,
                 ListOption<"strategies", "strategies", "std::string",
                            "strategies, as zero1:axis=data">,
                 Option<"machine", "machine", "std::string", /*default=*/"\"\"",
                        "the machine for transform.dmc.propagate, as dmc-propagate-layouts "
                        "takes it">];
  let dependentDialects = ["::dmc::DMCDialect", "::mlir::transform::TransformDialect"];
}

def SavePlan : Pass<"dmc-save-plan", "::mlir::ModuleOp"> {
  let summary = "Writes the decided layouts as a tactic";
  let description = [{
    The pass runs after `dmc-propagate-layouts` and writes all decisions that
    `dmc-materialize-moves` will apply as one `transform.dmc.plan` with a fingerprint of the program as it was before tactics
    (locations and layouts do not count). Run on the same program with the same mesh it
    gives the same parallel program.

    ```mlir
    %y = linalg.map { math.tanh } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
        {dmc.layouts = #dmc.op_layouts<operands = [#layout_data, #layout_data], results = [#layout_data]>}
    ```

    is the line `1 "linalg.map" (#layout_data, #layout_data) -> (#layout_data)`.
  }];
  let options = [Option<"file", "file", "std::string", /*default=*/"\"-\"",
                        "where to write the plan">];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

#endif // DMC_PARALLELIZE_TACTICS_PASSES_TD

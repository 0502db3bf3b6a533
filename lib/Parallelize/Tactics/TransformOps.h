//===- TransformOps.h - The operations of tactics ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of `transform.dmc.*` and what their files share.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TACTICS_TRANSFORMOPS_H
#define DMC_LIB_PARALLELIZE_TACTICS_TRANSFORMOPS_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/BuiltinOps.h"

#define GET_OP_CLASSES
#include "dmc/Parallelize/Tactics/TransformOps.h.inc"

namespace dmc::tactics {

/// The program that tactics are about.
struct Subject {
  mlir::ModuleOp module;
  ProgramAttr program;
  mlir::func::FuncOp entry;

  mlir::func::ReturnOp getReturn() const;
};

/// Emits an error at the tactic unless the payload is a program at level 0 with a mesh.
mlir::FailureOr<Subject> getSubject(mlir::Operation *tactic, mlir::transform::TransformState &state,
                                    bool needsMesh = true);

/// The text of an attribute or of a parameter; empty where there is none.
mlir::FailureOr<std::string> getText(mlir::Operation *tactic, mlir::StringAttr text,
                                     mlir::Value param, mlir::transform::TransformState &state);

/// A program and the axes of its mesh that a tactic names.
struct SubjectOnAxes : Subject {
  MeshAttr mesh;
  AxesAttr axes;
};

/// Both, as most requests need them. Axes that are left out are an error, or null where they
/// are optional.
mlir::FailureOr<SubjectOnAxes> getSubjectOnAxes(mlir::Operation *tactic, AxesAttr axes,
                                                mlir::Value param,
                                                mlir::transform::TransformState &state,
                                                bool areOptional = false);

/// Axes as the layout library has them.
std::vector<AxisRef> toAxisList(MeshAttr mesh, AxesAttr axes);

/// `[{"data"}, {}]` for messages.
std::string toText(LayoutAttr layout);
std::string toText(AxesAttr axes);

inline mlir::DiagnosedSilenceableFailure toResult(mlir::LogicalResult result) {
  return mlir::failed(result) ? mlir::DiagnosedSilenceableFailure::definiteFailure()
                              : mlir::DiagnosedSilenceableFailure::success();
}

} // namespace dmc::tactics

#endif // DMC_LIB_PARALLELIZE_TACTICS_TRANSFORMOPS_H

//===- ChooseMesh.h - The mesh of least predicted time ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--mesh=auto:64`: how the ranks of a machine are divided into axes is chosen with the plan.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PIPELINES_CHOOSEMESH_H
#define DMC_LIB_PIPELINES_CHOOSEMESH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace dmc {

/// How many ranks `auto:64` asks for; nothing and no problem: the text is that of a mesh.
std::optional<int64_t> parseAutoMesh(llvm::StringRef mesh, std::string &problem);

/// The sizes of the meshes among which a plan for so many ranks is chosen, with up to `maxAxes`
/// axes of at least 2. A mesh whose axes divide those of another has all of its layouts: only those
/// with the most axes are listed. On a machine with one level of links the order of the axes says
/// nothing, and each mesh is listed once, larger axes first.
std::vector<llvm::SmallVector<int64_t>> listMeshes(int64_t numRanks, unsigned maxAxes,
                                                   bool isOrdered);

} // namespace dmc

#endif // DMC_LIB_PIPELINES_CHOOSEMESH_H

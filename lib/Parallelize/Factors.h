//===- Factors.h - Axes of factors and axes of dimensions -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A factor's axes are what splits the dimensions that it indexes. Dimensions of
// several factors (reshapes) list them major to minor.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_FACTORS_H
#define DMC_LIB_PARALLELIZE_FACTORS_H

#include "dmc/Sharding/ShardingRule.h"

#include "llvm/ADT/DenseMap.h"

namespace dmc {

using AxisList = std::vector<AxisRef>;
/// The axes that split each factor of a rule.
using Assignment = std::vector<AxisList>;

bool isPrefix(const AxisList &prefix, const AxisList &list);
bool overlapsAny(const AxisRef &axis, const AxisList &axes);

/// Where a list goes on after its beginning, whose last axis may be the major part of one of
/// the list (that one is then larger); nothing if it does not.
std::optional<size_t> findGrowth(llvm::ArrayRef<AxisRef> beginning, llvm::ArrayRef<AxisRef> list);
/// What of axis `i` of a list the beginning does not have.
AxisRef getGrowth(llvm::ArrayRef<AxisRef> beginning, llvm::ArrayRef<AxisRef> list, size_t i);

/// Divides the axes of a dimension among its factors; each factor is handed its
/// axes (possibly none). False if some found no place: a minor factor can take
/// axes only where all more major ones are fully split, and blocks must coincide
/// (`mergeKeepsSplit`). An axis that is larger than a factor is cut into two parts.
bool divideAmongFactors(const ShardingRule &rule, const DimFactors &factors, const AxisList &axes,
                        llvm::function_ref<void(unsigned factor, llvm::ArrayRef<AxisRef>)> take);

/// The axes of a dimension of these factors, or nothing if no list says it.
std::optional<AxisList> joinFactors(const ShardingRule &rule, const DimFactors &factors,
                                    const Assignment &assignment);

/// Layouts by attribute and attributes by layout, each made once.
class LayoutCache {
public:
  explicit LayoutCache(MeshAttr mesh) : meshAttr(mesh), mesh(mesh.toMesh()) {}
  const Layout &get(LayoutAttr attribute);
  LayoutAttr get(const Layout &layout) const {
    return LayoutAttr::get(meshAttr, layout.canonical());
  }
  const Mesh &getMesh() const { return mesh; }
  MeshAttr getMeshAttr() const { return meshAttr; }

private:
  MeshAttr meshAttr;
  Mesh mesh;
  llvm::DenseMap<LayoutAttr, std::unique_ptr<Layout>> layouts;
};

/// The entry of a program: its module's only public function with a body.
mlir::FailureOr<mlir::func::FuncOp> getEntryFunction(mlir::ModuleOp module);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_FACTORS_H

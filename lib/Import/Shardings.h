//===- Shardings.h - Shardings of sdy as layouts ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program has one mesh: that of its shardings with the most axes. Axes of the
// others are said by its axes and their parts.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_SHARDINGS_H
#define DMC_LIB_IMPORT_SHARDINGS_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Import/StableHLO/Sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>

namespace dmc {

/// What a sharding asks for.
struct ShardingRequest {
  /// Null if the program has no mesh, so that nothing is asked for.
  LayoutAttr layout;
  llvm::SmallVector<int64_t> open;
  /// For each dimension; empty if all are 0.
  llvm::SmallVector<int64_t> priorities;
  AxesAttr replicated;

  /// True if every layout satisfies it.
  bool isVoid() const {
    return !layout || (layout.isReplicated() && !layout.isPartial() && !replicated &&
                       static_cast<int64_t>(open.size()) == layout.getRank());
  }
  /// True if one layout satisfies it.
  bool isClosed() const { return layout && open.empty(); }
};

class ShardingReader {
public:
  explicit ShardingReader(mlir::func::FuncOp entry) : entry(entry) {}

  /// Chooses the mesh among those that shardings name or, if they name none, those
  /// of the module.
  mlir::LogicalResult chooseMesh();

  /// The mesh of the program; null if it has none.
  MeshAttr getMesh() const { return mesh; }
  /// The device that each rank is; empty if rank r is device r.
  llvm::ArrayRef<int64_t> getDevices() const { return devices; }

  mlir::FailureOr<ShardingRequest> read(sdy::TensorShardingAttr sharding,
                                        mlir::RankedTensorType type, mlir::Location loc,
                                        const llvm::Twine &what);
  /// The same for attributes of an argument or result; no layout where no sharding is given.
  mlir::FailureOr<ShardingRequest> read(mlir::DictionaryAttr attrs, mlir::RankedTensorType type,
                                        mlir::Location loc, const llvm::Twine &what);

  /// The axes of the program's mesh that are an axis of another mesh, or a part of one.
  mlir::FailureOr<llvm::SmallVector<AxisAttr>> getAxes(sdy::MeshAttr source, sdy::AxisRefAttr axis,
                                                       mlir::Location loc);

private:
  using AxisMap = std::map<std::string, std::vector<AxisRef>>;

  /// How the program's mesh says the axes of another; null if it cannot. Unless `isOrdered`, a mesh
  /// whose devices are in an order that no axes describe counts as one in the program's order: its
  /// shardings split the same dimensions among as many devices.
  const AxisMap *getAxisMap(sdy::MeshAttr source, bool isOrdered = true);
  std::optional<AxisMap> makeAxisMap(sdy::MeshAttr source, bool isOrdered) const;
  mlir::LogicalResult adopt(sdy::MeshAttr source, mlir::Location loc);

  mlir::func::FuncOp entry;
  sdy::MeshAttr chosen;
  MeshAttr mesh;
  llvm::SmallVector<int64_t> devices;
  llvm::DenseMap<sdy::MeshAttr, std::optional<AxisMap>> axisMaps;
};

/// Converts all that a program says of shardings within its body into constraints and
/// manual computations of dmc.
mlir::LogicalResult convertShardings(mlir::func::FuncOp entry, ShardingReader &shardings);
mlir::LogicalResult convertManualComputations(mlir::func::FuncOp entry, ShardingReader &shardings);

/// Asks for a layout of a value: the value itself if every layout will do.
mlir::Value createConstraint(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                             const ShardingRequest &request);

} // namespace dmc

#endif // DMC_LIB_IMPORT_SHARDINGS_H

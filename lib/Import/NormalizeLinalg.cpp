//===- NormalizeLinalg.cpp - Linalg operations that stand for several -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and the changes of data layout, by upstream's decompositions.
//
//===----------------------------------------------------------------------===//
#include "Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

static LogicalResult refuse(Operation *op, StringRef expected) {
  return op->emitError() << "unsupported: '" << op->getName() << "' of this form; expected "
                         << expected;
}

static LogicalResult decomposeSoftmax(RewriterBase &rewriter, Operation *op) {
  FailureOr<SmallVector<Value>> results = cast<linalg::SoftmaxOp>(op).decomposeOperation(rewriter);
  if (failed(results))
    return refuse(op, "static shapes");
  rewriter.replaceOp(op, *results);
  return success();
}

static LogicalResult decomposePack(RewriterBase &rewriter, Operation *op) {
  auto pack = cast<linalg::PackOp>(op);
  if (llvm::any_of(pack.getMixedTiles(), [](OpFoldResult tile) { return isa<Value>(tile); }))
    return refuse(op, "constant tiles");
  if (failed(linalg::lowerPack(rewriter, pack, /*lowerPadLikeWithInsertSlice=*/false)))
    return refuse(op, "constant tiles that upstream lowers");
  return success();
}

static LogicalResult decomposeUnPack(RewriterBase &rewriter, Operation *op) {
  auto unpack = cast<linalg::UnPackOp>(op);
  if (llvm::any_of(unpack.getMixedTiles(), [](OpFoldResult tile) { return isa<Value>(tile); }))
    return refuse(op, "constant tiles");
  if (failed(linalg::lowerUnPack(rewriter, unpack, /*lowerUnpadLikeWithExtractSlice=*/false)))
    return refuse(op, "constant tiles that upstream lowers");
  return success();
}

static LogicalResult refuseWinograd(RewriterBase &, Operation *op) {
  return op->emitError() << "unsupported: '" << op->getName()
                         << "', a step of another form of a convolution; expected the "
                            "convolution itself";
}

void dmc::registerLinalgNormalizations(Normalizations &table) {
  table["linalg.pack"] = decomposePack;
  table["linalg.softmax"] = decomposeSoftmax;
  table["linalg.unpack"] = decomposeUnPack;
  table["linalg.winograd_filter_transform"] = refuseWinograd;
  table["linalg.winograd_input_transform"] = refuseWinograd;
  table["linalg.winograd_output_transform"] = refuseWinograd;
}

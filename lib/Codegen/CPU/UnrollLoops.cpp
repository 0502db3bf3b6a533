//===- UnrollLoops.cpp - Loops that become straight code ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM vectorizes innermost loops. One over a window of two or three elements fills no vector:
// unrolled, the loop around it is the innermost.
//
//===----------------------------------------------------------------------===//

#include "CPU/UnrollLoops.h"

#include "Kernel/Buffers.h"
#include "Math/ExpandMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// What LLVM allows by default, at its level 2.
constexpr int64_t mostOperations = 150;

static std::optional<int64_t> countOf(scf::ForOp loop) {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!from || !to || !step || *step < 1)
    return std::nullopt;
  return std::max<int64_t>(llvm::divideCeil(*to - *from, *step), 0);
}

namespace {
/// A body without the loops of it that stay.
struct Size {
  int64_t operations = 0;   // indices are not counted: they become parts of addresses
  int64_t elementBytes = 1; // of the widest
  bool hasLoop = false;
};
} // namespace

static void ask(scf::ForOp loop) {
  MLIRContext *context = loop->getContext();
  auto full = LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, false),
                                        /*count=*/{}, /*runtimeDisable=*/{},
                                        /*full=*/BoolAttr::get(context, true), {}, {}, {});
  loop->setAttr(loopAnnotation, LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, full, {}, {}, {},
                                                              {}, {}, {}, {}, {}, {}, {}, {}));
}

static Size unroll(Region &region, int64_t vectorBytes) {
  Size size;
  for (Operation &op : region.getOps()) {
    Size inner;
    for (Region &nested : op.getRegions()) {
      Size part = unroll(nested, vectorBytes);
      inner.operations += part.operations;
      inner.elementBytes = std::max(inner.elementBytes, part.elementBytes);
      inner.hasLoop |= part.hasLoop;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<int64_t> count = countOf(loop);
      bool isShort = !inner.hasLoop && count && *count * inner.elementBytes < vectorBytes &&
                     *count * inner.operations <= mostOperations;
      if (isShort)
        ask(loop);
      inner.hasLoop = !isShort;
      inner.operations *= count.value_or(1);
    } else if (isa<scf::WhileOp>(op)) {
      inner.hasLoop = true;
    }
    for (Type type : op.getResultTypes())
      if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat()) {
        inner.operations += 1;
        inner.elementBytes = std::max(inner.elementBytes, elementBytes(element));
        break;
      }
    size.operations += inner.operations;
    size.elementBytes = std::max(size.elementBytes, inner.elementBytes);
    size.hasLoop |= inner.hasLoop;
  }
  return size;
}

void codegen::unrollShortLoops(ModuleOp module, int64_t vectorBytes) {
  for (auto function : module.getOps<FunctionOpInterface>())
    unroll(function.getFunctionBody(), vectorBytes);
}

//===- OutlineKernels.cpp - Kernels become functions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outlines kernels and finds equal ones by a structural hash.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Fusion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-outline-kernels"

namespace dmc {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static constexpr StringLiteral kindName = "dmc.kernel_kind";

namespace {
/// Hashes what a region computes: names, attributes, types and which value
/// each operand is, but no locations.
class StructureHash {
public:
  llvm::hash_code hash(Region &region) {
    llvm::hash_code code = llvm::hash_value(region.getBlocks().size());
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        number(argument);
        code = llvm::hash_combine(code, argument.getType());
      }
      for (Operation &op : block) {
        auto ofOperand = [&](Value value) { return llvm::hash_value(numbers.lookup(value)); };
        code = llvm::hash_combine(code, OperationEquivalence::computeHash(
                                            &op, ofOperand, OperationEquivalence::ignoreHashValue,
                                            OperationEquivalence::IgnoreLocations));
        for (Value result : op.getResults())
          number(result);
        for (Region &inner : op.getRegions())
          code = llvm::hash_combine(code, hash(inner));
      }
    }
    return code;
  }

private:
  void number(Value value) { numbers.try_emplace(value, numbers.size() + 1); }

  llvm::DenseMap<Value, unsigned> numbers;
};
} // namespace

/// A word for what the kernel computes: its first root, or that root's body's
/// last operation.
static StringRef getHint(KernelOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  Operation *root =
      terminator->getNumOperands() ? terminator->getOperand(0).getDefiningOp() : nullptr;
  if (!root)
    return "empty";
  if (isa<linalg::MapOp, linalg::GenericOp, linalg::ReduceOp>(root)) {
    Operation *yield = root->getRegion(0).front().getTerminator();
    if (Operation *last = yield->getOperand(0).getDefiningOp())
      root = last;
    else
      return "copy";
  }
  return root->getName().stripDialect();
}

namespace {
struct OutlineKernels : dmc::impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });

    // Those of one structure, in order of the first.
    struct Class {
      KernelOp first;
      func::FuncOp function;
    };
    std::vector<Class> classes;
    llvm::DenseMap<unsigned, SmallVector<unsigned, 1>> byHash;
    SmallVector<unsigned> classOf;
    for (KernelOp kernel : kernels) {
      unsigned hash = static_cast<unsigned>(size_t(StructureHash().hash(kernel.getBody())));
      if (hash >= ~1u)
        hash = 0; // keys that the map keeps for itself
      SmallVector<unsigned, 1> &candidates = byHash[hash];
      auto same = llvm::find_if(
          candidates, [&](unsigned candidate) { return isSame(classes[candidate].first, kernel); });
      if (same != candidates.end()) {
        classOf.push_back(*same);
        continue;
      }
      candidates.push_back(classes.size());
      classOf.push_back(classes.size());
      classes.push_back({kernel, {}});
    }

    LDBG() << kernels.size() << " kernels of " << classes.size() << " structures";
    SymbolTable symbols(module);
    OpBuilder builder(module.getContext());
    builder.setInsertionPointToEnd(module.getBody());
    for (auto [i, entry] : llvm::enumerate(classes))
      entry.function = makeFunction(builder, symbols, entry.first, i);
    for (auto [kernel, index] : llvm::zip(kernels, classOf)) {
      builder.setInsertionPoint(kernel);
      auto launch =
          LaunchOp::create(builder, kernel.getLoc(), kernel.getResultTypes(),
                           FlatSymbolRefAttr::get(classes[index].function.getSymNameAttr()),
                           kernel.getInputs(), kernel.getInits(), kernel.getInPlaceAttr());
      kernel->replaceAllUsesWith(launch);
      kernel->erase();
    }
  }

  static bool isSame(KernelOp a, KernelOp b) {
    return a->getAttr(kindName) == b->getAttr(kindName) &&
           a.getInputs().size() == b.getInputs().size() &&
           OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                      OperationEquivalence::IgnoreLocations);
  }

  static func::FuncOp makeFunction(OpBuilder &builder, SymbolTable &symbols, KernelOp kernel,
                                   unsigned number) {
    Block &body = kernel.getBody().front();
    OpBuilder::InsertionGuard guard(builder);
    std::string name = ("kernel_" + llvm::Twine(number) + "_" + getHint(kernel)).str();
    auto type = builder.getFunctionType(body.getArgumentTypes(), kernel.getResultTypes());
    auto function = func::FuncOp::create(builder, kernel.getLoc(), name, type);
    function.setPrivate();
    function->setAttr("dmc.kernel_function", builder.getUnitAttr());
    if (Attribute kind = kernel->getAttr(kindName))
      function->setAttr(kindName, kind);
    symbols.insert(function);
    IRMapping mapping;
    kernel.getBody().cloneInto(&function.getBody(), mapping);
    Operation *yield = function.getBody().front().getTerminator();
    builder.setInsertionPoint(yield);
    func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
    yield->erase();
    return function;
  }
};
} // namespace

//===- MergedNest.cpp - Several nests as one ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nests of one form share one body: a tree of branches, which all threads of a
// block take alike, finds the arguments of the block's part.
//
//===----------------------------------------------------------------------===//

#include "GPU/MergedNest.h"

#include "Kernel/Buffers.h"
#include "Kernel/NestPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

//===--- Forms ------------------------------------------------------------===//

/// Whether nothing depends on how long the buffer is.
static bool hasAnyLength(BlockArgument buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getRank() == 1 && type.hasStaticShape() && type.getLayout().isIdentity() &&
         llvm::all_of(
             buffer.getUsers(),
             llvm::IsaPred<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>);
}

static MemRefType withLength(Type type, int64_t length) {
  return MemRefType::Builder(cast<MemRefType>(type)).setShape({length});
}

/// Casts that change nothing.
static void foldCasts(func::FuncOp nest) {
  nest.walk([](memref::ReinterpretCastOp cast) {
    if (cast.getSource().getType() != cast.getType())
      return;
    cast.replaceAllUsesWith(cast.getSource());
    cast.erase();
  });
}

NestForm codegen::getForm(func::FuncOp nest) {
  foldCasts(nest);
  llvm::SetVector<Value> used;
  nest.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == &nest.getBody().front() &&
          argument.getArgNumber() + 2 < nest.getNumArguments())
        used.insert(operand);
  });
  NestForm form;
  OwningOpRef<func::FuncOp> copy = nest.clone();
  Block &body = copy->getBody().front();
  unsigned numBuffers = nest.getNumArguments() - 2;
  for (Value buffer : used) {
    unsigned number = cast<BlockArgument>(buffer).getArgNumber();
    form.arguments.push_back(number);
    BlockArgument old = body.getArgument(number);
    Type type = old.getType();
    if (hasAnyLength(old))
      type = withLength(type, ShapedType::kDynamic);
    old.replaceAllUsesWith(body.addArgument(type, old.getLoc()));
  }
  body.eraseArguments(0, numBuffers);
  Builder builder(nest.getContext());
  copy->setFunctionType(builder.getFunctionType(body.getArgumentTypes(), {}));
  copy->setSymName("form");
  copy->removeArgAttrsAttr();
  copy.get()->removeAttr(NestAttr::attrName);
  llvm::raw_string_ostream stream(form.text);
  copy->print(stream, OpPrintingFlags().useLocalScope());
  return form;
}

bool codegen::isMergeable(func::FuncOp nest) {
  NestAttr plan = NestAttr::of(nest);
  if (!plan || nest.isDeclaration() || !llvm::hasSingleElement(nest.getBody()))
    return false;
  NestLoopAttr grid = plan.getDividedLoop();
  bool isOfElements = llvm::is_contained(
      {NestKind::elements, NestKind::copy, NestKind::gather, NestKind::update}, plan.getKind());
  return isOfElements && grid && grid.getExecutor() == LoopExecutor::grid && plan.getTeam() == 1 &&
         !plan.getSharedBytes() && !plan.getStackBytes() &&
         nest.getBody().front().getArguments().back().use_empty();
}

int64_t codegen::countMergedBlocks(func::FuncOp nest) {
  return llvm::divideCeil(NestAttr::of(nest).getIterations(), Launch::looseThreads);
}

//===--- The merged nest --------------------------------------------------===//

namespace {
/// Parts of one form, and the first of its iterations in the merged nest that each has.
struct FormParts {
  SmallVector<const NestPart *> parts;
  SmallVector<NestForm> forms;
  SmallVector<int64_t> firsts;
  int64_t end = 0;
};

class NestMerger {
public:
  NestMerger(func::FuncOp merged, ArrayRef<NestPart> parts)
      : b(merged.getLoc(), merged.getContext()), body(merged.getBody().front()) {
    llvm::MapVector<StringAttr, FormParts> byText;
    for (const NestPart &part : parts) {
      NestForm form = getForm(part.nest);
      FormParts &same = byText[b.getStringAttr(form.text)];
      same.parts.push_back(&part);
      same.forms.push_back(std::move(form));
    }
    for (auto &[text, same] : byText) {
      for (const NestPart *part : same.parts) {
        same.firsts.push_back(iterations);
        iterations += countMergedBlocks(part->nest) * Launch::looseThreads;
      }
      same.end = iterations;
      forms.push_back(std::move(same));
    }
    merged->setAttr(NestAttr::attrName, describe(merged));
    begin = body.getArgument(body.getNumArguments() - 2);
  }

  void emit() {
    b.setInsertionPointToStart(&body);
    // LLVM does not follow a pointer through branches to where it comes from.
    for (BlockArgument argument : body.getArguments()) {
      arguments.push_back(argument);
      if (isa<MemRefType>(argument.getType()))
        arguments.back() =
            memref::MemorySpaceCastOp::create(b, inDeviceMemory(argument.getType()), argument);
    }
    for (const FormParts &form : forms) {
      if (&form != &forms.back()) {
        auto choice = scf::IfOp::create(b, isBefore(begin, form.end), /*withElseRegion=*/true);
        b.setInsertionPointToStart(choice.thenBlock());
        emit(form);
        b.setInsertionPointToStart(choice.elseBlock());
        continue;
      }
      emit(form);
    }
  }

private:
  /// A buffer in the memory that all blocks have.
  static MemRefType inDeviceMemory(Type type) {
    constexpr int64_t global = 1; // of NVPTX
    auto space = IntegerAttr::get(IntegerType::get(type.getContext(), 64), global);
    return MemRefType::Builder(cast<MemRefType>(type)).setMemorySpace(space);
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value isBefore(Value iteration, int64_t end) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, iteration, constant(end));
  }

  Value getArgument(const FormParts &form, size_t part, size_t number) {
    return arguments[form.parts[part]->arguments[form.forms[part].arguments[number]]];
  }

  /// What the body of a form takes: its arguments, the first iteration, and how many there are.
  void emit(const FormParts &form) {
    func::FuncOp nest = form.parts.front()->nest;
    Block &source = nest.getBody().front();
    size_t numParts = form.parts.size();
    IRMapping mapping;
    SmallVector<Value> varying;
    SmallVector<Type> types;
    SmallVector<size_t> numbers;
    for (auto [i, number] : llvm::enumerate(form.forms.front().arguments)) {
      BlockArgument argument = source.getArgument(number);
      Value first = getArgument(form, 0, i);
      bool isShared = llvm::all_of(llvm::seq(numParts), [&, i = i](size_t part) {
        return getArgument(form, part, i) == first;
      });
      if (isShared) {
        mapping.map(argument, first);
        continue;
      }
      Type type = first.getType();
      if (hasAnyLength(argument)) {
        int64_t longest = 0;
        for (size_t part : llvm::seq(numParts))
          longest = std::max(longest,
                             cast<MemRefType>(getArgument(form, part, i).getType()).getDimSize(0));
        type = withLength(type, longest);
      }
      numbers.push_back(i);
      types.push_back(type);
      varying.push_back(argument);
    }
    Value first = constant(form.firsts.front());
    Value count = constant(NestAttr::of(nest).getIterations());
    if (numParts > 1) {
      types.append(2, b.getIndexType());
      SmallVector<Value> found = choose(form, 0, numParts, numbers, types);
      count = found.pop_back_val();
      first = found.pop_back_val();
      for (auto [argument, value] : llvm::zip_equal(varying, found))
        mapping.map(argument, value);
    }
    Value iteration = arith::SubIOp::create(b, begin, first);
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, iteration, count);
    auto guard = scf::IfOp::create(b, isOne, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
    mapping.map(source.getArgument(source.getNumArguments() - 2), iteration);
    for (Operation &op : source.without_terminator())
      b.clone(op, mapping)->walk<WalkOrder::PreOrder>(moveViews);
  }

  /// Views of buffers in the device's memory are there, too.
  static void moveViews(Operation *op) {
    if (!isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(op))
      return;
    auto type = dyn_cast<MemRefType>(op->getOperand(0).getType());
    if (type && type.getMemorySpace() && isa<MemRefType>(op->getResult(0).getType()))
      op->getResult(0).setType(inDeviceMemory(op->getResult(0).getType()));
  }

  /// The values of the part, of those from `low` to before `high`, that the running block is of.
  SmallVector<Value> choose(const FormParts &form, size_t low, size_t high,
                            ArrayRef<size_t> numbers, ArrayRef<Type> types) {
    if (high - low == 1) {
      SmallVector<Value> values;
      for (auto [number, type] : llvm::zip(numbers, types)) {
        Value value = getArgument(form, low, number);
        if (value.getType() != type)
          value = memref::ReinterpretCastOp::create(b, cast<MemRefType>(type), value, /*offset=*/0,
                                                    cast<MemRefType>(type).getShape(),
                                                    ArrayRef<int64_t>{1});
        values.push_back(value);
      }
      values.push_back(constant(form.firsts[low]));
      values.push_back(constant(NestAttr::of(form.parts[low]->nest).getIterations()));
      return values;
    }
    size_t middle = (low + high) / 2;
    auto choice = scf::IfOp::create(b, types, isBefore(begin, form.firsts[middle]),
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, choose(form, low, middle, numbers, types));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, choose(form, middle, high, numbers, types));
    return choice.getResults();
  }

  NestAttr describe(func::FuncOp merged) {
    MLIRContext *context = merged.getContext();
    int64_t flops = 0;
    SmallVector<NestLoopAttr> loops;
    llvm::MapVector<std::pair<int64_t, int64_t>, NestAccessAttr> accesses; // reads, and writes
    SmallVector<NestAccessAttr> all;
    NestKind kind = NestAttr::of(forms.front().parts.front()->nest).getKind();
    for (const FormParts &form : forms) {
      ArrayRef<NestLoopAttr> ofForm = NestAttr::of(form.parts.front()->nest).getLoops();
      llvm::append_range(loops, ofForm.front().getInner().front().getInner());
      for (const NestPart *part : form.parts) {
        func::FuncOp nest = part->nest;
        NestAttr plan = NestAttr::of(nest);
        if (plan.getKind() != kind)
          kind = NestKind::elements;
        flops += plan.getFlops();
        for (NestAccessAttr access : plan.getAccesses()) {
          int64_t number = access.getArgument(), most = access.getBytes();
          if (number >= 0) {
            most = bufferBytes(cast<MemRefType>(nest.getArgumentTypes()[number]));
            number = part->arguments[number];
          }
          auto withBytes = [&](NestAccessAttr like, int64_t bytes) {
            return NestAccessAttr::get(context, like.getKind(), number, bytes, like.getForm(),
                                       like.getStride(), like.getVector());
          };
          access = withBytes(access, access.getBytes());
          if (number < 0) {
            all.push_back(access);
            continue;
          }
          int64_t isRead = access.getKind() == AccessKind::read;
          auto [known, isNew] = accesses.try_emplace({isRead, number}, access);
          if (isNew)
            continue;
          // Each part reads what it needs: slices of an array are other bytes of it.
          NestAccessAttr before = known->second;
          int64_t bytes = std::min(most, before.getBytes() + access.getBytes());
          known->second = withBytes(before.getBytes() < access.getBytes() ? access : before, bytes);
        }
      }
    }
    for (auto &[key, access] : accesses)
      all.push_back(access);
    auto thread =
        NestLoopAttr::get(context, LoopExecutor::thread, Launch::looseThreads, -1, 1, 0, loops);
    auto grid = NestLoopAttr::get(context, LoopExecutor::grid, iterations / Launch::looseThreads,
                                  -1, 1, 0, thread);
    return NestAttr::get(context, kind, iterations, flops, grid, all, /*stackBytes=*/0,
                         /*sharedBytes=*/0);
  }

  ImplicitLocOpBuilder b;
  Block &body;
  std::vector<FormParts> forms;
  int64_t iterations = 0;
  Value begin;
  SmallVector<Value> arguments;
};
} // namespace

func::FuncOp codegen::mergeNests(Location loc, StringRef name, ArrayRef<Type> arguments,
                                 ArrayRef<NestPart> parts, SymbolTable &symbols) {
  OpBuilder builder(parts.front().nest);
  SmallVector<Type> types(arguments);
  types.append(2, builder.getIndexType());
  auto merged = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  merged.setPrivate();
  symbols.insert(merged);
  Block *body = merged.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, loc);
  for (NestPart part : parts)
    for (auto [i, number] : llvm::enumerate(part.arguments))
      for (StringRef attr : {"dmc.stream", "llvm.noalias"})
        if (part.nest.getArgAttr(i, attr))
          merged.setArgAttr(number, attr, builder.getUnitAttr());
  NestMerger(merged, parts).emit();
  if (parts.front().nest->hasAttr("dmc.narrow_indices"))
    merged->setAttr("dmc.narrow_indices", builder.getUnitAttr());
  return merged;
}

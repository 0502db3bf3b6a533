//===- NestAttr.cpp - How a loop nest is executed -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult NestLoopAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   LoopExecutor executor, int64_t trips, int64_t least,
                                   int64_t step, int64_t carried, ArrayRef<NestLoopAttr> inner) {
  // (C1)
  if (trips < 0 || least < -1 || step < 0 || carried < 0)
    return emitError() << "expected a loop of no negative counts, found " << trips
                       << " iterations at a step of " << step << " with " << carried
                       << " carried values";
  if (least > trips)
    return emitError() << "expected a loop of at most " << trips << " iterations to have no more, "
                       << "found at least " << least;
  // (C2)
  auto isThread = [](NestLoopAttr loop) { return loop.getExecutor() == LoopExecutor::thread; };
  if (executor == LoopExecutor::grid ? !llvm::hasSingleElement(inner) || !isThread(inner.front())
                                     : llvm::any_of(inner, isThread))
    return emitError() << "expected the threads of a block within a grid and nowhere else";
  auto isTeam = [](NestLoopAttr loop) { return loop.getExecutor() == LoopExecutor::team; };
  if (llvm::any_of(inner, isTeam) &&
      (executor != LoopExecutor::thread || !llvm::hasSingleElement(inner)))
    return emitError() << "expected a team to be all that is within the threads of a block";
  if (executor == LoopExecutor::lanes && !inner.empty())
    return emitError() << "expected lanes of a vector without loops within them";
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult NestAccessAttr::verify(function_ref<InFlightDiagnostic()> emitError, AccessKind kind,
                                     int64_t argument, int64_t bytes, LaneForm form, int64_t stride,
                                     int64_t vector) {
  // (C1)
  if (argument < -1 || bytes < 0 || vector < 1)
    return emitError() << "expected an access of an argument, or of a constant (-1), of no "
                          "negative number of bytes and of an element at least, found argument "
                       << argument << ", " << bytes << " bytes and vectors of " << vector;
  // (C2)
  if ((form == LaneForm::strided) != (stride != 0))
    return emitError() << "expected strided accesses, and no others, to have a stride, found "
                       << stringifyLaneForm(form) << " ones with a stride of " << stride;
  return success();
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

NestAttr NestAttr::of(Operation *function) { return function->getAttrOfType<NestAttr>(attrName); }

static bool isDivided(NestLoopAttr loop) {
  return loop.getExecutor() == LoopExecutor::divided || loop.getExecutor() == LoopExecutor::grid;
}

NestLoopAttr NestAttr::getDividedLoop() const {
  const auto *found = llvm::find_if(getLoops(), isDivided);
  return found == getLoops().end() ? NestLoopAttr() : *found;
}

int64_t NestAttr::getTeam() const {
  NestLoopAttr grid = getDividedLoop();
  if (!grid || grid.getExecutor() != LoopExecutor::grid)
    return 1;
  ArrayRef<NestLoopAttr> inner = grid.getInner().front().getInner();
  bool isTeam = !inner.empty() && inner.front().getExecutor() == LoopExecutor::team;
  return isTeam ? inner.front().getTrips() : 1;
}

int64_t NestAttr::getBytes(ArrayRef<AccessKind> kinds) const {
  int64_t bytes = 0;
  for (NestAccessAttr access : getAccesses())
    if (llvm::is_contained(kinds, access.getKind()))
      bytes += access.getBytes();
  return bytes;
}

int64_t NestAttr::getBytes() const {
  return getBytes({AccessKind::read, AccessKind::write, AccessKind::stream});
}

static bool hasDividedLoop(ArrayRef<NestLoopAttr> loops) {
  return llvm::any_of(
      loops, [](NestLoopAttr loop) { return isDivided(loop) || hasDividedLoop(loop.getInner()); });
}

/// Whether the divided loop, or the grid, has the iterations of the nest.
static bool hasIterations(NestLoopAttr loop, int64_t iterations) {
  if (!loop)
    return iterations == 1;
  if (loop.getExecutor() == LoopExecutor::divided)
    return loop.getTrips() == iterations;
  int64_t threads = loop.getInner().front().getTrips();
  return threads > 0 && llvm::divideCeilSigned(iterations, threads) == loop.getTrips();
}

LogicalResult NestAttr::verify(function_ref<InFlightDiagnostic()> emitError, NestKind kind,
                               int64_t iterations, int64_t flops, ArrayRef<NestLoopAttr> loops,
                               ArrayRef<NestAccessAttr> accesses, int64_t stackBytes,
                               int64_t sharedBytes) {
  // (C1)
  if (iterations < 1 || flops < 0 || stackBytes < 0 || sharedBytes < 0)
    return emitError() << "expected a nest of an iteration at least and of no negative flops, "
                          "stack and shared memory, found "
                       << iterations << " iterations, " << flops << " flops, " << stackBytes
                       << " bytes and " << sharedBytes << " shared bytes";
  // (C2)
  if (llvm::count_if(loops, isDivided) > 1 ||
      llvm::any_of(loops, [](NestLoopAttr loop) { return hasDividedLoop(loop.getInner()); }))
    return emitError() << "expected one loop at most to be divided, and an outermost one";
  const auto *divided = llvm::find_if(loops, isDivided);
  if (!hasIterations(divided == loops.end() ? NestLoopAttr() : *divided, iterations))
    return emitError() << "expected a divided loop of the nest's iterations, or a grid of the "
                          "blocks that they need, for "
                       << iterations << " iterations";
  // (C3)
  llvm::SmallDenseSet<int64_t> reads, writes;
  for (NestAccessAttr access : accesses) {
    bool isRead = access.getKind() == AccessKind::read;
    if (access.getArgument() >= 0 && !(isRead ? reads : writes).insert(access.getArgument()).second)
      return emitError() << "expected one " << (isRead ? "read" : "write") << " of argument "
                         << access.getArgument() << ", found several";
  }
  return success();
}

/// The loops of a plan that are operations, in the order of the text.
static void collectLoops(ArrayRef<NestLoopAttr> loops, SmallVectorImpl<NestLoopAttr> &all) {
  for (NestLoopAttr loop : loops) {
    if (loop.isLoopOperation())
      all.push_back(loop);
    collectLoops(loop.getInner(), all);
  }
}

/// Passes may have removed loops since the plan was made, as those of one iteration.
static LogicalResult verifyLoops(function_ref<InFlightDiagnostic()> emitError, NestAttr nest,
                                 FunctionOpInterface function) {
  SmallVector<NestLoopAttr> planned;
  collectLoops(nest.getLoops(), planned);
  NestLoopAttr *next = planned.begin();
  WalkResult walk =
      function.getFunctionBody().walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
        std::optional<APInt> count = loop.getStaticTripCount();
        next = std::find_if(next, planned.end(), [&](NestLoopAttr plan) {
          int64_t least = plan.isExact() ? plan.getTrips() : plan.getLeast();
          return !count || (count->sge(least) && count->sle(plan.getTrips()));
        });
        if (next != planned.end()) {
          ++next;
          return WalkResult::advance();
        }
        InFlightDiagnostic diagnostic = emitError();
        diagnostic << "expected a plan with the loops of the function's body in their order, found "
                      "none for a loop";
        if (count)
          diagnostic << " of " << count->getSExtValue() << " iterations";
        return WalkResult::interrupt();
      });
  return failure(walk.wasInterrupted());
}

LogicalResult NestAttr::verifyFunction(function_ref<InFlightDiagnostic()> emitError,
                                       Operation *op) const {
  // (C4)
  auto function = cast<FunctionOpInterface>(op);
  ArrayRef<Type> types = function.getArgumentTypes();
  if (types.size() < 2 || !types.back().isIndex() || !types.drop_back().back().isIndex())
    return emitError()
           << "expected a function whose last two arguments are the range of iterations";
  for (NestAccessAttr access : getAccesses()) {
    int64_t number = access.getArgument();
    if (number < 0)
      continue;
    auto buffer = number + 2 < static_cast<int64_t>(types.size())
                      ? dyn_cast<MemRefType>(types[number])
                      : MemRefType();
    if (!buffer)
      return emitError() << "expected argument " << number << " to be a buffer that is accessed";
    if (buffer.hasStaticShape() && buffer.getElementType().isIntOrIndexOrFloat()) {
      int64_t bits = buffer.getElementType().isIndex() ? 64 : buffer.getElementTypeBitWidth();
      int64_t bytes = buffer.getNumElements() * llvm::divideCeil(bits, 8);
      if (access.getBytes() > bytes)
        return emitError() << "expected at most the " << bytes << " bytes of argument " << number
                           << " to be accessed, found " << access.getBytes();
    }
    if (access.getKind() == AccessKind::stream && !function.getArgAttr(number, "dmc.stream"))
      return emitError() << "expected argument " << number
                         << ", which is written past the caches, to have 'dmc.stream'";
  }
  // (C5)
  if (function.isExternal())
    return success();
  return verifyLoops(emitError, *this, function);
}

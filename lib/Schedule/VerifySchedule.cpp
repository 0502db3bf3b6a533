//===- VerifySchedule.cpp - Every buffer holds what is read ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the scheduled entry's accesses to bytes, independently of the planner.
//
//===----------------------------------------------------------------------===//
#include "Accesses.h"
#include "VerifyStreams.h"
#include "WrittenBytes.h"

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Schedule/Arena.h"
#include "dmc/Schedule/Passes.h"
#include "dmc/Schedule/Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace dmc {
#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
class Verifier {
public:
  Verifier(ModuleOp module, func::FuncOp entry, ProgramAttr program)
      : module(module), entry(entry), block(entry.getBody().front()), program(program),
        numArguments(program.getArguments().size()), numResults(program.getResults().size()) {}

  LogicalResult run() {
    if (failed(checkSignature()))
      return failure();
    memory.emplace(entry, program);
    streams.emplace(*memory);
    written.resize(memory->getNumMemories());
    for (unsigned i = 0; i < numArguments; ++i) {
      Access access = memory->getArgument(i);
      written[i].write(0, access.bytes, access.buffer, entry);
    }
    return failed(verifyCollectiveOrder(entry)) ? failure() : visit(block);
  }

private:
  static int64_t getBits(ShapedType type) {
    Type element = type.getElementType();
    return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  }

  unsigned getArena() const { return numArguments + numResults; }

  LogicalResult checkSignature() { // verify_c1
    if (block.getNumArguments() != getArena() + 1 || entry.getNumResults() != 0)
      return entry.emitError("expected ")
             << numArguments << " arguments, " << numResults
             << " results and the arena as arguments and no results, found "
             << entry.getFunctionType();
    for (Type type : entry.getArgumentTypes()) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || !memref.hasStaticShape() || !memref.getLayout().isIdentity())
        return entry.emitError("expected arguments that are memrefs of static shape and identity "
                               "layout, found ")
               << type;
    }
    auto checkShape = [&](unsigned index, ValueAttr value, StringRef role) -> LogicalResult {
      auto memref = cast<MemRefType>(entry.getArgumentTypes()[index]);
      RankedTensorType global = value.getType();
      SmallVector<int64_t> shape(global.getShape());
      if (LayoutAttr layout = value.getLayout())
        shape = layout.getLocalShape(global.getShape());
      if (memref.getShape() != ArrayRef<int64_t>(shape) || getBits(memref) != getBits(global))
        return entry.emitError("expected ") << role << " " << value.getName() << " to have shape ["
                                            << shape << "], found " << memref;
      return success();
    };
    for (auto [i, value] : llvm::enumerate(program.getArguments()))
      if (failed(checkShape(i, value, "argument")))
        return failure();
    for (auto [i, value] : llvm::enumerate(program.getResults()))
      if (failed(checkShape(numArguments + i, value, "result")))
        return failure();
    auto arena = cast<MemRefType>(entry.getArgumentTypes()[getArena()]);
    auto bytes = module->getAttrOfType<IntegerAttr>("dmc.arena_bytes");
    if (!bytes || !bytes.getType().isInteger(64))
      return module.emitError("expected 'dmc.arena_bytes' to be a 64-bit integer");
    if (arena.getRank() != 1 || !arena.getElementType().isInteger(8) ||
        arena.getDimSize(0) != bytes.getInt())
      return entry.emitError("expected an arena of ")
             << bytes.getInt() << " bytes, found " << arena;
    return success();
  }

  LogicalResult visit(Block &current) {
    for (Operation &op : current)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (auto view = dyn_cast<memref::ViewOp>(op))
      return visitView(view);
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return success(findAccess(op, op->getOperand(0)));
    if (auto accessed = getAccessedBuffers(op))
      return failed(visitAccesses(op, *accessed)) ? failure() : startFlight(op);
    if (auto wait = dyn_cast<comm::WaitOp>(op))
      return visitWait(wait);
    if (isa<comm::RecordOp, comm::AwaitOp>(op)) {
      streams->visitEvent(op);
      return success();
    }
    if (isa<scf::WhileOp, scf::ForOp>(op))
      return visitLoop(op);
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return visitChoice(op);
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      return checkNoFlights(op->getBlock());
    if (isa<func::ReturnOp>(op))
      return visitReturn(op);
    auto isScalar = [](Type type) { return !isa<ShapedType, comm::TokenType>(type); };
    if (op->getNumRegions() == 0 && llvm::all_of(op->getOperandTypes(), isScalar) &&
        llvm::all_of(op->getResultTypes(), isScalar))
      return success();
    return op->emitOpError("is not an operation of a scheduled program"); // verify_c5
  }

  /// Two iterations show what one leaves to the next; then what may come of any number.
  LogicalResult visitLoop(Operation *op) {
    auto loop = dyn_cast<scf::WhileOp>(op);
    auto visitTest = [&] { return loop ? visit(*loop.getBeforeBody()) : success(); };
    Block &body = loop ? *loop.getAfterBody() : *cast<scf::ForOp>(op).getBody();
    if (failed(visitTest()))
      return failure();
    std::vector<WrittenBytes> none = written;
    StreamVerifier noneOnStreams = *streams;
    for (int iteration = 0; iteration < 2; ++iteration) {
      if (failed(visit(body)) || failed(visitTest()))
        return failure();
      for (auto [bytes, before] : llvm::zip(written, none))
        bytes.meet(before, entry);
      streams->meet(noneOnStreams);
    }
    return success();
  }

  LogicalResult visitChoice(Operation *op) {
    std::vector<WrittenBytes> before = written, after;
    StreamVerifier streamsBefore = *streams;
    std::optional<StreamVerifier> streamsAfter;
    for (Region &region : op->getRegions()) {
      written = before;
      streams->setOrder(streamsBefore);
      if (!region.empty() && failed(visit(region.front())))
        return failure();
      if (!streamsAfter) {
        after = written;
        streamsAfter = streams;
        continue;
      }
      for (auto [bytes, other] : llvm::zip(after, written))
        bytes.meet(other, entry);
      streamsAfter->meet(*streams);
    }
    written = std::move(after);
    streams->setOrder(*streamsAfter);
    return success();
  }

  /// Collectives are waited for in the block where they start.
  LogicalResult checkNoFlights(Block *ending) { // verify_c7
    for (auto &[token, flight] : flights)
      if (flight.start->getBlock() == ending)
        return flight.start->emitOpError("is not waited for in its block");
    return success();
  }

  LogicalResult visitView(memref::ViewOp view) { // verify_c2
    if (view.getSource() != block.getArgument(getArena()))
      return view.emitOpError("expected a view of the arena");
    APInt offset;
    if (!matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
      return view.emitOpError("expected a constant offset");
    auto type = cast<MemRefType>(view.getType());
    if (!type.hasStaticShape())
      return view.emitOpError("expected a static shape, found ") << type;
    Access access = *memory->find(view);
    int64_t arenaBytes = cast<MemRefType>(view.getSource().getType()).getNumElements();
    if (access.offset % getArenaAlignment(access.bytes) != 0)
      return view.emitOpError("expected an offset aligned to ")
             << getArenaAlignment(access.bytes) << " bytes, found " << access.offset;
    if (access.offset < 0 || access.offset + access.bytes > arenaBytes)
      return view.emitOpError("expected bytes within the arena of ")
             << arenaBytes << " bytes, found [" << access.offset << ", "
             << access.offset + access.bytes << ")";
    return success();
  }

  std::optional<Access> findAccess(Operation *op, Value value) {
    std::optional<Access> access = memory->find(value);
    if (!access && value == block.getArgument(getArena()))
      op->emitOpError("accesses the arena without a view");
    else if (!access) // verify_c2
      op->emitOpError("accesses memory that is neither an argument nor in the arena");
    return access;
  }

  LogicalResult startFlight(Operation *op) {
    auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
    if (collective && op->getNumResults() > 0)
      flights[op->getResult(0)] = {op, *memory->find(collective.getOperandValue()),
                                   *memory->find(collective.getDestination())};
    return success();
  }

  LogicalResult visitWait(comm::WaitOp wait) { // verify_c7
    auto flight = flights.find(wait.getToken());
    if (flight == flights.end())
      return wait.emitOpError("waits for a collective that is not in flight");
    if (flight->second.start->getBlock() != wait->getBlock())
      return flight->second.start->emitOpError("is not waited for in its block");
    flights.erase(flight);
    return success();
  }

  LogicalResult visitAccesses(Operation *op, const AccessedBuffers &accessed) {
    SmallVector<Access> reads, writes;
    for (Value value : accessed.reads) {
      std::optional<Access> access = findAccess(op, value);
      if (!access || failed(checkRead(op, *access)))
        return failure();
      reads.push_back(*access);
    }
    for (auto [i, value] : llvm::enumerate(accessed.writes)) {
      std::optional<Access> found = findAccess(op, value);
      if (!found)
        return failure();
      const Access &access = writes.emplace_back(*found);
      if (access.memory < numArguments && !program.getArguments()[access.memory].isDonated())
        return op->emitOpError("writes argument ") // verify_c4
               << access.memory << ", which is not donated";
      for (auto [j, read] : llvm::enumerate(reads)) { // verify_c6
        bool isPair = i < accessed.inPlace.size() &&
                      accessed.inPlace[i] == static_cast<int64_t>(j) && access.isSameRange(read);
        if (access.overlaps(read) && !isPair)
          return op->emitOpError("writes bytes that it reads: destination ")
                 << i << " and operand " << j;
      }
      for (unsigned j = 0; j < i; ++j)
        if (access.overlaps(writes[j]))
          return op->emitOpError("writes bytes twice: destinations ") << j << " and " << i;
    }
    if (failed(checkFlights(op, reads, writes)) ||
        failed(streams->visitAccesses(op, reads, writes)))
      return failure();
    for (const Access &access : writes)
      written[access.memory].write(access.offset, access.bytes, access.buffer, op);
    return success();
  }

  LogicalResult checkRead(Operation *op, const Access &access) { // verify_c3
    // A result's memory may hold the donated argument's value at first.
    bool isDonated =
        access.memory < numArguments && access.buffer != block.getArgument(access.memory);
    auto found = written[access.memory].find(access.offset, access.bytes, access.buffer,
                                             isDonated ? entry.getOperation() : nullptr);
    if (found.isWritten && !found.other)
      return success();
    if (!found.isWritten)
      return op->emitOpError("reads bytes that are not written: ") << access.buffer;
    InFlightDiagnostic diag = op->emitOpError("reads bytes that another buffer has overwritten: ")
                              << access.buffer;
    diag.attachNote(found.other->getLoc()) << "overwritten here";
    return diag;
  }

  LogicalResult checkFlights(Operation *op, ArrayRef<Access> reads, ArrayRef<Access> writes) {
    for (auto &[token, flight] : flights) { // verify_c7
      bool conflict = false;
      for (const Access &read : reads)
        conflict |= read.overlaps(flight.destination);
      for (const Access &write : writes)
        conflict |= write.overlaps(flight.destination) || write.overlaps(flight.operand);
      if (!conflict)
        continue;
      InFlightDiagnostic diag = op->emitOpError("touches bytes of a collective in flight");
      diag.attachNote(flight.start->getLoc()) << "started here";
      return diag;
    }
    return success();
  }

  LogicalResult visitReturn(Operation *op) {
    for (auto &[token, flight] : flights) // verify_c7
      return flight.start->emitOpError("is never waited for");
    for (unsigned r = 0; r < numResults; ++r) { // verify_c8
      Access access = memory->getArgument(numArguments + r);
      auto through = [&](Value buffer) {
        auto found = written[access.memory].find(0, access.bytes, buffer);
        return found.isWritten && !found.other;
      };
      // A donated argument may be its result, unchanged.
      bool isUnchanged = access.memory < numArguments && through(block.getArgument(access.memory));
      if (!through(access.buffer) && !isUnchanged)
        return op->emitOpError("result ") << r << " is not written";
    }
    return success();
  }

  struct Flight {
    Operation *start = nullptr;
    Access operand, destination;
  };

  ModuleOp module;
  func::FuncOp entry;
  Block &block;
  ProgramAttr program;
  unsigned numArguments, numResults;
  std::optional<EntryMemory> memory;
  std::optional<StreamVerifier> streams;
  std::vector<WrittenBytes> written;
  llvm::SmallDenseMap<Value, Flight> flights;
};

struct VerifySchedule : dmc::impl::VerifyScheduleBase<VerifySchedule> {
  using VerifyScheduleBase::VerifyScheduleBase;

  void runOnOperation() override {
    if (failed(verifySchedule(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult dmc::verifySchedule(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() != Level::scheduled)
    return module.emitError("expected a 'dmc.program' at level scheduled");
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (!function.getBody().hasOneBlock()) // verify_c1
      return function.emitError("expected an entry with one block");
    return Verifier(module, function, program).run();
  }
  return module.emitError("expected a public function");
}

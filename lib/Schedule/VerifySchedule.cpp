//===- VerifySchedule.cpp - Every buffer holds what is read ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the scheduled entry's accesses to bytes, independently of the planner.
//
//===----------------------------------------------------------------------===//
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

#include <map>

namespace dmc {
#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
/// A range of bytes. `memory` is the argument that owns them; a result that an
/// argument is donated to is the argument's memory. `buffer` is the view or the
/// argument through which they are accessed.
struct Access {
  unsigned memory = 0;
  int64_t offset = 0, bytes = 0;
  Value buffer;

  bool overlaps(const Access &other) const {
    return memory == other.memory && bytes > 0 && other.bytes > 0 &&
           offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
  bool isSameRange(const Access &other) const {
    return memory == other.memory && offset == other.offset && bytes == other.bytes;
  }
};

/// Whether an operation stands behind another one, if deeper within regions.
static bool isBehind(Operation *op, Operation *other) {
  Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && other->isBeforeInBlock(ancestor);
}

/// For each byte of one memory the buffer that was written last.
class WrittenBytes {
public:
  void write(int64_t offset, int64_t bytes, Value buffer, Operation *writer) {
    if (bytes == 0)
      return;
    split(offset);
    split(offset + bytes);
    ranges.erase(ranges.lower_bound(offset), ranges.lower_bound(offset + bytes));
    ranges[offset] = {offset + bytes, buffer, writer};
  }

  struct Found {
    bool isWritten = true;
    /// Who wrote over the buffer, or null.
    Operation *other = nullptr;
  };

  /// Whether all bytes were last written through the buffer, or, if it is not
  /// null, by `initial`.
  Found find(int64_t offset, int64_t bytes, Value buffer, Operation *initial = nullptr) const {
    int64_t at = offset, end = offset + bytes;
    auto next = ranges.upper_bound(offset);
    if (next != ranges.begin())
      --next;
    for (; at < end; ++next) {
      while (next != ranges.end() && next->second.end <= at)
        ++next;
      if (next == ranges.end() || next->first > at)
        return {false, nullptr};
      if (next->second.buffer != buffer && !(initial && next->second.writer == initial))
        return {true, next->second.writer};
      at = next->second.end;
    }
    return {};
  }

  /// Keeps what holds in both cases: where the buffers differ, none is valid,
  /// except that what is there from the start, by `initial`, is valid as well in
  /// the buffer of the result that the argument is donated to.
  void meet(const WrittenBytes &other, Operation *initial) {
    std::map<int64_t, Range> mine;
    mine.swap(ranges);
    auto a = mine.begin();
    auto b = other.ranges.begin();
    while (a != mine.end() && b != other.ranges.end()) {
      int64_t begin = std::max(a->first, b->first);
      int64_t end = std::min(a->second.end, b->second.end);
      if (begin < end) {
        // Where buffers differ, it is the later writer that overwrote the other's.
        bool isOther = a->second.writer == initial || isBehind(b->second.writer, a->second.writer);
        Range both = isOther ? b->second : a->second;
        if (a->second.buffer != b->second.buffer && a->second.writer != initial &&
            b->second.writer != initial)
          both.buffer = Value();
        both.end = end;
        ranges[begin] = both;
      }
      if (a->second.end < b->second.end)
        ++a;
      else
        ++b;
    }
  }

private:
  struct Range {
    int64_t end;
    Value buffer;
    Operation *writer;
  };

  void split(int64_t at) {
    auto next = ranges.lower_bound(at);
    if (next == ranges.begin())
      return;
    auto previous = std::prev(next);
    if (previous->first < at && previous->second.end > at) {
      Range tail = previous->second;
      previous->second.end = at;
      ranges[at] = tail;
    }
  }

  std::map<int64_t, Range> ranges;
};

class Verifier {
public:
  Verifier(ModuleOp module, func::FuncOp entry, ProgramAttr program)
      : module(module), entry(entry), block(entry.getBody().front()), program(program),
        numArguments(program.getArguments().size()), numResults(program.getResults().size()) {}

  LogicalResult run() {
    if (failed(checkSignature()))
      return failure();
    findDonors();
    written.resize(block.getNumArguments());
    for (unsigned i = 0; i < numArguments; ++i) {
      Access access = getArgument(i);
      written[i].write(0, access.bytes, access.buffer, entry);
    }
    return visit(block);
  }

private:
  static int64_t getBits(ShapedType type) {
    Type element = type.getElementType();
    return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  }

  static int64_t getBytes(MemRefType type) {
    return type.getNumElements() * ((getBits(type) + 7) / 8);
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

  /// For each result the argument donated to it, or -1.
  void findDonors() {
    donors.assign(numResults, -1);
    for (unsigned i = 0; i < numArguments; ++i)
      if (int64_t result = program.getResultInBufferOf(i); result >= 0)
        donors[result] = i;
  }

  Access getArgument(unsigned index) {
    Access access;
    access.memory = index;
    if (index >= numArguments && index < getArena())
      if (int donor = donors[index - numArguments]; donor >= 0)
        access.memory = donor;
    access.buffer = block.getArgument(index);
    access.bytes = getBytes(cast<MemRefType>(access.buffer.getType()));
    return access;
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
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op)) {
      accesses[op->getResult(0)] = accesses.lookup(op->getOperand(0));
      return getAccess(op, op->getOperand(0), accesses[op->getResult(0)]);
    }
    if (auto launch = dyn_cast<LaunchOp>(op))
      return visitLaunch(launch);
    if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op))
      return visitCollective(collective);
    if (auto wait = dyn_cast<comm::WaitOp>(op))
      return visitWait(wait);
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return visitAccesses(op, {copy.getSource()}, {copy.getTarget()}, {});
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return visitAccesses(op, {load.getMemref()}, {}, {});
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return visitAccesses(op, {}, {store.getMemref()}, {});
    if (isa<scf::WhileOp, scf::ForOp>(op))
      return visitLoop(op);
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return visitChoice(op);
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      return checkNoFlights();
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
    if (failed(checkNoFlights()) || failed(visitTest()))
      return failure();
    std::vector<WrittenBytes> none = written;
    for (int iteration = 0; iteration < 2; ++iteration) {
      if (failed(visit(body)) || failed(visitTest()))
        return failure();
      for (auto [bytes, before] : llvm::zip(written, none))
        bytes.meet(before, entry);
    }
    return success();
  }

  LogicalResult visitChoice(Operation *op) {
    if (failed(checkNoFlights()))
      return failure();
    std::vector<WrittenBytes> before = written, after;
    for (Region &region : op->getRegions()) {
      written = before;
      if (!region.empty() && failed(visit(region.front())))
        return failure();
      if (after.empty()) {
        after = written;
        continue;
      }
      for (auto [bytes, other] : llvm::zip(after, written))
        bytes.meet(other, entry);
    }
    written = std::move(after);
    return success();
  }

  /// Collectives are waited for where they start: not across a loop's or a
  /// choice's bounds.
  LogicalResult checkNoFlights() { // verify_c7
    for (auto &[token, flight] : flights)
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
    Access access;
    access.memory = getArena();
    access.offset = offset.getSExtValue();
    access.bytes = getBytes(type);
    access.buffer = view.getResult();
    int64_t arenaBytes = cast<MemRefType>(view.getSource().getType()).getNumElements();
    if (access.offset % getArenaAlignment(access.bytes) != 0)
      return view.emitOpError("expected an offset aligned to ")
             << getArenaAlignment(access.bytes) << " bytes, found " << access.offset;
    if (access.offset < 0 || access.offset + access.bytes > arenaBytes)
      return view.emitOpError("expected bytes within the arena of ")
             << arenaBytes << " bytes, found [" << access.offset << ", "
             << access.offset + access.bytes << ")";
    accesses[view.getResult()] = access;
    return success();
  }

  LogicalResult getAccess(Operation *op, Value value, Access &access) {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &block) {
      if (argument.getArgNumber() == getArena())
        return op->emitOpError("accesses the arena without a view");
      access = getArgument(argument.getArgNumber());
      return success();
    }
    auto found = accesses.find(value);
    if (found == accesses.end()) // verify_c2
      return op->emitOpError("accesses memory that is neither an argument nor in the arena");
    access = found->second;
    return success();
  }

  LogicalResult visitLaunch(LaunchOp launch) {
    SmallVector<Value> reads, writes(launch.getInits());
    SmallVector<int64_t> inPlace(launch.getInits().size(), -1);
    for (auto [i, input] : llvm::enumerate(launch.getInputs())) {
      if (!isa<MemRefType>(input.getType()))
        continue;
      if (launch.getInPlace())
        for (auto [result, pair] : llvm::enumerate(*launch.getInPlace()))
          if (pair == static_cast<int64_t>(i))
            inPlace[result] = reads.size();
      reads.push_back(input);
    }
    return visitAccesses(launch, reads, writes, inPlace);
  }

  LogicalResult visitCollective(comm::CollectiveOpInterface collective) {
    int64_t inPlace = isa<comm::AllReduceOp>(collective) ? 0 : -1;
    if (failed(visitAccesses(collective, {collective.getOperandValue()},
                             {collective.getDestination()}, {inPlace})))
      return failure();
    if (collective->getNumResults() == 0)
      return success();
    Flight flight;
    flight.start = collective;
    if (failed(getAccess(collective, collective.getOperandValue(), flight.operand)) ||
        failed(getAccess(collective, collective.getDestination(), flight.destination)))
      return failure();
    flights[collective->getResult(0)] = flight;
    return success();
  }

  LogicalResult visitWait(comm::WaitOp wait) { // verify_c7
    if (!flights.erase(wait.getToken()))
      return wait.emitOpError("waits for a collective that is not in flight");
    return success();
  }

  /// Reads, then writes. `inPlace[i]` is the read that write i may overlap.
  LogicalResult visitAccesses(Operation *op, ArrayRef<Value> readValues,
                              ArrayRef<Value> writeValues, ArrayRef<int64_t> inPlace) {
    SmallVector<Access> reads(readValues.size()), writes(writeValues.size());
    for (auto [value, access] : llvm::zip(readValues, reads))
      if (failed(getAccess(op, value, access)) || failed(checkRead(op, access)))
        return failure();
    for (auto [i, value] : llvm::enumerate(writeValues)) {
      Access &access = writes[i];
      if (failed(getAccess(op, value, access)))
        return failure();
      if (access.memory < numArguments && !program.getArguments()[access.memory].isDonated())
        return op->emitOpError("writes argument ") // verify_c4
               << access.memory << ", which is not donated";
      for (auto [j, read] : llvm::enumerate(reads)) { // verify_c6
        bool isPair =
            i < inPlace.size() && inPlace[i] == static_cast<int64_t>(j) && access.isSameRange(read);
        if (access.overlaps(read) && !isPair)
          return op->emitOpError("writes bytes that it reads: destination ")
                 << i << " and operand " << j;
      }
      for (unsigned j = 0; j < i; ++j)
        if (access.overlaps(writes[j]))
          return op->emitOpError("writes bytes twice: destinations ") << j << " and " << i;
    }
    if (failed(checkFlights(op, reads, writes)))
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
      Access access = getArgument(numArguments + r);
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
  std::vector<int> donors;
  llvm::DenseMap<Value, Access> accesses;
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

//===- Shadow.cpp - Checks a warp's access against those before -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells of one history are checked at once: neighbours were mostly written by one warp at a time.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include <algorithm>

using namespace dmc::ptx;

void dmc::ptx::findPattern(Request &r) {
  unsigned first = lowest(r.mask);
  uint32_t lanes = r.mask >> first;
  bool isContiguous = (lanes & (lanes + 1)) == 0, isUniform = true;
  uint64_t at = r.offsets[first] - uint64_t(first) * r.bytes;
  if (r.mask == ~0U) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      isContiguous &= r.offsets[lane] == at + uint64_t(lane) * r.bytes;
      isUniform &= r.offsets[lane] == at;
    }
  } else {
    for (uint32_t rest = r.mask; rest; rest &= rest - 1) {
      unsigned lane = lowest(rest);
      isContiguous &= r.offsets[lane] == at + uint64_t(lane) * r.bytes;
      isUniform &= r.offsets[lane] == r.offsets[first];
    }
  }
  r.isContiguous = isContiguous;
  r.isUniform = isUniform;
}

namespace {
/// The lane that accessed a byte of a cell.
unsigned laneOf(uint32_t state, unsigned lane, unsigned shift, unsigned byte) {
  uint32_t base = state::lane(state, lane);
  return base == state::severalLanes ? base : (base + (byte >> (state >> shift & 3))) & 63;
}

class Checker {
public:
  Checker(Warp &warp, const Instruction &instruction, const Request &request)
      : warp(warp), block(warp.block()), instruction(instruction), r(request), region(*r.region),
        own(r.isCopy ? warp.copyStamp() : warp.stamp()) {}

  void run() {
    unsigned first = lowest(r.mask);
    shift = r.bytes == 1 ? 0 : r.bytes == 2 ? 1 : 2;
    if (r.isUniform) {
      isSeveral = r.mask & (r.mask - 1);
      if (isSeveral && r.writes && !r.isStrong && !storesOneValue())
        return eachLane();
      return cellsOf(first);
    }
    if (!r.isContiguous)
      return eachLane();
    uint64_t begin = r.offsets[first],
             end = begin + uint64_t(r.bytes) * static_cast<unsigned>(__builtin_popcount(r.mask));
    origin = static_cast<int64_t>(begin) - int64_t(first) * r.bytes;
    uint64_t cell = (begin + 3) / 4, last = end / 4;
    // Parts of cells, where elements have fewer bytes.
    if (begin % 4 || last < cell)
      parts(begin / 4);
    while (cell < last)
      cell = same(cell, last);
    if (end % 4 && last >= cell && last * 4 >= begin)
      parts(last);
  }

private:
  static constexpr uint32_t full = 15;
  bool isSeveral = false;
  unsigned shift = 2;
  int64_t origin = 0; // where lane 0's bytes would begin

  void eachLane() {
    isSeveral = false;
    for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
      cellsOf(lowest(lanes));
  }
  /// The cells of one lane.
  void cellsOf(unsigned lane) {
    uint64_t begin = r.offsets[lane], end = begin + r.bytes;
    for (uint64_t cell = begin / 4; cell * 4 < end; ++cell) {
      uint64_t from = std::max(begin, cell * 4), to = std::min(end, cell * 4 + 4);
      one(cell, ((1U << (to - from)) - 1) << (from - cell * 4), lane);
    }
  }
  /// The lanes of one cell, of a contiguous access.
  void parts(uint64_t cell) {
    for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1) {
      unsigned lane = lowest(lanes);
      uint64_t begin = r.offsets[lane], end = begin + r.bytes, from = std::max(begin, cell * 4),
               to = std::min(end, cell * 4 + 4);
      if (from < to)
        one(cell, ((1U << (to - from)) - 1) << (from - cell * 4), lane);
    }
  }

  uint8_t valueOf(unsigned lane, uint64_t byte) const {
    return static_cast<uint8_t>(r.values[byte / r.valueBytes][lane] >> (8 * (byte % r.valueBytes)));
  }
  bool storesOneValue() const {
    unsigned first = lowest(r.mask);
    for (unsigned v = 0; v < r.numValues; ++v)
      for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
        if (r.values[v][lowest(lanes)] != r.values[v][first])
          return false;
    return r.numValues > 0;
  }
  /// Whether a lane stores what is there. That two launches do is chance.
  bool isSame(uint64_t cell, uint32_t mask, unsigned lane, Stamp other) const {
    if (!r.numValues || !isOwnLaunch(other))
      return false;
    for (unsigned b = 0; b < 4; ++b)
      if (mask >> b & 1 &&
          region.bytes[cell * 4 + b] != valueOf(lane, cell * 4 + b - r.offsets[lane]))
        return false;
    return true;
  }

  //===--- One cell ---===//

  bool isOwnLaunch(Stamp stamp) const { return stamp >= block.run().firstStamp; }

  void race(Stamp other, unsigned otherLane, unsigned lane, bool wrote) {
    Run &run = block.run();
    std::string who;
    if (!isOwnLaunch(other)) {
      uint32_t operation = run.memory.operationOf(other);
      who = run.launch.describe ? run.launch.describe(operation)
                                : "operation " + std::to_string(operation);
    } else {
      const Moment &moment = run.moments[other - run.firstStamp];
      if (moment.block != block.number()) {
        who = "block " + std::to_string(moment.block);
      } else {
        uint32_t line = moment.line % block.numWarps();
        std::array<uint32_t, 3> at =
            block.threadIndex(line * 32 + (otherLane < 32 ? otherLane : 0));
        who = (otherLane < 32 ? "thread (" : "a thread of the warp of (") + std::to_string(at[0]) +
              ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
        if (moment.line != line)
          who = "an asynchronous copy of " + who;
      }
    }
    warp.report(isOwnLaunch(other) ? ReportKind::Race : ReportKind::Unordered, instruction, lane,
                std::string(!r.writes ? "reads "
                            : r.reads ? "changes "
                                      : "writes ") +
                    region.name + " at offset " + std::to_string(r.offsets[lane]) + ", which " +
                    who + (wrote ? " wrote," : " read,") + " and nothing orders the two");
  }

  /// Of the lane, or of all that access one address at once.
  bool isBefore(Stamp stamp, unsigned other, unsigned lane) {
    if (!isSeveral)
      return warp.isBefore(stamp, other, lane);
    bool result = true;
    for (uint32_t lanes = r.mask; lanes && result; lanes &= lanes - 1)
      result = warp.isBefore(stamp, other, lowest(lanes));
    return result;
  }

  /// The lane of an earlier access that is not ordered before this one, if there is one: -1.
  int unordered(Stamp stamp, uint32_t state, unsigned laneAt, unsigned shiftAt, uint32_t bytes,
                unsigned lane) {
    Order order = warp.order(stamp);
    if (order == Order::Before)
      return -1;
    for (unsigned b = 0; b < 4; ++b)
      if (bytes >> b & 1) {
        unsigned other = laneOf(state, laneAt, shiftAt, b);
        if (order == Order::None || !isBefore(stamp, other, lane))
          return static_cast<int>(other);
      }
    return -1;
  }

  /// The first reader of a list that read some bytes and is not ordered before this access. Of a
  /// list it is not known which lane of a warp read: what may have been the lane itself is not
  /// reported.
  const Readers::Node *unorderedReader(uint32_t list, uint32_t bytes, unsigned lane) {
    Readers &readers = block.run().memory.readers();
    for (; list; list = readers.node(list).rest) {
      const Readers::Node &node = readers.node(list);
      Order order = warp.order(node.stamp);
      if (order == Order::Before || !(node.bytes & bytes))
        continue;
      if (order == Order::None)
        return &node;
      if (isBefore(node.stamp, node.hasSeveralLanes ? state::severalLanes : lane, lane))
        continue;
      return &node;
    }
    return nullptr;
  }

  void one(uint64_t cell, uint32_t mask, unsigned lane) {
    Stamp &writer = region.writers[cell];
    uint32_t &readers = region.readers[cell], &state = region.states[cell];
    bool bothStrong = r.isStrong && state >> state::strongWrite & 1;
    if (uint32_t bytes = state::bytes(state, state::written) & mask; bytes && !bothStrong)
      if (int other = unordered(writer, state, state::writerLane, state::writerShift, bytes, lane);
          other >= 0)
        if (!r.writes || r.isStrong || state >> state::strongWrite & 1 ||
            !isSame(cell, mask, lane, writer))
          race(writer, static_cast<unsigned>(other), lane, true);
    if (r.writes && readers && !(r.isStrong && state >> state::strongRead & 1))
      checkReaders(cell, mask, lane);
    if (r.reads && (state::bytes(state, state::initialized) & mask) != mask)
      warp.report(ReportKind::Uninitialized, instruction, lane,
                  "reads " + region.name + " at offset " + std::to_string(r.offsets[lane]) +
                      ", which was never written");
    unsigned byte = lowest(mask);
    uint32_t base = isSeveral ? state::severalLanes : (lane - (byte >> shift)) & 63;
    if (r.writes)
      noteWrite(writer, readers, state, mask, base);
    else
      noteRead(readers, state, mask, base, lane);
  }

  void checkReaders(uint64_t cell, uint32_t mask, unsigned lane) {
    uint32_t readers = region.readers[cell], state = region.states[cell];
    if (!(readers & Readers::listBit)) {
      uint32_t bytes = state::bytes(state, state::read) & mask;
      int other = unordered(readers, state, state::readerLane, state::readerShift, bytes, lane);
      if (bytes && other >= 0 && !isSame(cell, mask, lane, readers))
        race(readers, static_cast<unsigned>(other), lane, false);
    } else if (const Readers::Node *node = unorderedReader(readers, mask, lane);
               node && !isSame(cell, mask, lane, node->stamp)) {
      race(node->stamp, state::severalLanes, lane, false);
    }
  }

  void noteWrite(Stamp &writer, uint32_t &readers, uint32_t &state, uint32_t mask, uint32_t base) {
    uint32_t strong = uint32_t(r.isStrong) << state::strongWrite;
    bool goesOn = writer == own && state::lane(state, state::writerLane) == base &&
                  (state >> state::writerShift & 3) == shift &&
                  (state & 1U << state::strongWrite) == strong;
    uint32_t written = goesOn ? mask | state::bytes(state, state::written) : mask;
    uint32_t read = readers ? state::bytes(state, state::read) & ~mask : 0;
    if (!read) {
      readers = 0;
      state &= ~state::readerBits;
    }
    writer = own;
    state = (state & ~state::writerBits) | base << state::writerLane | shift << state::writerShift |
            written << state::written | mask << state::initialized | strong;
  }

  void noteRead(uint32_t &readers, uint32_t &state, uint32_t mask, uint32_t base, unsigned lane) {
    uint32_t strong = uint32_t(r.isStrong) << state::strongRead;
    if (readers == own) {
      bool isLane = state::lane(state, state::readerLane) == base &&
                    (state >> state::readerShift & 3) == shift;
      if (!isLane && !addLane(state, mask, lane)) {
        uint32_t read = state::bytes(state, state::read);
        bool hasOwnBytes = !isSeveral && !(read & mask) &&
                           state::lane(state, state::readerLane) != state::severalLanes;
        // Lanes that read different bytes, in no order that a state can tell.
        if (hasOwnBytes)
          readers = block.run().memory.readers().add(own, /*hasSeveralLanes=*/false, 0,
                                                     static_cast<uint16_t>(read | mask));
        state = (state & ~(63U << state::readerLane)) | state::severalLanes << state::readerLane;
      }
      state |= mask << state::read;
      if (!strong)
        state &= ~(1U << state::strongRead);
      return;
    }
    uint32_t old = readers;
    bool wasStrong = state >> state::strongRead & 1;
    uint32_t oldRead = state::bytes(state, state::read);
    bool replaces = !old;
    if (old && !(old & Readers::listBit))
      replaces = unordered(old, state, state::readerLane, state::readerShift, oldRead, lane) < 0;
    readers = replaces ? own : addReader(old, state, mask);
    bool isList = readers & Readers::listBit;
    if (isList) {
      mask |= oldRead;
      strong &= uint32_t(wasStrong) << state::strongRead;
    }
    state = (state & ~state::readerBits) |
            (isList ? state::severalLanes : base) << state::readerLane |
            shift << state::readerShift | mask << state::read | strong;
  }

  /// Notes that a lane reads some bytes of a cell, too, if each byte's lane can be told: lanes that
  /// read one byte of two, or one that reads elements of several sizes.
  bool addLane(uint32_t &state, uint32_t mask, unsigned lane) const {
    if (isSeveral)
      return false;
    uint32_t read = state::bytes(state, state::read);
    for (uint32_t wider : {2U, 1U, 0U}) {
      uint32_t base = (lane - (lowest(mask) >> wider)) & 63;
      bool isTold = true;
      for (unsigned b = 0; b < 4; ++b) {
        uint32_t other = (base + (b >> wider)) & 63;
        if (mask >> b & 1)
          isTold &= other == lane;
        if (read >> b & 1)
          isTold &= other == laneOf(state, state::readerLane, state::readerShift, b);
      }
      if (!isTold)
        continue;
      state = (state & ~(63U << state::readerLane | 3U << state::readerShift)) |
              base << state::readerLane | wider << state::readerShift;
      return true;
    }
    return false;
  }

  /// This access of some bytes beside those that read before and are not ordered before it.
  uint32_t addReader(uint32_t old, uint32_t state, uint32_t mask) {
    uint32_t oldBytes = state::bytes(state, state::read);
    if (old == lastOld && oldBytes == lastOldBytes && mask == lastBytes)
      return lastNew;
    Readers &readers = block.run().memory.readers();
    auto bytes = static_cast<uint16_t>(mask);
    uint32_t list = old;
    bool hasSeveral = isSeveral, hasOwn = false;
    if (!(list & Readers::listBit)) {
      list = readers.add(old, state::lane(state, state::readerLane) == state::severalLanes, 0,
                         static_cast<uint16_t>(oldBytes));
    } else {
      while (list) {
        const Readers::Node &node = readers.node(list);
        // Of an earlier access of the warp itself it is not known which lane it was.
        Order order = warp.order(node.stamp);
        bool isOwn = node.stamp == own;
        if (!isOwn && (order == Order::None || (order == Order::ByLane && !isOwnWarp(node.stamp))))
          break;
        // This access stands for what the earlier one read, too.
        hasOwn |= isOwn;
        hasSeveral |= isOwn && node.hasSeveralLanes;
        bytes |= node.bytes;
        list = node.rest;
      }
    }
    lastOld = old;
    lastOldBytes = oldBytes;
    lastBytes = mask;
    return lastNew = list || hasOwn ? readers.add(own, hasSeveral, list, bytes) : own;
  }
  bool isOwnWarp(Stamp stamp) const {
    Run &run = block.run();
    if (stamp < run.firstStamp)
      return false;
    const Moment &moment = run.moments[stamp - run.firstStamp];
    return moment.block == block.number() && moment.line == warp.number();
  }

  //===--- Cells of one history ---===//

  /// Whether the lanes that a state names at `at` are those of this access, cell by cell.
  bool hasOwnLanes(uint64_t from, uint64_t to, unsigned at) const {
    unsigned log = static_cast<unsigned>(__builtin_ctz(r.bytes));
    uint32_t difference = 0;
    auto distance = static_cast<uint32_t>(static_cast<int64_t>(from * 4) - origin);
    const uint32_t *states = region.states.get();
    for (uint64_t c = from; c < to; ++c, distance += 4)
      difference |= (states[c] >> at ^ distance >> log) & 63;
    return !difference;
  }

  /// Checks whole cells from one on that have the same history; where they end.
  uint64_t same(uint64_t from, uint64_t last) {
    constexpr uint32_t lanes = 63U << state::writerLane | 63U << state::readerLane;
    const uint32_t *writers = region.writers.get(), *readers = region.readers.get(),
                   *states = region.states.get();
    Stamp writer = writers[from];
    uint32_t reader = readers[from], state = states[from] & ~lanes, difference = 0;
    for (uint64_t c = from; c < last; ++c)
      difference |= (writers[c] ^ writer) | (readers[c] ^ reader) | ((states[c] & ~lanes) ^ state);
    uint64_t to = last;
    if (difference)
      for (to = from + 1; to < last && writers[to] == writer && readers[to] == reader &&
                          (states[to] & ~lanes) == state;
           ++to)
        ;
    if (!isFine(from, to, writer, reader, state)) {
      for (uint64_t c = from; c < to; ++c)
        parts(c);
      return to;
    }
    if (r.writes)
      write(from, to);
    else
      read(from, to, reader, state);
    return to;
  }

  bool isFine(uint64_t from, uint64_t to, Stamp writer, uint32_t reader, uint32_t state) {
    if (r.reads && state::bytes(state, state::initialized) != full)
      return false;
    if (state::bytes(state, state::written) && !(r.isStrong && state >> state::strongWrite & 1)) {
      Order order = warp.order(writer);
      if (order == Order::None ||
          (order == Order::ByLane && !(isOwnLine(writer) && hasShift(state, state::writerShift) &&
                                       hasOwnLanes(from, to, state::writerLane))))
        return false;
    }
    if (!r.writes || !reader || (r.isStrong && state >> state::strongRead & 1))
      return true;
    if (reader & Readers::listBit)
      return !unorderedReader(reader, full, lowest(r.mask));
    Order order = warp.order(reader);
    return order == Order::Before ||
           (order == Order::ByLane && isOwnLine(reader) && hasShift(state, state::readerShift) &&
            hasOwnLanes(from, to, state::readerLane));
  }
  /// Accesses of the warp itself, but for copies, are ordered lane by lane.
  bool isOwnLine(Stamp stamp) const { return isOwnWarp(stamp); }
  bool hasShift(uint32_t state, unsigned at) const { return (state >> at & 3) == shift; }

  void write(uint64_t from, uint64_t to) {
    unsigned log = static_cast<unsigned>(__builtin_ctz(r.bytes));
    uint32_t common = shift << state::writerShift | full << state::written |
                      full << state::initialized | uint32_t(r.isStrong) << state::strongWrite;
    auto distance = static_cast<uint32_t>(static_cast<int64_t>(from * 4) - origin);
    uint32_t *states = region.states.get();
    std::fill(region.writers.get() + from, region.writers.get() + to, own);
    std::fill(region.readers.get() + from, region.readers.get() + to, 0);
    for (uint64_t c = from; c < to; ++c, distance += 4)
      states[c] = common | (distance >> log & 63) << state::writerLane;
  }

  void read(uint64_t from, uint64_t to, uint32_t reader, uint32_t state) {
    unsigned log = static_cast<unsigned>(__builtin_ctz(r.bytes));
    uint32_t *states = region.states.get();
    bool replaces = !reader;
    if (reader && !(reader & Readers::listBit)) {
      Order order = warp.order(reader);
      replaces = order == Order::Before ||
                 (order == Order::ByLane && isOwnLine(reader) &&
                  hasShift(state, state::readerShift) && hasOwnLanes(from, to, state::readerLane));
      if (reader == own && !replaces) {
        for (uint64_t c = from; c < to; ++c)
          parts(c);
        return;
      }
      if (!replaces) { // lists of a warp's reads by several lanes are others
        bool isSeveralLanes = state::lane(states[from], state::readerLane) == state::severalLanes;
        for (uint64_t c = from; c < to; ++c)
          if ((state::lane(states[c], state::readerLane) == state::severalLanes) !=
              isSeveralLanes) {
            for (uint64_t d = from; d < to; ++d)
              parts(d);
            return;
          }
      }
    }
    uint32_t next = replaces ? own : addReader(reader, states[from], full);
    bool isList = next & Readers::listBit;
    uint32_t strong = uint32_t(r.isStrong) << state::strongRead;
    if (isList)
      strong &= state & 1U << state::strongRead;
    uint32_t common = shift << state::readerShift | full << state::read | strong;
    std::fill(region.readers.get() + from, region.readers.get() + to, next);
    auto distance = static_cast<uint32_t>(static_cast<int64_t>(from * 4) - origin);
    if (isList)
      for (uint64_t c = from; c < to; ++c)
        states[c] =
            (states[c] & ~state::readerBits) | common | state::severalLanes << state::readerLane;
    else
      for (uint64_t c = from; c < to; ++c, distance += 4)
        states[c] =
            (states[c] & ~state::readerBits) | common | (distance >> log & 63) << state::readerLane;
  }

  Warp &warp;
  Block &block;
  const Instruction &instruction;
  const Request &r;
  Region &region;
  const Stamp own;
  uint32_t lastOld = 0, lastOldBytes = 0, lastBytes = 0, lastNew = 0; // of readers
};
} // namespace

void dmc::ptx::check(Warp &warp, const Instruction &instruction, const Request &request) {
  Checker(warp, instruction, request).run();
}

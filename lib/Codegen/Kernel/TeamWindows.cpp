//===- TeamWindows.cpp - Windows by teams of threads ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of neighbouring results overlap, or their elements are apart by the windows' stride: a
// team reads what a tile of the results needs as it lies in memory, once. Each result is then
// reduced in the order of the window, by one thread.
//
//===----------------------------------------------------------------------===//

#include "Kernel/TeamWindows.h"

#include "Kernel/BankedMemory.h"
#include "Kernel/Buffers.h"
#include "Kernel/Locality.h"
#include "Kernel/RunTiles.h"
#include "Kernel/Slots.h"

#include "dmc/Dialect/DMC/CudaChips.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// How an index of an operand follows from loops: stride * result + dilation * window.
struct WindowDim {
  int64_t result = -1, stride = 0;  // a dimension of the results, or none
  int64_t dilation = 0, extent = 1; // of the loop that is reduced: none has one iteration

  /// Indices that `count` neighbouring results need.
  int64_t countIndices(int64_t count) const {
    return (result < 0 ? 0 : (count - 1) * stride) + dilation * (extent - 1) + 1;
  }
};

class TeamWindows {
public:
  TeamWindows(Scalarizer &s, const Task &task)
      : s(s), task(task), op(cast<linalg::LinalgOp>(task.op)), warp(s.target.getWarpThreads()) {}

  bool choose() {
    if (!op.hasPureTensorSemantics() || !findLoops() || !findOperands() || !isWorthwhile())
      return false;
    return chooseTile();
  }

  void emit() {
    SmallVector<int64_t> tiles;
    for (auto [size, side] : llvm::zip_equal(shape, sides))
      tiles.push_back(llvm::divideCeil(size, side));
    team.emplace(s, llvm::product_of(tiles), threads);
    Indices tile = s.delinearize(team->getIteration(), tiles);
    for (auto [number, side] : llvm::zip_equal(tile, sides))
      origin.push_back(s.scale(number, side));
    int64_t beside = countBeside(), step = getStep();
    for (OpOperand *operand : operands)
      boxes.emplace_back(s, *team, countKept(box), getElementTypeOrSelf(operand->get()),
                         std::max<int64_t>(1, step), beside);
    readBox();
    team->wait();
    reduceTile();
  }

private:
  //===--- What is reduced ---===//

  /// All results lie along the same loops, and are written as they are.
  bool findLoops() {
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (OpOperand &init : op.getDpsInitsMutable())
      if (op.getMatchingIndexingMap(&init) != out)
        return false;
    for (const Root &root : task.roots)
      if (root.value.getDefiningOp() != op.getOperation())
        return false;
    shape = shapeOf(op->getResult(0));
    resultOf.assign(op.getNumLoops(), -1);
    for (auto [dim, expr] : llvm::enumerate(out.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        return false;
      resultOf[loop.getPosition()] = dim;
    }
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::reduction)
        windowLoops.push_back(loop);
      else if (resultOf[loop] < 0)
        return false;
    return !shape.empty() && llvm::product_of(shape) > 0;
  }

  /// Adds a loop to an index of the operand. False if there are two of a kind.
  bool addLoop(WindowDim &dim, AffineExpr expr) {
    int64_t factor = 1;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(expr);
        product && product.getKind() == AffineExprKind::Mul) {
      auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (!constant)
        return false;
      factor = constant.getValue();
      expr = product.getLHS();
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || factor < 1)
      return false;
    int64_t result = resultOf[loop.getPosition()];
    if (result >= 0 && dim.result < 0) {
      dim.result = result;
      dim.stride = factor;
      return true;
    }
    if (result >= 0 || dim.dilation)
      return false;
    dim.dilation = factor;
    dim.extent = op.getStaticLoopRanges()[loop.getPosition()];
    return true;
  }

  /// The operands that are read of memory in windows, all of them in the same, whose last index
  /// follows the last one of the results, or the one before if the last one tells results of the
  /// same windows apart.
  bool findOperands() {
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value value = input->get();
      if (!isa<RankedTensorType>(value.getType()) || !op.payloadUsesValueFromOperand(input) ||
          (!viewOf(value) && !value.getDefiningOp<tensor::PadOp>() && findReads(value).empty()))
        continue;
      SmallVector<WindowDim> found;
      for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
        WindowDim &dim = found.emplace_back();
        auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
        bool isSum = sum && sum.getKind() == AffineExprKind::Add;
        if (isSum ? !addLoop(dim, sum.getLHS()) || !addLoop(dim, sum.getRHS())
                  : !addLoop(dim, expr))
          return false;
      }
      bool hasWindow = llvm::any_of(
          found, [](const WindowDim &dim) { return dim.result >= 0 && dim.dilation > 0; });
      if (!hasWindow)
        continue;
      operands.push_back(input);
      dims = std::move(found);
    }
    if (operands.empty() || dims.back().result < 0 || isWritten())
      return false;
    int64_t behind = static_cast<int64_t>(shape.size()) - 1 - dims.back().result;
    bool areTold = behind == 1 && llvm::isPowerOf2_64(shape.back()) && shape.back() <= warp &&
                   llvm::none_of(dims, [&](const WindowDim &dim) {
                     return dim.result + 1 == static_cast<int64_t>(shape.size());
                   });
    if (behind != 0 && !areTold)
      return false;
    memory = findMemory(operands.front()->get());
    return llvm::all_of(operands, [&](OpOperand *other) { return liesLikeOthers(other); });
  }

  /// Whether an operand has an element wherever the first one has, and lies in memory as those
  /// before it.
  bool liesLikeOthers(OpOperand *other) {
    OpOperand *first = operands.front();
    if (getElementTypeOrSelf(other->get()).isIndex() ||
        op.getMatchingIndexingMap(other) != op.getMatchingIndexingMap(first) ||
        shapeOf(other->get()) != shapeOf(first->get()))
      return false;
    Memory own = findMemory(other->get());
    if (own.shape != memory.shape || own.before != memory.before ||
        (!own.isComputed() && !memory.isComputed() && own.offset != memory.offset))
      return false;
    int64_t most = std::max(memory.sector, own.sector);
    if (memory.isComputed())
      memory = own;
    memory.sector = most;
    return true;
  }

  bool isWritten() const {
    return llvm::any_of(task.roots, [&](const Root &root) {
      return llvm::any_of(task.reads, [&](Value read) {
        return s.arguments.lookup(root.dest) == s.arguments.lookup(read);
      });
    });
  }

  /// Where no element is in two windows, and neighbouring threads read neighbouring ones, nothing
  /// is gained. The code has a copy of the body for each element of a window, at most as many as a
  /// kernel has operations.
  bool isWorthwhile() {
    int64_t copies = 1;
    for (unsigned loop : windowLoops)
      copies *= op.getStaticLoopRanges()[loop];
    bool overlap = llvm::any_of(dims, [](const WindowDim &dim) {
      return dim.result >= 0 && dim.countIndices(1) > dim.stride;
    });
    return copies <= s.target.getKernelOperations() && (overlap || dims.back().stride > 1) &&
           shape[lastSide()] * countTold() >= warp / 2;
  }

  /// The dimension of the results that the operands' last index follows, and how many results
  /// behind each index of it have the same windows.
  size_t lastSide() const { return dims.back().result; }
  int64_t countTold() const { return lastSide() + 1 < shape.size() ? shape.back() : 1; }

  /// What a tile of the results needs of the operand.
  struct Box {
    SmallVector<int64_t> sizes;
    /// Elements of a sector within which runs of it may begin; 1 if they begin with one.
    int64_t aligned = 1;
  };

  /// What lies behind the last result's window belongs to the box of a tile that has all results,
  /// so that the box has whole dimensions of the operand.
  Box getBox(ArrayRef<int64_t> tile) const {
    Box found;
    for (auto [dim, size] : llvm::zip_equal(dims, shapeOf(operands.front()->get()))) {
      bool hasAll = dim.result >= 0 && tile[dim.result] == shape[dim.result] &&
                    size < dim.countIndices(shape[dim.result] + 1);
      found.sizes.push_back(hasAll ? size
                                   : dim.countIndices(dim.result < 0 ? 1 : tile[dim.result]));
    }
    size_t run = findRun(found.sizes);
    int64_t begins = memory.offset;
    for (size_t dim = 0; dim < run; ++dim)
      begins |= memory.pitches[dim];
    const WindowDim &dim = dims[run];
    begins |= memory.pitches[run] * memory.before[run];
    if (dim.result >= 0 && tile[dim.result] < shape[dim.result])
      begins |= memory.pitches[run] * dim.stride * tile[dim.result];
    if (begins % memory.sector)
      found.aligned = memory.sector;
    return found;
  }

  //===--- Runs of memory ---===//
  //
  // A box consists of runs: whole inner dimensions, and what it has of the next one. Runs are read
  // and kept from the sector on in which they begin, so that warps read whole sectors.

  /// The first dimension of a run.
  size_t findRun(ArrayRef<int64_t> sizes) const {
    size_t dim = sizes.size() - 1;
    ArrayRef<int64_t> all = shapeOf(operands.front()->get());
    while (dim > 0 && sizes[dim] == memory.shape[dim] && sizes[dim] == all[dim])
      --dim;
    return dim;
  }

  /// Where an operand, or what is padded to give it, lies in memory: in row-major order, or it is
  /// computed.
  struct Memory {
    ArrayRef<int64_t> shape;
    SmallVector<int64_t> before, pitches; // what is padded, and from each index to the next one
    int64_t offset = 0, sector = 1;       // the elements of a sector; 1 if it is computed
    bool isComputed() const { return sector == 1; }
  };

  Memory findMemory(Value source) const {
    Memory found;
    found.shape = shapeOf(source);
    found.before.assign(found.shape.size(), 0);
    if (auto pad = source.getDefiningOp<tensor::PadOp>();
        pad && !ShapedType::isDynamicShape(pad.getStaticLow())) {
      source = pad.getSource();
      found.shape = shapeOf(source);
      found.before.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
    }
    std::optional<StridedView> view = viewOf(source);
    found.pitches.assign(found.shape.size(), 1);
    for (size_t dim = found.shape.size() - 1; dim > 0; --dim)
      found.pitches[dim - 1] = found.pitches[dim] * found.shape[dim];
    if (!view || ArrayRef(view->strides) != ArrayRef(found.pitches))
      return found;
    found.offset = view->offset;
    found.sector = s.target.getLineElements(getElementTypeOrSelf(source));
    return found;
  }

  /// Elements that are kept of a run, and of all.
  int64_t countRun(const Box &box) const {
    ArrayRef<int64_t> sizes(box.sizes);
    int64_t elements = llvm::product_of(sizes.drop_front(findRun(sizes)));
    return llvm::alignTo(elements + box.aligned - 1, box.aligned);
  }
  int64_t countKept(const Box &box) const {
    ArrayRef<int64_t> sizes(box.sizes);
    return llvm::product_of(sizes.take_front(findRun(sizes))) * countRun(box);
  }

  /// The elements of a sector before the run with these first indices in the box.
  Index countBefore(ArrayRef<Index> run) {
    int64_t aligned = box.aligned;
    if (aligned == 1)
      return LoopBuilder::constant(0);
    Indices at(run);
    at.resize(dims.size(), LoopBuilder::constant(0));
    Index position = LoopBuilder::constant(memory.offset);
    int64_t padding = 0;
    for (auto [index, first, pitch] : llvm::zip_equal(locate(at), memory.before, memory.pitches)) {
      position = s.add(position, index, pitch);
      padding += first * pitch;
    }
    // Of a number that is not negative.
    int64_t whole = static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(padding, 0), aligned));
    return s.mod(s.add(position, LoopBuilder::constant(whole - padding)), aligned);
  }

  /// Indices of the operand for those of the box.
  Indices locate(ArrayRef<Index> inBox) {
    Indices at(inBox);
    for (auto [dim, index] : llvm::zip_equal(dims, at))
      if (dim.result >= 0)
        index = s.add(index, origin[dim.result], dim.stride);
    return at;
  }

  /// Where an element of the box is kept.
  Index place(ArrayRef<Index> inBox) {
    ArrayRef<int64_t> sizes(box.sizes);
    size_t first = findRun(sizes);
    Index run = s.linearize(inBox.take_front(first), sizes.take_front(first));
    Index inRun = s.linearize(inBox.drop_front(first), sizes.drop_front(first));
    return s.add(s.add(inRun, countBefore(inBox.take_front(first))), run, countRun(box));
  }

  //===--- Tiles ---===//

  /// The elements that the boxes of neighbouring tiles have in common are read by both. As little
  /// shared memory as makes these few, so that a multiprocessor has more threads, and within that
  /// as many neighbours along the last dimension: blocks of the usual size have their share of the
  /// memory of a multiprocessor (`TilePlan`), larger ones more, up to a half, since each
  /// multiprocessor wants two blocks, of which one reads while the other computes.
  bool chooseTile() {
    constexpr double fewTwice = 1.04;
    int64_t most = s.target.getSharedBytes(), block = s.target.getBlockThreads();
    int64_t large = getLargestTeam(s.target);
    // What the driver has of it for each block.
    int64_t half = most / 2 - 1024;
    std::pair<int64_t, int64_t> shares[] = {
        {Launch::looseThreads,
         std::min(most * Launch::looseThreads / (2 * block), Launch::mostShared)},
        {large, most * large / (2 * block)},
        {large, half}};
    std::optional<double> best;
    for (auto [team, share] : shares)
      for (int64_t last : listLastSides()) {
        threads = team;
        std::optional<SmallVector<int64_t>> tile = growTile(last, share);
        if (!tile || (best && countTouched(*tile) >= *best))
          continue;
        best = countTouched(*tile);
        sides = *tile;
        chosenThreads = team;
        if (*best <= fewTwice)
          break;
      }
    if (!best)
      return false;
    threads = chosenThreads;
    box = getBox(sides);
    return true;
  }

  /// A warp has neighbours along the last dimension; or, where windows do not lie along it, as the
  /// channels of pixels, some of each of several pixels, sectors at least.
  SmallVector<int64_t> listLastSides() const {
    const WindowDim &last = dims.back();
    SmallVector<int64_t> all = {evenly(shape[lastSide()], last.dilation ? 2 * warp : warp)};
    bool isBeside = dims.size() > 1 && dims.end()[-2].result + 2 == int64_t(shape.size());
    if (last.dilation || last.stride != 1 || !isBeside || lastSide() + 1 < shape.size())
      return all;
    // All of them lie together where pixels begin within sectors.
    if (shape.back() % memory.sector && shape.back() > all.front())
      all.push_back(shape.back());
    for (int64_t side = warp / 2; side >= std::max<int64_t>(2, memory.sector); side /= 2)
      if (side < all.front() && shape.back() % side == 0 && !memory.isComputed())
        all.push_back(side);
    return all;
  }

  /// How many neighbours along the last dimension the threads of a warp have of each of several
  /// results before it; 1 if they have neighbours alone.
  int64_t countBeside() const {
    int64_t side = sides.back();
    bool isPart = dims.size() > 1 && dims.end()[-2].result + 2 == int64_t(shape.size()) &&
                  !dims.back().dilation && dims.back().stride == 1;
    return isPart && side < warp && llvm::isPowerOf2_64(side) && box.aligned == 1 &&
                   box.sizes.back() == side
               ? side
               : 1;
  }

  /// From what a thread of a warp reads to what the next one reads.
  int64_t getStep() const { return (countBeside() > 1 ? dims.end()[-2] : dims.back()).stride; }

  /// How many times the elements that the nest accesses are accessed.
  double countTouched(ArrayRef<int64_t> tile) const {
    double all = 1, once = 1, results = double(llvm::product_of(shape)) * double(task.roots.size());
    for (auto [dim, size] : llvm::zip_equal(dims, shapeOf(operands.front()->get()))) {
      int64_t count = dim.result < 0 ? 1 : shape[dim.result];
      int64_t tiles = dim.result < 0 ? 1 : llvm::divideCeil(count, tile[dim.result]);
      int64_t common = dim.countIndices(1) - dim.stride;
      once *= double(dim.countIndices(count));
      all *= double(dim.countIndices(count) + std::max<int64_t>(0, common) * (tiles - 1));
    }
    // Where runs begin within sectors, these are touched at both ends.
    Box needed = getBox(tile);
    auto run = double(llvm::product_of(ArrayRef(needed.sizes).drop_front(findRun(needed.sizes))));
    all *= (run + double(needed.aligned - 1)) / run;
    auto read = double(operands.size());
    return (read * all + results) / (read * once + results);
  }

  /// Extends the side by which the box gets least elements for each result, as long as that has
  /// room.
  std::optional<SmallVector<int64_t>> growTile(int64_t last, int64_t share) const {
    bool keepsLast = last != listLastSides().front();
    int64_t bytes = 0;
    for (OpOperand *operand : operands)
      bytes += BankedMemory::countBytes(getElementTypeOrSelf(operand->get()));
    auto fits = [&](ArrayRef<int64_t> tile) { return countKept(getBox(tile)) * bytes <= share; };
    auto rate = [&](ArrayRef<int64_t> tile) {
      return double(llvm::product_of(getBox(tile).sizes)) / double(llvm::product_of(tile));
    };
    int64_t leastTiles = 2 * countMultiprocessors(s.target);
    SmallVector<int64_t> tile(shape.size(), 1);
    tile.back() = countTold();
    tile[lastSide()] = last;
    if (!fits(tile))
      return std::nullopt;
    while (true) {
      std::optional<SmallVector<int64_t>> best;
      for (size_t dim = 0; dim < tile.size(); ++dim) {
        int64_t tiles = llvm::divideCeil(shape[dim], tile[dim]);
        if (tiles == 1 || (keepsLast && dim == lastSide()))
          continue;
        SmallVector<int64_t> larger(tile);
        larger[dim] = llvm::divideCeil(shape[dim], tiles - 1);
        bool isEnough = llvm::product_of(tile) >= 2 * threads;
        // Fewer tiles than a device wants anyway take as long as each one's reads, which are one
        // after the other only if they are more than its threads wait for together.
        bool areFew =
            countTiles(tile) < leastTiles && countSlots(getBox(larger)) <= countTogether();
        bool mayGrow = countTiles(larger) >= leastTiles || areFew;
        if (!fits(larger) || (isEnough && (rate(larger) >= rate(tile) || !mayGrow)))
          continue;
        if (!best || rate(larger) < rate(*best))
          best = larger;
      }
      if (!best)
        return tile;
      tile = *best;
    }
  }

  /// Elements of each operand that a thread reads of a box, and how many of them together.
  int64_t countSlots(const Box &box) const {
    return static_cast<int64_t>(llvm::divideCeil(countKept(box), threads));
  }
  int64_t countTogether() const {
    int64_t words = 0;
    for (OpOperand *operand : operands)
      words += 2 * countWords(operand->get());
    return countHeldElements(s.target, words);
  }

  int64_t countTiles(ArrayRef<int64_t> tile) const {
    int64_t count = 1;
    for (auto [size, side] : llvm::zip_equal(shape, tile))
      count *= static_cast<int64_t>(llvm::divideCeil(size, side));
    return count;
  }

  /// The side of tiles that are of about one size, at most so many.
  static int64_t evenly(int64_t size, int64_t most) {
    return llvm::divideCeil(size, llvm::divideCeil(size, most));
  }

  //===--- Code ---===//

  /// As much as a thread has registers for is read before the first of it is awaited.
  void readBox() {
    int64_t count = countKept(box), length = countRun(box);
    int64_t slots = countSlots(box), together = std::min(slots, countTogether());
    ArrayRef<int64_t> sizes(box.sizes);
    size_t first = findRun(sizes);
    s.loop(llvm::divideCeil(slots, together), {}, [&](const Index &group, ValueRange) {
      s.recordCopies({{LoopExecutor::unrolled, together}});
      struct Pending {
        Index number;
        Value condition;
        SmallVector<Value> values; // of the operands
      };
      SmallVector<Pending> pending;
      for (int64_t slot = 0; slot < together; ++slot) {
        Index number = s.add(team->getLane(), group, threads * together);
        number = s.add(number, LoopBuilder::constant(slot * threads));
        Value condition;
        if (s.within(number, 0, count, condition) == std::optional(false))
          continue;
        Value isKept = condition;
        number = s.clamp(number, 0, count - 1);
        Indices inBox = s.delinearize(s.div(number, length), sizes.take_front(first));
        Index inRun = s.add(s.mod(number, length), countBefore(inBox), -1);
        int64_t elements = llvm::product_of(sizes.drop_front(first));
        s.within(inRun, 0, elements, condition);
        llvm::append_range(inBox,
                           s.delinearize(s.clamp(inRun, 0, elements - 1), sizes.drop_front(first)));
        Indices at = locate(inBox);
        bool isOutside = false;
        for (auto [index, size] : llvm::zip_equal(at, shapeOf(operands.front()->get()))) {
          isOutside |= s.within(index, 0, size, condition) == std::optional(false);
          index = s.clamp(index, 0, size - 1);
        }
        SmallVector<Type> types;
        for (OpOperand *operand : operands)
          types.push_back(getElementTypeOrSelf(operand->get()));
        auto load = [&] {
          return llvm::map_to_vector(
              operands, [&](OpOperand *operand) { return s.element(operand->get(), at); });
        };
        auto otherwise = [&] {
          return llvm::map_to_vector(types, [&](Type type) { return s.zero(type); });
        };
        if (!isOutside)
          pending.push_back(
              {number, isKept, condition ? s.choose(condition, types, load, otherwise) : load()});
      }
      for (Pending &slot : pending)
        s.when(slot.condition, [&] {
          for (auto [kept, value] : llvm::zip_equal(boxes, slot.values))
            kept.store(value, slot.number);
        });
      return SmallVector<Value>();
    });
  }

  /// The elements of a sector of the results, if rows of the tile may begin within one: warps then
  /// begin with the sector. Not where what a warp reads is in different banks only if it begins
  /// with a multiple of a warp (`BankedMemory`).
  int64_t countAligned() const {
    int64_t aligned = getResultSector(s, task), row = sides[lastSide()] * countTold();
    int64_t whole = shape[lastSide()] * countTold();
    bool areWhole = whole % aligned == 0 && (row == whole || row % aligned == 0);
    return areWhole || countBeside() > 1 || getStep() % 2 == 0 ? 1 : aligned;
  }

  /// Rows of the tile begin with a warp.
  void reduceTile() {
    int64_t beside = countBeside(), aligned = countAligned(), threads = team->getSize();
    int64_t row = beside > 1 ? beside : sides[lastSide()] * countTold();
    SmallVector<int64_t> padded(ArrayRef(sides).take_front(lastSide()));
    if (beside > 1)
      padded.back() = llvm::alignTo(padded.back(), warp / beside);
    padded.push_back(beside > 1 ? beside : llvm::alignTo(row + aligned - 1, warp));
    int64_t count = llvm::product_of(padded);
    s.loop(llvm::divideCeil(count, threads), {}, [&](const Index &group, ValueRange) {
      Index number = s.add(team->getLane(), group, threads);
      Value condition;
      s.within(number, 0, count, condition);
      Indices walked = s.delinearize(s.clamp(number, 0, count - 1), padded), inTile, indices;
      auto add = [&](const Index &index) {
        size_t dim = inTile.size();
        s.within(index, 0, sides[dim], condition);
        inTile.push_back(s.clamp(index, 0, sides[dim] - 1));
        Index all = s.add(origin[dim], inTile.back());
        s.within(all, 0, shape[dim], condition);
        indices.push_back(s.clamp(all, 0, shape[dim] - 1));
      };
      Index column = walked.pop_back_val();
      llvm::for_each(walked, add);
      if (aligned > 1) {
        Index line = s.linearize(indices, shape.take_front(lastSide()));
        Index position = s.add(origin[lastSide()], line, shape[lastSide()]);
        column = s.add(column, s.mod(s.scale(position, countTold()), aligned), -1);
      }
      s.within(column, 0, row, condition);
      column = s.clamp(column, 0, row - 1);
      llvm::for_each(s.delinearize(column, ArrayRef(sides).drop_front(lastSide())), add);
      s.when(condition, [&] { reduceWindow(inTile, indices); });
      return SmallVector<Value>();
    });
  }

  void reduceWindow(ArrayRef<Index> inTile, ArrayRef<Index> indices) {
    SmallVector<int64_t> sizes;
    int64_t copies = 1;
    for (unsigned loop : windowLoops) {
      sizes.push_back(op.getStaticLoopRanges()[loop]);
      copies *= sizes.back();
    }
    s.recordCopies({{LoopExecutor::unrolled, copies}});
    Indices loops(op.getNumLoops());
    for (auto [loop, dim] : llvm::enumerate(resultOf))
      if (dim >= 0)
        loops[loop] = indices[dim];
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable())
      values.push_back(s.element(init.get(), indices));
    AffineMap map = op.getMatchingIndexingMap(operands.front());
    for (int64_t copy = 0; copy < copies; ++copy) {
      Indices window = s.delinearize(LoopBuilder::constant(copy), sizes);
      for (auto [loop, index] : llvm::zip_equal(windowLoops, window))
        loops[loop] = index;
      Indices inBox(op.getNumLoops());
      for (auto [loop, dim] : llvm::enumerate(resultOf))
        inBox[loop] = dim >= 0 ? inTile[dim] : loops[loop];
      Index number = place(s.apply(map, inBox));
      for (auto [operand, kept] : llvm::zip_equal(operands, boxes))
        s.remember(operand->get(), s.apply(map, loops), kept.load(number));
      values = s.inlineStructured(op, loops, values);
    }
    for (const Root &root : task.roots)
      s.store(values[cast<OpResult>(root.value).getResultNumber()], s.arguments.lookup(root.dest),
              indices);
  }

  Scalarizer &s;
  const Task &task;
  linalg::LinalgOp op;
  int64_t warp;
  ArrayRef<int64_t> shape;       // of the results
  SmallVector<int64_t> resultOf; // the dimension of the results that a loop is, or -1
  SmallVector<unsigned> windowLoops;
  SmallVector<OpOperand *> operands;      // that are read in windows
  SmallVector<WindowDim> dims;            // of each of these
  SmallVector<int64_t> sides;             // of a tile of results
  Box box;                                // what it needs of an operand
  int64_t threads = 0, chosenThreads = 0; // of a team
  std::optional<Team> team;
  Memory memory;                   // of an operand; its sectors have most elements of one
  std::vector<BankedMemory> boxes; // of the operands
  Indices origin;                  // of the tile
};

} // namespace

bool codegen::emitTeamWindows(Scalarizer &s, const Task &task) {
  TeamWindows windows(s, task);
  if (!windows.choose())
    return false;
  windows.emit();
  return true;
}

//===- Scalarizer.h - Elements of tensors as scalar code --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes single elements of the tensors of a kernel at given indices, each
// once a scope: what fusion means, without any rewriting of tensors.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_SCALARIZER_H
#define DMC_LIB_CODEGEN_KERNEL_SCALARIZER_H

#include "Kernel/LoopBuilder.h"

#include "dmc/Codegen/CacheSizes.h"
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dmc::codegen {

/// Where the constants of kernels live: one global for each distinct value.
class ConstantPool {
public:
  explicit ConstantPool(mlir::ModuleOp module);
  /// The name of the global with this value, and its type.
  std::pair<mlir::StringRef, mlir::MemRefType> get(mlir::DenseElementsAttr value,
                                                   mlir::Location loc);

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, mlir::Operation *> known;
};

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}

class Scalarizer : public LoopBuilder {
public:
  Scalarizer(mlir::Location loc, mlir::Block *entry, ConstantPool &constants,
             const CacheSizes &caches)
      : LoopBuilder(loc, entry), caches(caches), target(TargetAttr::of(entry->getParentOp())),
        constants(constants) {
    if (target.isDevice())
      divideFinely();
  }

  /// The element of a tensor of the kernel at these indices, which lie within it.
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<Index> indices);
  /// From now on, the element in the current scope.
  void remember(mlir::Value tensor, llvm::ArrayRef<Index> indices, mlir::Value value);
  /// From now on, elements of the tensor are read from the buffer, which has what lies at `origin`
  /// and, in the listed dimensions, its own, beyond; until `drop`.
  void keep(mlir::Value tensor, llvm::ArrayRef<Index> origin, llvm::ArrayRef<unsigned> dims,
            mlir::Value buffer);
  void drop(mlir::Value tensor) { kept.erase(tensor); }
  /// Memory of the running thread, for as long as the function runs.
  mlir::Value scratch(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// Memory of the block that the running thread is of; booleans are bytes.
  mlir::Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// A buffer as one dimension.
  mlir::Value flat(mlir::Value buffer);
  /// Marks a buffer, an argument of the function, as written past the caches.
  void stream(mlir::Value buffer);
  /// A scalar of the kernel, outside of any body.
  mlir::Value scalar(mlir::Value value);
  /// Loads and stores an element; booleans are bytes in memory.
  mlir::Value load(mlir::Value buffer, llvm::ArrayRef<Index> indices);
  void store(mlir::Value value, mlir::Value buffer, llvm::ArrayRef<Index> indices);
  /// From now on, neighbouring elements at multiples of a vector are loaded together where they are
  /// loaded under no other condition than the current one: as many as the target has bytes for, and
  /// the buffer a multiple of.
  void loadVectors() {
    loadsVectors = true;
    vectorGuard = scope->guard;
  }
  /// No more than so many neighbours of this buffer are loaded together: others are written by
  /// other threads.
  void limitVectors(mlir::Value buffer, int64_t most) { mostNeighbours[buffer] = most; }
  /// From now on, threads with neighbouring chunks of `lanes` elements, this one's from `first` on
  /// in row-major order, exchange elements where a vector has half a chunk. Pairs of chunks are of
  /// one row if `areInRows`. All threads of a warp run what follows, or none.
  void pairThreads(const Index &first, int64_t lanes, bool areInRows);
  /// The same for two threads whose chunks lie apart.
  struct PairOfChunks {
    Index first;            // the first element of the running thread's chunk
    Index number;           // of this thread in its pair: 0 or 1
    Index distances[2];     // from the running thread's chunk to that of either thread
    mlir::Value isThere[2]; // whether the chunk of either is stored; null: always
    mlir::Value isOwnThere; // the same of the running thread's
  };
  void pairThreads(PairOfChunks chunks, int64_t lanes);
  /// Which element of the chunk is computed from now on.
  void setLane(int64_t lane) {
    if (pair)
      pair->lane = lane;
  }
  /// Loads `count` neighbours of a buffer's elements, in row-major order, from a multiple of
  /// `count` on: as they are in memory.
  llvm::SmallVector<mlir::Value> loadVector(mlir::Value buffer, const Index &position,
                                            int64_t count);
  /// The type as which elements are loaded and stored together: booleans are bytes, and bf16 is
  /// moved as 16 bits.
  static mlir::Type getMemoryType(mlir::Type type);
  /// An element of that type as one of its own.
  mlir::Value fromMemory(mlir::Value value, mlir::Type type);
  mlir::Value zero(mlir::Type type);
  /// Stores neighbours along the last dimension, from indices at a multiple of their number on.
  void storeVector(llvm::ArrayRef<mlir::Value> values, mlir::Value buffer,
                   llvm::ArrayRef<Index> indices);

  /// The values that a structured operation's body yields at the given loop
  /// indices; `argument` is asked for those block arguments that are used.
  /// Additions and products into `accumulators` may be reordered.
  llvm::SmallVector<mlir::Value> inlineBody(mlir::Block *body, llvm::ArrayRef<Index> dims,
                                            llvm::function_ref<mlir::Value(unsigned)> argument,
                                            bool reassociate = false);
  /// The body of a structured operation, its inputs read at loop indices.
  llvm::SmallVector<mlir::Value> inlineStructured(mlir::linalg::LinalgOp op,
                                                  llvm::ArrayRef<Index> dims,
                                                  mlir::ValueRange accumulators);
  /// One operation on two scalars, as `combiner` does it.
  mlir::Value combine(mlir::Operation *combiner, mlir::Value a, mlir::Value b);
  /// Runs the reduction loops of an operation at a position of its parallel
  /// loops, in the given order (all reduction loops), from its initial values.
  llvm::SmallVector<mlir::Value> reduce(mlir::linalg::LinalgOp op, Indices dims,
                                        llvm::ArrayRef<unsigned> order);
  /// The start of a window, one index for each dimension of the operand; those
  /// without a component start at 0. Clamped where `sizes` are given.
  Indices readStarts(mlir::Value indices, llvm::ArrayRef<Index> batch, int64_t vectorDim,
                     llvm::ArrayRef<int64_t> startMap, int64_t rank, bool isUnsigned);
  Indices readScalarStarts(mlir::ValueRange starts, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> sizes, bool isUnsigned);
  /// Where in its operand a gather finds the element at these indices of its result.
  Indices findGathered(GatherOp op, llvm::ArrayRef<Index> indices);

  mlir::InFlightDiagnostic unsupported(mlir::Operation *op);
  bool failed() const { return hasFailed; }
  /// Function arguments of the kernel as they are called in the new function.
  mlir::IRMapping arguments;
  const CacheSizes caches;
  const TargetAttr target;
  /// Whether indices will be numbers of 32 bits: what is read as an index is then kept within
  /// bounds that all sizes are within.
  bool hasNarrowIndices = false;
  /// Powers of two of which scalars of the kernel are known to be multiples.
  llvm::DenseMap<mlir::Value, int64_t> divisors;

private:
  mlir::Value compute(mlir::Value tensor, llvm::ArrayRef<Index> indices);
  /// Whether so many neighbours from a position of a buffer on are within it, and begin where an
  /// access of their bytes may.
  bool hasVector(const Index &position, int64_t length, mlir::Value buffer);
  /// The element of a vector of its neighbours; null where there is no such vector.
  mlir::Value loadFromVector(mlir::Value buffer, llvm::ArrayRef<Index> indices);
  /// From a position of a buffer of such numbers as vectors are made of.
  mlir::Value loadNeighbours(mlir::Value source, const Index &position, int64_t count);
  /// Stores values at neighbouring positions.
  void storeNeighbours(llvm::ArrayRef<mlir::Value> values, mlir::Value source,
                       const Index &position);
  /// Where the running thread's chunk begins in a buffer that has the current element at a
  /// position, if it is accessed by pairs: not where one access of up to `most` elements has all of
  /// it.
  std::optional<Index> findInPair(const Index &position, int64_t most, mlir::Value source);
  /// Whether the running thread has the second chunk of its pair, as a number and as a condition.
  Index getNumberInPair();
  mlir::Value isOddOfPair();
  /// Whether a pair's second chunk, of those that begin there, follows its first one.
  bool isOfPair(const Index &start);
  /// Where the running thread begins its first or second access for a pair.
  Index getOfPair(const Index &start, int64_t access);
  mlir::Value loadOfPair(mlir::Value source, const Index &start, int64_t lane);
  void storeOfPair(llvm::ArrayRef<mlir::Value> values, mlir::Value source, const Index &start);
  /// A buffer of booleans as the bytes that they are in memory.
  mlir::Value bytesOf(mlir::Value buffer);
  /// The same, and one of bf16 as numbers of 16 bits.
  mlir::Value vectorSourceOf(mlir::Value buffer);
  mlir::Value asIntegers(mlir::Value buffer, unsigned width);
  mlir::Value structured(mlir::linalg::LinalgOp op, unsigned result, llvm::ArrayRef<Index> indices);
  mlir::Value constantElement(mlir::DenseElementsAttr value, llvm::ArrayRef<Index> indices);
  mlir::Value slice(mlir::tensor::ExtractSliceOp op, llvm::ArrayRef<Index> indices);
  mlir::Value insertSlice(mlir::tensor::InsertSliceOp op, llvm::ArrayRef<Index> indices);
  mlir::Value pad(mlir::tensor::PadOp op, llvm::ArrayRef<Index> indices);
  mlir::Value concat(mlir::tensor::ConcatOp op, llvm::ArrayRef<Index> indices);
  mlir::Value updateSlice(DynamicUpdateSliceOp op, llvm::ArrayRef<Index> indices);
  /// A part of a larger tensor: elements offset + stride * i of each dimension.
  struct Window {
    Indices offsets;
    llvm::SmallVector<int64_t> sizes, strides; // no strides: all 1
    llvm::SmallBitVector dropped;              // dimensions that the part lacks
  };
  /// The element at indices of the larger tensor: the part's where it is in the window, else what
  /// `otherwise` computes, which is an element of `outer`, or cheap if there is none.
  mlir::Value inside(const Window &window, llvm::ArrayRef<Index> indices, mlir::Value inner,
                     mlir::Value outer, llvm::function_ref<mlir::Value()> otherwise);
  mlir::Value chooseElement(mlir::Value condition, mlir::Value inner,
                            llvm::function_ref<mlir::Value()> compute, mlir::Value outer,
                            llvm::function_ref<mlir::Value()> otherwise);
  /// Whether elements follow from those of buffers by operations that may run on any values.
  static bool isElementwiseOfBuffers(mlir::Value tensor);
  /// Computes a value whose loads are executed under a condition, and give zeros elsewhere.
  mlir::Value predicated(mlir::Value condition, llvm::function_ref<mlir::Value()> compute);
  mlir::Value ifPredicated(mlir::Type type, llvm::function_ref<mlir::Value()> load);
  Index offset(mlir::OpFoldResult offset, int64_t most);
  Index integerIndex(mlir::Value integer, bool isUnsigned);
  mlir::Value emitScalar(mlir::Operation &op, mlir::IRMapping &mapping);

  /// A part of a tensor in a buffer.
  struct Kept {
    Indices origin;
    llvm::SmallVector<unsigned> dims;
    mlir::Value buffer;
  };
  /// Where the buffer has an element; nothing if it has it not.
  std::optional<Indices> find(mlir::Value tensor, const Kept &part, llvm::ArrayRef<Index> indices);

  ConstantPool &constants;
  llvm::DenseMap<mlir::Value, mlir::Value> integers; // buffers of other types as such
  llvm::DenseMap<mlir::Value, Kept> kept;
  llvm::DenseMap<mlir::Value, int64_t> mostNeighbours;
  llvm::DenseSet<unsigned> uniform; // variables that all threads have the same of
  bool hasFailed = false, loadsVectors = false;
  Scope *vectorGuard = nullptr; // the condition under which neighbours are loaded together
  struct Predicate {
    mlir::Value condition; // of loads; null: none
    Scope *scope = nullptr;
  };
  Predicate predicate;
  struct Pair {
    Index first;
    int64_t lanes;
    bool areInRows;
    int64_t lane = 0;                  // of the chunk's elements
    std::optional<PairOfChunks> apart; // else one behind the other
  };
  std::optional<Pair> pair;
  unsigned computed = 0; // elements
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_SCALARIZER_H

//===- LoopBuilder.h - Loops and the indices in them ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places computations as far out in a loop nest as their operands allow, and
// keeps indices as linear forms, so that what cancels is never computed.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_LOOPBUILDER_H
#define DMC_LIB_CODEGEN_KERNEL_LOOPBUILDER_H

#include "Kernel/NestPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

#include <deque>
#include <map>
#include <optional>

namespace dmc::codegen {

/// What keys of the values that a scope has begin with, but those of elements of tensors.
enum Key : int64_t {
  KeyConstant = -1,
  KeyOp = -2,
  KeyGlobal = -3,
  KeyInteger = -4,
  KeyVector = -5,
  KeyPair = -6,
  KeyTest = -7,
  KeyPredicate = -8
};

/// A block under construction: where in it to insert, and what it has already.
struct Scope {
  Scope *parent = nullptr;
  unsigned depth = 0;
  /// The innermost scope up from here, itself included, that may be skipped at
  /// run time: what may fault stays inside.
  Scope *guard = nullptr;
  mlir::Block *block = nullptr;
  mlir::Operation *before = nullptr; // null: at the end
  std::map<llvm::SmallVector<int64_t, 8>, mlir::Value> values;
};

/// constant + the sum of coefficient * variable, sorted by variable.
struct Index {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> addends;
  bool isConstant() const { return addends.empty(); }
  bool operator==(const Index &o) const { return constant == o.constant && addends == o.addends; }
};

using Indices = llvm::SmallVector<Index, 4>;

/// Consecutive indices below `size`: `length` of them from the first one, or those below `end` if
/// there is one, which are `fewest` at least.
struct Run {
  Index first;
  int64_t length, size;
  mlir::Value end;
  int64_t fewest = 0;
};

class LoopBuilder {
public:
  /// Builds at the end of a function's entry block, before its terminator.
  LoopBuilder(mlir::Location loc, mlir::Block *entry);

  Scope *current() const { return scope; }
  /// The builder, set to insert in the current scope.
  mlir::OpBuilder &here() { return at(scope); }
  mlir::OpBuilder &at(Scope *place);
  /// Inserts at the very start of the function, before all that may use it.
  mlir::OpBuilder start() { return mlir::OpBuilder(root->block, root->block->begin()); }
  /// The whole function.
  Scope *outermost() const { return root; }
  Scope *open(mlir::Block *block, mlir::Operation *before, bool conditional);

  //===--- Indices ---===//
  static Index constant(int64_t value) { return Index{value, {}}; }
  /// An index that is the value; it is known to lie in [lo, hi].
  Index variable(mlir::Value value, Scope *scope, int64_t lo, int64_t hi);
  Index add(const Index &a, const Index &b, int64_t scale = 1);
  /// Whether an index is a multiple for all values of its variables.
  static bool isMultiple(const Index &a, int64_t divisor) {
    return a.constant % divisor == 0 &&
           llvm::all_of(a.addends, [&](auto addend) { return addend.second % divisor == 0; });
  }
  Index scale(const Index &a, int64_t factor) { return add(constant(0), a, factor); }
  /// Quotient and remainder of a non-negative index.
  Index div(const Index &a, int64_t divisor);
  Index mod(const Index &a, int64_t divisor);
  Index clamp(const Index &a, int64_t lo, int64_t hi);
  Index apply(mlir::AffineExpr expr, llvm::ArrayRef<Index> dims);
  Indices apply(mlir::AffineMap map, llvm::ArrayRef<Index> dims);
  /// Row-major position in a shape, and back.
  Index linearize(llvm::ArrayRef<Index> indices, llvm::ArrayRef<int64_t> shape);
  Indices delinearize(const Index &linear, llvm::ArrayRef<int64_t> shape);
  /// Whether lo <= a < hi: what is known, else null and `condition` is set
  /// (conjoined with what it was).
  std::optional<bool> within(const Index &a, int64_t lo, int64_t hi, mlir::Value &condition);
  mlir::Value materialize(const Index &index);
  llvm::SmallVector<mlir::Value> materialize(llvm::ArrayRef<Index> indices);
  Scope *scopeOf(const Index &index);
  Scope *scopeOf(llvm::ArrayRef<Index> indices);
  std::pair<int64_t, int64_t> range(const Index &index);

  //===--- Control flow ---===//
  /// Runs the body for every index of [0, size) and leaves the scope again. With
  /// values to carry, the body returns their next ones.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(Index, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(int64_t size, mlir::ValueRange carried, Body body);
  /// The same for begin, begin + step, ... below end, all of them from `least` to `most`, in at
  /// least `fewestTrips` iterations.
  llvm::SmallVector<mlir::Value> loop(mlir::Value begin, mlir::Value end, mlir::Value step,
                                      int64_t most, mlir::ValueRange carried, Body body,
                                      int64_t expectedTrips = 0, int64_t least = 0,
                                      int64_t fewestTrips = 0);
  void nest(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  /// Part `number` of `length` consecutive indices below `size`: the last part may be shorter, and
  /// parts behind it are empty.
  void part(const Index &number, int64_t length, int64_t size,
            llvm::function_ref<void(Index)> body) {
    overRun(getPart(number, length, size), body);
  }
  Run getPart(const Index &number, int64_t length, int64_t size);
  void overRun(const Run &run, llvm::function_ref<void(Index)> body);
  /// Those indices of a run that are in [begin, end).
  void overPart(const Run &run, int64_t begin, int64_t end, llvm::function_ref<void(Index)> body);
  /// As `nest`, for a function that runs a part of it: iterations [begin, end) of a loop that
  /// is divided, which `getDivided` counts. The body computes `work` elements; neighbours along the
  /// last dimension lie together in memory if `isContiguous`.
  void divide(llvm::ArrayRef<int64_t> shape, int64_t work, bool isContiguous,
              llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  /// The same, but for the loop along the last dimension, of which the body gets a run.
  void divideRuns(llvm::ArrayRef<int64_t> shape, int64_t work, bool isContiguous,
                  llvm::function_ref<void(llvm::ArrayRef<Index>, const Run &)> body);
  /// Runs the body for each of `count` blocks, which are what is divided.
  void divideBlocks(int64_t count, llvm::function_ref<void(const Index &)> body);
  /// For a nest of which each iteration does what concerns a range of indices below `size`: the
  /// bounds of the range of all iterations that the function runs, or nothing if it is not divided.
  /// `work` is how many elements the whole nest computes.
  std::optional<std::pair<mlir::Value, mlir::Value>> divideRange(int64_t size, int64_t work);
  /// lo <= index < hi, for the current scope.
  mlir::Value isInRange(const Index &index, mlir::Value lo, mlir::Value hi);
  /// The iterations of the loop that was divided; 1 if none was.
  int64_t getDivided() const { return plan.division.getIterations(); }
  /// What is decided of the nest.
  NestPlan plan;
  /// Says that the code of the current scope has so many copies of what one iteration does.
  void recordCopies(llvm::ArrayRef<Copies::Factor> factors);
  /// What `divide` runs.
  void setRange(mlir::Value begin, mlir::Value end) { dividedRange = {begin, end}; }
  /// From now on a nest is divided into the most iterations, down to single elements, and the
  /// function runs one of them, the first of its range: a thread of a device.
  void divideFinely() { isFine = true; }
  bool isFinelyDivided() const { return isFine; }
  /// As `divideFinely`, for a nest of `count` iterations each of which is run by a team of threads:
  /// the number of the one to run. Teams that have none, in a warp with others, run the last one
  /// again, and may not store what they compute. `plan.lane` is the running thread's number in its
  /// team.
  Index takeIteration(int64_t count, int64_t team, int64_t warp);
  /// Whether the running team is not one of those that have none.
  mlir::Value isIteration(int64_t count);
  /// Does what the body emits if the condition holds; always if it is null.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// How often a loop that this builder made runs its body each time it is reached.
  int64_t getTrips(mlir::Operation *loop) const { return trips.lookup(loop).expected; }
  int64_t getFewestTrips(mlir::Operation *loop) const { return trips.lookup(loop).fewest; }
  /// The value of one of two computations; each is done only if it is taken.
  llvm::SmallVector<mlir::Value>
  choose(mlir::Value condition, mlir::TypeRange types,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> then,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> otherwise);

  /// Computes in an outer scope for a while.
  struct Within {
    Within(LoopBuilder &builder, Scope *place) : builder(builder), saved(builder.scope) {
      builder.scope = place;
    }
    ~Within() { builder.scope = saved; }
    LoopBuilder &builder;
    Scope *saved;
  };

  mlir::Location loc;

protected:
  struct Variable {
    mlir::Value value;
    Scope *scope;
    int64_t lo, hi;
  };
  mlir::Value findValue(Scope *from, llvm::ArrayRef<int64_t> key);
  mlir::Value indexOp(llvm::StringRef op, mlir::Value a, Scope *aScope, mlir::Value b,
                      Scope *bScope);
  mlir::Value indexConstant(int64_t value);
  mlir::OpBuilder builder;
  std::deque<Scope> scopes;
  Scope *root;
  Scope *scope;
  std::vector<Variable> variables;
  llvm::DenseMap<mlir::Value, unsigned> ids; // of variables
  /// The one iteration of a finely divided nest.
  Index takeIteration(int64_t count);
  void overIterations(Body body);
  std::pair<mlir::Value, mlir::Value> dividedRange;
  bool isFine = false;
  struct Trips {
    int64_t expected = 0, fewest = 0;
  };
  llvm::DenseMap<mlir::Operation *, Trips> trips;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_LOOPBUILDER_H

//===- LoopBuilder.cpp - Loops and the indices in them --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/LoopBuilder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace dmc::codegen;

/// Beyond every index: unknown, but safe to compute with.
static constexpr int64_t unbounded = int64_t(1) << 60;

static int64_t saturate(__int128 value) {
  return static_cast<int64_t>(
      std::clamp<__int128>(value, -static_cast<__int128>(unbounded), unbounded));
}

LoopBuilder::LoopBuilder(Location loc, Block *entry) : loc(loc), builder(loc.getContext()) {
  scopes.emplace_back();
  root = scope = &scopes.back();
  root->block = entry;
  root->before = entry->mightHaveTerminator() ? entry->getTerminator() : nullptr;
}

OpBuilder &LoopBuilder::at(Scope *place) {
  if (place->before)
    builder.setInsertionPoint(place->before);
  else
    builder.setInsertionPointToEnd(place->block);
  return builder;
}

Scope *LoopBuilder::open(Block *block, Operation *before, bool conditional) {
  scopes.emplace_back();
  Scope *inner = &scopes.back();
  inner->parent = scope;
  inner->depth = scope->depth + 1;
  inner->guard = conditional ? inner : scope->guard;
  inner->block = block;
  inner->before = before;
  return inner;
}

//===--- Indices ----------------------------------------------------------===//

Index LoopBuilder::variable(Value value, Scope *scope, int64_t lo, int64_t hi) {
  IntegerAttr fixed;
  if (matchPattern(value, m_Constant(&fixed)))
    return constant(fixed.getInt());
  auto [known, isNew] = ids.try_emplace(value, variables.size());
  if (isNew)
    variables.push_back({value, scope, lo, hi});
  return Index{0, {{known->second, 1}}};
}

Index LoopBuilder::add(const Index &a, const Index &b, int64_t scale) {
  Index sum{a.constant + scale * b.constant, {}};
  const auto *i = a.addends.begin(), *j = b.addends.begin();
  while (i != a.addends.end() || j != b.addends.end()) {
    std::pair<unsigned, int64_t> addend;
    if (j == b.addends.end() || (i != a.addends.end() && i->first < j->first))
      addend = *i++;
    else if (i == a.addends.end() || j->first < i->first)
      addend = {j->first, scale * j->second}, ++j;
    else
      addend = {i->first, i->second + scale * j->second}, ++i, ++j;
    if (addend.second)
      sum.addends.push_back(addend);
  }
  return sum;
}

std::pair<int64_t, int64_t> LoopBuilder::range(const Index &index) {
  __int128 lo = index.constant, hi = index.constant;
  for (auto [id, factor] : index.addends) {
    __int128 a = static_cast<__int128>(variables[id].lo) * factor;
    __int128 b = static_cast<__int128>(variables[id].hi) * factor;
    lo += std::min(a, b);
    hi += std::max(a, b);
  }
  return {saturate(lo), saturate(hi)};
}

/// Splits an index into what the divisor divides and the rest.
static std::pair<Index, Index> splitBy(const Index &a, int64_t divisor) {
  Index whole, rest;
  int64_t remainder = ((a.constant % divisor) + divisor) % divisor;
  whole.constant = a.constant - remainder;
  rest.constant = remainder;
  for (auto addend : a.addends)
    (addend.second % divisor == 0 ? whole : rest).addends.push_back(addend);
  return {whole, rest};
}

Index LoopBuilder::div(const Index &a, int64_t divisor) {
  auto [whole, rest] = splitBy(a, divisor);
  auto [lo, hi] = range(rest);
  Index quotient{whole.constant / divisor, {}};
  for (auto [id, factor] : whole.addends)
    quotient.addends.push_back({id, factor / divisor});
  if (lo >= 0 && hi < divisor)
    return quotient;
  if (lo < 0) { // a as a whole is not negative
    rest = a;
    quotient = constant(0);
    std::tie(lo, hi) = range(a);
  }
  Scope *place = scopeOf(rest);
  Value value = indexOp("arith.divui", materialize(rest), place, indexConstant(divisor), root);
  return add(quotient, variable(value, place, std::max<int64_t>(lo, 0) / divisor, hi / divisor));
}

Index LoopBuilder::mod(const Index &a, int64_t divisor) {
  auto [whole, rest] = splitBy(a, divisor);
  auto [lo, hi] = range(rest);
  if (lo >= 0 && hi < divisor)
    return rest;
  if (lo < 0)
    rest = a;
  Scope *place = scopeOf(rest);
  Value value = indexOp("arith.remui", materialize(rest), place, indexConstant(divisor), root);
  return variable(value, place, 0, divisor - 1);
}

Index LoopBuilder::clamp(const Index &a, int64_t lo, int64_t hi) {
  if (lo >= hi)
    return constant(lo);
  auto [least, most] = range(a);
  if (least >= lo && most <= hi)
    return a;
  Scope *place = scopeOf(a);
  Value value = materialize(a);
  if (least < lo)
    value = indexOp("arith.maxsi", value, place, indexConstant(lo), root);
  if (most > hi)
    value = indexOp("arith.minsi", value, place, indexConstant(hi), root);
  return variable(value, place, std::max(lo, std::min(least, hi)),
                  std::min(hi, std::max(most, lo)));
}

Index LoopBuilder::apply(AffineExpr expr, ArrayRef<Index> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constant(value.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Index lhs = apply(binary.getLHS(), dims), rhs = apply(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return lhs.isConstant() ? scale(rhs, lhs.constant) : scale(lhs, rhs.constant);
  case AffineExprKind::FloorDiv:
    return div(lhs, rhs.constant);
  case AffineExprKind::Mod:
    return mod(lhs, rhs.constant);
  default: // ceildiv
    return div(add(lhs, constant(rhs.constant - 1)), rhs.constant);
  }
}

Indices LoopBuilder::apply(AffineMap map, ArrayRef<Index> dims) {
  Indices results;
  for (AffineExpr expr : map.getResults())
    results.push_back(apply(expr, dims));
  return results;
}

Index LoopBuilder::linearize(ArrayRef<Index> indices, ArrayRef<int64_t> shape) {
  Index linear;
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    linear = add(index, linear, size);
  return linear;
}

Indices LoopBuilder::delinearize(const Index &linear, ArrayRef<int64_t> shape) {
  Indices indices(shape.size());
  Index rest = linear;
  for (size_t i = shape.size(); i-- > 0;) {
    indices[i] = i == 0 ? rest : mod(rest, shape[i]);
    if (i)
      rest = div(rest, shape[i]);
  }
  return indices;
}

Scope *LoopBuilder::scopeOf(const Index &index) {
  Scope *place = root;
  for (auto [id, factor] : index.addends)
    if (variables[id].scope->depth > place->depth)
      place = variables[id].scope;
  return place;
}

Scope *LoopBuilder::scopeOf(ArrayRef<Index> indices) {
  Scope *place = root;
  for (const Index &index : indices)
    if (Scope *other = scopeOf(index); other->depth > place->depth)
      place = other;
  return place;
}

Value LoopBuilder::findValue(Scope *from, ArrayRef<int64_t> key) {
  SmallVector<int64_t, 8> owned(key);
  for (; from; from = from->parent)
    if (auto found = from->values.find(owned); found != from->values.end())
      return found->second;
  return {};
}

Value LoopBuilder::indexConstant(int64_t value) {
  Value &known = root->values[{KeyConstant, value}];
  if (!known) {
    OpBuilder b = start();
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value LoopBuilder::indexOp(StringRef op, Value a, Scope *aScope, Value b, Scope *bScope) {
  Scope *place = aScope->depth > bScope->depth ? aScope : bScope;
  SmallVector<int64_t, 8> key = {KeyOp, reinterpret_cast<int64_t>(op.data()),
                                 reinterpret_cast<int64_t>(a.getAsOpaquePointer()),
                                 reinterpret_cast<int64_t>(b.getAsOpaquePointer())};
  if (Value known = findValue(place, key))
    return known;
  OperationState state(loc, op, {a, b}, {a.getType()});
  return place->values[key] = at(place).create(state)->getResult(0);
}

Value LoopBuilder::materialize(const Index &index) {
  SmallVector<std::pair<unsigned, int64_t>> addends(index.addends.begin(), index.addends.end());
  llvm::stable_sort(addends, [&](auto &a, auto &b) {
    return variables[a.first].scope->depth < variables[b.first].scope->depth;
  });
  Value sum;
  Scope *place = root;
  for (auto [id, factor] : addends) {
    const Variable &var = variables[id];
    Value addend = var.value;
    if (factor != 1)
      addend = indexOp("arith.muli", addend, var.scope, indexConstant(factor), root);
    sum = sum ? indexOp("arith.addi", sum, place, addend, var.scope) : addend;
    place = var.scope->depth > place->depth ? var.scope : place;
  }
  if (!sum)
    return indexConstant(index.constant);
  return index.constant ? indexOp("arith.addi", sum, place, indexConstant(index.constant), root)
                        : sum;
}

SmallVector<Value> LoopBuilder::materialize(ArrayRef<Index> indices) {
  return llvm::map_to_vector(indices, [&](const Index &index) { return materialize(index); });
}

std::optional<bool> LoopBuilder::within(const Index &a, int64_t lo, int64_t hi, Value &condition) {
  auto [least, most] = range(a);
  if (most < lo || least >= hi || lo >= hi)
    return false;
  if (least >= lo && most < hi)
    return true;
  Scope *place = scopeOf(a);
  Value value = materialize(a);
  // Neighbours are under the same condition: it is one value.
  auto conjoin = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Scope *inner = condition ? scope : place;
    SmallVector<int64_t, 8> key = {KeyTest, reinterpret_cast<int64_t>(value.getAsOpaquePointer()),
                                   static_cast<int64_t>(predicate), bound,
                                   reinterpret_cast<int64_t>(condition.getAsOpaquePointer())};
    if (Value known = findValue(inner, key)) {
      condition = known;
      return;
    }
    Value constant = indexConstant(bound);
    OpBuilder &b = at(inner);
    Value test = arith::CmpIOp::create(b, loc, predicate, value, constant);
    condition = condition ? arith::AndIOp::create(b, loc, condition, test) : test;
    inner->values[key] = condition;
  };
  if (least < lo)
    conjoin(arith::CmpIPredicate::sge, lo);
  if (most >= hi)
    conjoin(arith::CmpIPredicate::slt, hi);
  return std::nullopt;
}

//===--- Control flow -----------------------------------------------------===//

SmallVector<Value> LoopBuilder::loop(int64_t size, ValueRange carried, Body body) {
  if (size == 0)
    return SmallVector<Value>(carried);
  if (size == 1)
    return body(constant(0), carried);
  return loop(indexConstant(0), indexConstant(size), indexConstant(1), size - 1, carried, body,
              size);
}

SmallVector<Value> LoopBuilder::loop(Value begin, Value end, Value step, int64_t most,
                                     ValueRange carried, Body body, int64_t expectedTrips,
                                     int64_t least, int64_t fewestTrips) {
  auto op = scf::ForOp::create(here(), loc, begin, end, step, carried);
  trips[op] = {expectedTrips ? expectedTrips : most + 1, fewestTrips};
  Block *block = op.getBody();
  Operation *yield = block->mightHaveTerminator() ? block->getTerminator() : nullptr;
  Scope *outer = scope;
  Operation *outerBefore = outer->before;
  // What turns out not to depend on this loop goes before it.
  outer->before = op;
  scope = open(block, yield, false);
  Index induction = variable(op.getInductionVar(), scope, least, most);
  SmallVector<Value> next = body(induction, op.getRegionIterArgs());
  if (!yield)
    scf::YieldOp::create(here(), loc, next);
  scope = outer;
  outer->before = outerBefore;
  return SmallVector<Value>(op.getResults());
}

void LoopBuilder::nest(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<Index>)> body) {
  Indices indices;
  std::function<void()> descend = [&]() {
    if (indices.size() == shape.size())
      return body(indices);
    loop(shape[indices.size()], {}, [&](const Index &index, ValueRange) {
      indices.push_back(index);
      descend();
      indices.pop_back();
      return SmallVector<Value>();
    });
  };
  descend();
}

Run LoopBuilder::getPart(const Index &number, int64_t length, int64_t size) {
  Run run{scale(number, length), length, size, {}};
  // Else all are of constant length, which is what unrolls.
  int64_t last = range(number).second;
  if (size % length || last >= size / length)
    run.end = materialize(clamp(add(run.first, constant(length)), 0, size));
  run.fewest = std::clamp<int64_t>(size - last * length, 0, length);
  return run;
}

void LoopBuilder::overRun(const Run &run, function_ref<void(Index)> body) {
  auto step = [&](const Index &index) {
    body(index);
    return SmallVector<Value>();
  };
  if (!run.end) {
    loop(run.length, {},
         [&](const Index &index, ValueRange) { return step(add(run.first, index)); });
    return;
  }
  loop(
      materialize(run.first), run.end, indexConstant(1), run.size - 1, {},
      [&](const Index &index, ValueRange) { return step(index); }, run.length, /*least=*/0,
      run.fewest);
}

void LoopBuilder::overPart(const Run &run, int64_t begin, int64_t end,
                           function_ref<void(Index)> body) {
  auto step = [&](const Index &index) {
    body(index);
    return SmallVector<Value>();
  };
  if (!run.end && run.first.isConstant()) {
    int64_t first = std::max(begin, run.first.constant);
    int64_t count = std::min(end, run.first.constant + run.length) - first;
    loop(std::max<int64_t>(count, 0), {},
         [&](const Index &index, ValueRange) { return step(add(constant(first), index)); });
    return;
  }
  Value last = run.end ? run.end : materialize(add(run.first, constant(run.length)));
  auto bound = [&](StringRef op, Value value, int64_t limit) {
    return indexOp(op, value, scope, indexConstant(limit), root);
  };
  loop(
      bound("arith.maxsi", materialize(run.first), begin), bound("arith.minsi", last, end),
      indexConstant(1), end - 1, {}, [&](const Index &index, ValueRange) { return step(index); },
      std::min(run.length, end - begin), begin);
}

void LoopBuilder::divide(ArrayRef<int64_t> shape, int64_t work, bool isContiguous,
                         function_ref<void(ArrayRef<Index>)> body) {
  if (shape.empty())
    return body({});
  divideRuns(shape, work, isContiguous, [&](ArrayRef<Index> outer, const Run &run) {
    Indices indices(outer);
    overRun(run, [&](const Index &index) {
      indices.push_back(index);
      body(indices);
      indices.pop_back();
    });
  });
}

void LoopBuilder::divideRuns(ArrayRef<int64_t> shape, int64_t work, bool isContiguous,
                             function_ref<void(ArrayRef<Index>, const Run &)> body) {
  int64_t count = llvm::product_of(shape);
  if (isFine && count > 1) {
    Indices indices = delinearize(takeIteration(count), shape);
    Run single{indices.pop_back_val(), 1, shape.back(), {}};
    return body(indices, single);
  }
  Run whole{constant(0), shape.back(), shape.back(), {}};
  Division division;
  if (!isFine)
    division = Division::choose(shape, work, isContiguous);
  if (!division.isDivided())
    return nest(shape.drop_back(), [&](ArrayRef<Index> outer) { body(outer, whole); });

  plan.division = division;
  size_t cut = division.cut;
  auto iteration = [&](const Index &position, ValueRange) -> SmallVector<Value> {
    Indices indices = delinearize(div(position, division.chunks), shape.take_front(cut));
    Run run = getPart(mod(position, division.chunks), division.chunk, shape[cut]);
    if (cut + 1 == shape.size()) {
      body(indices, run);
      return {};
    }
    overRun(run, [&](const Index &index) {
      indices.push_back(index);
      nest(shape.drop_back().drop_front(cut + 1), [&](ArrayRef<Index> inner) {
        Indices all(indices);
        llvm::append_range(all, inner);
        body(all, whole);
      });
      indices.pop_back();
    });
    return {};
  };
  overIterations(iteration);
}

/// Runs the iterations of the function's range.
void LoopBuilder::overIterations(Body body) {
  int64_t count = getDivided();
  loop(
      dividedRange.first, dividedRange.second, indexConstant(1), count - 1, {},
      [&](const Index &index, ValueRange carried) {
        plan.dividedLoop = scope->block->getParentOp();
        return body(index, carried);
      },
      count);
}

Index LoopBuilder::takeIteration(int64_t count) {
  plan.division = Division::intoSingle(count);
  return variable(dividedRange.first, root, 0, count - 1);
}

Index LoopBuilder::takeIteration(int64_t count, int64_t team, int64_t warp) {
  plan.team = team;
  Launch launch = Launch::choose(count, team, warp);
  OpBuilder b = start();
  plan.lane =
      gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x, b.getIndexAttr(launch.getThreads()));
  if (launch.teams > 1) {
    Value threads = arith::ConstantIndexOp::create(b, loc, team);
    plan.lane = arith::RemUIOp::create(b, loc, plan.lane, threads);
  }
  plan.division = Division::intoSingle(count);
  if (count == 1)
    return constant(0);
  // Teams that share a warp get on together: there are more of them than iterations.
  int64_t together = std::max<int64_t>(1, warp / team);
  Index iteration = variable(dividedRange.first, root, 0, llvm::alignTo(count, together) - 1);
  return clamp(iteration, 0, count - 1);
}

Value LoopBuilder::isIteration(int64_t count) {
  Value limit = indexConstant(count);
  return arith::CmpIOp::create(at(root), loc, arith::CmpIPredicate::ult, dividedRange.first, limit);
}

void LoopBuilder::when(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto op = scf::IfOp::create(here(), loc, condition, /*withElseRegion=*/false);
  Scope *outer = scope;
  Operation *outerBefore = outer->before;
  outer->before = op;
  Block *block = op.thenBlock();
  scope = open(block, block->mightHaveTerminator() ? block->getTerminator() : nullptr, true);
  body();
  if (!block->mightHaveTerminator())
    scf::YieldOp::create(here(), loc);
  scope = outer;
  outer->before = outerBefore;
}

void LoopBuilder::divideBlocks(int64_t count, function_ref<void(const Index &)> body) {
  if (isFine)
    return body(takeIteration(count));
  plan.division = Division::intoSingle(count);
  overIterations([&](const Index &block, ValueRange) {
    body(block);
    return SmallVector<Value>();
  });
}

std::optional<std::pair<Value, Value>> LoopBuilder::divideRange(int64_t size, int64_t work) {
  if (isFine && size > 1) {
    Index first = takeIteration(size);
    return std::pair(materialize(first), materialize(add(first, constant(1))));
  }
  int64_t wanted = isFine ? 1 : std::min(Division::countWanted(work), size);
  if (wanted < 2)
    return std::nullopt;
  plan.division = Division::intoChunks(size, llvm::divideCeil(size, wanted));
  auto bound = [&](Value iteration) {
    Index first = scale(variable(iteration, root, 0, getDivided()), plan.division.chunk);
    return materialize(clamp(first, 0, size));
  };
  return std::pair(bound(dividedRange.first), bound(dividedRange.second));
}

void LoopBuilder::recordCopies(ArrayRef<Copies::Factor> factors) {
  Operation *place = scope->block->getParentOp();
  while (!isa<scf::ForOp, FunctionOpInterface>(place))
    place = place->getParentOp();
  plan.copies.push_back({place, SmallVector<Copies::Factor>(factors)});
}

Value LoopBuilder::isInRange(const Index &index, Value lo, Value hi) {
  Value value = materialize(index);
  OpBuilder &b = here();
  Value isAbove = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, value, lo);
  Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, value, hi);
  return arith::AndIOp::create(b, loc, isAbove, isBelow);
}

SmallVector<Value> LoopBuilder::choose(Value condition, TypeRange types,
                                       function_ref<SmallVector<Value>()> then,
                                       function_ref<SmallVector<Value>()> otherwise) {
  auto op = scf::IfOp::create(here(), loc, types, condition, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  Scope *outer = scope;
  Operation *outerBefore = outer->before;
  outer->before = op;
  auto fill = [&](Block *block, function_ref<SmallVector<Value>()> compute) {
    if (block->mightHaveTerminator())
      block->getTerminator()->erase();
    scope = open(block, nullptr, true);
    SmallVector<Value> results = compute();
    scf::YieldOp::create(here(), loc, results);
    scope = outer;
  };
  fill(op.thenBlock(), then);
  fill(op.elseBlock(), otherwise);
  outer->before = outerBefore;
  return SmallVector<Value>(op.getResults());
}

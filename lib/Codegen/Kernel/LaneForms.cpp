//===- LaneForms.cpp - How accesses lie to each other ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/LaneForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

std::optional<int64_t> Slopes::of(Value value) {
  if (value == variable)
    return 1;
  // What is defined outside of the loop is the same in all iterations.
  Region *loop = variable.getParentRegion();
  if (!loop->isAncestor(value.getParentRegion()))
    return 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!inner)
      return 0; // another argument of the function
    return value == inner.getInductionVar() ? of(inner.getLowerBound()) : std::nullopt;
  }
  auto [found, isNew] = known.try_emplace(value, std::nullopt);
  if (!isNew)
    return found->second;
  std::optional<int64_t> slope = compute(value.getDefiningOp());
  return known[value] = slope;
}

std::optional<int64_t> Slopes::compute(Operation *op) {
  SmallVector<std::optional<int64_t>> slopes;
  for (Value operand : op->getOperands())
    slopes.push_back(isa<MemRefType>(operand.getType()) ? 0 : of(operand));
  if (!op->getNumRegions() && llvm::all_of(slopes, [](auto slope) { return slope == 0; }))
    return 0;
  auto constant = [&](unsigned operand) { return getConstantIntValue(op->getOperand(operand)); };
  using Slope = std::optional<int64_t>;
  auto both = [&](auto combine) -> Slope {
    return slopes[0] && slopes[1] ? Slope(combine(*slopes[0], *slopes[1])) : Slope();
  };
  return TypeSwitch<Operation *, Slope>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>([&](auto) { return slopes[0]; })
      .Case([&](arith::AddIOp) { return both([](int64_t a, int64_t b) { return a + b; }); })
      .Case([&](arith::SubIOp) { return both([](int64_t a, int64_t b) { return a - b; }); })
      .Case([&](arith::MulIOp) -> Slope {
        if (auto factor = constant(1); factor && slopes[0])
          return *slopes[0] * *factor;
        if (auto factor = constant(0); factor && slopes[1])
          return *slopes[1] * *factor;
        return std::nullopt;
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) -> Slope {
        auto divisor = constant(1);
        return divisor && *divisor > 0 && slopes[0] ? Slope(*slopes[0] / *divisor) : Slope();
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) -> Slope {
        auto divisor = constant(1);
        return divisor && *divisor > 0 && slopes[0] ? Slope(*slopes[0] % *divisor) : Slope();
      })
      // Bounds are met at the ends alone.
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>([&](auto) -> Slope {
        if (slopes[0] == 0 || slopes[0] == slopes[1])
          return slopes[1];
        return slopes[1] == 0 ? slopes[0] : Slope();
      })
      .Default([](Operation *) { return Slope(); });
}

std::pair<LaneForm, int64_t> Slopes::getForm(MemRefType buffer, OperandRange indices,
                                             int64_t vector) {
  auto [strides, offset] = buffer.getStridesAndOffset();
  int64_t distance = 0;
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    std::optional<int64_t> slope = of(index);
    if (!slope)
      return {LaneForm::gathered, 0};
    distance += *slope * stride;
  }
  if (distance == 0)
    return {LaneForm::uniform, 0};
  return distance == vector ? std::pair(LaneForm::contiguous, int64_t(0))
                            : std::pair(LaneForm::strided, distance);
}

//===- VerifyNumeric.cpp - The program's value around every pass ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/VerifyNumeric.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace dmc;
using interpreter::Tensor;

//===--- Elements ---------------------------------------------------------===//

static unsigned getNumBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

static APInt loadBits(const Tensor &tensor, int64_t index) {
  uint64_t word = 0;
  unsigned bytes = getNumBytes(tensor.elementType);
  std::memcpy(&word, &tensor.bytes[index * bytes], bytes);
  return APInt(64, word).trunc(tensor.elementType.getIntOrFloatBitWidth());
}

static void storeBits(Tensor &tensor, int64_t index, const APInt &bits) {
  uint64_t word = bits.getZExtValue();
  unsigned bytes = getNumBytes(tensor.elementType);
  std::memcpy(&tensor.bytes[index * bytes], &word, bytes);
}

static double loadDouble(const Tensor &tensor, int64_t index) {
  llvm::APFloat value(cast<FloatType>(tensor.elementType).getFloatSemantics(),
                      loadBits(tensor, index));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

static APInt getFloatBits(FloatType type, double value) {
  llvm::APFloat converted(value);
  bool losesInfo;
  converted.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return converted.bitcastToAPInt();
}

std::string dmc::formatElement(const Tensor &tensor, int64_t index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<FloatType>(tensor.elementType))
    os << llvm::format("%.9g", loadDouble(tensor, index));
  else
    loadBits(tensor, index).print(os, /*isSigned=*/!tensor.elementType.isInteger(1));
  return text;
}

Tensor dmc::makeIntegralTensor(RankedTensorType type, uint64_t seed, size_t index,
                               SpecialValues special, double unit) {
  Tensor tensor = Tensor::get(type);
  std::mt19937_64 random(seed * 1000003 + index);
  const unsigned width = tensor.elementType.getIntOrFloatBitWidth();
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    uint64_t word = random() >> 8;
    bool isSpecial = word / 16 % 8 == 0;
    if (auto floatType = dyn_cast<FloatType>(tensor.elementType)) {
      const double values[] = {NAN, INFINITY, -INFINITY, -0.0};
      double value = unit * (static_cast<int64_t>(word % 9) - 4);
      if (special == SpecialValues::all && isSpecial)
        value = values[word / 256 % 4];
      storeBits(tensor, i, getFloatBits(floatType, value));
      continue;
    }
    APInt bits(64, word % (width == 1 ? 2 : 8));
    if (special != SpecialValues::none && isSpecial && width > 1) {
      const APInt values[] = {APInt::getSignedMinValue(width), APInt::getSignedMaxValue(width),
                              APInt::getAllOnes(width), APInt::getZero(width)};
      bits = values[word / 256 % 4].zext(64);
    }
    storeBits(tensor, i, bits);
  }
  return tensor;
}

std::optional<int64_t> dmc::findDifference(const Tensor &a, const Tensor &b,
                                           double relativeTolerance, bool signedZeros,
                                           ArrayRef<double> slack) {
  auto floatType = dyn_cast<FloatType>(a.elementType);
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    if (loadBits(a, i) == loadBits(b, i))
      continue;
    if (!floatType)
      return i;
    double x = loadDouble(a, i), y = loadDouble(b, i);
    if (std::isnan(x) && std::isnan(y))
      continue;
    if (x == y && !(signedZeros && std::signbit(x) != std::signbit(y)))
      continue;
    double epsilon = std::ldexp(1.0, 1 - static_cast<int>(floatType.getFPMantissaWidth()));
    double tolerance = relativeTolerance ? std::max(relativeTolerance, 4 * epsilon) : 0;
    double allowed = tolerance * std::max({1.0, std::abs(x), std::abs(y)});
    if (!slack.empty())
      allowed += slack[i];
    // Infinities and NaNs fail this comparison, unless anything may be.
    if (x != y && ((std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= allowed) ||
                   std::isinf(allowed)))
      continue;
    return i;
  }
  return std::nullopt;
}

/// Moves each float up or down by that part of it.
static void perturb(Tensor &tensor, double part, std::mt19937_64 &random) {
  auto floatType = dyn_cast<FloatType>(tensor.elementType);
  if (!floatType)
    return;
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    storeBits(tensor, i,
              getFloatBits(floatType, loadDouble(tensor, i) * (1 + (random() & 1 ? part : -part))));
}

/// Raises the slack of elements to some times their distance.
static void addSlack(const Tensor &a, const Tensor &b, std::vector<double> &slack) {
  if (!isa<FloatType>(a.elementType))
    return;
  slack.resize(a.getNumElements());
  for (int64_t i = 0, e = a.getNumElements(); i < e; ++i) {
    double x = loadDouble(a, i), y = loadDouble(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double distance = std::abs(x - y);
    slack[i] = std::max(slack[i], std::isnan(distance) ? INFINITY : 64 * distance);
  }
}

//===--- The instrumentation ----------------------------------------------===//

/// Whether the interpreter covers the module: imported, not yet scheduled.
static bool isCovered(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() == Level::scheduled)
    return false;
  WalkResult foreign = module.walk([&](Operation *op) {
    // What ranks do has no meaning before there are ranks.
    if (isa<ManualOp>(op) && program.getLevel() == Level::tensor)
      return WalkResult::interrupt();
    StringRef dialect = op->getName().getDialectNamespace();
    return dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy" || dialect == "tosa"
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !foreign.wasInterrupted();
}

static std::string getName(Pass *pass) {
  if (!pass->getArgument().empty())
    return pass->getArgument().str();
  std::string text;
  llvm::raw_string_ostream os(text);
  pass->printAsTextualPipeline(os);
  return text;
}

/// Element number `linear` as `[1, 2]`.
static std::string formatIndex(ArrayRef<int64_t> shape, int64_t linear) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; linear /= shape[d])
    index[d] = linear % shape[d];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(index, os);
  os << ']';
  return text;
}

/// Whether floats are summed or multiplied up, by loops, scatters or ranks: in
/// another order, or times a common factor, infinities among them may make NaN.
static bool sumsFloats(ModuleOp module) {
  auto isSum = [](Operation *op) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) ? WalkResult::interrupt()
                                                                : WalkResult::advance();
  };
  WalkResult result = module.walk([&](Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (linalgOp.getNumReductionLoops() == 0)
        return WalkResult::advance();
    } else if (!isa<ScatterOp>(op)) {
      auto combiner = op->getAttrOfType<CombinerKindAttr>("combiner");
      bool isOrder = !combiner || combiner.getValue() == CombinerKind::max ||
                     combiner.getValue() == CombinerKind::min;
      bool hasFloats = llvm::any_of(op->getOperandTypes(), [](Type type) {
        return isa<FloatType>(getElementTypeOrSelf(type));
      });
      return isOrder || !hasFloats ? WalkResult::advance() : WalkResult::interrupt();
    }
    return op->walk(isSum);
  });
  return result.wasInterrupted();
}

/// Whether the program rounds: its numbers are then as a model's, well below 1, so
/// that errors do not grow until they look like faults.
static bool rounds(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool isExact = isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FloorOp,
                           math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
        bool isMath = isa_and_nonnull<math::MathDialect>(op->getDialect());
        return (isMath && !isExact) || isa<arith::DivFOp>(op) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The relative error of the least precise floats in the program, and not less than
/// what shows after a few operations.
static double getRoundingError(ModuleOp module) {
  double error = 0x1p-20;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        error = std::max(error, std::ldexp(1.0, -static_cast<int>(floatType.getFPMantissaWidth())));
  });
  return error;
}

namespace {
/// Arguments of one kind, and what the program makes of them.
struct Trial {
  SpecialValues special = SpecialValues::none;
  /// The arguments lie where the program's operations are not defined.
  bool isUndefined = false;
  bool wasEvaluated = false;
  /// After the last pass, of each rank or of all together; empty before the first.
  interpreter::RankTensors results;
  /// Of each rank's results what rounding may change, where the program rounds:
  /// differences of nearly equal numbers and the like have no correct digits.
  std::vector<SmallVector<std::vector<double>>> slack;
};

class VerifyNumeric : public PassInstrumentation {
public:
  VerifyNumeric(VerifyNumericOptions options, std::shared_ptr<std::atomic<bool>> failed)
      : options(options), failed(std::move(failed)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || *failed || !trials.empty() || !isCovered(module))
      return;
    begin(module);
    for (Trial &trial : trials)
      if (!*failed)
        (void)evaluate(trial, module, "before", pass);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || *failed || !isCovered(module))
      return;
    if (trials.empty())
      begin(module);
    for (Trial &trial : trials) {
      interpreter::RankTensors before = std::move(trial.results);
      trial.results.clear();
      // What import makes has nothing before it to be compared with.
      if (!*failed && evaluate(trial, module, "after", pass) && !before.empty())
        compare(before, trial, module, pass);
    }
  }

private:
  /// Decides on the arguments by the first module that can be evaluated.
  void begin(ModuleOp module) {
    perRank = interpreter::isProgramOfRanks(module);
    isRounding = rounds(module);
    roundingError = getRoundingError(module);
    SpecialValues special =
        options.specialValues || !sumsFloats(module) ? SpecialValues::all : SpecialValues::integers;
    trials.resize(2);
    trials.back().special = special;
  }

  /// `disturbance`: 0, or the number of a random disturbance of the arguments.
  FailureOr<interpreter::RankTensors> interpret(ModuleOp module, SpecialValues special,
                                                unsigned disturbance = 0) {
    FailureOr<interpreter::Signature> signature =
        perRank ? interpreter::getLocalSignature(module) : interpreter::getSignature(module);
    if (mlir::failed(signature))
      return failure();
    interpreter::RankTensors inputs(perRank ? signature->numRanks : 1);
    size_t index = 0;
    for (SmallVector<Tensor> &tensors : inputs)
      for (const interpreter::Parameter &parameter : signature->arguments)
        tensors.push_back(makeIntegralTensor(parameter.type, options.seed, index++, special,
                                             isRounding ? 1.0 / 16 : 1));
    std::mt19937_64 random(disturbance);
    for (SmallVector<Tensor> &tensors : inputs)
      for (Tensor &tensor : tensors)
        if (disturbance)
          perturb(tensor, roundingError, random);
    interpreter::Options limits;
    limits.maxIterations = special == SpecialValues::none ? 1000000 : 10000;
    if (perRank)
      return interpreter::interpretRanks(module, inputs, limits);
    FailureOr<SmallVector<Tensor>> results = interpreter::interpret(module, inputs.front(), limits);
    if (mlir::failed(results))
      return failure();
    return interpreter::RankTensors{std::move(*results)};
  }

  /// Returns whether there are results.
  bool evaluate(Trial &trial, ModuleOp module, const char *when, Pass *pass) {
    if (trial.isUndefined)
      return false;
    // Special values may well be beyond what an operation defines, but if they are
    // not, then no pass must change that.
    const bool mayFail = trial.special != SpecialValues::none && !trial.wasEvaluated;
    FailureOr<interpreter::RankTensors> results = failure();
    if (mayFail) {
      ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) {});
      results = interpret(module, trial.special);
    } else {
      results = interpret(module, trial.special);
    }
    if (succeeded(results)) {
      if (isRounding && trial.slack.empty())
        measureSlack(trial, module, *results);
      trial.wasEvaluated = true;
      trial.results = std::move(*results);
      return true;
    }
    trial.isUndefined = mayFail;
    if (mayFail)
      return false;
    *failed = true;
    emitRemark(module.getLoc()) << "the program cannot be evaluated " << when << " pass '"
                                << getName(pass) << "'";
    return false;
  }

  /// By what a change of the arguments in their last digits does to the results.
  void measureSlack(Trial &trial, ModuleOp module, const interpreter::RankTensors &results) {
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) {});
    trial.slack.resize(results.size());
    for (unsigned disturbance : {1, 2}) {
      FailureOr<interpreter::RankTensors> others = interpret(module, trial.special, disturbance);
      for (auto [rank, tensors] : llvm::enumerate(results)) {
        trial.slack[rank].resize(tensors.size());
        for (size_t i = 0; i < tensors.size() && succeeded(others); ++i)
          addSlack(tensors[i], (*others)[rank][i], trial.slack[rank][i]);
      }
    }
  }

  void compare(const interpreter::RankTensors &before, const Trial &trial, ModuleOp module,
               Pass *pass) {
    const interpreter::RankTensors &after = trial.results;
    const bool signedZeros = trial.special == SpecialValues::all;
    func::FuncOp entry;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        entry = function;
    if (before.size() != after.size()) {
      report(entry, pass) << ": expected " << before.size() << " ranks, found " << after.size();
      return;
    }
    for (auto [rank, was, is] : llvm::enumerate(before, after)) {
      std::string owner = perRank ? " of rank " + std::to_string(rank) : "";
      ArrayRef<std::vector<double>> slack;
      if (!trial.slack.empty())
        slack = trial.slack[rank];
      if (!compareResults(was, is, slack, owner, signedZeros, entry, pass))
        return;
    }
  }

  /// Returns whether they agree.
  bool compareResults(ArrayRef<Tensor> before, ArrayRef<Tensor> after,
                      ArrayRef<std::vector<double>> slack, const std::string &owner,
                      bool signedZeros, func::FuncOp entry, Pass *pass) {
    ProgramAttr program = ProgramAttr::of(entry->getParentOp());
    if (before.size() != after.size()) {
      report(entry, pass) << ": expected " << before.size() << " results, found " << after.size();
      return false;
    }
    for (auto [number, was, is] : llvm::enumerate(before, after)) {
      std::string problem;
      llvm::raw_string_ostream os(problem);
      os << "result " << number;
      if (number < program.getResults().size())
        os << " (" << program.getResults()[number].getName() << ")";
      os << owner;
      if (was.elementType != is.elementType || was.shape != is.shape)
        os << " has another type";
      else if (auto element = findDifference(was, is, isRounding ? 1e-4 : 1e-5, signedZeros,
                                             slack.empty() ? ArrayRef<double>()
                                                           : ArrayRef<double>(slack[number])))
        os << " at " << formatIndex(was.shape, *element) << " was " << formatElement(was, *element)
           << " and is " << formatElement(is, *element);
      else
        continue;
      InFlightDiagnostic diagnostic = report(entry, pass) << ": " << problem;
      Value value = entry.getBody().front().getTerminator()->getOperand(number);
      if (Operation *op = value.getDefiningOp())
        diagnostic.attachNote(op->getLoc()) << "made by '" << op->getName() << "'";
      else
        diagnostic.attachNote(value.getLoc()) << "this argument";
      return false;
    }
    return true;
  }

  InFlightDiagnostic report(func::FuncOp entry, Pass *pass) {
    *failed = true;
    return emitError(entry.getLoc()) << "the value of '" << entry.getName()
                                     << "' differs after pass '" << getName(pass) << "'";
  }

  VerifyNumericOptions options;
  std::shared_ptr<std::atomic<bool>> failed;
  bool perRank = false;
  bool isRounding = false;
  double roundingError = 0;
  SmallVector<Trial> trials;
};
} // namespace

std::unique_ptr<PassInstrumentation>
dmc::createVerifyNumericInstrumentation(VerifyNumericOptions options,
                                        std::shared_ptr<std::atomic<bool>> failed) {
  return std::make_unique<VerifyNumeric>(options, std::move(failed));
}

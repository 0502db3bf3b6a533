//===- VerifyNumeric.cpp - The program's value around every pass ----------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/VerifyNumeric.h"

#include "dmc/Dialect/DMC/DMC.h"

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
                               bool specialValues) {
  Tensor tensor = Tensor::get(type);
  std::mt19937_64 random(seed * 1000003 + index);
  static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    uint64_t word = random() >> 8;
    if (auto floatType = dyn_cast<FloatType>(tensor.elementType)) {
      double value = static_cast<int64_t>(word % 9) - 4;
      if (specialValues && word / 16 % 8 == 0)
        value = special[word / 256 % 4];
      storeBits(tensor, i, getFloatBits(floatType, value));
      continue;
    }
    unsigned width = tensor.elementType.getIntOrFloatBitWidth();
    storeBits(tensor, i, APInt(64, word % (width == 1 ? 2 : 8)));
  }
  return tensor;
}

std::optional<int64_t> dmc::findDifference(const Tensor &a, const Tensor &b,
                                           double relativeTolerance, bool signedZeros) {
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
    // Infinities and NaNs fail this comparison.
    if (x != y && std::isfinite(x) && std::isfinite(y) &&
        std::abs(x - y) <= tolerance * std::max({1.0, std::abs(x), std::abs(y)}))
      continue;
    return i;
  }
  return std::nullopt;
}

//===--- The instrumentation ----------------------------------------------===//

/// Whether the interpreter covers the module: imported, not yet scheduled.
static bool isCovered(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program || program.getLevel() == Level::scheduled)
    return false;
  WalkResult foreign = module.walk([](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    return dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy" ? WalkResult::interrupt()
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

namespace {
class VerifyNumeric : public PassInstrumentation {
public:
  VerifyNumeric(VerifyNumericOptions options, std::shared_ptr<std::atomic<bool>> failed)
      : options(options), failed(std::move(failed)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || *failed || !values.empty() || !isCovered(module))
      return;
    evaluate(module, "before", pass);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || *failed || !isCovered(module))
      return;
    SmallVector<Tensor> before = std::move(values);
    // What import makes has nothing before it to be compared with.
    if (evaluate(module, "after", pass) && !before.empty())
      compare(before, module, pass);
  }

private:
  bool evaluate(ModuleOp module, const char *when, Pass *pass) {
    FailureOr<interpreter::Signature> signature = interpreter::getSignature(module);
    SmallVector<Tensor> inputs;
    if (succeeded(signature)) {
      for (auto [i, parameter] : llvm::enumerate(signature->arguments))
        inputs.push_back(
            makeIntegralTensor(parameter.type, options.seed, i, options.specialValues));
      FailureOr<SmallVector<Tensor>> results = interpreter::interpret(module, inputs);
      if (succeeded(results)) {
        values = std::move(*results);
        return true;
      }
    }
    *failed = true;
    emitRemark(module.getLoc()) << "the program cannot be evaluated " << when << " pass '"
                                << getName(pass) << "'";
    return false;
  }

  void compare(ArrayRef<Tensor> before, ModuleOp module, Pass *pass) {
    ProgramAttr program = ProgramAttr::of(module);
    func::FuncOp entry;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        entry = function;
    if (before.size() != values.size()) {
      report(entry, pass) << ": expected " << before.size() << " results, found " << values.size();
      return;
    }
    for (auto [number, was, is] : llvm::enumerate(before, values)) {
      std::string problem;
      llvm::raw_string_ostream os(problem);
      os << "result " << number;
      if (number < program.getResults().size())
        os << " (" << program.getResults()[number].getName() << ")";
      if (was.elementType != is.elementType || was.shape != is.shape)
        os << " has another type";
      else if (auto element = findDifference(was, is, 1e-5, options.specialValues))
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
      return;
    }
  }

  InFlightDiagnostic report(func::FuncOp entry, Pass *pass) {
    *failed = true;
    return emitError(entry.getLoc()) << "the value of '" << entry.getName()
                                     << "' differs after pass '" << getName(pass) << "'";
  }

  VerifyNumericOptions options;
  std::shared_ptr<std::atomic<bool>> failed;
  /// The results after the last pass; empty before the first.
  SmallVector<Tensor> values;
};
} // namespace

std::unique_ptr<PassInstrumentation>
dmc::createVerifyNumericInstrumentation(VerifyNumericOptions options,
                                        std::shared_ptr<std::atomic<bool>> failed) {
  return std::make_unique<VerifyNumeric>(options, std::move(failed));
}

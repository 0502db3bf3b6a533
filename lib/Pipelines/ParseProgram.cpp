//===- ParseProgram.cpp - From a text to a module -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text is checked for what is known to be fatal; the rest is caught.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/ParseProgram.h"

#include "LongLines.h"
#include "TextCheck.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MathExtras.h"

#include <mutex>

using namespace mlir;
using namespace dmc;

namespace {
/// Handlers of signals, as long as any thread parses: they are the process's.
class CrashRecovery {
public:
  CrashRecovery() {
    std::lock_guard<std::mutex> lock(mutex);
    if (numUsers++ == 0)
      llvm::CrashRecoveryContext::Enable();
  }
  CrashRecovery(const CrashRecovery &) = delete;
  CrashRecovery &operator=(const CrashRecovery &) = delete;
  ~CrashRecovery() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--numUsers == 0)
      llvm::CrashRecoveryContext::Disable();
  }

private:
  static std::mutex mutex;
  static unsigned numUsers;
};
} // namespace
std::mutex CrashRecovery::mutex;
unsigned CrashRecovery::numUsers = 0;

static constexpr int64_t maxBytes = int64_t(1) << 46;

/// More bytes of one value than sizes and offsets are calculated with.
static bool isTooLarge(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || !shaped.getElementType().isIntOrIndexOrFloat())
    return false;
  Type element = shaped.getElementType();
  int64_t bytes = element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t size : shaped.getShape())
    if (!ShapedType::isDynamic(size) &&
        (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes) || bytes > maxBytes))
      return true;
  return false;
}

static LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (!isTooLarge(type))
      return success();
    return op->emitOpError("is unsupported: ")
           << type << " has more than 2^" << llvm::Log2_64(maxBytes) << " bytes";
  };
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(check(type)))
          return failure();
  return success();
}

/// The least integer among static sizes of a padding stands for a dynamic one.
static LogicalResult checkPadding(tensor::PadOp op) {
  auto isWrong = [](ArrayRef<int64_t> sizes, ValueRange values) {
    return llvm::count_if(sizes, ShapedType::isDynamic) != static_cast<int64_t>(values.size());
  };
  if (isWrong(op.getStaticLow(), op.getLow()) || isWrong(op.getStaticHigh(), op.getHigh()))
    return op.emitOpError("expected as many values as dynamic sizes of the padding");
  return success();
}

/// Checks what upstream's verifiers let through and nobody can work with.
static LogicalResult checkModule(ModuleOp module) {
  return failure(module
                     ->walk([](Operation *op) -> WalkResult {
                       auto pad = dyn_cast<tensor::PadOp>(op);
                       return LogicalResult::success(succeeded(checkTypes(op)) &&
                                                     (!pad || succeeded(checkPadding(pad))));
                     })
                     .wasInterrupted());
}

/// Whether upstream's message is about a dialect or an operation that is not registered. Only the
/// parser knows where it met a name, so that its own diagnostic is the one to complete.
static bool isAboutUnknownName(StringRef message) {
  return llvm::any_of(ArrayRef<StringRef>{"unregistered dialect", "not found for custom op",
                                          "unregistered operation", "' is unknown"},
                      [&](StringRef part) { return message.contains(part); });
}

/// Parses, and fails with an error if the parser dies. The result is null after an
/// error of the parser's own, which `isSilent` drops.
static FailureOr<OwningOpRef<ModuleOp>>
parseSafely(llvm::SourceMgr &sources, const ParserConfig &config, bool isSilent = false) {
  MLIRContext &context = *config.getContext();
  // Made before: after a crash nothing new is.
  Location loc = FileLineColLoc::get(
      &context, sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier(), 0, 0);
  // Only this thread is watched, and the verifier would use others.
  bool isThreaded = context.isMultithreadingEnabled();
  context.disableMultithreading();
  CrashRecovery isRecovering;
  llvm::scope_exit restore([&] { context.disableMultithreading(!isThreaded); });
  OwningOpRef<ModuleOp> module;
  llvm::CrashRecoveryContext recovery;
  bool hasReason = false;
  std::optional<ScopedDiagnosticHandler> listener;
  listener.emplace(&context, [&](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    hasReason |= isError;
    if (isError && isAboutUnknownName(diagnostic.str()))
      diagnostic << ": unsupported; expected dialects that docs/inputs.md lists";
    return success(isSilent);
  });
  bool isAlive = recovery.RunSafely([&] { module = parseSourceFile<ModuleOp>(sources, config); });
  listener.reset();
  if (!isAlive)
    return emitError(loc) << "MLIR's parser failed on this input";
  // Some attributes' parsers do.
  if (!module && !hasReason)
    return emitError(loc) << "MLIR's parser refuses this input without giving a reason";
  return module;
}

OwningOpRef<ModuleOp> dmc::parseProgram(llvm::SourceMgr &sources, MLIRContext &context) {
  quoteLongLinesInPart(sources);
  if (failed(checkText(*sources.getMemoryBuffer(sources.getMainFileID()), context)))
    return {};
  FailureOr<OwningOpRef<ModuleOp>> module = parseSafely(sources, ParserConfig(&context));
  if (failed(module) || !*module || failed(checkModule(**module)))
    return {};
  return std::move(*module);
}

LogicalResult dmc::checkProgram(llvm::MemoryBufferRef buffer, const DialectRegistry &registry,
                                const DriverOptions &options) {
  SmallVector<StringRef> parts = {buffer.getBuffer()};
  if (!options.splitMarker.empty()) {
    parts.clear();
    buffer.getBuffer().split(parts, options.splitMarker);
  }
  for (StringRef part : parts) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.allowUnregisteredDialects(options.allowUnregisteredDialects);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(part, buffer.getBufferIdentifier()), llvm::SMLoc());
    SourceMgrDiagnosticHandler diagnostics(sources, &context);
    unsigned firstLine =
        1 + StringRef(buffer.getBufferStart(), part.begin() - buffer.getBufferStart()).count('\n');
    if (failed(checkText({part, buffer.getBufferIdentifier()}, context, firstLine)))
      return failure();
    ParserConfig config(&context, options.verify);
    FailureOr<OwningOpRef<ModuleOp>> module = parseSafely(sources, config, /*isSilent=*/true);
    if (failed(module) || (*module && failed(checkModule(**module))))
      return failure();
  }
  return success();
}

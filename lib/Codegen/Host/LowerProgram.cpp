//===- LowerProgram.cpp - The whole program in the LLVM dialect -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank function becomes the step function of the C ABI; tables are added,
// kernels converted.
//
//===----------------------------------------------------------------------===//

#include "CPU/KernelsToLLVM.h"
#include "CPU/StreamStores.h"
#include "Host/PredictStep.h"
#include "Host/ProgramTables.h"
#include "Host/StepFunction.h"
#include "Kernel/Buffers.h"
#include "Kernel/CustomCalls.h"
#include "Kernel/NestFunctions.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Codegen/Passes.h"
#include "dmc/Machine/ThreadRates.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "llvm/Support/xxhash.h"

namespace dmc {
#define GEN_PASS_DEF_LOWERPROGRAM
#include "dmc/Codegen/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// 128 bits of the module's text, without locations: what all ranks must agree on.
static void hashPlan(ModuleOp module, uint64_t hash[2]) {
  // Ranks compare their processors by themselves.
  Attribute target = module->removeAttr("dmc.target");
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().useLocalScope(false).enableDebugInfo(false));
  if (target)
    module->setAttr("dmc.target", target);
  auto bits =
      llvm::xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  hash[0] = bits.high64;
  hash[1] = bits.low64;
}

/// What later passes would trip over.
static LogicalResult check(ModuleOp module, func::FuncOp entry, ProgramAttr program) {
  if (!program)
    return module.emitError("expected a module with the attribute 'dmc.program'");
  if (program.getLevel() != Level::scheduled)
    return module.emitError("expected a program at level 'scheduled', found '")
           << stringifyLevel(program.getLevel()) << "'";
  if (!entry)
    return module.emitError("expected a public function");
  size_t expected = program.getArguments().size() + program.getResults().size() + 1;
  if (entry.getNumArguments() != expected || entry.getNumResults())
    return entry.emitError("expected arguments for ")
           << program.getArguments().size() << " arguments, " << program.getResults().size()
           << " results and the arena, and no results; found " << entry.getFunctionType();
  for (Type type : entry.getArgumentTypes())
    if (auto memref = dyn_cast<MemRefType>(type); !memref || !memref.hasStaticShape())
      return entry.emitError("expected static memrefs as arguments, found ") << type;
  for (ArrayRef<ValueAttr> values : {program.getArguments(), program.getResults()})
    for (ValueAttr value : values)
      if (!elementTypeCode(value.getType().getElementType()))
        return module.emitError("'")
               << value.getName().getValue() << "' has element type "
               << value.getType().getElementType() << ", which the runtime does not have";
  return success();
}

namespace {

struct LowerProgram : public dmc::impl::LowerProgramBase<LowerProgram> {
  using LowerProgramBase::LowerProgramBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProgramAttr program = ProgramAttr::of(module);
    func::FuncOp entry = findEntry(module);
    if (failed(check(module, entry, program)))
      return signalPassFailure();
    std::string error;
    std::optional<Machine> numbers = parseMachine(machine, error);
    if (!numbers) {
      module.emitError("in the option machine of ") << getArgument() << ": " << error;
      return signalPassFailure();
    }
    ProgramFacts facts;
    ThreadRates rates = getThreadRates(*numbers);
    facts.threadBytesPerSecond = rates.bytes;
    facts.threadFlopsPerSecond = rates.flops;
    facts.leastDividedFlops = rates.leastDividedFlops;
    hashPlan(module, facts.hash);
    facts.isForDevice = TargetAttr::of(module).isDevice();
    TableBuilder tables(module);
    if (failed(StepBuilder(module, entry, program, tables, facts).build()))
      return signalPassFailure();
    // Rates without a machine are no one's.
    if (!numbers->name.empty() && !facts.isForDevice)
      predictStep(facts, *numbers, program.getMesh() ? program.getMesh().getNumRanks() : 1);
    emitProgramTables(module, tables, program, facts, "dmc_step");
    entry.erase();
    SmallVector<func::FuncOp> declarations;
    SymbolTable symbols(module);
    for (auto kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr("dmc.contraction") || kernel->hasAttr(customCallAttr) ||
          kernel->hasAttr(deviceNestAttr) || hasParts(kernel, symbols))
        declarations.push_back(kernel); // in the tables
    for (func::FuncOp declaration : declarations)
      declaration.erase();
    // Code of a device is converted already, for that.
    auto device = module.lookupSymbol<ModuleOp>(deviceModuleName);
    if (device)
      device->remove();
    if (failed(convertToLLVM(module)))
      return signalPassFailure();
    if (device)
      module.push_back(device);
    for (NamedAttribute attr : llvm::to_vector(module->getDiscardableAttrs()))
      // Which processor to make the code for is not forgotten.
      if (attr.getName().getValue().starts_with("dmc.") && attr.getName() != "dmc.target")
        module->removeAttr(attr.getName());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      for (StringRef name : {StringRef("dmc.kernel_function"), StringRef("dmc.flops"),
                             StringRef(NestAttr::attrName)})
        function->removeAttr(name);
      std::string streamed;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        function.removeArgAttr(i, StringAttr::get(&getContext(), "dmc.shares"));
        if (function.removeArgAttr(i, StringAttr::get(&getContext(), streamAttr)))
          streamed += (streamed.empty() ? "" : ",") + std::to_string(i);
      }
      Builder builder(&getContext());
      if (streamed.empty())
        continue;
      // The second: loops that copy do not become calls of memcpy, which knows of one part of a row
      // alone and goes through the caches.
      function.setPassthroughAttr(
          builder.getArrayAttr({builder.getStrArrayAttr({streamFunctionAttr, streamed}),
                                builder.getStringAttr("no-builtin-memcpy")}));
    }
  }
};

} // namespace

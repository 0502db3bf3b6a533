//===- ProgramParts.cpp - What is compiled by itself ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/ProgramParts.h"

#include "CPU/StreamStores.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/TargetRegistry.h"

#include <algorithm>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Copies what functions of a part refer to: constants as they are, functions as
/// declarations.
static void addReferences(ModuleOp part, const SymbolTable &symbols) {
  llvm::StringSet<llvm::MallocAllocator> present;
  SmallVector<Operation *> work;
  for (Operation &op : *part.getBody()) {
    present.insert(SymbolTable::getSymbolName(&op).getValue());
    work.push_back(&op);
  }
  while (!work.empty()) {
    Operation *top = work.pop_back_val();
    top->walk([&](Operation *op) {
      FlatSymbolRefAttr symbol;
      if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        symbol = address.getGlobalNameAttr();
      else if (auto call = dyn_cast<LLVM::CallOp>(op))
        symbol = call.getCalleeAttr();
      Operation *target = symbol ? symbols.lookup(symbol.getAttr()) : nullptr;
      if (!target || !present.insert(symbol.getValue()).second)
        return;
      OpBuilder builder = OpBuilder::atBlockEnd(part.getBody());
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(target)) {
        auto declaration = cast<LLVM::LLVMFuncOp>(builder.cloneWithoutRegions(*function));
        declaration.setLinkage(LLVM::Linkage::External);
        for (unsigned i = 0; i < declaration.getNumArguments(); ++i)
          declaration.setArgAttrs(i, ArrayRef<NamedAttribute>());
      } else {
        work.push_back(builder.clone(*target));
      }
    });
  }
}

std::vector<Part> codegen::split(ModuleOp module) {
  SymbolTable symbols(module);
  struct Kernel {
    LLVM::LLVMFuncOp function;
    size_t size;
  };
  SmallVector<Kernel> kernels;
  SmallVector<LLVM::LLVMFuncOp> host;
  size_t total = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getSymName() == "dmc_step" || function.getSymName() == "dmc_program_query") {
      host.push_back(function);
      continue;
    }
    size_t size = 0;
    function.walk([&](Operation *) { ++size; });
    total += size;
    function.setVisibility_(LLVM::Visibility::Hidden);
    function.setDsoLocal(true);
    kernels.push_back({function, size});
  }
  size_t groups = std::clamp<size_t>(total / 500, 1, 8);
  std::vector<Part> parts(1 + groups);
  std::vector<size_t> load(parts.size(), 0);
  for (Part &part : parts)
    part.module = ModuleOp::create(module.getLoc());
  parts[0].optimize = false;
  auto add = [&](Part &part, LLVM::LLVMFuncOp function) {
    OpBuilder::atBlockEnd(part.module->getBody()).clone(*function);
  };
  for (LLVM::LLVMFuncOp function : host)
    add(parts[0], function);
  llvm::stable_sort(kernels, [](const Kernel &a, const Kernel &b) { return a.size > b.size; });
  for (const Kernel &kernel : kernels) {
    auto *least = std::min_element(load.data() + 1, load.data() + load.size());
    *least += kernel.size;
    add(parts[least - load.data()], kernel.function);
  }
  for (Part &part : parts)
    addReferences(*part.module, symbols);
  return parts;
}

static std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const TargetCpu &cpu, bool optimize,
                                                              std::string &error) {
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(cpu.triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      cpu.triple, cpu.name, cpu.features, options, llvm::Reloc::PIC_, std::nullopt,
      optimize ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None));
}

TranslatedPart codegen::translate(Part &part, const TargetCpu &cpu, llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(*part.module, context, "dmc");
  if (!module) {
    part.error = "translation to LLVM IR failed";
    return {};
  }
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(cpu, part.optimize, part.error);
  if (!machine)
    return {};
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // A nest is called from its entry alone, where its arguments' attributes would be lost.
    function.addFnAttr(llvm::Attribute::NoInline);
    // Loops that copy and fill stay loops, whose stores can go past the caches.
    if (function.hasFnAttribute(streamFunctionAttr))
      for (llvm::StringRef name : {"no-builtin-memcpy", "no-builtin-memset"})
        function.addFnAttr(name);
    if (!part.optimize)
      function.addFnAttr(llvm::Attribute::OptimizeNone);
  }
  return {std::move(module), std::move(machine)};
}

//===- DeviceCode.cpp - PTX of a device module ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Codegen/DeviceCode.h"

#include "GPU/CudaTarget.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static std::unique_ptr<llvm::TargetMachine> makeTargetMachine(StringRef chip, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // The version of PTX is the first that knows the chip: the oldest drivers read it.
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, chip, /*Features=*/"", llvm::TargetOptions(),
                                  std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// LLVM's pipeline without vectorizers: threads are the vectors, and what a thread accesses as one
/// is one already. Nor is such an access divided where its elements are used one by one.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, const llvm::Any &) { return pass != "VectorCombinePass"; });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

/// Returns what is wrong, or nothing.
static std::string makePtx(ModuleOp device, DeviceCode &code) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(device, context, "dmc");
  if (!module)
    return "translation to LLVM IR failed";
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(code.chip, error);
  if (!machine)
    return error;
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  // LLVM's vectorizer of loads fills gaps between them, and reads beyond the end of a buffer. It
  // passes over such functions.
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::NoImplicitFloat);
  optimize(*module, *machine);
  SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return "LLVM's target NVPTX emits no text";
  passes.run(*module);
  code.ptx = text.str().str();
  return {};
}

//===--- The assembler ----------------------------------------------------===//

static std::string findAssembler(const DeviceCodeOptions &options) {
  if (!options.assembler.empty())
    return options.assembler;
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (std::optional<std::string> toolkit = llvm::sys::Process::GetEnv("CUDA_HOME")) {
    SmallString<128> folder(*toolkit);
    llvm::sys::path::append(folder, "bin");
    if (auto found = llvm::sys::findProgramByName("ptxas", {StringRef(folder)}))
      return *found;
  }
  return {};
}

/// Returns what is wrong, or nothing.
static std::string assemble(const std::string &assembler, DeviceCode &code) {
  std::vector<std::unique_ptr<llvm::FileRemover>> removers;
  auto temporary = [&](StringRef suffix, std::string &name) {
    SmallString<128> path;
    std::error_code error = llvm::sys::fs::createTemporaryFile("dmc", suffix, path);
    name = path.str().str();
    if (!error)
      removers.push_back(std::make_unique<llvm::FileRemover>(path));
    return error;
  };
  std::string input, output, log;
  for (auto [suffix, name] : {std::pair("ptx", &input), {"cubin", &output}, {"log", &log}})
    if (std::error_code error = temporary(suffix, *name))
      return "cannot write a temporary file: " + error.message();
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(input, error);
    if (!error) {
      stream << code.ptx;
      stream.close();
      error = stream.error();
    }
    if (error) {
      stream.clear_error();
      return "cannot write '" + input + "': " + error.message();
    }
  }
  std::string chip = "-arch=" + code.chip, problem;
  std::vector<StringRef> arguments = {assembler, chip, "-v", "-o", output, input};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log), StringRef(log)};
  int status =
      llvm::sys::ExecuteAndWait(assembler, arguments, std::nullopt, redirects, 0, 0, &problem);
  if (auto text = llvm::MemoryBuffer::getFile(log))
    code.messages = (*text)->getBuffer().trim().str();
  if (status)
    return "assembler '" + assembler + "' failed: " + (problem.empty() ? code.messages : problem);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> binary = llvm::MemoryBuffer::getFile(output);
  if (!binary)
    return "cannot read '" + output + "': " + binary.getError().message();
  code.cubin.assign((*binary)->getBufferStart(), (*binary)->getBufferEnd());
  return {};
}

FailureOr<std::vector<DeviceCode>> dmc::makeDeviceCode(ModuleOp program,
                                                       const DeviceCodeOptions &options) {
  std::vector<DeviceCode> codes;
  auto device = program.lookupSymbol<ModuleOp>(deviceModuleName);
  if (!device)
    return codes;
  std::string problem;
  TargetAttr target = TargetAttr::of(program);
  SmallVector<StringRef> chips = findCudaChips(target.getProcessor(), problem);
  if (chips.empty())
    return program.emitError("cannot compile for this device: ") << problem;
  std::string assembler = options.assemble ? findAssembler(options) : "";
  for (StringRef chip : chips) {
    codes.push_back({chip.str(), {}, {}, {}});
    problem = makePtx(device, codes.back());
    if (problem.empty() && !assembler.empty())
      problem = assemble(assembler, codes.back());
    if (!problem.empty())
      return program.emitError("code generation for ") << chip << " failed: " << problem;
  }
  return codes;
}

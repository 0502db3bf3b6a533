//===- SharedLibrary.cpp - Object code for a processor --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are compiled in independent parts, in parallel, for one processor;
// the rank function, long but cold, without optimization.
//
//===----------------------------------------------------------------------===//

#include "dmc/Codegen/SharedLibrary.h"

#include "CPU/OptimizeKernels.h"
#include "CPU/ProgramParts.h"
#include "CPU/TargetCpu.h"
#include "Host/ProgramTables.h"
#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Support/DiskCache.h"
#include "dmc/Version.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <dlfcn.h>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

void dmc::registerCodegenTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

//===--- Compilation ------------------------------------------------------===//

/// Fills in what the program's tables say about its code.
static void recordTarget(ModuleOp module, const TargetCpu &cpu) {
  Builder builder(module.getContext());
  auto set = [&](StringRef symbol, const std::string &text) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(symbol);
    if (!global)
      return;
    std::string terminated = text + '\0';
    global.setGlobalType(LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size()));
    global.setValueAttr(builder.getStringAttr(terminated));
  };
  set(targetCpuSymbol, cpu.name);
  set(targetFeaturesSymbol, cpu.recorded);
}

/// What the object code of a module follows from.
static support::CacheKey keyOf(const llvm::Module &module, const TargetCpu &cpu, bool optimize) {
  SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  support::CacheKey key;
  key.add("object").add("dmc " DMC_VERSION " LLVM " LLVM_VERSION_STRING);
  key.add(support::identifyCode());
  key.add(cpu.triple.str()).add(cpu.name).add(cpu.features).add(optimize ? "O3" : "O0");
  key.add(bitcode);
  return key;
}

/// Optimizes a module and makes its object code. Returns what is wrong, or nothing.
static std::string makeObject(llvm::Module &module, llvm::TargetMachine &machine,
                              const TargetCpu &cpu, bool optimized, SmallVectorImpl<char> &object) {
  if (optimized)
    optimizeKernels(module, machine, cpu.vectorRegisters);
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return "this machine's target emits no object files";
  codegen.run(module);
  return {};
}

static void compile(Part &part, const TargetCpu &cpu,
                    const std::optional<support::DiskCache> &cache) {
  llvm::LLVMContext context;
  auto [module, machine] = translate(part, cpu, context);
  if (!module)
    return;
  if (!cache) {
    part.error = makeObject(*module, *machine, cpu, part.optimize, part.object);
    return;
  }
  support::CacheKey key = keyOf(*module, cpu, part.optimize);
  if (std::optional<SmallString<0>> object = cache->load(key)) {
    part.object = std::move(*object);
    part.isFromCache = true;
    return;
  }
  part.error = makeObject(*module, *machine, cpu, part.optimize, part.object);
  if (part.error.empty())
    cache->store(key, part.object);
}

//===--- Linking ----------------------------------------------------------===//

/// The file of the library that holds `function`, empty where there is none.
static std::string libraryOf(const void *function) {
  Dl_info info;
  if (dladdr(function, &info) && info.dli_fname)
    return info.dli_fname;
  return {};
}

/// Where LLVM's tools may lie: in the folder `bin` beside that of LLVM's library, as loaded
/// and with links resolved, and in Debian's folder for this version.
static SmallVector<std::string> findToolFolders() {
  std::string library = libraryOf(reinterpret_cast<const void *>(&llvm::sys::getHostCPUName));
  std::string debian = "llvm-" + std::to_string(LLVM_VERSION_MAJOR) + "/bin";
  SmallVector<std::string> folders;
  auto addBeside = [&](StringRef file) {
    StringRef prefix = llvm::sys::path::parent_path(llvm::sys::path::parent_path(file));
    for (StringRef folder : {StringRef("bin"), StringRef(debian)}) {
      SmallString<128> path = prefix;
      llvm::sys::path::append(path, folder);
      folders.push_back(path.str().str());
    }
  };
  if (library.empty())
    return folders;
  addBeside(library);
  SmallString<128> resolved;
  if (!llvm::sys::fs::real_path(library, resolved))
    addBeside(resolved);
  return folders;
}

/// For objects of so many bytes: lld is the fastest, but takes longer to start than
/// ld takes for a small program. It is a process of its own: lld as a library resets every
/// option of LLVM's command line in the process that calls it, also those of an embedder.
static std::string findLinker(const SharedLibraryOptions &options, size_t numBytes) {
  if (!options.linker.empty())
    return options.linker;
  if (std::optional<std::string> chosen = llvm::sys::Process::GetEnv("DMC_LINKER");
      chosen && !chosen->empty())
    return *chosen;
  std::array<StringRef, 3> names = {"ld.lld-22", "ld.lld", "ld"};
  if (numBytes < (1 << 20))
    std::rotate(names.begin(), names.begin() + 2, names.end());
  SmallVector<std::string> folders = findToolFolders();
  SmallVector<StringRef> paths(folders.begin(), folders.end());
  for (StringRef name : names) {
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
    if (auto found = llvm::sys::findProgramByName(name, paths))
      return *found;
  }
  return {};
}

/// The file of the C library of mathematics that this process uses.
static std::string findLibm() {
  double (*function)(double) = std::expm1;
  std::string library = libraryOf(reinterpret_cast<const void *>(function));
  return llvm::sys::path::filename(library).starts_with("libm") ? library : std::string();
}

static LogicalResult link(ModuleOp module, std::vector<Part> &parts, StringRef path,
                          const std::string &linker) {
  std::vector<std::unique_ptr<llvm::FileRemover>> removers;
  auto temporary = [&](const Twine &model, bool inTemp, std::string &name) -> std::error_code {
    SmallString<128> found;
    int file = -1;
    std::error_code error =
        inTemp ? llvm::sys::fs::createTemporaryFile("dmc", model.str(), file, found)
               : llvm::sys::fs::createUniqueFile(model, file, found);
    if (error)
      return error;
    error = llvm::sys::Process::SafelyCloseFileDescriptor(file);
    if (error)
      return error;
    name = found.str();
    removers.push_back(std::make_unique<llvm::FileRemover>(found));
    return {};
  };
  std::string output, messages;
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return module.emitError("cannot write '") << path << "': it is not a regular file";
  if (auto error = temporary(path + ".%%%%%%.tmp", false, output))
    return module.emitError("cannot write '") << path << "': " << error.message();
  llvm::FileRemover *outputRemover = removers.back().get();
  std::vector<std::string> arguments = {linker, "-shared", "--hash-style=gnu", "-z", "noexecstack",
                                        "-o",   output};
  for (Part &part : parts) {
    std::string name;
    if (auto error = temporary("o", true, name))
      return module.emitError("cannot write a temporary file: ") << error.message();
    std::error_code error;
    llvm::raw_fd_ostream stream(name, error);
    if (!error) {
      stream << part.object;
      stream.close();
      error = stream.error();
    }
    if (error) {
      stream.clear_error();
      return module.emitError("cannot write '") << name << "': " << error.message();
    }
    arguments.push_back(name);
  }
  if (std::string libm = findLibm(); !libm.empty())
    arguments.push_back(libm);
  if (auto error = temporary("log", true, messages))
    return module.emitError("cannot write a temporary file: ") << error.message();
  std::vector<StringRef> references(arguments.begin(), arguments.end());
  std::string problem;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(messages), StringRef(messages)};
  int status =
      llvm::sys::ExecuteAndWait(linker, references, std::nullopt, redirects, 0, 0, &problem);
  if (status) {
    if (auto log = llvm::MemoryBuffer::getFile(messages); log && problem.empty())
      problem = (*log)->getBuffer().trim().str();
    return module.emitError("linker '") << linker << "' failed: " << problem;
  }
  // createUniqueFile made it private; a library is for everyone the umask allows.
  unsigned mask = llvm::sys::fs::getUmask();
  // A file system without permissions has no others to give.
  std::error_code unset =
      llvm::sys::fs::setPermissions(output, static_cast<llvm::sys::fs::perms>(0777 & ~mask));
  (void)unset;
  if (auto error = llvm::sys::fs::rename(output, path))
    return module.emitError("cannot write '") << path << "': " << error.message();
  outputRemover->releaseFile();
  return success();
}

/// Puts the code of the device module into the program's tables: what an assembler made of it
/// first, and the text, which devices' drivers assemble themselves.
static LogicalResult embedDeviceCode(ModuleOp module, std::vector<DeviceCode> *kept) {
  FailureOr<std::vector<DeviceCode>> codes = makeDeviceCode(module);
  if (failed(codes))
    return failure();
  SmallVector<ImageRow> images;
  for (const DeviceCode &code : *codes) {
    // Without an assembler it is empty.
    images.push_back({code.chip, DMC_IMAGE_CUBIN, StringRef(code.cubin.data(), code.cubin.size())});
    images.push_back({code.chip, DMC_IMAGE_PTX, code.ptx});
  }
  fillImages(module, images);
  if (auto device = module.lookupSymbol<ModuleOp>(deviceModuleName))
    device.erase();
  if (kept)
    *kept = std::move(*codes);
  return success();
}

LogicalResult dmc::writeSharedLibrary(ModuleOp module, StringRef path,
                                      const SharedLibraryOptions &options) {
  std::string problem;
  auto target = module->getAttrOfType<TargetAttr>("dmc.target");
  std::optional<TargetCpu> cpu;
  if (target && !target.isDevice())
    cpu = findTargetCpu(target, problem);
  else if (target && options.targetCpu.empty())
    cpu = findBaselineCpu(problem);
  else
    cpu = findTargetCpu(options.targetCpu, problem);
  if (!cpu)
    return module.emitError("cannot compile for this processor: ") << problem;
  if (findLinker(options, 0).empty())
    return module.emitError("found no linker: set DMC_LINKER to ld.lld or ld");
  std::optional<support::DiskCache> cache = support::DiskCache::open(options.cacheDir, problem);
  if (problem.empty() && cache)
    problem = cache->prune();
  if (!problem.empty())
    return module.emitError() << problem;
  recordTarget(module, *cpu);
  if (failed(embedDeviceCode(module, options.deviceCode)))
    return failure();
  std::vector<Part> parts = split(module);
  auto isInterrupted = [&] { return options.interrupt && *options.interrupt; };
  parallelForEach(module.getContext(), parts, [&](Part &part) {
    if (!isInterrupted())
      compile(part, *cpu, cache);
  });
  if (isInterrupted())
    return failure();
  for (Part &part : parts)
    if (!part.error.empty())
      return module.emitError("code generation failed: ") << part.error;
  if (cache && options.cacheUse)
    *options.cacheUse = {static_cast<unsigned>(parts.size()),
                         static_cast<unsigned>(llvm::count_if(
                             parts, [](const Part &part) { return part.isFromCache; }))};
  size_t numBytes = 0;
  for (Part &part : parts)
    numBytes += part.object.size();
  auto start = std::chrono::steady_clock::now();
  LogicalResult linked = link(module, parts, path, findLinker(options, numBytes));
  if (options.linkMilliseconds)
    *options.linkMilliseconds +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return linked;
}

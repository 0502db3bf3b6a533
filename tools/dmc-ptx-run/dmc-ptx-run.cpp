//===- dmc-ptx-run.cpp - Runs a kernel that is PTX text -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverLaunch.h"

#include "dmc/PTX/Simulator.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;
namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-ptx-run: runs a kernel that is PTX text, and checks every access

No GPU and no driver is needed: the text is simulated, warps in lockstep. Races, barriers that not all
threads reach, accesses out of bounds or misaligned, values that were never written: each is reported
with its line, whatever order the threads ran in. For instance, rows of 4096 floats, one a block:

  dmc-ptx-run softmax.ptx --grid=16 --block=256 --arg=in=x.npy --arg=out=16x4096xf32,y.npy --counts

An --arg for each parameter of the kernel, in order:

  in=FILE.npy              the address of an array with the file's contents
  inout=FILE.npy,OUT.npy   the same; OUT.npy is what the kernel leaves there
  out=SHAPE,OUT.npy        the address of an array such as 16x4096xf32 that holds no value yet
  zero=SHAPE,OUT.npy       the same, of zeros
  TYPE=VALUE               a number: i32=16, u64=7, f32=0.5

Exits 1 if there is a report. With --device, the CUDA driver runs the kernel, for comparison.
)";

static cl::OptionCategory category("dmc-ptx-run options");
static cl::opt<std::string> input(cl::Positional, cl::init("-"), cl::value_desc("file"),
                                  cl::desc("<PTX text, - for standard input>"), cl::cat(category));
static cl::opt<std::string> kernelName("kernel", cl::value_desc("name"), cl::cat(category),
                                       cl::desc("The kernel to run, if the text has several"));
static cl::opt<std::string> grid("grid", cl::init("1"), cl::value_desc("x[,y[,z]]"),
                                 cl::cat(category), cl::desc("Blocks (default: 1)"));
static cl::opt<std::string> block("block", cl::init("1"), cl::value_desc("x[,y[,z]]"),
                                  cl::cat(category), cl::desc("Threads of a block (default: 1)"));
static cl::opt<uint64_t> shared("shared", cl::init(0), cl::value_desc("bytes"), cl::cat(category),
                                cl::desc("Dynamic shared memory of a block (default: 0)"));
static cl::list<std::string> arguments("arg", cl::value_desc("argument"), cl::cat(category),
                                       cl::desc("A parameter of the kernel, see above"));
static cl::opt<uint64_t> seed("seed", cl::init(0), cl::value_desc("number"), cl::cat(category),
                              cl::desc("Chooses the order of blocks and warps (default: 0)"));
static cl::opt<bool>
    approximate("approximate", cl::cat(category),
                cl::desc("Let approximate instructions be as wrong as is documented "
                         "of them, by --seed (default: rounded correctly)"));
static cl::opt<uint64_t>
    mostInstructions("most-instructions", cl::init(uint64_t(1) << 32), cl::value_desc("number"),
                     cl::cat(category),
                     cl::desc("A warp that runs more is taken to never end (default: 2^32)"));
static cl::opt<bool>
    showCounts("counts", cl::cat(category),
               cl::desc("Print what the launch did: instructions, sectors, conflicts, and the "
                        "traffic of each array"));

namespace {
enum class Device { None, Installed, Simulated };
} // namespace
static cl::opt<Device>
    device("device", cl::init(Device::None), cl::cat(category),
           cl::desc("Run the kernel by a driver instead, without checks of its own:"),
           cl::values(clEnumValN(Device::Installed, "cuda", "the installed driver's first device"),
                      clEnumValN(Device::Simulated, "simulated",
                                 "that of the simulated driver, which reports as it does")));

static cl::opt<double>
    bench("bench", cl::init(0), cl::value_desc("seconds"), cl::cat(category),
          cl::desc("Launch the kernel again and again for so long, on the arrays that it leaves, "
                   "and print the median launch's time with the counts; files have what the first "
                   "launch leaves"));

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-ptx-run: error: %s\n", why.c_str());
  return 1;
}

static bool parseTriple(llvm::StringRef text, std::array<uint32_t, 3> &sizes) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (size_t i = 0; i < parts.size(); ++i)
    if (i >= 3 || parts[i].getAsInteger(10, sizes[i]) || sizes[i] == 0)
      return false;
  return true;
}

/// "16x4096xf32"; nothing if the text is another.
static std::optional<Array> parseArray(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  uint32_t type = 0;
  for (uint32_t candidate = DMC_I1; candidate <= DMC_F64; ++candidate)
    if (parts.back() == elementName(candidate))
      type = candidate;
  if (!type)
    return std::nullopt;
  std::vector<int64_t> shape;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_back()) {
    shape.emplace_back();
    if (part.getAsInteger(10, shape.back()))
      return std::nullopt;
  }
  if (checkedElements(shape, elementBytes(type)) < 0)
    return std::nullopt;
  return Array::make(type, shape);
}

/// The bytes of a number.
static bool parseNumber(llvm::StringRef type, llvm::StringRef text, std::vector<uint8_t> &bytes) {
  auto append = [&](auto value) {
    bytes.resize(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return true;
  };
  double number;
  if (type == "f32" || type == "f64") {
    if (text.getAsDouble(number))
      return false;
    return type == "f32" ? append(static_cast<float>(number)) : append(number);
  }
  bool isSigned = type.consume_front("i") || type.consume_front("s");
  if (!isSigned && !type.consume_front("u"))
    return false;
  unsigned bits;
  if (type.getAsInteger(10, bits) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return false;
  int64_t value;
  uint64_t positive;
  if (!text.getAsInteger(0, positive)) {
    if (bits < 64 && positive >> bits)
      return false;
    value = static_cast<int64_t>(positive);
  } else if (text.getAsInteger(0, value) || !isSigned ||
             (bits < 64 && value < -(int64_t(1) << (bits - 1)))) {
    return false;
  }
  append(value);
  bytes.resize(bits / 8);
  return true;
}

/// Allocates and fills what an argument names; its bytes as the kernel gets them.
static std::optional<std::string> readArgument(const std::string &argument, ptx::Memory &memory,
                                               std::vector<DeviceArray> &arrays,
                                               std::vector<uint8_t> &bytes) {
  auto [kind, rest] = llvm::StringRef(argument).split('=');
  bool isInput = kind == "in" || kind == "inout", isOutput = kind == "out" || kind == "zero";
  if (!isInput && !isOutput) {
    if (parseNumber(kind, rest, bytes))
      return std::nullopt;
    return "--arg expects in=, inout=, out=, zero= or a number such as i32=16, found '" + argument +
           "'";
  }
  auto [first, second] = rest.rsplit(',');
  DeviceArray entry;
  if (kind != "in") {
    if (first.empty() || second.empty())
      return "--arg=" + kind.str() + "= expects " + (isInput ? "a file" : "a shape") +
             " and a file to write, found '" + rest.str() + "'";
    entry.output = second.str();
    rest = first;
  }
  std::string error;
  auto array = isInput ? readNpy(rest.str(), error) : parseArray(rest);
  if (!array && isInput)
    return error;
  if (!array)
    return "--arg=" + kind.str() + "= expects a shape such as 16x4096xf32, found '" + rest.str() +
           "'";
  if (!array->buffer && array->numBytes())
    return argument + ": not enough memory";
  entry.array = std::move(*array);
  entry.isFilled = kind != "out";
  uint64_t size = entry.array.numBytes();
  entry.address = memory.allocate(size, "parameter " + std::to_string(arrays.size()));
  if (kind == "zero")
    std::memset(entry.array.data(), 0, size);
  if (kind != "out")
    memory.write(entry.address, entry.array.data(), size);
  bytes.resize(8);
  std::memcpy(bytes.data(), &entry.address, 8);
  arrays.push_back(std::move(entry));
  return std::nullopt;
}

static std::optional<std::string> fillLaunch(const ptx::Module &module, ptx::Memory &memory,
                                             ptx::Launch &launch,
                                             std::vector<DeviceArray> &arrays) {
  std::vector<std::string> kernels = module.kernels();
  if (kernels.empty())
    return "expected a kernel (.entry), the text has none";
  launch.kernel =
      kernelName.empty() && kernels.size() == 1 ? kernels.front() : kernelName.getValue();
  if (!module.hasKernel(launch.kernel))
    return (kernelName.empty() ? "--kernel is needed, the text has "
                               : "there is no kernel '" + kernelName + "', the text has ") +
           llvm::join(kernels, ", ");
  if (!parseTriple(grid, launch.grid))
    return "--grid expects one to three positive numbers, found '" + grid + "'";
  if (!parseTriple(block, launch.block))
    return "--block expects one to three positive numbers, found '" + block + "'";
  launch.dynamicShared = shared;
  launch.seed = seed;
  launch.approximates = approximate;
  launch.mostInstructions = mostInstructions;
  std::vector<ptx::Parameter> parameters = module.parameters(launch.kernel);
  if (parameters.size() != arguments.size())
    return "expected " + std::to_string(parameters.size()) + " --arg for '" + launch.kernel +
           "', found " + std::to_string(arguments.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<uint8_t> bytes;
    size_t known = arrays.size();
    if (auto why = readArgument(arguments[i], memory, arrays, bytes))
      return why;
    if (arrays.size() > known)
      arrays.back().offset = parameters[i].offset;
    if (bytes.size() != parameters[i].size)
      return "--arg=" + arguments[i] + " has " + std::to_string(bytes.size()) +
             " bytes, parameter " + parameters[i].name + " " + std::to_string(parameters[i].size);
    launch.arguments.resize(parameters[i].offset + bytes.size());
    std::memcpy(launch.arguments.data() + parameters[i].offset, bytes.data(), bytes.size());
  }
  return std::nullopt;
}

static void print(const std::vector<ptx::Traffic> &traffic) {
  if (traffic.empty())
    return;
  std::printf("\n%-20s %-6s %14s %14s %14s %14s\n", "global memory", "", "sectors", "different",
              "bytes", "different");
  for (const ptx::Traffic &of : traffic)
    std::printf("%-20s %-6s %14llu %14llu %14llu %14llu\n", of.allocation.c_str(),
                of.isWrite ? "writes" : "reads", static_cast<unsigned long long>(of.sectors),
                static_cast<unsigned long long>(of.differentSectors),
                static_cast<unsigned long long>(of.bytes),
                static_cast<unsigned long long>(of.differentBytes));
}

static void print(const ptx::Counts &counts) {
  auto line = [](const char *what, uint64_t count) {
    std::printf("%-20s %14llu\n", what, static_cast<unsigned long long>(count));
  };
  line("instructions", counts.instructions);
  line("lane instructions", counts.laneInstructions);
  line("global requests", counts.globalRequests);
  line("global sectors", counts.globalSectors);
  line("global bytes", counts.globalBytes);
  line("shared requests", counts.sharedRequests);
  line("bank conflicts", counts.bankConflicts);
  line("barriers", counts.barriers);
}

static ptx::Outcome timed(const ptx::Module &module, const ptx::Launch &launch, ptx::Memory &memory,
                          double &seconds) {
  auto begin = std::chrono::steady_clock::now();
  ptx::Outcome outcome = ptx::run(module, launch, memory);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

/// The median time of further launches, and of the first, unless that one was slowed by counting.
static double repeat(const ptx::Module &module, ptx::Launch &launch, ptx::Memory &memory,
                     double first) {
  std::vector<double> times;
  double all = first;
  if (!launch.countsTraffic)
    times.push_back(first);
  launch.countsTraffic = false;
  while (all < bench || times.empty()) {
    ++launch.operation;
    times.emplace_back();
    timed(module, launch, memory, times.back());
    all += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

static std::optional<std::string> writeArrays(const std::vector<DeviceArray> &arrays) {
  FileSet files;
  for (const DeviceArray &entry : arrays)
    if (!entry.output.empty())
      if (auto why = files.add(entry.output, entry.array))
        return why;
  return files.commit();
}

/// What is wrong with options, whatever the kernel: a driver does not do what the simulator does.
static std::optional<std::string> checkOptions() {
  if (bench.getNumOccurrences() && !(bench > 0))
    return "--bench expects a positive number of seconds";
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &seed, &approximate, &mostInstructions, &showCounts, &bench})
    if (device != Device::None && option->getNumOccurrences())
      return "--" + option->ArgStr.str() + " is for runs without --device";
  return std::nullopt;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, overview))
    return 1;
  if (auto why = checkOptions())
    return fail(*why);
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!file)
    return fail(input + ": cannot open: " + file.getError().message());
  std::string error;
  std::string text = (*file)->getBuffer().str();
  auto module = ptx::Module::parse(text, error);
  if (!module)
    return fail(input + ": " + error);
  ptx::Memory memory;
  ptx::Launch launch;
  std::vector<DeviceArray> arrays;
  if (auto why = fillLaunch(*module, memory, launch, arrays))
    return fail(*why);
  if (device != Device::None) {
    if (auto why = launchOnDriver(device == Device::Simulated, text, launch, arrays))
      return fail(*why);
    auto why = writeArrays(arrays);
    return why ? fail(*why) : 0;
  }
  double time = 0;
  launch.countsTraffic = showCounts;
  ptx::Outcome outcome = timed(*module, launch, memory, time);
  for (DeviceArray &entry : arrays)
    memory.read(entry.address, entry.array.data(), entry.array.numBytes());
  if (auto why = writeArrays(arrays))
    return fail(*why);
  for (const ptx::Report &report : outcome.reports)
    std::fprintf(stderr, "dmc-ptx-run: %s\n", report.text().c_str());
  if (bench > 0)
    time = repeat(*module, launch, memory, time);
  if (showCounts || bench > 0)
    print(outcome.counts);
  if (bench > 0)
    std::printf("%-20s %14.6f\n", "seconds", time);
  print(outcome.traffic);
  return outcome.reports.empty() ? 0 : 1;
}

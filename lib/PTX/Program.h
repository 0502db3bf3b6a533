//===- Program.h - Kernels in the form that is executed ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operand is a row of 32 lanes: registers, and constants and special registers, whose rows
// are filled when a warp starts. An instruction is a function and the numbers of rows.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PTX_PROGRAM_H
#define DMC_LIB_PTX_PROGRAM_H

#include "dmc/PTX/Simulator.h"

namespace dmc::ptx {

class Warp;
struct Instruction;

/// The lanes of `mask` execute.
using Handler = void (*)(Warp &warp, const Instruction &instruction, uint32_t mask);
/// The value of one lane, of up to three operands.
using LaneFunction = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c);
/// The same of all lanes.
using RowFunction = void (*)(uint64_t *result, const uint64_t *a, const uint64_t *b,
                             const uint64_t *c);

enum class Type : uint8_t {
  None,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  BF16,
  TF32,
  F16x2,
  BF16x2,
  F32,
  F64,
  Pred
};
/// Bytes in memory, 0 of predicates.
unsigned bytesOf(Type type);
bool isSigned(Type type);
bool isFloat(Type type);
/// "f32" to F32; None if it is not a type.
Type typeNamed(const std::string &name);

enum class Space : uint8_t { Generic, Global, Shared, Local, Param, Const };

constexpr uint32_t noRow = ~0U;

/// How an access takes part in the order of memory (PTX ISA, "Memory Consistency Model").
enum MemoryOrder : uint8_t { Strong = 1, Acquires = 2, Releases = 4, InBlock = 8 };

struct Instruction {
  Handler run = nullptr;
  LaneFunction lane = nullptr;
  RowFunction rows = nullptr; // null: by `lane`
  int line = 0;
  uint32_t guard = noRow;
  bool isGuardNegated = false;
  /// Lanes wait for each other here.
  bool synchronizes = false;
  /// Sets where lanes go on.
  bool branches = false;
  Type type = Type::None, from = Type::None;
  Space space = Space::Generic;
  uint8_t order = 0; // of MemoryOrder
  uint8_t numTargets = 0, numSources = 0;
  uint32_t targets[8], sources[12];
  int64_t offset = 0;  // of an address
  uint32_t jump = 0;   // a branch's target
  uint32_t option = 0; // which of an instruction's variants
  std::vector<uint32_t> table;
};

/// A register of every thread that a launch sets.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Lane,
  Warp,
  NumWarps,
  WarpSize,
  MaskEq,
  MaskLt,
  MaskLe,
  MaskGt,
  MaskGe,
  Clock,
  SharedSize,
  DynamicSharedSize,
  Zero
};

/// A row that is filled when a warp starts.
struct Preset {
  uint32_t row;
  bool isSpecial;
  Special special;
  uint64_t value;
};

/// A part of an initial value that is an address of a variable.
struct Reference {
  uint64_t at = 0;    // offset in the variable
  unsigned bytes = 8; // of the address, from `shift` bits of it on
  unsigned shift = 0;
  std::string name;
  uint64_t addend = 0;
};

/// A variable of a module or a kernel.
struct Variable {
  std::string name;
  Space space = Space::Global;
  uint64_t offset = 0, size = 0, alignment = 1;
  std::vector<uint8_t> initial;
  std::vector<Reference> references;
  bool isDynamic = false; // .extern .shared
  uint32_t row = noRow;   // of its address, if that follows from the launch
};

struct Kernel {
  std::string name;
  int line = 0;
  std::vector<Parameter> parameters;
  uint64_t parameterBytes = 0, sharedBytes = 0, localBytes = 0;
  std::array<uint32_t, 3> mostThreads = {}, requiredThreads = {}; // 0: not said
  uint32_t numRows = 0;
  bool usesFlags = false; // it has fences, releases or acquires
  bool polls = false;     // it reads what other threads may change meanwhile
  std::vector<Preset> presets;
  std::vector<std::string> rowNames; // of registers; empty for constants
  std::vector<Instruction> code;
  std::vector<uint32_t> ranks; // of the code: lanes at the lowest one run (CodeOrder.h)
  std::vector<std::pair<uint32_t, std::string>> globalRows; // rows of addresses of globals
};

struct Program {
  std::map<std::string, Kernel> kernels;
  std::vector<Variable> globals;
};

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_PROGRAM_H

//===- Builder.cpp - From statements to what is executed ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls are expanded where they stand: a function's registers are then registers of the kernel, and
// its parameters variables of the thread. A function that calls itself is refused.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "CodeOrder.h"
#include "Execution.h"
#include "LaneOps.h"
#include "Numbers.h"
#include "Opcode.h"

#include <algorithm>
#include <optional>

using namespace dmc::ptx;
using namespace dmc::ptx::syntax;

namespace {
class Builder {
public:
  Builder(const Text &text, const Program &program, const Function &entry, Kernel &kernel)
      : text(text), program(program), kernel(kernel) {
    kernel.name = entry.name;
    kernel.line = entry.line;
    kernel.mostThreads = entry.mostThreads;
    kernel.requiredThreads = entry.requiredThreads;
  }

  std::optional<std::string> run(const Function &entry) {
    addParameters(entry);
    for (const Declaration &declaration : text.variables)
      if (declaration.space == Space::Shared)
        declare(declaration, declaration.name);
    Frame frame{&entry, "", {}, ""};
    emit(frame);
    if (!error)
      append(endThread, 0).branches = true;
    finish();
    return error;
  }

private:
  /// A function whose statements are being expanded.
  struct Frame {
    const Function *function;
    std::string prefix;
    std::map<std::string, std::string> parameters; // to variables of the caller
    std::string end;                               // label behind a call
  };

  void fail(int line, const std::string &why) {
    if (!error)
      error = "line " + std::to_string(line) + ": " + why;
  }

  //===--- Rows and variables ---===//

  uint32_t newRow(std::string name = "") {
    kernel.rowNames.push_back(std::move(name));
    return kernel.numRows++;
  }
  uint32_t constant(uint64_t value) {
    auto [found, isNew] = constants.try_emplace(value, 0);
    if (isNew) {
      found->second = newRow();
      kernel.presets.push_back({found->second, false, Special::Zero, value});
    }
    return found->second;
  }
  uint32_t special(Special which) {
    auto [found, isNew] = specials.try_emplace(which, 0);
    if (isNew) {
      found->second = newRow();
      kernel.presets.push_back({found->second, true, which, 0});
    }
    return found->second;
  }

  static std::optional<Special> specialNamed(const std::string &name) {
    static const std::map<std::string, Special> names = {
        {"%tid.x", Special::TidX},
        {"%tid.y", Special::TidY},
        {"%tid.z", Special::TidZ},
        {"%ntid.x", Special::NtidX},
        {"%ntid.y", Special::NtidY},
        {"%ntid.z", Special::NtidZ},
        {"%ctaid.x", Special::CtaidX},
        {"%ctaid.y", Special::CtaidY},
        {"%ctaid.z", Special::CtaidZ},
        {"%nctaid.x", Special::NctaidX},
        {"%nctaid.y", Special::NctaidY},
        {"%nctaid.z", Special::NctaidZ},
        {"%laneid", Special::Lane},
        {"%warpid", Special::Warp},
        {"%nwarpid", Special::NumWarps},
        {"WARP_SZ", Special::WarpSize},
        {"%lanemask_eq", Special::MaskEq},
        {"%lanemask_lt", Special::MaskLt},
        {"%lanemask_le", Special::MaskLe},
        {"%lanemask_gt", Special::MaskGt},
        {"%lanemask_ge", Special::MaskGe},
        {"%clock", Special::Clock},
        {"%clock64", Special::Clock},
        {"%globaltimer", Special::Clock},
        {"%smid", Special::Zero},
        {"%gridid", Special::Zero},
        {"%total_smem_size", Special::SharedSize},
        {"%dynamic_smem_size", Special::DynamicSharedSize}};
    auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }

  static uint64_t alignTo(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
  }

  void addParameters(const Function &entry) {
    for (const Declaration &parameter : entry.parameters) {
      Variable variable;
      variable.name = parameter.name;
      variable.space = Space::Param;
      variable.size = parameter.bytes();
      variable.offset = alignTo(kernel.parameterBytes, std::max<uint64_t>(1, parameter.alignment));
      kernel.parameterBytes = variable.offset + variable.size;
      kernel.parameters.push_back({variable.name, variable.offset, variable.size});
      variables[variable.name] = variable;
    }
  }

  void declare(const Declaration &declaration, const std::string &name) {
    Variable variable;
    variable.name = name;
    variable.size = declaration.bytes();
    variable.space = declaration.space == Space::Param ? Space::Local : declaration.space;
    if (variable.space == Space::Global || variable.space == Space::Const)
      return fail(declaration.line, "unsupported: a global variable in a function");
    if (variable.space == Space::Shared && declaration.isExternal) {
      variable.isDynamic = true;
      variable.row = newRow();
      dynamicAlignment = std::max(dynamicAlignment, declaration.alignment);
    } else {
      uint64_t &bytes = variable.space == Space::Shared ? kernel.sharedBytes : kernel.localBytes;
      variable.offset = alignTo(bytes, std::max<uint64_t>(1, declaration.alignment));
      bytes = variable.offset + variable.size;
      // As much as a thread has on any device; launches check shared memory.
      constexpr uint64_t mostLocal = 512 << 10;
      if (kernel.localBytes > mostLocal)
        fail(declaration.line,
             "unsupported: more than " + std::to_string(mostLocal) + " bytes of local memory");
    }
    variables[name] = variable;
  }

  /// Whether something reads what a strong access gives: then the kernel may wait for others.
  void findPolls() {
    std::vector<bool> isRead(kernel.numRows);
    for (const Instruction &i : kernel.code) {
      for (unsigned s = 0; s < i.numSources; ++s)
        isRead[i.sources[s]] = true;
      if (i.guard != noRow)
        isRead[i.guard] = true;
    }
    for (const Instruction &i : kernel.code)
      for (unsigned t = 0; t < i.numTargets; ++t)
        kernel.polls |= i.order & Strong && isRead[i.targets[t]];
  }

  void finish() {
    findPolls();
    kernel.sharedBytes = alignTo(kernel.sharedBytes, std::max<uint64_t>(1, dynamicAlignment));
    for (auto &[name, variable] : variables)
      if (variable.isDynamic)
        kernel.presets.push_back({variable.row, false, Special::Zero, kernel.sharedBytes});
    for (auto &[instruction, label, line] : jumps) {
      auto found = labels.find(label);
      if (found == labels.end())
        fail(line, "there is no label '" + label + "'");
      else
        kernel.code[instruction].jump = found->second;
    }
    for (auto &[instruction, targets, line] : tables)
      for (const std::string &label : targets) {
        auto found = labels.find(label);
        if (found == labels.end())
          return fail(line, "there is no label '" + label + "'");
        kernel.code[instruction].table.push_back(found->second);
      }
    kernel.ranks = rankCode(kernel.code);
  }

  const Variable *findVariable(const std::string &name) const {
    if (auto alias = frame->parameters.find(name); alias != frame->parameters.end())
      if (auto found = variables.find(alias->second); found != variables.end())
        return &found->second;
    if (auto found = variables.find(frame->prefix + name); found != variables.end())
      return &found->second;
    if (auto found = variables.find(name); found != variables.end())
      return &found->second;
    return nullptr;
  }

  uint32_t registerRow(const std::string &name) {
    auto [found, isNew] = registers.try_emplace(frame->prefix + name, 0);
    if (isNew)
      found->second = newRow(name.substr(0, name.find('#')));
    return found->second;
  }
  Type registerType(const std::string &name) const {
    auto found = frame->function->registers.find(name);
    return found == frame->function->registers.end() ? Type::None : found->second;
  }

  /// A row that has the address of a variable in its space.
  uint32_t addressRow(const Variable &variable) {
    return variable.isDynamic ? variable.row : constant(variable.offset);
  }
  std::optional<uint32_t> globalRow(const std::string &name) {
    for (const Variable &global : program.globals)
      if (global.name == name) {
        auto [found, isNew] = globals.try_emplace(name, 0);
        if (isNew) {
          found->second = newRow();
          kernel.globalRows.push_back({found->second, name});
        }
        return found->second;
      }
    return std::nullopt;
  }

  /// An operand that an instruction of this type reads.
  uint32_t source(const Operand &operand, Type type, int line) {
    switch (operand.kind) {
    case Operand::Immediate: {
      if (!operand.isFloat) {
        unsigned bytes = bytesOf(type);
        return constant(bytes && bytes < 8 ? operand.value & ((uint64_t(1) << (8 * bytes)) - 1)
                                           : operand.value);
      }
      bool wantsSingle = bytesOf(type) == 4;
      if (operand.isSingle == wantsSingle)
        return constant(operand.value);
      return constant(wantsSingle ? toBits(static_cast<float>(as<double>(operand.value)))
                                  : toBits(static_cast<double>(as<float>(operand.value))));
    }
    case Operand::Register:
    case Operand::Symbol:
      if (registerType(operand.name) != Type::None)
        return registerRow(operand.name);
      if (auto which = specialNamed(operand.name))
        return special(*which);
      if (const Variable *variable = findVariable(operand.name))
        return variable->isDynamic ? addressRow(*variable)
                                   : constant(variable->offset + operand.value);
      if (auto row = globalRow(operand.name); row && !operand.value)
        return *row;
      fail(line, "'" + operand.name + "' is not declared");
      return 0;
    default:
      fail(line, "expected a register or a number");
      return 0;
    }
  }
  uint32_t target(const Operand &operand, int line) {
    if (operand.name == "_")
      return newRow("_");
    if ((operand.kind != Operand::Register && operand.kind != Operand::Symbol) ||
        registerType(operand.name) == Type::None) {
      fail(line, "expected a register, found '" + operand.name + "'");
      return 0;
    }
    return registerRow(operand.name);
  }

  //===--- Instructions ---===//

  Instruction &append(Handler handler, int line) {
    kernel.code.emplace_back();
    kernel.code.back().run = handler;
    kernel.code.back().line = line;
    return kernel.code.back();
  }
  static void addTarget(Instruction &i, uint32_t row) { i.targets[i.numTargets++] = row; }
  static void addSource(Instruction &i, uint32_t row) { i.sources[i.numSources++] = row; }

  void emit(Frame &next) {
    Frame *outer = frame;
    frame = &next;
    for (const Declaration &variable : next.function->variables)
      declare(variable, next.prefix + variable.name);
    for (const Statement &statement : next.function->body) {
      if (error)
        break;
      if (statement.kind == Statement::Label)
        labels[next.prefix + statement.name] = static_cast<uint32_t>(kernel.code.size());
      else
        emit(statement);
    }
    frame = outer;
  }

  bool expectOperands(const Statement &s, size_t least, size_t most) {
    if (s.operands.size() >= least && s.operands.size() <= most)
      return true;
    fail(s.line, "'" + s.name + "' has " + std::to_string(s.operands.size()) + " operands");
    return false;
  }

  void emit(const Statement &s) {
    Opcode opcode(s.name);
    if (opcode.name == "call")
      return emitCall(s);
    Instruction instruction;
    instruction.line = s.line;
    if (!decode(opcode, s, instruction) || !opcode.modifiers.empty()) {
      fail(s.line, "unsupported instruction '" + s.name + "'");
      return;
    }
    if (error)
      return;
    if (!s.guard.empty()) {
      if (registerType(s.guard) != Type::Pred)
        return fail(s.line, "'" + s.guard + "' is not a predicate");
      instruction.guard = registerRow(s.guard);
      instruction.isGuardNegated = s.isGuardNegated;
    }
    kernel.usesFlags |= instruction.order & (Acquires | Releases) || opcode.name == "membar" ||
                        opcode.name == "fence";
    kernel.code.push_back(std::move(instruction));
  }

  /// Parameters of functions are variables of the thread. A guarded call is refused.
  void emitCall(const Statement &s) {
    if (!s.guard.empty())
      return fail(s.line, "unsupported: a call under a predicate");
    size_t at = 0;
    std::vector<Operand> results, arguments;
    if (at < s.operands.size() && s.operands[at].kind == Operand::List)
      results = s.operands[at++].parts;
    if (at >= s.operands.size())
      return fail(s.line, "a call of nothing");
    std::string name = s.operands[at++].name;
    if (at < s.operands.size() && s.operands[at].kind == Operand::List)
      arguments = s.operands[at++].parts;
    auto found = text.functions.find(name);
    if (found == text.functions.end() || !found->second.hasBody)
      return fail(s.line, "unsupported: a call of '" + name + "', which has no body here");
    const Function &callee = found->second;
    if (std::find(calls.begin(), calls.end(), &callee) != calls.end())
      return fail(s.line, "unsupported: '" + name + "' calls itself");
    if (results.size() != callee.results.size() || arguments.size() != callee.parameters.size())
      return fail(s.line, "a call of '" + name + "' with " + std::to_string(arguments.size()) +
                              " parameters");
    Frame inner{&callee, "call" + std::to_string(++numCalls) + ":", {}, ""};
    inner.end = inner.prefix + "end";
    auto bind = [&](const std::vector<Declaration> &declared, const std::vector<Operand> &given) {
      for (size_t i = 0; i < declared.size(); ++i) {
        const Variable *variable = findVariable(given[i].name);
        if (!variable)
          return fail(s.line, "'" + given[i].name + "' is not declared");
        inner.parameters[declared[i].name] = variable->name;
      }
    };
    bind(callee.results, results);
    bind(callee.parameters, arguments);
    calls.push_back(&callee);
    emit(inner);
    calls.pop_back();
    labels[inner.end] = static_cast<uint32_t>(kernel.code.size());
  }

  bool decode(Opcode &o, const Statement &s, Instruction &i) {
    if (o.name == "bra" || o.name == "ret" || o.name == "exit" || o.name == "brx" ||
        o.name == "trap" || o.name == "brkpt" || o.name == "nanosleep" || o.name == "pmevent" ||
        o.name == "setmaxnreg" || o.name == "griddepcontrol" || o.name == "discard")
      return decodeControl(o, s, i);
    if (o.name == "mov")
      return decodeMove(s, i, o);
    if (o.name == "selp" || o.name == "slct")
      return decodeSelect(o, s, i);
    if (o.name == "setp" || o.name == "set")
      return decodeCompare(o, s, i);
    if (o.name == "lop3" || o.name == "bfi")
      return decodeFour(o, s, i);
    if (o.name == "addc" || o.name == "subc" || o.name == "madc" || o.modifiers.count("cc"))
      return decodeCarry(o, s, i);
    Opcode copy = o;
    if (decodeMatrix(copy, i)) {
      o = copy;
      return addMatrixOperands(o, s, i);
    }
    copy = o;
    if (decodeMemoryBarrier(copy, i)) {
      o = copy;
      return addBarrierOperands(s, i);
    }
    i = Instruction();
    i.line = s.line;
    copy = o;
    if (decodeWarp(copy, i)) {
      o = copy;
      return addWarpOperands(o, s, i);
    }
    i = Instruction();
    i.line = s.line;
    copy = o;
    if (decodeMemory(copy, i)) {
      o = copy;
      return addMemoryOperands(o, s, i);
    }
    i = Instruction();
    i.line = s.line;
    return decodeLanes(o, s, i);
  }

  bool decodeControl(Opcode &o, const Statement &s, Instruction &i) {
    i.branches = true;
    o.take("uni");
    if (o.name == "bra") {
      if (!expectOperands(s, 1, 1))
        return true;
      i.run = branch;
      jumps.emplace_back(kernel.code.size(), frame->prefix + s.operands[0].name, s.line);
    } else if (o.name == "brx" && o.take("idx")) {
      if (!expectOperands(s, 2, 2))
        return true;
      i.run = branchByTable;
      addSource(i, source(s.operands[0], Type::U32, s.line));
      auto table = frame->function->branchTables.find(s.operands[1].name);
      if (table == frame->function->branchTables.end()) {
        fail(s.line, "there are no branch targets '" + s.operands[1].name + "'");
        return true;
      }
      std::vector<std::string> targets;
      for (const std::string &label : table->second)
        targets.push_back(frame->prefix + label);
      tables.emplace_back(kernel.code.size(), targets, s.line);
    } else if (o.name == "ret" && !frame->end.empty()) {
      i.run = branch;
      jumps.emplace_back(kernel.code.size(), frame->end, s.line);
    } else if (o.name == "ret" || o.name == "exit") {
      i.run = endThread;
    } else if (o.name == "trap") {
      i.run = trap;
    } else if (o.name == "brkpt" || o.name == "nanosleep" || o.name == "pmevent") {
      i.branches = false;
      i.run = doNothing;
    } else {
      return false;
    }
    return true;
  }

  bool decodeMove(const Statement &s, Instruction &i, Opcode &o) {
    if (!expectOperands(s, 2, 2))
      return true;
    Type type = o.type();
    i.type = type;
    const Operand &to = s.operands[0], &from = s.operands[1];
    if (to.kind == Operand::Vector) {
      i.run = splitParts;
      for (const Operand &part : to.parts)
        if (i.numTargets < 8)
          addTarget(i, target(part, s.line));
      addSource(i, source(from, type, s.line));
      i.option = 8 * bytesOf(type) / std::max<unsigned>(1, i.numTargets);
      return bytesOf(type) <= 8 && to.parts.size() <= 8;
    }
    addTarget(i, target(to, s.line));
    if (from.kind == Operand::Vector) {
      i.run = joinParts;
      i.option =
          8 * bytesOf(type) / std::max<unsigned>(1, static_cast<unsigned>(from.parts.size()));
      for (const Operand &part : from.parts)
        if (i.numSources < 8)
          addSource(i, source(part, Type::B64, s.line));
      return bytesOf(type) <= 8 && from.parts.size() <= 8;
    }
    i.run = move;
    // The address of a variable, in its space.
    addSource(i, source(from, type, s.line));
    return type != Type::None;
  }

  bool decodeSelect(Opcode &o, const Statement &s, Instruction &i) {
    if (!expectOperands(s, 4, 4))
      return true;
    i.run = select;
    o.take("ftz");
    bool byNumber = o.name == "slct";
    i.option = !byNumber ? 0 : o.type(1) == Type::F32 ? 2 : 1;
    addTarget(i, target(s.operands[0], s.line));
    addSource(i, source(s.operands[1], o.type(), s.line));
    addSource(i, source(s.operands[2], o.type(), s.line));
    addSource(i, source(s.operands[3], byNumber ? o.type(1) : Type::Pred, s.line));
    return o.type() != Type::None &&
           (!byNumber || o.type(1) == Type::F32 || o.type(1) == Type::S32);
  }

  bool decodeCompare(Opcode &o, const Statement &s, Instruction &i) {
    bool isSet = o.name == "set";
    Type type = o.type(isSet ? 1 : 0);
    bool flushes = o.take("ftz");
    std::string order = o.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
                                   "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
    std::string combined = o.takeOne({"and", "or", "xor"});
    if (!expectOperands(s, combined.empty() ? 3 : 4, combined.empty() ? 3 : 4))
      return true;
    i.run = compare;
    bool arePairs = type == Type::F16x2 || type == Type::BF16x2;
    Type element = type == Type::F16x2 ? Type::F16 : type == Type::BF16x2 ? Type::BF16 : type;
    LaneOp comparing = comparison(order, element, flushes);
    i.lane = comparing.lane;
    i.rows = comparing.rows;
    // `set` gives ones in all bits, or 1.0.
    Type result = isSet ? o.type() : Type::Pred;
    if (arePairs) {
      i.run = comparePairs;
      i.type = result;
      if (isSet && result != type && (bytesOf(result) != 4 || isFloat(result)))
        return false;
    }
    i.offset = result == Type::F32    ? 0x3f800000
               : result == Type::F16  ? 0x3c00
               : result == Type::BF16 ? 0x3f80
               : isSet                ? 0xffffffff
                                      : 1;
    i.option = static_cast<uint32_t>(combined == "and"  ? Combination::And
                                     : combined == "or" ? Combination::Or
                                     : combined.empty() ? Combination::None
                                                        : Combination::Xor);
    const Operand &to = s.operands[0];
    if (to.kind == Operand::Pair && !isSet)
      for (const Operand &part : to.parts)
        addTarget(i, target(part, s.line));
    else
      addTarget(i, target(to, s.line));
    addSource(i, source(s.operands[1], type, s.line));
    addSource(i, source(s.operands[2], type, s.line));
    if (!combined.empty()) {
      addSource(i, source(s.operands[3], Type::Pred, s.line));
      i.jump = s.operands[3].isNegated;
    }
    return i.lane &&
           (!isSet || bytesOf(result) == 4 || result == Type::F16 || result == Type::BF16);
  }

  bool decodeFour(Opcode &o, const Statement &s, Instruction &i) {
    bool isLogic = o.name == "lop3";
    i.type = o.type();
    if (i.type != Type::B32 && (isLogic || i.type != Type::B64))
      return false;
    if (!expectOperands(s, 5, 5))
      return true;
    i.run = isLogic ? logic3 : insertField;
    addTarget(i, target(s.operands[0], s.line));
    for (size_t k = 1; k < 5; ++k)
      addSource(i, source(s.operands[k], k < 3 ? i.type : Type::B32, s.line));
    return true;
  }

  bool decodeCarry(Opcode &o, const Statement &s, Instruction &i) {
    std::string name = o.name.substr(0, 3);
    bool isProduct = name == "mad";
    i.run = carry;
    i.type = o.type();
    i.option = (o.name.size() == 4 ? ReadsCarry : 0) | (o.take("cc") ? WritesCarry : 0) |
               (name == "sub" ? IsDifference : 0) | (isProduct ? IsProduct : 0);
    if (isProduct)
      i.option |= o.take("hi") ? IsHigh : 0;
    if (isProduct && !(i.option & IsHigh) && !o.take("lo"))
      return false;
    size_t count = isProduct ? 4 : 3;
    if (!expectOperands(s, count, count))
      return true;
    addTarget(i, target(s.operands[0], s.line));
    for (size_t k = 1; k < count; ++k)
      addSource(i, source(s.operands[k], i.type, s.line));
    if (carryRow == noRow)
      carryRow = newRow("the carry");
    if (i.option & ReadsCarry)
      addSource(i, carryRow);
    if (i.option & WritesCarry)
      addTarget(i, carryRow);
    return (name == "add" || name == "sub" || isProduct) && bytesOf(i.type) >= 4 &&
           !isFloat(i.type);
  }

  /// The base of an address and its offset; which space a symbol is in.
  void addAddress(const Operand &operand, Instruction &i, int line, bool isOffsetInJump = false) {
    if (operand.kind != Operand::Address)
      return fail(line, "expected an address");
    auto offset = static_cast<int64_t>(operand.value);
    uint32_t base;
    if (operand.name.empty()) {
      base = constant(0);
    } else if (registerType(operand.name) != Type::None) {
      base = registerRow(operand.name);
    } else if (const Variable *variable = findVariable(operand.name)) {
      base = addressRow(*variable);
      // Parameters of calls are variables of the thread.
      if (i.space == Space::Param || i.space == Space::Generic)
        i.space = variable->space;
    } else if (auto row = globalRow(operand.name)) {
      base = *row;
    } else {
      return fail(line, "'" + operand.name + "' is not declared");
    }
    addSource(i, base);
    if (isOffsetInJump)
      i.jump = static_cast<uint32_t>(offset);
    else
      i.offset = offset;
  }

  static std::vector<Operand> partsOf(const Operand &operand) {
    return operand.kind == Operand::Vector ? operand.parts : std::vector<Operand>{operand};
  }

  bool addMemoryOperands(Opcode &o, const Statement &s, Instruction &i) {
    if (o.name == "ld" || o.name == "ldu") {
      if (!expectOperands(s, 2, 3))
        return true;
      unsigned widest = 8;
      for (const Operand &part : partsOf(s.operands[0])) {
        if (i.numTargets == 8)
          return false;
        addTarget(i, target(part, s.line));
        if (unsigned bytes = bytesOf(registerType(part.name)))
          widest = bytes;
      }
      i.option = widest;
      addAddress(s.operands[1], i, s.line);
    } else if (o.name == "st") {
      if (!expectOperands(s, 2, 3))
        return true;
      addAddress(s.operands[0], i, s.line);
      for (const Operand &part : partsOf(s.operands[1])) {
        if (i.numSources == 9)
          return false;
        addSource(i, source(part, i.type, s.line));
      }
    } else if (o.name == "atom" || o.name == "red") {
      bool hasTarget = o.name == "atom";
      bool swaps = s.operands.size() == (hasTarget ? 4U : 3U);
      if (!expectOperands(s, hasTarget ? 3 : 2, hasTarget ? 4 : 2))
        return true;
      size_t at = 0;
      if (hasTarget)
        for (const Operand &part : partsOf(s.operands[at++]))
          addTarget(i, target(part, s.line));
      addAddress(s.operands[at++], i, s.line);
      const Operand &value = s.operands[at++];
      if (value.kind == Operand::Vector)
        i.from = i.type; // an element each
      for (const Operand &part : partsOf(value)) {
        if (i.numSources == 9)
          return false;
        addSource(i, source(part, i.type, s.line));
      }
      if (swaps)
        addSource(i, source(s.operands[at], i.type, s.line));
    } else if (o.name == "cvta" || o.name == "isspacep") {
      if (!expectOperands(s, 2, 2))
        return true;
      addTarget(i, target(s.operands[0], s.line));
      addSource(i, source(s.operands[1], Type::U64, s.line));
    } else if (s.name.compare(0, 19, "cp.async.wait_group") == 0) {
      if (!expectOperands(s, 1, 1))
        return true;
      if (s.operands[0].kind != Operand::Immediate)
        return false;
      i.option = static_cast<uint32_t>(s.operands[0].value);
    } else if (o.name == "cp" && s.operands.size() >= 3) {
      addAddress(s.operands[0], i, s.line);
      addAddress(s.operands[1], i, s.line, /*isOffsetInJump=*/true);
      i.space = Space::Shared;
      const Operand &bytes = s.operands[2];
      if (bytes.kind != Operand::Immediate ||
          (bytes.value != 4 && bytes.value != 8 && bytes.value != 16))
        return false;
      i.option = static_cast<uint32_t>(bytes.value);
      if (s.operands.size() > 3)
        addSource(i, source(s.operands[3], Type::U32, s.line));
    }
    return true;
  }

  /// Of an mbarrier: a result if it has one, the address, and a number.
  bool addBarrierOperands(const Statement &s, Instruction &i) {
    if (!expectOperands(s, 1, 4))
      return true;
    size_t at = 0;
    if (s.operands[0].kind != Operand::Address)
      addTarget(i, target(s.operands[at++], s.line));
    if (i.numTargets && s.name == "mbarrier.pending_count.b64") {
      addSource(i, source(s.operands[at], Type::B64, s.line));
      return true;
    }
    if (at == s.operands.size())
      return false;
    addAddress(s.operands[at++], i, s.line);
    // A time after which a wait gives up may follow: this one gives up at once.
    bool isState =
        s.name.find("_wait") != std::string::npos && s.name.find("parity") == std::string::npos;
    if (at < s.operands.size())
      addSource(i, source(s.operands[at], isState ? Type::B64 : Type::B32, s.line));
    kernel.polls |= i.numTargets > 0;
    return true;
  }

  bool addWarpOperands(Opcode &o, const Statement &s, Instruction &i) {
    const auto &operands = s.operands;
    auto addTargets = [&](const Operand &operand) {
      for (const Operand &part :
           operand.kind == Operand::Pair ? operand.parts : std::vector{operand})
        addTarget(i, target(part, s.line));
    };
    auto addMask = [&](const Operand &operand) { i.table = {source(operand, Type::B32, s.line)}; };
    if (o.name == "shfl" && expectOperands(s, 5, 5)) {
      addTargets(operands[0]);
      for (size_t k = 1; k < 4; ++k)
        addSource(i, source(operands[k], Type::B32, s.line));
      addMask(operands[4]);
    } else if ((o.name == "vote" || o.name == "match" || o.name == "redux") &&
               expectOperands(s, 3, 3)) {
      addTargets(operands[0]);
      addSource(i, source(operands[1], o.name == "vote" ? Type::Pred : i.type, s.line));
      i.jump = operands[1].isNegated;
      addMask(operands[2]);
    } else if (o.name == "elect" && expectOperands(s, 2, 2)) {
      addTargets(operands[0]);
      addMask(operands[1]);
    } else if (o.name == "activemask" && expectOperands(s, 1, 1)) {
      addTarget(i, target(operands[0], s.line));
    } else if (s.name.compare(0, 8, "bar.warp") == 0 && expectOperands(s, 1, 1)) {
      addMask(operands[0]);
    } else if (o.name == "bar" || o.name == "barrier") {
      bool isReduction = s.name.find(".red.") != std::string::npos;
      if (!expectOperands(s, isReduction ? 3 : 1, isReduction ? 4 : 2))
        return true;
      if (isReduction)
        addTarget(i, target(operands[0], s.line));
      size_t numNumbers = operands.size() - (isReduction ? 2 : 0);
      for (size_t k = 0; k < numNumbers; ++k)
        addSource(i, source(operands[k + isReduction], Type::U32, s.line));
      if (isReduction) {
        addSource(i, source(operands.back(), Type::Pred, s.line));
        i.jump |= operands.back().isNegated ? BarrierNegates : 0;
      }
    }
    return true;
  }

  bool addMatrixOperands(Opcode &o, const Statement &s, Instruction &i) {
    bool isLoad = o.name == "ldmatrix";
    if (!expectOperands(s, isLoad ? 2 : 4, isLoad ? 2 : 4))
      return true;
    for (const Operand &part : partsOf(s.operands[0])) {
      if (i.numTargets == 8)
        return false;
      addTarget(i, target(part, s.line));
    }
    if (isLoad) {
      addAddress(s.operands[1], i, s.line);
      return true;
    }
    for (size_t k = 1; k < 4; ++k)
      for (const Operand &part : partsOf(s.operands[k])) {
        if (i.numSources == 12)
          return false;
        addSource(i, source(part, Type::B32, s.line));
      }
    return true;
  }

  bool decodeLanes(Opcode &o, const Statement &s, Instruction &i) {
    LaneForm form;
    if (o.modifiers.count("e4m3x2") || o.modifiers.count("e5m2x2"))
      form = o.name == "cvt" ? decodeFloat8(o) : form;
    else if (o.name == "cvt")
      form = decodeConversion(o);
    else if (o.modifiers.count("approx") || o.modifiers.count("full"))
      form = decodeApproximation(o);
    else {
      form = decodeBits(o);
      if (!form.function)
        form = decodeArithmetic(o);
    }
    if (!form.function)
      return false;
    i.run = runLanes;
    i.lane = form.function.lane;
    i.rows = form.function.rows;
    i.type = o.type();
    i.jump = form.ulps;
    i.offset = form.absolute;
    if (!expectOperands(s, form.numSources + 1, form.numSources + 1))
      return true;
    addTarget(i, target(s.operands[0], s.line));
    unsigned width = bytesOf(registerType(s.operands[0].name));
    if (isSigned(form.result) && bytesOf(form.result) < width && bytesOf(form.result) < 4) {
      i.from = form.result;
      i.option = width;
    }
    for (unsigned k = 0; k < form.numSources; ++k) {
      Type type = form.operands[k] != Type::None ? form.operands[k] : o.type();
      addSource(i, source(s.operands[k + 1], type, s.line));
      if (s.operands[k + 1].isNegated)
        return false;
    }
    // Compilers leave out an operand of which no byte is selected: it has no value then.
    const Operand &selector = s.operands.back();
    if (s.name == "prmt.b32" && selector.kind == Operand::Immediate)
      for (uint64_t half : {0, 1}) {
        bool isRead = false;
        for (unsigned byte = 0; byte < 4; ++byte)
          isRead |= (selector.value >> (4 * byte + 2) & 1) == half;
        if (!isRead)
          i.sources[half] = constant(0);
      }
    return true;
  }

  const Text &text;
  const Program &program;
  Kernel &kernel;
  Frame *frame = nullptr;
  std::optional<std::string> error;
  std::map<uint64_t, uint32_t> constants;
  std::map<Special, uint32_t> specials;
  std::map<std::string, uint32_t> registers, globals, labels;
  std::map<std::string, Variable> variables;
  std::vector<std::tuple<size_t, std::string, int>> jumps;
  std::vector<std::tuple<size_t, std::vector<std::string>, int>> tables;
  std::vector<const Function *> calls;
  unsigned numCalls = 0;
  uint32_t carryRow = noRow;
  uint64_t dynamicAlignment = 1;
};
} // namespace

std::optional<std::string> dmc::ptx::build(const Text &text, Program &program) {
  for (const Declaration &declaration : text.variables) {
    if (declaration.space == Space::Shared)
      continue;
    if (declaration.isExternal)
      return "line " + std::to_string(declaration.line) + ": unsupported: '" + declaration.name +
             "' is defined in another module";
    Variable variable;
    variable.name = declaration.name;
    variable.space = declaration.space;
    variable.size = declaration.bytes();
    variable.alignment = declaration.alignment;
    // What has no initial value is zero (PTX ISA, "Initializers").
    variable.initial = declaration.initial;
    variable.initial.resize(std::max<size_t>(variable.initial.size(), variable.size));
    variable.references = declaration.references;
    for (const Reference &reference : variable.references) {
      bool isKnown = false;
      for (const Declaration &other : text.variables)
        isKnown |= other.name == reference.name && other.space != Space::Shared;
      if (!isKnown)
        return "line " + std::to_string(declaration.line) + ": unsupported: the address of '" +
               reference.name + "' as an initial value";
    }
    program.globals.push_back(std::move(variable));
  }
  for (const auto &[name, function] : text.functions)
    if (function.isEntry && function.hasBody) {
      Kernel kernel;
      if (auto why = Builder(text, program, function, kernel).run(function))
        return why;
      program.kernels.emplace(name, std::move(kernel));
    }
  return std::nullopt;
}

//===- Fault.cpp - Faults that users ask for ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks/Fault.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <charconv>
#include <map>

using namespace dmc;
using namespace dmc::runtime;

using Action = Fault::Action;

static Action actionOf(const std::string &name) {
  static const std::map<std::string, Action> actions = {
      {"fail", Action::Fail},   {"stall", Action::Stall},        {"kill", Action::Kill},
      {"delay", Action::Delay}, {"no-memory", Action::NoMemory}, {"corrupt", Action::Corrupt}};
  auto found = actions.find(name);
  return found == actions.end() ? Action::None : found->second;
}

/// "key=value,key=value"; nothing if it does not read so, or a key comes twice.
static std::optional<std::map<std::string, std::string>> splitFields(const std::string &text) {
  std::map<std::string, std::string> fields;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    size_t equals = text.find('=', begin);
    if (equals >= end)
      return std::nullopt;
    std::string key = text.substr(begin, equals - begin);
    if (!fields.emplace(key, text.substr(equals + 1, end - equals - 1)).second)
      return std::nullopt;
    begin = end + 1;
  }
  return fields;
}

/// Takes a number that is not negative out of the fields; false if it is malformed.
static bool takeNumber(std::map<std::string, std::string> &fields, const char *key,
                       int64_t &number) {
  auto field = fields.find(key);
  if (field == fields.end())
    return true;
  const std::string &text = field->second;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool isGood = code == std::errc() && end == text.data() + text.size() && number >= 0;
  fields.erase(field);
  return isGood;
}

static bool read(const std::string &text, Fault &fault) {
  auto fields = splitFields(text);
  if (!fields)
    return false;
  fault.action = actionOf((*fields)["action"]);
  fields->erase("action");
  bool hasDelay = fields->count("milliseconds");
  if (!takeNumber(*fields, "rank", fault.rank) ||
      !takeNumber(*fields, "collective", fault.collective) ||
      !takeNumber(*fields, "milliseconds", fault.milliseconds) || !fields->empty())
    return false;
  bool needsCollective = fault.action != Action::NoMemory;
  return fault.action != Action::None && fault.rank >= 0 &&
         (fault.collective >= 0 || !needsCollective) && hasDelay == (fault.action == Action::Delay);
}

/// The size of the group in which the rank executes the collective; 0: of none.
static int64_t groupSizeAt(const dmc_collective &collective, int64_t rank) {
  const int64_t *begin = collective.groups;
  const int64_t *end = begin + int64_t(collective.num_groups) * collective.group_size;
  if (collective.num_groups && std::find(begin, end, rank) == end)
    return 0;
  return groupSizeOf(collective);
}

Failure Fault::parse(const std::string &text, const dmc_program &program, Fault &fault) {
  fault = {};
  if (text.empty())
    return std::nullopt;
  if (!read(text, fault))
    return "malformed DMC_FAULT \"" + text +
           "\", expected \"rank=R,collective=C,action=fail|stall|kill|no-memory|corrupt\", "
           "\"rank=R,collective=C,action=delay,milliseconds=N\" or \"rank=R,action=no-memory\"";
  int64_t numRanks = meshOf(program).numRanks();
  if (fault.rank >= numRanks)
    return "DMC_FAULT asks for rank " + std::to_string(fault.rank) + ", but the program has " +
           std::to_string(numRanks);
  if (fault.collective < 0)
    return std::nullopt;
  std::string which = "collective " + std::to_string(fault.collective);
  if (fault.collective >= program.num_collectives)
    return "DMC_FAULT asks for " + which + ", but the program has " +
           std::to_string(program.num_collectives);
  const dmc_collective &collective = program.collectives[fault.collective];
  if (collective.count == 0)
    return "DMC_FAULT asks for " + which + ", which the program never executes";
  bool needsMessages = fault.action == Action::Corrupt || fault.action == Action::NoMemory;
  if (needsMessages && (groupSizeAt(collective, fault.rank) < 2 || collective.result_bytes == 0))
    return "DMC_FAULT asks for " + which + ", in which rank " + std::to_string(fault.rank) +
           " receives nothing";
  return std::nullopt;
}

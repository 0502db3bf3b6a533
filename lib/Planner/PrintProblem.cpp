//===- PrintProblem.cpp - Layout problems as text -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of one pair is printed with it, as a list where most of its entries are equal.
//
//===----------------------------------------------------------------------===//
#include "dmc/Planner/Text.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace dmc::planner;

static constexpr llvm::StringRef keywords[] = {"capacity", "default", "group", "in",      "inf",
                                               "loop",     "outside", "pair",  "problem", "request",
                                               "row",      "table",   "trips", "variable"};

void dmc::planner::printName(llvm::StringRef name, llvm::raw_ostream &stream) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  if (!name.empty() && !llvm::isDigit(name[0]) && name[0] != '.' && name[0] != '$' &&
      llvm::all_of(name, isPart) && !llvm::is_contained(keywords, name)) {
    stream << name;
    return;
  }
  stream << '"';
  for (char c : name)
    if (c == '\n')
      stream << "\\n";
    else
      stream << (c == '"' || c == '\\' ? "\\" : "") << c;
  stream << '"';
}

namespace {
class Printer {
public:
  Printer(const ProblemParts &parts, llvm::raw_ostream &stream)
      : parts_(parts), stream_(stream), uses_(parts.tables.size(), 0) {
    for (const Pair &pair : parts.pairs)
      ++uses_[pair.table];
  }
  void run();

private:
  void name(llvm::StringRef text) { printName(text, stream_); }
  void cost(int64_t value) {
    if (value == infeasible)
      stream_ << "inf";
    else
      stream_ << value;
  }
  void variable(uint32_t number) { name(parts_.variables[number].name); }
  void state(uint32_t variable, uint32_t number) {
    name(parts_.variables[variable].states[number].name);
  }
  void printTables();
  void printVariable(const Variable &variable);
  void printDense(const Table &table);
  void printOwnTable(const Pair &pair, const Table &table);
  void printPair(const Pair &pair);
  void printRow(const Row &row);
  void printGroup(const Group &group);

  const ProblemParts &parts_;
  llvm::raw_ostream &stream_;
  std::vector<uint32_t> uses_;
  /// Of the tables that several pairs use.
  llvm::DenseMap<uint32_t, uint32_t> numbers_;
};
} // namespace

void Printer::printVariable(const Variable &variable) {
  stream_ << "  variable ";
  name(variable.name);
  if (variable.loop) {
    stream_ << " in ";
    name(parts_.loops[*variable.loop].name);
  }
  stream_ << " {";
  llvm::ListSeparator separator;
  for (const State &state : variable.states) {
    stream_ << separator;
    name(state.name);
    stream_ << ' ';
    cost(state.cost);
  }
  stream_ << "}\n";
}

void Printer::printDense(const Table &table) {
  stream_ << '[';
  for (uint32_t row = 0; row < table.rows; ++row) {
    stream_ << (row ? "; " : "");
    for (uint32_t column = 0; column < table.columns; ++column) {
      stream_ << (column ? " " : "");
      cost(table.at(row, column));
    }
  }
  stream_ << ']';
}

void Printer::printTables() {
  for (auto [index, table] : llvm::enumerate(parts_.tables)) {
    if (uses_[index] < 2)
      continue;
    uint32_t number = numbers_.size();
    numbers_[index] = number;
    stream_ << "  table t" << number << ' ';
    printDense(table);
    stream_ << '\n';
  }
}

void Printer::printOwnTable(const Pair &pair, const Table &table) {
  std::map<int64_t, size_t> counts;
  for (int64_t value : table.costs)
    ++counts[value];
  auto common = std::max_element(counts.begin(), counts.end(),
                                 [](const auto &a, const auto &b) { return a.second < b.second; });
  // An entry of a list takes about four times the room of one in a table.
  if (common == counts.end() || (table.costs.size() - common->second) * 4 >= table.costs.size())
    return printDense(table);
  llvm::ListSeparator separator;
  stream_ << '{';
  if (common->first != 0) {
    stream_ << separator << "default ";
    cost(common->first);
  }
  for (uint32_t row = 0; row < table.rows; ++row)
    for (uint32_t column = 0; column < table.columns; ++column) {
      if (table.at(row, column) == common->first)
        continue;
      stream_ << separator;
      state(pair.first, row);
      stream_ << ' ';
      state(pair.second, column);
      stream_ << ' ';
      cost(table.at(row, column));
    }
  stream_ << '}';
}

void Printer::printPair(const Pair &pair) {
  stream_ << "  pair ";
  variable(pair.first);
  stream_ << ' ';
  variable(pair.second);
  stream_ << ' ';
  if (pair.loop != getCommonLoop(parts_, parts_.variables[pair.first].loop,
                                 parts_.variables[pair.second].loop)) {
    stream_ << (pair.loop ? "in " : "outside ");
    if (pair.loop) {
      name(parts_.loops[*pair.loop].name);
      stream_ << ' ';
    }
  }
  if (auto number = numbers_.find(pair.table); number != numbers_.end())
    stream_ << 't' << number->second;
  else
    printOwnTable(pair, parts_.tables[pair.table]);
  stream_ << '\n';
}

void Printer::printRow(const Row &row) {
  stream_ << "  row ";
  name(row.name);
  stream_ << " capacity " << row.capacity << " {";
  llvm::ListSeparator separator;
  for (const MemoryUse &use : row.uses) {
    stream_ << separator;
    variable(use.variable);
    stream_ << ' ';
    state(use.variable, use.state);
    stream_ << ' ' << use.bytes;
  }
  stream_ << "}\n";
}

void Printer::printGroup(const Group &group) {
  stream_ << "  group ";
  name(group.name);
  stream_ << " {";
  llvm::ListSeparator separator;
  for (const std::vector<uint32_t> &instance : group.instances) {
    stream_ << separator << '[';
    llvm::interleave(instance, [&](uint32_t number) { variable(number); }, [&] { stream_ << ' '; });
    stream_ << ']';
  }
  stream_ << "}\n";
}

void Printer::run() {
  stream_ << "problem ";
  name(parts_.name);
  if (parts_.unit)
    stream_ << " unit " << parts_.unit;
  stream_ << " {\n";
  for (const Loop &loop : parts_.loops) {
    stream_ << "  loop ";
    name(loop.name);
    stream_ << " trips " << loop.trips;
    if (loop.parent) {
      stream_ << " in ";
      name(parts_.loops[*loop.parent].name);
    }
    stream_ << '\n';
  }
  for (const Variable &variable : parts_.variables)
    printVariable(variable);
  printTables();
  for (const Pair &pair : parts_.pairs)
    printPair(pair);
  for (const Row &row : parts_.rows)
    printRow(row);
  for (const Request &request : parts_.requests) {
    stream_ << "  request ";
    variable(request.variable);
    stream_ << " = ";
    state(request.variable, request.state);
    stream_ << '\n';
  }
  for (const Group &group : parts_.groups)
    printGroup(group);
  stream_ << "}\n";
}

void dmc::planner::printProblem(const ProblemParts &parts, llvm::raw_ostream &stream) {
  Printer(parts, stream).run();
}

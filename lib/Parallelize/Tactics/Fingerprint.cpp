//===- Fingerprint.cpp - Which program a plan is of -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Plan.h. Types and attributes are written once and numbered after that, so that
// the text to hash stays short.
//
//===----------------------------------------------------------------------===//
#include "Plan.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

std::vector<Operation *> tactics::numberOperations(func::FuncOp entry) {
  std::vector<Operation *> operations;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    operations.push_back(op);
    return isa<RegionBranchOpInterface>(op) ? WalkResult::advance() : WalkResult::skip();
  });
  return operations;
}

namespace {
class Writer {
public:
  explicit Writer(llvm::raw_ostream &os) : os(os) {}
  void write(Region &region);
  template <typename T>
  void writeOnce(T value) {
    auto [known, isNew] = texts.try_emplace(value.getAsOpaquePointer(), texts.size());
    os << 't' << known->second << ' ';
    if (isNew)
      os << value << ' ';
  }

private:
  void write(Operation *op);

  llvm::raw_ostream &os;
  DenseMap<const void *, unsigned> texts;
  DenseMap<Value, unsigned> values;
  unsigned numValues = 0; // without what tactics added
};
} // namespace

void Writer::write(Operation *op) {
  // A tactic's constraint is the value that it is about.
  if (op->hasAttr("dmc.tactic")) {
    values[op->getResult(0)] = values.lookup(op->getOperand(0));
    return;
  }
  os << op->getName().getStringRef() << ' ';
  for (Value operand : op->getOperands())
    os << 'v' << values.lookup(operand) << ' ';
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (attribute.getName() != "dmc.layouts") {
      os << attribute.getName().getValue() << ' ';
      writeOnce(attribute.getValue());
    }
  for (Value result : op->getResults()) {
    values[result] = numValues++;
    writeOnce(result.getType());
  }
  for (Region &region : op->getRegions())
    write(region);
  os << '\n';
}

void Writer::write(Region &region) {
  for (Block &block : region) {
    os << '{';
    for (BlockArgument argument : block.getArguments()) {
      values[argument] = numValues++;
      writeOnce(argument.getType());
    }
    for (Operation &op : block)
      write(&op);
    os << '}';
  }
}

std::string tactics::getFingerprint(ProgramAttr program, func::FuncOp entry) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Writer writer(os);
  for (ArrayRef<ValueAttr> list : {program.getArguments(), program.getResults()}) {
    for (ValueAttr value : list) {
      os << value.getName() << ' ' << value.getDonates() << ' ';
      writer.writeOnce(value.withLayout({}).getType());
    }
    os << '\n';
  }
  writer.write(entry.getBody());
  std::string digits;
  llvm::raw_string_ostream(digits) << llvm::format_hex_no_prefix(llvm::xxh3_64bits(text), 16);
  return digits;
}

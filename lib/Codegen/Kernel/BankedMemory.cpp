//===- BankedMemory.cpp - Elements in the banks of shared memory ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/BankedMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static Type getKeptType(Type element) {
  Type type = Scalarizer::getMemoryType(element);
  return type.getIntOrFloatBitWidth() < 32 ? IntegerType::get(type.getContext(), 32) : type;
}

int64_t BankedMemory::countBytes(Type element) {
  return getKeptType(element).getIntOrFloatBitWidth() / 8;
}

BankedMemory::BankedMemory(Scalarizer &s, Team &team, int64_t count, Type element, int64_t step,
                           int64_t beside)
    : s(s), count(llvm::alignTo(count, (step & -step) * beside)), element(element),
      kept(getKeptType(element)), step(step), beside(beside),
      buffer(team.allocate({this->count}, kept)) {}

/// Elements an odd number apart are in different banks. If the step is 2^k times an odd number,
/// every (banks / 2^k)-th of them is in the same bank, and as many elements further as that number
/// has banks: the elements of each such group, which fill all banks an odd number of times, have
/// their places exchanged by the number of the group. Where neighbours are accessed together, all
/// of that is true of what lies beside each other in as many banks.
Index BankedMemory::place(const Index &number) {
  int64_t banks = s.target.getWarpThreads() / (countBytes(element) / 4) / beside;
  int64_t exchanged = std::min(step & -step, banks);
  if (exchanged <= 1)
    return number;
  Index group = s.mod(s.div(number, beside * banks * (step / exchanged)), exchanged);
  if (group.isConstant() && group.constant == 0)
    return number;
  Value a = s.materialize(number), b = s.materialize(s.scale(group, beside));
  Value place = arith::XOrIOp::create(s.here(), s.loc, a, b);
  return s.variable(place, s.current(), 0, count - 1);
}

void BankedMemory::store(Value value, const Index &number) {
  OpBuilder &b = s.here();
  Type memory = Scalarizer::getMemoryType(element);
  unsigned width = memory.getIntOrFloatBitWidth();
  if (value.getType() != memory) // of bf16, whose memory is 16 bits, or of booleans
    value = element.isInteger(1) ? arith::ExtUIOp::create(b, s.loc, memory, value).getResult()
                                 : arith::BitcastOp::create(b, s.loc, memory, value).getResult();
  if (memory != kept) {
    if (isa<FloatType>(memory))
      value = arith::BitcastOp::create(b, s.loc, b.getIntegerType(width), value);
    value = arith::ExtUIOp::create(b, s.loc, kept, value);
  }
  s.store(value, buffer, place(number));
}

Value BankedMemory::load(const Index &number) {
  Value value = s.load(buffer, place(number));
  Type memory = Scalarizer::getMemoryType(element);
  if (value.getType() != memory) {
    Type bits = s.here().getIntegerType(memory.getIntOrFloatBitWidth());
    value = arith::TruncIOp::create(s.here(), s.loc, bits, value);
    if (bits != memory)
      value = arith::BitcastOp::create(s.here(), s.loc, memory, value);
  }
  return s.fromMemory(value, element);
}

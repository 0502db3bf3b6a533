//===- Accesses.cpp - Checked accesses of operations ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Accesses.h"
#include "Queue.h"

using namespace dmc;
using namespace dmc::fakes;

static std::string sizeText(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

uint8_t *fakes::accessBytes(const Operation &operation, const Range &range, bool isWrite,
                            bool checksValues) {
  ptx::Memory &memory = *operation.stream->context->memory;
  std::string verb = isWrite ? "writes " : "reads ";
  ptx::AccessCheck check = memory.access(range.address, range.bytes, isWrite, operation.accessor());
  if (!check.region) {
    ptx::Region *near = memory.find(range.address);
    std::string what = verb + sizeText(range.bytes);
    if (near && near->isFreed && near->base == range.address)
      report(operation, "use after free", what + " of " + near->name + ", which was freed",
             Result::IllegalAddress);
    else if (near)
      report(operation, "out of bounds",
             what + " at offset " + std::to_string(range.address - near->base) + " of " +
                 near->name + ", which has " + sizeText(near->size),
             Result::IllegalAddress);
    else
      report(operation, "out of bounds", what + " of no allocation", Result::IllegalAddress);
    return nullptr;
  }
  for (const ptx::AccessCheck::Conflict &conflict : check.conflicts)
    report(operation, name(ptx::ReportKind::Unordered),
           verb + check.region->name + " at offset " + std::to_string(conflict.offset) +
               ", which " + simulation().history.describe(conflict.operation) +
               (conflict.isWriter ? " wrote," : " read,") + " and nothing orders the two");
  if (!isWrite && checksValues && check.uninitialized != ptx::AccessCheck::allInitialized)
    report(operation, name(ptx::ReportKind::Uninitialized),
           verb + check.region->name + " at offset " + std::to_string(check.uninitialized) +
               ", which was never written");
  return check.region->bytes.data() + (range.address - check.region->base);
}

static bool overlaps(const Range &range, const ptx::Region &region) {
  return range.address < region.base + region.size && region.base < range.address + range.bytes;
}

void fakes::checkFree(Context &context, ptx::Region &region) {
  // After an error waiting fails: a program that ends can only free.
  if (isIdle(context) || context.error != Result::Success)
    return;
  auto complain = [&](uint32_t operation, const std::string &how) {
    report(&context, "free in use",
           region.name + " is freed, which " + simulation().history.describe(operation) + how +
               ", and the host has not waited for it",
           Result::IllegalAddress);
  };
  // Of what was executed it is known what it accessed; what was not says what it may access.
  ptx::Accessor host{0, [&](uint32_t operation) { return isHostOrdered(context, operation); }};
  ptx::AccessCheck check = context.memory->access(region.base, region.size, /*isWrite=*/true, host);
  for (const ptx::AccessCheck::Conflict &conflict : check.conflicts)
    complain(conflict.operation, conflict.isWriter ? " wrote" : " read");
  for (const std::shared_ptr<Stream> &stream : context.streams)
    for (const std::shared_ptr<Operation> &operation : stream->queue)
      for (const Range &range : operation->work->uses)
        if (overlaps(range, region)) {
          complain(operation->number, " uses");
          break;
        }
}

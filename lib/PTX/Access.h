//===- Access.h - Where the lanes of a warp access memory -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PTX_ACCESS_H
#define DMC_LIB_PTX_ACCESS_H

#include "Opcode.h"
#include "Shadow.h"

namespace dmc::ptx {

/// Addresses of lanes in a space.
struct Target {
  Space space = Space::Global;
  Address addresses[32];
};

/// The space of a generic address, and the address in it.
Space resolve(Space space, Address &address);
/// The sum of a source and an offset; false if lanes are in several spaces.
bool gather(Warp &warp, const Instruction &instruction, uint32_t mask, unsigned source,
            int64_t offset, Space space, Target &target);
/// Counts what a request costs.
void count(Warp &warp, uint32_t mask, const Target &target, unsigned bytes, bool isWrite);

void reportOutside(Warp &warp, const Instruction &instruction, unsigned lane, bool isWrite,
                   unsigned bytes, const std::string &name, uint64_t size, int64_t offset);
bool isAligned(Warp &warp, const Instruction &instruction, unsigned lane, Address address,
               bool isWrite, unsigned bytes);
/// The region, global or shared, in which a lane's bytes lie, or null after a report.
Region *regionAt(Warp &warp, const Instruction &instruction, unsigned lane, Space space,
                 Address address, unsigned bytes, bool isWrite);
/// Completes a request of `bytes`; false if lanes are wrong or not all in one region.
bool locate(Warp &warp, const Instruction &instruction, uint32_t mask, const Target &target,
            Request &request);
/// Bytes of local memory, with whether each was written, or of the parameters; null after a report.
uint8_t *ownBytes(Warp &warp, const Instruction &instruction, unsigned lane, const Target &target,
                  unsigned bytes, bool isWrite, uint8_t *&written);

/// Calls `body` with what is in one region: all lanes or, if that is not so, each; and `missing`
/// for lanes that cannot access what they ask for, after a report.
template <typename Body, typename Missing>
void forRequests(Warp &warp, const Instruction &instruction, uint32_t mask, const Target &target,
                 Request &request, Body body, Missing missing) {
  if (locate(warp, instruction, mask, target, request))
    return body(request);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    Address address = target.addresses[lane];
    request.region =
        regionAt(warp, instruction, lane, target.space, address, request.bytes, request.writes);
    if (!request.region) {
      missing(lane);
      continue;
    }
    request.mask = 1U << lane;
    request.offsets[lane] = address - request.region->base;
    request.isContiguous = request.isUniform = true;
    body(request);
  }
}

/// Strong accesses pass on what threads know (Order.h): reads take it, writes leave it.
void seeFlags(Warp &warp, const Instruction &instruction, const Request &request);
void setFlags(Warp &warp, const Instruction &instruction, const Request &request);

bool takeSpace(Opcode &opcode, Space &space);
/// How far and in which direction a strong access or a fence orders.
void takeOrder(Opcode &opcode, Instruction &instruction);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_ACCESS_H

//===- Matrix.cpp - Products of matrices that a warp holds ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane has which element is NVIDIA's PTX ISA's, "Matrix fragments". With 4 * group + part the
// number of a lane, the group has a row of A and of the result or a column of B.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Numbers.h"
#include "Opcode.h"

#include <algorithm>

using namespace dmc::ptx;

namespace {
struct Shape {
  unsigned m, n, k;
};
const Shape shapes[] = {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}, {16, 8, 32}};

struct Place {
  unsigned row, column;
};

/// Where element `e` of a lane's part of A is. Registers have as many elements as fit in 32 bits,
/// or one of 64.
Place placeInA(const Shape &shape, unsigned lane, unsigned e, unsigned perRegister) {
  unsigned group = lane / 4, part = lane % 4, number = e / perRegister, inner = e % perRegister;
  // Registers go down first, if there are rows below, then right.
  unsigned halves = shape.m / 8, down = number % halves, right = number / halves;
  return {group + 8 * down, part * perRegister + inner + 4 * perRegister * right};
}
Place placeInB(unsigned lane, unsigned e, unsigned perRegister) {
  unsigned number = e / perRegister, inner = e % perRegister;
  return {lane % 4 * perRegister + inner + 4 * perRegister * number, lane / 4};
}
Place placeInC(unsigned lane, unsigned e) { return {lane / 4 + 8 * (e / 2), lane % 4 * 2 + e % 2}; }

unsigned perRegister(Type type) { return std::max(1U, 4 / std::max(1U, bytesOf(type))); }

uint64_t element(Warp &warp, const uint32_t *rows, unsigned lane, unsigned e, Type type) {
  unsigned count = perRegister(type), bits = 8 * bytesOf(type);
  uint64_t value = warp.row(rows[e / count])[lane] >> (e % count * bits);
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
double number(uint64_t bits, Type type) {
  switch (type) {
  case Type::F16:
    return as<Half>(bits).value();
  case Type::BF16:
    return as<BFloat>(bits).value();
  case Type::TF32: // the last digits are not read
    return as<float>(bits & ~uint64_t(0x1fff));
  case Type::F32:
    return as<float>(bits);
  case Type::F64:
    return as<double>(bits);
  case Type::S8:
    return as<int8_t>(bits);
  case Type::U8:
    return as<uint8_t>(bits);
  default:
    return as<int32_t>(bits);
  }
}

/// `option` is the shape; `type` that of A, `from` of B; the low byte of `offset` that of the
/// result and the next one of C; bit 16 saturates. Sums are those of doubles, rounded once:
/// hardware promises no order.
void multiply(Warp &warp, const Instruction &i, uint32_t mask) {
  const Shape &shape = shapes[i.option];
  if (mask != ~0U)
    warp.report(ReportKind::WrongMask, i, static_cast<unsigned>(__builtin_ctz(mask)),
                "needs all lanes of the warp");
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  auto result = static_cast<Type>(i.offset & 0xff),
       addend = static_cast<Type>(i.offset >> 8 & 0xff);
  unsigned numA = shape.m * shape.k / 32, numB = shape.k * shape.n / 32,
           numC = shape.m * shape.n / 32;
  const uint32_t *rowsA = i.sources, *rowsB = rowsA + numA / perRegister(i.type),
                 *rowsC = rowsB + numB / perRegister(i.from);
  double a[16][32] = {}, b[32][8] = {}, c[16][8] = {};
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < numA; ++e) {
      Place at = placeInA(shape, lane, e, perRegister(i.type));
      a[at.row][at.column] = number(element(warp, rowsA, lane, e, i.type), i.type);
    }
    for (unsigned e = 0; e < numB; ++e) {
      Place at = placeInB(lane, e, perRegister(i.from));
      b[at.row][at.column] = number(element(warp, rowsB, lane, e, i.from), i.from);
    }
    for (unsigned e = 0; e < numC; ++e) {
      Place at = placeInC(lane, e);
      c[at.row][at.column] = number(element(warp, rowsC, lane, e, addend), addend);
    }
  }
  for (unsigned row = 0; row < shape.m; ++row)
    for (unsigned column = 0; column < shape.n; ++column)
      for (unsigned k = 0; k < shape.k; ++k)
        c[row][column] = result == Type::F64 ? std::fma(a[row][k], b[k][column], c[row][column])
                                             : c[row][column] + a[row][k] * b[k][column];
  unsigned count = perRegister(result);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned t = 0; t < i.numTargets; ++t)
      warp.row(i.targets[t])[lane] = 0;
    for (unsigned e = 0; e < numC; ++e) {
      Place at = placeInC(lane, e);
      double value = c[at.row][at.column];
      uint64_t bits;
      if (result == Type::F16)
        bits = Half::of(value).bits;
      else if (result == Type::F32)
        bits = toBits(static_cast<float>(value));
      else if (result == Type::F64)
        bits = toBits(value);
      else if (i.offset >> 16 & 1)
        bits = toBits(static_cast<int32_t>(std::min(std::max(value, -2147483648.0), 2147483647.0)));
      else
        bits = static_cast<uint32_t>(static_cast<int64_t>(value));
      warp.row(i.targets[e / count])[lane] |=
          bits << (e % count * 8 * (count > 1 ? bytesOf(result) : 0));
    }
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

/// Matrices of 8 rows of 16 bytes, whose addresses the lanes give, eight lanes a matrix.
void loadMatrices(Warp &warp, const Instruction &i, uint32_t mask) {
  if (mask != ~0U)
    warp.report(ReportKind::WrongMask, i, static_cast<unsigned>(__builtin_ctz(mask)),
                "needs all lanes of the warp");
  uint32_t givers = i.numTargets == 4 ? ~0U : (1U << (8 * i.numTargets)) - 1;
  warp.require(i, i.sources[0], mask & givers);
  Target target;
  if (!gather(warp, i, mask & givers, 0, i.offset, Space::Shared, target))
    return;
  uint16_t rows[32][8] = {};
  Request request;
  request.bytes = 16;
  request.reads = true;
  if (mask & givers) {
    count(warp, mask & givers, target, 16, /*isWrite=*/false);
    forRequests(
        warp, i, mask & givers, target, request,
        [&](const Request &r) {
          check(warp, i, r);
          for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
            std::memcpy(rows[lowest(lanes)], r.region->bytes.data() + r.offsets[lowest(lanes)], 16);
        },
        [](unsigned) {});
  }
  for (unsigned matrix = 0; matrix < i.numTargets; ++matrix) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned group = lane / 4, first = lane % 4 * 2;
      const uint16_t (*of)[8] = rows + 8 * matrix;
      uint32_t low = i.option ? of[first][group] : of[group][first],
               high = i.option ? of[first + 1][group] : of[group][first + 1];
      warp.row(i.targets[matrix])[lane] = low | high << 16;
    }
    warp.markWritten(i.targets[matrix], mask);
  }
}
} // namespace

bool dmc::ptx::decodeMatrix(Opcode &o, Instruction &i) {
  if (o.name == "ldmatrix") {
    i.synchronizes = true;
    i.run = loadMatrices;
    i.space = Space::Shared;
    i.option = o.take("trans");
    o.takeOne({"x1", "x2", "x4"}); // as many as targets
    return o.take("sync") && o.take("aligned") && o.take("m8n8") &&
           o.takeOne({"shared", "shared::cta"}).size() && o.type() == Type::B16;
  }
  if (o.name != "mma" || !o.take("sync") || !o.take("aligned") || o.types.size() != 4)
    return false;
  i.synchronizes = true;
  i.run = multiply;
  bool isKnown = false;
  for (unsigned s = 0; s < std::size(shapes); ++s)
    if (o.take("m" + std::to_string(shapes[s].m) + "n" + std::to_string(shapes[s].n) + "k" +
               std::to_string(shapes[s].k))) {
      i.option = s;
      isKnown = true;
    }
  if (!isKnown || !o.take("row") || !o.take("col"))
    return false;
  Type result = o.type(0), a = o.type(1), b = o.type(2), c = o.type(3);
  i.type = a;
  i.from = b;
  i.offset = static_cast<int64_t>(result) | static_cast<int64_t>(c) << 8 |
             int64_t(o.take("satfinite")) << 16;
  unsigned k = shapes[i.option].k;
  bool isHalf = a == b && (a == Type::F16 || a == Type::BF16),
       isByte = bytesOf(a) == 1 && bytesOf(b) == 1;
  bool isSixteen = shapes[i.option].m == 16;
  if (isHalf)
    return isSixteen && (k == 8 || k == 16) && result == c &&
           (result == Type::F32 || (a == Type::F16 && result == Type::F16));
  if (a == Type::TF32 && b == Type::TF32)
    return isSixteen && (k == 4 || k == 8) && result == Type::F32 && c == Type::F32;
  if (isByte)
    return isSixteen && (k == 16 || k == 32) && result == Type::S32 && c == Type::S32;
  return a == Type::F64 && b == Type::F64 && result == Type::F64 && c == Type::F64 &&
         (isSixteen ? k <= 16 : true);
}

//===- Opcode.cpp - An instruction's name taken apart ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Opcode.h"

using namespace dmc::ptx;

static const std::pair<const char *, Type> typeNames[] = {
    {"b8", Type::B8},       {"b16", Type::B16},       {"b32", Type::B32},
    {"b64", Type::B64},     {"b128", Type::B128},     {"u8", Type::U8},
    {"u16", Type::U16},     {"u32", Type::U32},       {"u64", Type::U64},
    {"s8", Type::S8},       {"s16", Type::S16},       {"s32", Type::S32},
    {"s64", Type::S64},     {"f16", Type::F16},       {"bf16", Type::BF16},
    {"tf32", Type::TF32},   {"u16x2", Type::U16x2},   {"s16x2", Type::S16x2},
    {"f16x2", Type::F16x2}, {"bf16x2", Type::BF16x2}, {"f32", Type::F32},
    {"f64", Type::F64},     {"pred", Type::Pred}};

Type dmc::ptx::typeNamed(const std::string &name) {
  for (auto [known, type] : typeNames)
    if (name == known)
      return type;
  return Type::None;
}

unsigned dmc::ptx::bytesOf(Type type) {
  switch (type) {
  case Type::B8:
  case Type::U8:
  case Type::S8:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::B32:
  case Type::U32:
  case Type::S32:
  case Type::F32:
  case Type::TF32:
  case Type::F16x2:
  case Type::BF16x2:
  case Type::U16x2:
  case Type::S16x2:
    return 4;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  case Type::B128:
    return 16;
  case Type::None:
  case Type::Pred:
    return 0;
  }
  return 0;
}

bool dmc::ptx::isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}

bool dmc::ptx::isFloat(Type type) { return type >= Type::F16 && type <= Type::F64; }

Opcode::Opcode(const std::string &text) {
  size_t begin = 0;
  for (bool isFirst = true; begin <= text.size(); isFirst = false) {
    size_t end = std::min(text.find('.', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    // A scope's `::` keeps a modifier together, as in shared::cta.
    begin = end + 1;
    if (isFirst)
      name = part;
    else if (Type type = typeNamed(part); type != Type::None)
      types.push_back(type);
    else
      modifiers.insert(part);
  }
}

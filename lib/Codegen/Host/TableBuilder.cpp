//===- TableBuilder.cpp - Constant data of the C ABI ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/TableBuilder.h"

#include "dmc-c/Program.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

TableBuilder::TableBuilder(ModuleOp module)
    : builder(OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()) {
  for (auto global : module.getOps<LLVM::GlobalOp>())
    names.insert(global.getSymName());
  MLIRContext *context = module.getContext();
  pointer = LLVM::LLVMPointerType::get(context);
  i32 = builder.getI32Type();
  i64 = builder.getI64Type();
  auto layout = [&](ArrayRef<Type> fields) -> Type {
    return LLVM::LLVMStructType::getLiteral(context, fields);
  };
  // In the order of dmc-c/Program.h.
  meshAxisType = layout({pointer, i64});
  axisRefType = layout({i32, i32, i64, i64});
  valueType = layout(
      {pointer, i32, i32, pointer, pointer, pointer, pointer, i32, i32, pointer, pointer, i64});
  collectiveType = layout({i32, i32, i32, i32, pointer, i32, i32, i32,     i32, pointer, pointer,
                           i64, i64, i64, i64, pointer, i32, i32, pointer, i32, i32});
  contractionType =
      layout({i32, i32, i32, i32, i32, i32, i32, i32, pointer, pointer, pointer, pointer, pointer});
  callType =
      layout({i32, i32, pointer, pointer, i64, i64, i64, i64, pointer, i32, i32, i64, pointer});
  customValueType = layout({i32, i32, pointer});
  customTargetType = layout({i32, i32, i32, i32, pointer, pointer, pointer});
  kernelType = layout({pointer, i64, pointer, i32, i32, pointer, i32, i32});
  nestType = layout({pointer, i64, i64, i64, pointer});
  deviceLaunchType = layout({pointer, i32, i32, i32, i32, i32, i32, i32, i32});
  arenaType = layout({i32, i32, i64, i64});
  constantType = layout({pointer, i64});
  imageType = layout({i32, i32, pointer, pointer, i64});
  SmallVector<Type> program(12, i32); // versions, sizes
  program.append({pointer, pointer, i64, i64});
  program.append(12, i32);    // counts, the device
  program.append(9, pointer); // tables
  program.append({i64, pointer, pointer, pointer, i64, i64, i64, pointer, pointer});
  programType = layout(program);
}

FlatSymbolRefAttr TableBuilder::fresh(StringRef name) {
  std::string symbol;
  do // another builder may have made tables of the module
    symbol = ("dmc_" + name + "_" + std::to_string(counts[name]++)).str();
  while (!names.insert(symbol).second);
  return FlatSymbolRefAttr::get(builder.getContext(), symbol);
}

Pointer TableBuilder::data(StringRef name, Type type, Attribute value) {
  Pointer &global = known[value];
  if (!global.symbol) {
    global.symbol = fresh(name);
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                           global.symbol.getValue(), value);
  }
  return global;
}

Pointer TableBuilder::text(StringRef text) { return bytes("text", text); }

Pointer TableBuilder::bytes(StringRef name, StringRef data) {
  std::string terminated = data.str() + '\0';
  return this->data(name, LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size()),
                    builder.getStringAttr(terminated));
}

Pointer TableBuilder::textToFill(StringRef name) {
  LLVM::GlobalOp::create(builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 1),
                         /*isConstant=*/true, LLVM::Linkage::Internal, name,
                         builder.getStringAttr(StringRef("\0", 1)));
  return {FlatSymbolRefAttr::get(builder.getContext(), name)};
}

Pointer TableBuilder::int64s(ArrayRef<int64_t> values) {
  if (values.empty())
    return {};
  return data("i64s", LLVM::LLVMArrayType::get(i64, values.size()),
              builder.getI64TensorAttr(values));
}

Pointer TableBuilder::uint32s(ArrayRef<uint32_t> values) {
  if (values.empty())
    return {};
  SmallVector<int32_t> plain(values.begin(), values.end());
  return data("u32s", LLVM::LLVMArrayType::get(i32, values.size()),
              builder.getI32TensorAttr(plain));
}

Pointer TableBuilder::structs(StringRef name, Type type, ArrayRef<Fields> rows) {
  if (rows.empty())
    return {};
  FlatSymbolRefAttr symbol = fresh(name);
  fill(makeTable(symbol, type, rows.size()), type, rows);
  return {symbol};
}

Pointer TableBuilder::structsToFill(StringRef name, Type type, int64_t count) {
  auto symbol = FlatSymbolRefAttr::get(builder.getContext(), name);
  fill(makeTable(symbol, type, count), type, {});
  return {symbol};
}

LLVM::GlobalOp TableBuilder::makeTable(FlatSymbolRefAttr symbol, Type type, int64_t count) {
  return LLVM::GlobalOp::create(builder, loc, LLVM::LLVMArrayType::get(type, count),
                                /*isConstant=*/true, LLVM::Linkage::Internal, symbol.getValue(),
                                Attribute());
}

void TableBuilder::fill(LLVM::GlobalOp global, Type type, ArrayRef<Fields> rows) {
  OpBuilder::InsertionGuard guard(builder);
  Region &region = global.getInitializerRegion();
  region.getBlocks().clear();
  builder.createBlock(&region);
  Value table = LLVM::ZeroOp::create(builder, loc, global.getGlobalType());
  ArrayRef<Type> types = cast<LLVM::LLVMStructType>(type).getBody();
  for (auto [position, row] : llvm::enumerate(rows)) {
    Value value = LLVM::ZeroOp::create(builder, loc, type);
    for (auto [number, field] : llvm::enumerate(row)) {
      Value part;
      if (auto *integer = std::get_if<int64_t>(&field)) {
        if (*integer)
          part = LLVM::ConstantOp::create(builder, loc, types[number],
                                          builder.getIntegerAttr(types[number], *integer));
      } else if (FlatSymbolRefAttr target = std::get<Pointer>(field).symbol) {
        part = LLVM::AddressOfOp::create(builder, loc, pointer, target);
      }
      if (part)
        value = LLVM::InsertValueOp::create(builder, loc, value, part,
                                            ArrayRef<int64_t>{static_cast<int64_t>(number)});
    }
    table = LLVM::InsertValueOp::create(builder, loc, table, value,
                                        ArrayRef<int64_t>{static_cast<int64_t>(position)});
  }
  LLVM::ReturnOp::create(builder, loc, table);
}

Pointer TableBuilder::axisRefs(MeshAttr mesh, ArrayRef<AxisAttr> axes) {
  SmallVector<Fields> rows;
  for (AxisAttr axis : axes) {
    int64_t number = 0;
    for (auto [i, other] : llvm::enumerate(mesh.getAxes()))
      if (other.getName() == axis.getName())
        number = i;
    int64_t before = axis.isFullAxis() ? 1 : axis.getPreSize();
    rows.push_back({number, int64_t(0), before, axis.getSize(mesh)});
  }
  return structs("axes", axisRefType, rows);
}

//===----------------------------------------------------------------------===//

/// The file position and the innermost name of a location.
static void collect(Location loc, FileLineColLoc &file, StringRef &name, unsigned depth = 0) {
  if (depth > 32)
    return;
  if (auto position = dyn_cast<FileLineColLoc>(loc)) {
    if (!file)
      file = position;
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    if (name.empty())
      name = named.getName();
    collect(named.getChildLoc(), file, name, depth + 1);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collect(call.getCallee(), file, name, depth + 1);
    collect(call.getCaller(), file, name, depth + 1);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      collect(part, file, name, depth + 1);
  }
}

std::string codegen::describeLocation(Location loc) {
  FileLineColLoc file;
  StringRef name;
  collect(loc, file, name);
  std::string text;
  if (file)
    text = (file.getFilename().getValue() + ":" + std::to_string(file.getLine()) + ":" +
            std::to_string(file.getColumn()))
               .str();
  if (!name.empty())
    text += text.empty() ? name.str() : (" (" + name + ")").str();
  return text.size() > 200 ? text.substr(0, 197) + "..." : text;
}

uint32_t codegen::elementTypeCode(Type type, bool isUnsigned) {
  if (type.isF16())
    return DMC_F16;
  if (type.isBF16())
    return DMC_BF16;
  if (type.isF32())
    return DMC_F32;
  if (type.isF64())
    return DMC_F64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return 0;
  isUnsigned |= integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return DMC_I1;
  case 8:
    return isUnsigned ? DMC_UI8 : DMC_I8;
  case 16:
    return isUnsigned ? DMC_UI16 : DMC_I16;
  case 32:
    return isUnsigned ? DMC_UI32 : DMC_I32;
  case 64:
    return isUnsigned ? DMC_UI64 : DMC_I64;
  default:
    return 0;
  }
}

//===- ConvertCustomCall.cpp - Calls of kernels ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call becomes dmc.custom_call. What a framework says about it, a text or a
// dictionary, reaches the kernel as text.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"
#include "CustomCalls.h"
#include "dmc/Dialect/DMC/CustomCall.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace dmc;

/// Writes an attribute as JSON, with NaN and Infinity as Python reads them. False for an attribute
/// that has no such form.
static bool writeJson(raw_ostream &os, Attribute attr) {
  auto writeList = [&](auto &&values, auto write) {
    os << '[';
    bool isFirst = true;
    for (auto value : values) {
      os << (isFirst ? "" : ", ");
      isFirst = false;
      if (!write(value))
        return false;
    }
    os << ']';
    return true;
  };
  auto writeAttr = [&](Attribute value) { return writeJson(os, value); };
  auto writeNumber = [&](auto value) {
    os << value;
    return true;
  };
  if (auto flag = dyn_cast<BoolAttr>(attr)) {
    os << (flag.getValue() ? "true" : "false");
  } else if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    SmallString<24> digits;
    integer.getValue().toString(digits, 10, /*Signed=*/!integer.getType().isUnsignedInteger());
    os << digits;
  } else if (auto number = dyn_cast<FloatAttr>(attr)) {
    APFloat value = number.getValue();
    SmallString<32> digits;
    value.toString(digits);
    if (value.isNaN())
      os << "NaN";
    else if (value.isInfinity())
      os << (value.isNegative() ? "-Infinity" : "Infinity");
    else
      os << digits;
  } else if (auto text = dyn_cast<StringAttr>(attr)) {
    os << llvm::json::Value(llvm::json::fixUTF8(text.getValue()));
  } else if (auto list = dyn_cast<ArrayAttr>(attr)) {
    return writeList(list, writeAttr);
  } else if (auto list = dyn_cast<DenseI64ArrayAttr>(attr)) {
    return writeList(list.asArrayRef(), writeNumber);
  } else if (auto list = dyn_cast<DenseI32ArrayAttr>(attr)) {
    return writeList(list.asArrayRef(), writeNumber);
  } else if (auto list = dyn_cast<DenseElementsAttr>(attr);
             list && list.getType().getRank() == 1 && list.getElementType().isIntOrFloat()) {
    return writeList(list.getValues<Attribute>(), writeAttr);
  } else if (auto entries = dyn_cast<DictionaryAttr>(attr)) {
    os << '{';
    for (auto [i, entry] : llvm::enumerate(entries)) {
      os << (i ? ", " : "") << llvm::json::Value(entry.getName().str()) << ": ";
      if (!writeJson(os, entry.getValue()))
        return false;
    }
    os << '}';
  } else {
    return false;
  }
  return true;
}

/// What the kernel is told beside its operands: the text of the call, or its attributes as JSON.
static FailureOr<StringAttr> getConfig(stablehlo::CustomCallOp call) {
  Attribute config;
  for (StringRef name : {"mhlo.backend_config", "backend_config", "mhlo.attributes"})
    if (Attribute attr = call->getAttr(name)) {
      auto entries = dyn_cast<DictionaryAttr>(attr);
      auto text = dyn_cast<StringAttr>(attr);
      if ((entries && !entries.empty()) || (text && !text.empty()) || (!entries && !text)) {
        config = attr;
        break;
      }
    }
  if (!config)
    return StringAttr();
  if (auto text = dyn_cast<StringAttr>(config))
    return StringAttr::get(call.getContext(), text.getValue());
  std::string json;
  llvm::raw_string_ostream os(json);
  if (!writeJson(os, config))
    return unsupported(call) << "of the kernel '" << call.getCallTargetName()
                             << "' with the attributes " << config
                             << "; expected numbers, strings, and lists and dictionaries of them";
  return StringAttr::get(call.getContext(), json);
}

static LogicalResult convertCustomCall(Converter &c, Operation *op) {
  auto call = cast<stablehlo::CustomCallOp>(op);
  auto rule = call->getAttrOfType<StringAttr>(kRuleAttrName);
  if (!rule)
    return refuseCustomCall(call);
  FailureOr<StringAttr> config = getConfig(call);
  if (failed(config))
    return failure();
  // What one rank does has no rule.
  auto module = call->getParentOfType<ModuleOp>();
  ProgramAttr program = module ? ProgramAttr::of(module) : ProgramAttr();
  bool isOfRank =
      call->getParentOfType<ManualOp>() || (program && program.getLevel() == Level::ranks);
  if (isOfRank || rule.empty())
    rule = {};
  SmallVector<Value> inputs, inits;
  SmallVector<Type> types;
  SmallVector<bool> areUnsigned;
  auto isUnsignedInteger = [](Value value) {
    return getElementTypeOrSelf(value).isUnsignedInteger();
  };
  for (Value operand : call->getOperands()) {
    inputs.push_back(c[operand]);
    areUnsigned.push_back(isUnsignedInteger(operand));
  }
  for (Value result : call->getResults()) {
    RankedTensorType type = c.typeOf(result);
    types.push_back(type);
    inits.push_back(c.empty(op->getLoc(), type));
    areUnsigned.push_back(isUnsignedInteger(result));
  }
  DenseBoolArrayAttr flags;
  if (llvm::is_contained(areUnsigned, true))
    flags = c.b.getDenseBoolArrayAttr(areUnsigned);
  auto converted =
      CustomCallOp::create(c.b, op->getLoc(), types, c.b.getStringAttr(call.getCallTargetName()),
                           inputs, inits, rule, *config, flags);
  c.map(op, converted.getResults());
  return success();
}

void dmc::registerCustomCallConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.custom_call"] = convertCustomCall;
}

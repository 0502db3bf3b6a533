//===- FrameworkAttributes.cpp - Attributes that frameworks add -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header; docs/inputs.md lists the names for users.
//
//===----------------------------------------------------------------------===//
#include "FrameworkAttributes.h"

#include "dmc/Import/StableHLO/Sdy.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc;

bool dmc::isPropagationRecord(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"sdy.propagation_edges", "sdy.block_arg_propagation_edges",
              "sdy.result_propagation_edges", "sdy.sharding_origins", "sdy.sharding_origin_name",
              "sdy.block_arg_sharding_origins", "sdy.result_sharding_origins"},
             true)
      .Default(false);
}

/// True if `value` is one of these strings.
static bool isString(Attribute value, ArrayRef<StringRef> allowed) {
  auto text = dyn_cast<StringAttr>(value);
  return text && llvm::is_contained(allowed, text.getValue());
}

static bool isFalse(Attribute value) {
  auto flag = dyn_cast<BoolAttr>(value);
  return flag && !flag.getValue();
}

/// Shardings as strings, for another partitioner.
static LogicalResult checkFrontendAttributes(Attribute value, Location loc, const Twine &what) {
  auto given = dyn_cast<DictionaryAttr>(value);
  for (NamedAttribute nested : given ? given.getValue() : ArrayRef<NamedAttribute>())
    if (nested.getName().strref().starts_with("xla.sdy."))
      return emitError(loc) << "unsupported: '" << nested.getName().strref()
                            << "' among 'mhlo.frontend_attributes' of " << what
                            << ", a sharding as a string; expected operations and attributes of "
                               "the dialect sdy";
  return success();
}

/// Attributes of an argument or a result.
static LogicalResult checkBoundary(DictionaryAttr attrs, bool isArgument, Location loc,
                                   const Twine &what) {
  for (NamedAttribute attr : attrs ? attrs.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = attr.getName();
    Attribute value = attr.getValue();
    if (name == "mhlo.frontend_attributes") {
      if (failed(checkFrontendAttributes(value, loc, what)))
        return failure();
      continue;
    }
    if (name == "mhlo.sharding" && !isString(value, {"{replicated}"}))
      return emitError(loc) << "unsupported: 'mhlo.sharding' " << value << " of " << what
                            << "; expected a sharding of Shardy, '" << sdy::kShardingAttrName
                            << "' (in JAX: jax_use_shardy_partitioner)";
    // Read elsewhere.
    bool isRead = llvm::StringSwitch<bool>(name)
                      .Cases({sdy::kShardingAttrName, "mhlo.sharding"}, true)
                      .Cases({"tf.aliasing_output", "jax.buffer_donor"}, isArgument)
                      .Case("jax.result_info", !isArgument)
                      .Default(false);
    // True of every program that dmc makes, or a hint that needs no action: data are row-major in
    // device memory; equality of the copies of an argument is checked where it matters.
    bool isIgnored = isPropagationRecord(name) ||
                     (name == "mhlo.layout_mode" && isString(value, {"default", "auto"})) ||
                     (name == "mhlo.memory_kind" && isString(value, {"device"})) ||
                     (name == "mhlo.is_same_data_across_replicas" && isArgument) ||
                     name == "jax.arg_info";
    if (!isRead && !isIgnored)
      return emitError(loc) << "unsupported: '" << name << "' of " << what << " with value "
                            << value << "; expected '" << sdy::kShardingAttrName << "'"
                            << (isArgument ? ", 'tf.aliasing_output' or 'jax.buffer_donor'"
                                           : " or 'jax.result_info'");
  }
  return success();
}

bool dmc::isOfFramework(StringRef name) {
  return llvm::is_contained({"sdy", "mhlo", "stablehlo", "chlo", "jax", "tf"},
                            name.split('.').first) &&
         name.contains('.');
}

LogicalResult dmc::checkModuleAttributes(ModuleOp module) {
  for (NamedAttribute attr : module->getDiscardableAttrs()) {
    StringRef name = attr.getName();
    Attribute value = attr.getValue();
    if (name == "mhlo.frontend_attributes") {
      if (failed(checkFrontendAttributes(value, module.getLoc(), "the module")))
        return failure();
      continue;
    }
    bool isRead = name == "mhlo.num_partitions" || name == "mhlo.num_replicas";
    bool isIgnored = isPropagationRecord(name) || name == "jax.uses_shape_polymorphism" ||
                     ((name == "mhlo.is_dynamic" || name == "mhlo.use_auto_spmd_partitioning") &&
                      isFalse(value)) ||
                     (name == "mhlo.cross_program_prefetches" &&
                      value == ArrayAttr::get(module.getContext(), {}));
    if (isOfFramework(name) && !isRead && !isIgnored)
      return module.emitError() << "unsupported: '" << name
                                << "' of the module; expected 'mhlo.num_partitions' or "
                                   "'mhlo.num_replicas'";
  }
  return success();
}

LogicalResult dmc::checkFunctionAttributes(func::FuncOp function) {
  std::string what = "@" + function.getSymName().str();
  for (NamedAttribute attr : function->getDiscardableAttrs()) {
    StringRef name = attr.getName();
    if (name == "mhlo.frontend_attributes") {
      if (failed(checkFrontendAttributes(attr.getValue(), function.getLoc(), what)))
        return failure();
    } else if (isOfFramework(name) && !isPropagationRecord(name)) {
      return function.emitError() << "unsupported: '" << name << "' of " << what << "; expected '"
                                  << sdy::kShardingAttrName
                                  << "' of its arguments and results only";
    }
  }
  std::string owner = function.isPublic() ? std::string() : " of " + what;
  for (BlockArgument argument : function.getArguments())
    if (failed(checkBoundary(function.getArgAttrDict(argument.getArgNumber()), /*isArgument=*/true,
                             argument.getLoc(),
                             "argument " + Twine(argument.getArgNumber()) + owner)))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(checkBoundary(function.getResultAttrDict(i), /*isArgument=*/false, function.getLoc(),
                             "result " + Twine(i) + owner)))
      return failure();
  return success();
}

LogicalResult dmc::checkOperationAttributes(Operation *op) {
  for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs())) {
    StringRef name = attr.getName();
    if (name == "mhlo.sharding" && !isString(attr.getValue(), {"{replicated}"}))
      return op->emitError() << "unsupported: '" << op->getName() << "' with 'mhlo.sharding' "
                             << attr.getValue() << "; expected '" << sdy::kShardingAttrName
                             << "' (in JAX: jax_use_shardy_partitioner)";
    if (name == "mhlo.frontend_attributes" &&
        failed(checkFrontendAttributes(attr.getValue(), op->getLoc(),
                                       "'" + op->getName().getStringRef() + "'")))
      return failure();
    if (isPropagationRecord(name))
      op->removeAttr(name);
    else if (name.starts_with("sdy.") && name != sdy::kShardingAttrName)
      return op->emitError() << "unsupported: '" << op->getName() << "' with '" << name
                             << "'; expected '" << sdy::kShardingAttrName << "' only";
  }
  return success();
}

//===- Verify.cpp - Checks of a program's tables --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that was damaged, or written by a wrong compiler, is refused before
// anything is allocated or run.
//
//===----------------------------------------------------------------------===//

#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Session.h"

#include <set>

using namespace dmc;
using namespace dmc::runtime;

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return "[" + text + "]";
}

static Failure verifyAxis(const Mesh &mesh, const dmc_axis_ref &ref) {
  if (ref.axis >= mesh.size())
    return "axis " + std::to_string(ref.axis) + " of a mesh of " + std::to_string(mesh.size());
  int64_t size = mesh.axis(ref.axis).size;
  if (ref.pre_size < 1 || ref.size < 1 || size % ref.pre_size != 0 ||
      size / ref.pre_size % ref.size != 0)
    return "a part of axis \"" + mesh.axis(ref.axis).name + "\" that does not divide it";
  return std::nullopt;
}

static Failure verifyValue(const Mesh &mesh, const dmc_value &value) {
  if (!isElementType(value.element_type))
    return "has unknown element type " + std::to_string(value.element_type);
  if (value.rank && (!value.global_shape || !value.local_shape))
    return std::string("has no shape");
  if (!value.split_begin)
    return std::string("has no layout");
  for (uint32_t d = 0; d < value.rank; ++d)
    if (value.split_begin[d + 1] < value.split_begin[d])
      return std::string("has a malformed layout");
  for (uint32_t i = value.split_begin[0]; i < value.split_begin[value.rank]; ++i)
    if (auto why = verifyAxis(mesh, value.split_axes[i]))
      return "is split over " + *why;
  for (uint32_t i = 0; i < value.num_placed; ++i)
    if (auto why = verifyAxis(mesh, value.placed_axes[i]))
      return "is placed on " + *why;
  Layout layout = layoutOf(value);
  if (auto why = dmc::verify(mesh, layout, value.rank))
    return "has a malformed layout: " + *why;
  std::vector<int64_t> global(value.global_shape, value.global_shape + value.rank);
  std::vector<int64_t> local(value.local_shape, value.local_shape + value.rank);
  if (checkedElements(global, elementBytes(value.element_type)) < 0)
    return "has shape " + shapeText(global) + ", which memory cannot hold";
  std::vector<int64_t> expected = localShape(layout, global);
  if (local != expected)
    return "has local shape " + shapeText(local) + ", expected " + shapeText(expected);
  return std::nullopt;
}

static Failure verifyGroups(const Mesh &mesh, const dmc_collective &collective) {
  if (!collective.num_groups)
    return std::nullopt;
  if (collective.num_axes || !collective.group_size || !collective.groups)
    return std::string("has malformed groups");
  int64_t numRanks = mesh.numRanks();
  if (int64_t(collective.num_groups) * collective.group_size > numRanks)
    return "has groups of more than the " + std::to_string(numRanks) + " ranks";
  std::set<int64_t> members;
  for (int64_t i = 0; i < int64_t(collective.num_groups) * collective.group_size; ++i) {
    int64_t rank = collective.groups[i];
    if (rank < 0 || rank >= numRanks)
      return "has rank " + std::to_string(rank) + " of " + std::to_string(numRanks) +
             " in its groups";
    if (!members.insert(rank).second)
      return "has rank " + std::to_string(rank) + " twice in its groups";
  }
  return std::nullopt;
}

static Failure verifyCollective(const Mesh &mesh, const dmc_collective &collective) {
  if (collective.kind > DMC_BROADCAST)
    return "has unknown kind " + std::to_string(collective.kind);
  if (!isElementType(collective.element_type))
    return "has unknown element type " + std::to_string(collective.element_type);
  if (collective.combiner > DMC_MIN)
    return "has unknown combiner " + std::to_string(collective.combiner);
  Layout axes = Layout::replicated(1);
  for (uint32_t i = 0; i < collective.num_axes; ++i) {
    if (auto why = verifyAxis(mesh, collective.axes[i]))
      return "is over " + *why;
    axes.dims[0].push_back(axisRefOf(collective.axes[i]));
  }
  if (auto why = dmc::verify(mesh, axes, 1))
    return "has malformed axes: " + *why;
  if (auto why = verifyGroups(mesh, collective))
    return why;
  int64_t p = groupSizeOf(collective);
  std::vector<int64_t> shape(collective.shape, collective.shape + collective.rank);
  auto bytes = static_cast<int64_t>(elementBytes(collective.element_type));
  int64_t count = checkedElements(shape, bytes);
  if (count < 0 || checkedElements({count, p}, bytes) < 0)
    return "has shape " + shapeText(shape) + ", which memory cannot hold";
  bool hasDim = collective.kind == DMC_ALL_GATHER || collective.kind == DMC_REDUCE_SCATTER ||
                collective.kind == DMC_ALL_TO_ALL;
  if (hasDim && collective.dim >= collective.rank)
    return "has dimension " + std::to_string(collective.dim) + " of shape " + shapeText(shape);
  if (collective.kind == DMC_ALL_TO_ALL && collective.concat_dim >= collective.rank)
    return "has dimension " + std::to_string(collective.concat_dim) + " of shape " +
           shapeText(shape);
  bool divides = collective.kind == DMC_REDUCE_SCATTER || collective.kind == DMC_ALL_TO_ALL;
  if (divides && shape[collective.dim] % p != 0)
    return "has dimension " + std::to_string(collective.dim) + " of shape " + shapeText(shape) +
           ", expected a multiple of the group's size " + std::to_string(p);
  if (collective.kind == DMC_BROADCAST && (collective.root < 0 || collective.root >= p))
    return "has root " + std::to_string(collective.root) + " in groups of " + std::to_string(p);
  std::set<int64_t> targets;
  for (size_t i = 0; collective.kind == DMC_PERMUTE && i < collective.num_pairs; ++i) {
    int64_t source = collective.pairs[2 * i], target = collective.pairs[2 * i + 1];
    if (source < 0 || source >= p || target < 0 || target >= p)
      return "has pair " + std::to_string(source) + " -> " + std::to_string(target) +
             " in groups of " + std::to_string(p);
    if (!targets.insert(target).second)
      return "sends to position " + std::to_string(target) + " twice";
  }
  int64_t operandBytes = count * bytes, resultBytes = operandBytes;
  if (collective.kind == DMC_ALL_GATHER)
    resultBytes *= p;
  if (collective.kind == DMC_REDUCE_SCATTER)
    resultBytes /= p;
  if (collective.operand_bytes != operandBytes || collective.result_bytes != resultBytes)
    return "moves " + std::to_string(collective.operand_bytes) + " to " +
           std::to_string(collective.result_bytes) + " bytes, expected " +
           std::to_string(operandBytes) + " to " + std::to_string(resultBytes);
  return std::nullopt;
}

static std::string nameOf(const char *kind, uint32_t index, const char *name) {
  return std::string(kind) + " " + std::to_string(index) +
         (name && *name ? " (" + std::string(name) + ") " : " ");
}

static Failure verifyArenas(const dmc_program &program) {
  if (program.num_arenas && !program.arenas)
    return std::string("has no table of arenas");
  std::set<uint32_t> spaces;
  for (uint32_t i = 0; i < program.num_arenas; ++i) {
    const dmc_arena &arena = program.arenas[i];
    if (arena.space > DMC_MEMORY_DEVICE || !spaces.insert(arena.space).second || arena.bytes < 0 ||
        arena.alignment < 1 || (arena.alignment & (arena.alignment - 1)) != 0)
      return "has malformed arena " + std::to_string(i);
  }
  return std::nullopt;
}

/// A call of a kernel that the session is given.
static Failure verifyCustomCall(const dmc_program &program, const dmc_call &call) {
  if (!call.custom)
    return std::string("names no kernel");
  const dmc_custom_target &target = *call.custom;
  if (target.struct_size > sizeof target)
    return "is of a newer dmc: it describes a kernel in " + std::to_string(target.struct_size) +
           " bytes, this runtime knows " + std::to_string(sizeof target);
  if (target.struct_size < sizeof target || !target.name || !*target.name || !target.config ||
      !target.values || !target.num_results || call.contraction || call.bytes < 0 ||
      uint64_t(target.num_operands) + target.num_results != call.num_operands)
    return std::string("is a malformed call of a kernel");
  for (uint32_t i = 0; i < call.num_operands; ++i) {
    const dmc_custom_value &value = target.values[i];
    if (!isElementType(value.element_type))
      return "has unknown element type " + std::to_string(value.element_type);
    if (value.rank && !value.shape)
      return std::string("has no shape");
  }
  if (program.device != DMC_DEVICE_HOST)
    return "calls the kernel \"" + std::string(target.name) +
           "\" in a program for a device, expected one for processors";
  return std::nullopt;
}

static Failure verifyCall(const dmc_program &program, const dmc_call &call) {
  if (call.kind == DMC_CALL_CUSTOM)
    return verifyCustomCall(program, call);
  if (call.kind != DMC_CALL_CONTRACTION)
    return "has unknown kind " + std::to_string(call.kind);
  if (call.custom)
    return std::string("is a malformed contraction");
  if (call.num_operands != 3 || !call.contraction || call.bytes < 0 || call.flops < 0 ||
      call.scratch_bytes < 0 || call.thread_scratch_bytes < 0)
    return std::string("is a malformed contraction");
  const dmc_contraction &contraction = *call.contraction;
  bool hasLoops =
      contraction.num_batch || contraction.num_m || contraction.num_n || contraction.num_k;
  if (hasLoops && (!contraction.sizes || !contraction.a_strides || !contraction.b_strides ||
                   !contraction.c_strides))
    return std::string("is a malformed contraction");
  return std::nullopt;
}

static Failure verifyKernel(const dmc_kernel &kernel) {
  if (kernel.num_nests && !kernel.nests)
    return std::string("has no nests");
  for (uint32_t i = 0; i < kernel.num_nests; ++i) {
    const dmc_nest &nest = kernel.nests[i];
    if ((!nest.function && !nest.device) || nest.iterations < 1 || nest.bytes < 0 || nest.flops < 0)
      return "has malformed nest " + std::to_string(i);
  }
  return std::nullopt;
}

static Failure verifyAliases(const dmc_program &program) {
  for (uint32_t i = 0; i < program.num_arguments; ++i) {
    int64_t alias = program.arguments[i].alias;
    if (alias >= 0 && (alias >= program.num_results || program.results[alias].alias != i))
      return nameOf("argument", i, program.arguments[i].name) + "is donated to result " +
             std::to_string(alias) + ", which does not take it";
  }
  for (uint32_t i = 0; i < program.num_results; ++i) {
    int64_t alias = program.results[i].alias;
    if (alias < 0)
      continue;
    if (alias >= program.num_arguments || program.arguments[alias].alias != i)
      return nameOf("result", i, program.results[i].name) + "takes argument " +
             std::to_string(alias) + ", which is not donated to it";
    if (localBytes(program.results[i]) != localBytes(program.arguments[alias]))
      return nameOf("result", i, program.results[i].name) + "takes argument " +
             std::to_string(alias) + ", which has another size";
  }
  return std::nullopt;
}

Failure runtime::verifyProgram(const dmc_program &program) {
  if (program.abi_version != DMC_ABI_VERSION)
    return "is for version " + std::to_string(program.abi_version) +
           " of the runtime's interface, expected " + std::to_string(DMC_ABI_VERSION);
  if (program.struct_size != sizeof(dmc_program))
    return "has a table of " + std::to_string(program.struct_size) + " bytes, expected " +
           std::to_string(sizeof(dmc_program));
  if (!program.step)
    return std::string("has no step");
  if (program.device > DMC_DEVICE_CUDA)
    return "is for unknown device " + std::to_string(program.device);
  if (auto why = verifyArenas(program))
    return why;
  Mesh mesh = meshOf(program);
  if (auto why = mesh.verify())
    return "has a malformed mesh: " + *why;
  for (uint32_t i = 0; i < program.num_arguments; ++i)
    if (auto why = verifyValue(mesh, program.arguments[i]))
      return nameOf("argument", i, program.arguments[i].name) + *why;
  for (uint32_t i = 0; i < program.num_results; ++i)
    if (auto why = verifyValue(mesh, program.results[i]))
      return nameOf("result", i, program.results[i].name) + *why;
  if (auto why = verifyAliases(program))
    return why;
  for (uint32_t i = 0; i < program.num_collectives; ++i)
    if (auto why = verifyCollective(mesh, program.collectives[i]))
      return nameOf("collective", i, program.collectives[i].location) + *why;
  if (program.num_kernels && !program.kernels)
    return std::string("has no table of kernels");
  for (uint32_t i = 0; i < program.num_kernels; ++i)
    if (auto why = verifyKernel(program.kernels[i]))
      return nameOf("kernel", i, program.kernels[i].name) + *why;
  if (program.num_calls && !program.calls)
    return std::string("has no table of library calls");
  for (uint32_t i = 0; i < program.num_calls; ++i)
    if (auto why = verifyCall(program, program.calls[i]))
      return nameOf("library call", i, program.calls[i].name) + *why;
  return std::nullopt;
}

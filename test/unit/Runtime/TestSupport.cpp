//===- TestSupport.cpp - Programs written by hand -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestSupport.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::test;

static Step currentStep;

static int32_t callStep(dmc_rank_context *context, const dmc_runtime_api *api,
                        const dmc_step_memory *memory) {
  return currentStep(context, api, memory->coordinates, memory->arguments, memory->results,
                     memory->arenas[0]);
}

ProgramBuilder::ProgramBuilder(const std::string &mesh) {
  std::string error;
  mesh_ = parseMesh(mesh, error).value();
  for (const MeshAxis &axis : mesh_.axes()) {
    names_.push_back(axis.name);
    axes_.push_back({names_.back().c_str(), axis.size});
  }
}

static std::vector<dmc_axis_ref> refsOf(const std::vector<AxisRef> &axes) {
  std::vector<dmc_axis_ref> refs;
  refs.reserve(axes.size());
  for (const AxisRef &axis : axes)
    refs.push_back({axis.axis, 0, axis.preSize, axis.size});
  return refs;
}

dmc_value ProgramBuilder::value(const char *prefix, uint32_t type, std::vector<int64_t> shape,
                                const Layout &layout, size_t index) {
  dmc_value value = {};
  names_.push_back(prefix + std::to_string(index));
  value.name = names_.back().c_str();
  value.element_type = type;
  value.rank = static_cast<uint32_t>(shape.size());
  std::vector<uint32_t> begins = {0};
  std::vector<AxisRef> axes;
  for (const auto &dim : layout.dims) {
    axes.insert(axes.end(), dim.begin(), dim.end());
    begins.push_back(static_cast<uint32_t>(axes.size()));
  }
  value.split_begin = keep(begins, begins_);
  value.split_axes = keep(refsOf(axes), refs_);
  std::vector<AxisRef> placedAxes;
  std::vector<int64_t> placedCoordinates;
  for (const PlacedAxis &placed : layout.placed) {
    placedAxes.push_back(placed.axis);
    placedCoordinates.push_back(placed.coordinate);
  }
  value.num_placed = static_cast<uint32_t>(placedAxes.size());
  value.placed_axes = keep(refsOf(placedAxes), refs_);
  value.placed_coordinates = keep(placedCoordinates, numbers_);
  value.local_shape = keep(localShape(layout, shape), numbers_);
  value.global_shape = keep(std::move(shape), numbers_);
  value.alias = -1;
  return value;
}

size_t ProgramBuilder::argument(uint32_t type, const std::vector<int64_t> &shape) {
  return argument(type, shape, Layout::replicated(shape.size()));
}

size_t ProgramBuilder::argument(uint32_t type, std::vector<int64_t> shape, const Layout &layout) {
  arguments_.push_back(value("in", type, std::move(shape), layout, arguments_.size()));
  return arguments_.size() - 1;
}

size_t ProgramBuilder::result(uint32_t type, const std::vector<int64_t> &shape) {
  return result(type, shape, Layout::replicated(shape.size()));
}

size_t ProgramBuilder::result(uint32_t type, std::vector<int64_t> shape, const Layout &layout) {
  results_.push_back(value("out", type, std::move(shape), layout, results_.size()));
  return results_.size() - 1;
}

void ProgramBuilder::alias(size_t argument, size_t result) {
  arguments_[argument].alias = static_cast<int64_t>(result);
  results_[result].alias = static_cast<int64_t>(argument);
}

dmc_collective &ProgramBuilder::collective(dmc_collective_kind kind, uint32_t type,
                                           std::vector<int64_t> shape,
                                           const std::vector<AxisRef> &axes) {
  dmc_collective collective = {};
  collective.kind = kind;
  collective.element_type = type;
  collective.rank = static_cast<uint32_t>(shape.size());
  collective.operand_bytes = static_cast<int64_t>(elementBytes(type));
  for (int64_t size : shape)
    collective.operand_bytes *= size;
  int64_t p = groupSize(axes);
  collective.result_bytes = kind == DMC_ALL_GATHER       ? collective.operand_bytes * p
                            : kind == DMC_REDUCE_SCATTER ? collective.operand_bytes / p
                                                         : collective.operand_bytes;
  collective.shape = keep(std::move(shape), numbers_);
  collective.num_axes = static_cast<uint32_t>(axes.size());
  collective.axes = keep(refsOf(axes), refs_);
  collective.count = 1;
  collective.location = "model.py:3";
  collectives_.push_back(collective);
  return collectives_.back();
}

dmc_program &ProgramBuilder::finish(Step step, int64_t arenaBytes) {
  currentStep = std::move(step);
  collectiveTable_.assign(collectives_.begin(), collectives_.end());
  program_ = {};
  program_.abi_version = DMC_ABI_VERSION;
  program_.struct_size = sizeof program_;
  program_.name = "test";
  program_.num_axes = static_cast<uint32_t>(axes_.size());
  program_.axes = axes_.data();
  program_.num_arguments = static_cast<uint32_t>(arguments_.size());
  program_.arguments = arguments_.data();
  program_.num_results = static_cast<uint32_t>(results_.size());
  program_.results = results_.data();
  program_.num_collectives = static_cast<uint32_t>(collectiveTable_.size());
  program_.collectives = collectiveTable_.data();
  arena_ = {DMC_MEMORY_HOST, 0, arenaBytes, 64};
  program_.sizes = DMC_STRUCT_SIZES;
  program_.num_streams = 1;
  program_.num_arenas = 1;
  program_.arenas = &arena_;
  program_.step = callStep;
  return program_;
}

template <typename T>
static void storeAs(void *at, double value) {
  T typed = static_cast<T>(value);
  std::memcpy(at, &typed, sizeof typed);
}

void test::storeElement(uint32_t type, void *at, double value) {
  switch (type) {
  case DMC_I1:
  case DMC_UI8:
    return storeAs<uint8_t>(at, value);
  case DMC_I8:
    return storeAs<int8_t>(at, value);
  case DMC_I16:
    return storeAs<int16_t>(at, value);
  case DMC_UI16:
    return storeAs<uint16_t>(at, value);
  case DMC_I32:
    return storeAs<int32_t>(at, value);
  case DMC_UI32:
    return storeAs<uint32_t>(at, value);
  case DMC_I64:
    return storeAs<int64_t>(at, value);
  case DMC_UI64:
    return storeAs<uint64_t>(at, value);
  case DMC_F32:
    return storeAs<float>(at, value);
  case DMC_F64:
    return storeAs<double>(at, value);
  case DMC_F16:
  case DMC_BF16: {
    auto narrow = static_cast<float>(value);
    uint16_t bits = type == DMC_F16 ? floatToF16(narrow) : floatToBf16(narrow);
    std::memcpy(at, &bits, sizeof bits);
    return;
  }
  default:
    return;
  }
}

Array test::makeArray(uint32_t type, std::vector<int64_t> shape,
                      const std::vector<double> &values) {
  Array array = Array::make(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(type, array.data() + i * elementBytes(type), values[i]);
  return array;
}

std::vector<double> test::valuesOf(const Array &array) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(array.numElements()));
  for (int64_t i = 0; i < array.numElements(); ++i)
    values.push_back(elementToDouble(array.type, array.data() + i * elementBytes(array.type)));
  return values;
}

AxisRef test::whole(const Mesh &mesh, uint32_t axis) { return {axis, 1, mesh.axis(axis).size}; }

std::string test::temporaryFolder() {
  std::string pattern = ::testing::TempDir() + "dmc-runtime-test-XXXXXX";
  return mkdtemp(pattern.data());
}

//===- TestSupport.h - Programs written by hand -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_RUNTIME_TESTSUPPORT_H
#define DMC_TEST_RUNTIME_TESTSUPPORT_H

#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Session.h"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace dmc::runtime::test {

using Step =
    std::function<int32_t(dmc_rank_context *, const dmc_runtime_api *, const int64_t *coordinates,
                          void *const *arguments, void *const *results, void *arena)>;

/// A contraction without loops, the product of two numbers of that type.
inline dmc_contraction contractionOf(uint32_t type) {
  dmc_contraction contraction = {};
  contraction.a_type = contraction.b_type = contraction.c_type = type;
  return contraction;
}

/// Builds a program's tables and owns what they point to. One step at a time: a
/// program's step has no place for a closure.
class ProgramBuilder {
public:
  explicit ProgramBuilder(const std::string &mesh);

  const Mesh &mesh() const { return mesh_; }
  /// A value that every rank holds whole.
  size_t argument(uint32_t type, const std::vector<int64_t> &shape);
  size_t argument(uint32_t type, std::vector<int64_t> shape, const Layout &layout);
  size_t result(uint32_t type, const std::vector<int64_t> &shape);
  size_t result(uint32_t type, std::vector<int64_t> shape, const Layout &layout);
  void alias(size_t argument, size_t result);
  dmc_collective &collective(dmc_collective_kind kind, uint32_t type, std::vector<int64_t> shape,
                             const std::vector<AxisRef> &axes);
  dmc_program &finish(Step step, int64_t arenaBytes = 0);

private:
  dmc_value value(const char *prefix, uint32_t type, std::vector<int64_t> shape,
                  const Layout &layout, size_t index);
  template <typename T>
  const T *keep(std::vector<T> items, std::deque<std::vector<T>> &where) {
    where.push_back(std::move(items));
    return where.back().data();
  }

  Mesh mesh_;
  std::deque<std::string> names_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<uint32_t>> begins_;
  std::deque<std::vector<dmc_axis_ref>> refs_;
  std::vector<dmc_mesh_axis> axes_;
  std::vector<dmc_value> arguments_, results_;
  std::deque<dmc_collective> collectives_;
  std::vector<dmc_collective> collectiveTable_;
  dmc_arena arena_ = {};
  dmc_program program_ = {};
};

/// Stores a number as an element of that type.
void storeElement(uint32_t type, void *at, double value);
Array makeArray(uint32_t type, std::vector<int64_t> shape, const std::vector<double> &values);
std::vector<double> valuesOf(const Array &array);

AxisRef whole(const Mesh &mesh, uint32_t axis);
std::string temporaryFolder();

} // namespace dmc::runtime::test

#endif // DMC_TEST_RUNTIME_TESTSUPPORT_H

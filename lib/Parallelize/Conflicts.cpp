//===- Conflicts.cpp - Requests that cannot hold together -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of one group are about one value. Where no layout satisfies all, the
// smallest set that none satisfies is named.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace dmc;

namespace {
/// What requests for one value amount to, dimension by dimension.
class Agreement {
public:
  Agreement(const Mesh &mesh, size_t rank) : mesh(mesh), dims(rank), isClosed(rank) {}

  /// Why no layout satisfies all of them; empty where one does.
  std::string check(ArrayRef<const Request *> requests);

private:
  bool add(unsigned dim, const AxisList &asked, bool isOpen);
  std::string checkAxes() const;

  const Mesh &mesh;
  std::vector<AxisList> dims;
  llvm::BitVector isClosed;
  AxisList excluded;
};
} // namespace

bool Agreement::add(unsigned dim, const AxisList &asked, bool isOpen) {
  AxisList &known = dims[dim];
  if (isClosed[dim])
    return isOpen ? isPrefix(asked, known) : asked == known;
  if (isOpen && isPrefix(asked, known))
    return true;
  if (!isPrefix(known, asked))
    return false;
  known = asked;
  isClosed[dim] = !isOpen;
  return true;
}

std::string Agreement::checkAxes() const {
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    for (const AxisRef &axis : dims[dim]) {
      if (overlapsAny(axis, excluded))
        return "axis \"" + toString(mesh, axis) + "\" must not split it";
      for (unsigned other = 0; other < dim; ++other)
        if (overlapsAny(axis, dims[other]))
          return "axis \"" + toString(mesh, axis) + "\" would split dimensions " +
                 std::to_string(other) + " and " + std::to_string(dim);
    }
  return "";
}

std::string Agreement::check(ArrayRef<const Request *> requests) {
  for (const Request *request : requests) {
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      if (!add(dim, request->layout.dims[dim], !request->open.empty() && request->open[dim]))
        return "dimension " + std::to_string(dim) + " would be split in two ways";
    llvm::append_range(excluded, request->replicated);
    const Layout &first = requests.front()->layout;
    if (request->layout.partial != first.partial || request->layout.combiner != first.combiner)
      return "the partial sums would lie along different axes";
  }
  return checkAxes();
}

LogicalResult Propagation::checkGroups(ArrayRef<Request> requests) const {
  llvm::MapVector<unsigned, SmallVector<const Request *, 2>> groups;
  for (const Request &request : requests)
    if (request.node)
      groups[request.value].push_back(&request);
  for (auto &[number, members] : groups) {
    if (members.size() < 2)
      continue;
    size_t rank = members.front()->layout.dims.size();
    auto getProblem = [&, this](ArrayRef<const Request *> set) {
      return Agreement(mesh, rank).check(set);
    };
    if (getProblem(members).empty())
      continue;
    // What conflicts without one of them does not need it.
    SmallVector<const Request *, 2> conflict = members;
    for (size_t i = conflict.size(); i-- > 0;) {
      SmallVector<const Request *, 2> others = conflict;
      others.erase(others.begin() + i);
      if (!getProblem(others).empty())
        conflict = others;
    }
    InFlightDiagnostic error = nodes[*conflict.back()->node].op->emitError()
                               << "constraints of one group cannot hold together: "
                               << getProblem(conflict);
    for (const Request *member : conflict)
      error.attachNote(nodes[*member->node].op->getLoc())
          << "asks for the layout " << toString(mesh, member->layout)
          << (member->open.any() ? ", or more" : "");
    return error;
  }
  return success();
}

//===- NumberKey.h - Numbers as the key of a map ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PARALLELIZE_SOLVE_NUMBERKEY_H
#define DMC_LIB_PARALLELIZE_SOLVE_NUMBERKEY_H

#include "dmc/Layout/Layout.h"

#include <string>

namespace dmc {

/// A key of numbers, which equal keys have in one order.
class NumberKey {
public:
  template <typename... Numbers>
  explicit NumberKey(Numbers... numbers) {
    (add(static_cast<int64_t>(numbers)), ...);
  }

  void add(int64_t number) { text.append(reinterpret_cast<const char *>(&number), sizeof(number)); }
  void add(const std::vector<AxisRef> &axes) {
    add(static_cast<int64_t>(axes.size()));
    for (const AxisRef &axis : axes) {
      add(axis.axis);
      add(axis.preSize);
      add(axis.size);
    }
  }
  void add(const NumberKey &other) { text += other.text; }
  const std::string &str() const { return text; }

private:
  std::string text;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_NUMBERKEY_H

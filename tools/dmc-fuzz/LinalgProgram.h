//===- LinalgProgram.h - Random programs of level 0 -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_LINALGPROGRAM_H
#define DMC_TOOLS_DMC_FUZZ_LINALGPROGRAM_H

#include "Builder.h"

namespace dmc::fuzz {

class LinalgBuilder : public Builder {
public:
  using Builder::addSplat;
  using Builder::Builder;
  std::string addSplat(const Shape &shape, Element element, const std::string &number) override;
  std::string addEmpty(const Shape &shape, Element element);
  std::string addConstant(Element element, const std::string &number);
  /// A scalar.
  std::string addScalar(Element element, int64_t number) {
    return addConstant(element, getNumber(element, number));
  }
};

/// Adds an operation; false if nothing suits.
using LinalgForm = bool (*)(LinalgBuilder &);
extern const std::vector<LinalgForm> linalgElementwise, linalgShapes, linalgReductions,
    linalgIndexing, linalgSources;

/// A program of level 0 whose float results are exact.
Program makeLinalgProgram(uint64_t seed);

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_LINALGPROGRAM_H

//===- MoveSources.h - Where uses take a constrained tensor -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constraint makes another version of a tensor. Decides which versions are made, and which of
// them a use is moved from: the cost model prices those moves, and dmc-materialize-moves inserts
// them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MOVESOURCES_H
#define DMC_LIB_PARALLELIZE_MOVESOURCES_H

#include "Factors.h"

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// True if uses of the constraint's result may take its operand instead. Not of partial values,
/// which are made where somebody asks for them, nor of the values of a group, which are one, nor of
/// what is in all layouts at once.
bool hasMoveSource(ConstrainOp op);

/// What all of some layouts split alike, nothing partial; layouts with partial axes do not count.
/// Nothing if there are fewer than two others: partial values with one use go there at once.
std::optional<Layout> getCommonLayout(llvm::ArrayRef<const Layout *> layouts);

class MoveSources {
public:
  /// A layout that uses want, and the first of them in the order of the program.
  struct Want {
    const Layout *layout;
    uint64_t order;
    bool isUsed; // else versions are made of it, and nothing more
  };
  /// What moves the tensor from one layout to another, in seconds.
  using GetSeconds = llvm::function_ref<double(const Layout &from, const Layout &to)>;

  /// Adds a version: first the tensor as it is made, then what constraints make of a version
  /// added before. Layouts are not copied.
  unsigned add(const Layout &layout, unsigned source = 0, uint64_t order = 0);
  /// Lets a use take a version in a layout.
  void addUse(unsigned version, const Layout &wanted, uint64_t order = 0);
  /// Called once, when all is added:
  /// - constraints to one layout make one version; to the layout that is there already, none;
  /// - a version that all uses take in one layout is not made: they take what it is made of;
  /// - so do uses to which that is as near, or that want a layout in which it is taken anyway.
  void decide(GetSeconds getSeconds);

  unsigned size() const { return versions.size(); }
  const Layout &getLayout(unsigned version) const { return *versions[version].layout; }
  /// The version that a version is one with, perhaps itself.
  unsigned getMerged(unsigned version) const;
  /// The version that is moved for a use of a version.
  unsigned getSource(unsigned version, const Layout &wanted) const;
  /// The version that is moved to make a version.
  unsigned getParent(unsigned version) const {
    return getSource(versions[version].parent, *versions[version].layout);
  }
  bool isMade(unsigned version) const { return version == 0 || !versions[version].wanted.empty(); }
  /// The layouts into which a version is moved, those of versions made of it included, each once.
  llvm::ArrayRef<Want> getWanted(unsigned version) const { return versions[version].wanted; }

private:
  using Wants = llvm::SmallVector<Want, 2>;
  struct Version {
    const Layout *layout;
    unsigned parent;
    uint64_t order;
    llvm::SmallVector<unsigned, 2> children;
    /// What is wanted of it by uses, of it and of versions behind it, and of it in the end.
    Wants uses, all, wanted;
    std::optional<unsigned> mergedInto;
  };

  static void addWant(Wants &wants, const Want &want);
  void settle(unsigned version, GetSeconds getSeconds);
  bool mergeChild(unsigned version, GetSeconds getSeconds);
  void merge(unsigned parent, unsigned child, unsigned into);
  bool isNeeded(unsigned version, unsigned child, llvm::ArrayRef<Want> wants) const;

  std::vector<Version> versions;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MOVESOURCES_H

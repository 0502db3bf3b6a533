//===- Objects.h - Descriptors of the simulated cuBLASLt --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUBLASLT_OBJECTS_H
#define DMC_LIB_RUNTIME_FAKES_CUBLASLT_OBJECTS_H

#include "CUDA/CublasLtTypes.h"

#include <map>
#include <string>
#include <vector>

namespace dmc::cuda::blas {
// Exported, and with the signatures of the table.
extern "C" {
#define DMC_CUBLASLT_FUNCTION(result, exported, name, parameters)                                  \
  __attribute__((visibility("default"))) result exported parameters;
#include "CUDA/CublasLt.def"
}

/// An attribute of an object: its number, bytes and initial value. One that is not simulated may
/// only be set to that value.
struct AttributeKind {
  int number;
  size_t bytes;
  int64_t initial;
  bool isSimulated;
};

/// The attributes of an object, kept as integers.
class Attributes {
public:
  explicit Attributes(const std::vector<AttributeKind> &kinds);

  Status set(const char *function, int number, const void *value, size_t bytes);
  int64_t get(int number) const { return values_.at(number); }
  void put(int number, int64_t value) { values_[number] = value; }

private:
  const std::vector<AttributeKind> &kinds_;
  std::map<int, int64_t> values_;
};

struct LayoutObject {
  Attributes attributes;
  int64_t get(LayoutAttribute attribute) const {
    return attributes.get(static_cast<int>(attribute));
  }
};

struct OperationObject {
  Attributes attributes;
  int64_t get(OperationAttribute attribute) const {
    return attributes.get(static_cast<int>(attribute));
  }
};

struct PreferenceObject {
  Attributes attributes;
  int64_t get(PreferenceAttribute attribute) const {
    return attributes.get(static_cast<int>(attribute));
  }
};

/// Whether the pointer is that of an object that was created and not destroyed.
bool isLive(const void *object);
/// Whether the handle is one, for the calling thread's current device.
Status checkHandle(const char *function, Handle handle);

/// Says on the standard error stream why a call is refused.
Status refuse(Status status, const char *function, const std::string &why);

size_t bytesOf(Type type); // 0: not a type that is simulated
const char *nameOf(Type type);

} // namespace dmc::cuda::blas

#endif // DMC_LIB_RUNTIME_FAKES_CUBLASLT_OBJECTS_H

//===- Engine.h - What a program calls --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks with their devices and libraries, and a communicator between them, behind the functions
// that a program calls.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_ENGINE_H
#define DMC_LIB_RUNTIME_ENGINE_H

#include "CUDA/NcclCommunicator.h"
#include "Communicator/Communicator.h"
#include "Libraries/CustomKernels.h"
#include "Ranks/Ranks.h"

namespace dmc::runtime {

class Engine {
public:
  /// Of the threads of this process, or of the processes of the job that the options name: all of
  /// these make the call. Null, and why.
  static std::unique_ptr<Engine> create(const dmc_program &program, const Mesh &mesh,
                                        const SessionOptions &options, Failure &why);

  /// Before each step: connects ranks again that a failure has parted.
  Failure prepareStep() { return nccl_ ? nccl_->reconnect() : std::nullopt; }
  /// After a step that failed, on all ranks of this process.
  void endCollectives() {
    dropGraphs(); // of communicators that end
    if (nccl_)
      nccl_->abort();
  }
  /// What keeps steps from being one graph each, or nothing.
  Failure checkGraph(const SessionOptions &options) const;
  ~Engine() { dropGraphs(); }

  Ranks &ranks() const { return *ranks_; }
  const Communicator &communicator() const { return *communicator_; }
  /// Whether several ranks have one device: their collectives go through the memory of the host.
  bool sharesDevices() const { return sharesDevices_; }
  /// The last step of the ranks of this process; empty unless the session profiles.
  std::vector<RankProfile> profile() const;

  static const dmc_runtime_api &api();
  int32_t collective(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  int32_t start(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  int32_t wait(dmc_rank_context &rank, int64_t index);
  int32_t launch(dmc_rank_context &rank, int64_t kernel, const void *arguments);
  int32_t call(dmc_rank_context &rank, int64_t call, void *const *operands);
  int32_t event(dmc_rank_context &rank, int64_t event, uint32_t kind, uint32_t stream);
  int32_t copy(dmc_rank_context &rank, void *to, uint32_t toSpace, const void *from,
               uint32_t fromSpace, int64_t bytes, uint32_t stream);

private:
  void dropGraphs();
  bool executeOnDevice(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  bool executeThroughHost(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  explicit Engine(const dmc_program &program) : program_(program) {}

  const dmc_program &program_;
  bool sharesDevices_ = false;
  CustomKernels kernels_;
  // In this order: threads of ranks use the communicator until they are joined.
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Ranks> ranks_;
  // Uses the devices of the ranks. Null unless these are CUDA devices, one of each rank.
  std::unique_ptr<cuda::NcclCommunicator> nccl_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_ENGINE_H

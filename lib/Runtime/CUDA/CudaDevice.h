//===- CudaDevice.h - A CUDA device as a rank's device ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define DMC_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "Device/Device.h"

#include <memory>
#include <string>

namespace dmc::cuda {

/// The CUDA device of that number, of the installed driver or of the simulated one. What is wrong
/// with it is found when it is started.
std::unique_ptr<runtime::Device> createDevice(const dmc_program &program, int ordinal,
                                              bool isSimulated);

/// The code of a program that a device of this compute capability runs best; null: none.
const dmc_image *chooseImage(const dmc_program &program, int major, int minor, bool readsBinaries);

/// What is missing to run a program on so many devices of this process, or nothing.
runtime::Failure checkDevices(const dmc_program &program, int64_t count, bool isSimulated);

/// How many devices this process sees; 0 without a driver.
int countDevices(bool isSimulated);

/// The number of the device of a process, by its rank among those of the job on this machine: each
/// sees the same devices, or those that its launcher gives to it. Also of a thread that shares its
/// device with others. 0 if there is none, which is said when it is started.
int chooseDevice(int64_t localRank, bool isSimulated);

/// Which device that is among all of the machine, as "0000:01:00.0".
std::string deviceIdentity(int ordinal, bool isSimulated);

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_CUDADEVICE_H

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: FileCheck tests of passes, tools and whole pipelines."""
import os
import platform
import shutil
import sys

import lit.formats

config.name = "dmc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.dmc_test_build
config.excludes = ["Inputs", "unit", "embed", "models"]

path = [config.dmc_tools, config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.dmc_build_type not in ("Release", "RelWithDebInfo", "MinSizeRel"):
    config.available_features.add("assertions")
if config.dmc_sanitize:
    # libMLIR is not instrumented: poisoning by its allocators misleads the
    # sanitizer about parametric types and attributes.
    config.environment.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0:detect_leaks=0")
    config.available_features.add("sanitizer")
if platform.machine() == "x86_64":
    config.available_features.add("x86")
if "fma" in (open("/proc/cpuinfo").read().split() if os.path.exists("/proc/cpuinfo") else []):
    config.available_features.add("fma")
if (os.cpu_count() or 1) > 1:
    config.available_features.add("two-processors")
if shutil.which("mpirun") and os.path.exists(os.path.join(config.dmc_lib, "libdmc_mpi.so")):
    config.available_features.add("mpi")
    # As root, with more ranks than cores, and in containers.
    for name in ("ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe",
                 "MCA_mpi_yield_when_idle"):
        config.environment["OMPI_" + name] = "1"
    config.environment["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none"
config.substitutions.append(("%S_models", os.path.join(config.test_source_root, "models")))
config.substitutions.append(("%dmc_lib", config.dmc_lib))
config.substitutions.append(("%dmc_tools", config.dmc_tools))
config.substitutions.append(("%source_root", os.path.dirname(config.test_source_root)))
config.substitutions.append(("%python", sys.executable))

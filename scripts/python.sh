#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests the Python package with the tools in DMC_BIN (build/bin): python.sh [PATTERN]
# DMC_PYTHON names the interpreter; one with JAX, torch or onnx runs the tests and pages that need them.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${DMC_BIN:-build/bin}
DMC_HOME=$(cd "$bin/.." && pwd)
export DMC_HOME
exec "${DMC_PYTHON:-python3}" python/tests/run.py "$@"

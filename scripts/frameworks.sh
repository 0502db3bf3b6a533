#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests the Python package with torch, JAX and ONNX, in an environment of its own (scripts/setup.sh --frameworks).
# Where that cannot be installed, as without a network, it says so and is skipped.
#
#   frameworks.sh              all tests of the package
#   frameworks.sh --sample     those of SAMPLE below: each front end from a program to numbers, and the pages. On a machine
#                              so slow that eight minutes are not enough the last ones are skipped, each with the reason
#   frameworks.sh PATTERN ...  those whose names hold one of the patterns
#
#   DMC_FRAMEWORKS   the environment's folder (default build/frameworks)
set -euo pipefail
cd "$(dirname "$0")/.."
SAMPLE=(test_from_ test_page test_notebooks test_types test_torch_errors test_jax_jit test_conversions test_packaging test_faults)
folder=${DMC_FRAMEWORKS:-build/frameworks}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! timeout 420 bash scripts/setup.sh --frameworks "$folder" >"$log" 2>&1; then
  cat "$log"
  echo "frameworks: skipped: could not install scripts/frameworks.txt: $(grep -i 'error\|setup:' "$log" | tail -n 1)"
  exit 0
fi
if [ "${1:-}" = --sample ]; then
  set -- --times --seconds=450 "${SAMPLE[@]}"
fi
DMC_PYTHON=$folder/bin/python bash scripts/python.sh "$@"

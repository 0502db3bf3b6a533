#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds with sanitizers and runs the tests: address and undefined behaviour on all suites and
# examples (the plugin's tests exempt: a sanitized plugin does not load into a plain mlir-opt),
# threads on the runtime's tests and on compiled programs.
set -uo pipefail
exec bash "$(dirname "$0")/check-all.sh" --only '^(sanitize|thread)' "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and runs all tests: test.sh [--set tests|ci|all] [PRESET] [OPTION...]
#
# All steps run, one failure does not hide the others; `scripts/test.sh --help` lists the options,
# --list the steps, --only REGEX chooses among them.
set -uo pipefail
cd "$(dirname "$0")/.."
set_of_steps=tests
if [ "${1:-}" = --set ]; then
  set_of_steps=${2:?expected tests, ci or all}
  shift 2
fi
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
  set -- --preset "$@"
fi
# A failed set-up is told by the steps that miss what it installs.
bash scripts/setup.sh || echo "test: set-up failed: what it installs may be missing"
exec python3 scripts/checks "$set_of_steps" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs a built preset into a fresh prefix, builds the project beside this
# script against that prefix only, and runs it: run.sh [PRESET]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build
[ "${1:-dev}" = dev ] || build=$root/build-$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
run() { "$@" >"$log" 2>&1 || { cat "$log"; echo "embed: '$*' failed"; exit 1; }; }
run cmake --install "$build" --prefix "$work/prefix"
run cmake -G Ninja -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_C_COMPILER=clang-22 -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
run cmake --build "$work/build"
"$work/build/embed"
echo "embed: passed"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two projects of somebody else's, built and run: run.sh [PRESET]
#   installed      against a prefix into which the built preset is installed, moved afterwards:
#                  nothing that is installed may name the folder of the checkout or of the prefix
#   subdirectory   with the checkout as a subdirectory
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build
[ "${1:-dev}" = dev ] || build=$root/build-$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compilers=(-G Ninja -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_C_COMPILER=clang-22 -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
  -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld)
run() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; echo "embed: '$*' failed"; return 1; }; }
installed() {
  run cmake --install "$build" --prefix "$work/first" && mv "$work/first" "$work/prefix" || return 1
  # Assertions and debug sections of a development build may name sources; package files may not.
  if grep -rl -e "$root" -e "$work" "$work/prefix/lib/cmake"; then
    echo "embed: the files above name a folder of the machine that built them"
    return 1
  fi
  run cmake "${compilers[@]}" -S "$here/installed" -B "$work/installed" -DCMAKE_PREFIX_PATH="$work/prefix" &&
    run cmake --build "$work/installed" && "$work/installed/embed" &&
    run "$work/prefix/bin/dmc-compile" "$root/examples/mlp/step.mlir" -o "$work/step.so" &&
    # The tools find the runtime's plugins beside themselves.
    run "$work/prefix/bin/dmc-run" "$work/step.so" --input-dir "$root/examples/mlp/inputs" --expect-dir \
      "$root/examples/mlp/expected" --meta "$root/examples/mlp/meta.json"
}
subdirectory() {
  run cmake "${compilers[@]}" -S "$here/subdirectory" -B "$work/subdirectory" -DDMC_ROOT="$root" &&
    run cmake --build "$work/subdirectory" && "$work/subdirectory/layouts"
}
passed=0 failed=0
for form in installed subdirectory; do
  if "$form"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $form"
  fi
done
echo "embed: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

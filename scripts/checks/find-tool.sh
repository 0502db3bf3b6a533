#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints the path of a tool of LLVM 22: NAME-22 or NAME in PATH, else beside llvm-config-22.
#   find-tool.sh lit
set -euo pipefail
for name in "$1-22" "$1"; do
  if command -v "$name"; then
    exit 0
  fi
done
for config in llvm-config-22 llvm-config; do
  if command -v "$config" >/dev/null && [ -x "$("$config" --bindir)/$1" ]; then
    echo "$("$config" --bindir)/$1"
    exit 0
  fi
done
echo "find-tool: '$1' of LLVM 22 is not installed" >&2
exit 1

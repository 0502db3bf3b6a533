#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every C++ source is as clang-format writes it.
set -euo pipefail
cd "$(dirname "$0")/.."
format=$(scripts/checks/find-tool.sh clang-format)
passed=0 failed=0
while IFS= read -r file; do
  if "$format" --dry-run -Werror "$file" >/dev/null 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$file: run clang-format -i on it"
  fi
done < <(git ls-files '*.cpp' '*.h' '*.c')
echo "clang-format: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

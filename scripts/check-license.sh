#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every source names its license in one of its first three lines.
set -euo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0
while IFS= read -r file; do
  if head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$file: expected an SPDX line among the first three"
  fi
done < <(git ls-files '*.cpp' '*.h' '*.c' '*.td' '*.py' '*.sh' '*.cmake' '*.in' '*CMakeLists.txt' .ci/run)
echo "license lines: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

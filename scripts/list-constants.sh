#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The numbers by which the planner decides: named constants and fractions in code of these folders, with the line before each, which
# says what it is:   list-constants.sh [FOLDER...]
# Expected are units, tolerances of arithmetic, limits of what a format holds, and limits of effort, which cost plans that the gap of a
# certificate then shows. Nothing that programs were fitted to.
set -euo pipefail
cd "$(dirname "$0")/.."
folders=("$@")
if [ ${#folders[@]} -eq 0 ]; then
  folders=(lib/Planner lib/Parallelize)
fi
find "${folders[@]}" \( -name '*.cpp' -o -name '*.h' \) -print0 | sort -z | xargs -0 awk '
  FNR == 1 { comment = ""; listed = 0 }
  /^ *\/\// { if (listed) comment = ""; listed = 0; sub(/^ *\/\/+ */, ""); comment = comment (comment == "" ? "" : " ") $0; next }
  /constexpr/ && /=/ && /[0-9]/ && !/if constexpr/ || /[^A-Za-z_0-9."][0-9]+\.[0-9]*[1-9]/ {
    line = $0; sub(/^ +/, "", line)
    printf "%s:%d: %s\n", FILENAME, FNR, line
    listed = 1
    if (comment != "") printf "    %s\n", comment
    next
  }
  /constexpr/ { next }
  { comment = "" }'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the words that dmc does not use (scripts/words.txt; docs/glossary.md says what to
# say instead) in all tracked files, or in the files and folders given. A finding is a line
# `file:line: 'word': say ...`; exit code 1 when there is one.
#
#   lint-language.sh [--words FILE] [--summary] [PATH...]
#
# --summary prints the number of findings of each file instead.
set -euo pipefail
exec python3 "$(dirname "$0")/lint_language.py" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Mutation testing: changes a source file in one place at a time, rebuilds, runs the tests
# of the file's folder and reports the changes that no test notices.
#
#   mutate.sh lib/Layout/Blocks.cpp                 # 20 mutations, chosen by seed 1
#   mutate.sh lib/Schedule/Arena.cpp --count all    # every mutation
#   mutate.sh lib/Ranks/MergeMoves.cpp --list       # prints the mutations and stops
#   mutate.sh --help
exec python3 "$(dirname "$0")/mutate.py" "$@"

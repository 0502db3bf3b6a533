#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Everything that can be checked, for hours: what .ci/run does on all shards and all sources, the
# thread sanitizer, the fuzzers, long draws of random layouts, all pairs of layouts, mutations.
#
#   check-all.sh [--list] [--only REGEX] [--programs N] [--texts N] [--draws N] [--mutations N]
#
#   check-all.sh --list                          the steps
#   check-all.sh --only '^sanitize'              all suites under the address and undefined sanitizers
#   check-all.sh --only '^(thread|fuzz)' --programs 20000 --texts 100000
set -uo pipefail
exec bash "$(dirname "$0")/test.sh" --set all "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Interesting, and so not 0: a program that the wrong pass changes. $1 is the plugin.
dmc-opt "$2" --load-pass-plugin="$1" --verify-numeric \
  --pass-pipeline='builtin.module(dmc-test-break-subtraction)' -o /dev/null 2>&1 |
  grep -q 'differs after pass' && exit 1
exit 0

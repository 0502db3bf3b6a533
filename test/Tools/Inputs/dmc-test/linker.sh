#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A linker with which the worker crashes or hangs in the cases of that name.
case "$*" in
*/crash.so*) kill -KILL $PPID ;;
*/hang.so*) exec sleep 1000 ;;
*) exec ld.lld "$@" ;;
esac

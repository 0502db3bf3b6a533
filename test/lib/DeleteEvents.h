//===- DeleteEvents.h - Schedules that lack an event ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_LIB_DELETEEVENTS_H
#define DMC_TEST_LIB_DELETEEVENTS_H

namespace dmc::test {
void registerDeleteEvents();
} // namespace dmc::test

#endif // DMC_TEST_LIB_DELETEEVENTS_H

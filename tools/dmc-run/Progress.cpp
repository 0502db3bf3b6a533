//===- Progress.cpp - A line for what takes long --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support.h"

#include <chrono>
#include <cstdio>

#include <unistd.h>

using namespace dmc::run;

bool Progress::isSilent = false;

Progress::Progress(std::string what)
    : thread_([this, what = std::move(what)] {
        bool isTerminal = isatty(STDERR_FILENO);
        auto start = std::chrono::steady_clock::now();
        auto pause = std::chrono::seconds(2);
        bool hasPrinted = false;
        std::unique_lock<std::mutex> lock(mutex_);
        while (!ended_.wait_for(lock, pause, [this] { return isOver_; })) {
          auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
              std::chrono::steady_clock::now() - start);
          if (isSilent)
            continue;
          std::fprintf(stderr, isTerminal ? "\rdmc-run: %s (%lld s)" : "dmc-run: %s (%lld s)\n",
                       what.c_str(), static_cast<long long>(seconds.count()));
          hasPrinted = true;
          pause = std::chrono::seconds(isTerminal ? 1 : 30);
        }
        if (hasPrinted && isTerminal)
          std::fputc('\n', stderr);
      }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isOver_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

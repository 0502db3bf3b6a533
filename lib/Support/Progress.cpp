//===- Progress.cpp - What takes long, on stderr --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Support/Progress.h"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

using namespace dmc::support;

bool Progress::isSilent = false;

ProgressLine::ProgressLine(std::string tool)
    : tool(std::move(tool)), isTerminal(isatty(STDERR_FILENO)), start(Clock::now()),
      due(start + std::chrono::seconds(2)) {}

void ProgressLine::show(const std::string &text) {
  if (!isDue())
    return;
  due = Clock::now() + std::chrono::seconds(isTerminal ? 1 : 30);
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
  std::fprintf(stderr, isTerminal ? "\r\033[K%s: %s (%lld s)" : "%s: %s (%lld s)\n", tool.c_str(),
               text.c_str(), static_cast<long long>(seconds));
  isShown = true;
}

void ProgressLine::clear() {
  if (isShown && isTerminal)
    std::fputs("\r\033[K", stderr);
  isShown = false;
}

std::chrono::milliseconds ProgressLine::pause() const {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

Progress::Progress(std::string tool, std::function<std::string()> what) {
  if (isSilent)
    return;
  thread = std::thread([this, tool = std::move(tool), what = std::move(what)] {
    ProgressLine line(tool);
    std::unique_lock<std::mutex> lock(mutex);
    while (!ended.wait_for(lock, line.pause(), [this] { return isOver; }))
      line.show(what());
  });
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  ended.notify_all();
  thread.join();
}

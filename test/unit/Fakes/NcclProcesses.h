//===- NcclProcesses.h - Ranks of the simulated NCCL as processes *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_FAKES_NCCLPROCESSES_H
#define DMC_TEST_UNIT_FAKES_NCCLPROCESSES_H

#include "NcclHarness.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace dmc::fakes::test {

/// A job of processes, each of which is this program and executes one test again, up to where the
/// test runs the job. Ranks are threads of them.
class ProcessJob {
public:
  explicit ProcessJob(int processes, uint64_t seed = 0, const char *timeout = "20", int threads = 1)
      : processes_(processes), threads_(threads), seed_(seed), timeout_(timeout),
        number_(numJobs()++) {}
  ProcessJob &fault(const char *text) {
    fault_ = text;
    return *this;
  }

  /// Runs the ranks. What `body` prints, and what gtest prints where it fails, is in `output`; a
  /// process exits with code 0 where nothing fails.
  void run(const std::function<void(Rank &)> &body) {
    if (const char *job = variable("TEST_JOB")) {
      if (std::strtol(job, nullptr, 10) == number_)
        runHere(body);
      return;
    }
    folder_ = ::testing::TempDir() + "dmc-nccl-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    std::vector<pid_t> children;
    children.reserve(static_cast<size_t>(processes_));
    for (int process = 0; process < processes_; ++process)
      children.push_back(spawn(process));
    auto begin = std::chrono::steady_clock::now();
    for (pid_t child : children) {
      int status = 0;
      while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) {
          ADD_FAILURE() << "a process did not end";
          kill(child, SIGKILL);
        }
        usleep(1000);
      }
      statuses.push_back(status);
    }
    for (int process = 0; process < processes_; ++process) {
      output += read(folder_ + "/output" + std::to_string(process));
      reports += read(folder_ + "/report" + std::to_string(process));
    }
    std::filesystem::remove_all(folder_);
  }
  void expectReport(const std::string &kind, const std::string &text = "") const {
    EXPECT_NE(reports.find(": nccl " + kind + ": "), std::string::npos) << reports << output;
    EXPECT_NE(reports.find(text), std::string::npos) << reports;
    expectEnds();
  }
  /// All processes have ended by themselves.
  void expectEnds() const {
    for (int status : statuses)
      EXPECT_EQ(status, 0) << output;
  }
  /// What a process is told.
  static const char *variable(const char *name) { return std::getenv(name); }
  static bool isChild() { return variable("TEST_JOB") != nullptr; }

  std::vector<int> statuses;
  std::string output, reports;

private:
  /// Of this test.
  static int &numJobs() {
    static int number = 0;
    static const void *of = nullptr;
    const void *test = ::testing::UnitTest::GetInstance()->current_test_info();
    if (of != test)
      number = 0;
    of = test;
    return number;
  }
  static std::string read(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  pid_t spawn(int process) const {
    std::vector<std::string> variables;
    for (char **at = environ; *at; ++at)
      variables.emplace_back(*at);
    auto set = [&](const char *name, const std::string &value) {
      variables.push_back(std::string(name) + "=" + value);
    };
    set("TEST_JOB", std::to_string(number_));
    set("TEST_PROCESS", std::to_string(process));
    set("TEST_FOLDER", folder_);
    set("DMC_SIMULATED_REPORT", folder_ + "/report" + std::to_string(process));
    std::vector<char *> pointers;
    pointers.reserve(variables.size() + 1);
    for (std::string &variable : variables)
      pointers.push_back(variable.data());
    pointers.push_back(nullptr);
    const auto *test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string filter =
        std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
    std::string name = "dmc-fakes-tests", color = "--gtest_color=no";
    char *arguments[] = {name.data(), filter.data(), color.data(), nullptr};
    std::string output = folder_ + "/output" + std::to_string(process);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = -1;
    EXPECT_EQ(posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, pointers.data()),
              0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }
  /// The first process makes the id and says it to the others in a file.
  static nccl::UniqueId exchangeId(int process) {
    nccl::UniqueId id = {};
    std::string path = std::string(variable("TEST_FOLDER")) + "/id";
    if (process == 0) {
      NCCL_OK(nc().getUniqueId(&id));
      std::ofstream(path + ".new").write(id.internal, sizeof id.internal);
      std::filesystem::rename(path + ".new", path);
    }
    while (!std::filesystem::exists(path))
      usleep(1000);
    std::ifstream(path).read(id.internal, sizeof id.internal);
    return id;
  }
  void runHere(const std::function<void(Rank &)> &body) const {
    auto process = static_cast<int>(std::strtol(variable("TEST_PROCESS"), nullptr, 10));
    Job job(threads_, seed_, timeout_);
    if (fault_)
      setenv("DMC_SIMULATED_NCCL_FAULT", fault_, 1);
    nccl::UniqueId id = exchangeId(process);
    job.runWithout([&](Rank &self) {
      self.rank += process * threads_;
      self.ranks = processes_ * threads_;
      NCCL_OK(nc().initRank(&self.world, self.ranks, id, self.rank));
      if (self.world)
        body(self);
      cu().streamSynchronize(self.stream);
      if (self.world)
        NCCL_OK(nc().destroy(self.world));
    });
    (void)job.reports(); // are in a file
    fflush(nullptr);
    _exit(::testing::Test::HasFailure());
  }

  int processes_, threads_;
  uint64_t seed_;
  const char *timeout_, *fault_ = nullptr;
  int number_;
  std::string folder_;
};

} // namespace dmc::fakes::test

#endif // DMC_TEST_UNIT_FAKES_NCCLPROCESSES_H

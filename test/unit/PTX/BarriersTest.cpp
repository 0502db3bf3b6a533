//===- BarriersTest.cpp - Barriers of warps, blocks and memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace dmc::ptx;
using namespace dmc::ptx::test;

namespace {
/// What each of 64 threads leaves in %r1.
void check(const std::string &body, const std::function<uint64_t(uint32_t)> &expected,
           const std::string &before = "") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    ArrayKernel program(body + "cvt.u64.u32 %rd5, %r1;\nst.global.u64 [%rd2], %rd5;\n", before);
    EXPECT_EQ(text(program.run({1, 1, 1}, {64, 1, 1}, seed)), "") << body;
    std::vector<uint64_t> values = program.values();
    for (uint32_t t = 0; t < values.size(); ++t)
      EXPECT_EQ(values[t], expected(t)) << body << " thread " << t;
  }
}

TEST(Barriers, Reductions) {
  std::string below = "setp.lt.u32 %p1, %t, 40;\n", all = "setp.lt.u32 %p1, %t, 64;\n";
  check(below + "bar.red.popc.u32 %r1, 0, %p1;\n", [](uint32_t) { return 40; });
  check(below + "barrier.cta.red.aligned.popc.u32 %r1, 3, 64, !%p1;\n",
        [](uint32_t) { return 24; });
  std::string give = "selp.u32 %r1, 1, 0, %p2;\n";
  check(below + "bar.red.and.pred %p2, 1, %p1;\n" + give, [](uint32_t) { return 0; });
  check(all + "bar.red.and.pred %p2, 1, %p1;\n" + give, [](uint32_t) { return 1; });
  check(below + "barrier.red.or.pred %p2, 1, %p1;\n" + give, [](uint32_t) { return 1; });
  check(all + "bar.red.or.pred %p2, 1, 64, !%p1;\n" + give, [](uint32_t) { return 0; });
}

TEST(Barriers, Forms) {
  for (const char *form : {"bar.sync 0", "bar.cta.sync 0", "barrier.sync 0", "barrier.cta.sync 0",
                           "barrier.cta.sync.aligned 0", "barrier.sync.aligned 0, 64"})
    check(
        "shl.b32 %r2, %t, 2;\nmov.u32 %r3, tile;\nadd.s32 %r4, %r2, %r3;\n"
        "st.shared.u32 [%r4], %t;\n" +
            std::string(form) +
            ";\nxor.b32 %r2, %r2, 128;\nadd.s32 %r4, %r2, %r3;\nld.shared.u32 %r1, [%r4];\n",
        [](uint32_t t) { return t ^ 32; }, ".shared .align 8 .b8 tile[256];\n");
  check("elect.sync %r1|%p1, -1;\n@!%p1 mov.u32 %r1, 99;\n",
        [](uint32_t t) { return t % 32 ? 99 : 0; });
  check("nanosleep.u32 20;\nmov.u32 %r1, 7;\n", [](uint32_t) { return 7; });
}

// A warp produces and another one consumes, twice, and each is told by an object in shared memory
// when it may.
struct Pipeline {
  std::string produced = "mbarrier.arrive.shared.b64 %rd8, [full];\n";
  std::string consumed = "mbarrier.arrive.release.cta.shared::cta.b64 _, [empty];\n";
  std::string waitFull = "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [full], %r8;\n";
  std::string waitEmpty = "mbarrier.test_wait.parity.shared.b64 %p2, [empty], %r9;\n";
  std::string meet = "bar.sync 0;\n";
  std::string count = "32";

  std::string body() const {
    return "setp.eq.u32 %p1, %t, 0;\n@%p1 mbarrier.init.shared.b64 [full], " + count +
           ";\n@%p1 mbarrier.init.shared.b64 [empty], 32;\n" + meet +
           "mov.u32 %r8, 0;\nmov.u32 %r9, 1;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"
           "and.b32 %r3, %t, 31;\nshl.b32 %r4, %r3, 2;\nmov.u32 %r5, tile;\nadd.s32 %r4, %r4, "
           "%r5;\nxor.b32 %r6, %r3, 1;\nshl.b32 %r6, %r6, 2;\nadd.s32 %r6, %r6, %r5;\n"
           "setp.ge.u32 %p3, %t, 32;\n@%p3 bra CONSUME;\n"
           "PRODUCE:\n" +
           waitEmpty + "@!%p2 bra PRODUCE;\nadd.s32 %r7, %r3, %r2;\nst.shared.u32 [%r4], %r7;\n" +
           produced +
           "xor.b32 %r9, %r9, 1;\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p4, %r2, 4;\n@%p4 bra "
           "PRODUCE;\nbra.uni END;\nCONSUME:\n" +
           waitFull + "@!%p2 bra CONSUME;\nld.shared.u32 %r7, [%r6];\nadd.s32 %r1, %r1, %r7;\n" +
           consumed +
           "xor.b32 %r8, %r8, 1;\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p4, %r2, 4;\n@%p4 bra "
           "CONSUME;\nEND:\n";
  }
};
const char *const objects = ".shared .align 8 .b64 full;\n.shared .align 8 .b64 empty;\n"
                            ".shared .align 8 .b8 tile[128];\n";

TEST(Barriers, Memory) {
  check(Pipeline().body(), [](uint32_t t) { return t < 32 ? 0 : 4 * ((t - 32) ^ 1) + 6; }, objects);
  // A lane arrives for its warp, after that has met.
  Pipeline one;
  one.count = "1";
  one.produced = "bar.warp.sync -1;\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 mbarrier.arrive.shared.b64 "
                 "%rd8, [full];\n";
  check(one.body(), [](uint32_t t) { return t < 32 ? 0 : 4 * ((t - 32) ^ 1) + 6; }, objects);
  // Bytes that are to come hold the phase up.
  Pipeline bytes;
  bytes.count = "32";
  bytes.produced = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 16;\n"
                   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [full], 16;\n";
  check(bytes.body(), [](uint32_t t) { return t < 32 ? 0 : 4 * ((t - 32) ^ 1) + 6; }, objects);

  auto wrong = [](const Pipeline &pipeline, const char *report) {
    expect(pipeline.body(), objects, {1, 1, 1}, {64, 1, 1}, report);
  };
  Pipeline unmet = one;
  unmet.produced = unmet.produced.substr(unmet.produced.find('\n') + 1);
  wrong(unmet, "race: line");
  Pipeline careless;
  careless.waitFull = "setp.eq.u32 %p2, %t, %t;\n";
  wrong(careless, "line");
  Pipeline overwriting;
  overwriting.waitEmpty = "setp.eq.u32 %p2, %t, %t;\n";
  // A race or, if it has gone through all its phases before, none that the consumer waits for.
  wrong(overwriting, "line");
  Pipeline uninitialized;
  uninitialized.meet = "";
  wrong(uninitialized, "line");
  Pipeline many;
  many.count = "31";
  wrong(many, "line");
  Pipeline none;
  none.count = "0";
  wrong(none, "begins with a count of 0");
  Pipeline more;
  more.count = "33";
  wrong(more, "endless loop: line");
}

TEST(Barriers, MemoryStates) {
  std::string init = "setp.eq.u32 %p1, %t, 0;\n@%p1 mbarrier.init.shared.b64 [full], 64;\nbar.sync "
                     "0;\n";
  check(
      init + "mbarrier.arrive.shared.b64 %rd8, [full];\nWAIT:\nmbarrier.test_wait.shared.b64 "
             "%p2, [full], %rd8;\n@!%p2 bra WAIT;\nmbarrier.pending_count.b64 %r2, %rd8;\n"
             "setp.ge.u32 %p3, %r2, 1;\nselp.u32 %r1, 1, 0, %p3;\n",
      [](uint32_t) { return 1; }, objects);
  // Copies arrive when they end.
  std::string copy = init + "shl.b32 %r2, %t, 2;\nmov.u32 %r3, data;\nadd.s32 %r3, %r3, %r2;\n"
                            "cp.async.ca.shared.global [%r3], [%rd2], 4;\n";
  std::string wait =
      "WAIT:\nmbarrier.test_wait.parity.shared.b64 %p2, [full], 0;\n@!%p2 bra WAIT;\n"
      "xor.b32 %r2, %r2, 128;\nmov.u32 %r3, data;\nadd.s32 %r3, %r3, %r2;\n"
      "ld.shared.u32 %r1, [%r3];\n";
  std::string before = std::string(objects) + ".shared .align 8 .b8 data[256];\n";
  check(
      copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [full];\n" + wait,
      [](uint32_t) { return 0; }, before);
  expect(copy + "mbarrier.arrive.shared.b64 %rd8, [full];\n" + wait, before, {1, 1, 1}, {64, 1, 1},
         "which an asynchronous copy of thread");
}
} // namespace

//===- ChecksTest.cpp - What the simulator reports ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include <cmath>

using namespace dmc::ptx;
using namespace dmc::ptx::test;

namespace {
const char *const tile = ".shared .align 8 .b8 tile[1024];\n";
// Thread t writes word t, and reads that of thread t ^ 37.
const std::string write =
    "mov.u32 %r1, tile;\nshl.b32 %r2, %t, 2;\nadd.s32 %r3, %r1, %r2;\nst.shared.u32 [%r3], %t;\n";
const std::string readOther = "xor.b32 %r4, %t, 37;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r1, "
                              "%r4;\nld.shared.u32 %r5, [%r4];\n";
const std::string keep = "cvt.u64.u32 %rd5, %r5;\nst.global.u64 [%rd2], %rd5;\n";

TEST(Checks, SharedMemory) {
  expect(write + "bar.sync 0;\n" + readOther, tile, {2, 1, 1}, {128, 1, 1}, nullptr);
  expect(write + readOther, tile, {2, 1, 1}, {128, 1, 1}, "race: line");
  // Written again before all have read.
  expect(write + "bar.sync 0;\n" + readOther + "st.shared.u32 [%r3], 7;\n", tile, {1, 1, 1},
         {128, 1, 1}, "race: line");
  expect(write + "bar.sync 0;\n" + readOther + "bar.sync 0;\nst.shared.u32 [%r3], 7;\n", tile,
         {1, 1, 1}, {128, 1, 1}, nullptr);
  // Within a warp a barrier of the warp is enough, and needed.
  std::string other = "xor.b32 %r4, %t, 5;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r1, "
                      "%r4;\nld.shared.u32 %r5, [%r4];\n";
  expect(write + "bar.warp.sync 0xffffffff;\n" + other, tile, {1, 1, 1}, {64, 1, 1}, nullptr);
  expect(write + other, tile, {1, 1, 1}, {64, 1, 1}, "race: line");
  // All write the same.
  expect("st.shared.u32 [tile], 5;\n", tile, {1, 1, 1}, {128, 1, 1}, nullptr);
  expect("st.shared.u32 [tile], %t;\n", tile, {1, 1, 1}, {128, 1, 1}, "race: line");
  expect("red.shared.add.u32 [tile], %t;\n",
         std::string(tile) +
             "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [tile], 0;\nbar.sync 0;\n",
         {1, 1, 1}, {128, 1, 1}, nullptr);
  expect(readOther, std::string(tile) + "mov.u32 %r1, tile;\n", {1, 1, 1}, {128, 1, 1},
         "uninitialized: line");
}

TEST(Checks, NamedBarriersOrderTheirWarps) {
  // Warps 0 and 1 meet at barrier 1, 2 and 3 at barrier 2.
  std::string meet = "shr.u32 %r6, %t, 6;\nadd.s32 %r6, %r6, 1;\nbar.sync %r6, 64;\n";
  std::string near = "xor.b32 %r4, %t, 37;\n", far = "xor.b32 %r4, %t, 69;\n";
  std::string read = "shl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r1, %r4;\nld.shared.u32 %r5, [%r4];\n";
  expect(write + meet + near + read, tile, {1, 1, 1}, {128, 1, 1}, nullptr);
  // What no warp of that barrier wrote is not ordered. It may not even be there yet.
  expect(write + meet + far + read, tile, {1, 1, 1}, {128, 1, 1}, "shared memory");
}

TEST(Checks, GlobalMemory) {
  expect("ld.global.u64 %rd5, [%rd2];\nst.global.u64 [%rd2], %rd5;\n", "", {1, 1, 1}, {64, 1, 1},
         nullptr);
  expect("st.global.u64 [%rd2+8], %rd1;\n", "", {1, 1, 1}, {64, 1, 1}, "out of bounds: line");
  expect("st.global.u64 [%rd1+-8], %rd1;\n", "", {1, 1, 1}, {1, 1, 1}, "out of bounds: line");
  expect("ld.global.u64 %rd5, [%o];\n", "", {1, 1, 1}, {1, 1, 1}, "of no allocation");
  expect("ld.global.u64 %rd5, [%rd2+4];\n", "", {1, 1, 1}, {32, 1, 1}, "misaligned: line");
  expect("ld.global.v2.u64 {%rd5, %rd6}, [%rd1+8];\n", "", {1, 1, 1}, {1, 1, 1},
         "misaligned: line");
  // Blocks are never ordered.
  std::string number = "mov.u32 %r1, %ctaid.x;\ncvt.u64.u32 %rd3, %r1;\n";
  expect(number + "st.global.u64 [%rd1], %rd3;\n", "", {4, 1, 1}, {1, 1, 1}, "race: line");
  expect("red.global.add.u64 [%rd1], 1;\n", "", {4, 1, 1}, {64, 1, 1}, nullptr);
  expect("ld.global.u64 %rd5, [%rd1];\nadd.s64 %rd5, %rd5, 1;\nst.global.u64 [%rd1], %rd5;\n", "",
         {4, 1, 1}, {1, 1, 1}, "race: line");
  // Neighbouring bytes are of different threads.
  expect("add.s64 %rd3, %rd1, 0;\ncvt.u64.u32 %rd4, %t;\nadd.s64 %rd3, %rd3, %rd4;\nst.global.u8 "
         "[%rd3], %t;\n",
         "", {1, 1, 1}, {64, 1, 1}, nullptr);

  ArrayKernel unwritten("ld.global.u64 %rd5, [%rd2];\n");
  unwritten.allocate(64, false);
  EXPECT_NE(text(unwritten.run({1, 1, 1}, {32, 1, 1})).find("uninitialized"), std::string::npos);
}

TEST(Checks, Launches) {
  // The second launch reads what the first wrote, in the other order of threads.
  ArrayKernel program("ld.global.u64 %rd5, [%rd2];\nst.global.u64 [%rd2], %rd1;\n");
  EXPECT_EQ(text(program.run({1, 1, 1}, {64, 1, 1}, 0, 1)), "");
  EXPECT_EQ(text(program.run({1, 1, 1}, {64, 1, 1}, 0, 2)), "");
  program.isOrdered = [](uint32_t earlier) { return earlier != 2; };
  std::string report = text(program.run({1, 1, 1}, {64, 1, 1}, 0, 3));
  EXPECT_NE(report.find("unordered operations: line"), std::string::npos);
  EXPECT_NE(report.find("which operation 2 wrote"), std::string::npos) << report;

  EXPECT_NE(text(program.run({1, 1, 1}, {2048, 1, 1})).find("2048 threads, at most 1024"),
            std::string::npos);
  EXPECT_NE(text(program.run({0, 1, 1}, {1, 1, 1})).find("no threads"), std::string::npos);
}

TEST(Checks, Barriers) {
  std::string diverge = "setp.lt.u32 %p1, %t, 16;\n@%p1 bra LOW;\nbra.uni END;\nLOW:\nbar.sync "
                        "0;\nEND:\nbar.sync 0;\n";
  expect(diverge, "", {1, 1, 1}, {64, 1, 1}, "divergent barrier: line");
  // A whole warp that goes elsewhere: the others wait for it as long as it is there.
  expect("setp.lt.u32 %p1, %t, 32;\n@%p1 bra LOW;\nbar.sync 1;\nbra.uni END;\nLOW:\nbar.sync "
         "0;\nEND:\n",
         "", {1, 1, 1}, {64, 1, 1}, "deadlock: line");
  // One that has ended is not waited for, but what it should have done before is missing.
  expect("setp.lt.u32 %p1, %t, 32;\n@%p1 ret;\nbar.sync 0;\n", "", {1, 1, 1}, {64, 1, 1},
         "missed barrier: line");
  expect("setp.eq.u32 %p1, %t, 40;\n@%p1 ret;\nbar.sync 0;\n", "", {1, 1, 1}, {64, 1, 1},
         "but thread (40, 0, 0) has ended without reaching it");
  expect("bar.sync 0;\nsetp.lt.u32 %p1, %t, 32;\n@%p1 ret;\nbar.sync 1, 32;\n", "", {1, 1, 1},
         {48, 1, 1}, nullptr);
  // The code of the lanes that come last is laid out behind the barrier.
  expect("setp.eq.u32 %p1, %t, 0;\n@%p1 bra FIRST;\nMEET:\nbar.sync 0;\nbra.uni "
         "END;\nFIRST:\nmov.u32 %r1, 3;\nbra.uni MEET;\nEND:\n",
         "", {1, 1, 1}, {64, 1, 1}, nullptr);
  expect("LOOP:\nadd.s32 %r1, %t, 1;\nbra.uni LOOP;\n", "", {1, 1, 1}, {32, 1, 1},
         "endless loop: line");
}

TEST(Checks, Lanes) {
  expect("shfl.sync.bfly.b32 %r1, %t, 1, 31, -1;\n", "", {1, 1, 1}, {64, 1, 1}, nullptr);
  expect("shfl.sync.bfly.b32 %r1, %t, 1, 31, 0xffff;\n", "", {1, 1, 1}, {32, 1, 1},
         "names the lanes 0000ffff, but ffffffff execute it");
  std::string half = "setp.lt.u32 %p1, %t, 16;\n@%p1 bra LOW;\nbra.uni "
                     "END;\nLOW:\nshfl.sync.idx.b32 %r1, %t, 0, 31, ";
  expect(half + "0xffff;\nEND:\n", "", {1, 1, 1}, {32, 1, 1}, nullptr);
  // Lanes that have ended need not come; those that have not must.
  expect(half + "-1;\nEND:\n", "", {1, 1, 1}, {32, 1, 1}, nullptr);
  expect(half + "-1;\nEND:\nbar.warp.sync -1;\n", "", {1, 1, 1}, {32, 1, 1}, "wrong mask: line");
  expect("add.s32 %r1, %r2, 1;\n", "", {1, 1, 1}, {32, 1, 1}, "reads %r2, which was never written");
  expect("mov.u32 %r1, %r2;\nsetp.eq.u32 %p1, %t, 99;\n@%p1 add.s32 %r3, %r1, 1;\n", "", {1, 1, 1},
         {32, 1, 1}, nullptr);
}

TEST(Checks, GroupsOfLanes) {
  // Two halves of a warp, each of which names its own lanes.
  std::string halves = "and.b32 %r8, %t, 16;\nshl.b32 %r9, 0xffff, %r8;\n";
  expect(halves + "shfl.sync.idx.b32 %r1, %t, 3, 0x101f, %r9;\nredux.sync.add.u32 %r1, %t, %r9;\n",
         "", {1, 1, 1}, {32, 1, 1}, nullptr);
  expect(halves + "shfl.sync.idx.b32 %r1, %t, 3, 31, %r9;\n", "", {1, 1, 1}, {32, 1, 1},
         "reads a lane that does not execute it");
  // Lanes wait for one of their warp, whose code is behind theirs.
  expect("setp.eq.u32 %p1, %t, 0;\n@%p1 bra SET;\nSPIN:\natom.global.add.u64 %rd5, [%rd1], 0;\n"
         "setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra SPIN;\nbra.uni END;\nSET:\n"
         "atom.global.add.u64 %rd5, [%rd1], 1;\nEND:\n",
         "", {1, 1, 1}, {32, 1, 1}, nullptr);
}

TEST(Checks, WarpsThatOnlyArrive) {
  // The first warp produces and arrives, the second waits and reads.
  std::string produce = "setp.lt.u32 %p1, %t, 32;\n@!%p1 bra WAIT;\n";
  std::string rest = "bra.uni END;\nWAIT:\nbar.sync 1, 64;\nadd.s32 %r3, %r3, -128;\n"
                     "ld.shared.u32 %r5, [%r3];\nEND:\n";
  std::string address = "mov.u32 %r1, tile;\nshl.b32 %r2, %t, 2;\nadd.s32 %r3, %r1, %r2;\n";
  std::string store = "st.shared.u32 [%r3], %t;\n", arrive = "bar.arrive 1, 64;\n";
  expect(produce + store + arrive + rest, tile + address, {1, 1, 1}, {64, 1, 1}, nullptr);
  expect(produce + store + arrive + "st.shared.u32 [%r3], 77;\n" + rest, tile + address, {1, 1, 1},
         {64, 1, 1}, "race: line");
}

TEST(Checks, PartsOfAWarpMeet) {
  // Each half exchanges values by itself: that orders it, and not the other.
  std::string address = "mov.u32 %r1, tile;\nshl.b32 %r2, %t, 2;\nadd.s32 %r3, %r1, %r2;\n";
  std::string meet = "and.b32 %r8, %t, 16;\nshl.b32 %r9, 0xffff, %r8;\nbar.warp.sync %r9;\n";
  auto read = [](const char *distance) {
    return std::string("xor.b32 %r4, %t, ") + distance +
           ";\nshl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r1, %r4;\nld.shared.u32 %r5, [%r4];\n";
  };
  std::string before = tile + address + "st.shared.u32 [%r3], %t;\n";
  expect(meet + read("5"), before, {1, 1, 1}, {32, 1, 1}, nullptr);
  expect(meet + read("21"), before, {1, 1, 1}, {32, 1, 1}, "race: line");
  // One address for a half, which one of its lanes wrote.
  expect("and.b32 %r8, %t, 15;\nsetp.eq.u32 %p1, %r8, 0;\n@%p1 st.shared.u32 [%r3], %t;\n" + meet +
             "and.b32 %r8, %t, 16;\nshl.b32 %r8, %r8, 2;\nadd.s32 %r8, %r8, %r1;\n"
             "ld.shared.u32 %r5, [%r8];\n",
         tile + address, {1, 1, 1}, {32, 1, 1}, nullptr);
}

TEST(Checks, NeighbouringBytes) {
  // In place, in all widths, with neighbours in one word and with parts of a warp.
  for (const char *form : {"u8", "u16", "u32", "v2.u16", "v4.u8", "v2.u32", "v4.u32"}) {
    std::string name = form;
    unsigned lanes = name[0] == 'v' ? name[1] - '0' : 1;
    std::string of = lanes == 1 ? "%r4" : lanes == 2 ? "{%r4, %r5}" : "{%r4, %r5, %r6, %r7}";
    unsigned bytes = lanes * (name.find("32") != name.npos   ? 4
                              : name.find("16") != name.npos ? 2
                                                             : 1);
    std::string address = "mul.lo.u32 %r2, %t, " + std::to_string(bytes) +
                          ";\ncvt.u64.u32 %rd3, %r2;\nadd.s64 %rd3, %rd1, %rd3;\n";
    std::string load = "ld.global." + name + " " + of + ", [%rd3];\n",
                store = "st.global." + name + " [%rd3], " + of + ";\n";
    std::string inPlace = address + load + store + load;
    expect(inPlace, "", {1, 1, 1}, {32, 1, 1}, nullptr);
    expect("setp.lt.u32 %p1, %t, 5;\n@%p1 ret;\nsetp.gt.u32 %p1, %t, 27;\n@%p1 ret;\n" + inPlace,
           "", {1, 1, 1}, {32, 1, 1}, nullptr);
    std::string other = "xor.b32 %r8, %t, 1;\nmul.lo.u32 %r2, %r8, " + std::to_string(bytes) +
                        ";\ncvt.u64.u32 %rd3, %r2;\nadd.s64 %rd3, %rd1, %rd3;\n";
    expect(address + load + "add.s32 %r4, %r4, %t;\n" + other + store, "", {1, 1, 1}, {32, 1, 1},
           "read, and nothing orders the two");
    expect(address + load + "add.s32 %r4, %r4, %t;\n" + store + other + load, "", {1, 1, 1},
           {32, 1, 1}, "wrote, and nothing orders the two");
  }
}

// A thread reads two numbers of 16 bits, of words that others read of, too, and changes them.
TEST(Checks, HalvesOfWordsOfSeveralThreads) {
  const std::string load = "mul.wide.u32 %rd3, %t, 2;\nadd.s64 %rd3, %rd1, %rd3;\n"
                           "ld.global.u16 %r4, [%rd3];\nld.global.u16 %r3, [%rd3+14];\n"
                           "add.s32 %r4, %r4, 1;\nadd.s32 %r3, %r3, 1;\n";
  expect(load + "st.global.u16 [%rd3], %r4;\nst.global.u16 [%rd3+14], %r3;\n", "", {1, 1, 1},
         {7, 1, 1}, nullptr);
  expect(load + "st.global.u16 [%rd3+2], %r4;\n", "", {1, 1, 1}, {7, 1, 1},
         "and nothing orders the two");
}

// Of each word a block has two bytes and another block the others.
TEST(Checks, BytesOfSeveralBlocks) {
  const std::string load = "mov.u32 %r1, %ctaid.x;\nadd.s32 %r1, %r1, %t;\nand.b32 %r2, %t, 62;\n"
                           "add.s32 %r2, %r2, %r1;\nadd.s32 %r2, %r2, %ctaid.x;\n"
                           "cvt.u64.u32 %rd3, %r2;\nadd.s64 %rd3, %rd1, %rd3;\n"
                           "ld.global.u8 %r4, [%rd3];\nadd.s32 %r4, %r4, 1;\n";
  expect(load + "st.global.u8 [%rd3], %r4;\n", "", {2, 1, 1}, {64, 1, 1}, nullptr);
  expect(load + "xor.b64 %rd3, %rd3, 2;\nst.global.u8 [%rd3], %r4;\n", "", {2, 1, 1}, {64, 1, 1},
         "and nothing orders the two");
}

// A thread reads both halves of a word at once, one half again, and then changes that half.
TEST(Checks, ElementsOfSeveralSizesOfOneThread) {
  const std::string read =
      "ld.global.v2.b16 {%h1, %h2}, [%rd2];\nld.global.b16 %h3, [%rd2];\nmov.b16 %h4, 7;\n";
  expect(read + "st.global.b16 [%rd2], %h4;", "", {1, 1, 1}, {32, 1, 1}, nullptr);
  expect(read + "mov.b64 %rd3, 8;\nxor.b64 %rd3, %rd2, %rd3;\nst.global.b16 [%rd3], %h4;", "",
         {1, 1, 1}, {32, 1, 1}, "read, and nothing orders the two");
}

TEST(Checks, LocalMemory) {
  std::string own = ".local .align 8 .b8 own[16];\n";
  expect("ld.local.u32 %r1, [own];\nadd.s32 %r2, %r1, 1;\n", own, {1, 1, 1}, {32, 1, 1},
         "reads %r1, which was never written");
  expect("st.local.u32 [own], %t;\nld.local.u32 %r1, [own];\nadd.s32 %r2, %r1, 1;\n", own,
         {2, 1, 1}, {32, 1, 1}, nullptr);
  // Only some lanes.
  expect("setp.lt.u32 %p1, %t, 9;\n@%p1 st.local.u32 [own], %t;\nld.local.u32 %r1, [own];\n"
         "add.s32 %r2, %r1, 1;\n",
         own, {1, 1, 1}, {32, 1, 1}, "thread (9, 0, 0): reads %r1");
  // A copy does not use the value, also of a structure with a gap.
  expect("st.local.u32 [own], %t;\nld.local.u64 %rd5, [own];\nst.local.u64 [own+8], %rd5;\n"
         "ld.local.u32 %r1, [own+8];\nadd.s32 %r2, %r1, 1;\n",
         own, {1, 1, 1}, {32, 1, 1}, nullptr);
  expect("ld.local.u64 %rd5, [own];\nst.local.u64 [own+8], %rd5;\nld.local.u32 %r1, [own+8];\n"
         "add.s32 %r2, %r1, 1;\n",
         own, {1, 1, 1}, {32, 1, 1}, "uninitialized: line");
}

TEST(Checks, AsynchronousCopies) {
  std::string address = "shl.b32 %r2, %t, 3;\nmov.u32 %r1, tile;\nadd.s32 %r3, %r1, %r2;\n";
  std::string copy = address + "cp.async.ca.shared.global [%r3], [%rd2], 8;\n";
  std::string own = "ld.shared.u64 %rd5, [%r3];\n";
  auto other = [](const char *distance) {
    return std::string("xor.b32 %r4, %r2, ") + distance +
           ";\nadd.s32 %r4, %r4, %r1;\nld.shared.u64 %rd5, [%r4];\n";
  };
  auto check = [](const std::string &body, const char *report) {
    expect(body, tile, {2, 1, 1}, {64, 1, 1}, report);
  };
  const char *race = "which an asynchronous copy of thread";
  check(copy + own, race);
  check(copy + "cp.async.commit_group;\n" + own, race);
  check(copy + "cp.async.commit_group;\ncp.async.wait_group 0;\n" + own, nullptr);
  check(copy + "cp.async.wait_all;\n" + own, nullptr);
  // A group may be left, and it is this one.
  check(copy + "cp.async.commit_group;\ncp.async.wait_group 1;\n" + own, race);
  check(copy + "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;\n" + own,
        nullptr);
  // Others need a barrier behind the wait, of the warp or the block.
  check(copy + "cp.async.wait_all;\n" + other("8"), race);
  check(copy + "cp.async.wait_all;\nbar.warp.sync -1;\n" + other("8"), nullptr);
  check(copy + "cp.async.wait_all;\nbar.warp.sync -1;\n" + other("256"), race);
  check(copy + "cp.async.wait_all;\nbar.sync 0;\n" + other("256"), nullptr);
  check(copy + "bar.sync 0;\ncp.async.wait_all;\n" + other("256"), race);
  // It must not overwrite what is still read, nor be overwritten.
  check(copy + "st.shared.u64 [%r3], %rd1;\n", race);
  check(address + "st.shared.u64 [%r3], %rd1;\nbar.sync 0;\n" + other("256") +
            "cp.async.ca.shared.global [%r3], [%rd2], 8;\n",
        "which thread");
}

TEST(Checks, FlagsAndFences) {
  // Block 0 writes word 1 and then sets word 0; the others wait for that and read.
  auto pass = [](const std::string &set, const std::string &see) {
    return "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\n"
           "st.global.u64 [%rd1+8], %rd1;\n" +
           set + "bra.uni END;\nWAIT:\n" + see +
           "setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra WAIT;\nld.global.u64 %rd6, [%rd1+8];\nEND:\n";
  };
  auto check = [&](const std::string &set, const std::string &see, const char *report) {
    expect(pass(set, see), "", {3, 1, 1}, {1, 1, 1}, report);
  };
  std::string release = "st.release.gpu.global.u64 [%rd1], 1;\n",
              acquire = "ld.acquire.gpu.global.u64 %rd5, [%rd1];\n",
              store = "st.volatile.global.u64 [%rd1], 1;\n",
              load = "ld.volatile.global.u64 %rd5, [%rd1];\n", fence = "membar.gl;\n",
              change = "red.global.add.u64 [%rd1], 1;\n",
              ask = "atom.global.add.u64 %rd5, [%rd1], 0;\n";
  check(release, acquire, nullptr);
  check(fence + store, load + fence, nullptr);
  check("fence.acq_rel.gpu;\n" + change, ask + "fence.sc.gpu;\n", nullptr);
  check("red.release.gpu.global.add.u64 [%rd1], 1;\n",
        "atom.acquire.gpu.global.add.u64 %rd5, [%rd1], 0;\n", nullptr);
  const char *race = "which block 0 wrote, and nothing orders the two";
  check(store, load + fence, race);
  check(fence + store, load, race);
  check(release, load, race);
  check(change, ask, race);
  // A fence of the block does not reach others; a plain store does not release.
  check("membar.cta;\n" + store, load + fence, race);
  check(fence + "st.global.u64 [%rd1], 1;\n", load + fence, "race: line");
  // What another block passed on is passed on again.
  std::string chain =
      "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd7, %r1, 8;\nadd.s64 %rd7, %rd1, %rd7;\n"
      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\nst.global.u64 [%rd1+256], %rd1;\n"
      "bra.uni SET;\nWAIT:\nld.acquire.gpu.global.u64 %rd5, [%rd7+-8];\n"
      "setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra WAIT;\nld.global.u64 %rd6, [%rd1+256];\n"
      "SET:\nst.release.gpu.global.u64 [%rd7], 1;\n";
  expect(chain, "", {12, 1, 1}, {1, 1, 1}, nullptr);
}

TEST(Checks, FlagsOfABlock) {
  // The last of all threads passes on what the barrier gave it; the other block's first waits, and
  // a barrier makes that known to all of it.
  auto pass = [](const std::string &meet, const std::string &spread) {
    return "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\nsetp.ne.u32 %p3, %t, 0;\n"
           "@%p1 bra WAIT;\nst.global.u64 [%rd2+64], %o;\n" +
           meet +
           "@%p3 bra END;\nst.release.gpu.global.u64 [%rd1], 1;\nbra.uni END;\nWAIT:\n"
           "@%p3 bra GO;\nSPIN:\nld.acquire.gpu.global.u64 %rd5, [%rd1];\n"
           "setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra SPIN;\nGO:\n" +
           spread + "ld.global.u64 %rd6, [%rd2+64];\nEND:\n";
  };
  auto check = [&](const std::string &body, const char *report) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      ArrayKernel program(body);
      program.allocate(128);
      std::string found = text(program.run({2, 1, 1}, {64, 1, 1}, seed));
      if (report)
        EXPECT_NE(found.find(report), std::string::npos) << body << found;
      else
        EXPECT_EQ(found, "") << body;
    }
  };
  check(pass("bar.sync 0;\n", "bar.sync 0;\n"), nullptr);
  check(pass("", "bar.sync 0;\n"), "race: line");
  check(pass("bar.sync 0;\n", ""), "race: line");
}

TEST(Checks, WarpInstructions) {
  auto check = [](const std::string &body, const std::function<uint64_t(uint32_t)> &expected) {
    ArrayKernel program(body + "cvt.u64.u32 %rd5, %r1;\nst.global.u64 [%rd2], %rd5;\n");
    EXPECT_EQ(text(program.run({1, 1, 1}, {64, 1, 1})), "") << body;
    std::vector<uint64_t> values = program.values();
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(values[t], expected(t)) << body << " thread " << t;
  };
  check("shfl.sync.down.b32 %r1|%p1, %t, 3, 31, -1;\n@!%p1 mov.u32 %r1, 1000;\n",
        [](uint32_t t) { return t % 32 < 29 ? t + 3 : 1000; });
  check("shfl.sync.up.b32 %r1, %t, 1, 0, -1;\n", [](uint32_t t) { return t % 32 ? t - 1 : t; });
  // Segments of eight lanes.
  check("shfl.sync.idx.b32 %r1, %t, 2, 0x181f, -1;\n", [](uint32_t t) { return t / 8 * 8 + 2; });
  check("setp.lt.u32 %p1, %t, 40;\nvote.sync.ballot.b32 %r1, %p1, -1;\n",
        [](uint32_t t) { return t < 32 ? 0xffffffffu : 0xffu; });
  check("setp.lt.u32 %p1, %t, 40;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r1, 1, 0, %p2;\n",
        [](uint32_t t) { return t < 32; });
  check("and.b32 %r2, %t, 3;\nmatch.any.sync.b32 %r1, %r2, -1;\n",
        [](uint32_t t) { return 0x11111111u << (t & 3); });
  check("redux.sync.add.s32 %r1, %t, -1;\n", [](uint32_t t) { return t < 32 ? 496 : 1520; });
  check("redux.sync.max.u32 %r1, %t, -1;\n", [](uint32_t t) { return t < 32 ? 31 : 63; });
  check("mov.u32 %r1, %lanemask_lt;\n", [](uint32_t t) { return (1u << t % 32) - 1; });
  // A table of targets.
  check("and.b32 %r2, %t, 1;\nmov.u32 %r1, 0;\nTS: .branchtargets A, B;\nbrx.idx %r2, "
        "TS;\nA:\nmov.u32 %r1, 10;\nbra.uni C;\nB:\n"
        "mov.u32 %r1, 20;\nC:\n",
        [](uint32_t t) { return t & 1 ? 20 : 10; });
}

TEST(Checks, AtomicsAndLocalMemory) {
  ArrayKernel program(
      ".local .align 8 .b8 own[16];\nmov.u64 %rd3, own;\ncvta.local.u64 %rd3, %rd3;\nst.u64 "
      "[%rd3+8], %o;\n"
      "ld.local.u64 %rd4, [own+8];\natom.global.add.u64 %rd5, [%rd1], %rd4;\natom.global.max.u64 "
      "%rd6, [%rd1+8], %rd4;\n"
      "atom.global.cas.b64 %rd7, [%rd1+16], 0, 9;\natom.global.inc.u32 %r1, [%rd1+24], 9;\n"
      "red.global.add.f32 [%rd1+32], 0f3F000000;\n");
  EXPECT_EQ(text(program.run({3, 1, 1}, {50, 1, 1})), "");
  std::vector<uint64_t> values = program.values();
  EXPECT_EQ(values[0], 3u * 8 * (49 * 50 / 2));
  EXPECT_EQ(values[1], 49u * 8);
  EXPECT_EQ(values[2], 9u);
  EXPECT_EQ(values[3], 0u); // 150 steps of ten
  EXPECT_EQ(valueOf<float>(values[4]), 75.0f);
}

TEST(Checks, FunctionsAndGlobals) {
  std::string source =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.const .align 4 .f32 table[2] = "
      "{0f3F800000, 2.5};\n"
      ".func (.param .b32 out) twice(.param .b32 x)\n{\n.reg .f32 %f<3>;\nld.param.f32 %f1, [x];\n"
      "add.f32 %f2, %f1, %f1;\nst.param.f32 [out], %f2;\nret;\n}\n"
      ".visible .entry k(.param .u64 a)\n{\n.reg .f32 %f<5>;\n.reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd1, [a];\nld.const.f32 %f1, [table+4];\n"
      "{ .param .b32 p;\n.param .b32 r;\nst.param.f32 [p], %f1;\ncall.uni (r), twice, "
      "(p);\nld.param.f32 %f2, [r]; }\n"
      "st.global.f32 [%rd1], %f2;\nret;\n}\n";
  std::string error;
  auto module = Module::parse(source, error);
  ASSERT_EQ(error, "");
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  Address out = memory.allocate(4);
  launch.arguments.resize(8);
  std::memcpy(launch.arguments.data(), &out, 8);
  EXPECT_EQ(text(dmc::ptx::run(*module, launch, memory)), "");
  float value = 0;
  EXPECT_TRUE(memory.read(out, &value, 4));
  EXPECT_EQ(value, 5.0f);
}

TEST(Checks, Counts) {
  // Rows of 32 words: a column is one bank.
  ArrayKernel conflicts(
      "shl.b32 %r2, %t, 7;\nmov.u32 %r1, tile;\nadd.s32 %r1, %r1, %r2;\nst.shared.u32 [%r1], %t;\n",
      ".shared .align 8 .b8 tile[4096];\n");
  EXPECT_EQ(conflicts.run({1, 1, 1}, {32, 1, 1}).counts.bankConflicts, 31u);
  ArrayKernel contiguous("ld.global.u64 %rd5, [%rd2];\n");
  Counts counts = contiguous.run({1, 1, 1}, {32, 1, 1}).counts;
  EXPECT_EQ(counts.globalSectors, 8u);
  EXPECT_EQ(counts.globalBytes, 256u);
  ArrayKernel strided(
      "mul.wide.u32 %rd3, %t, 64;\nadd.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r5, [%rd3];\n");
  strided.allocate(512);
  EXPECT_EQ(strided.run({1, 1, 1}, {32, 1, 1}).counts.globalSectors, 32u);
}

TEST(Checks, TrafficOfAllocations) {
  // Each warp reads every second word, then the others: the same sectors twice.
  ArrayKernel halves("shl.b32 %r2, %t, 3;\nmul.wide.u32 %rd3, %r2, 1;\nadd.s64 %rd3, %rd1, %rd3;\n"
                     "ld.global.u32 %r5, [%rd3];\nld.global.u32 %r6, [%rd3+4];\n"
                     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.global.u32 [%rd3], %r6;\n");
  halves.countsTraffic = true;
  std::vector<Traffic> traffic = halves.run({1, 1, 1}, {64, 1, 1}).traffic;
  ASSERT_EQ(traffic.size(), 2u);
  EXPECT_FALSE(traffic[0].isWrite);
  EXPECT_EQ(traffic[0].sectors, 32u);
  EXPECT_EQ(traffic[0].differentSectors, 16u);
  EXPECT_EQ(traffic[0].bytes, 512u);
  EXPECT_EQ(traffic[0].differentBytes, 512u);
  EXPECT_TRUE(traffic[1].isWrite);
  EXPECT_EQ(traffic[1].sectors, 1u);
  EXPECT_EQ(traffic[1].bytes, 4u);
  halves.countsTraffic = false;
  EXPECT_TRUE(halves.run({1, 1, 1}, {64, 1, 1}).traffic.empty());
}

/// Some lanes branch over a store to the end of a loop that the text has before it: all lanes go on
/// together from there, as where a device makes them meet.
TEST(Checks, LanesMeetWhereTheirPathsJoin) {
  ArrayKernel loop("mov.u32 %r1, 0;\nbra.uni BODY;\n"
                   "NEXT:\nadd.s32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 4;\n@%p2 bra BODY;\n"
                   "bra.uni END;\n"
                   "BODY:\nld.global.u64 %rd5, [%rd2];\nsetp.gt.u32 %p1, %t, 7;\n@%p1 bra NEXT;\n"
                   "st.global.u64 [%rd2], %rd5;\nbra.uni NEXT;\nEND:\n");
  EXPECT_EQ(loop.run({1, 1, 1}, {32, 1, 1}).counts.globalRequests, 8u);
  // Of two loops, one within the other, lanes leave the inner one together.
  ArrayKernel nested("mov.u32 %r1, 0;\n"
                     "OUTER:\nmov.u32 %r2, 0;\n"
                     "INNER:\nadd.s32 %r2, %r2, 1;\nsetp.gt.u32 %p1, %r2, %t;\n@%p1 bra AFTER;\n"
                     "bra.uni INNER;\n"
                     "AFTER:\nld.global.u64 %rd5, [%rd2];\nadd.s32 %r1, %r1, 1;\n"
                     "setp.lt.u32 %p2, %r1, 3;\n@%p2 bra OUTER;\n");
  EXPECT_EQ(nested.run({1, 1, 1}, {32, 1, 1}).counts.globalRequests, 3u);
}

/// The products of a tile against plain sums, from elements that say where they are.
TEST(Checks, Matrices) {
  // A is 16 x 16 and B 16 x 8 in bf16, small integers; loaded by ldmatrix from rows in shared
  // memory.
  std::string body =
      "mov.u32 %r1, tile;\n"
      // thread t writes row t % 16 of A (t < 16) and of B (t >= 16)
      "shl.b32 %r2, %t, 5;\nadd.s32 %r3, %r1, %r2;\nmov.u32 %r4, 0;\n"
      "LOOP:\nmad.lo.s32 %r5, %t, 3, %r4;\nand.b32 %r5, %r5, 7;\ncvt.rn.f32.u32 %f1, "
      "%r5;\ncvt.rn.bf16.f32 %h1, %f1;\n"
      "st.shared.b16 [%r3], %h1;\nadd.s32 %r3, %r3, 2;\nadd.s32 %r4, %r4, 1;\nsetp.lt.u32 %p1, "
      "%r4, 16;\n@%p1 bra LOOP;\n"
      "bar.sync 0;\n"
      // addresses of the four 8 x 8 parts of A, and of the two of B
      "and.b32 %r6, %t, 15;\nshl.b32 %r6, %r6, 5;\nshr.u32 %r7, %t, 4;\nshl.b32 %r7, %r7, "
      "4;\nadd.s32 %r6, %r6, %r7;\n"
      "add.s32 %r6, %r6, %r1;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, "
      "[%r6];\n"
      "and.b32 %r6, %t, 15;\nshl.b32 %r6, %r6, 5;\nadd.s32 %r6, %r6, %r1;\n"
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r6+512];\nmov.b32 %r20, 0;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r21, %r22, %r23, %r24}, {%r10, %r11, "
      "%r12, %r13}, "
      "{%r14, %r15}, {%r20, %r20, %r20, %r20};\n"
      "mad.wide.u32 %rd2, %t, 16, %rd1;\nst.global.v4.b32 [%rd2], {%r21, %r22, %r23, %r24};\n";
  ArrayKernel program(body, ".shared .align 16 .b8 tile[1024];\n");
  program.allocate(64);
  EXPECT_EQ(text(program.run({1, 1, 1}, {32, 1, 1})), "");
  std::vector<uint64_t> values = program.values();
  auto element = [](int t, int i) { return (t * 3 + i) & 7; };
  for (int lane = 0; lane < 32; ++lane)
    for (int e = 0; e < 4; ++e) {
      int row = lane / 4 + 8 * (e / 2), column = lane % 4 * 2 + e % 2, sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += element(row, k) * element(16 + k, column);
      float found = valueOf<float>(values[lane * 2 + e / 2] >> (32 * (e % 2)) & 0xffffffff);
      EXPECT_EQ(found, float(sum)) << row << " " << column;
    }
}
} // namespace

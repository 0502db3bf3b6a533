# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of cases.py, as they are and with a defect each: check_kernels.py FOLDER"""
import pathlib
import re
import subprocess
import sys

import numpy as np

import cases

# A kernel, what is planted, the text that is replaced (the number of the match, if there are several), by what, and the report.
DEFECTS = [
    ("softmax", "first barrier removed", r"\tbar.sync \t0;\n", 0, "", "race"),
    ("softmax", "second barrier removed", r"\tbar.sync \t0;\n", 1, "", "race"),
    ("lnfwd", "first barrier removed", r"\tbar.sync \t0;\n", 0, "", "race"),
    ("transpose", "barrier removed", r"\tbar.sync \t0;\n", 0, "", "race"),
    ("softmax", "half a mask", r"(shfl.sync.bfly.b32 \t[^;]*), -1;", 0, r"\1, 65535;", "wrong mask"),
    ("sumsq", "another mask", r"(shfl.sync.down.b32 \t[^;]*), -1;", 2, r"\1, 2147483647;", "wrong mask"),
    ("softmax", "vector moved by an element", r"ld.global.nc.v4.b32 \t(.*), \[(%rd\d+)\];", 0, r"ld.global.nc.v4.b32 \1, [\2+4];", "misaligned"),
    ("lnbwd", "store moved by an element", r"st.global.v4.b32 \t\[(%rd\d+)\]", 0, r"st.global.v4.b32 [\1+8]", "misaligned"),
    ("silu_mul", "tail guard off by one", r"setp.ge.u32", 0, "setp.gt.u32", "out of bounds"),
    ("silu_mul", "tail guard removed", r"@%p\d+ bra \t\$L__BB0_\d+;", 0, "", "out of bounds"),
    ("gelu", "element behind the row", r"(st.global.v4.b32 \t\[%rd\d+)\]", 0, r"\1+32]", "out of bounds"),
    ("gather", "row behind the table", r"mul.wide.s32 \t(%rd6), (%r10), 4;", 0, r"mad.wide.s32 \1, \2, 4, 102400;", "out of bounds"),
    ("scatter_add", "atomic replaced", r"(?:atom|red).global.add.f32 \t(?:%f?r?\d+, )?\[(%rd\d+)\], (%f?r?\d+);", 0,
     r"{ .reg .f32 t; ld.global.f32 t, [\1]; add.rn.f32 t, t, \2; st.global.f32 [\1], t; }", "race"),
    ("sumsq", "atomic replaced", r"(?:atom|red).global.add.f32 \t(?:%f?r?\d+, )?\[(%rd\d+)\], (%f?r?\d+);", 0,
     r"{ .reg .f32 t; ld.global.f32 t, [\1]; add.rn.f32 t, t, \2; st.global.f32 [\1], t; }", "race"),
    ("softmax", "barrier in a branch", r"(\tst.shared.b32 [^;]*;\n)", 0, r"\1\tbar.sync 0;\n", "divergent barrier"),
    ("softmax", "barrier for some threads", r"\tbar.sync \t0;", 0, "\t{ .reg .pred q; .reg .b32 t; mov.u32 t, %tid.x; setp.lt.u32 q, t, 128; @q bar.sync 0; }",
     "deadlock|race|uninitialized"),
    ("lnfwd", "threads that end early", r"\tbar.sync \t0;", 0, "\t{ .reg .pred q; .reg .b32 t; mov.u32 t, %tid.x; setp.ge.u32 q, t, 224; @q ret; }\n\tbar.sync 0;",
     "missed barrier"),
    ("softmax", "shared array too short", r"(\.shared .*)\[\d+\];", 1, r"\1[28];", "out of bounds"),
    ("transpose", "shared array too short", r"(\.shared .*)\[\d+\];", 0, r"\1[4096];", "out of bounds"),
    ("transpose", "store to shared removed", r"\tst.shared.*\n", 0, "", "uninitialized"),
    ("softmax", "partial results not stored", r"\tst.shared.b32 [^;]*;\n", 0, "", "uninitialized"),
    ("gelu", "register never set", r"\tmov.u32 \t(%r\d+), %tid.x;\n", 0, "", "uninitialized"),
    # What breaks no rule: the results show it, where the data do.
    ("softmax", "narrow shuffle of maxima", r"(shfl.sync.bfly.b32 \t[^;]*, 16), 31, -1;", 0, r"\1, 7, -1;", "wrong result"),
    ("softmax", "step of a tree twice", r"(shfl.sync.bfly.b32 \t[^;]*), 4, 31, -1;", 0, r"\1, 8, 31, -1;", "wrong result"),
    ("lnfwd", "offset of a row", r"(ld.global.nc.v4.b32 \t[^;]*\[%rd\d+\+)4096\];", 0, r"\g<1>8192];", "wrong result"),
    ("histogram", "atomic without a sum", r"atom.global.add.u32", 0, "atom.global.max.u32", "wrong result"),
]


def plant(text, pattern, number, by):
    matches = list(re.finditer(pattern, text))
    assert len(matches) > number, pattern
    match = matches[number]
    return text[:match.start()] + match.expand(by) + text[match.end():]


def main(folder):
    right = reported = 0
    commands = {}
    for name, case in cases.CASES.items():
        (folder / name).mkdir()
        command, results = commands[name] = cases.command(case(np.random.default_rng(0), 2), folder / name)
        found = ""
        for seed in range(4):
            done = subprocess.run(["dmc-ptx-run", *command, f"--seed={seed}"], capture_output=True, text=True)
            found = found or done.stderr or cases.wrong(results)
        if found:
            print(f"{name}: {found}")
        else:
            right += 1
    print(f"{right} kernels right")
    for name, what, pattern, number, by, kinds in DEFECTS:
        command, results = commands[name]
        text = folder / "defect.ptx"
        text.write_text(plant(pathlib.Path(command[0]).read_text(), pattern, number, by))
        done = subprocess.run(["dmc-ptx-run", text, *command[1:]], capture_output=True, text=True)
        is_found = cases.wrong(results) if kinds == "wrong result" else (
            done.returncode == 1 and re.search(f"^dmc-ptx-run: ({kinds}): line", done.stderr, re.M))
        if is_found:
            reported += 1
        else:
            print(f"{name}, {what}: expected {kinds}, found {done.stderr or 'nothing'}")
    print(f"{reported} defects found")


main(pathlib.Path(sys.argv[1]))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defects of kernels: those of test/PTX with a change in their text each, which dmc-ptx-run reports."""
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "PTX/Inputs"))
import cases  # noqa: E402

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
    ("softmax", "rows of blocks overlap", r"(shl.b32 \t%r\d+, %r38), 12;", 0, r"\1, 11;", "race"),
    ("softmax", "shared access moved by half an element", r"st.shared.b32 \t\[(%rd\d+)\]", 0, r"st.shared.b32 [\1+2]", "misaligned"),
    ("gelu", "reads its result", r"gelu_param_0\];", 0, "gelu_param_2];", "uninitialized"),
    # What costs time alone is counted.
    ("transpose", "tile without padding", r"\b(33|1056|2112|3168)\b", None, lambda match: str(int(match[1]) // 33 * 32), "bank conflicts"),
    # What breaks no rule: the results show it, where the data do.
    ("softmax", "narrow shuffle of maxima", r"(shfl.sync.bfly.b32 \t[^;]*, 16), 31, -1;", 0, r"\1, 7, -1;", "wrong result"),
    ("softmax", "step of a tree twice", r"(shfl.sync.bfly.b32 \t[^;]*), 4, 31, -1;", 0, r"\1, 8, 31, -1;", "wrong result"),
    ("lnfwd", "offset of a row", r"(ld.global.nc.v4.b32 \t[^;]*\[%rd\d+\+)4096\];", 0, r"\g<1>8192];", "wrong result"),
    ("histogram", "atomic without a sum", r"atom.global.add.u32", 0, "atom.global.max.u32", "wrong result"),
]


def plant(text, pattern, number, by):
    matches = list(re.finditer(pattern, text))
    if number is None:  # all of them
        assert matches, pattern
        return re.sub(pattern, by, text)
    assert len(matches) > number, pattern
    match = matches[number]
    return text[:match.start()] + match.expand(by) + text[match.end():]


def run(command, text):
    return subprocess.run(["dmc-ptx-run", text, *command[1:], "--counts"], capture_output=True, text=True)


def conflicts(done):
    return int(re.search(r"^bank conflicts +(\d+)$", done.stdout, re.M).group(1))


class Kernels:
    """The right kernels, run once each."""

    def __init__(self, folder):
        self.folder, self.commands = folder, {}

    def command(self, name):
        if name not in self.commands:
            folder = self.folder / name
            folder.mkdir()
            command, results = cases.command(cases.CASES[name](np.random.default_rng(0), 2), folder)
            done = run(command, command[0])
            wrong = done.stderr or cases.wrong(results)
            self.commands[name] = command, results, wrong, conflicts(done) if not wrong else None
        return self.commands[name]

    def check(self, name, pattern, number, by, kinds):
        """What is wrong with the reports of the kernel with and without the defect, or nothing."""
        command, results, wrong, declared = self.command(name)
        if wrong:
            return f"without the defect: {wrong}"
        text = self.folder / "defect.ptx"
        text.write_text(plant(pathlib.Path(command[0]).read_text(), pattern, number, by))
        done = run(command, text)
        if kinds == "wrong result":
            found = not done.stderr and cases.wrong(results)
        elif kinds == "bank conflicts":
            found = not done.stderr and not cases.wrong(results) and conflicts(done) > declared
        else:
            found = done.returncode == 1 and re.search(f"^dmc-ptx-run: ({kinds}): line", done.stderr, re.M)
        return None if found else f"expected {kinds}, found {done.stderr or 'nothing'}"

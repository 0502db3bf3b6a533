# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defects of schedules: a training step's, data-parallel on two ranks, with a change in its text each, which dmc-verify-schedule
reports."""
import re
import subprocess

def reuse(text):
    """A buffer gets the bytes of the one before it, which a later kernel still reads."""
    first, second = re.findall(r"%view\w* = memref\.view %\w+\[(%\w+)\]", text)[:2]
    return text.replace(f"[{second}][]", f"[{first}][]", 1)


# What is planted, the text that is replaced by what, and the report.
DEFECTS = [
    ("event deleted in front of a collective", r"( *)comm\.await [^\n]* on 1 [^\n]*\n", "", "reads bytes that stream 0 may still be writing"),
    ("event deleted in front of a kernel", r"( *)comm\.await [^\n]* on 0 [^\n]*\n", "", "reads bytes that stream 1 may still be writing"),
    ("event recorded before the kernel", r"( *dmc\.launch[^\n]*\n)( *%\d+ = comm\.record on 0[^\n]*\n)", r"\2\1",
     "reads bytes that stream 0 may still be writing"),
    ("collective on another stream", r"\{comm\.stream = 1 : i64\}", "{comm.stream = 2 : i64}", "stream 0 may still be writing|runs on stream"),
    ("bytes of a value that is still read", reuse, None, "reads bytes that another buffer has overwritten|may still be reading"),
    ("kernel left out", r" *dmc\.launch @kernel_0_[^\n]*\n", "", "reads bytes that are not written"),
    ("bytes behind the arena", r"(%c\d+_?\w* = arith\.constant) (\d{5,}) : index", r"\1 67108864 : index", "expected bytes within the arena"),
    ("bytes between two alignments", r"(%c\d+_?\w* = arith\.constant) (\d{5,}) : index", r"\1 100001 : index", "expected an offset aligned to"),
]


class Schedules:
    def __init__(self, folder, step):
        self.file = folder / "planted.mlir"
        self.text = subprocess.run(["dmc-compile", step, "--target=cuda:sm_90a", "--mesh=data=2", "--strategy=data_parallel", "--emit=scheduled"],
                                   capture_output=True, text=True, check=True).stdout
        self.wrong = self.verify(self.text)

    def verify(self, text):
        self.file.write_text(text)
        return subprocess.run(["dmc-opt", self.file, "-verify-levels=false", "-dmc-verify-schedule", "-o", "/dev/null"], capture_output=True,
                              text=True).stderr

    def check(self, pattern, by, reports):
        if self.wrong:
            return f"without the defect: {self.wrong}"
        text = pattern(self.text) if callable(pattern) else re.sub(pattern, by, self.text, count=1)
        if text == self.text:
            return "the text has no place for it"
        found = self.verify(text)
        return None if re.search(f"error: .*({reports})", found) else f"expected {reports}, found {found or 'nothing'}"

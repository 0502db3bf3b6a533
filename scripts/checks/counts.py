# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many units of a step ran, read from what the step wrote.

A reader takes the step's text and its scratch folder and returns Counts, or None where it
finds no count: a step that says nothing about its units has failed.
"""
import dataclasses
import json
import pathlib
import re
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    # Reasons, one for each unit that did not run.
    skipped: list = dataclasses.field(default_factory=list)

    @property
    def ran(self):
        return self.passed + self.failed


def lines(text, scratch):
    """The last line `NAME: N passed, N failed[, N skipped]`, with or without the name."""
    pattern = r"^(?:[\w -]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\b"
    found = re.findall(pattern, text, re.M)
    if not found:
        return None
    passed, failed, skipped = found[-1]
    reasons = re.findall(r"^[^\n]*: skipped (.+)$", text, re.M)
    reasons += ["for a reason that the script did not print"] * (int(skipped or 0) - len(reasons))
    return Counts(int(passed), int(failed), reasons)


def share(text, scratch):
    """The last line `NAME: N of M`."""
    found = re.findall(r"^[^\n:]+: (\d+) of (\d+)$", text, re.M)
    if not found:
        return None
    passed, total = map(int, found[-1])
    return Counts(passed, total - passed)


def lit(text, scratch):
    """What `lit -o SCRATCH/lit.json` wrote."""
    try:
        tests = json.loads((pathlib.Path(scratch) / "lit.json").read_text())["tests"]
    except (OSError, ValueError):
        return None
    counts = Counts()
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            counts.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            reason = " ".join(test.get("output", "").split()) or test["code"].lower()
            counts.skipped.append(f"{test['name']}: {reason}")
        else:
            counts.failed += 1
    return counts


def gtest(text, scratch):
    """The cases in the XML files that the suites of SCRATCH/suites.json wrote.

    A suite without a file crashed or was never built: one failure.
    """
    scratch = pathlib.Path(scratch)
    try:
        suites = [test["name"] for test in json.loads((scratch / "suites.json").read_text())["tests"]]
    except (OSError, ValueError, KeyError):
        return None
    counts = Counts()
    for suite in suites:
        try:
            root = ElementTree.parse(scratch / "gtest" / (suite + ".xml")).getroot()
        except (OSError, ElementTree.ParseError):
            print(f"FAILED {suite}: it left no results")
            counts.failed += 1
            continue
        for case in root.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                counts.failed += 1
            elif case.get("status") == "notrun" or case.get("result") in ("skipped", "suppressed"):
                counts.skipped.append(f"{suite}: {case.get('classname')}.{case.get('name')} is switched off")
            else:
                counts.passed += 1
    return counts


def skip_reason(text):
    """The reason in the last line `NAME: skipped: REASON`, None where there is no such line."""
    found = re.findall(r"^[\w -]+: skipped: (.+)$", text, re.M)
    return found[-1] if found else None

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of scripts/checks: what is counted, what is skipped, what fails."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "scripts/checks"))

import counts  # noqa: E402
import floors  # noqa: E402
import shards  # noqa: E402
from runner import Runner, Step  # noqa: E402


def run(*steps, known=None, minutes=None):
    """The output of the steps, their closing line, and whether they were right."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        runner = Runner(ROOT, minutes)
        for step in steps:
            runner.run(step)
        violations = floors.compare(known, runner.ran(), runner.expected) if known is not None else []
        right = runner.summarize(violations)
    text = output.getvalue()
    return text, text.splitlines()[-1], right


class Steps(unittest.TestCase):
    def test_a_failure_does_not_hide_what_follows(self):
        text, closing, right = run(Step("a", "as", "false"), Step("b", "bs", "echo it ran"))
        self.assertIn("it ran", text)
        self.assertEqual(closing, "1 passed, 1 failed, 0 skipped")
        self.assertFalse(right)

    def test_a_hidden_tool_changes_the_closing_line_and_misses_the_floor(self):
        step = Step("MPI", "MPI runs", "echo 'mpi: 4 passed, 0 failed'", counts.lines)
        self.assertEqual(run(step, known={"MPI runs": 4})[1:], ("4 passed, 0 failed, 0 skipped", True))
        step.why_not = "mpirun is not installed"
        text, closing, right = run(step, Step("b", "bs", "true"), known={"MPI runs": 4, "bs": 1})
        self.assertIn("skipped: MPI: mpirun is not installed", text)
        self.assertIn("below the floor: MPI runs: 0 ran, expected at least 4", text)
        self.assertEqual(closing, "1 passed, 1 failed, 1 skipped")
        self.assertFalse(right)

    def test_a_script_that_skips_itself(self):
        text, closing, right = run(Step("MPI", "MPI runs", "echo 'mpi: skipped: no plugin'", counts.lines),
                                   Step("b", "bs", "true"))
        self.assertIn("skipped: MPI: no plugin", text)
        self.assertEqual(closing, "1 passed, 0 failed, 1 skipped")

    def test_an_optional_script_that_skips_itself_has_no_floor(self):
        step = Step("frameworks", "tests", "echo 'frameworks: skipped: no network'", counts.lines, optional=True)
        text, closing, right = run(step, Step("b", "bs", "true"), known={"tests": 3, "bs": 1})
        self.assertIn("skipped: frameworks: no network", text)
        self.assertEqual((closing, right), ("1 passed, 0 failed, 1 skipped", True))
        step.command = "echo 'frameworks: 2 passed, 0 failed'"
        self.assertIn("below the floor: tests: 2 ran, expected at least 3", run(step, known={"tests": 3})[0])

    def test_hidden_acceptance_programs_have_no_floor(self):
        step = Step("models", "model cases", "false", counts.share, "not there", optional=True)
        _, closing, right = run(step, Step("b", "bs", "true"), known={"model cases": 71, "bs": 1})
        self.assertEqual(closing, "1 passed, 0 failed, 1 skipped")
        self.assertTrue(right)

    def test_fewer_units_than_the_floor(self):
        step = Step("a", "as", "echo 'a: 3 passed, 0 failed'", counts.lines)
        text, closing, right = run(step, known={"as": 4})
        self.assertIn("below the floor: as: 3 ran, expected at least 4", text)
        self.assertEqual(closing, "3 passed, 1 failed, 0 skipped")
        self.assertFalse(right)

    def test_a_kind_without_a_floor(self):
        self.assertFalse(run(Step("a", "as", "true"), known={})[2])

    def test_no_count_is_a_failure(self):
        self.assertEqual(run(Step("a", "as", "true", counts.lines))[1], "0 passed, 1 failed, 0 skipped")

    def test_an_exit_code_without_a_failed_unit_is_a_failure(self):
        step = Step("a", "as", "echo 'a: 3 passed, 0 failed'; exit 3", counts.lines)
        self.assertEqual(run(step)[1], "3 passed, 1 failed, 0 skipped")

    def test_a_step_that_hangs(self):
        text, closing, _ = run(Step("a", "as", "sleep 60 & sleep 60", timeout=1), Step("b", "bs", "true"))
        self.assertIn("a: stopped after 1 s", text)
        self.assertEqual(closing, "1 passed, 1 failed, 0 skipped")

    def test_the_minutes_for_all_steps(self):
        known = {"bs": 1, "builds": 1, "tests": 3}
        steps = [Step("build", "builds", "sleep 60", while_time_is_left=True),
                 Step("tests", "tests", "false", counts.lines, while_time_is_left=True), Step("b", "bs", "true")]
        text, closing, right = run(*steps, known=known, minutes=1 / 60)
        self.assertIn("skipped: build: the 0.0166667 minutes for all steps are over", text)
        self.assertIn("skipped: tests: the 0.0166667 minutes for all steps are over", text)
        self.assertEqual((closing, right), ("1 passed, 0 failed, 2 skipped", True))
        # What fails before the time is over has failed, and so has what takes longer than a step may.
        steps[0].command = "false"
        self.assertIn("failed: build: 1 of 1 builds", run(*steps, known=known, minutes=1)[0])
        steps[0].command, steps[0].timeout = "sleep 60", 1
        self.assertIn("failed: build: 1 of 1 builds", run(*steps, known=known, minutes=1)[0])

    def test_nothing_passed(self):
        self.assertFalse(run()[2])


class Counts(unittest.TestCase):
    def test_lines(self):
        found = counts.lines("x: 1 passed, 2 failed\ntidy: skipped a.cpp: too many\nclang-tidy: 4 passed, 0 failed, 1 skipped\n", "")
        self.assertEqual((found.passed, found.failed, found.skipped), (4, 0, ["a.cpp: too many"]))

    def test_share(self):
        found = counts.share("model cases right: 70 of 71\n", "")
        self.assertEqual((found.passed, found.failed), (70, 1))

    def test_named_lines(self):
        found = counts.lines("constraints-checked: 101 passed, 2 failed\n", "")
        self.assertEqual((found.passed, found.failed), (101, 2))

    def test_lit(self):
        with tempfile.TemporaryDirectory() as scratch:
            tests = [{"name": "a", "code": "PASS", "output": ""}, {"name": "b", "code": "TIMEOUT", "output": ""},
                     {"name": "c", "code": "UNSUPPORTED", "output": "missing features: mpi"}]
            (pathlib.Path(scratch) / "lit.json").write_text(json.dumps({"tests": tests}))
            found = counts.lit("", scratch)
        self.assertEqual((found.passed, found.failed, found.skipped), (1, 1, ["c: missing features: mpi"]))

    def test_cases_not_suites(self):
        with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
            folder = pathlib.Path(scratch)
            (folder / "gtest").mkdir()
            (folder / "suites.json").write_text(json.dumps({"tests": [{"name": "There"}, {"name": "Crashed"}]}))
            (folder / "gtest/There.xml").write_text(
                '<testsuites><testsuite name="A"><testcase name="x" status="run" result="completed"/>'
                '<testcase name="y" status="run" result="completed"><failure message="no"/></testcase>'
                '<testcase name="z" status="notrun" result="suppressed" classname="A"/></testsuite></testsuites>')
            found = counts.gtest("", scratch)
        self.assertEqual((found.passed, found.failed, len(found.skipped)), (1, 2, 1))


class Files(unittest.TestCase):
    def test_floors(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "floors"
            path.write_text("# kinds\n12    lit tests  # all\n3     old\n")
            floors.write(path, floors.read(path), {"lit tests": 15, "new": 2, "old": 1})
            self.assertEqual(path.read_text(), "# kinds\n15    lit tests  # all\n3     old\n2     new\n")

    def test_every_suite_is_in_a_shard(self):
        self.assertEqual(shards.mistakes(ROOT), [])

    def test_all_shards_come_round(self):
        number = len(shards.read(ROOT))
        chosen = {shards.choose(ROOT, f"{i:08x}{0:032x}") for i in range(number)}
        self.assertEqual(chosen, set(range(number)))

    def test_every_kind_of_the_floors_is_a_number(self):
        self.assertTrue(all(count >= 0 for count in floors.read(ROOT / ".ci/floors").values()))


if __name__ == "__main__":
    unittest.main()

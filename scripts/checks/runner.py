# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs steps one after the other, whatever became of those before, and sums up."""
import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from counts import Counts, skip_reason


@dataclasses.dataclass
class Step:
    name: str
    # What its units are called in the summary and in .ci/floors.
    kind: str
    # For bash, run at the repository's root. $SCRATCH is a folder of its own.
    command: str
    # Reads the units from the output; without it the step is one unit.
    reader: object = None
    # Why it cannot run here, or None.
    why_not: object = None
    # Seconds. A step that hangs must not keep the others' results back.
    timeout: int = 1800
    # Its kind needs no floor where it cannot run, or says that it was skipped.
    optional: bool = False
    # It is left out, or stopped, when the minutes given for all steps are over.
    while_time_is_left: bool = False


class Runner:
    def __init__(self, root, minutes=None):
        self.root = pathlib.Path(root)
        self.minutes = minutes
        self.end = time.monotonic() + 60 * minutes if minutes is not None else None
        self.counts = {}  # kind -> Counts
        self.expected = []  # kinds that must reach their floors
        self.skips = []
        self.failures = []
        self.seconds = {}

    def run(self, step):
        print(f"== {step.name}", flush=True)
        if not (step.optional and step.why_not) and step.kind not in self.expected:
            self.expected.append(step.kind)
        if step.why_not:
            self._skip(step, step.why_not)
            return
        start = time.monotonic()
        timeout, over = step.timeout, None
        if self.end is not None and step.while_time_is_left:
            over = f"the {self.minutes:g} minutes for all steps are over"
            timeout = min(timeout, int(self.end - start))
            if timeout <= 0:
                self._skip_optional(step, over)
                return
        with tempfile.TemporaryDirectory() as scratch:
            code, text, timed_out = self._execute(step, scratch, timeout)
            if timed_out and timeout < step.timeout:
                self._skip_optional(step, over)
                return
            counts = step.reader(text, scratch) if step.reader else Counts(int(code == 0), int(code != 0))
        took = time.monotonic() - start
        self.seconds[step.name] = took
        reason = skip_reason(text) if code == 0 else None
        if reason:
            if step.optional:
                self._skip_optional(step, reason)
            else:
                self._skip(step, reason)
            return
        if counts is None:
            print(f"{step.name}: printed no count of its {step.kind}")
            counts = Counts(failed=1)
        elif code != 0 and counts.failed == 0:
            print(f"{step.name}: exit code {code}, though no unit failed")
            counts.failed = 1
        self._add(step.kind, counts)
        for unit in counts.skipped:
            print(f"skipped: {step.name}: {unit}")
            self.skips.append(f"{step.name}: {unit}")
        verdict = "passed"
        if counts.failed:
            verdict = "FAILED"
            self.failures.append(f"{step.name}: {counts.failed} of {counts.ran} {step.kind}")
        print(f"== {step.name}: {verdict} after {took:.0f} s", flush=True)

    def _add(self, kind, counts):
        total = self.counts.setdefault(kind, Counts())
        total.passed += counts.passed
        total.failed += counts.failed
        total.skipped += counts.skipped

    def _skip(self, step, reason):
        print(f"== {step.name}: skipped: {reason}", flush=True)
        self.skips.append(f"{step.name}: {reason}")
        self._add(step.kind, Counts(skipped=[reason]))

    def _skip_optional(self, step, reason):
        self._skip(step, reason)
        if step.kind in self.expected and not self.counts[step.kind].ran:
            self.expected.remove(step.kind)

    def _execute(self, step, scratch, timeout):
        """The exit code, the output, which is printed as it comes, and whether it was stopped after `timeout` seconds."""
        environment = dict(os.environ, SCRATCH=scratch)
        command = ["bash", "-o", "pipefail", "-c", step.command]
        text, timed_out = [], False
        with subprocess.Popen(command, cwd=self.root, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:

            def stop(*_):
                nonlocal timed_out
                timed_out = True
                os.killpg(process.pid, signal.SIGKILL)

            before = signal.signal(signal.SIGALRM, stop)
            signal.alarm(timeout)
            try:
                for line in process.stdout:
                    line = line.decode(errors="replace")
                    sys.stdout.write(line)
                    sys.stdout.flush()
                    text.append(line)
                code = process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            finally:
                signal.alarm(0)
                signal.signal(signal.SIGALRM, before)
        if timed_out:
            print(f"{step.name}: stopped after {timeout} s")
            code = 124
        return code, "".join(text), timed_out

    def ran(self):
        return {kind: counts.ran for kind, counts in self.counts.items()}

    def summarize(self, violations):
        """Prints what ran, what was skipped and why, what failed, and the closing line."""
        print("== summary")
        for name, seconds in sorted(self.seconds.items(), key=lambda item: -item[1]):
            print(f"{seconds:6.0f} s  {name}")
        for skip in self.skips:
            print(f"skipped: {skip}")
        for failure in self.failures:
            print(f"failed: {failure}")
        for violation in violations:
            print(f"below the floor: {violation}")
        if violations:
            self._add("floors", Counts(failed=len(violations)))
        for kind, counts in self.counts.items():
            print(f"{kind}: {counts.passed} passed, {counts.failed} failed, {len(counts.skipped)} skipped")
        total = Counts()
        for counts in self.counts.values():
            total.passed += counts.passed
            total.failed += counts.failed
            total.skipped += counts.skipped
        print(f"{total.passed} passed, {total.failed} failed, {len(total.skipped)} skipped", flush=True)
        return total.failed == 0 and total.passed > 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of the three sets: tests (scripts/test.sh), ci (.ci/run), all (scripts/check-all.sh)."""
import os
import pathlib
import shlex
import shutil
import subprocess

import counts
import shards
from runner import Step

HOUR = 3600
# libMLIR is not instrumented: poisoning by its allocators misleads the sanitizer.
SANITIZE = "ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 "


def build_folder(preset):
    return "build" if preset == "dev" else "build-" + preset


def lit_command(build, folders=()):
    paths = " ".join(f"{build}/test/{folder}" for folder in folders) or f"{build}/test"
    return f'"$(scripts/checks/find-tool.sh lit)" -sv -o "$SCRATCH/lit.json" {paths}'


def unit_command(build, suites=()):
    chosen = f" -R '^({'|'.join(suites)})$'" if suites else ""
    ctest = f"ctest --test-dir {build} -LE lit{chosen}"
    return (f'{ctest} --show-only=json-v1 >"$SCRATCH/suites.json" && '
            f'GTEST_OUTPUT="xml:$SCRATCH/gtest/" {ctest} --output-on-failure --no-tests=error')


class Steps:
    def __init__(self, root, preset, options):
        self.root = pathlib.Path(root)
        self.preset = preset
        self.build = build_folder(preset)
        self.options = options
        self.acceptance = os.environ.get("DMC_ACCEPTANCE") or "../shared"
        self.no_acceptance = None
        if not (self.root / self.acceptance / "acceptance").is_dir():
            self.no_acceptance = (f"no acceptance programs in '{self.acceptance}' "
                                  "(DMC_ACCEPTANCE names their folder)")

    def tests(self):
        no_mpi = None if shutil.which("mpirun") else "mpirun is not installed"
        return [
            Step("build", "builds", f"bash scripts/build.sh {self.preset} -k 0 all", timeout=HOUR),
            Step("unit tests", "unit test cases", unit_command(self.build), counts.gtest),
            Step("lit tests", "lit tests", lit_command(self.build), counts.lit),
            Step("constraints", "constraints", "bash scripts/check-constraints.sh", counts.lines),
            Step("diagnostics", "diagnostics", "python3 scripts/check-diagnostics.py", counts.lines),
            Step("reference pages", "reference pages", "bash scripts/docs.sh --check", counts.lines),
            Step("language", "language checks", "bash scripts/lint-language.sh"),
            Step("links", "pages with links", "bash scripts/check-links.sh"),
            Step("embedding", "embedding projects", f"bash test/embed/run.sh {self.preset}", counts.lines),
            Step("models", "example model cases", "bash scripts/models.sh", counts.lines),
            Step("random layouts", "random layouts", "bash scripts/random-layouts.sh", counts.lines),
            Step("devices", "runs on simulated devices", "python3 scripts/device-programs.py --seeds 2", counts.lines),
            Step("Python", "tests of the Python package", "bash scripts/python.sh", counts.lines),
            Step("MPI", "MPI runs", "bash scripts/mpi.sh", counts.lines, no_mpi),
        ]

    def acceptance_steps(self, layouts=5, programs=100, seeds=2):
        folder = shlex.quote(self.acceptance)
        jobs = os.cpu_count() or 1
        rows = [
            ("acceptance models", "model cases", f"python3 {folder}/acceptance/models.py", counts.share),
            ("acceptance layouts", "random layouts of models",
             f"bash scripts/random-layouts.sh {layouts} 100 $(dirname {folder}/models/*/expected)", counts.lines),
            ("bad input", "bad-input programs",
             f"python3 {folder}/acceptance/bad_input.py --count {programs}", counts.share),
            ("operators", "operator cases",
             f"$DMC_BIN/dmc-test {folder}/conformance/ops --jobs {jobs}", counts.lines),
            ("acceptance devices", "runs of acceptance programs on simulated devices",
             f"python3 scripts/device-programs.py --seeds {seeds} --models {folder}/models --operators {folder}/conformance/ops",
             counts.lines),
        ]
        return [Step(name, kind, command, reader, self.no_acceptance, HOUR, optional=True)
                for name, kind, command, reader in rows]

    def frameworks(self, option=""):
        """The Python package with torch, JAX and ONNX, which are not Debian packages: skipped where they cannot be installed."""
        return [Step("Python with frameworks", "tests of the Python package with frameworks",
                     "bash scripts/frameworks.sh " + option, counts.lines, timeout=3 * HOUR, optional=True)]

    def style(self):
        return [
            Step("license lines", "licensed sources", "bash scripts/check-license.sh", counts.lines),
            Step("clang-format", "formatted sources", "bash scripts/check-format.sh", counts.lines),
        ]

    def tidy(self, option=""):
        """After the build: it reads the compile commands and includes generated headers."""
        return [Step("clang-tidy", "sources under clang-tidy", "python3 scripts/tidy.py " + option, counts.lines,
                     timeout=4 * HOUR)]

    def shard(self):
        """The suites of one shard under the address and undefined sanitizers."""
        mistakes = shards.mistakes(self.root)
        if mistakes:
            return [Step("shards", "shards", f"echo 'in no shard, or not there: {' '.join(mistakes)}'; exit 1")]
        number, why = self._shard_number()
        shard = shards.read(self.root)[number]
        name = f"sanitizer shard {number}"
        print(f"{name} ({why}): {' '.join(shard['folders'] + ['unit/' + s for s in shard['suites']])}")
        targets = " ".join(shards.targets(self.root, shard))
        steps = [Step(name + ": build", "sanitizer builds", f"bash scripts/build.sh sanitize -k 0 {targets}",
                      timeout=HOUR)]
        if shard["folders"]:
            steps.append(Step(name + ": lit tests", f"lit tests of {name}",
                              SANITIZE + lit_command("build-sanitize", shard["folders"]), counts.lit))
        if shard["suites"]:
            names = [shards.unit_suites(self.root)[suite] for suite in shard["suites"]]
            steps.append(Step(name + ": unit tests", f"unit test cases of {name}",
                              "export " + SANITIZE + "; " + unit_command("build-sanitize", names), counts.gtest))
        return steps

    def _shard_number(self):
        number = len(shards.read(self.root))
        if os.environ.get("DMC_SHARD"):
            return int(os.environ["DMC_SHARD"]) % number, "DMC_SHARD"
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.root, capture_output=True, text=True)
        if commit.returncode:
            return 0, "not a git checkout"
        return shards.choose(self.root, commit.stdout), "commit " + commit.stdout[:8]

    def release(self):
        """Optimised and without assertions: what a compiled program needs, in minutes with an empty cache."""
        suites = [shards.unit_suites(self.root)[suite] for suite in ("Layout", "Runtime", "CApi")]
        return [
            Step("release: build", "release builds",
                 f"bash scripts/build.sh release -k 0 {' '.join(suites)} dmc-run dmc_runtime", timeout=HOUR),
            Step("release: unit tests", "unit test cases of the release build", unit_command("build-release", suites),
                 counts.gtest),
        ]

    def release_compiler(self):
        """The compiler without assertions, on the examples and its own tests: as long a build as the first."""
        return [
            Step("release: compiler", "release builds of the compiler",
                 "bash scripts/build.sh release -k 0 dmc-opt dmc-compile dmc-run dmc-interpret dmc-check-rules dmc_onednn",
                 timeout=HOUR),
            Step("release: models", "model cases of the release build",
                 "DMC_BIN=build-release/bin bash scripts/models.sh examples/mlp", counts.lines),
            Step("release: lit tests", "lit tests of the release build",
                 lit_command("build-release", ("Ranks", "Schedule")), counts.lit),
        ]

    def sanitizers(self):
        """All suites under the address and undefined sanitizers."""
        return [
            Step("sanitize: build", "sanitizer builds", "bash scripts/build.sh sanitize -k 0 all", timeout=4 * HOUR),
            Step("sanitize: unit tests", "sanitized unit test cases",
                 "export " + SANITIZE + "; " + unit_command("build-sanitize"), counts.gtest, timeout=4 * HOUR),
            Step("sanitize: lit tests", "sanitized lit tests", SANITIZE + lit_command("build-sanitize"), counts.lit,
                 timeout=4 * HOUR),
            Step("sanitize: models", "sanitized model cases",
                 SANITIZE + "DMC_BIN=build-sanitize/bin bash scripts/models.sh", counts.lines, timeout=4 * HOUR),
        ]

    def threads(self):
        """The runtime and the simulated libraries under the thread sanitizer: their tests, and compiled programs on ranks."""
        return [
            Step("thread: build", "thread sanitizer builds",
                 "bash scripts/build.sh thread -k 0 dmc-run dmc-runtime-tests dmc-fakes-tests dmc_plain_vendor", timeout=HOUR),
            Step("thread: unit tests", "unit test cases under the thread sanitizer",
                 unit_command("build-thread", ["dmc-runtime-tests", "dmc-fakes-tests"]), counts.gtest, timeout=HOUR),
            Step("thread: programs", "programs under the thread sanitizer", "bash scripts/thread-programs.sh",
                 counts.lines, timeout=HOUR),
        ]

    def fuzzers(self, programs, texts):
        return [Step(f"fuzz: {preset}", "fuzzers", f"bash scripts/fuzz.sh {preset} {programs} {texts}", timeout=12 * HOUR)
                for preset in ("dev", "sanitize")]

    def long_draws(self, draws):
        folder = shlex.quote(self.acceptance)
        return [
            Step("long draws: examples", "long draws", f"bash scripts/random-layouts.sh {draws} 1000", counts.lines,
                 timeout=12 * HOUR),
            Step("long draws: models", "long draws of models",
                 f"bash scripts/random-layouts.sh {draws} 100000 $(dirname {folder}/models/*/expected)", counts.lines,
                 self.no_acceptance, 12 * HOUR, optional=True),
            Step("reshard pairs", "reshard tables", f"bash scripts/reshard-pairs.sh {self.preset}", timeout=12 * HOUR),
        ]

    def mutations(self, count):
        """Each source of the stages that compute layouts and buffers: do its tests notice changes?"""
        loop = ("passed=0 failed=0; for source in lib/Layout/*.cpp lib/Sharding/*.cpp lib/Ranks/*.cpp lib/Schedule/*.cpp; do "
                f"if bash scripts/mutate.sh $source --count {count}; then passed=$((passed + 1)); "
                "else failed=$((failed + 1)); echo FAILED $source; fi; done; "
                'echo "mutations: $passed passed, $failed failed"; [ "$failed" -eq 0 ]')
        return [Step("mutations", "mutated sources", loop, counts.lines, timeout=24 * HOUR)]

    def ci(self):
        further = self.tidy() + self.release() + self.shard()
        for step in further:
            step.while_time_is_left = True
        return self.style() + self.tests() + self.frameworks("--sample") + self.acceptance_steps() + further

    def all(self):
        options = self.options
        return (self.style() + self.tests() + self.frameworks() + self.acceptance_steps(20, 1000, 20) +
                self.tidy("--all") + self.release() + self.release_compiler() +
                self.sanitizers() + self.threads() + self.fuzzers(options.programs, options.texts) +
                self.long_draws(options.draws) + self.mutations(options.mutations))

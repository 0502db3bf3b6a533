# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutation testing of one source file.

Each mutation flips a comparison or a logical operator, negates a condition, changes an integer
constant, flips a returned boolean, or drops a statement. The script rebuilds the unit suite of the
file's folder and runs it, and if it passes the tools that the folder's lit tests use and these tests.
It calls a mutation

    killed      if a test fails or takes more than five times as long as without it and 5 seconds,
    invalid     if it does not compile (it says nothing about the tests),
    equivalent  if scripts/mutate-equivalent.txt explains that it does not change behavior,
    survived    otherwise.

Exit status: 0 if no mutation survived, 1 otherwise, 2 for a wrong command line or a build or test
failure without any mutation. The file is restored in every case; one with uncommitted changes is
refused.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "scripts" / "mutate-equivalent.txt"
LIT = "lit"

# Parts of a line that no mutation may touch: comments, strings, includes, asserts, templates' brackets.
OPAQUE = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|#.*|\bassert\s*\(.*|<[\w:,\s*&<>]*>(?=[\s({&*>:])')
OPERATORS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
             (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" += ", " -= "),
             ("return true", "return false"), ("return false", "return true"), ("continue;", "break;")]
CONSTANT = re.compile(r"(?<![\w.])(\d+)(?![\w.'])")
CONDITION = re.compile(r"^(\s*(?:\} else )?if \()(.*)(\)(?: \{)?)$")
STATEMENT = re.compile(r"^\s+(?!return\b|using\b|break\b|continue\b|case\b|static\b|const\b|auto\b|typedef\b|template\b|friend\b)"
                       r"[\w.:>\-\[\]()*]+(?:\(.*\)|\s[|&+*/-]?=\s.*);$")


def get_mutations(lines):
    """All mutations of a file: (line number from 0, kind, new text of the line)."""
    found = []
    depth = 0
    for number, line in enumerate(lines):
        code = OPAQUE.sub(lambda m: " " * len(m.group()), line)
        inside = depth > 0 and not re.match(r"^(namespace|class|struct|enum)\b", code)
        depth += code.count("{") - code.count("}")
        if not inside or not line.startswith(" "):
            continue
        is_text = '"' in line or "to_string(" in line  # these have no difference
        for old, new in OPERATORS:
            at = code.find(old)
            while at >= 0:
                if old != " + " or not is_text:
                    found.append((number, f"'{old.strip()}' -> '{new.strip()}'", line[:at] + new + line[at + len(old):]))
                at = code.find(old, at + 1)
        for match in CONSTANT.finditer(code):
            value = int(match.group(1))
            found.append((number, f"{value} -> {value + 1}", line[:match.start()] + str(value + 1) + line[match.end():]))
        if match := CONDITION.match(line):
            if " = " not in match.group(2) or ";" in match.group(2):
                head, condition, tail = match.groups()
                init, _, test = condition.rpartition("; ")
                found.append((number, "negated condition", f"{head}{init + '; ' if init else ''}!({test}){tail}"))
        if STATEMENT.match(code) and code.count("(") == code.count(")") and \
                (number == 0 or re.search(r"[;{})]\s*$", lines[number - 1].split("//")[0]) or not lines[number - 1].strip()):
            found.append((number, "dropped statement", re.match(r"^\s*", line).group() + ";"))
    return found


def get_stage(path):
    """The folder under lib/ that the tests mirror: lib/Import/StableHLO/X.cpp is of Import/StableHLO, then Import."""
    parts = path.relative_to(ROOT).parts
    if len(parts) < 3 or parts[0] != "lib":
        sys.exit("mutate: expected a source file under lib/, found " + str(path))
    return parts[1:-1]


def get_tests(stage):
    """The lit folders, the tools that they use and the unit suites that test a stage."""
    folders, suites, tools = [], [], set()
    for n in range(len(stage), 0, -1):
        folder = ROOT / "test" / pathlib.Path(*stage[:n])
        if folder.is_dir():
            folders.append(folder)
            break
    unit = ROOT / "test" / "unit" / stage[0] / "CMakeLists.txt"
    if unit.exists():
        suites += re.findall(r"add_\w*test\w*\((\S+)", unit.read_text())
    for folder in folders:
        for test in folder.rglob("*"):
            if test.suffix in (".mlir", ".test"):
                tools |= set(re.findall(r"\b(dmc-[a-z-]+)\b", "\n".join(l for l in test.read_text().splitlines() if "RUN:" in l)))
    tools &= {p.name for p in (ROOT / "tools").iterdir() if p.is_dir()}
    return folders, sorted(tools), suites


def limit_memory():
    """A loop without an end may allocate without an end."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def run(command, limit=None):
    """Whether the command succeeds within the limit (seconds), and its output."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True, preexec_fn=limit_memory if limit else None) as child:
        try:
            output, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return False, "timeout"
        return child.returncode == 0, output


def main():
    parser = argparse.ArgumentParser(prog="mutate.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="a source file under lib/")
    parser.add_argument("--count", default="20", help="number of mutations, or 'all' (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutations (default 1)")
    parser.add_argument("--lines", help="only lines FIRST-LAST")
    parser.add_argument("--list", action="store_true", help="print the mutations and stop")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="a configured build folder (default build)")
    args = parser.parse_args()
    path = args.file.resolve()
    if not path.is_file():
        parser.error(f"no file {args.file}")
    stage = get_stage(path)
    name = path.relative_to(ROOT).as_posix()
    original = path.read_text()
    lines = original.split("\n")
    mutations = get_mutations(lines)
    if args.lines:
        first, last = (int(n) for n in args.lines.split("-"))
        mutations = [m for m in mutations if first <= m[0] + 1 <= last]
    if args.count != "all":
        random.Random(args.seed).shuffle(mutations)
        mutations = sorted(mutations[:int(args.count)])
    if args.list:
        for number, kind, text in mutations:
            print(f"{name}:{number + 1}\t{kind}\t{lines[number].strip()}")
        return 0
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", path], cwd=ROOT).returncode:
        parser.error(f"{name} has uncommitted changes")
    equivalent = set()
    if EQUIVALENT.exists():
        for line in EQUIVALENT.read_text().splitlines():
            if line and not line.startswith("#"):
                where, kind, source, _reason = line.split("\t")
                equivalent.add((where, kind, source))

    folders, tools, suites = get_tests(stage)
    if not suites and not tools:
        parser.error(f"no tests of {'/'.join(stage)}")
    ninja = ["ninja", "-j", str(os.cpu_count()), "-C", str(args.build)]
    lit = subprocess.run(["sh", "-c", "command -v lit || ls /usr/lib/llvm-*/bin/lit | tail -n 1"], capture_output=True, text=True).stdout.strip()
    # Targets and the test that needs them, the quickest first: linking the tools takes longer than a unit suite.
    steps = [([suite], [str(args.build / "bin" / suite), "--gtest_break_on_failure", "--gtest_brief=1"]) for suite in suites]
    steps += [(tools, [lit, "-q", "--max-failures=1", str(args.build / "test" / f.relative_to(ROOT / "test"))]) for f in folders]
    limits = []
    for targets, command in steps:
        right, output = run(ninja + targets)
        begin = time.time()
        if right:
            right, output = run(command)
        if not right:
            print(output, file=sys.stderr)
            print("mutate: the tests fail without a mutation", file=sys.stderr)
            return 2
        limits.append(5 * (time.time() - begin) + 5)

    def check():
        for (targets, command), limit in zip(steps, limits):
            if not run(ninja + targets)[0]:
                return "invalid"
            if not run(command, limit)[0]:
                return "killed"
        return "survived"

    print(f"{name}: {len(mutations)} mutations; tests: {', '.join(suites + [f.relative_to(ROOT).as_posix() for f in folders])}", flush=True)
    counts = dict(killed=0, invalid=0, equivalent=0, survived=0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    try:
        for number, kind, text in mutations:
            mutated = lines[:]
            mutated[number] = text
            path.write_text("\n".join(mutated))
            result = check()
            if result == "survived" and (name, kind, lines[number].strip()) in equivalent:
                result = "equivalent"
            counts[result] += 1
            print(f"{result}\t{name}:{number + 1}\t{kind}\t{lines[number].strip()}", flush=True)
    finally:
        path.write_text(original)
        run(ninja + suites + tools)
    print("mutants: " + ", ".join(f"{count} {result}" for result, count in counts.items()))
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())

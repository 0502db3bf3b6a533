#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every diagnostic of the compiler is in a test.

A diagnostic is a statement in lib/ or tools/ that emits an error or a note on one; its text is the
longest string literal of the statement, which must stand in a file of test/. A text of fewer than
10 characters says too little to be looked for. scripts/untested-diagnostics.txt lists the texts
that no test can produce: one a line, the text, a tab, and why.

    check-diagnostics.py [--list]    # prints what is not tested; --list: first all diagnostics
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "scripts" / "untested-diagnostics.txt"
SHORTEST = 10
# With more the list would be a way around the rule.
MOST_EXCEPTIONS = 19

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"\w*\(.*?\)\w*")
      | (?P<literal>"(?:\\.|[^"\\\n])*")
      | (?P<character>'(?:\\.|[^'\\\n])+')
      | (?P<end>[{};])
      | (?P<space>\s+)
      | (?P<code>[^{};"'/\s]+|.)""",
    re.S | re.X)
EMITS = re.compile(
    r"\bemit(?:Op)?Error\b|\bunsupported\(|\berror\(|\bexpected\(|\battachNote\(|\brefuse\w*\(|"
    r"\bemit(?:Definite|Silenceable)\w*\(|\b(?:diag|diagnostic|error)<<")
# What was found is another in every test.
TAIL = re.compile(r"""[,;:]?( but)? (found|got)( ['"(]| as)?$|[:,;]$""")


def unescape(literal):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)),
                  literal[1:-1])


def get_statements(text):
    """The statements of a C++ file: line, code without literals and spaces, literals."""
    line, begin, code, literals, is_adjacent = 1, 1, "", [], False
    for match in TOKEN.finditer(text):
        token, kind = match.group(0), match.lastgroup
        if not code and not literals:
            begin = line
        line += token.count("\n")
        if kind in ("comment", "space"):
            if code and code[-1].isalnum():
                code += " "
        elif kind in ("literal", "raw"):
            value = unescape(token) if kind == "literal" else token[token.index("(") + 1:token.rindex(")")]
            if is_adjacent:
                literals[-1] += value
            else:
                literals.append(value)
            is_adjacent = True
        elif kind == "end":
            yield begin, code, literals
            code, literals, is_adjacent = "", [], False
        else:
            code = code.rstrip() + token if not token[0].isalnum() else code + token
            is_adjacent = False


def get_diagnostics():
    """All diagnostics: file, line, text."""
    for folder in ("lib", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h"):
                continue
            for line, code, literals in get_statements(path.read_text()):
                text = TAIL.sub("", max(literals, key=len, default="").strip())
                if len(text) >= SHORTEST and EMITS.search(code):
                    yield str(path.relative_to(ROOT)), line, text


def get_test_text():
    """The text of all tests, in which adjacent literals are one."""
    parts = []
    for path in sorted((ROOT / "test").rglob("*")):
        if path.is_file() and path.suffix in (".mlir", ".test", ".cpp", ".sh", ".py", ".json"):
            text = path.read_text(errors="replace")
            if path.suffix == ".cpp":
                text = re.sub(r'"\s*\n\s*"', "", text)
            parts.append(text.replace('\\"', '"'))
    return "\n".join(parts)


def get_exceptions():
    exceptions = {}
    for line in EXCEPTIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            text, _, reason = line.partition("\t")
            exceptions[text] = reason.strip()
    return exceptions


def main():
    tests, exceptions = get_test_text(), get_exceptions()
    diagnostics = list(get_diagnostics())
    if "--list" in sys.argv:
        print("\n".join(f"{file}:{line}: {text}" for file, line, text in diagnostics))
    passed, problems = 0, []
    for file, line, text in diagnostics:
        if text in tests or exceptions.get(text):
            passed += 1
        else:
            problems.append(f"{file}:{line}: no test has '{text}'")
    texts = {text for _, _, text in diagnostics}
    for text in exceptions:
        if text not in texts:
            problems.append(f"{EXCEPTIONS.name}: there is no diagnostic '{text}'")
        elif text in tests:
            problems.append(f"{EXCEPTIONS.name}: a test has '{text}'")
    if len(exceptions) > MOST_EXCEPTIONS:
        problems.append(f"{EXCEPTIONS.name}: expected at most {MOST_EXCEPTIONS} texts, "
                        f"found {len(exceptions)}")
    print("\n".join(problems + [f"diagnostics-checked: {passed} passed, {len(problems)} failed"]))
    return bool(problems)


sys.exit(main())

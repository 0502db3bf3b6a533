# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The linter behind scripts/lint-language.sh.

A file is divided into text (documentation, messages), comments and identifiers. A rule of
the words file counts in some of the three; identifiers are also read with their parts
apart: `numShards` and `num_shards` both hold the word `shards`.
"""

import argparse
import bisect
import collections
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Files that are not read, each with the reason.
EXEMPT_FILES = {
    "LICENSE": "the licence's own text",
    "scripts/words.txt": "the list itself",
    "test/Tools/lint-language.test": "plants such words",
    "*.npy": "binary",
}

# What is not reported: the text that covers the finding, the files, the reason.
EXEMPT_TEXT = [
    (r"[Ss]ow(n|s)?", ("lib/Parallelize/*", "include/dmc/Parallelize/*", "test/Parallelize/*"),
     "the passes that seed and restart propagation are deleted by a later change"),
    (r"\b(CUDA_)?HOME\b", ("*",), "the environment's variables"),
    (r"\b(SIG)?TERM\b", ("*",), "the signal's name"),
    (r"\b[Tt]here (is|was) no\b|\bwhere is no\b", ("*",), "the ordinary sentence: nothing is meant to be something else"),
    (r"\b(all|both|the|different|possible|which|more|equal|these|those) ways\b", ("*",), "manners of doing, not shards"),
    (r"\"[A-Za-z_]+\"(?=\s*:)", ("*",), "JSON keys of reports and files keep their names: programs read them"),
    (r"^\|([^|]*\|){3}", ("docs/glossary.md",), "the table of what not to say"),
]

TEXT, COMMENT, NAME = "text", "comment", "name"
# Where the third column of the words file says that a rule counts.
SCOPES = {"all": {TEXT, COMMENT, NAME}, "prose": {TEXT, COMMENT}, "names": {COMMENT, NAME}}

C_LIKE = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>\[\{.*?\}\]|R"([^(\s]*)\(.*?\)\3"|"(?:[^"\\\n]|\\.)*")', re.S)
MLIR = re.compile(r'(?P<comment>//[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*")')
PYTHON = re.compile(r'(?P<comment>#[^\n]*)|(?P<text>"""(?:.*?)"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')', re.S)
HASH = re.compile(r"(?P<comment>(?:^|(?<=\s))#[^\n]*)", re.M)
JSON = re.compile(r'(?P<skip>"(?:[^"\\\n]|\\.)*"\s*:)|(?P<text>"(?:[^"\\\n]|\\.)*")')
CODE_SPAN = re.compile(r"`[^`\n]+`")
# An identifier of several words.
COMPOUND = re.compile(r"\b(?:[A-Za-z]+[0-9]*_|[a-z]+[0-9]*[A-Z]|_+[A-Za-z]|[A-Z]+[a-z]+[0-9]*[A-Z])\w*")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
EXTRA_CODE = re.compile(r"\b\w*(?:Declaration|Definition|extraClass\w*|code|builders|verifier)\b[^\n\[]*$")


def pieces(path, content):
    """Yields (kinds, start, end) that together cover what is to be read of a file."""
    suffix = path.suffix
    if suffix in (".md", ".rst", ".html") or (suffix == ".txt" and path.name != "CMakeLists.txt"):
        yield {TEXT}, 0, len(content)
        for span in CODE_SPAN.finditer(content):
            yield {NAME}, span.start(), span.end()
        return
    lexer = {".cpp": C_LIKE, ".h": C_LIKE, ".c": C_LIKE, ".inc": C_LIKE, ".td": C_LIKE, ".mlir": MLIR,
             ".py": PYTHON, ".json": JSON}.get(suffix)
    # Scripts, tests and CMake: words of messages and of code are not told apart.
    rest = {NAME} if lexer else {TEXT, NAME}
    at = 0
    for match in (lexer or HASH).finditer(content):
        if lexer is not JSON:
            yield rest, at, match.start()
        at = match.end()
        kind = match.lastgroup
        if kind == "comment":
            yield {COMMENT}, match.start(), match.end()
        elif kind == "text":
            line = content[content.rfind("\n", 0, match.start()) + 1:match.start()]
            is_code = match.group().startswith("[{") and EXTRA_CODE.search(line)
            yield ({NAME, COMMENT} if is_code else {TEXT}), match.start(), match.end()
    if lexer is not JSON:
        yield rest, at, len(content)


LEADER = re.compile(r"(?<=\n)[ \t]*(?:///?<?|#+|\*|--)?[ \t]*|\"\s*\n\s*\"")


def joined(content, start, end):
    """A piece with its line breaks and comment leaders blanked, as long as it was, so that
    a phrase is found across lines."""
    return LEADER.sub(lambda m: " " * len(m.group()), content[start:end]).replace("\n", " ")


def read_pieces(path, content):
    """Pieces of one kind that only white space separates are one, for phrases that cross lines."""
    merged = []
    for kinds, start, end in pieces(path, content):
        blank = not content[start:end].strip()
        if blank:
            continue
        if merged and merged[-1][0] == kinds and not content[merged[-1][2]:start].strip():
            merged[-1][2] = end
        else:
            merged.append([kinds, start, end])
    return merged


class Rule:
    def __init__(self, pattern, say, scope):
        # A pattern with capitals is an identifier's.
        self.source = f"(?:{pattern})" if re.search(r"[A-Z]", pattern) else f"(?i:{pattern})"
        self.pattern = re.compile(self.source)
        self.say, self.scope, self.exceptions = say, SCOPES[scope], []

    def find(self, text):
        """The spans that the rule finds in a text, but for the exceptions."""
        found = [m.span() for m in self.pattern.finditer(text)]
        if not found:
            return []
        spared = [m.span() for e in self.exceptions for m in e.finditer(re.sub(r"\s", " ", text))]
        spared += [m.span() for e in self.exceptions for m in e.finditer(text)]
        return [(a, b) for a, b in found if not any(s < b and a < e for s, e in spared)]


def read_rules(path):
    rules = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if fields[0] == "except" and len(fields) == 2 and rules:
            rules[-1].exceptions.append(re.compile(fields[1].replace(" ", r"\s+"), re.I))
        elif len(fields) == 3 and fields[2] in SCOPES:
            rules.append(Rule(*fields))
        else:
            sys.exit(f"{path}:{number}: expected `regular expression <tab> what to say <tab> all, prose or names`, "
                     "or `except <tab> regular expression`")
    return rules


QUICK = {}


def counting_in(text, kinds, rules):
    """The rules that count in a piece; none if no one of them finds anything, which one search tells."""
    key = frozenset(kinds)
    if key not in QUICK:
        counting = [r for r in rules if r.scope & kinds]
        QUICK[key] = counting, re.compile("|".join(r.source for r in counting) or r"(?!)")
    counting, any_of = QUICK[key]
    return counting if any_of.search(text) else []


COMPOUNDS = {}


def compound_rules(word, rules):
    """The rules that find a word among the parts of an identifier."""
    if word not in COMPOUNDS:
        apart = " ".join(PARTS.findall(word))
        COMPOUNDS[word] = [r for r in rules if NAME in r.scope and r.find(apart) and not r.find(word)]
    return COMPOUNDS[word]


def lint(path, name, rules):
    """Yields (line, word, what to say) for each finding in a file."""
    raw = path.read_bytes()
    if b"\0" in raw:
        return
    content = raw.decode("utf-8", "replace")
    starts = [0] + [m.end() for m in re.finditer("\n", content)]
    lines = content.split("\n")
    exempt = [re.compile(pattern) for pattern, files, _ in EXEMPT_TEXT
              if any(fnmatch.fnmatch(name, f) for f in files)]
    found = set()

    def report(start, end, word, say):
        line = bisect.bisect_right(starts, start) - 1
        column = start - starts[line]
        for pattern in exempt:
            # The exemption covers the finding, perhaps across the end of its line.
            around = lines[line] + " " + (LEADER.sub("", "\n" + lines[line + 1]).strip() if line + 1 < len(lines) else "")
            if any(m.start() < column + (end - start) and column < m.end() for m in pattern.finditer(around)):
                return
        found.add((line + 1, column, word, say))

    for kinds, start, end in read_pieces(path, content):
        text = joined(content, start, end)
        for rule in counting_in(text, kinds, rules):
            for a, b in rule.find(text):
                report(start + a, start + b, " ".join(text[a:b].split()), rule.say)
        for match in COMPOUND.finditer(text):
            for rule in compound_rules(match.group(), rules):
                if rule.scope & kinds:
                    report(start + match.start(), start + match.end(), match.group(), rule.say)
    for line, _, word, say in sorted(found):
        yield line, word, say


def files_of(paths):
    """The files given, the tracked files of the folders given; outside of the repository, all files of a folder."""
    for path in paths:
        path = pathlib.Path(path).resolve()
        if path.is_relative_to(ROOT):
            if path.is_file():
                yield path, str(path.relative_to(ROOT))
                continue
            listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--", str(path)],
                                    capture_output=True, text=True)
            if listed.returncode:
                sys.exit("error: expected a git checkout: " + listed.stderr.strip())
            yield from ((ROOT / name, name) for name in listed.stdout.split("\0") if name)
        elif path.exists():
            yield from ((f, str(f)) for f in ([path] if path.is_file() else sorted(path.rglob("*"))) if f.is_file())
        else:
            sys.exit(f"error: {path}: no such file or folder")


def main():
    parser = argparse.ArgumentParser(prog="lint-language.sh", description="finds the words that dmc does not use")
    parser.add_argument("--words", type=pathlib.Path, default=ROOT / "scripts/words.txt", help="the list of rules")
    parser.add_argument("--summary", action="store_true", help="print the number of findings of each file instead")
    parser.add_argument("paths", nargs="*", metavar="PATH", default=[ROOT], help="files and folders; default: all")
    args = parser.parse_args()
    rules = read_rules(args.words)
    counts = collections.Counter()
    read = 0
    for path, name in files_of(args.paths):
        if not path.is_file() or any(fnmatch.fnmatch(name, p) for p in EXEMPT_FILES):
            continue
        read += 1
        for line, word, say in lint(path, name, rules):
            counts[name] += 1
            if not args.summary:
                print(f"{name}:{line}: '{word}': say {say}")
    if args.summary:
        for name, count in counts.most_common():
            print(f"{count:5} {name}")
    print(f"language: {read} files, {sum(counts.values())} findings")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())

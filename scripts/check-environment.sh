#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every environment variable that code or a script reads is a row of docs/environment.md, and
# every row's variable is read somewhere: check-environment.sh [PAGE]
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - "${1:-docs/environment.md}" <<'PY'
import re, subprocess, sys

READS = [
    r'\bgetenv\("([A-Za-z_]+)"\)', r'\w\("(DMC_[A-Z_]+)"\)', r'\bGetEnv\("([A-Za-z_]+)"\)',
    r'\benviron\.get\("([A-Z_]+)"', r'\benviron\["([A-Z_]+)"\](?!\s*=[^=])', r'\$\{([A-Z][A-Z_]*):?[-?]', r'\$ENV\{([A-Z_]+)\}',
    r'\bfor \(const char \*name : \{((?:"[A-Z_]+"(?:, )?)+)\}', r'\bfor name in \(((?:"[A-Z_]+"(?:, )?)+)\):\n\s+if name in os\.environ',
]
ORDINARY = {"PATH", "HOME", "TMPDIR", "PWD"}
files = subprocess.run(["git", "ls-files", "-z", "lib", "tools", "scripts", ".ci", "test/*.py", "test/*.cpp", "python", "cmake", "CMakeLists.txt", "benchmarks"],
                       capture_output=True, text=True, check=True).stdout.split("\0")
read = {}
for name in files:
    if not name or name.endswith((".npy", ".gz")) or name == "scripts/check-environment.sh":
        continue
    try:
        text = open(name).read()
    except (FileNotFoundError, UnicodeDecodeError):
        continue
    for pattern in READS:
        for found in re.findall(pattern, text):
            for variable in re.findall(r"[A-Za-z_]+", found):
                read.setdefault(variable, name)
rows = set(re.findall(r"`([A-Z][A-Z_]+)`", "\n".join(l.split("|")[1] for l in open(sys.argv[1]) if l.startswith("| `"))))
wrong = [f"{place}: reads {variable}, which {sys.argv[1]} does not list" for variable, place in sorted(read.items())
         if variable not in rows | ORDINARY]
wrong += [f"{sys.argv[1]}: lists {variable}, which nothing reads" for variable in sorted(rows - read.keys())]
print("\n".join(wrong + [f"environment variables: {len(rows)}, {len(wrong)} wrong"]))
sys.exit(bool(wrong))
PY

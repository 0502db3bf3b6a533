#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every numbered constraint of an operation or attribute, `(C<n>)` in a .td file, has a check with
# that number in the code and a negative test named `<operation>_c<n>`.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'PY'
import pathlib, re, sys
# Definitions, code, tests: dmc's own dialects, and the definitions of StableHLO and Shardy.
AREAS = [("include/dmc/Dialect/DMC", "lib/Dialect/DMC", "test/Dialect/DMC"),
         ("include/dmc/Dialect/Comm", "lib/Dialect/Comm", "test/Dialect/Comm"),
         ("include/dmc/Import/StableHLO", "lib/Import/StableHLO", "test/Import/StableHLO")]


def read(folder, pattern):
    return [path.read_text() for path in sorted(pathlib.Path(folder).glob(pattern))]


def is_checked(code, name, number, definition):
    """A comment with the number: `// gather_c2`, `// c2` of all collectives, or `// (C2)` in the
    file that verifies the operation."""
    cpp = re.match(r"\w+?_(\w+)", definition).group(1)
    return any(f"{name}_c{number}" in text or f"// c{number}" in text or
               f"(C{number})" in text and re.search(rf"\b{cpp}::verify", text) for text in code)


missing, total = [], 0
for definitions, sources, test_folder in AREAS:
    code, tests = read(sources, "*.cpp"), "".join(read(test_folder, "*.mlir"))
    for td in sorted(pathlib.Path(definitions).glob("*.td")):
        for definition in re.split(r"^def ", td.read_text(), flags=re.M)[1:]:
            mnemonic = re.search(r'"([A-Za-z_]+)"(?:, "([a-z_]+)")?', definition)
            numbers = re.findall(r"^\s+- \(C(\d+)\)", definition, flags=re.M)
            if not mnemonic or not numbers:
                continue
            name = (mnemonic.group(2) or mnemonic.group(1)).lower()
            for number in numbers:
                total += 1
                if not re.search(rf"@{name}_c{number}[_(]|// {name}_c{number}\b", tests):
                    missing.append(f"{td}: no negative test {name}_c{number}")
                if not is_checked(code, name, number, definition):
                    missing.append(f"{td}: no check marked {name}_c{number}")
print("\n".join(missing + [f"constraints-checked: {total - len(missing)} passed, {len(missing)} failed"]))
sys.exit(bool(missing))
PY

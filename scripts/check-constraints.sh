#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every numbered constraint of an operation or attribute, `(C<n>)` in a dialect's
# .td file, has a check with that number in the code and a negative test.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'PY'
import pathlib, re, sys
missing, total = [], 0
for dialect in ("DMC", "Comm"):
    code = "".join(p.read_text() for p in pathlib.Path("lib/Dialect", dialect).glob("*.cpp"))
    tests = "".join(p.read_text() for p in pathlib.Path("test/Dialect", dialect).glob("*.mlir"))
    for td in sorted(pathlib.Path("include/dmc/Dialect", dialect).glob("*.td")):
        for definition in re.split(r"^def ", td.read_text(), flags=re.M)[1:]:
            mnemonic = re.search(r'"([A-Za-z_]+)"(?:, "([a-z_]+)")?', definition)
            if not mnemonic:
                continue
            for number in re.findall(r"^\s+- \(C(\d+)\)", definition, flags=re.M):
                name = (mnemonic.group(2) or mnemonic.group(1)) + "_c" + number
                total += 1
                if not re.search(rf"@{name}[_(]|// {name}\b", tests):
                    missing.append(f"{td}: no negative test {name}")
                if name not in code and f"_c{number}" not in code and f"// c{number}" not in code:
                    missing.append(f"{td}: no check marked {name}")
print("\n".join(missing))
print(f"constraints: {total}, without check or negative test: {len(missing)}")
sys.exit(bool(missing))
PY

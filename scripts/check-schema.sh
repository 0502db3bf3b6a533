#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks JSON files against a schema of docs/schemas: check-schema.sh SCHEMA.json FILE...
# Python's standard library only; a keyword of the schema that is not known here is an error.
set -euo pipefail
exec python3 - "$@" <<'PY'
import json, re, sys

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SAYS = {"$schema", "$defs", "title", "description"}


def is_kind(value, kind):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def find(rules, value, where, wrong):
    """Appends what of `rules` does not hold for a value."""
    def require(holds, what):
        if not holds:
            wrong.append(f"{where}: expected {what}, found {json.dumps(value)[:60]}")
        return holds

    kinds = rules.get("type")
    if kinds and not require(any(is_kind(value, k) for k in ([kinds] if isinstance(kinds, str) else kinds)), f"type {kinds}"):
        return
    for key, rule in rules.items():
        if key == "$ref":
            find(root["$defs"][rule.removeprefix("#/$defs/")], value, where, wrong)
        elif key == "enum":
            require(value in rule, f"one of {rule}")
        elif key == "minimum":
            require(value is None or value >= rule, f"at least {rule}")
        elif key == "minLength":
            require(len(value) >= rule, f"at least {rule} characters")
        elif key == "pattern":
            require(re.search(rule, value), f"text like {rule}")
        elif key == "minProperties":
            require(len(value) >= rule, f"at least {rule} members")
        elif key in ("minItems", "maxItems"):
            require(len(value) >= rule if key == "minItems" else len(value) <= rule, f"{key} {rule}")
        elif key == "required":
            for name in rule:
                if name not in value:
                    wrong.append(f"{where}: expected member '{name}'")
        elif key == "dependentRequired":
            for name, needed in rule.items():
                for other in needed if name in value else ():
                    if other not in value:
                        wrong.append(f"{where}: expected member '{other}' beside '{name}'")
        elif key == "items":
            for i, item in enumerate(value or []):
                find(rule, item, f"{where}[{i}]", wrong)
        elif key == "prefixItems":
            for i, (item, each) in enumerate(zip(value, rule)):
                find(each, item, f"{where}[{i}]", wrong)
        elif key == "properties":
            for name in value.keys() & rule.keys():
                find(rule[name], value[name], f"{where}.{name}", wrong)
        elif key == "additionalProperties":
            for name in value.keys() - rules.get("properties", {}).keys():
                if rule is False:
                    wrong.append(f"{where}: unexpected member '{name}'")
                else:
                    find(rule, value[name], f"{where}.{name}", wrong)
        elif key not in SAYS | {"type"}:
            sys.exit(f"{sys.argv[1]}: unknown keyword '{key}'")


root = json.load(open(sys.argv[1]))
count = 0
for path in sys.argv[2:]:
    wrong = []
    find(root, json.load(open(path)), "$", wrong)
    for line in wrong:
        print(f"{path}: {line}")
    count += len(wrong)
print(f"schema: {len(sys.argv) - 2} files, {count} mistakes")
sys.exit(bool(count))
PY

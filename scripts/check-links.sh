#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every relative link of a page (README, docs, any tracked *.md) leads to a file or folder of
# the repository, and its anchor to a heading; every page of docs/ can be reached from
# docs/README.md.
#
#   check-links.sh [PAGE...]    default: all tracked pages
set -euo pipefail
exec python3 - "$(dirname "$0")/.." "$@" <<'PY'
import pathlib, re, subprocess, sys

root = pathlib.Path(sys.argv[1]).resolve()
given = [pathlib.Path(p).resolve() for p in sys.argv[2:]]
listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--", "*.md"], capture_output=True, text=True, check=True)
pages = given or [root / name for name in listed.stdout.split("\0") if name and (root / name).exists()]


def text_of(page):
    """A page without code, in which nothing is a link."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)


def anchors(page):
    """The anchors that GitHub makes of a page's headings."""
    found = set()
    for heading in re.findall(r"^#+ +(.*?)\s*$", re.sub(r"```.*?```", "", page.read_text(), flags=re.S), flags=re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = sum(1 for a in found if re.fullmatch(re.escape(name) + r"(-\d+)?", a))
        found.add(f"{name}-{count}" if count else name)
    return found


wrong, links, reached = [], 0, {}
for page in pages:
    reached[page] = set()
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        shown = page.relative_to(root) if page.is_relative_to(root) else page
        if not place.exists():
            wrong.append(f"{shown}: link to '{target}': no such file")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            wrong.append(f"{shown}: link to '{target}': no such heading")
        reached[page].add(place)
index = root / "docs/README.md"
if not given and index in reached:
    seen, todo = {index}, [index]
    while todo:
        for place in reached.get(todo.pop(), ()):
            if place not in seen:
                seen.add(place)
                todo.append(place)
    wrong += [f"{p.relative_to(root)}: not reached from docs/README.md" for p in pages
              if p.is_relative_to(root / "docs") and p not in seen and p.parent not in seen]
print("\n".join(wrong + [f"links: {links} in {len(pages)} pages, {len(wrong)} wrong"]))
sys.exit(bool(wrong))
PY

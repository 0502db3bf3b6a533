# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m dmc TOOL ...: runs dmc-TOOL of the built tree that the package finds."""
import os
import sys

from ._tools import find_tree
from .errors import Error

_USAGE = """usage: python -m dmc TOOL [ARGUMENT ...]

Runs dmc-TOOL of {tree}; `python -m dmc TOOL --help` lists what it takes.

  {tools}
"""


def main() -> int:
    try:
        tree = find_tree()
    except Error as error:
        print(f"dmc: error: {error}", file=sys.stderr)
        return 1
    folder = tree / "bin"
    tools = sorted(path.name[4:] for path in folder.glob("dmc-*") if os.access(path, os.X_OK) and "tests" not in path.name)
    words = sys.argv[1:]
    if words[:1] in (["--help"], ["-h"]):
        print(_USAGE.format(tree=tree, tools="\n  ".join(tools)), end="")
        return 0
    if words[:1] == ["--version"]:
        words = ["compile", "--version"]
    if not words or words[0] not in tools:
        found = f", found {words[0]!r}" if words else ""
        print(f"dmc: error: expected one of {', '.join(tools)}{found}", file=sys.stderr)
        return 1
    tool = str(folder / ("dmc-" + words[0]))
    os.execv(tool, [tool, *words[1:]])


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m dmc TOOL ...: runs dmc-TOOL of the built tree that the package finds."""
import os
import sys

from ._tools import find_tree
from .errors import Error


def main() -> int:
    try:
        folder = find_tree() / "bin"
    except Error as error:
        print(f"dmc: error: {error}", file=sys.stderr)
        return 1
    tools = sorted(path.name[4:] for path in folder.glob("dmc-*") if os.access(path, os.X_OK) and "tests" not in path.name)
    if len(sys.argv) < 2 or sys.argv[1] not in tools:
        found = f", found {sys.argv[1]!r}" if len(sys.argv) > 1 else ""
        print(f"dmc: error: expected one of {', '.join(tools)}{found}", file=sys.stderr)
        return 1
    tool = str(folder / ("dmc-" + sys.argv[1]))
    os.execv(tool, [tool, *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())

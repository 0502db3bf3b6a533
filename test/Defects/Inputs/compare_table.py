# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a page has a table, line by line: compare_table.py TABLE PAGE"""
import pathlib
import sys

table, page = (pathlib.Path(path).read_text() for path in sys.argv[1:])
if table not in page:
    sys.exit(f"{sys.argv[2]} has another table than check_defects.py --list prints")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs notebooks without Jupyter: notebooks.py [--update] [FILE...] (default: all of examples/notebooks).

The code cells run in one namespace, in order, in the notebook's folder. What they print has to be what the notebook
holds; --update writes it instead. The value that ends a cell is shown as Jupyter shows it. What is HTML is not kept, nor
what cells with the tag "varies" print: the compiler may decide otherwise tomorrow.
"""
import ast
import contextlib
import io
import json
import linecache
import os
import pathlib
import shutil
import sys
import tempfile
import traceback
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples" / "notebooks"
Cell = typing.Dict[str, typing.Any]


def source_of(cell: Cell) -> str:
    return "".join(cell["source"])


def run_cell(code: str, name: str, names: typing.Dict[str, typing.Any]) -> typing.Any:
    """Executes a cell; returns the value of the expression that ends it."""
    # For tracebacks, and for frameworks that read a function's source.
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    tree, last = ast.parse(code, name), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, name, "exec"), names)
    return eval(compile(last, name, "eval"), names) if last is not None else None


def outputs_of(cell: Cell, name: str, names: typing.Dict[str, typing.Any]) -> typing.List[Cell]:
    """What a cell prints and shows, as a notebook keeps it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = run_cell(source_of(cell), name, names)
    outputs: typing.List[Cell] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if hasattr(value, "_repr_html_"):
        if not value._repr_html_().startswith("<"):
            raise ValueError(f"{name}: expected HTML of {type(value).__name__}")
    elif value is not None:
        outputs.append({"data": {"text/plain": repr(value).splitlines(keepends=True)}, "execution_count": None,
                        "metadata": {}, "output_type": "execute_result"})
    return outputs


def run(path: pathlib.Path, update: bool) -> typing.List[str]:
    """Runs a notebook in this process; returns what is wrong."""
    notebook = json.loads(path.read_text())
    names: typing.Dict[str, typing.Any] = {"__name__": "__main__"}
    before, tempfile.tempdir = os.getcwd(), tempfile.mkdtemp()
    os.chdir(path.parent)
    try:
        for number, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] != "code":
                continue
            try:
                found = outputs_of(cell, f"{path.name}, cell {number}", names)
            except Exception:
                return [f"{path.name}: cell {number} failed\n{traceback.format_exc()}"]
            if "varies" in cell["metadata"].get("tags", ()):
                found = []
            if update:
                cell["outputs"] = found
            elif cell["outputs"] != found:
                return [f"{path.name}: cell {number} gave\n{json.dumps(found, indent=1)}\n"
                        f"expected\n{json.dumps(cell['outputs'], indent=1)}"]
    finally:
        os.chdir(before)
        names.clear()
        shutil.rmtree(tempfile.tempdir, ignore_errors=True)
        tempfile.tempdir = None
    if update:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    return []


def main() -> int:
    update = "--update" in sys.argv[1:]
    given = [pathlib.Path(word).resolve() for word in sys.argv[1:] if word != "--update"]
    passed = failed = 0
    for path in given or sorted(FOLDER.glob("*.ipynb")):
        wrong = run(path, update)
        print(*wrong, sep="\n", end="\n" if wrong else "")
        passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"notebooks: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/python-reference.md from the docstrings of the package's public names; with --check only compares.

Reads the sources and imports nothing: no framework has to be installed.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "python-reference.md"
PACKAGES = ["dmc", "dmc.jax", "dmc.torch", "dmc.onnx", "dmc.stablehlo"]
WITH_BASES = ("Module", "Plan", "Adam", "AdamW", "Lion", "SGD", "ValueAndGrad")  # whose inherited members are listed, too
INTERNAL = ("between", "for_parameter", "state_names")  # methods that other parts of the package call
PARAMETER = re.compile(r"^[\w./]+(, [\w./]+)*( \.\.\.)?: \S")
HEAD = """# Python reference

The public names of the package `dmc`, by module. `scripts/python-reference.py` writes this page from the docstrings, and the tests compare. Guides: [from JAX](from-jax.md),
[from PyTorch](from-pytorch.md), [from ONNX](from-onnx.md), [extending dmc](extending-python.md).
"""


def find_file(module: str) -> pathlib.Path:
    path = ROOT / "python" / pathlib.Path(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def parse(module: str) -> ast.Module:
    return ast.parse(find_file(module).read_text())


def resolve(module: str, name: str) -> tuple[str, ast.AST | None]:
    """The module that defines a name, and its definition; none if it is a module or a value."""
    tree = parse(module)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name and node in tree.body:
            return module, node
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names):
            original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
            is_package = find_file(module).name == "__init__.py"
            parts = module.split(".")
            base = parts[:len(parts) - node.level + is_package] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            if source.startswith("dmc"):
                return resolve(source, original) if find_file(source).exists() else (module, None)
    return module, None


def public_names(module: str) -> list[str]:
    for node in parse(module).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def signature(node: ast.FunctionDef, is_method: bool) -> str:
    arguments = ast.parse(ast.unparse(node)).body[0].args
    is_static = any(getattr(decorator, "id", "") == "staticmethod" for decorator in node.decorator_list)
    if is_method and not is_static:
        (arguments.posonlyargs or arguments.args).pop(0)
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None
    return f"({ast.unparse(arguments)})"


def is_property(node: ast.FunctionDef) -> bool:
    return any(getattr(decorator, "id", getattr(decorator, "attr", "")) in ("property", "cached_property") for decorator in node.decorator_list)


def paragraphs(node: ast.AST) -> list[str]:
    # That of a module has no indentation of its own.
    text = ast.get_docstring(node, clean=not isinstance(node, ast.Module)) or ""  # type: ignore[arg-type]
    return text.strip("\n").split("\n\n")


def text_of(node: ast.AST) -> str:
    """A docstring; lines that name a parameter are a list, indented ones code."""
    parts = []
    for number, paragraph in enumerate(paragraphs(node)):
        lines = paragraph.splitlines()
        if any(line.startswith("    ") for line in lines[:1]):
            parts.append("\n".join(lines))
        elif number and all(PARAMETER.match(line) or line.startswith(" ") for line in lines):
            items: list[str] = []
            for line in lines:
                if line.startswith(" ") and items:
                    items[-1] += " " + line.strip()
                else:
                    name, _, rest = line.partition(":")
                    items.append(f"- `{name.strip()}`: {rest.strip()}")
            parts.append("\n".join(items))
        else:
            parts.append(paragraph)
    return "\n\n".join(parts)


def comment_at(source: str, line: int) -> str:
    _, mark, rest = source.splitlines()[line - 1].partition("  # ")
    return ", " + rest.strip() if mark else ""


def bases(module: str, node: ast.ClassDef) -> list[tuple[str, ast.ClassDef]]:
    """A class and those of the package that it derives from, the most basic ones first."""
    found: list[tuple[str, ast.ClassDef]] = []
    for base in node.bases:
        owner, definition = resolve(module, getattr(base, "id", ""))
        if isinstance(definition, ast.ClassDef):
            found += [entry for entry in bases(owner, definition) if entry not in found]
    return [*found, (module, node)]


def members(node: ast.ClassDef, source: str) -> list[str]:
    lines = []
    for item in node.body:
        is_public = isinstance(item, ast.FunctionDef) and (item.name == "__call__" or not item.name.startswith("_"))
        if is_public and item.name not in INTERNAL and ast.get_docstring(item):  # type: ignore[union-attr, arg-type]
            title = item.name if item.name != "__call__" else node.name.lower()
            shape = "" if is_property(item) else signature(item, is_method=True)
            lines.append(f"- `{title}{shape}`: " + " ".join(" ".join(paragraphs(item)).split()))
        elif isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_"):  # type: ignore[union-attr]
            lines.append(f"- `{ast.unparse(item.target)}`: {ast.unparse(item.annotation).replace('|', 'or')}"
                         + comment_at(source, item.lineno))
    return lines


def entry(module: str, name: str) -> list[str]:
    owner, node = resolve(module, name)
    if node is None:
        return []
    if isinstance(node, ast.FunctionDef):
        return [f"### {module}.{name}", f"    {name}{signature(node, is_method=False)}", text_of(node)]
    initializer = next((item for item in node.body if getattr(item, "name", "") == "__init__"), None)  # type: ignore[attr-defined]
    parts = [f"### {module}.{name}"]
    if initializer is not None and "made by" not in text_of(node):
        parts.append(f"    {name}{signature(initializer, is_method=True)}")
    parts.append(text_of(node))
    if name in WITH_BASES:
        lines = [line for source, base in bases(owner, node) for line in members(base, find_file(source).read_text())]  # type: ignore[arg-type]
        listed = list({line.partition("(")[0].partition(":")[0]: line for line in lines}.values())
    else:
        listed = members(node, find_file(owner).read_text())  # type: ignore[arg-type]
    return [*parts, *(["\n".join(listed)] if listed else [])]


def page() -> str:
    parts = [HEAD.strip()]
    for module in PACKAGES:
        names = public_names(module)
        if names:
            parts += [f"## {module}", text_of(parse(module))]
            for name in names:
                parts += [part for part in entry(module, name) if part]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        is_current = PAGE.exists() and PAGE.read_text() == text
        if not is_current:
            print(f"{PAGE.relative_to(ROOT)}: is not what the docstrings say: run scripts/python-reference.py")
        return not is_current
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

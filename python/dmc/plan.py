# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a program's text to a plan: what moves, what it needs, and a library that runs."""
from __future__ import annotations

import errno
import html
import os
import pathlib
import shutil
import tempfile
import typing
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from . import _cache
from ._compiler import compile_file
from ._tools import find_tree, run_tool
from .errors import Error
from .kernels import compile_options
from .locations import point_at_source
from .mesh import Mesh, write_layouts
from .report import Difference, Report, Reported
from .runtime import Session

LEVELS = ("tensor", "parallel", "ranks", "scheduled", "llvm")
EXCHANGED = ("sdy", "stablehlo")
FORMATS = ("text", "json", "html")
_CASE = "python"


def _text(value: typing.Any, what: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise Error(f"expected {what}, found {type(value).__name__}")
    return os.fspath(value)


def name_list(value: typing.Any, what: str) -> list[str]:
    """One text or path, or several; None stands for none."""
    if value is None or isinstance(value, (str, os.PathLike)) or not isinstance(value, Sequence):
        return [] if value is None else [_text(value, f"{what}, or a list of such")]
    return [_text(item, what) for item in value]


def _read_program(program: typing.Any) -> tuple[str | None, pathlib.Path | None]:
    """A text, or the path of one."""
    if hasattr(program, "as_text"):  # jax.stages.Lowered
        try:
            return program.as_text(debug_info=True), None  # with source lines
        except TypeError:
            return program.as_text(), None
    if isinstance(program, os.PathLike) or (isinstance(program, str) and "\n" not in program and "{" not in program):
        path = pathlib.Path(program)
        if not path.is_file():
            raise Error(f"cannot open {str(path)!r}: expected a file, or a program's text")
        return None, path
    if isinstance(program, str):
        return program, None
    raise Error(f"expected a program as text, path or lowered JAX function, found {type(program).__name__}")


def compile(program: typing.Any, *, mesh: Mapping[str, int] | int | None = None,
            layouts: str | os.PathLike[str] | Mapping[str, typing.Any] | None = None, case: str | None = None,
            strategy: str | Sequence[str] | None = (), tactics: str | os.PathLike[str] | Sequence[typing.Any] | None = (),
            machine: str | os.PathLike[str] | None = None, options: Sequence[str] = (), passes: Mapping[str, typing.Any] | None = None,
            progress: bool = True) -> "Plan":
    """Compiles a program for a mesh.

    program: text of any level (StableHLO, TOSA or linalg, or what Plan.text returned), the path of one, a lowered
        JAX function (jax.jit(f).lower(...)), or what an importer returned (dmc.onnx.load(...))
    mesh: axes and sizes, {"data": 4, "model": 2}; a number of ranks, which are divided into the mesh whose plan takes least by
        prediction; without it, that of the program
    layouts: a JSON file of layouts by case, or {"arguments": [P("data", None), ...], "results": [...]}
    case: the case to take of that file
    strategy: one or several named strategies, "auto" (the plan of least predicted time), "data_parallel" or
        "zero1:axis=data"
    tactics: transform scripts or saved plans
    machine: rates of a rank, "link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9" (bytes per second, seconds,
        operations per second, bytes per second, bytes), or a file that dmc-calibrate wrote
    options: other options of dmc-compile
    passes: functions that change the text of a level, or lists of them: {"ranks": function}; each takes and returns a text
    progress: show on stderr which stage runs once it takes more than two seconds

    Raises dmc.Error: of a program that is malformed or not supported (with the line of the source that it was made from,
    where that is known), of options that do not fit it, and where no built compiler is found. A KeyboardInterrupt ends the
    compilation between two of its passes. Nothing is left behind in either case.
    """
    if type(program).__name__ == "ExportedProgram":
        from .torch import from_exported
        program = from_exported(program)
    text, path = _read_program(program)
    folder = tempfile.TemporaryDirectory(prefix="dmc-python")
    rename = {}
    if path is None:
        path = pathlib.Path(folder.name) / "program.mlir"
        path.write_text(text or "")
        rename[str(path)] = "<program>"
    boundary, decisions = [], []  # options that are no longer read at the levels tensor and parallel
    source = path
    boundary += compile_options(lambda: source.read_bytes().decode(errors="replace") if text is None else text)
    if isinstance(mesh, int):
        if isinstance(mesh, bool) or mesh < 1:
            raise Error(f"expected a mesh as axes and sizes, or a positive number of ranks, found {mesh!r}")
        boundary.append(f"--mesh=auto:{mesh}")
        if not strategy and not tactics:
            strategy = "auto"
    elif mesh is not None:
        boundary.append("--mesh=" + Mesh(mesh).to_option())
    if isinstance(layouts, Mapping):
        if mesh is None or isinstance(mesh, int) or case is not None:
            raise Error("layouts given as a mapping need the axes of mesh= and no case=")
        written = os.path.join(folder.name, "layouts.json")
        write_layouts(layouts, Mesh(mesh), written, _CASE)
        rename[written] = "layouts"
        layouts, case = written, _CASE
    if layouts is not None:
        file = _text(layouts, "layouts as a JSON file or a mapping")
        if not os.path.isfile(file):
            raise Error(f"cannot open {file!r}: expected a JSON file of layouts")
        boundary.append("--layouts=" + file)
    if case is not None:
        boundary.append("--case=" + _text(case, "the name of a case"))
    decisions = ["--strategy=" + name for name in name_list(strategy, "the name of a strategy")]
    decisions += ["--tactics=" + file for file in name_list(tactics, "the path of tactics")]
    rest = ["--machine=" + _text(machine, "machine as rates or a file")] if machine is not None else []
    options = name_list(options, "an option of dmc-compile")
    texts: dict[str, str] = {}
    try:
        for level, functions in _in_order(passes or {}):
            given = boundary if level == "tensor" else boundary + decisions + rest
            changed = _apply(level, functions, [str(path), *given, *options], folder.name, rename, progress)
            path = pathlib.Path(folder.name) / f"{level}.mlir"
            path.write_text(changed)
            texts[level], rename[str(path)] = changed, f"<{level}>"
            boundary, decisions = [], decisions if level == "tensor" else []
        return Plan(folder, [str(path), *boundary, *decisions, *rest], list(options), rename, progress,
                    getattr(program, "initial_values", {}), texts)
    except Error as error:
        if text is not None and not isinstance(program, str):
            point_at_source(error, text, "<program>")
        for level, changed in texts.items():
            point_at_source(error, changed, f"<{level}>")
        raise


def _in_order(passes: Mapping[str, typing.Any]) -> list[tuple[str, list[typing.Any]]]:
    if not isinstance(passes, Mapping):
        raise Error(f"expected passes as functions by level, found {type(passes).__name__}")
    for level in passes:
        if level not in LEVELS[:-1]:
            raise Error(f"unknown level {level!r} of a pass, expected one of {', '.join(LEVELS[:-1])}")
    return [(level, list(passes[level]) if isinstance(passes[level], (list, tuple)) else [passes[level]])
            for level in LEVELS if level in passes]


def _apply(level: str, functions: Sequence[typing.Any], arguments: Sequence[str], folder: str, rename: dict[str, str],
           progress: bool) -> str:
    """The text of a level, changed by functions."""
    output = os.path.join(folder, "level.mlir")
    _run("dmc-compile", [*arguments, "--emit=" + level, "-o=" + output], progress, rename)
    text = _renamed(pathlib.Path(output).read_text(), rename)
    for function in functions:
        if not callable(function):
            raise Error(f"expected a pass of level {level!r} as a function, found {type(function).__name__}")
        text = function(text)
        if not isinstance(text, str):
            raise Error(f"expected the pass {getattr(function, '__name__', 'function')!r} of level {level!r} to return the text, "
                        f"found {type(text).__name__}")
    return text


def _renamed(text: str, rename: Mapping[str, str]) -> str:
    """With the names that stand for temporary files."""
    for old, new in rename.items():
        text = text.replace(old, new)
    return text


def _run(name: str, words: Sequence[str], progress: bool, rename: dict[str, str]) -> None:
    """Compiles in this process where that is possible, or runs a tool. The first word is the program's file."""
    library = find_tree() / "lib" / "libdmc_compiler.so"
    # An option and its value as two words, as a command line has them, are for the tool to read.
    if name == "dmc-compile" and library.exists() and all(word.startswith("-") for word in words[1:]):
        compile_file(pathlib.Path(words[0]), library, words[1:], progress, rename)
    else:
        run_tool(name, words, progress, rename)


class Plan(Reported):
    """A compiled program, made by dmc.compile. Its files are removed when it is no longer used; `save` keeps the library."""

    def __init__(self,
                 folder: tempfile.TemporaryDirectory[str],
                 arguments: list[str],
                 options: list[str],
                 rename: dict[str, str],
                 progress: bool,
                 initial_values: Mapping[str, typing.Any] = MappingProxyType({}),
                 texts: Mapping[str, str] = MappingProxyType({})):
        self._folder = folder
        self._arguments = arguments
        self._options = options
        self._rename = rename
        self._progress = progress
        self._initial_values = initial_values
        self._texts = dict(texts)
        self._session: Session | None = None
        report = self._path("report.json")
        key = self._cache_key()
        if key is None or not _cache.take(key, folder.name):
            self._tool("dmc-compile", options + ["-o=" + self._path("program.so"), "--report=" + report])
            if key is not None:
                _cache.keep(key, folder.name)
        #: What the program moves, needs and computes.
        self.report = Report.read(report)

    def _path(self, name: str) -> str:
        return os.path.join(self._folder.name, name)

    def _cache_key(self) -> str | None:
        """None where nothing is kept: without DMC_CACHE_DIR, and with options that may write files of their own."""
        if _cache.folder() is None or self._options:
            return None
        return _cache.key_of(pathlib.Path(self._arguments[0]).read_bytes(), self._arguments[1:], find_tree())

    def _tool(self, name: str, arguments: Sequence[str]) -> None:
        _run(name, [*self._arguments, *arguments], self._progress, self._rename)

    def _read_output(self, tool: str, arguments: Sequence[str]) -> str:
        output = self._path("output")
        self._tool(tool, [*arguments, "-o=" + output])
        return _renamed(pathlib.Path(output).read_text(), self._rename)

    @property
    def mesh(self) -> Mesh:
        """Axes and sizes that the program was compiled for."""
        return Mesh(self.report.mesh)

    def text(self, level: str = "parallel") -> str:
        """The program at a level: "tensor", "parallel" (layouts and moves), "ranks" (collectives), "scheduled" (kernels
        and buffers) or "llvm". dmc.compile takes the text of each but the last. For XLA: "sdy", the StableHLO program with the
        plan as shardings of Shardy, or "stablehlo", the program of each rank with collectives."""
        if level not in LEVELS + EXCHANGED:
            raise Error(f"unknown level {level!r}, expected one of {', '.join(LEVELS + EXCHANGED)}")
        if level not in self._texts:
            self._texts[level] = self._read_output("dmc-compile", self._options + ["--emit=" + level])
        return self._texts[level]

    def explain(self, *, value: str | None = None, op: str | None = None, at: str | int | None = None, top: int = 10,
                format: str = "text") -> str:
        """Why data moves: what dmc-explain prints, of everything, of a tensor (its name), of operations (their name) or of a
        source line ("model.py:12", or its number). `top` bounds the lists; `format` is "text", "json" or "html"."""
        if format not in FORMATS:
            raise Error(f"unknown format {format!r}, expected one of {', '.join(FORMATS)}")
        if not isinstance(top, int) or top < 0:
            raise Error(f"expected top as a number of entries, found {top!r}")
        arguments = ["--format=" + format, f"--top={top}"]
        arguments += [f"--{key}={item}" for key, item in (("value", value), ("op", op), ("at", at)) if item is not None]
        return self._read_output("dmc-explain", arguments)

    def diff(self, other: "Plan") -> Difference:
        """What another plan of the program moves, needs and decides differently; print it."""
        if not isinstance(other, Plan):
            raise Error(f"expected a Plan to compare with, found {type(other).__name__}")
        return Difference.between(self.report, other.report, self._decisions(), other._decisions())

    def _decisions(self) -> str:
        path = self._path("decisions.mlir")
        if not os.path.exists(path):
            self.save_plan(path)
        return pathlib.Path(path).read_text()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the library, for dmc-run and Session, whole or not at all. Sessions of a file that is replaced go on with
        what they loaded."""
        target = pathlib.Path(path)
        temporary = None
        try:
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name + ".tmp")
            os.close(descriptor)
            shutil.copy(self._path("program.so"), temporary)
            os.replace(temporary, target)
        except OSError as problem:
            raise Error(f"cannot write {str(target)!r}: {problem.strerror}") from None
        finally:
            if temporary is not None:
                pathlib.Path(temporary).unlink(missing_ok=True)

    def save_plan(self, path: str | os.PathLike[str]) -> None:
        """Writes the decided layouts as a script of tactics, which `tactics=` and dmc-compile take."""
        self._tool("dmc-compile", self._options + ["--emit=parallel", "-o=" + self._path("output"),
                                                   "--save-plan=" + os.fspath(path)])

    def load(self, engine: str = "local") -> Session:
        """A session: the ranks of the mesh as threads of this process. Arguments that the program has values for, as an
        imported model's initializers, have them."""
        if engine != "local":
            raise Error(f"unsupported engine {engine!r}: a session's ranks are threads of this process, expected 'local'; "
                        "dmc-run runs the saved library on others")
        session = Session(self._path("program.so"), self._rename)
        session.set_initial(self._initial_values)
        return session

    def run(self, arrays: typing.Any) -> typing.Any:
        """Runs one step on arrays in the program's order, or by name, and returns the results alike: a list, or a
        dict by name. Arrays are global; each rank takes its block."""
        if self._session is None:
            self._session = self.load()
        return self._session.run(arrays)

    def __repr__(self) -> str:
        return (f"<dmc.Plan on {self.mesh!r}: {self.memory.peak:,} bytes a rank, "
                f"{self.collectives.wire_bytes():,.0f} bytes sent per rank and step>")

    def _repr_html_(self) -> str:
        """The page of dmc-explain, in a frame of its own."""
        page = html.escape(self.explain(format="html"), quote=True)
        return f'<iframe sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0" srcdoc="{page}"></iframe>'

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jit: a JAX function that dmc compiles for a mesh and runs on the mesh's ranks, which are threads of this process."""
from __future__ import annotations

import functools
import inspect
import threading
import typing
import weakref
from collections.abc import Iterable, Sequence

import jax

from .. import plan as plans
from ..errors import Error
from ..mesh import Mesh
from .program import Options, Program, lower, split_static
from .shardings import read_mesh, read_shardings
from .values import describe, to_array, to_leaves


class Compiled:
    """A function for arguments of one structure, shapes and types, made by the `compile` of what jit returns. What a step leaves in donated arguments
    stays on the ranks: where a call gives back the arrays that the last one returned for them, nothing is copied."""

    def __init__(self, program: Program, plan: plans.Plan):
        self.program = program
        #: What moves in a step, what it needs, and why.
        self.plan = plan
        self._lock = threading.RLock()  # as with jax.jit, threads may call one function
        self._session: typing.Any = None
        self._returned: dict[int, typing.Any] = {}  # by argument, the array that the session has in it

    @property
    def session(self) -> typing.Any:
        """The ranks and what they hold: a dmc.Session, made at the first use."""
        with self._lock:
            if self._session is None:
                self._session = self.plan.load()
            return self._session

    def _holds(self, index: int, leaf: typing.Any) -> bool:
        reference = self._returned.get(index)
        return reference is not None and reference() is leaf

    def run(self, leaves: Sequence[typing.Any]) -> list[jax.Array]:
        """One step on the leaves of the arguments; returns the leaves of the results."""
        with self._lock:
            return self._run(leaves)

    def _run(self, leaves: Sequence[typing.Any]) -> list[jax.Array]:
        session, first = self.session, len(self.program.constants)
        arrays = [(number, to_array(leaf, aval, session.arguments[first + number].name))
                  for number, (leaf, aval) in enumerate(zip(leaves, self.program.in_avals, strict=True))
                  if not self._holds(first + number, leaf)]
        self._returned.clear()
        # JAX lets nobody write its arrays: donated ones are copied.
        session._set_all({first + number: array for number, array in arrays})
        session.step()
        avals = self.program.out_avals
        results = to_leaves([session.result(i) for i in range(len(avals))], avals)
        for index, value in enumerate(session.results):
            if value.alias >= 0:
                self._returned[value.alias] = weakref.ref(results[index])
        return results

    def __call__(self, *arguments: typing.Any, **named: typing.Any) -> typing.Any:
        """One step on arguments of the structure that was compiled, without static ones."""
        leaves = jax.tree.leaves((arguments, named))
        if len(leaves) != len(self.program.in_avals):
            raise Error(f"expected {len(self.program.in_avals)} arrays, found {len(leaves)}")
        return jax.tree.unflatten(self.program.out_tree, self.run(leaves))


class Jitted:
    """A function, made by jit, that dmc compiles for each new structure, shapes and types of arguments."""

    def __init__(self, function: typing.Callable, options: Options, mesh: typing.Any, compile_options: dict[str, typing.Any]):
        functools.update_wrapper(self, function, updated=())
        self._function, self._options, self._mesh = function, options, mesh
        self._compile_options = compile_options
        self._compiled: dict[typing.Any, Compiled] = {}
        self._lock = threading.RLock()

    def __get__(self, instance: typing.Any, owner: typing.Any = None) -> typing.Any:
        return self if instance is None else functools.partial(self, instance)

    def _key(self, arguments: tuple, named: dict) -> tuple[typing.Any, list[typing.Any]]:
        traced, traced_named, static = split_static(arguments, named, self._options)
        leaves, tree = jax.tree.flatten((traced, traced_named))
        key = (tree, tuple(map(describe, leaves)), static, jax.config.jax_enable_x64, jax.sharding.get_abstract_mesh())
        try:
            hash(key)
        except TypeError as problem:
            raise Error(f"static arguments have to be hashable: {problem}") from None
        return key, leaves

    def lower(self, *arguments: typing.Any, **named: typing.Any) -> Program:
        """The program of the function for such arguments, which dmc.compile takes."""
        return lower(self._function, self._options, arguments, named)

    def compile(self, *arguments: typing.Any, **named: typing.Any) -> Compiled:
        """The function for such arguments, compiled now or before."""
        return self._find(self._key(arguments, named)[0], arguments, named)

    def _find(self, key: typing.Any, arguments: tuple, named: dict) -> Compiled:
        with self._lock:
            if key not in self._compiled:
                program = self.lower(*arguments, **named)
                options = dict(self._compile_options)
                if self._mesh is not None and "sdy.mesh @mesh" not in program.text:
                    options["mesh"] = Mesh.from_jax(self._mesh)
                self._compiled[key] = Compiled(program, plans.compile(program, **options))
            return self._compiled[key]

    def plan(self, *arguments: typing.Any, **named: typing.Any) -> plans.Plan:
        """What moves for such arguments, and why: a dmc.Plan."""
        return self.compile(*arguments, **named).plan

    def __call__(self, *arguments: typing.Any, **named: typing.Any) -> typing.Any:
        key, leaves = self._key(arguments, named)
        compiled = self._find(key, arguments, named)
        return jax.tree.unflatten(compiled.program.out_tree, compiled.run(leaves))


def _numbers(value: int | Iterable[int] | None, what: str) -> tuple[int, ...]:
    numbers = () if value is None else (value,) if isinstance(value, int) else tuple(value)
    if any(not isinstance(number, int) for number in numbers):
        raise Error(f"expected {what} as numbers of arguments, found {value!r}")
    return numbers


def _names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _complete(function: typing.Callable, numbers: tuple[int, ...], names: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Arguments by number and by name, each as both where the function's signature tells, as jax.jit does."""
    if bool(numbers) == bool(names):
        return numbers, names
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return numbers, names
    plain = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    first = next((i for i, parameter in enumerate(parameters) if parameter.kind is parameter.POSITIONAL_OR_KEYWORD), 0)
    if names:
        return tuple(first + plain.index(name) for name in names if name in plain), names
    return numbers, tuple(plain[n - first] for n in numbers if first <= n < first + len(plain))


def jit(function: typing.Callable | None = None, *, in_shardings: typing.Any = None, out_shardings: typing.Any = None,
        donate_argnums: int | Sequence[int] | None = None, donate_argnames: str | Iterable[str] | None = None,
        static_argnums: int | Sequence[int] | None = None, static_argnames: str | Iterable[str] | None = None,
        mesh: typing.Any = None, **compile_options: typing.Any) -> typing.Any:
    """A JAX function that dmc compiles and runs, as jax.jit compiles and runs it by XLA; also a decorator.

    in_shardings, out_shardings: as of jax.jit; besides NamedSharding, dmc.Layout, and with mesh= PartitionSpec and dmc.P
    donate_argnums, donate_argnames: arguments that results replace. Their memory is used again on the ranks; the caller's
        arrays stay as they are
    static_argnums, static_argnames: arguments whose values are part of the program
    mesh: axes and sizes, or a mesh of JAX. A mapping needs no devices of JAX: ranks are threads
    strategy, tactics, machine, options, progress: as of dmc.compile

    Arguments and results are trees of arrays, Python numbers and typed keys. Results are arrays of JAX on its default device.
    """
    if function is None:
        return functools.partial(jit, in_shardings=in_shardings, out_shardings=out_shardings, donate_argnums=donate_argnums,
                                 donate_argnames=donate_argnames, static_argnums=static_argnums,
                                 static_argnames=static_argnames, mesh=mesh, **compile_options)
    if not callable(function):
        raise Error(f"expected a function, found {type(function).__name__}")
    known = set(inspect.signature(plans.compile).parameters) - {"program", "mesh", "layouts", "case"}
    for name in compile_options:
        if name not in known:
            raise Error(f"unknown option {name!r} of dmc.jax.jit, expected one of jax.jit's or {', '.join(sorted(known))}")
    jax_mesh = read_mesh(mesh)
    donate = _complete(function, _numbers(donate_argnums, "donate_argnums"), _names(donate_argnames))
    static = _complete(function, _numbers(static_argnums, "static_argnums"), _names(static_argnames))
    options = Options(read_shardings(in_shardings, jax_mesh), read_shardings(out_shardings, jax_mesh), *donate, *static)
    return Jitted(function, options, jax_mesh, compile_options)

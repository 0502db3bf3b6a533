# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A JAX function, traced and lowered for arguments of some shapes: text, names and trees of what goes in and out."""
from __future__ import annotations

import dataclasses
import inspect
import typing
import warnings

import jax
import jax.extend
import numpy

from .shardings import has_abstract_mesh

#: A closed-over array of more bytes is an argument of the program: its text would hold each byte as two digits.
CONSTANT_BYTES = 16 << 10

_CONSTANTS = "dmc_constants"


@dataclasses.dataclass
class Program:
    """What dmc.compile takes of a lowered function. Its arguments are large closed-over arrays, `constants`, then the
    leaves of the call's arguments that are not static."""

    text: str
    constants: list[numpy.ndarray]
    in_avals: list[typing.Any]
    out_avals: list[typing.Any]
    donated: list[bool]
    out_tree: typing.Any

    def as_text(self, debug_info: bool = True) -> str:
        """The text, as dmc.compile asks for it."""
        return self.text

    @property
    def initial_values(self) -> dict[int, numpy.ndarray]:
        """Of the arguments that a call does not give."""
        return dict(enumerate(self.constants))


@dataclasses.dataclass(frozen=True)
class Options:
    """Those of jit that concern JAX."""

    in_shardings: typing.Any
    out_shardings: typing.Any
    donate_argnums: tuple[int, ...]
    donate_argnames: tuple[str, ...]
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]

    def jit(self, function: typing.Callable, **changes: typing.Any) -> typing.Any:
        given = {"in_shardings": self.in_shardings, "out_shardings": self.out_shardings,
                 "donate_argnums": self.donate_argnums or None, "donate_argnames": self.donate_argnames or None,
                 "static_argnums": self.static_argnums or None, "static_argnames": self.static_argnames or None, **changes}
        return jax.jit(function, keep_unused=True, **{name: value for name, value in given.items() if value is not None})


def split_static(arguments: tuple, named: dict, options: Options) -> tuple[tuple, dict, typing.Any]:
    """The arguments that are traced, and those that are not, as a key."""
    places = {place % len(arguments) if place < 0 and arguments else place for place in options.static_argnums}
    traced = tuple(item for place, item in enumerate(arguments) if place not in places)
    static = (tuple((place, arguments[place]) for place in sorted(places) if place < len(arguments)),
              tuple(sorted((name, item) for name, item in named.items() if name in options.static_argnames)))
    return traced, {name: item for name, item in named.items() if name not in options.static_argnames}, static


def _abstract(leaf: typing.Any) -> typing.Any:
    """Without the devices on which JAX keeps it."""
    if not isinstance(leaf, jax.Array):
        return leaf
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=leaf.aval.weak_type)


def _with_constants(function: typing.Callable, traced: typing.Any, is_large: list[bool]) -> typing.Callable:
    """The traced function with its large constants as the first argument; names of the others stay."""
    closed, out_tree = traced.jaxpr, jax.tree.structure(traced.out_info)

    def run(constants: list, *arguments: typing.Any, **named: typing.Any) -> typing.Any:
        rest = iter(constants)
        values = [next(rest) if large else value for large, value in zip(is_large, closed.consts)]
        flat = jax.extend.core.jaxpr_as_fun(jax.extend.core.ClosedJaxpr(closed.jaxpr, values))(
            *jax.tree.leaves((arguments, named)))
        return jax.tree.unflatten(out_tree, flat)

    run.__name__ = getattr(function, "__name__", "step")
    return run


def _name_arguments(run: typing.Callable, function: typing.Callable, options: Options) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    kept = [parameter.replace(default=inspect.Parameter.empty)
            for place, parameter in enumerate(signature.parameters.values())
            if place not in options.static_argnums and parameter.name not in options.static_argnames]
    kind = inspect.Parameter.POSITIONAL_ONLY if any(p.kind is inspect.Parameter.POSITIONAL_ONLY for p in kept) else \
        inspect.Parameter.POSITIONAL_OR_KEYWORD
    try:
        run.__signature__ = inspect.Signature([inspect.Parameter(_CONSTANTS, kind), *kept])  # type: ignore[attr-defined]
    except ValueError:
        return


def _lower(function: typing.Callable, options: Options, arguments: tuple, named: dict) -> tuple[typing.Any, list]:
    traced = options.jit(function).trace(*arguments, **named)
    is_large = [getattr(value, "nbytes", 0) > CONSTANT_BYTES and not jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended)
                for value in traced.jaxpr.consts]
    if not any(is_large):
        return traced, []
    constants = [value for value, large in zip(traced.jaxpr.consts, is_large) if large]
    arguments, named, _ = split_static(arguments, named, options)
    run = _with_constants(function, traced, is_large)
    _name_arguments(run, function, options)
    shardings = options.in_shardings
    if shardings is not None:
        is_tuple = isinstance(shardings, (tuple, list))
        shardings = (None, *(shardings if is_tuple else [shardings] * len(arguments)))
    donated = tuple(1 + place - sum(other < place for other in options.static_argnums) for place in options.donate_argnums)
    return options.jit(run, in_shardings=shardings, donate_argnums=donated or None, static_argnums=None,
                       static_argnames=None).trace(constants, *arguments, **named), constants


def lower(function: typing.Callable, options: Options, arguments: tuple, named: dict) -> Program:
    """Traces and lowers a function for arguments."""
    if has_abstract_mesh((options.in_shardings, options.out_shardings)):
        traced_arguments, traced_named, _ = split_static(arguments, named, options)
        places = iter(jax.tree.map(_abstract, traced_arguments))
        statics = {place % len(arguments) if place < 0 else place for place in options.static_argnums}
        arguments = tuple(item if place in statics else next(places) for place, item in enumerate(arguments))
        named = {**named, **jax.tree.map(_abstract, traced_named)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Some donated buffers were not usable")
        traced, constants = _lower(function, options, arguments, named)
        lowered = traced.lower(lowering_platforms=("cpu",))
    (infos, named_infos), skip = lowered.args_info, 1 if constants else 0
    given = jax.tree.leaves((infos[skip:], named_infos))
    return Program(
        text=lowered.as_text(debug_info=True),
        constants=[numpy.asarray(value) for value in constants],
        in_avals=[info._aval if hasattr(info, "_aval") else info.aval for info in given],
        out_avals=jax.tree.leaves(traced.out_info),
        donated=[info.donated for info in given],
        out_tree=jax.tree.structure(traced.out_info),
    )

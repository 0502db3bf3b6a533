# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of parameters: by patterns of names, by placements of DTensor, or by styles of parallelize_module."""
from __future__ import annotations

import fnmatch
import typing
from collections.abc import Mapping, Sequence

import torch

from ..errors import Error
from ..mesh import Layout, Mesh, P


def _check_dims(dims: P, mesh: Mesh, rank: int, what: str) -> P:
    axes = [axis for dim in dims.to_json() for axis in dim]
    for axis in axes:
        if not isinstance(axis, str) or axis not in mesh:
            known = ", ".join(f'"{name}"' for name in mesh)
            raise Error(f'unknown mesh axis "{axis}" in the layout of {what}; the mesh has {known or "no axes"}')
    if len(set(axes)) != len(axes):
        raise Error(f"the layout of {what} has a mesh axis twice: {dims}")
    if len(dims) != rank:
        raise Error(f"expected a layout of {rank} dimensions for {what}, found {dims}")
    return dims


def _is_placement(item: object) -> bool:
    return hasattr(item, "is_shard") and hasattr(item, "is_replicate")


def from_placements(placements: Sequence[typing.Any], mesh: Mesh, rank: int, what: str) -> P:
    """Placements of DTensor, one for each axis of the mesh, as axes for each dimension."""
    if len(placements) != len(mesh):
        raise Error(f"expected {len(mesh)} placements for {what}, one for each axis of {mesh}, found {len(placements)}")
    dims: list[list[str]] = [[] for _ in range(rank)]
    for axis, placement in zip(mesh, placements):
        if placement.is_replicate():
            continue
        if type(placement).__name__ != "Shard":
            raise Error(f"unsupported placement {type(placement).__name__} of {what}, expected Shard or Replicate")
        if not -rank <= placement.dim < rank:
            raise Error(f"expected a dimension of {rank} in the placement of {what}, found {placement.dim}")
        dims[placement.dim].append(axis)
    return P(*(tuple(dim) if len(dim) > 1 else dim[0] if dim else None for dim in dims))


def to_dims(value: typing.Any, mesh: Mesh, rank: int, what: str) -> P:
    """A layout in any of its forms as axes for each dimension."""
    if value is None:
        return P(*[None] * rank)
    if isinstance(value, Layout):
        if dict(value.mesh) != dict(mesh):
            raise Error(f"layout of {what} is on {value.mesh}, expected {mesh}")
        value = value.dims
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Error(f"expected the layout of {what} as one entry for each dimension, found {value!r}")
    if value and all(map(_is_placement, value)):
        return from_placements(value, mesh, rank, what)
    if not value:
        return P(*[None] * rank)
    return _check_dims(P(*value), mesh, rank, what)


# What the styles say of the parameters: of a Linear (output features first), and of an Embedding (rows first).
_STYLES: dict[tuple[str, str], dict[str, int | None]] = {
    ("ColwiseParallel", "Linear"): {"weight": 0, "bias": 0},
    ("RowwiseParallel", "Linear"): {"weight": 1, "bias": None},
    ("ColwiseParallel", "Embedding"): {"weight": 1},
    ("RowwiseParallel", "Embedding"): {"weight": 0},
}


def _from_style(style: object, module: torch.nn.Module, axis: str, path: str) -> dict[str, P]:
    kind = next((base.__name__ for base in (torch.nn.Linear, torch.nn.Embedding) if isinstance(module, base)), "")
    dims = _STYLES.get((type(style).__name__, kind))
    if dims is None:
        raise Error(f"unsupported style {type(style).__name__} of {path or 'the model'} ({type(module).__name__}), "
                    "expected ColwiseParallel or RowwiseParallel of a Linear or an Embedding")
    found = {}
    for name, parameter in module.named_parameters(recurse=False):
        dim = dims[name]
        found[".".join(part for part in (path, name) if part)] = P(
            *(axis if i == dim else None for i in range(parameter.ndim)))
    return found


def _style_axis(mesh: Mesh) -> str:
    if "model" in mesh:
        return "model"
    if len(mesh) == 1:
        return next(iter(mesh))
    raise Error(f'styles split over the axis "model", which {mesh} lacks; give axes for each dimension instead')


def _similar(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


def parameter_layouts(model: torch.nn.Module, layouts: Mapping[str, typing.Any], mesh: Mesh) -> dict[str, P]:
    """Layouts by the names of parameters and buffers that patterns select; the last pattern that selects one counts."""
    tensors = dict(model.named_parameters()) | dict(model.named_buffers())
    modules = dict(model.named_modules())
    result: dict[str, P] = {}
    for pattern, value in layouts.items():
        is_style = "parallel.style" in type(value).__module__ or hasattr(value, "_apply")
        names = [name for name in (modules if is_style else tensors)
                 if name == pattern or fnmatch.fnmatchcase(name, pattern)]
        if not names:
            what = "module" if is_style else "parameter or buffer"
            known = _similar([name for name in (modules if is_style else tensors) if name])
            raise Error(f"layouts: no {what} matches {pattern!r}; there are {known or 'none'}")
        for name in names:
            if is_style:
                result.update(_from_style(value, modules[name], _style_axis(mesh), name))
            else:
                result[name] = to_dims(value, mesh, tensors[name].ndim, repr(name))
    return result


def batch_layouts(batch: typing.Any, mesh: Mesh, shapes: Sequence[tuple[str, tuple[int, ...]]]) -> list[P | None]:
    """Layouts of the inputs: axes that split the first dimension of each, or a layout for each; None: not said."""
    if batch is None:
        return [None] * len(shapes)
    if isinstance(batch, str):
        batch = (batch,)
    if not isinstance(batch, Sequence):
        raise Error(f"expected batch as mesh axes, or as a layout for each input, found {batch!r}")
    if all(isinstance(axis, str) for axis in batch):
        first = tuple(batch) if len(batch) > 1 else batch[0] if batch else None
        return [_check_dims(P(*[first, *[None] * len(shape)][:len(shape)]), mesh, len(shape), repr(name))
                for name, shape in shapes]
    if len(batch) != len(shapes):
        raise Error(f"expected batch as mesh axes, or as {len(shapes)} layouts, found {len(batch)} entries")
    return [to_dims(entry, mesh, len(shape), repr(name)) for entry, (name, shape) in zip(batch, shapes)]

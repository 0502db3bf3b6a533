# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes of devices, and how a tensor's dimensions are split over their axes."""
from __future__ import annotations

import json
import operator
import os
import typing
from collections.abc import Mapping, Sequence

from . import conversions
from .errors import Error


class Mesh(Mapping[str, int]):
    """Named axes and their sizes, major to minor: Mesh({"data": 4, "model": 2}) or Mesh(data=4, model=2). A mapping of axes to
    sizes, which dmc.compile takes; it may be made of a mesh of JAX or a DeviceMesh of torch. Raises dmc.Error for sizes that
    are not positive."""

    def __init__(self, axes: Mapping[str, int] | None = None, /, **more: int):
        if axes is not None and not isinstance(axes, Mapping):
            axes = conversions.axes_of(axes)
        self.axes: dict[str, int] = {}
        for name, size in dict(axes or {}, **more).items():
            try:
                self.axes[name] = operator.index(size)  # numpy's integers, too
            except TypeError:
                self.axes[name] = 0
            if not isinstance(name, str) or self.axes[name] < 1:
                raise Error(f"expected mesh axes as names with positive sizes, found {name!r}: {size!r}")

    def __getitem__(self, name: str) -> int:
        return self.axes[name]

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self.axes)

    def __len__(self) -> int:
        return len(self.axes)

    @property
    def ranks(self) -> int:
        """The number of devices."""
        count = 1
        for size in self.axes.values():
            count *= size
        return count

    def __repr__(self) -> str:
        return "Mesh(" + ", ".join(f"{name}={size}" for name, size in self.axes.items()) + ")"

    @staticmethod
    def from_jax(mesh: typing.Any) -> "Mesh":
        """Of a jax.sharding.Mesh or AbstractMesh."""
        return Mesh(conversions.axes_of_jax(mesh))

    def to_jax(self, devices: Sequence[typing.Any] | None = None) -> typing.Any:
        """A jax.sharding.Mesh of these devices, or without devices an AbstractMesh."""
        return conversions.to_jax_mesh(self, devices)

    @staticmethod
    def from_torch(mesh: typing.Any) -> "Mesh":
        """Of a torch DeviceMesh with names."""
        return Mesh(conversions.axes_of_torch(mesh))

    def to_option(self) -> str:
        """As the tools' `--mesh` takes it."""
        return ",".join(f"{name}={size}" for name, size in self.axes.items())


class P(tuple):
    """A layout without its mesh: for each dimension None, an axis that splits it, or several axes major to minor, as
    P("data", None) or P(("data", "model"), None). A part of an axis is written "data:(2)4": 4 positions
    behind a more major factor of 2. Sizes that the axes do not divide are padded."""

    def __new__(cls, *dims: str | Sequence[str] | None) -> "P":
        return super().__new__(cls, dims)

    def to_json(self) -> list[list[str]]:
        """Lists of axes, one for each dimension, as layouts in JSON files are written."""
        for number, dim in enumerate(self):
            if not (dim is None or isinstance(dim, str) or isinstance(dim, Sequence) and all(isinstance(axis, str) for axis in dim)):
                raise Error(f"expected None, an axis or several axes for dimension {number}, found {dim!r}")
        return [[] if dim is None else [dim] if isinstance(dim, str) else list(dim) for dim in self]

    def __repr__(self) -> str:
        return "P(" + ", ".join(map(repr, self)) + ")"


class Layout(typing.NamedTuple):
    """A layout on a mesh: Layout(mesh, ["data", None])."""

    mesh: Mesh
    dims: Sequence[str | Sequence[str] | None]

    @staticmethod
    def from_jax(sharding: typing.Any, rank: int | None = None) -> "Layout":
        """Of a jax.sharding.NamedSharding; `rank` adds the dimensions that its specification leaves out."""
        if not hasattr(sharding, "spec") or not hasattr(sharding, "mesh"):
            raise Error(f"expected a NamedSharding, found {type(sharding).__name__}")
        return Layout(Mesh.from_jax(sharding.mesh), P(*conversions.dims_of_spec(sharding.spec, rank)))

    def to_jax(self, devices: Sequence[typing.Any] | None = None) -> typing.Any:
        """A jax.sharding.NamedSharding, on an AbstractMesh if no devices are given."""
        return conversions.to_named_sharding(self.mesh, P(*self.dims).to_json(), devices)

    @staticmethod
    def from_placements(mesh: typing.Any, placements: Sequence[typing.Any], rank: int) -> "Layout":
        """Of the placements of a DTensor, one for each axis of a Mesh or DeviceMesh, and its number of dimensions."""
        mesh = mesh if isinstance(mesh, Mapping) else Mesh.from_torch(mesh)
        return Layout(Mesh(mesh), P(*conversions.dims_of_placements(mesh, placements, rank)))

    def to_placements(self) -> tuple[typing.Any, ...]:
        """The placements of a DTensor, one for each mesh axis."""
        return conversions.to_placements(self.mesh, P(*self.dims).to_json())


def _dims(value: typing.Any, mesh: Mapping[str, int], what: str) -> list[list[str]]:
    if conversions.is_partition_spec(value):
        value = conversions.dims_of_spec(value, None)
    elif not isinstance(value, Layout) and hasattr(value, "spec") and hasattr(value, "mesh"):
        value = Layout.from_jax(value)
    if isinstance(value, Layout):
        if dict(value.mesh) != dict(mesh):
            raise Error(f"layout of {what} is on {value.mesh}, expected {Mesh(mesh)}")
        value = value.dims
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Error(f"expected the layout of {what} as one entry for each dimension, found {value!r}")
    dims = P(*value).to_json()
    for axis in (axis for dim in dims for axis in dim):
        if axis.split(":")[0] not in mesh:
            known = ", ".join(f'"{name}"' for name in mesh)
            raise Error(f'unknown mesh axis "{axis}" in the layout of {what}; the mesh has {known or "no axes"}')
    return dims


def write_layouts(layouts: Mapping[str, typing.Any], mesh: Mapping[str, int], path: str | os.PathLike[str],
                  case: str) -> None:
    """Writes {"arguments": [...], "results": [...]}, a layout for each, as the JSON file that `--layouts` takes."""
    unknown = set(layouts) - {"arguments", "results"}
    if unknown:
        raise Error(f"unknown key {sorted(unknown)[0]!r} in layouts, expected 'arguments' and 'results'")
    entry: dict[str, typing.Any] = {"mesh": [[name, size] for name, size in mesh.items()]}
    for key, name in (("arguments", "argument"), ("results", "result")):
        if key in layouts:
            if isinstance(layouts[key], (str, Mapping)) or not isinstance(layouts[key], Sequence):
                raise Error(f"expected the layouts of {key} as a list, one for each, found {type(layouts[key]).__name__}")
            entry[key] = [_dims(value, mesh, f"{name} {i}") for i, value in enumerate(layouts[key])]
    with open(path, "w") as file:
        json.dump({case: entry}, file)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of volumes at computed places, which torch does not decompose: a function of torch that is traced."""
from __future__ import annotations

import itertools
import math

import torch

_NEAREST = 1
_ZEROS, _BORDER, _REFLECTION = range(3)


def _reflect(place: torch.Tensor, size: int, corners: bool) -> torch.Tensor:
    """Into the dimension, mirrored at its first and last element, or at their outer edges."""
    low, span = (0.0, size - 1.0) if corners else (-0.5, float(size))
    if not span:
        return torch.zeros_like(place)
    distance = (place - low).abs()
    flips = torch.floor(distance / span)
    rest = distance - flips * span
    return low + torch.where(flips % 2 == 0, rest, span - rest)


def _place(coordinate: torch.Tensor, size: int, padding: int, corners: bool) -> torch.Tensor:
    """Where a coordinate in [-1, 1] lies among the elements of a dimension."""
    place = (coordinate + 1) / 2 * (size - 1) if corners else ((coordinate + 1) * size - 1) / 2
    if padding == _REFLECTION:
        place = _reflect(place, size, corners)
    return place if padding == _ZEROS else place.clamp(0, size - 1)


def grid_sampler_3d(x: torch.Tensor, grid: torch.Tensor, mode: int, padding: int, corners: bool) -> torch.Tensor:
    """Trilinear, or nearest, samples of x at the places of the grid, which names the last dimension first."""
    batch, channels, *sizes = x.shape
    places = [_place(grid[..., 2 - dim], size, padding, corners) for dim, size in enumerate(sizes)]
    flat = x.flatten(2)

    def sample(at: list[torch.Tensor]) -> torch.Tensor:
        inside = torch.ones_like(at[0], dtype=torch.bool)
        index = torch.zeros_like(at[0], dtype=torch.int64)
        for place, size in zip(at, sizes):
            inside = inside & (place >= 0) & (place <= size - 1)
            index = index * size + place.clamp(0, size - 1).to(torch.int64)
        found = flat.gather(2, index.view(batch, 1, -1).expand(-1, channels, -1)).view(batch, channels, *index.shape[1:])
        return torch.where(inside.unsqueeze(1), found, torch.zeros((), dtype=x.dtype))

    if mode == _NEAREST:
        return sample([place.round() for place in places])
    corner = [place.floor() for place in places]
    summands = []
    for steps in itertools.product((0, 1), repeat=3):
        parts = [place - low if step else 1 - (place - low) for place, low, step in zip(places, corner, steps)]
        summands.append(sample([low + step for low, step in zip(corner, steps)]) * math.prod(parts).unsqueeze(1))
    return sum(summands[1:], summands[0])

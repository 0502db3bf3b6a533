#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small transformer on four ranks, saves its state, and goes on with it on a mesh of another shape.

    PYTHONPATH=python python3 examples/torch/train.py

docs/from-pytorch.md explains it step by step.
"""
import math
import tempfile

import torch
import torch.nn.functional as F
from torch import nn

import dmc


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        batch, length, width = x.shape
        y = self.first(x)
        q, k, v = (layer(y).view(batch, length, self.heads, -1).transpose(1, 2) for layer in (self.q, self.k, self.v))
        weights = (q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)).softmax(-1)
        x = x + self.o((weights @ v).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Counter(nn.Module):
    """Which of the tokens 0 to 3 a sequence has most often."""

    def __init__(self, width=32, heads=4, blocks=2, length=12):
        super().__init__()
        self.tokens, self.places = nn.Embedding(4, width), nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(blocks)))
        self.head = nn.Linear(width, 4)

    def forward(self, tokens):
        return self.head(self.blocks(self.tokens(tokens) + self.places).mean(1))


def draw_batch(size=64):
    tokens = torch.randint(0, 4, (size, 12))
    return tokens, F.one_hot(tokens, 4).sum(1).argmax(-1)


def make_step(model, mesh):
    return dmc.torch.train_step(
        model,
        F.cross_entropy,
        optimizer=dmc.AdamW(lr=3e-3, weight_decay=0.01),
        mesh=mesh,
        batch="data",
        clip_norm=1.0,
        layouts={
            "*.[qkv].weight": ["model", None],
            "*.o.weight": [None, "model"],
            "*.up.weight": ["model", None],
            "*.down.weight": [None, "model"],
        } if "model" in mesh else None,
    )


def main():
    torch.manual_seed(0)
    model = Counter()
    step = make_step(model, dmc.Mesh(data=2, model=2))
    plan = step.compile(*draw_batch())
    print(plan.mesh, {row.kind for row in plan.collectives.select(axis="model")})

    losses = [float(step(*draw_batch())) for _ in range(60)]
    print(f"first ten losses {sum(losses[:10]) / 10:.2f}, last ten {sum(losses[-10:]) / 10:.2f}")

    with tempfile.TemporaryDirectory() as folder:
        step.save_state(folder + "/state")
        again = make_step(Counter(), dmc.Mesh(data=4))
        again.load_state(folder + "/state")
        batch = draw_batch()
        print(f"the same loss on another mesh: {abs(float(again(*batch)) - float(step(*batch))) < 1e-4}")

    model.load_state_dict(step.state_dict())
    tokens, most = draw_batch(1000)
    print(f"right in torch: {(model(tokens).argmax(-1) == most).float().mean():.0%}")


if __name__ == "__main__":
    main()

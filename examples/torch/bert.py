#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small BERT on masked words and on the order of sentences, on 2 x 2 ranks; reads its plan and holds it to a contract.

    PYTHONPATH=python python3 examples/torch/bert.py [FOLDER]

FOLDER, which must not exist, keeps the last state; dmc-reshard moves it to another plan's mesh.
"""
import pathlib
import sys
import tempfile

import torch
import torch.nn.functional as F
from torch import nn

import dmc

WORDS, LENGTH, WIDTH, HEADS, LAYERS = 96, 16, 32, 4, 2


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x, mask):
        q, k, v = (layer(x).unflatten(2, (HEADS, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = self.first(x + self.o(y.transpose(1, 2).flatten(2)))
        return self.second(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Scores of the word at each place, and of whether the second sentence follows the first."""

    def __init__(self):
        super().__init__()
        self.words, self.segments = nn.Embedding(WORDS, WIDTH), nn.Embedding(2, WIDTH)
        self.places = nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pool, self.follows = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, ids, segments, mask):
        x = self.words(ids) + self.segments(segments) + self.places
        for layer in self.layers:
            x = layer(x, mask)
        return x @ self.words.weight.t(), self.follows(torch.tanh(self.pool(x[:, 0])))


def loss(outputs, words, follows):
    scores, order = outputs
    return F.cross_entropy(scores.flatten(0, 1), words.flatten(), ignore_index=-100) + F.cross_entropy(order, follows)


def draw_batch(size=16):
    """Inputs and targets: sentences that count upwards; the second follows the first, or begins anywhere."""
    follows = torch.randint(0, 2, (size,))
    begin, half = torch.randint(2, WORDS - LENGTH, (size, 2)), LENGTH // 2
    second = torch.where(follows.bool(), begin[:, 0] + half, begin[:, 1])
    words = torch.cat([begin[:, :1] + torch.arange(half), second[:, None] + torch.arange(half)], 1)
    hidden = torch.rand(size, LENGTH) < 0.15
    hidden[:, 1] = True
    segments = (torch.arange(LENGTH) >= half).long().repeat(size, 1)
    inputs = torch.where(hidden, 1, words), segments, torch.ones(size, LENGTH, dtype=torch.bool)
    return inputs, (torch.where(hidden, words, -100), follows)


def main():
    torch.manual_seed(0)
    model = Bert()
    x, y = draw_batch()

    mesh = dmc.Mesh(data=2, model=2)
    step = dmc.torch.train_step(model, loss, optimizer=dmc.SGD(lr=0.05, momentum=0.9), mesh=mesh, batch="data",
                                layouts={"*.q.weight": ["model", None], "*.o.weight": [None, "model"]})
    plan = step.compile(*x, *y)
    print(plan.collectives)
    print(f"peak memory of a rank: {plan.memory.peak:,} bytes")
    assert plan.collectives.wire_bytes(axis="data") < 200_000  # a contract: no change of the model may send more

    losses = []
    for _ in range(60):
        x, y = draw_batch()
        losses.append(float(step(*x, *y)))  # parameters stay on the ranks
    print(f"first ten losses {sum(losses[:10]) / 10:.1f}, last ten {sum(losses[-10:]) / 10:.1f}")

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else temporary + "/state")
        step.save_state(folder)
        print(f"saved {len(list(folder.glob('*.npy')))} blocks")

    model.load_state_dict(step.state_dict())
    with torch.no_grad():
        print(f"torch has the same loss: {abs(loss(model(*x), *y) - float(step(*x, *y))) < 1e-3}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Further small modules, written as their users write them: build(name) gives module, inputs, targets and loss."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class RotaryLlama(nn.Module):
    """Rotary embeddings as complex numbers in a buffer, RMSNorm, fused attention of grouped heads, SwiGLU."""

    def __init__(self, d=16, heads=4, shared=2, layers=2):
        super().__init__()
        self.heads, self.shared, self.width = heads, shared, d // heads
        linear = lambda i, o: nn.Linear(i, o, bias=False)
        self.embed, self.head, self.norm = nn.Embedding(24, d), linear(d, 24), nn.RMSNorm(d)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "q": linear(d, d), "k": linear(d, shared * self.width), "v": linear(d, shared * self.width), "o": linear(d, d),
            "gate": linear(d, 24), "up": linear(d, 24), "down": linear(24, d), "n1": nn.RMSNorm(d), "n2": nn.RMSNorm(d)
        }) for _ in range(layers))
        angles = torch.outer(torch.arange(16.0), 100.0**-(torch.arange(0, self.width, 2) / self.width))
        self.register_buffer("phases", torch.polar(torch.ones_like(angles), angles), persistent=False)

    def rotate(self, x):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.phases[:x.shape[1], None]).flatten(3).type_as(x)

    def forward(self, ids):
        x = self.embed(ids)
        b, t, d = x.shape
        for layer in self.layers:
            y = layer["n1"](x)
            q, k, v = (layer[name](y).view(b, t, -1, self.width) for name in "qkv")
            q, k, v = (z.transpose(1, 2) for z in (self.rotate(q), self.rotate(k), v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + layer["o"](y.transpose(1, 2).reshape(b, t, d))
            y = layer["n2"](x)
            x = x + layer["down"](F.silu(layer["gate"](y)) * layer["up"](y))
        return self.head(self.norm(x))


class Experts(nn.Module):
    """A mixture of experts: the best two of four, with capacities, by scatters into a buffer and gathers back."""

    def __init__(self, d=8, experts=4, chosen=2):
        super().__init__()
        self.chosen, self.gate = chosen, nn.Linear(d, experts, bias=False)
        self.up, self.down = (nn.Parameter(torch.randn(experts, *size) * 0.3) for size in ((d, 12), (12, d)))
        self.first, self.last = nn.Linear(6, d), nn.Linear(d, 5)

    def forward(self, x):
        x = self.first(x)
        weights, choice = self.gate(x).softmax(-1).topk(self.chosen, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        count, room = self.up.shape[0], len(x)
        flat = choice.flatten()
        place = (F.one_hot(flat, count).cumsum(0) - 1).gather(1, flat[:, None])[:, 0]
        rows = x.repeat_interleave(self.chosen, 0)
        buffer = x.new_zeros(count, room, x.shape[1]).index_put((flat, place.clamp(max=room - 1)), rows)
        result = torch.bmm(F.gelu(torch.bmm(buffer, self.up)), self.down)[flat, place]
        mixed = (result.view(len(x), self.chosen, -1) * weights[..., None]).sum(1)
        self.balance = (F.one_hot(choice, count).sum(1).to(x.dtype).mean(0) * self.gate(x).softmax(-1).mean(0)).sum()
        return self.last(x + mixed), self.balance


class ConvNext(nn.Module):
    """Depthwise convolutions of 7 x 7, layer norm of channels last, a scale of the residual, patches by strides."""

    class Block(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.depth, self.norm = nn.Conv2d(c, c, 7, padding=3, groups=c), nn.LayerNorm(c, eps=1e-6)
            self.up, self.down, self.scale = nn.Linear(c, 4 * c), nn.Linear(4 * c, c), nn.Parameter(torch.full((c,), 0.1))

        def forward(self, x):
            y = self.norm(self.depth(x).permute(0, 2, 3, 1))
            return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)

    def __init__(self, c=8):
        super().__init__()
        self.stem, self.a = nn.Conv2d(3, c, 4, 4), self.Block(c)
        self.shrink, self.b = nn.Sequential(nn.GroupNorm(1, c), nn.Conv2d(c, 2 * c, 2, 2)), self.Block(2 * c)
        self.norm, self.head = nn.LayerNorm(2 * c), nn.Linear(2 * c, 5)

    def forward(self, x):
        return self.head(self.norm(self.b(self.shrink(self.a(self.stem(x)))).mean((-2, -1))))


class Translator(nn.Module):
    """torch's own encoder and decoder, with masks of padding and of the future, and a tied output."""

    def __init__(self, d=16):
        super().__init__()
        self.words, self.places = nn.Embedding(24, d, padding_idx=0), nn.Parameter(torch.randn(8, d) * 0.1)
        self.body = nn.Transformer(d, 4, 1, 1, 24, dropout=0.0, batch_first=True)

    def forward(self, source, target):
        x, y = (self.words(ids) * 4 + self.places[:ids.shape[1]] for ids in (source, target))
        future = nn.Transformer.generate_square_subsequent_mask(target.shape[1]).to(x.dtype)
        z = self.body(x, y, tgt_mask=future, tgt_is_causal=True, src_key_padding_mask=source == 0,
                      memory_key_padding_mask=source == 0)
        return z @ self.words.weight.t()


class Shop(nn.Module):
    """Bags by sum, mean and maximum with weights and padding, positions of the best, running sums, scatters."""

    def __init__(self, d=6):
        super().__init__()
        self.sums, self.means = nn.EmbeddingBag(20, d, mode="sum"), nn.EmbeddingBag(20, d, mode="mean", padding_idx=1)
        self.best = nn.EmbeddingBag(20, d, mode="max")
        self.mix, self.out = nn.Linear(3 * d, 10), nn.Linear(10, 4)

    def forward(self, items, offsets, weights, seen):
        bags = [self.sums(items, offsets, weights), self.means(items, offsets), self.best(items, offsets)]
        x = torch.tanh(self.mix(torch.cat(bags, 1)))
        top, where = x.topk(3, 1)
        x = x.scatter_add(1, where.flip(1), top * 0.5).cumsum(1)
        table = torch.zeros(6, 10, dtype=x.dtype).index_put((seen,), x, accumulate=True)
        table = table.scatter_reduce(0, seen[:, None].expand(-1, 10), x.abs(), "amax", include_self=True)
        return self.out(x + table[seen] + torch.cummax(x, 1).values)


class Vae(nn.Module):
    """A sample of a normal distribution between encoder and decoder; the loss has its divergence."""

    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 6, 4, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 16, 2 * 4))
        self.up = nn.Sequential(nn.Linear(4, 6 * 16), nn.ReLU(), nn.Unflatten(1, (6, 4, 4)), nn.ConvTranspose2d(6, 1, 4, 2, 1))

    def forward(self, x):
        mean, spread = self.down(x).chunk(2, 1)
        deviation = torch.exp(0.5 * spread)
        noise = torch.randn_like(deviation) if self.training else torch.zeros_like(deviation)
        return self.up(mean + noise * deviation), mean, spread


def vae_loss(outputs, images):
    image, mean, spread = outputs
    divergence = -0.5 * (1 + spread - mean**2 - spread.exp()).sum(1).mean()
    return F.binary_cross_entropy_with_logits(image, images) + 0.1 * divergence


class Speech(nn.Module):
    """Convolutions, a recurrent layer of two levels, and the loss of alignments."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv1d(5, 8, 3, 2, 1), nn.BatchNorm1d(8)
        self.layer, self.head = nn.GRU(8, 6, 2, batch_first=True, bidirectional=True), nn.Linear(12, 7)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x))).transpose(1, 2)
        return self.head(self.layer(x)[0]).log_softmax(-1).transpose(0, 1)


def ctc(logs, labels, counts):
    lengths = torch.full((logs.shape[1],), logs.shape[0])
    return F.ctc_loss(logs, labels, lengths, counts, zero_infinity=True)


class Fourier(nn.Module):
    """A layer of a Fourier neural operator: complex weights of the low frequencies."""

    def __init__(self, c=4, modes=3):
        super().__init__()
        self.modes, self.lift, self.drop = modes, nn.Linear(3, c), nn.Linear(c, 1)
        self.weight = nn.Parameter(torch.randn(c, c, modes, modes, dtype=torch.cfloat) / c)
        self.skip = nn.Conv2d(c, c, 1)

    def forward(self, x):
        x, m = self.lift(x).permute(0, 3, 1, 2), self.modes
        waves = torch.fft.rfft2(x)
        kept = torch.einsum("bixy,ioxy->boxy", waves[:, :, :m, :m], self.weight.to(waves.dtype))
        full = torch.zeros_like(waves)
        full[:, :, :m, :m] = kept
        x = F.gelu(torch.fft.irfft2(full, s=x.shape[-2:]) + self.skip(x))
        return self.drop(x.permute(0, 2, 3, 1))


class Warp(nn.Module):
    """A volume that is sampled where an affine map, computed from it, says."""

    def __init__(self):
        super().__init__()
        self.conv, self.place, self.out = nn.Conv3d(1, 3, 3, 2, 1), nn.Linear(3 * 8, 12), nn.Conv3d(1, 2, 2)
        nn.init.normal_(self.place.weight, std=0.05)
        self.register_buffer("identity", torch.eye(3, 4))

    def forward(self, x):
        move = self.place(F.elu(self.conv(x)).flatten(1)).view(-1, 3, 4)
        grid = F.affine_grid(self.identity + 0.3 * torch.tanh(move), x.shape, align_corners=False)
        return self.out(F.grid_sample(x, grid, padding_mode="border", align_corners=False)).flatten(2).mean(2)


class Graph(nn.Module):
    """Attention along the edges of a graph: sums and maxima by the edges' targets."""

    def __init__(self, d=8):
        super().__init__()
        self.nodes, self.score, self.out = nn.Linear(5, d), nn.Linear(2 * d, 1), nn.Linear(d, 3)

    def forward(self, x, source, target):
        x = self.nodes(x)
        score = F.leaky_relu(self.score(torch.cat([x[source], x[target]], 1)), 0.2).squeeze(1)
        top = torch.full((len(x),), -1e9, dtype=x.dtype).scatter_reduce(0, target, score.detach(), "amax")
        weight = torch.exp(score - top[target])
        total = torch.zeros(len(x), dtype=x.dtype).index_add(0, target, weight)
        messages = x[source] * (weight / total[target])[:, None]
        return self.out(F.elu(torch.zeros_like(x).index_add(0, target, messages)))


class Windows(nn.Module):
    """Attention within shifted windows, with a table of relative positions."""

    def __init__(self, d=8, size=4):
        super().__init__()
        self.size, self.patch = size, nn.Conv2d(3, d, 2, 2)
        self.qkv, self.o, self.norm, self.head = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.LayerNorm(d), nn.Linear(d, 5)
        self.table = nn.Parameter(torch.randn((2 * size - 1)**2, 2) * 0.1)
        at = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")).flatten(1)
        apart = (at[:, :, None] - at[:, None]) + size - 1
        self.register_buffer("index", apart[0] * (2 * size - 1) + apart[1])

    def forward(self, x):
        x, s = self.patch(x).permute(0, 2, 3, 1), self.size
        b, h, w, d = x.shape
        y = torch.roll(x, (-s // 2, -s // 2), (1, 2)).view(b, h // s, s, w // s, s, d).permute(0, 1, 3, 2, 4, 5)
        y = self.norm(y.reshape(-1, s * s, d))
        q, k, v = self.qkv(y).reshape(len(y), s * s, 3, 2, d // 2).permute(2, 0, 3, 1, 4)
        bias = self.table[self.index.view(-1)].view(s * s, s * s, 2).permute(2, 0, 1)
        y = self.o(((q * (d // 2)**-0.5 @ k.transpose(-2, -1) + bias).softmax(-1) @ v).transpose(1, 2).reshape(y.shape))
        y = y.view(b, h // s, w // s, s, s, d).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, d)
        return self.head((x + torch.roll(y, (s // 2, s // 2), (1, 2))).mean((1, 2)))


class Cells(nn.Module):
    """Cells that Python steps, an LSTM with projections, and weights that are parametrized."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTMCell(4, 6), nn.GRUCell(6, 5)
        self.layer = nn.LSTM(5, 6, 2, proj_size=4)
        self.out = nn.utils.parametrizations.weight_norm(nn.Linear(4, 3))

    def forward(self, x):
        h, c, g, found = None, None, None, []
        for step in x.unbind(1):
            h, c = self.first(step, None if h is None else (h, c))
            g = self.second(h, g)
            found.append(g)
        return self.out(self.layer(torch.stack(found))[0][-1])


class Selective(nn.Module):
    """A state space layer whose numbers depend on the input: a causal convolution, and a scan by sums of logarithms."""

    def __init__(self, d=6, n=3):
        super().__init__()
        self.embed, self.conv = nn.Embedding(24, d), nn.Conv1d(d, d, 3, groups=d, padding=2)
        self.rate, self.into, self.outof = nn.Linear(d, d), nn.Linear(d, n), nn.Linear(d, n)
        self.decay, self.head = nn.Parameter(torch.log(torch.arange(1.0, n + 1)).repeat(d, 1)), nn.Linear(d, 24)

    def forward(self, ids):
        x = self.embed(ids)
        x = F.silu(self.conv(x.mT)[..., :x.shape[1]].mT)
        rate = F.softplus(self.rate(x))[..., None]
        logs = (rate * -self.decay.exp()).cumsum(1)
        fed = rate * self.into(x)[:, :, None] * x[..., None]
        state = (fed * torch.exp(-logs)).cumsum(1) * torch.exp(logs)
        return self.head((state * self.outof(x)[:, :, None]).sum(-1) + x)


class Shuffles(nn.Module):
    """Channel shuffles, dense connections, spatial attention, pixel shuffles, instance norms, PReLU, reflections."""

    def __init__(self, c=8):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, c, 3, padding=1, padding_mode="reflect"), nn.Conv2d(c, c, 3, padding=1, groups=2)
        self.norm, self.act, self.gate = nn.InstanceNorm2d(c, affine=True), nn.PReLU(c), nn.Conv2d(2, 1, 3, padding=1)
        self.up = nn.Conv2d(2 * c, 12, 1)

    def forward(self, x):
        x = self.act(self.norm(self.a(x)))
        y = F.channel_shuffle(self.b(x), 2)
        maps = torch.cat([y.amax(1, keepdim=True), y.mean(1, keepdim=True)], 1)
        y = F.hardswish(y * torch.sigmoid(self.gate(maps)))
        y = F.adaptive_avg_pool2d(torch.cat([x, F.max_pool2d(y, 3, 1, 1)], 1), (5, 5))
        return F.pixel_shuffle(self.up(y), 2)


def tokens(outputs, targets):
    return F.cross_entropy(outputs.flatten(0, 1), targets.flatten(), ignore_index=0, label_smoothing=0.1)


def balanced(outputs, targets):
    return F.cross_entropy(outputs[0], targets) + 0.1 * outputs[1]


MODULES = {
    "rotary_llama": RotaryLlama, "experts": Experts, "convnext": ConvNext, "translator": Translator, "shop": Shop,
    "vae": Vae, "speech": Speech, "fourier": Fourier, "warp": Warp, "graph": Graph, "windows": Windows, "cells": Cells,
    "selective": Selective, "shuffles": Shuffles
}
NAMES = list(MODULES)


def build(name):
    """Everything is drawn from one seed, so that a second call gives the same."""
    torch.manual_seed(2)
    model = MODULES[name]()
    ids, images, classes = torch.randint(1, 24, (8, 6)), torch.randn(8, 3, 16, 16), torch.randint(0, 5, (8,))
    if name in ("rotary_llama", "selective"):
        return model, (ids,), (torch.roll(ids, -1, 1),), tokens
    if name == "translator":
        source = torch.where(torch.arange(6)[None] < torch.randint(3, 7, (8, 1)), ids, 0)
        return model, (source, ids.flip(1)[:, :5]), (ids[:, :5],), tokens
    if name == "experts":
        return model, (torch.randn(8, 6),), (classes,), balanced
    if name == "shop":
        offsets = torch.tensor([0, 3, 6, 6, 10, 14, 20, 21])  # one bag is empty
        return model, (torch.randint(0, 20, (24,)), offsets, torch.rand(24), torch.randint(0, 6, (8,))), (classes % 4,), F.cross_entropy
    if name == "vae":
        return model.eval(), (torch.rand(8, 1, 8, 8),), (torch.rand(8, 1, 8, 8),), vae_loss
    if name == "speech":
        return model, (torch.randn(8, 5, 12),), (torch.randint(1, 7, (8, 4)), torch.tensor([4, 3, 1, 2, 4, 0, 2, 3])), ctc
    if name == "fourier":
        return model, (torch.randn(8, 8, 6, 3),), (torch.randn(8, 8, 6, 1),), F.mse_loss
    if name == "warp":
        return model, (torch.randn(8, 1, 4, 4, 4),), (classes % 2,), F.cross_entropy
    if name == "graph":
        edges = torch.randint(0, 12, (2, 40))
        edges[1, :12] = torch.arange(12)  # each node has an edge
        return model, (torch.randn(12, 5), edges[0], edges[1]), (torch.randint(0, 3, (12,)),), F.cross_entropy
    if name == "cells":
        return model, (torch.randn(8, 5, 4),), (classes % 3,), F.cross_entropy
    if name == "shuffles":
        return model, (images,), (torch.randn(8, 3, 10, 10),), F.smooth_l1_loss
    return model, (images,), (classes,), F.cross_entropy

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks of well-known kinds, for the tests of dmc.torch: build(name) gives module, inputs, targets and loss."""
import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


def conv(i, o, k=3, s=1, g=1, act=nn.ReLU):
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o), act())


class Residual(nn.Module):
    """A bottleneck block, as of ResNet-50; wide ones have more channels within."""

    def __init__(self, i, o, s, inner):
        super().__init__()
        self.body = nn.Sequential(conv(i, inner, 1), conv(inner, inner, 3, s), conv(inner, o, 1, act=nn.Identity))
        self.skip = conv(i, o, 1, s, act=nn.Identity) if s != 1 or i != o else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.skip(x))


def resnet(inner):
    return nn.Sequential(conv(3, 8, 7, 2), nn.MaxPool2d(3, 2, 1), Residual(8, 16, 1, inner), Residual(16, 16, 2, inner),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))


class Inverted(nn.Module):
    """A block of MobileNetV2, or with squeeze and excitation of EfficientNet."""

    def __init__(self, c, k, act, squeeze):
        super().__init__()
        self.body = nn.Sequential(conv(c, 2 * c, 1, act=act), conv(2 * c, 2 * c, k, 1, 2 * c, act=act))
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(2 * c, 2, 1), nn.SiLU(), nn.Conv2d(2, 2 * c, 1),
                                     nn.Sigmoid()) if squeeze else None
        self.last = conv(2 * c, c, 1, act=nn.Identity)

    def forward(self, x):
        y = self.body(x)
        return x + self.last(y * self.squeeze(y) if self.squeeze else y)


def mobile(k, act, squeeze):
    return nn.Sequential(conv(3, 8, 3, 2, act=act), Inverted(8, k, act, squeeze), conv(8, 16, 1, act=act),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        mlp = lambda n, h: nn.Sequential(nn.Linear(n, h), nn.GELU(), nn.Linear(h, n))
        self.patch, self.norms = nn.Conv2d(3, 12, 4, 4), nn.ModuleList(nn.LayerNorm(12) for _ in range(3))
        self.tokens, self.channels, self.head = mlp(16, 8), mlp(12, 24), nn.Linear(12, 5)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = x + self.tokens(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        return self.head(self.norms[2](x + self.channels(self.norms[1](x))).mean(1))


class Fcn(nn.Module):
    """Skips, transposed convolutions, crops and a pool that rounds up."""

    def __init__(self):
        super().__init__()
        stage = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2, ceil_mode=True))
        self.a, self.b, self.c = stage(3, 8), stage(8, 8), stage(8, 12)
        self.score, self.skip = nn.Conv2d(12, 3, 1), nn.Conv2d(8, 3, 1)
        self.up, self.last = nn.ConvTranspose2d(3, 3, 4, 2, bias=False), nn.ConvTranspose2d(3, 3, 8, 4)

    def forward(self, x):
        b = self.b(self.a(x))
        y = self.up(self.score(self.c(b)))[:, :, :b.shape[2], :b.shape[3]] + self.skip(b)
        return self.last(y)[:, :, 1:1 + x.shape[2], 1:1 + x.shape[3]]


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(12, 8), nn.Conv1d(8, 12, 1)
        self.filters, self.gates = (nn.ModuleList(nn.Conv1d(8, 8, 2, dilation=d) for d in (1, 2, 4)) for _ in range(2))
        self.skips = nn.ModuleList(nn.Conv1d(8, 8, 1) for _ in range(3))

    def forward(self, x):
        h, total = self.embed(x).transpose(1, 2), 0
        for i, d in enumerate((1, 2, 4)):
            p = F.pad(h, (d, 0))
            z = torch.tanh(self.filters[i](p)) * torch.sigmoid(self.gates[i](p))
            h, total = h + z, total + self.skips[i](z)
        return self.out(F.relu(total))


class Encoder(nn.Module):
    """A block of BERT, with masked attention by matrix products."""

    def __init__(self, d=16, heads=4):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.up, self.down, self.n1, self.n2 = nn.Linear(d, 2 * d), nn.Linear(2 * d, d), nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x, mask):
        b, t, d = x.shape
        split = lambda y: y.view(b, t, self.heads, -1).transpose(1, 2)
        scores = split(self.q(x)) @ split(self.k(x)).transpose(2, 3) / math.sqrt(d // self.heads)
        weights = F.softmax(scores.masked_fill(~mask[:, None, None], -1e4), -1)
        x = self.n1(x + self.o((weights @ split(self.v(x))).transpose(1, 2).reshape(b, t, d)))
        return self.n2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.place = nn.Embedding(24, 16, padding_idx=0), nn.Embedding(6, 16)
        self.layers, self.bias = nn.ModuleList([Encoder(), Encoder()]), nn.Parameter(torch.zeros(24))
        self.pool, self.pair = nn.Linear(16, 16), nn.Linear(16, 2)

    def forward(self, ids, keep):
        x = self.word(ids) + self.place(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x, keep)
        return x @ self.word.weight.t() + self.bias, self.pair(torch.tanh(self.pool(x[:, 0])))


class Dlrm(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.EmbeddingBag(20, 8, mode="sum"), nn.EmbeddingBag(12, 8, mode="mean")])
        self.low, self.top = nn.Linear(5, 8), nn.Linear(8 + 3, 1)
        self.register_buffer("pairs", torch.tril_indices(3, 3, -1), persistent=False)

    def forward(self, x, indices, offsets):
        x = F.relu(self.low(x))
        all_ = torch.stack([x] + [table(indices[i], offsets[i]) for i, table in enumerate(self.tables)], 1)
        crossed = torch.bmm(all_, all_.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([x, crossed], 1))).squeeze(1)


class Yolo(nn.Module):
    """Mish, spatial pyramid pooling, nearest upsampling, and boxes by CIoU."""

    def __init__(self):
        super().__init__()
        leaky = lambda: nn.LeakyReLU(0.1)
        self.a, self.b = conv(3, 8, 3, 2, act=nn.Mish), conv(8, 8, 3, 2, act=nn.Mish)
        self.mix, self.head = conv(24 + 8, 8, 1, act=leaky), nn.Conv2d(8, 7, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(a)
        pools = torch.cat([F.max_pool2d(b, k, 1, k // 2) for k in (5, 3)] + [b], 1)
        return self.head(self.mix(torch.cat([F.interpolate(pools, scale_factor=2.0, mode="nearest"), a], 1)))


def boxes(out, box, seen):
    out = out.permute(0, 2, 3, 1)
    xy, wh = torch.sigmoid(out[..., :2]) * 4, torch.exp(out[..., 2:4].clamp(max=3))
    low = torch.maximum(xy - wh / 2, box[..., :2] - box[..., 2:] / 2)
    high = torch.minimum(xy + wh / 2, box[..., :2] + box[..., 2:] / 2)
    inner = (high - low).clamp(min=0).prod(-1)
    iou = inner / (wh.prod(-1) + box[..., 2:].prod(-1) - inner + 1e-9)
    angle = torch.atan(box[..., 2] / box[..., 3]) - torch.atan(wh[..., 0] / wh[..., 1])
    distance = 4 / math.pi**2 * angle**2 + ((xy - box[..., :2])**2).sum(-1) / 16
    return ((1 - iou + distance) * seen).mean() + F.binary_cross_entropy_with_logits(out[..., 4], seen)


class Norm(nn.Module):
    """Root mean squares."""

    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Llama(nn.Module):
    """Rotary embeddings, grouped keys and values, fused causal attention, SiLU gates."""

    def __init__(self, d=16, heads=4, shared=2):
        super().__init__()
        self.heads, self.shared, width = heads, shared, d // heads
        self.embed, self.head = nn.Embedding(24, d), nn.Linear(d, 24, False)
        self.q, self.o = nn.Linear(d, d, False), nn.Linear(d, d, False)
        self.k, self.v = (nn.Linear(d, shared * width, False) for _ in range(2))
        self.gate, self.up, self.down = nn.Linear(d, 32, False), nn.Linear(d, 32, False), nn.Linear(32, d, False)
        self.n1, self.n2, self.n3 = Norm(d), Norm(d), Norm(d)

    def rotate(self, x):
        angles = torch.outer(torch.arange(x.shape[2]), 100.0**-(torch.arange(0, x.shape[3], 2) / x.shape[3]))
        angles = torch.cat([angles, angles], -1).to(x.dtype)
        a, b = x.chunk(2, -1)
        return x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()

    def forward(self, ids):
        x = self.embed(ids)
        b, t, d = x.shape
        y, split = self.n1(x), lambda z, n: z.view(b, t, n, -1).transpose(1, 2)
        q, k = self.rotate(split(self.q(y), self.heads)), self.rotate(split(self.k(y), self.shared))
        k, v = (z.repeat_interleave(self.heads // self.shared, 1) for z in (k, split(self.v(y), self.shared)))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, t, d))
        y = self.n2(x)
        return self.head(self.n3(x + self.down(F.silu(self.gate(y)) * self.up(y))))


class Gpt2(nn.Module):
    """Learned places, one product for q, k and v, a mask in a buffer, GELU by tanh, tied weights."""

    def __init__(self, d=16, heads=4):
        super().__init__()
        self.heads = heads
        self.words, self.places, self.head = nn.Embedding(24, d), nn.Embedding(8, d), nn.Linear(d, 24, False)
        self.head.weight = self.words.weight
        self.qkv, self.o, self.up, self.down = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 32), nn.Linear(32, d)
        self.n1, self.n2, self.n3 = (nn.LayerNorm(d) for _ in range(3))
        self.register_buffer("mask", torch.tril(torch.ones(8, 8, dtype=torch.bool)), persistent=False)

    def forward(self, ids):
        b, t = ids.shape
        x = self.words(ids) + self.places(torch.arange(t))
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.n1(x)).split(x.shape[-1], 2))
        scores = (q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])).masked_fill(~self.mask[:t, :t], float("-inf"))
        x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, -1))
        x = x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh"))
        return self.head(self.n3(x))


class Vit(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 4, 4)
        self.first, self.places = nn.Parameter(torch.randn(1, 1, d)), nn.Parameter(torch.randn(1, 17, d))
        layer = nn.TransformerEncoderLayer(d, 4, 32, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers, self.head = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False), nn.Linear(d, 5)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1), x], 1) + self.places
        return self.head(self.layers(x)[:, 0])


class Unet(nn.Module):
    """Group norms, average pools, bilinear and transposed upsampling."""

    def __init__(self, w=8):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.SiLU())
        self.a, self.b, self.c, self.d = block(3, w), block(w, w), block(2 * w, w), block(2 * w, w)
        self.up, self.out = nn.ConvTranspose2d(w, w, 3, 2, 1, 1), nn.Conv2d(w, 3, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.avg_pool2d(a, 2))
        c = self.c(torch.cat([self.up(F.max_pool2d(b, 2)), b], 1))
        return self.out(self.d(torch.cat([F.interpolate(c, size=x.shape[2:], mode="bilinear"), a], 1)))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embed, self.layer = nn.Embedding(24, 6), kind(6, 8, batch_first=True, bidirectional=True)
        self.head = nn.Linear(16, 24)

    def forward(self, ids):
        return self.head(self.layer(self.embed(ids))[0])


def tokens(outputs, targets):
    return F.cross_entropy(outputs.flatten(0, 1), targets.flatten())


def columns(outputs, targets):
    return F.cross_entropy(outputs, targets)


def bert_loss(outputs, words, pairs):
    return F.cross_entropy(outputs[0].flatten(0, 1), words.flatten(), ignore_index=-100) + F.cross_entropy(outputs[1], pairs)


MODULES = {
    "resnet": lambda: resnet(4),
    "wide_resnet": lambda: resnet(8),
    "mobilenet": lambda: mobile(3, nn.ReLU6, False),
    "efficientnet": lambda: mobile(5, nn.SiLU, True),
    "mixer": Mixer,
    "fcn": Fcn,
    "wavenet": WaveNet,
    "bert": Bert,
    "dlrm": Dlrm,
    "yolo": Yolo,
    "llama": Llama,
    "gpt2": Gpt2,
    "vit": Vit,
    "unet": Unet,
    "lstm": lambda: Recurrent(nn.LSTM),
    "gru": lambda: Recurrent(nn.GRU),
}
NAMES = list(MODULES)


def build(name):
    """Everything is drawn from one seed, so that a second call gives the same."""
    torch.manual_seed(1)
    model = MODULES[name]()
    ids = torch.randint(1, 24, (8, 6))
    if name == "bert":
        words = torch.where(torch.rand(8, 6) < 0.4, ids, -100)
        words[:, 0] = ids[:, 0]
        return model, (ids, torch.arange(6)[None] < torch.randint(3, 7, (8, 1))), (words, torch.randint(0, 2, (8,))), bert_loss
    if name == "wavenet":
        ids = torch.randint(0, 12, (8, 10))
        return model, (ids,), (torch.roll(ids, -1, 1),), columns
    if name == "dlrm":
        inputs = torch.randn(8, 5), torch.randint(0, 12, (2, 24)), torch.arange(0, 24, 3).repeat(2, 1)
        return model, inputs, (torch.randint(0, 2, (8,)).float(),), F.binary_cross_entropy
    if name in ("llama", "gpt2", "lstm", "gru"):
        return model, (ids,), (torch.roll(ids, -1, 1),), tokens
    images = torch.randn(8, 3, 16, 16)
    if name == "yolo":
        return model, (images,), (1 + torch.rand(8, 8, 8, 4), (torch.rand(8, 8, 8) < 0.3).float()), boxes
    if name == "unet":
        return model, (images,), (torch.randn(8, 3, 16, 16),), F.mse_loss
    if name == "fcn":
        images = torch.randn(8, 3, 18, 18)
        return model, (images,), (torch.randint(0, 3, (8, 18, 18)),), columns
    return model, (images,), (torch.randint(0, 5, (8,)),), columns


def widen(tensors):
    """As f64, but for integers."""
    return tuple(tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors)


def eager(name, rate=0.05, steps=1):
    """Losses of steps of gradient descent in f64, and the gradients of the first."""
    model, inputs, targets, loss = build(name)
    model.double()
    losses, first = [], {}
    for _ in range(steps):
        model.zero_grad()
        value = loss(model(*widen(inputs)), *widen(targets))
        value.backward()
        losses.append(value.item())
        first = first or {key: parameter.grad.clone() for key, parameter in model.named_parameters()}
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
    return losses, first


def train_both(model, inputs, targets, loss, momentum=0.0, steps=3):
    """Losses of steps of SGD by torch.compile with dmc, and of a copy of the model in eager mode."""
    losses = []
    twin = copy.deepcopy(model)
    for module, function in ((model, torch.compile(model, backend="dmc")), (twin, twin)):
        optimizer, found = torch.optim.SGD(module.parameters(), 0.05, momentum), []
        for _ in range(steps):
            optimizer.zero_grad()
            value = loss(function(*inputs), *targets)
            value.backward()
            optimizer.step()
            found.append(value.item())
        losses.append(found)
    return losses

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of real size, each written once for jax and torch: the loss by operations that both have, and an optimizer.

A model is a list of parameter shapes, the shapes of its batch (integers are labels or tokens), and its loss. A step computes the loss, its gradient by
every parameter, and the next parameters and optimizer state, which take over their buffers. Activations are smooth: at a kink, the rounding
of one sum would decide about a whole row of a gradient, and results of two engines could not be compared."""
import numpy as np

MLP = (1024, 2048, 2048, 256)
BLOCKS, WIDTH, HEADS, LENGTH, BATCH, VOCABULARY = 2, 512, 8, 128, 8, 4096
CHANNELS, SIDE = (3, 32, 64, 64), 32


def mlp_loss(o, params, batch):
    x, labels = batch
    for i in range(0, len(params) - 2, 2):
        x = o.gelu(x @ params[i] + params[i + 1])
    return o.cross_entropy(x @ params[-2] + params[-1], labels)


def transformer_loss(o, params, batch):
    tokens, targets = batch
    table, position, *rest = params
    x = o.embed(table, tokens) + position
    for i in range(BLOCKS):
        scale1, shift1, qkv, out, scale2, shift2, up, down = rest[8 * i:8 * i + 8]
        y = (o.layer_norm(x, scale1, shift1) @ qkv).reshape(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS)
        q, k, v = (o.transpose(y[:, :, j], (0, 2, 1, 3)) for j in range(3))
        scores = q @ o.transpose(k, (0, 1, 3, 2)) * (WIDTH // HEADS) ** -0.5 + o.causal(LENGTH)
        x = x + o.transpose(o.softmax(scores) @ v, (0, 2, 1, 3)).reshape(BATCH, LENGTH, WIDTH) @ out
        x = x + o.gelu(o.layer_norm(x, scale2, shift2) @ up) @ down
    logits = x @ o.transpose(table, (1, 0))
    return o.cross_entropy(logits.reshape(BATCH * LENGTH, VOCABULARY), targets.reshape(BATCH * LENGTH))


def convnet_loss(o, params, batch):
    x, labels = batch
    for weights in params[:-2]:
        x = o.gelu(o.conv(x, weights))
    return o.cross_entropy(x.mean((2, 3)) @ params[-2] + params[-1], labels)


BLOCK = [(WIDTH,), (WIDTH,), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH,), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
# Parameters, batch (shape, and for integers how many there are), loss, optimizer.
MODELS = {
    "mlp": ([s for a, b in zip(MLP, MLP[1:]) for s in ((a, b), (b,))], [((256, MLP[0]), 0), ((256,), MLP[-1])], mlp_loss, "sgd"),
    "transformer": ([(VOCABULARY, WIDTH), (LENGTH, WIDTH)] + BLOCKS * BLOCK,
                    [((BATCH, LENGTH), VOCABULARY), ((BATCH, LENGTH), VOCABULARY)], transformer_loss, "adam"),
    "convnet": ([(b, a, 3, 3) for a, b in zip(CHANNELS, CHANNELS[1:])] + [(CHANNELS[-1], 10), (10,)],
                [((32, CHANNELS[0], SIDE, SIDE), 0), ((32,), 10)], convnet_loss, "sgd"),
}
STATES = {"sgd": 1, "adam": 2}  # tensors of a parameter's shape


def make_inputs(name):
    """Parameters, the optimizer's states, and the batch."""
    rng = np.random.default_rng(0)
    shapes, batch, _, optimizer = MODELS[name]
    params = [(rng.standard_normal(s) * (s[0] if len(s) == 2 else np.prod(s[1:]) if len(s) > 2 else 100) ** -0.5).astype(np.float32)
              for s in shapes]
    states = [[np.zeros(s, np.float32) for s in shapes] for _ in range(STATES[optimizer])]
    data = [rng.integers(0, count, s, dtype=np.int32) if count else rng.standard_normal(s).astype(np.float32) for s, count in batch]
    return params, states, data


def update(optimizer, sqrt, param, grad, states):
    """The next parameter and its states: stochastic gradient descent with momentum, or Adam without bias correction."""
    if optimizer == "sgd":
        momentum = 0.9 * states[0] + grad
        return param - 0.01 * momentum, [momentum]
    mean, square = 0.9 * states[0] + 0.1 * grad, 0.999 * states[1] + 0.001 * grad * grad
    return param - 1e-4 * mean / (sqrt(square) + 1e-8), [mean, square]


def jax_step(name):
    """step(params, states, batch) -> params, states, loss."""
    import types

    import jax
    import jax.numpy as jnp
    _, _, loss, optimizer = MODELS[name]

    def layer_norm(x, scale, shift):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * (1 + scale) + shift

    def cross_entropy(logits, labels):
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

    o = types.SimpleNamespace(
        gelu=jax.nn.gelu, softmax=jax.nn.softmax, layer_norm=layer_norm, cross_entropy=cross_entropy,
        transpose=jnp.transpose, embed=lambda table, ids: table[ids],
        causal=lambda n: jnp.where(jnp.arange(n)[:, None] >= jnp.arange(n)[None], 0.0, -1e9).astype(jnp.float32),
        conv=lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME"))

    def step(params, states, batch):
        value, grads = jax.value_and_grad(lambda p: loss(o, p, batch))(params)
        new = [update(optimizer, jnp.sqrt, p, g, [s[i] for s in states]) for i, (p, g) in enumerate(zip(params, grads))]
        return [p for p, _ in new], [[s[j] for _, s in new] for j in range(len(states))], value

    return jax.jit(step, donate_argnums=(0, 1))


def torch_step(name, compiled):
    """step() -> loss, on tensors of its own, which are on the default device."""
    import types

    import torch
    import torch.nn.functional as F
    _, _, loss, optimizer = MODELS[name]
    o = types.SimpleNamespace(
        gelu=lambda x: F.gelu(x, approximate="tanh"), softmax=lambda x: torch.softmax(x, -1),
        layer_norm=lambda x, scale, shift: F.layer_norm(x, x.shape[-1:], 1 + scale, shift), cross_entropy=F.cross_entropy,
        transpose=lambda x, dims: x.permute(*dims), embed=lambda table, ids: F.embedding(ids, table),
        causal=lambda n: torch.full((n, n), -1e9).triu(1), conv=lambda x, w: F.conv2d(x, w, padding=1))
    params, states, batch = make_inputs(name)
    tensor = lambda values: torch.from_numpy(values).to(torch.get_default_device())
    params = [tensor(p).requires_grad_() for p in params]
    states = [[tensor(s) for s in group] for group in states]
    batch = [tensor(b).long() if b.dtype == np.int32 else tensor(b) for b in batch]

    def advance(grads):
        for i, (param, grad) in enumerate(zip(params, grads)):
            new, own = update(optimizer, torch.sqrt, param, grad, [s[i] for s in states])
            param.copy_(new)
            for group, state in zip(states, own):
                group[i].copy_(state)

    forward = lambda: loss(o, params, batch)
    if compiled:
        forward, advance = torch.compile(forward), torch.compile(advance)

    def step():
        value = forward()
        grads = torch.autograd.grad(value, params)
        with torch.no_grad():
            advance(grads)
        return value.item()

    return step

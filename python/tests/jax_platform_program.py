# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of a JAX user, which test_jax_platform.py runs unchanged on the platforms cpu and dmc: prints its numbers as
JSON. With the argument "loop" a training loop of flax and optax, with "sharded" arrays on four devices, with "matrices"
decompositions."""
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np


def leaves(tree):
    key = lambda leaf: jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return [np.asarray(jax.random.key_data(leaf) if key(leaf) else leaf).astype("float64").ravel().tolist()
            for leaf in map(jnp.asarray, jax.tree.leaves(tree))]


def eager():
    """Operations at top level, types, random numbers, transfers."""
    x = jnp.arange(12.0).reshape(3, 4)
    found = {"arithmetic": (jnp.sin(x) @ x.T, x[1:, ::2], x.sum(0), jnp.where(x > 5, x, -x), jnp.linspace(0, 1, 5)),
             "random": (jax.random.normal(jax.random.key(0), (3,)), jax.random.split(jax.random.key(1)),
                        jax.random.permutation(jax.random.key(2), 8)),
             "empty": (jnp.zeros((0, 3)).sum(), jnp.array(3) + 1),
             "sorted": (jnp.sort(jnp.array([3.0, -1.0, 2.0])), jnp.argsort(jnp.array([3, 1, 2])), jnp.unique(jnp.array([2, 1, 2]))),
             "scan": jax.lax.scan(lambda c, a: (c + a, c * a), 0.0, jnp.arange(5.0)),
             "gradient": jax.grad(lambda x: jnp.tanh(x).sum())(x),
             "strides": jnp.asarray(np.arange(24.0, dtype="float32").reshape(4, 6)[::-1, ::2].T),
             "closed": jax.jit(lambda y: y @ x)(jnp.ones((2, 3)))}
    for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32"):
        a = jnp.ones(3, name)
        found[name] = (a | a if name == "bool" else a * a + a).astype("float32")
    z = jnp.arange(10.0)
    seen = np.asarray(z)
    found["donated"] = jax.jit(lambda z: z + 1, donate_argnums=0)(z)
    found["seen before"] = seen
    found["moved"] = jax.device_put(np.ones(3), jax.devices()[0]) * 2
    return found


def matrices():
    """Decompositions: what is unique of them, and what their factors give."""
    a = jnp.sin(jnp.arange(20.0)).reshape(5, 4)
    square, adjoint = jnp.cos(jnp.arange(25.0) ** 1.5).reshape(5, 5), lambda x: jnp.swapaxes(x, -1, -2).conj()
    z = jax.lax.complex(square, square.T ** 2)

    def eigh(x):
        values, vectors = jnp.linalg.eigh(x)
        return values, (vectors * values[..., None, :]) @ adjoint(vectors), adjoint(vectors) @ vectors

    def svd(x, full):
        left, values, right = jnp.linalg.svd(x, full_matrices=full)
        count = values.shape[-1]
        return (values, (left[..., :count] * values[..., None, :]) @ right[..., :count, :], adjoint(left) @ left, right @ adjoint(right))

    def qr(x, mode):
        q, r = jnp.linalg.qr(x, mode=mode)
        return q @ r, jnp.abs(r), adjoint(q) @ q

    triangle = jnp.linalg.cholesky(square @ square.T + jnp.eye(5))
    return {"eigh": eigh(square + square.T), "eigh complex": [jnp.real(x) for x in eigh(z + adjoint(z))],
            "eigh batch": eigh(jnp.stack([square + square.T, jnp.eye(5)])),
            "svd": svd(a, False), "svd full": svd(a.T, True), "svd complex": [jnp.real(x) for x in svd(z, False)],
            "qr": qr(a, "reduced"), "qr full": qr(a, "complete"),
            "derived": (jnp.linalg.pinv(a), jnp.linalg.lstsq(a, a[:, :1])[0], jnp.linalg.matrix_rank(a), jnp.linalg.cond(square)),
            "gradient": jax.grad(lambda x: jnp.sum(jnp.linalg.eigh(x + x.T)[0] ** 3))(square),
            "solved": (jnp.linalg.solve(square, a), jnp.linalg.inv(square), jnp.linalg.slogdet(square),
                       jax.scipy.linalg.cho_solve((triangle, True), a), jax.scipy.linalg.lu(square),
                       jax.lax.linalg.tridiagonal_solve(a[:, 0].at[0].set(0), a[:, 1] + 5, a[:, 2].at[-1].set(0), a)),
            "not finite": (jnp.isnan(jnp.linalg.eigh(jnp.full((2, 2), jnp.nan))[0]), jnp.isnan(jnp.linalg.cholesky(-jnp.eye(2))))}


def loop():
    """Fifty steps of a small network with batch norm and dropout."""
    import flax.linen as nn
    import optax

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x, train=True):
            x = nn.Conv(8, (3, 3))(x)
            x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
            x = nn.max_pool(x, (2, 2), (2, 2)).reshape(x.shape[0], -1)
            return nn.Dense(10)(nn.Dropout(0.1, deterministic=not train)(x))

    net, key = Net(), jax.random.key(0)
    images, labels = jax.random.normal(key, (64, 8, 8, 3)), jax.random.randint(key, (64,), 0, 10)
    variables = net.init({"params": key, "dropout": key}, images[:8])
    optimizer = optax.chain(optax.clip_by_global_norm(1.0),
                            optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 1e-2, 10, 100), weight_decay=1e-2))
    params, stats = variables["params"], variables["batch_stats"]
    state = optimizer.init(params)

    @jax.jit
    def step(params, stats, state, key, x, y):
        def loss(p):
            out, new = net.apply({"params": p, "batch_stats": stats}, x, rngs={"dropout": key}, mutable=["batch_stats"])
            return optax.softmax_cross_entropy_with_integer_labels(out, y).mean(), new
        (value, new), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), new["batch_stats"], state, value

    losses = []
    for number in range(50):
        key, sub = jax.random.split(key)
        at = number * 16 % 64
        params, stats, state, value = step(params, stats, state, sub, jax.device_put(images[at:at + 16]), labels[at:at + 16])
        losses.append(float(value))
    return {"losses": np.array(losses)}


def sharded():
    """Four devices where there are: steps with donation, layouts that nobody gave, other devices, collectives."""
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    count = jax.device_count()
    mesh = jax.make_mesh((2, 2) if count == 4 else (1, 1), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    place = lambda *spec: NamedSharding(mesh, P(*spec))
    x = jax.device_put(jnp.arange(64.0).reshape(8, 8), place("data", "model"))
    found = {"eager": (jnp.sin(x), x @ x.T, x.sum(), x[2:5, 1]),
             "moved": jax.device_put(x, place(None, "data")),
             "uneven": jax.jit(lambda x: jnp.concatenate([x.sum(0)[:3], x[0, :2]]))(x),
             "shards": jax.shard_map(lambda a: jax.lax.psum(a, "data"), mesh=mesh, in_specs=P("data"), out_specs=P())(x)
             if count == 4 else x[:4] + x[4:],
             "elsewhere": jax.device_put(jnp.ones(3), jax.devices()[-1]) * 2}
    if count == 4:
        assert jnp.sin(x).sharding.is_equivalent_to(x.sharding, 2), jnp.sin(x).sharding
        assert (jax.device_put(jnp.ones(3), jax.devices()[2]) * 2).devices() == {jax.devices()[2]}
        assert {shard.data.shape for shard in x.addressable_shards} == {(4, 4)}

    def step(w, v, x):
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - 1) ** 2))(w)
        v = 0.9 * v + gradient
        return w - 0.1 * v, v, value

    step = jax.jit(step, donate_argnums=(0, 1), out_shardings=(place(None, "model"), place(None, "model"), None))
    w = jax.device_put(jnp.ones((8, 4)) * 0.01, place(None, "model"))
    v, batch = jnp.zeros_like(w), x / 64
    for _ in range(3):
        old = w
        w, v, value = step(w, v, batch)
        assert old.is_deleted()
    found["trained"] = (w, v, value)
    return found


if __name__ == "__main__":
    form = {"eager": eager, "matrices": matrices, "loop": loop, "sharded": sharded}[sys.argv[1]]
    print(json.dumps({"platform": jax.default_backend(), **{name: leaves(value) for name, value in form().items()}}))

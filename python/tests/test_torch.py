# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ATen and their gradients, traced, imported and run, against torch itself."""
import importlib.util
import math
import unittest

import dmc
from support import needs_torch

if importlib.util.find_spec("torch"):
    import torch
    import torch.nn.functional as F


class Case(unittest.TestCase):
    def setUp(self):
        import dmc.torch
        from dmc.torch.trace import trace
        self.trace = trace
        torch.manual_seed(1)

    def load(self, function, *inputs, **options):
        return dmc.torch.import_graph(self.trace(function, inputs), **options)

    def run_program(self, program, inputs, mesh=None):
        from dmc.torch.result import TORCH_DTYPES
        from dmc.torch.tensors import to_array, to_tensor
        session = dmc.compile(program, mesh=mesh or {"data": 1}, progress=False).load()
        for index, x in enumerate(inputs):
            session.set(index, to_array(x))
        session.step()
        return [to_tensor(session.result(i), TORCH_DTYPES[value.type]) for i, value in enumerate(session.results)]

    def check(self, function, *inputs, mesh=None, gradients=True, tolerance=1e-4):
        """Results, and the gradients of weighted sums of those that have one."""
        def both(*given):
            own = [x.detach().clone().requires_grad_(gradients and x.is_floating_point()) for x in given]
            with torch.enable_grad():
                results = function(*own)
            results = list(results) if isinstance(results, (tuple, list)) else [results]
            sources, ends = [x for x in own if x.requires_grad], [x for x in results if x.requires_grad]
            found = [x.detach() for x in results]
            if sources and ends:
                weights = [torch.linspace(0.5, 1.5, x.numel(), dtype=x.dtype).reshape(x.shape) for x in ends]
                found += [x for x in torch.autograd.grad(ends, sources, weights, allow_unused=True) if x is not None]
            return found

        expected = both(*inputs)
        found = self.run_program(self.load(both, *inputs), inputs, mesh)
        for i, (got, want) in enumerate(zip(found, expected, strict=True)):
            torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance / 10, equal_nan=True, msg=lambda text: f"result {i}: {text}")


@needs_torch
class Operators(Case):
    def test_arithmetic(self):
        x, n = torch.randn(3, 4), torch.arange(-6, 6).reshape(3, 4)
        self.check(lambda x, n: (x + n, torch.sub(x, n, alpha=2), n / 2, n + True, x * 2, 1 - x, x / (n * n + 1), x**3, x**2,
                                 2.0**x, (x * x) ** 0.5, n // 4, -n // 3, n % 4, x % 0.7, torch.fmod(x, 0.7), x.detach() // 0.3,
                                 torch.div(n, 4, rounding_mode="trunc"), torch.fmod(n, 5), n.bool(), x.to(torch.int32)), x, n)

    def test_functions(self):
        x = torch.rand(3, 4) * 0.8 + 0.1
        names = ("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "rsqrt", "sigmoid", "tanh", "sin", "cos", "tan", "erf",
                 "erfc", "erfinv", "abs", "neg", "reciprocal", "square", "asin", "acos", "atan", "sinh", "cosh", "asinh", "atanh",
                 "lgamma", "digamma", "exp2")
        self.check(lambda x: [getattr(torch, name)(x) for name in names[:-2]] + [torch.acosh(x + 1)], x)
        self.check(lambda x: [torch.digamma(x), torch.exp2(x), torch.atan2(x, x + 1), torch.hypot(x, x * 2)], x, gradients=False)

    def test_rounding_and_signs(self):
        x = torch.tensor([-2.5, -1.5, -0.4, 0.0, 0.5, 1.5, 2.6, math.inf, math.nan])
        self.check(lambda x: (x.round(), x.floor(), x.ceil(), x.trunc(), x.sign(), x.isnan(), x.isinf(), x.isfinite(), x.signbit(),
                              torch.fmax(x, x.flip(0)), torch.maximum(x, x.flip(0)), torch.copysign(x, -x),
                              x.nan_to_num(1.0, 2.0, 3.0)), x, gradients=False)

    def test_comparisons_and_bits(self):
        x, n = torch.randn(3, 4), torch.arange(-6, 6).reshape(3, 4)
        self.check(lambda x, n: (n > 1.5, x <= 0, n == 3, x != n, torch.where(n > 0, x, n), n & 3, n | 8, n ^ 5, ~n, n << 2, n >> 1,
                                 torch.logical_and(n, x > 0), torch.logical_not(n), x.masked_fill(n > 0, 2.0), x.clamp(max=0.5),
                                 x.clamp(-0.5, 0.5), n.clamp(min=1), torch.minimum(x, x * 2)), x, n)

    def test_activations(self):
        x = torch.randn(3, 8)
        self.check(lambda x: [F.relu(x), F.leaky_relu(x, 0.2), F.elu(x), F.selu(x), F.celu(x), F.gelu(x), F.gelu(x, approximate="tanh"),
                              F.silu(x), F.mish(x), F.hardtanh(x), F.relu6(x * 5), F.hardswish(x), F.hardsigmoid(x), F.softplus(x),
                              F.logsigmoid(x), F.glu(x), F.softshrink(x), F.hardshrink(x), F.threshold(x, 0.1, 2.0), F.softsign(x),
                              F.prelu(x, x[0, :1]), F.softmax(x, 1), F.log_softmax(x, 0), F.normalize(x)], x)

    def test_shapes(self):
        x = torch.randn(2, 3, 4)
        self.check(lambda x: (x.transpose(0, -1) + 0, x[:, -1] + 0, x[:, 1:, ::2] + 0, torch.cat([x, x * 2], 1), x.flip(1),
                              x[:1].expand(2, 3, 4) + 0, F.pad(x, (1, 2, 0, 1)), x.repeat(2, 1, 2), torch.stack([x, x], 1),
                              *x.split(2, 2), *x.unbind(1), x.roll(1, 2), x.roll(5), x.tril(), x.triu(1), x.diagonal(0, 1, 2) + 0,
                              torch.diag_embed(x[0]), x.unfold(2, 2, 1) + 0, x.permute(2, 0, 1).reshape(4, 6), x.movedim(0, 2) + 0,
                              x.repeat_interleave(2, 1), *x.chunk(3, 1), x.squeeze(0) + 0, x.unsqueeze(-1) + 0,
                              F.pad(x, (1, 1), mode="replicate"), F.pad(x, (2, 1), mode="reflect"), F.pad(x, (1, 2), mode="circular"),
                              torch.einsum("abc,dbc->ad", x, x), x.as_strided((2, 2), (1, 5)) + 0), x)

    def test_groups(self):
        """Of three experts, the second of which has no row."""
        offsets = torch.tensor([3, 3, 8], dtype=torch.int32)
        function = lambda left, right: torch._grouped_mm(left, right, offs=offsets)
        for shapes in (((8, 16), (3, 16, 24)), ((3, 24, 16), (16, 8))):
            self.check(function, *(torch.randint(-3, 4, shape).bfloat16() for shape in shapes), gradients=False, tolerance=0)
            # Sums of bfloat16 numbers are rounded in another order.
            self.check(function, *(torch.randn(shape).bfloat16() for shape in shapes), tolerance=0.2)
        self.check(torch._grouped_mm, *(torch.randint(-3, 4, shape).bfloat16() for shape in ((3, 16, 8), (3, 8, 16))), tolerance=0.2)
        # What is behind the last group torch leaves undefined.
        fewer, rows = torch.tensor([3, 3, 7], dtype=torch.int32), torch.arange(8)[:, None] < 7
        self.check(lambda left, right: torch.where(rows, torch._grouped_mm(left, right, offs=fewer), 0),
                   *(torch.randint(-3, 4, shape).bfloat16() for shape in ((8, 16), (3, 16, 24))), gradients=False, tolerance=0)

    def test_histograms(self):
        x = torch.tensor([0.0, 1.0, 1.0, 3.0, 2.5, -1.0, 4.0, 4.5])
        self.check(lambda x: (torch.histc(x, 4, 0, 4), torch.histc(x, 3), torch.histc(x, 5, 0, 3), torch.histc(x * 0 + 2, 4)), x, gradients=False)

    def test_changes_in_place(self):
        def function(x):
            y = x.clone()
            y[:, 1] = 3.0
            y[0].mul_(2)
            y.view(-1)[::3].add_(1)
            y.t()[1:, 0].zero_()
            y.diagonal().fill_(7)
            z = torch.zeros(4, 4)
            z[1:3, 1:3] = y[:2, :2]
            z.masked_fill_(z > 6, -1)
            return y, z, y.narrow(1, 0, 2) + 0

        self.check(function, torch.randn(4, 4))

    def test_creation(self):
        x = torch.randn(3, 3)
        self.check(lambda x: (torch.arange(5), torch.arange(1.0, 2.0, 0.25), torch.arange(7, 1, -2), torch.ones(2) + x[0, :2], torch.eye(3) + x,
                              torch.zeros_like(x), x.new_full((2,), 3.0), torch.full((2, 2), True), torch.linspace(0, 1, 5),
                              torch.tril_indices(3, 3), torch.tensor([1.0, 2.0, 3.0]) + x), x)

    def test_reductions(self):
        x = torch.randn(2, 3, 4)
        self.check(lambda x: (x.sum(), x.sum(-1), x.mean((0, 2), keepdim=True), x.amax(1), x.amin((0, 1)), x.prod(1), x.prod(),
                              x.var(1), x.std((0, 2), correction=0), *torch.var_mean(x, (1,)), x.logsumexp(1), x.norm(), x.norm(p=1, dim=1),
                              torch.linalg.vector_norm(x, 3.0, 2), x.cumsum(1), (x * 0.5).cumprod(2), x.logcumsumexp(1)), x)
        self.check(lambda x: (x.argmax(), x.argmax(1), x.argmin(2, keepdim=True), (x > 0).any(1), (x > -9).all(), (x > 0).sum(1),
                              x.aminmax(), *torch.max(x, 1), *torch.cummax(x, 1)[:2], x.count_nonzero())[:6], x, gradients=False)

    def test_sorts(self):
        x = torch.tensor([[3.0, 1.0, 2.0, 1.0], [0.0, -1.0, 5.0, 4.0]])
        self.check(lambda x: (*torch.sort(x, stable=True), *torch.sort(x, dim=0, descending=True, stable=True), *torch.topk(x, 2),
                              *torch.topk(x, 3, 1, False), x.argsort(stable=True), *torch.kthvalue(x, 2), *torch.median(x, 1), x.median(),
                              *torch.max(x, 1), *torch.min(x, 0), x.quantile(0.3, 1)), x)
        self.check(lambda x: (torch.searchsorted(torch.arange(5.0), x), torch.bucketize(x, torch.arange(5.0), right=True)), x)

    def test_products(self):
        a, b, c = torch.randn(3, 4), torch.randn(4, 5), torch.randn(2, 3, 4)
        self.check(lambda a, b, c: (a @ b, c @ b, a[0] @ b, a @ b[:, 0], a[0].dot(b[:, 0]), torch.bmm(c, c.transpose(1, 2)),
                                    torch.addmm(a[:, :1], a, b, beta=0.5, alpha=2), torch.baddbmm(c[:, :, :3], c, c.mT), F.linear(c, b.t()),
                                    torch.cdist(a, a + 1), torch.outer(a[0], b[0]), F.bilinear(a, a, c[:, :, :].permute(0, 2, 1)[:, :, :1]
                                                                                               .expand(2, 4, 4).contiguous())), a, b, c)

    def test_indexing(self):
        x, n, m = torch.randn(5, 3, 4), torch.tensor([[0, 4], [2, -1]]), torch.tensor([[[1, 0, 2, 2]], [[0, 0, 1, 2]]])
        self.check(lambda x, n, m: (x[n], x[:, torch.tensor([0, 2])], x[n, :, n % 4], x[n % 3, n % 3], x[:, torch.tensor([0, 2]), torch.tensor([1, 1])],
                                    x[torch.tensor([1, 2]), :, torch.tensor([0, 3])], x.gather(1, m), x.index_select(2, m[0, 0]),
                                    x.scatter(1, m, 2.0), x.scatter_add(1, m, x[:2, :1] * 2), x.index_add(2, m[1, 0], x * 3),
                                    x.index_put((n[0],), x[:2], accumulate=True), x.index_copy(0, n[0], x[3:]), x[:2].take_along_dim(m, 1),
                                    x.scatter_reduce(1, m, x[:2, :1] + 3, "amax"), x.index_fill(1, m[0, 0, :2], 5.0), x.masked_fill(x > 1, 0),
                                    x.masked_scatter(x.detach() > 0, x * 2)), x, n, m)

    def test_mask_assignment(self):
        def function(x):
            y = x.clone()
            y[x > 0] = 2.0
            return y

        self.check(function, torch.randn(4, 3))

    def test_embeddings(self):
        table, n = torch.randn(6, 3), torch.tensor([[0, 4, 2], [2, 4, 4]])
        offsets, weights = torch.tensor([0, 2, 2, 5]), torch.rand(6)
        self.check(lambda t, n: (F.embedding(n, t), F.embedding(n, t, padding_idx=4), F.embedding(n, t, scale_grad_by_freq=True)), table, n)
        for mode in ("sum", "mean"):
            self.check(lambda t, n, o: (F.embedding_bag(n.view(-1), t, o, mode=mode), F.embedding_bag(n, t, mode=mode, padding_idx=2)),
                       table, n, offsets)
        self.check(lambda t, n, o, w: F.embedding_bag(n.view(-1), t, o, mode="sum", per_sample_weights=w), table, n, offsets, weights)
        # Equal maxima are those of the first; one bag is empty, and one has the padding alone.
        n, offsets = torch.tensor([0, 4, 4, 2, 2, 5, 1, 5, 3]), torch.tensor([0, 3, 3, 6, 7])
        table[5] = table[2]
        self.check(lambda t, n, o: (F.embedding_bag(n, t, o, mode="max"), F.embedding_bag(n[:8].view(2, 4), t, mode="max"),
                                    F.embedding_bag(n, t, o, mode="max", padding_idx=1),
                                    F.embedding_bag(n, t, o, mode="max", include_last_offset=True)), table, n, offsets)

    def test_losses(self):
        x, n, y = torch.randn(6, 4), torch.tensor([0, 3, 1, 2, 2, -100]), torch.rand(6, 4)
        self.check(lambda x, n, y: (F.cross_entropy(x, n), F.cross_entropy(x, n, y[0].detach(), label_smoothing=0.1, reduction="sum"), F.cross_entropy(x, y),
                                    F.nll_loss(x, n, reduction="none"), F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y),
                                    F.huber_loss(x, y), F.kl_div(x, y, reduction="batchmean"), F.binary_cross_entropy(torch.sigmoid(x), y),
                                    F.binary_cross_entropy_with_logits(x, y, pos_weight=y[0].detach()), F.cosine_similarity(x, y),
                                    F.poisson_nll_loss(x, y), F.triplet_margin_loss(x, y, x.flip(0))), x, n, y)

    def test_alignments(self):
        """CTC: lengths as tensors and as numbers, rows of labels and one line of them, repeated labels, labels of none, and
        inputs that are too short."""
        logs, labels = torch.randn(6, 4, 6), torch.tensor([[1, 1, 2], [3, 4, 0], [2, 2, 2], [1, 2, 3]])
        counts, lengths = torch.tensor([3, 2, 3, 0]), torch.tensor([6, 4, 4, 5])
        self.check(lambda x, y, n, t: (F.ctc_loss(x.log_softmax(2), y, t, n, zero_infinity=True),
                                       F.ctc_loss(x.log_softmax(2), y, (6, 6, 5, 6), (3, 2, 2, 0), reduction="none"),
                                       F.ctc_loss(x.log_softmax(2), y.flatten()[:8], (6, 6, 6, 6), (3, 2, 2, 1), 5, "sum"),
                                       F.ctc_loss(x[:, 0].log_softmax(1), y[0], (6,), (3,))), logs, labels, counts, lengths)
        short = torch.tensor([4, 4, 3, 5])
        self.check(lambda x, y, n, t: F.ctc_loss(x, y, t, n, reduction="none"), logs.log_softmax(2), labels, counts, short,
                   gradients=False)

    def test_norms(self):
        x, w = torch.randn(4, 6, 5), torch.randn(6)
        self.check(lambda x, w: (F.layer_norm(x, (5,), w[:5], w[1:]), F.group_norm(x, 3, w, w), F.instance_norm(x, weight=w),
                                 F.batch_norm(x, None, None, w, w, True), F.batch_norm(x, w.detach(), w.detach().abs() + 1), F.rms_norm(x, (5,), w[1:]),
                                 F.local_response_norm(x, 2)), x, w)

    def test_narrow_floats(self):
        x = torch.randn(4, 6)
        for dtype in (torch.bfloat16, torch.float16):
            self.check(lambda x: (x + 1, x * 0.3, x.exp(), x.sum(), x.mean(1), x.softmax(1), x @ x.t(), F.layer_norm(x, (6,)), x.float() * 2,
                                  F.gelu(x), x.cumsum(1)), x.to(dtype), tolerance=4e-2)
        self.check(lambda x: (x * 0.3, x.exp(), x.var(1), x.double() @ x.t()), x.double())

    def test_on_a_mesh(self):
        """Values are those of one device where arguments are split."""
        x, w, v = torch.randn(8, 6), torch.randn(6, 10), torch.randn(10, 4)
        self.check(lambda x, w, v: (torch.tanh(x @ w) @ v).pow(2).mean(), x, w, v, mesh={"data": 2, "model": 2})


@needs_torch
class ComplexNumbers(Case):
    def check(self, function, *inputs, **options):
        """Complex numbers as pairs at the boundary."""
        pairs = [x.is_complex() for x in inputs]

        def real(*given):
            found = function(*(torch.view_as_complex(x) if is_pair else x for x, is_pair in zip(given, pairs)))
            return [torch.view_as_real(x.resolve_conj()) if x.is_complex() else x
                    for x in (found if isinstance(found, (tuple, list)) else [found])]

        super().check(real, *(torch.view_as_real(x) if is_pair else x for x, is_pair in zip(inputs, pairs)), **options)

    def test_arithmetic(self):
        x, y, r = torch.randn(3, 4, dtype=torch.cfloat), torch.randn(3, 4, dtype=torch.cfloat), torch.rand(3, 4) + 0.5
        self.check(lambda x, y, r: (x + y, x - 2, 1j * x, x * r, x / y, x.conj() * y, -x, x.abs(), x.angle(), x.real * 2, x.imag, x**2, x.sgn(),
                                    torch.complex(r, r * 2), torch.polar(r, r + 1), x.sum(), x.mean(1), x @ y.mT, x @ y.mH,
                                    torch.einsum("ab,cb->ac", x, y.conj()), torch.where(r > 1, x, y), torch.cat([x, y], 1)[:, 1:6],
                                    x.reciprocal(), torch.stack([x, y]).transpose(0, 2) + 0, torch.view_as_real(x) * 3), x, y, r)
        self.check(lambda x, y: (x == y, x != x, x.isnan(), torch.zeros_like(x) + 1, y.to(torch.complex128)), x, y, gradients=False)

    def test_functions(self):
        x = torch.randn(3, 4, dtype=torch.cfloat)
        self.check(lambda x: (x.exp(), x.log(), x.sqrt(), x.sin(), x.cos(), x.tanh(), x.sigmoid(), x.cumsum(1), x[:, 1] * 2), x)

    def test_transforms(self):
        x, z, fft = torch.randn(3, 4, 6), torch.randn(3, 4, 5, dtype=torch.cfloat), torch.fft
        self.check(lambda x, z: (fft.fft(z), fft.ifft(z, norm="ortho"), fft.fft2(z, norm="forward"), fft.ifftn(z), fft.rfft(x), fft.rfft(x, 5, 1),
                                 fft.rfft2(x, norm="ortho"), fft.irfft(z), fft.irfft2(z, s=(4, 7)), fft.irfftn(z, norm="forward"), fft.fft(x),
                                 fft.hfft(z, 6), fft.fftshift(z) * 2, fft.fft(z, 3, 0), fft.fft2(x).real), x, z)

    def test_arguments_and_results(self):
        """Of a program they are arrays of pairs, or of complex numbers."""
        x = torch.randn(3, dtype=torch.cfloat)
        session = dmc.compile(self.load(lambda x: [x * (2 + 1j)], x), progress=False).load()
        for array in (x.numpy(), torch.view_as_real(x).numpy()):
            (result,) = session(array)
            torch.testing.assert_close(torch.view_as_complex(torch.from_numpy(result)), x * (2 + 1j))


@needs_torch
class Windows(Case):
    def test_convolutions(self):
        cases = [(1, {}), (1, dict(stride=2, padding=1)), (2, dict(stride=(2, 1), padding=(1, 0), dilation=(1, 2))),
                 (4, dict(padding=1)), (2, dict(stride=3, dilation=2, padding=2))]
        for groups, options in cases:
            with self.subTest(groups=groups, **options):
                x, w, b = torch.randn(2, 4, 9, 8), torch.randn(8, 4 // groups, 3, 2), torch.randn(8)
                self.check(lambda x, w, b: F.conv2d(x, w, b, groups=groups, **options), x, w, b)

    def test_transposed_convolutions(self):
        cases = [(1, {}), (1, dict(stride=2, padding=1, output_padding=1)), (2, dict(stride=(2, 3), output_padding=(1, 2), padding=1)),
                 (2, dict(stride=2, dilation=2, padding=(1, 0)))]
        for groups, options in cases:
            with self.subTest(groups=groups, **options):
                x, w, b = torch.randn(2, 4, 5, 4), torch.randn(4, 6 // groups, 3, 2), torch.randn(6)
                self.check(lambda x, w, b: F.conv_transpose2d(x, w, b, groups=groups, **options), x, w, b)

    def test_other_numbers_of_dimensions(self):
        line, solid = torch.randn(2, 3, 9), torch.randn(1, 2, 5, 4, 4)
        self.check(lambda x, w: (F.conv1d(x, w, stride=2), F.conv1d(x[0], w), F.conv_transpose1d(x, w.transpose(0, 1), stride=2)), line,
                   torch.randn(4, 3, 3))
        self.check(lambda x, w: F.conv3d(x, w, padding=1), solid, torch.randn(2, 2, 3, 2, 2))

    def test_pools(self):
        x = torch.randn(2, 3, 9, 7) - 2  # what padding adds must not be a maximum
        self.check(lambda x: (F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, ceil_mode=True), F.max_pool2d(x, 2, 2, dilation=2),
                              F.max_pool2d(x, (3, 2), (1, 2)), *F.max_pool2d(x, 3, 2, 1, return_indices=True)), x)
        self.check(lambda x: (F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
                              F.avg_pool2d(x, (3, 2), (2, 1), divisor_override=5), F.avg_pool2d(x, 3, 2, 1, ceil_mode=True)), x)
        self.check(lambda x: (F.adaptive_avg_pool2d(x, (4, 3)), F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, (4, 3)),
                              F.adaptive_avg_pool1d(x[0], 3), F.max_pool1d(x[0], 3, 2), F.avg_pool1d(x[0], 2)), x)
        solid = torch.randn(1, 2, 5, 4, 4)
        self.check(lambda x: (F.max_pool3d(x, 2), F.avg_pool3d(x, 2), F.adaptive_avg_pool3d(x, 2)), solid)

    def test_interpolation(self):
        x = torch.randn(2, 3, 5, 4)
        resize = F.interpolate
        self.check(lambda x: (resize(x, scale_factor=2.0), resize(x, size=(7, 9)), resize(x, size=(3, 2)), resize(x, size=(7, 3), mode="nearest-exact"),
                              resize(x, size=(10, 8), mode="bilinear"), resize(x, size=(7, 3), mode="bilinear", align_corners=True),
                              resize(x, scale_factor=1.7, mode="bilinear"), resize(x, size=(7, 9), mode="bicubic"), resize(x[0], size=7),
                              resize(x[0], size=9, mode="linear"), F.pixel_shuffle(x.reshape(2, 12, 5, 1), 2),
                              F.pixel_unshuffle(x.reshape(2, 6, 2, 5)[..., :4], 2)), x)
        self.check(lambda x: (resize(x, size=(4, 3, 6), mode="trilinear"), resize(x, scale_factor=2)), torch.randn(1, 2, 3, 3, 4))

    def test_attention(self):
        q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 4)
        mask = torch.rand(5, 6) > 0.3
        attend = F.scaled_dot_product_attention
        self.check(lambda q, k, v, m: (attend(q, k, v), attend(q, k, v, attn_mask=m), attend(q, k, v, scale=0.3), attend(q, k[:, :, :5], v[:, :, :5], is_causal=True)),
                   q, k, v, mask)

    def test_gradients_of_decompositions(self):
        x, grid, v, g = torch.randn(2, 3, 5, 4), torch.rand(2, 4, 3, 2) * 2.4 - 1.2, torch.randn(6, 4), torch.rand(6, 1) + 1
        sample = F.grid_sample
        self.check(lambda x, grid, v, g: (sample(x, grid, align_corners=False), sample(x, grid, "nearest", "border", True), torch._weight_norm(v, g, 0),
                                          sample(x, grid, padding_mode="reflection", align_corners=True)), x, grid, v, g)
        self.check(lambda x, n: F.multi_margin_loss(x, n), torch.randn(5, 4), torch.tensor([0, 3, 1, 2, 2]))

    def test_samples_of_volumes(self):
        x, grid = torch.randn(2, 3, 4, 5, 3), torch.rand(2, 2, 3, 2, 3) * 3 - 1.5
        for padding in ("zeros", "border", "reflection"):
            for corners in (False, True):
                with self.subTest(padding=padding, corners=corners):
                    self.check(lambda x, grid: [F.grid_sample(x, grid, mode, padding, corners) for mode in ("bilinear", "nearest")],
                               x, grid)

    def test_windows_as_columns(self):
        self.check(lambda x: (F.unfold(x, 2, stride=2), F.fold(F.unfold(x, 3, padding=1), (5, 4), 3, padding=1),
                              F.max_unpool2d(*F.max_pool2d(x[:, :, :4], 2, return_indices=True), 2)), torch.randn(2, 3, 5, 4))

    def test_functions_of_the_user(self):
        """A torch.autograd.Function, whose backward is not the derivative."""
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, gradient):
                return gradient * ctx.saved_tensors[0]

        self.check(Cube.apply, torch.randn(3, 4))

    def test_fused_attention(self):
        """The fused operator of processors and its gradient, where a graph has them."""
        from torch.fx.experimental.proxy_tensor import make_fx
        operator = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        gradient = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
        q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))

        def step(q, k, v):
            result, logs = operator(q, k, v, 0.0, True)
            return result, *gradient(torch.ones_like(result), q, k, v, result, logs, 0.0, True)

        found = self.run_program(dmc.torch.import_graph(make_fx(step, tracing_mode="fake")(q, k, v)), [q, k, v])
        for got, want in zip(found, step(q, k, v), strict=True):
            torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)


@needs_torch
class RandomNumbers(Case):
    def draw(self, function, **options):
        program = self.load(function, torch.zeros(64, 64), **options)
        return self.run_program(program, [torch.zeros(64, 64), *([options["value"]] if "value" in options else [])])

    def test_distributions(self):
        def function(x):
            return (torch.rand_like(x), torch.randn_like(x), torch.bernoulli(torch.full_like(x, 0.3)), torch.randint(0, 7, (64, 64)),
                    F.dropout(x + 1, 0.25), torch.empty_like(x).uniform_(2, 4), torch.randperm(64), torch.normal(x, 2.0),
                    torch.empty_like(x).exponential_(2.0), torch.multinomial(torch.tensor([0.2, 0.0, 0.8]), 1000, True))

        uniform, normal, chance, integers, dropped, between, order, wide, decay, choice = self.draw(function, seed=5)
        self.assertTrue(0 <= uniform.min() and uniform.max() < 1)
        for tensor, mean, deviation in ((uniform, 0.5, 12**-0.5), (normal, 0, 1), (chance, 0.3, 0.21**0.5), (integers.double(), 3, 2),
                                        (dropped, 1, 3**-0.5), (between, 3, 2 * 12**-0.5), (wide, 0, 2), (decay, 0.5, 0.5)):
            self.assertAlmostEqual(float(tensor.mean()), mean, delta=5 * deviation / 64)
            self.assertAlmostEqual(float(tensor.std()), deviation, delta=0.1 * deviation)
        self.assertEqual(sorted(order.tolist()), list(range(64)))
        self.assertAlmostEqual(float((choice == 2).double().mean()), 0.8, delta=0.06)
        self.assertFalse(bool((choice == 1).any()))

    def test_keys(self):
        function = lambda x: torch.rand_like(x)
        (first,), (again,), (other,) = (self.draw(function, seed=seed) for seed in (1, 1, 2))
        self.assertTrue(torch.equal(first, again))
        self.assertLess(abs(float(((first - 0.5) * (other - 0.5)).mean())), 0.01)
        two = self.draw(lambda x: (torch.rand_like(x), torch.rand_like(x)), seed=1)
        self.assertTrue(torch.equal(two[0], first))
        self.assertLess(abs(float(((two[0] - 0.5) * (two[1] - 0.5)).mean())), 0.01)
        # As an argument: the seed, and a counter.
        program = self.load(function, torch.zeros(64, 64), key="key")
        self.assertEqual(program.arguments, ("x" if "x" in program.arguments else program.arguments[0], "key"))
        for counter, same in ((0, True), (1, False)):
            (found,) = self.run_program(program, [torch.zeros(64, 64), torch.tensor([1, counter])])
            self.assertEqual(torch.equal(found, first), same)

    def test_the_same_on_a_mesh(self):
        program = self.load(lambda x: torch.rand_like(x) + x, torch.zeros(6, 5), seed=3)
        one, four = (self.run_program(program, [torch.zeros(6, 5)], mesh) for mesh in (None, {"data": 4}))
        self.assertTrue(torch.equal(one[0], four[0]))


if __name__ == "__main__":
    unittest.main()

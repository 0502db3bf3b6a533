# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(..., backend="dmc") against eager mode: training, graph breaks, changes in place, views, buffers."""
import copy
import functools
import importlib.util
import logging
import unittest
from unittest import mock

import dmc
from support import needs_torch

if importlib.util.find_spec("torch"):
    import torch
    import torch.nn.functional as F
    from torch import nn


@needs_torch
class Compile(unittest.TestCase):
    def setUp(self):
        import dmc.torch
        torch.manual_seed(1)
        torch._dynamo.reset()
        logging.getLogger("torch._dynamo").setLevel(logging.ERROR)  # it warns of graph breaks
        self.programs = dmc.torch.backend.PROGRAMS

    def check(self, model, *inputs, steps=2, **options):
        """Outputs, gradients and buffers of two calls."""
        twin = copy.deepcopy(model)
        fast = torch.compile(model, backend="dmc", **options)
        for _ in range(steps):
            results = []
            for function, module in ((fast, model), (twin, twin)):
                own = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
                found = function(*own)
                found = found if isinstance(found, tuple) else (found,)
                sum((x * x).sum() for x in found if x.requires_grad).backward()
                results.append((found, [x.grad for x in own], [p.grad for p in module.parameters()],
                                list(module.buffers()), own))
            torch.testing.assert_close(results[0], results[1], rtol=1e-4, atol=1e-5)

    def test_training(self):
        import torch_networks as networks
        for name in ("mixer", "bert", "resnet", "llama"):
            with self.subTest(name):
                model, inputs, targets, loss = networks.build(name)
                for got, want in zip(*networks.train_both(model, inputs, targets, loss), strict=True):
                    self.assertAlmostEqual(got, want, delta=1e-3 * want)

    def test_graph_break(self):
        class Breaks(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 4)

            def forward(self, x):
                x = torch.tanh(self.a(x))
                if x.sum().item() > -1e9:  # of data: torch splits the graph here
                    x = x * 2
                return self.b(x)

        before = self.programs.compilations
        self.check(Breaks(), torch.randn(3, 4, requires_grad=True))
        self.assertGreaterEqual(self.programs.compilations - before, 4)  # two graphs, each forward and backward

    def test_changes_in_place_views_and_buffers(self):
        class State(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(6))
                self.register_buffer("mean", torch.zeros(6))
                self.register_buffer("calls", torch.tensor(0))

            def forward(self, x, y):
                self.calls += 1
                self.mean.lerp_(x.detach().mean(0), 0.1)
                y[1:].mul_(2)  # the caller's tensor
                z = (x * self.weight).clone()
                z[:, 0] = 5.0
                z.view(-1)[3:5].add_(1)
                return z.t()[2:], z.reshape(2, -1), y.view(-1)

        self.check(State(), torch.randn(4, 6, requires_grad=True), torch.randn(4, 2))

    def test_batch_norm(self):
        self.check(nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU()), torch.randn(2, 3, 6, 6))

    def test_results_that_are_arguments_or_numbers(self):
        class Odd(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(3))

            def forward(self, x, n):
                return x, x * self.weight, torch.ones(2), n + 1, x.new_zeros(0, 3)

        self.check(Odd(), torch.randn(2, 3, requires_grad=True), torch.tensor([1, 2]))

    def test_memory_that_is_not_contiguous_or_aligned(self):
        weight = torch.randn(8, 5)
        function = torch.compile(lambda x: (x @ weight).relu(), backend="dmc")
        base = torch.randn(9, 8)
        for x in (base[:8].t(), base[1:], base.view(-1)[3:67].view(8, 8), base[::2], base[:1].expand(4, 8)):
            torch.testing.assert_close(function(x), (x @ weight).relu(), rtol=1e-4, atol=1e-5)

    def test_no_copies(self):
        """Memory that torch allocates is read and written as it is."""
        function = torch.compile(nn.Linear(8, 5), backend="dmc")
        x = torch.randn(4, 8)
        function(x)
        with mock.patch.object(dmc.Session, "set_memory", side_effect=AssertionError("a copy in")), \
                mock.patch.object(dmc.Session, "get_memory", side_effect=AssertionError("a copy out")):
            function(x).sum().backward()
            with self.assertRaisesRegex(AssertionError, "a copy in"):
                function(torch.randn(5, 8).view(-1)[1:33].view(4, 8))

    def test_changes_in_the_memory_of_arguments(self):
        """What a graph changes, buffers too, is changed where it is: the program is given the memory, and nothing is copied."""
        class State(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.BatchNorm1d(16)
                self.register_buffer("cache", torch.zeros(4, 16))

            def forward(self, x):
                self.cache[1:].copy_(self.cache[:-1].clone())
                self.cache[0] = x.detach().sum(0)
                return self.norm(x) + self.cache.sum(0)

        model = State()
        twin, function, x = copy.deepcopy(model), torch.compile(model, backend="dmc"), torch.randn(8, 16)
        function(x).sum().backward()
        twin(x)
        places = [buffer.data_ptr() for buffer in model.buffers()]
        with mock.patch.object(dmc.Session, "get_memory", side_effect=AssertionError("a copy out")), \
                torch.autograd.profiler.profile() as profile:
            function(x)
        self.assertNotIn("aten::copy_", {event.name for event in profile.function_events})
        twin(x)
        self.assertEqual([buffer.data_ptr() for buffer in model.buffers()], places)
        torch.testing.assert_close(list(model.buffers()), list(twin.buffers()))

    def test_changes_of_strided_and_unaligned_memory(self):
        def function(a, b, c, n):
            a.mul_(2)
            b[1:] += a.sum()
            c.t_().add_(1)
            n.fill_(3)

        fast, base = torch.compile(function, backend="dmc"), torch.randn(4, 9)
        with torch.no_grad():
            for _ in range(2):
                results = []
                for f in (fast, function):
                    own = base.clone()
                    inputs = own[:, 1:].t()[:3], own.view(-1)[1:5], torch.ones(2, 3), torch.ones(0)
                    f(inputs[0], torch.ones(5)[1:], *inputs[2:])
                    results.append((own, *inputs[1:]))
                torch.testing.assert_close(*results)

    def test_steps_of_an_optimizer(self):
        """Parameters, which require gradients, and the state of the optimizer are changed in place."""
        model = nn.Linear(16, 16)
        twin, x = copy.deepcopy(model), torch.randn(4, 16)
        optimizers = [torch.optim.AdamW(m.parameters(), 0.1) for m in (model, twin)]
        fast = torch.compile(optimizers[0].step, backend="dmc")
        places = [parameter.data_ptr() for parameter in model.parameters()]
        for _ in range(3):
            for m, step in ((model, fast), (twin, optimizers[1].step)):
                m.zero_grad()
                m(x).square().sum().backward()
                step()
        self.assertEqual([parameter.data_ptr() for parameter in model.parameters()], places)
        torch.testing.assert_close(list(model.parameters()), list(twin.parameters()), rtol=1e-4, atol=1e-5)

    def test_complex_numbers(self):
        class Filter(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(4, dtype=torch.cfloat))
                self.register_buffer("seen", torch.zeros(4, dtype=torch.cfloat))

            def forward(self, x):
                waves = torch.fft.fft(x) * self.weight
                self.seen += waves.detach().sum(0)
                return torch.fft.ifft(waves).real, torch.view_as_real(waves.conj().resolve_conj())

        self.check(Filter(), torch.randn(3, 4, requires_grad=True))
        function = torch.compile(lambda x, y: (x * y.conj(), x.mH), backend="dmc")
        x, y = torch.randn(2, 3, dtype=torch.cfloat), torch.randn(2, 3, dtype=torch.cfloat)
        for a, b in ((x, y), (x.conj(), y[:, 1:2]), (x.t().conj().t(), y)):
            torch.testing.assert_close(function(a, b), (a * b.conj(), a.mH))

    def test_types(self):
        def function(i, b, h, d):
            return i * 2 + b, ~b, h * 3, d / 3, i // 3, (i > 1).sum()

        inputs = torch.arange(4), torch.tensor([True, False, True, True]), torch.randn(4).bfloat16(), torch.randn(4).double()
        torch.testing.assert_close(torch.compile(function, backend="dmc")(*inputs), function(*inputs))

    def test_several_sizes(self):
        """A compilation for each, one program for calls of the same."""
        model = nn.Linear(4, 3)
        function = torch.compile(model, backend="dmc")
        for size in (2, 3, 5):
            x = torch.randn(size, 4)
            found = function(x)
            torch.testing.assert_close(found, model(x), rtol=1e-4, atol=1e-5)
            found.sum().backward()
        before = self.programs.compilations
        for size in (5, 3):
            function(torch.ones(size, 4)).sum().backward()
        self.assertEqual(self.programs.compilations, before)
        grown = torch.compile(model, backend="dmc", dynamic=True)
        for size in (7, 2):
            x = torch.randn(size, 4)
            torch.testing.assert_close(grown(x), model(x), rtol=1e-4, atol=1e-5)

    def test_programs_are_shared(self):
        build = lambda: torch.compile(nn.Linear(7, 3), backend="dmc")
        x = torch.randn(2, 7)
        build()(x)
        before = self.programs.compilations
        build()(x)
        self.assertEqual(self.programs.compilations, before)

    def test_constants_are_part_of_a_program(self):
        """Large ones, whose values its text does not have."""
        from dmc.torch.backend import _Compiled
        from dmc.torch.trace import trace
        x = torch.randn(3, 64)
        for _ in range(2):
            table = torch.randn(64, 64)
            compiled = _Compiled(trace(functools.partial(lambda table, x: [x @ table], table), [x]), None, {})
            torch.testing.assert_close(compiled(x)[0], x @ table, rtol=1e-3, atol=1e-4)

    def test_random_numbers(self):
        function = torch.compile(nn.Dropout(0.5), backend="dmc")
        x = torch.ones(1000, requires_grad=True)
        torch.manual_seed(3)
        first = function(x)
        second = function(x)
        torch.manual_seed(3)
        self.assertTrue(torch.equal(function(x), first))
        self.assertFalse(torch.equal(first, second))
        self.assertLess(abs(first.mean().item() - 1), 0.1)
        second.sum().backward()
        self.assertTrue(torch.equal(x.grad, second.detach()))  # the same mask

    def test_no_gradients(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.GELU())
        function, x = torch.compile(model, backend="dmc"), torch.randn(3, 4)
        with torch.no_grad():
            torch.testing.assert_close(function(x), model(x), rtol=1e-4, atol=1e-5)
        with torch.inference_mode():
            torch.testing.assert_close(function(x), model(x), rtol=1e-4, atol=1e-5)

    def test_mesh(self):
        model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        function, x = torch.compile(model, backend="dmc", options={"mesh": {"data": 2}, "batch": "data"}), torch.randn(6, 4)
        torch.testing.assert_close(function(x), model(x), rtol=1e-4, atol=1e-5)
        session = list(self.programs._sessions.values())[-1][0]
        dims = {value.shape: value.dims for value in session.arguments}
        self.assertEqual(dims, {(6, 4): (("data",), ()), (8, 4): ((), ()), (8,): ((),), (2, 8): ((), ()), (2,): ((),)})
        twin = copy.deepcopy(model)
        function(x).sum().backward()
        twin(x).sum().backward()
        for got, want in zip(model.parameters(), twin.parameters()):
            torch.testing.assert_close(got.grad, want.grad)
        with torch.no_grad():
            torch.testing.assert_close(function(x), model(x), rtol=1e-4, atol=1e-5)

@needs_torch
class CompileMistakes(unittest.TestCase):
    setUp = Compile.setUp

    def check(self, pattern, function, *inputs, **options):
        with self.assertRaisesRegex(Exception, pattern) as caught:
            torch.compile(function, backend="dmc", **options)(*inputs)
        found = caught.exception
        while found is not None and not isinstance(found, dmc.Error):
            found = getattr(found, "inner_exception", None) or found.__cause__ or found.__context__
        self.assertIsInstance(found, dmc.Error)
        self.assertNotIn("\n", found.message)
        return found

    def test_unknown_overload(self):
        error = self.check("unsupported operator aten.linalg_cholesky_ex.default", torch.linalg.cholesky, torch.eye(3))

        class Solver(nn.Module):
            def forward(self, x):
                return torch.linalg.cholesky(x)

        error = self.check("unsupported operator aten.linalg_cholesky_ex", nn.Sequential(nn.Identity(), Solver()), torch.eye(3))
        self.assertEqual(error.location.file, __file__)
        self.assertTrue(error.message.startswith("1: "), error.message)

    def test_other_types(self):
        self.check("unsupported element type torch.complex32", lambda x: x[1:], torch.ones(2).to(torch.complex32))

    def test_options(self):
        self.check("unknown option 'meshes' of the backend 'dmc', expected one of mesh", torch.sin, torch.ones(2),
                   options={"meshes": {}})
        self.check("unsupported mode 'max-autotune'", torch.sin, torch.ones(2), mode="max-autotune")
        self.check("the option 'batch' needs 'mesh'", torch.sin, torch.ones(2), options={"batch": "data"})
        self.check("no_such", torch.sin, torch.ones(2), options={"mesh": {"data": 2}, "strategy": "no_such"})


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The builder of StableHLO text: each operation compiles and gives numpy's numbers; mistakes are told."""
import unittest

import dmc
from support import needs_numpy


def run(arguments, build):
    """The results of the program that build(module, *values) adds operations to, on numpy arrays."""
    from dmc.stablehlo import Module, dtype_of
    module = Module("test")
    values = [module.argument(f"a{i}", array.shape, dtype_of(array)) for i, array in enumerate(arguments)]
    for i, value in enumerate(build(module, *values)):
        module.result(f"r{i}", value)
    return dmc.compile(module.text()).run(arguments)


@needs_numpy
class Operations(unittest.TestCase):
    def setUp(self):
        import numpy
        self.np = numpy
        self.random = numpy.random.default_rng(1)

    def check(self, arguments, build, expected, tolerance=1e-6):
        results = run(arguments, build)
        self.assertEqual(len(results), len(expected))
        for i, (got, want) in enumerate(zip(results, expected)):
            want = self.np.asarray(want)
            self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype), f"result {i}")
            self.np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=f"result {i}")

    def normal(self, *shape):
        return self.random.normal(size=shape).astype("float32")

    def test_floats(self):
        np = self.np
        x, y = self.normal(4, 5), self.normal(4, 5) * 2
        unary = {
            "abs": np.abs, "negate": np.negative, "sign": np.sign, "exponential": np.exp, "exponential_minus_one":
            np.expm1, "tanh": np.tanh, "sine": np.sin, "cosine": np.cos, "cbrt": np.cbrt, "floor": np.floor, "ceil":
            np.ceil, "round_nearest_even": np.round, "logistic": lambda v: 1 / (1 + np.exp(-v)), "is_finite":
            np.isfinite, "is_inf": np.isinf, "is_nan": np.isnan
        }
        positive = {"log": np.log, "log_plus_one": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v)}
        binary = {
            "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "remainder": np.fmod,
            "maximum": np.maximum, "minimum": np.minimum, "atan2": np.arctan2
        }
        self.check([x, y], lambda m, a, b: [getattr(m, name)(a) for name in unary] +
                   [getattr(m, name)(m.abs(a)) for name in positive] + [getattr(m, name)(a, b) for name in binary] + [
                       m.power(m.abs(a), b),
                       m.function("atan", a),
                       m.function("erf", m.multiply(a, 0.0)),
                       m.round_nearest_afz(m.constant([0.5, -1.5]))
                   ],
                   [f(x) for f in unary.values()] + [f(np.abs(x))
                                                     for f in positive.values()] + [f(x, y) for f in binary.values()] +
                   [np.abs(x)**y, np.arctan(x), 0 * x, np.array([1.0, -2.0])], 1e-5)

    def test_complex_numbers(self):
        """Results are pairs of parts."""
        np = self.np
        x, y = ((self.normal(3, 4) + 1j * self.normal(3, 4)).astype("complex64") for _ in range(2))
        odd = np.array([complex(np.inf, -1), complex(0, np.nan), 2j], "complex64")
        wide = (self.normal(5, 5) * 2j).astype("complex64")
        parts = lambda v: np.stack([v.real, v.imag], -1).astype("float32")
        self.check([x, y], lambda m, a, b: [
            m.add(a, b), m.multiply(a, m.conjugate(b)), m.divide(a, 2 - 1j), m.negate(a), m.exponential(a), m.log(a), m.sqrt(a),
            m.sign(a), m.complex(m.imag(a), m.real(b)), m.function("tan", a), m.reduce(a, "sum", [1]), m.matmul(a, m.transpose(b, [1, 0])),
            m.constant(odd), m.constant(wide), m.constant(1 + 2j, (2,), "complex<f32>"), m.convert(m.abs(a), "complex<f32>"),
            m.fft(a, "FFT", [4]), m.fft(a, "IFFT", [3, 4]), m.fft(m.real(a), "RFFT", [4]), m.select(m.compare(a, b, "EQ"), a, b)
        ], [parts(v) for v in (
            x + y, x * y.conj(), x / (2 - 1j), -x, np.exp(x), np.log(x), np.sqrt(x), x / np.abs(x), x.imag + 1j * y.real, np.tan(x),
            x.sum(1), x @ y.T, odd, wide, np.full(2, 1 + 2j), np.abs(x) + 0j, np.fft.fft(x), np.fft.ifft2(x), np.fft.rfft(x.real), y)],
            1e-4)
        self.check([x], lambda m, a: [m.abs(a), m.real(a), m.fft(m.fft(m.real(a), "RFFT", [4]), "IRFFT", [4])],
                   [np.abs(x), x.real, x.real], 1e-5)

    def test_integers_and_conditions(self):
        np = self.np
        x, y = self.random.integers(-50, 50, (3, 4)), self.random.integers(1, 7, (3, 4))
        directions = {
            "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE":
            np.greater_equal
        }
        self.check([x, y], lambda m, a, b: [m.compare(a, b, d) for d in directions] + [
            m.select(m.compare(a, b, "LT"), a, 7),
            m.divide(a, b),
            m.remainder(a, b),
            m.logical_and(a, b),
            m.logical_or(a, b),
            m.logical_xor(a, b),
            m.logical_not(a),
            m.shift_left(a, b),
            m.shift_right_arithmetic(a, b),
            m.clamp(-5, a, b),
            m.convert(a, "f32"),
            m.convert(m.constant([-1.9, 1.9, 0.0]), "i8"),
            m.convert(a, "i1"),
            m.shift_right_logical(m.constant(-1, dtype="i8"), 7),
            m.bitcast_convert(m.constant(1.0), "i32")
        ], [f(x, y) for f in directions.values()] + [
            np.where(x < y, x, 7),
            np.trunc(x / y).astype("int64"),
            np.fmod(x, y), x & y, x | y, x ^ y, ~x, x << y, x >> y,
            np.clip(x, -5, y),
            x.astype("float32"),
            np.array([-1, 1, 0], "int8"), x != 0,
            np.int8(1),
            np.int32(0x3F800000)
        ])

    def test_shapes(self):
        np = self.np
        x = self.normal(2, 3, 4)
        self.check([x], lambda m, a: [
            m.reshape(a, [4, -1]),
            m.expand_dims(a, [0, -1]),
            m.squeeze(m.slice_dim(a, 1, 1, 2), [1]),
            m.transpose(a, [2, 0, 1]),
            m.broadcast_to(m.slice_dim(a, 1, 0, 1), (5, 2, 3, 4)),
            m.concatenate([a, a], -1),
            m.slice(a, [0, 1, 0], [2, 3, 4], [1, 1, 2]),
            m.reverse(a, [0, 2]),
            m.pad(a, 7.0, [1, 0, -1], [0, 2, 0], [0, 1, 0]),
            m.iota((2, 3), 1, "i32"),
            m.move_dim(a, 0, 2), *m.broadcast_together(m.constant(np.ones((3, 1))), m.constant(np.ones(2)))
        ], [
            x.reshape(4, 6), x[None, ..., None], x[:, 1],
            x.transpose(2, 0, 1),
            np.broadcast_to(x[:, :1], (5, 2, 3, 4)),
            np.concatenate([x, x], -1), x[:, 1:, ::2], x[::-1, :, ::-1],
            self.padded(x),
            np.broadcast_to(np.arange(3, dtype="int32"), (2, 3)),
            np.moveaxis(x, 0, 2),
            np.ones((3, 2)),
            np.ones((3, 2))
        ])

    def padded(self, x):
        result = self.np.full((3, 7, 3), 7, "float32")
        result[1:, 0:5:2] = x[:, :, 1:]
        return result

    def test_constants(self):
        np = self.np
        arrays = [
            np.array([1.5, -0.0, np.inf, -np.inf, np.nan], "float32"),
            np.arange(40, dtype="float16"),
            np.zeros((0, 3)),
            np.arange(40) % 3 == 0,
            np.full(20, 200, "uint8"),
            np.array(-(2**63)),
            np.array([1e-30, 1e30]),
            np.array([2**64 - 1], "uint64")
        ]
        self.check(
            [], lambda m: [m.constant(array) for array in arrays] +
            [m.constant(2,
                        (2, 2), "f32"), m.constant(True),
             m.constant(3), m.constant(0.5)],
            arrays + [np.full(
                (2, 2), 2, "float32"), np.array(True),
                      np.array(3), np.float32(0.5)], 0)

    def test_bfloat16(self):
        np = self.np
        values = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, -2.5, np.inf])
        self.check([], lambda m: [
            m.convert(m.constant(values, dtype="bf16"), "f32"),
            m.convert(m.constant(np.full(20, 3.0), dtype="bf16"), "f32")
        ], [np.array([1, 1, 1 + 2**-6, -2.5, np.inf], "float32"),
            np.full(20, 3, "float32")], 0)

    def test_products(self):
        np = self.np
        for a, b in (((5, ), (5, )), ((5, ), (2, 5, 3)), ((2, 4, 5), (5, )), ((4, 5), (5, 3)),
                     ((2, 1, 4, 5), (3, 5, 6)), ((2, 4, 5), (5, 3))):
            x, y = self.normal(*a), self.normal(*b)
            with self.subTest(a=a, b=b):
                self.check([x, y], lambda m, a, b: [m.matmul(a, b)], [np.matmul(x, y)], 1e-5)
        x = self.random.integers(-9, 9, (3, 4)).astype("int8")
        y = self.random.integers(-9, 9, (5, 4)).astype("int8")
        self.check([x, y], lambda m, a, b: [m.dot_general(a, b, ([1], [1]), dtype="i32")],
                   [x.astype("int32") @ y.T.astype("int32")])

    def test_convolution(self):
        np = self.np
        x, kernel = self.normal(2, 4, 7), self.normal(6, 2, 3)
        padded = np.pad(x, [(0, 0), (0, 0), (2, 1)])
        expected = np.zeros((2, 6, 3), "float32")
        for o in range(6):
            group = slice(0, 2) if o < 3 else slice(2, 4)
            for p in range(3):
                expected[:, o, p] = sum((padded[:, group, 2 * p + 2 * t] * kernel[o, :, t]).sum(-1) for t in range(3))
        self.check([x, kernel], lambda m, a, k: [
            m.convolution(a, k, strides=[2], padding=[(2, 1)], dilation=[2], feature_groups=2),
            m.convolution(m.transpose(a, [0, 2, 1]),
                          m.transpose(k, [2, 1, 0]),
                          strides=[2],
                          padding=[(2, 1)],
                          dilation=[2],
                          feature_groups=2,
                          layout=("b0f", "0io", "b0f"))
        ], [expected, expected.transpose(0, 2, 1)], 1e-5)
        spread = np.zeros((2, 4, 13), "float32")
        spread[..., ::2] = x
        self.check([x, kernel[:, :1, :]], lambda m, a, k: [
            m.convolution(a, m.slice(k, [0, 0, 0], [4, 1, 3]), input_dilation=[2], feature_groups=4, reversal=[True])],
                   [sum(spread[..., t:t + 11] * kernel[:4, 0, 2 - t][:, None] for t in range(3))], 1e-5)

    def test_reductions(self):
        np = self.np
        x = self.random.integers(-3, 4, (3, 4, 5)).astype("float32")
        kinds = {"sum": np.sum, "product": np.prod, "max": np.max, "min": np.min}
        self.check([x], lambda m, a: [m.reduce(a, kind, [0, 2], keep_dims=True) for kind in kinds] + [
            m.reduce(m.compare(a, 2.0, "GT"), "or", [1]),
            m.reduce(m.compare(a, 2.0, "LT"), "and", [-1]),
            m.reduce(a, "sum"), *(m.arg_reduce(a, kind, 1, last=last) for kind in ("max", "min")
                                  for last in (False, True))
        ], [f(x, axis=(0, 2), keepdims=True) for f in kinds.values()] + [(x > 2).any(1), (x < 2).all(-1),
                                                                         x.sum(),
                                                                         x.argmax(1), 3 - x[:, ::-1].argmax(1),
                                                                         x.argmin(1), 3 - x[:, ::-1].argmin(1)])

    def test_arg_reduce_of_nan_and_infinity(self):
        np = self.np
        x = np.array([[1, np.nan, 2, np.nan], [-np.inf, -np.inf, -np.inf, -np.inf], [0, np.inf, 1, 5]], "float32")
        self.check([x], lambda m, a: [m.arg_reduce(a, "max", 1), m.arg_reduce(a, "min", 1)], [x.argmax(1), x.argmin(1)])

    def test_windows(self):
        np = self.np
        x = self.normal(2, 7)
        padded = np.pad(x, [(0, 0), (1, 1)], constant_values=-np.inf)
        windows = np.stack([padded[:, i:i + 3] for i in range(0, 7, 2)], 1)
        spread = np.zeros_like(x)
        for row in range(2):
            for place in range(3):
                spread[row, 2 * place + x[row, 2 * place:2 * place + 3].argmax()] += 1
        self.check([x], lambda m, a: [
            m.reduce_window(a, "max", [1, 3], strides=[1, 2], padding=[(0, 0), (1, 1)]),
            m.reduce_window(a, "sum", [1, 2], dilation=[1, 3]),
            m.cumulative(a, "sum", 1),
            m.cumulative(a, "product", 1, reverse=True),
            m.cumulative(a, "sum", 1, exclusive=True),
            m.cumulative(a, "sum", 1, exclusive=True, reverse=True),
            m.select_and_scatter(a, m.constant(1.0, (2, 3)), [1, 3], strides=[1, 2])
        ], [
            windows.max(-1), x[:, :4] + x[:, 3:],
            x.cumsum(1), x[:, ::-1].cumprod(1)[:, ::-1],
            x.cumsum(1) - x, x[:, ::-1].cumsum(1)[:, ::-1] - x, spread
        ], 1e-5)

    def test_sorts(self):
        np = self.np
        x = self.normal(3, 6)
        x[1, 2] = np.nan
        order = np.argsort(x, 1, kind="stable")
        self.check([x], lambda m, a: [
            *m.sort([a, m.iota((3, 6), 1)], 1), *m.top_k(m.slice_dim(a, 0, 0, 1), 2),
            m.top_k(a, 1, dim=0, largest=False)[0]
        ], [np.sort(x, 1), order, -np.sort(-x[:1], 1)[:, :2],
            np.argsort(-x[:1], 1)[:, :2],
            np.sort(x, 0)[:1]])

    def test_indexing(self):
        np = self.np
        x, i = self.normal(5, 4), np.array([[3, 0], [-1, 2]])
        along = np.array([[2, 0, 1, 1], [0, 0, 3, 2]])
        updated, added = x.copy(), x.copy()
        np.put_along_axis(updated, along, 9.0, 0)
        np.add.at(added, i.reshape(-1), 1.0)
        moved = x.copy()
        moved[3:, 1:3] = x[:2, :2]
        self.check([x, i], lambda m, a, j: [
            m.take(a, m.wrap_indices(j, 5), 0),
            m.take(a, m.constant(i % 4), 1),
            m.take_along(a, m.constant(along), 0),
            m.scatter_along(a, m.constant(along), m.constant(9.0, (2, 4)), 0),
            m.scatter(a,
                      m.expand_dims(m.wrap_indices(j, 5), [2]),
                      m.constant(1.0, (2, 2, 4)),
                      "add",
                      window_dims=[2],
                      inserted=[0],
                      scatter_map=[0]),
            m.dynamic_slice(a, [4, m.constant(1)], [2, 2]),
            m.dynamic_update_slice(a, m.slice(a, [0, 0], [2, 2]), [4, m.constant(1)])
        ], [x[i], x[:, i % 4], np.take_along_axis(x, along, 0), updated, added, x[3:, 1:3], moved])

    def test_control(self):
        np = self.np
        x = self.normal(3)
        self.check([x], lambda m, a: [
            m.fori_loop(0, 4, lambda i, v: m.add(v, m.convert(m.broadcast_to(i, (3, )), "f32")), [a])[0],
            m.cond(m.constant(True), lambda: m.add(a, a), lambda: a)[0],
            m.while_loop([a, m.constant(0)], lambda v, i: m.compare(i, 3, "LT"), lambda v, i:
                         [m.multiply(v, 2.0), m.add(i, 1)])[0]
        ], [x + 6, x + x, x * 8])


@needs_numpy
class Modules(unittest.TestCase):
    def setUp(self):
        from dmc.stablehlo import Module
        self.module = Module("test", mesh={"data": 2})
        self.x = self.module.argument("x", (4, 2), "f32", sharding=("data", None))

    def test_names_donation_and_sharding(self):
        m = self.module
        state = m.argument("state", (4,), "f32", donated_to="next")
        m.result("y", m.add(self.x, 1.0), sharding=("data", None))
        m.result("next", m.add(state, 1.0))
        session = dmc.compile(m.text()).load()
        self.assertEqual([value.name for value in session.arguments], ["x", "state"])
        self.assertEqual([value.name for value in session.results], ["y", "next"])
        self.assertEqual(session.arguments[0].dims, (("data",), ()))
        self.assertEqual(session.results[0].dims, (("data",), ()))
        self.assertEqual(session.arguments[1].alias, 1)

    def test_locations(self):
        m = self.module
        with m.location("model.py", 7, 'dense "a"'):
            m.result("y", m.emit("stablehlo.set_dimension_size", [self.x], [((4, 2), "f32")])[0])
        with self.assertRaisesRegex(dmc.Error, "unsupported.*set_dimension_size") as caught:
            dmc.compile(m.text())
        self.assertEqual((caught.exception.location.file, caught.exception.location.line), ("model.py", 7))
        with m.location("model.py", 8, "add"), self.assertRaisesRegex(dmc.Error,
                                                                      "model.py:8: add: expected operands of add"):
            m.add(self.x, m.constant(1.0))

    def test_mistakes(self):
        from dmc.stablehlo import Module
        m, x = self.module, self.x
        for pattern, build in {
                "one shape and type, found 4x2xf32 and 4x2xi64":
                lambda: m.add(x, m.convert(x, "i64")),
                "unsupported element type 'f8'":
                lambda: m.argument("z", (1, ), "f8"),
                "unsupported element type f32 of not":
                lambda: m.logical_not(x),
                "unsupported element type timedelta64":
                lambda: m.constant(__import__("numpy").zeros(2, "m8[s]")),
                "not negative, found":
                lambda: m.argument("z", (-1, ), "f32"),
                "argument 'x' is there already":
                lambda: m.argument("x", (1, ), "f32"),
                "is of another module":
                lambda: m.add(Module().argument("y", (4, 2), "f32"), x),
                "cannot reshape":
                lambda: m.reshape(x, (3, -1)),
                "distinct dimensions":
                lambda: m.transpose(x, [0, 0]),
                "cannot broadcast":
                lambda: m.broadcast_to(x, (3, 2)),
                "cannot concatenate":
                lambda: m.concatenate([x, m.transpose(x, [1, 0])], 0),
                "cannot slice":
                lambda: m.slice_dim(x, 0, 3, 5),
                "cannot pad":
                lambda: m.pad(x, 0.0, [-3, 0], [-3, 0]),
                "cannot contract":
                lambda: m.matmul(x, x),
                "cannot convolve":
                lambda: m.convolution(m.expand_dims(x, [2]), m.expand_dims(x, [2]), feature_groups=3),
                "expected a reduction of":
                lambda: m.reduce(x, "mean"),
                "cannot gather|index vectors":
                lambda: m.gather(x, m.constant([0]), slice_sizes=[5, 2], start_map=[0]),
                "cannot scatter":
                lambda: m.scatter_along(x, m.constant([[0]]), m.constant([[0]]), 0),
                "expected the body of a loop to give":
                lambda: m.while_loop([x], lambda v: m.constant(True), lambda v: m.convert(v, "f64")),
                "condition of i1 and rank 0":
                lambda: m.cond(x, lambda: x, lambda: x),
                "expected one of EQ":
                lambda: m.compare(x, x, "lt"),
                "expected a sharding of 1":
                lambda: m.argument("z", (4, ), "f32", sharding=("data", None)),
                "unknown mesh axis 'model'":
                lambda: m.argument("z", (4, ), "f32", sharding=("model", )),
                "expected an argument to donate":
                lambda: m.donate(m.add(x, x), 0),
        }.items():
            with self.subTest(pattern), self.assertRaisesRegex(dmc.Error, pattern):
                build()

    def test_donation_that_cannot_be(self):
        m = self.module
        m.result("y", m.reduce(self.x, "sum"))
        m.donate(self.x, "z")
        self.assertRaisesRegex(dmc.Error, "donated to 'z', which is not a result", m.text)
        m.donate(self.x, "y")
        self.assertRaisesRegex(dmc.Error, "donated to 'y', which is f32", m.text)

    def test_two_donations_to_one_result(self):
        m = self.module
        m.argument("other", (4, 2), "f32", donated_to="y")
        m.result("y", m.add(self.x, 1.0))
        m.donate(self.x, "y")
        self.assertRaisesRegex(dmc.Error, "arguments 'x' and 'other' are donated to the same result", m.text)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers and Fourier transforms. An argument or result is an array of pairs: the tensor of its
type has a last dimension of 2. numpy computes in the machine's extended precision."""
import numpy as np

from cases import Group, close
from collectives import dense
from reduction import body_of
from tensors import Tensor, make

PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}
CLOSE = {"f32": close(2e-6, 2e-5), "f64": close(2e-14, 2e-13)}
MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>'


class ComplexTensor(Tensor):
    """Pairs of `part`, of the type that the program states."""

    def __init__(self, part, data):
        data = np.asarray(data, dtype=np.clongdouble)
        super().__init__(part, np.stack([data.real, data.imag], -1))
        # By parts: a sum would lose the signs of zeros.
        self.numbers = np.empty(data.shape, np.clongdouble)
        self.numbers.real, self.numbers.imag = self.data[..., 0], self.data[..., 1]

    @property
    def mlir(self):
        return "tensor<" + "".join(f"{n}x" for n in self.shape[:-1]) + f"complex<{self.type}>>"


def quarters(part, shape, seed=0):
    """Multiples of 1/4 in [-3, 3], and none that is zero."""
    rng = np.random.default_rng(seed)
    pick = rng.choice([x / 4 for x in range(-12, 13) if x], (2, *shape))
    return ComplexTensor(part, pick[0] + 1j * pick[1])


def whole(part, shape, seed=0):
    """Small integers, of which sums and products are exact."""
    pick = np.random.default_rng(seed).integers(-3, 4, (2, *shape))
    return ComplexTensor(part, pick[0] + 1j * pick[1])


def unary(dialect, op, x, result):
    arrow = f"({x.mlir}) -> {result.mlir}" if dialect == "stablehlo" else f"{x.mlir} -> {result.mlir}"
    return f"%r0 = {dialect}.{op} %a0 : {arrow}"


FUNCTIONS = {
    "stablehlo.cosine": np.cos, "stablehlo.exponential": np.exp, "stablehlo.exponential_minus_one": np.expm1,
    "stablehlo.log": np.log, "stablehlo.log_plus_one": np.log1p, "stablehlo.logistic": lambda z: 1 / (1 + np.exp(-z)),
    "stablehlo.rsqrt": lambda z: 1 / np.sqrt(z), "stablehlo.sign": lambda z: np.where(z == 0, 0, z / np.where(z == 0, 1, np.abs(z))),
    "stablehlo.sine": np.sin, "stablehlo.sqrt": np.sqrt, "stablehlo.tan": np.tan, "stablehlo.tanh": np.tanh,
    "chlo.acos": np.arccos, "chlo.acosh": np.arccosh, "chlo.asin": np.arcsin, "chlo.asinh": np.arcsinh,
    "chlo.atan": np.arctan, "chlo.atanh": np.arctanh, "chlo.cosh": np.cosh, "chlo.sinh": np.sinh, "chlo.tan": np.tan,
    "chlo.conj": np.conj, "chlo.square": lambda z: z * z, "stablehlo.negate": np.negative,
}


def functions():
    group = Group("complex_functions", "numpy's functions of complex numbers in extended precision")
    for name, function in FUNCTIONS.items():
        dialect, op = name.split(".")
        for part in ("f32", "f64"):
            # Of all magnitudes that do not overflow, near zero, and on the axes off the branch cuts.
            numbers = [1 + 2j, -0.5 + 0.25j, -2 - 3j, 0.75 - 0.5j, 1e-3 + 2e-3j, 0.5 + 1e-4j, -0.25 - 1e-3j, 6 + 4j, 0.5, 0.5j]
            x = ComplexTensor(part, numbers)
            result = ComplexTensor(part, function(x.numbers))
            label = op if dialect == "stablehlo" else f"chlo_{op}"
            group.add(f"{label}_{part}", op if dialect == "stablehlo" else name, [x], unary(dialect, op, x, result), [result], CLOSE[part])
    # Roots and logarithms on both sides of the branch cut, by the sign of zero.
    x = ComplexTensor("f64", [complex(-4, 0.0), complex(-4, -0.0), complex(0, 0), complex(-0.25, 1e-300)])
    for op, function in {"sqrt": np.sqrt, "log": np.log}.items():
        with np.errstate(divide="ignore"):
            result = ComplexTensor("f64", function(x.numbers))
        group.add(f"{op}_branch_cut", op, [x], unary("stablehlo", op, x, result), [result], CLOSE["f64"])
    # Magnitudes whose squares are not numbers of the type.
    x = ComplexTensor("f32", [3e30 + 4e30j, 3e-30 - 4e-30j, 5j, -7, 0])
    magnitude = Tensor("f32", np.abs(x.numbers))
    group.add("abs_large_and_small", "abs", [x], unary("stablehlo", "abs", x, magnitude), [magnitude], close(0, 1e-6))
    y = ComplexTensor("f32", [1e30 + 1e30j, 1e-30 + 2e-30j, 2 - 1j, 4j, 1])
    group.add("divide_large_and_small", "divide", [x, y], f"%r0 = stablehlo.divide %a0, %a1 : {x.mlir}", [ComplexTensor("f32", x.numbers / y.numbers)], close(1e-6, 1e-5))
    for part in ("f32", "f64"):
        x, y = quarters(part, (3, 4), 1), quarters(part, (3, 4), 2)
        a, b = x.numbers, y.numbers
        for op, data in {"add": a + b, "subtract": a - b, "multiply": a * b, "divide": a / b, "power": a**b}.items():
            group.add(f"{op}_{part}", op, [x, y], f"%r0 = stablehlo.{op} %a0, %a1 : {x.mlir}", [ComplexTensor(part, data)], CLOSE[part])
        same = ComplexTensor(part, np.where(np.arange(4) % 2 == 0, a, a.real + 1j))
        results = [Tensor("i1", a == same.numbers), Tensor("i1", a != same.numbers)]
        body = "\n".join(f"%r{i} = stablehlo.compare {d}, %a0, %a1, FLOAT : ({x.mlir}, {x.mlir}) -> tensor<3x4xi1>" for i, d in enumerate(("EQ", "NE")))
        group.add(f"compare_{part}", "compare", [x, same], body, results)
        re, im = Tensor(part, a.real), Tensor(part, a.imag)
        group.add(f"real_imag_complex_{part}", "complex", [x],
                  f"%r0 = stablehlo.real %a0 : ({x.mlir}) -> {re.mlir}\n%r1 = stablehlo.imag %a0 : ({x.mlir}) -> {re.mlir}\n%r2 = stablehlo.complex %r1, %r0 : {x.mlir}",
                  [re, im, ComplexTensor(part, a.imag + 1j * a.real)])
        zero = ComplexTensor(part, [0, 1, 0.5j])
        other = "f64" if part == "f32" else "f32"
        wide, real = ComplexTensor(other, [0, 1, 0.5j]), Tensor("i32", [7, -2, 0])
        group.add(f"convert_{part}", "convert", [zero, real],
                  f"%r0 = stablehlo.convert %a0 : ({zero.mlir}) -> {wide.mlir}\n%r1 = stablehlo.convert %a1 : ({real.mlir}) -> {zero.mlir}\n%r2 = stablehlo.convert %a0 : ({zero.mlir}) -> tensor<3xi1>\n%r3 = stablehlo.convert %a0 : ({zero.mlir}) -> tensor<3xf32>",
                  [wide, ComplexTensor(part, [7, -2, 0]), make("i1", [False, True, True]), make("f32", [0, 1, 0])])
    x = make("f32", [1.5, -2])
    group.add("parts_of_real", "real", [x], f"%r0 = stablehlo.real %a0 : {x.mlir}\n%r1 = stablehlo.imag %a0 : {x.mlir}", [x, make("f32", [0, 0])])
    return group


def movement():
    group = Group("complex_programs", "numpy on complex numbers; small integers, so that results are exact")
    x, y = whole("f32", (4, 3), 1), whole("f32", (2, 3), 2)
    a, b, t = x.numbers, y.numbers, x.mlir

    def add(name, op, arguments, body, results, tolerance=close(0, 0), **others):
        group.add(name, op, arguments, body, [r if isinstance(r, (Tensor, tuple)) else ComplexTensor("f32", r) for r in results], tolerance, **others)

    def ty(*shape):
        return "tensor<" + "".join(f"{n}x" for n in shape) + "complex<f32>>"

    index = make("i32", [2, 0])
    add("shapes", "reshape", [x], f"""%r0 = stablehlo.reshape %a0 : ({t}) -> {ty(2, 6)}
%r1 = stablehlo.transpose %a0, dims = [1, 0] : ({t}) -> {ty(3, 4)}
%r2 = stablehlo.broadcast_in_dim %a0, dims = [0, 2] : ({t}) -> {ty(4, 2, 3)}
%r3 = stablehlo.slice %a0 [1:4:2, 0:2] : ({t}) -> {ty(2, 2)}
%r4 = stablehlo.reverse %a0, dims = [1] : {t}
%r5 = stablehlo.iota dim = 1 : {ty(2, 3)}""", [a.reshape(2, 6), a.T, np.broadcast_to(a[:, None], (4, 2, 3)), a[1:4:2, :2], a[:, ::-1], [[0, 1, 2]] * 2])
    add("concatenate_pad", "pad", [x, y], f"""%p = stablehlo.constant dense<(9.0, -1.0)> : {ty()}
%r0 = stablehlo.concatenate %a0, %a1, dim = 0 : ({t}, {y.mlir}) -> {ty(6, 3)}
%r1 = stablehlo.pad %a1, %p, low = [0, 1], high = [1, 0], interior = [1, 0] : ({y.mlir}, {ty()}) -> {ty(4, 4)}""",
        [np.concatenate([a, b]), np.array([[9 - 1j, *b[0]], [9 - 1j] * 4, [9 - 1j, *b[1]], [9 - 1j] * 4])])
    add("dynamic_slices", "dynamic_slice", [x, y, make("i32", 1)], f"""%r0 = stablehlo.dynamic_slice %a0, %a2, %a2, sizes = [2, 2] : ({t}, tensor<i32>, tensor<i32>) -> {ty(2, 2)}
%z = stablehlo.constant dense<0> : tensor<i32>
%r1 = stablehlo.dynamic_update_slice %a0, %a1, %a2, %z : ({t}, {y.mlir}, tensor<i32>, tensor<i32>) -> {t}""", [a[1:3, 1:3], np.concatenate([a[:1], b, a[3:]])])
    gathered = "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    scattered = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
    add("gather", "gather", [x, index], f'%r0 = "stablehlo.gather"(%a0, %a1) <{{dimension_numbers = {gathered}, slice_sizes = array<i64: 1, 3>}}> : ({t}, tensor<2xi32>) -> {ty(2, 3)}', [a[[2, 0]]])
    added, replaced, multiplied = a.copy(), a.copy(), a.copy()
    added[[2, 0]] += b
    replaced[[2, 0]] = b
    multiplied[[2, 0]] *= b
    for op, result in {"add": added, "replace": replaced, "multiply": multiplied}.items():
        body = "stablehlo.return %v" if op == "replace" else f"%s = stablehlo.{op} %u, %v : {ty()}\nstablehlo.return %s"
        add(f"scatter_{op}", "scatter", [x, index, y], f"""%r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{{scatter_dimension_numbers = {scattered}}}> ({{
^bb0(%u: {ty()}, %v: {ty()}):
{body} : {ty()}
}}) : ({t}, tensor<2xi32>, {y.mlir}) -> {t}""", [result])
    p = make("i1", [[True, False, True]] * 4)
    add("select", "select", [p, x], f"%n = stablehlo.negate %a1 : {t}\n%r0 = stablehlo.select %a0, %a1, %n : {p.mlir}, {t}", [np.where(p.data, a, -a)])
    add("constants", "constant", [], f"""%r0 = stablehlo.constant dense<[(1.0, 2.0), (-3.0, 0.5)]> : {ty(2)}
%r1 = stablehlo.constant dense<(0.0, 1.0)> : {ty(2)}""", [[1 + 2j, -3 + 0.5j], [1j, 1j]])
    square, other = whole("f32", (3, 3), 3), whole("f32", (3, 3), 4)
    s, o = square.numbers, other.numbers
    add("dot_general", "dot_general", [square, other], f"%r0 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [1] : ({square.mlir}, {square.mlir}) -> {square.mlir}", [s @ o.T])
    real = Tensor("f32", np.arange(9.0).reshape(3, 3))
    add("dot_general_of_real", "dot_general", [real, other], f"%c = stablehlo.convert %a0 : ({real.mlir}) -> {square.mlir}\n%r0 = stablehlo.dot_general %c, %a1, contracting_dims = [1] x [0] : ({square.mlir}, {square.mlir}) -> {square.mlir}", [real.data @ o])
    add("dot_einsum", "einsum", [square, other], f'%r0 = stablehlo.dot %a0, %a1 : ({square.mlir}, {square.mlir}) -> {square.mlir}\n%r1 = "stablehlo.einsum"(%a0, %a1) <{{einsum_config = "ij,jk->k"}}> : ({square.mlir}, {square.mlir}) -> {ty(3)}', [s @ o, (s @ o).sum(0)])
    add("reduce", "reduce", [x], f"""%zero = stablehlo.constant dense<(0.0, 0.0)> : {ty()}
%one = stablehlo.constant dense<(1.0, 0.0)> : {ty()}
%r0 = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [0] : ({t}, {ty()}) -> {ty(3)}
%r1 = stablehlo.reduce(%a0 init: %one) applies stablehlo.multiply across dimensions = [1] : ({t}, {ty()}) -> {ty(4)}""", [a.sum(0), a.prod(1)])
    add("reduce_window", "reduce_window", [x], f"""%zero = stablehlo.constant dense<(0.0, 0.0)> : {ty()}
%r0 = "stablehlo.reduce_window"(%a0, %zero) <{{window_dimensions = array<i64: 4, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>}}> ({{
^bb0(%u: {ty()}, %v: {ty()}):
  %s = stablehlo.add %u, %v : {ty()}
  stablehlo.return %s : {ty()}
}}) : ({t}, {ty()}) -> {t}""", [a.cumsum(0)])
    v = ComplexTensor("f32", [2 + 1j, -1 + 3j, 2 - 1j, 0])
    add("sort_by_real_part", "sort", [v], f"""%r0 = "stablehlo.sort"(%a0) <{{dimension = 0 : i64, is_stable = true}}> ({{
^bb0(%u: {ty()}, %v: {ty()}):
  %x = stablehlo.real %u : ({ty()}) -> tensor<f32>
  %y = stablehlo.real %v : ({ty()}) -> tensor<f32>
  %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}}) : ({v.mlir}) -> {v.mlir}""", [[-1 + 3j, 0, 2 + 1j, 2 - 1j]])
    add("loop_and_branches", "while", [v, make("i32", 3)], f"""%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%i = stablehlo.constant dense<(0.0, 1.0)> : {v.mlir}
%w:2 = stablehlo.while(%n = %a1, %z = %a0) : tensor<i32>, {v.mlir}
cond {{
  %p = stablehlo.compare GT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}} do {{
  %m = stablehlo.subtract %n, %one : tensor<i32>
  %t = func.call @times(%z, %i) : ({v.mlir}, {v.mlir}) -> {v.mlir}
  stablehlo.return %m, %t : tensor<i32>, {v.mlir}
}}
%q = stablehlo.compare EQ, %w#0, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
%r0 = "stablehlo.if"(%q) ({{
  stablehlo.return %w#1 : {v.mlir}
}}, {{
  stablehlo.return %a0 : {v.mlir}
}}) : (tensor<i1>) -> {v.mlir}
%r1 = "stablehlo.case"(%a1) ({{
  stablehlo.return %a0 : {v.mlir}
}}, {{
  %n = stablehlo.negate %a0 : {v.mlir}
  stablehlo.return %n : {v.mlir}
}}) : (tensor<i32>) -> {v.mlir}""", [v.numbers * -1j, -v.numbers],
        outside=f"func.func private @times(%x: {v.mlir}, %y: {v.mlir}) -> {v.mlir} {{\n  %0 = stablehlo.multiply %x, %y : {v.mlir}\n  return %0 : {v.mlir}\n}}")
    big = whole("f32", (4, 8), 5)
    split = 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>'
    add("sharded_sum", "reduce", [(big, split)], f"""%zero = stablehlo.constant dense<(0.0, 0.0)> : {ty()}
%s = stablehlo.multiply %a0, %a0 {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"y"}}, {{"x"}}]>]>}} : {big.mlir}
%r0 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : ({big.mlir}, {ty()}) -> {ty(8)}""",
        [(ComplexTensor("f32", (big.numbers**2).sum(0)), 'sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>')], outside=MESH)
    add("manual_sum", "manual_computation", [(big, split)], f"""%r0 = sdy.manual_computation(%a0) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>] out_shardings=[<@mesh, [{{}}, {{"y"}}]>] manual_axes={{"x", "y"}} (%p: {ty(2, 4)}) {{
  %s = "stablehlo.all_reduce"(%p) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = {dense([[0, 2], [1, 3]])}, use_global_device_ids}}> ({{
  ^bb0(%u: {ty()}, %v: {ty()}):
    %t = stablehlo.add %u, %v : {ty()}
    stablehlo.return %t : {ty()}
  }}) : ({ty(2, 4)}) -> {ty(2, 4)}
  sdy.return %s : {ty(2, 4)}
}} : ({big.mlir}) -> {ty(2, 8)}""", [big.numbers[:2] + big.numbers[2:]], outside=MESH)
    ranks = [whole("f32", (2,), 10 + r) for r in range(2)]
    gathered = ComplexTensor("f32", np.concatenate([r.numbers for r in ranks]))
    total = ComplexTensor("f32", ranks[0].numbers + ranks[1].numbers)
    group.add_ranks("collectives_of_ranks", "all_gather", 2, 1, [[r] for r in ranks],
                    f'%r0 = "stablehlo.all_gather"(%a0) <{{all_gather_dim = 0 : i64, replica_groups = {dense([[0, 1]])}}}> : ({ty(2)}) -> {ty(4)}\n'
                    f'%r1 = "stablehlo.all_reduce"(%a0) <{{replica_groups = {dense([[0, 1]])}}}> ' + body_of("add", "complex<f32>") + f" : ({ty(2)}) -> {ty(2)}",
                    [[gathered, total]] * 2)
    return group


def transforms():
    group = Group("transforms", "the definition of the discrete Fourier transform, in extended precision")

    def dft(x, axis, sign):
        n = x.shape[axis]
        angle = 2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) * (np.outer(np.arange(n), np.arange(n)) % n) / n
        return np.moveaxis(np.moveaxis(x, axis, -1) @ (np.cos(angle) + sign * 1j * np.sin(angle)), -1, axis)

    def transform(x, axes, sign):
        for axis in axes:
            x = dft(x, axis, sign)
        return x / (1 if sign < 0 else np.prod([x.shape[axis] for axis in axes]))

    def text(kind, lengths, x, result):
        return f"%r0 = stablehlo.fft %a0, type = {kind}, length = [{', '.join(map(str, lengths))}] : ({x.mlir}) -> {result.mlir}"

    def bound(part, n):
        return close(n * (1e-6 if part == "f32" else 2e-15), 1e-5 if part == "f32" else 1e-14)

    for n in (1, 2, 3, 5, 8, 12, 37, 64, 97, 100, 131, 262):
        for part in ("f32", "f64") if n in (8, 12, 97, 131) else ("f64",):
            x = quarters(part, (2, n), n)
            for kind, sign in (("FFT", -1), ("IFFT", 1)):
                result = ComplexTensor(part, transform(x.numbers, [1], sign))
                group.add(f"{kind.lower()}_{n}_{part}", "fft", [x], text(kind, [n], x, result), [result], bound(part, n))
    for shape, count in (((3, 4, 5), 2), ((3, 4, 5), 3), ((2, 6, 1, 4), 3)):
        axes, lengths = list(range(len(shape) - count, len(shape))), shape[len(shape) - count:]
        x = quarters("f64", shape, 7)
        for kind, sign in (("FFT", -1), ("IFFT", 1)):
            result = ComplexTensor("f64", transform(x.numbers, axes, sign))
            group.add(f"{kind.lower()}_{'x'.join(map(str, shape))}_last_{count}", "fft", [x], text(kind, lengths, x, result), [result], bound("f64", 60))
    for shape, count in (((2, 1), 1), ((2, 2), 1), ((2, 9), 1), ((2, 16), 1), ((2, 4, 6), 2), ((2, 3, 5), 3)):
        axes, lengths = list(range(len(shape) - count, len(shape))), shape[len(shape) - count:]
        label = f"{'x'.join(map(str, shape))}_last_{count}"
        for part in ("f32", "f64"):
            signal = Tensor(part, np.random.default_rng(3).integers(-8, 9, shape) / 4)
            full = transform(signal.data.astype(np.longdouble), axes, -1)
            half = ComplexTensor(part, full[..., :shape[-1] // 2 + 1])
            group.add(f"rfft_{label}_{part}", "fft", [signal], text("RFFT", lengths, signal, half), [half], bound(part, 60))
            group.add(f"irfft_{label}_{part}", "fft", [half], text("IRFFT", lengths, half, signal), [signal], bound(part, 60))
    x = quarters("f32", (4, 24), 9)
    result = ComplexTensor("f32", transform(x.numbers, [1], -1))
    group.add("fft_sharded", "fft", [(x, 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>')], text("FFT", [24], x, result), [(result, 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>')], bound("f32", 24), outside=MESH)
    empty = ComplexTensor("f32", np.zeros((0, 4)))
    group.add("fft_empty", "fft", [empty], text("FFT", [4], empty, empty), [empty])
    return group


def groups():
    return [functions(), movement(), transforms()]

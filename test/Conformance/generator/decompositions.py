# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrices, and triangular systems: loops over columns in the machine's extended
precision, with LAPACK's conventions."""
import numpy as np

from cases import Group, close
from complex_numbers import MESH, ComplexTensor
from tensors import Tensor, make

LETTERS = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}
CLOSE = {"f32": close(2e-5, 2e-4), "f64": close(2e-13, 2e-12)}


def tensor(element, data):
    part = element[8:-1] if element.startswith("complex") else element
    return ComplexTensor(part, data) if part != element else Tensor(element, np.asarray(data).real)


def numbers(x):
    return x.numbers if isinstance(x, ComplexTensor) else x.data.astype(np.longdouble)


def bound(x):
    return CLOSE[x.type]


def random(element, shape, seed):
    rng = np.random.default_rng(seed)
    data = rng.integers(-8, 9, shape) / 4 + (1j * rng.integers(-8, 9, shape) / 4 if element.startswith("complex") else 0)
    return tensor(element, data)


def positive(element, shape, seed):
    """Hermitian matrices with a large diagonal."""
    x = numbers(random(element, shape, seed))
    return tensor(element, x @ np.conj(np.swapaxes(x, -1, -2)) + shape[-1] * np.eye(shape[-1]))


def each(function, x):
    """A function of one matrix, of all in batches."""
    flat = [function(m) for m in x.reshape(-1, *x.shape[-2:])]
    results = zip(*flat) if isinstance(flat[0], tuple) else [flat]
    stacked = [np.array(list(r)) for r in results]
    stacked = [s.reshape(x.shape[:-2] + s.shape[1:]) for s in stacked]
    return stacked if isinstance(flat[0], tuple) else stacked[0]


def cholesky(a):
    n = len(a)
    factor = np.zeros_like(a)
    for j in range(n):
        pivot = (a[j, j] - factor[j, :j] @ np.conj(factor[j, :j])).real
        factor[j, j] = np.sqrt(pivot)
        for i in range(j + 1, n):
            factor[i, j] = (a[i, j] - factor[i, :j] @ np.conj(factor[j, :j])) / factor[j, j]
    return factor


def lu(a):
    a = a.copy()
    pivots, info = [], 0
    for j in range(min(a.shape)):
        at = j + int(np.argmax(np.abs(a[j:, j].real) + np.abs(a[j:, j].imag)))
        pivots.append(at + 1)
        a[[j, at]] = a[[at, j]]
        if a[j, j] == 0:
            info = info or j + 1
            continue
        a[j + 1:, j] /= a[j, j]
        a[j + 1:, j + 1:] -= np.outer(a[j + 1:, j], a[j, j + 1:])
    return a, np.array(pivots), np.array(info)


def qr(a):
    a = a.copy()
    taus = []
    for j in range(min(a.shape)):
        alpha, tail = a[j, j], a[j + 1:, j]
        norm = np.sqrt((np.abs(a[j:, j]) ** 2).sum())
        if not tail.any() and alpha.imag == 0:
            taus.append(alpha * 0)
            continue
        beta = -norm if alpha.real >= 0 else norm
        tau = (beta - alpha) / beta
        v = np.concatenate([[1], tail / (alpha - beta)])
        a[j:, j + 1:] -= np.conj(tau) * np.outer(v, np.conj(v) @ a[j:, j + 1:])
        a[j, j], a[j + 1:, j] = beta, v[1:]
        taus.append(tau)
    return a, np.array(taus)


def reflections(a, taus):
    m, n = a.shape
    result = np.eye(m, n, dtype=a.dtype)
    for j in reversed(range(len(taus))):
        v = np.concatenate([np.zeros(j), [1], a[j + 1:, j]])
        result = result - taus[j] * np.outer(v, np.conj(v) @ result)
    return result


def solve(a, b):
    """Elimination with exchanges of rows."""
    factors, pivots, _ = lu(a)
    b = b.copy()
    for j, at in enumerate(pivots):
        b[[j, at - 1]] = b[[at - 1, j]]
    n = len(a)
    for i in range(n):
        b[i] -= factors[i, :i] @ b[:i]
    for i in reversed(range(n)):
        b[i] = (b[i] - factors[i, i + 1:] @ b[i + 1:]) / factors[i, i]
    return b


def call(target, results, operands, attributes=""):
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    types = results[0].mlir if len(results) == 1 else "(" + ", ".join(r.mlir for r in results) + ")"
    inputs = ", ".join(f"%a{i}" for i in range(len(operands)))
    return f"{names} = \"stablehlo.custom_call\"({inputs}) <{{call_target_name = \"{target}\"}}> {{mhlo.backend_config = {{{attributes}}}}} : ({', '.join(o.mlir for o in operands)}) -> {types}"


def factors():
    group = Group("decompositions", "loops over columns in extended precision")
    for element in LETTERS:
        for shape in ((1, 1), (4, 4), (2, 3, 3)):
            x = positive(element, shape, sum(shape))
            lower = tensor(element, each(cholesky, numbers(x)))
            upper = tensor(element, np.conj(np.swapaxes(numbers(lower), -1, -2)))
            label = f"{element.replace('<', '_').replace('>', '')}_{'x'.join(map(str, shape))}"
            group.add(f"cholesky_{label}", "cholesky", [x], f"%r0 = stablehlo.cholesky %a0, lower = true : {x.mlir}\n%r1 = stablehlo.cholesky %a0 : {x.mlir}", [lower, upper], bound(x))
        label = element.replace("<", "_").replace(">", "")
        for shape in ((4, 4), (5, 3), (3, 5), (2, 4, 4)):
            x = random(element, shape, 20 + len(shape))
            name = f"{label}_{'x'.join(map(str, shape))}"
            packed, pivots, info = each(lu, numbers(x))
            results = [tensor(element, packed), Tensor("i32", pivots), Tensor("i32", info)]
            group.add(f"getrf_{name}", "custom_call", [x], call(f"lapack_{LETTERS[element]}getrf_ffi", results, [x]), results, bound(x))
            packed, taus = each(qr, numbers(x))
            results = [tensor(element, packed), tensor(element, taus)]
            group.add(f"geqrf_{name}", "custom_call", [x], call(f"lapack_{LETTERS[element]}geqrf_ffi", results, [x]), results, bound(x))
            if shape[-1] <= shape[-2] and len(shape) == 2:
                rounded = [numbers(r) for r in results]
                q = tensor(element, reflections(*rounded))
                target = "ungqr" if element.startswith("complex") else "orgqr"
                group.add(f"{target}_{name}", "custom_call", results, call(f"lapack_{LETTERS[element]}{target}_ffi", [q], results), [q], bound(x))
    # Matrices of several panels.
    x = positive("f64", (40, 40), 1)
    lower = tensor("f64", cholesky(numbers(x)))
    group.add("cholesky_of_panels", "cholesky", [x], f"%r0 = stablehlo.cholesky %a0, lower = true : {x.mlir}", [lower], bound(x))
    for shape in ((44, 36), (36, 44)):
        x = random("f64", shape, 5)
        name = "x".join(map(str, shape))
        packed, pivots, info = lu(numbers(x))
        results = [tensor("f64", packed), Tensor("i32", pivots), Tensor("i32", info)]
        group.add(f"getrf_{name}", "custom_call", [x], call("lapack_dgetrf_ffi", results, [x]), results, close(1e-11, 1e-10))
        packed, taus = qr(numbers(x))
        results = [tensor("f64", packed), tensor("f64", taus)]
        group.add(f"geqrf_{name}", "custom_call", [x], call("lapack_dgeqrf_ffi", results, [x]), results, close(1e-12, 1e-11))
        if shape[0] > shape[1]:
            q = tensor("f64", reflections(*[numbers(r) for r in results]))
            group.add(f"orgqr_{name}", "custom_call", results, call("lapack_dorgqr_ffi", [q], results), [q], close(1e-12, 1e-11))
    # A matrix that is not positive definite: NaN from its column on, and its number from LAPACK.
    x = make("f64", [[4, 0, 0], [2, 1, 0], [0, 3, 1]])
    expected = make("f64", [[2, 0, 0], [1, 0, 0], [0, np.inf, np.nan]])
    group.add("potrf_not_positive", "custom_call", [x], call("lapack_dpotrf_ffi", [expected, make("i32", 2)], [x], "uplo = 76 : ui8"), [expected, make("i32", 2)], CLOSE["f64"])
    x = positive("f32", (3, 3), 2)
    upper = np.triu(np.conj(cholesky(numbers(x)).T)) + np.tril(numbers(x), -1)
    group.add("potrf_upper", "custom_call", [x], call("lapack_spotrf_ffi", [x, make("i32", 0)], [x], "uplo = 85 : ui8"), [tensor("f32", upper), make("i32", 0)], CLOSE["f32"])
    # A matrix of rank 2: LAPACK goes on behind a column of zeros.
    x = make("f64", [[1, 2, 3], [2, 4, 6], [1, 1, 1]])
    packed, pivots, info = lu(numbers(x))
    results = [tensor("f64", packed), Tensor("i32", pivots), Tensor("i32", info)]
    group.add("getrf_singular", "custom_call", [x], call("lapack_dgetrf_ffi", results, [x]), results, CLOSE["f64"])
    x = positive("f32", (4, 3, 3), 3)
    lower = tensor("f32", each(cholesky, numbers(x)))
    split = 'sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>'
    group.add("cholesky_sharded", "cholesky", [(x, split)], f"%r0 = stablehlo.cholesky %a0, lower = true : {x.mlir}", [(lower, split)], bound(x), outside=MESH)
    packed, pivots, info = each(lu, numbers(x))
    results = [tensor("f32", packed), Tensor("i32", pivots), Tensor("i32", info)]
    rows = 'sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>'
    group.add("getrf_sharded", "custom_call", [(x, rows)], call("lapack_sgetrf_ffi", results, [x]), results, bound(x), outside=MESH)
    empty = make("f32", np.zeros((2, 0, 0)))
    group.add("cholesky_empty", "cholesky", [empty], f"%r0 = stablehlo.cholesky %a0, lower = true : {empty.mlir}", [empty])
    return group


def systems():
    group = Group("triangular_systems", "elimination in extended precision")
    kinds = {"NO_TRANSPOSE": ("N", lambda a: a), "TRANSPOSE": ("T", lambda a: a.T), "ADJOINT": ("C", lambda a: np.conj(a.T))}
    for element in ("f32", "complex<f64>"):
        label = element.replace("<", "_").replace(">", "")
        a, b = random(element, (3, 3), 1), random(element, (3, 2), 2)
        a = tensor(element, numbers(a) + 4 * np.eye(3))
        for is_lower in (True, False):
            for kind, (letter, function) in kinds.items():
                for is_left in (True, False):
                    for is_unit in (True, False):
                        used = np.tril(numbers(a)) if is_lower else np.triu(numbers(a))
                        if is_unit:
                            used = used - np.diag(np.diag(used)) + np.eye(3)
                        rhs = b if is_left else tensor(element, numbers(b).T)
                        matrix = function(used)
                        x = solve(matrix, numbers(rhs)) if is_left else solve(matrix.T, numbers(rhs).T).T
                        result = tensor(element, x)
                        name = f"{label}_{'left' if is_left else 'right'}_{'lower' if is_lower else 'upper'}_{kind.lower()}{'_unit' if is_unit else ''}"
                        flags = f"left_side = {str(is_left).lower()}, lower = {str(is_lower).lower()}, unit_diagonal = {str(is_unit).lower()}, transpose_a = #stablehlo<transpose {kind}>"
                        body = f'%r0 = "stablehlo.triangular_solve"(%a0, %a1) <{{{flags}}}> : ({a.mlir}, {rhs.mlir}) -> {rhs.mlir}'
                        group.add(name, "triangular_solve", [a, rhs], body, [result], bound(a))
                        if is_unit == is_lower:
                            codes = f"side = {ord('L' if is_left else 'R')} : ui8, uplo = {ord('L' if is_lower else 'U')} : ui8, trans_x = {ord(letter)} : ui8, diag = {ord('U' if is_unit else 'N')} : ui8"
                            group.add(f"trsm_{name}", "custom_call", [a, rhs], call(f"lapack_{LETTERS[element]}trsm_ffi", [result], [a, rhs], codes), [result], bound(a))
    # Of several panels, in batches, with NaN beside the triangle.
    a = numbers(random("f64", (2, 40, 40), 3)) / 8 + 4 * np.eye(40)
    b = random("f64", (2, 40, 1), 4)
    lower = np.tril(a)
    x = np.array([solve(m, r) for m, r in zip(lower, numbers(b))])
    a = Tensor("f64", np.where(np.tril(np.ones((40, 40))) > 0, lower, np.nan))
    group.add("of_panels", "triangular_solve", [a, b], f'%r0 = "stablehlo.triangular_solve"(%a0, %a1) <{{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}> : ({a.mlir}, {b.mlir}) -> {b.mlir}',
              [Tensor("f64", x)], close(1e-12, 1e-11))
    return group


def real_part(element):
    return element[8:-1] if element.startswith("complex") else element


def conjugate(name, value, element, type_):
    """The text that makes a conjugate transpose of a matrix."""
    rows, columns = type_
    of = lambda m, n, e=element: f"tensor<{m}x{n}x{e}>"
    text = f"%{name}t = stablehlo.transpose {value}, dims = [1, 0] : ({of(rows, columns)}) -> {of(columns, rows)}\n"
    if not element.startswith("complex"):
        return text, f"%{name}t"
    part = real_part(element)
    text += f"%{name}r = stablehlo.real %{name}t : ({of(columns, rows)}) -> {of(columns, rows, part)}\n"
    text += f"%{name}i = stablehlo.imag %{name}t : ({of(columns, rows)}) -> {of(columns, rows, part)}\n"
    text += f"%{name}n = stablehlo.negate %{name}i : {of(columns, rows, part)}\n"
    return text + f"%{name}c = stablehlo.complex %{name}r, %{name}n : {of(columns, rows)}\n", f"%{name}c"


def product(name, x, y, element, rows, inner, columns):
    of = lambda m, n: f"tensor<{m}x{n}x{element}>"
    return (f"%{name} = stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : "
            f"({of(rows, inner)}, {of(inner, columns)}) -> {of(rows, columns)}\n")


def scaled(name, matrix, values, element, rows, columns):
    """The text that multiplies each column of a matrix by a real number."""
    part, type_ = real_part(element), f"tensor<{rows}x{columns}x{element}>"
    text = f"%{name}s = stablehlo.broadcast_in_dim {values}, dims = [1] : (tensor<{columns}x{part}>) -> tensor<{rows}x{columns}x{part}>\n"
    text += f"%{name}e = stablehlo.convert %{name}s : (tensor<{rows}x{columns}x{part}>) -> {type_}\n"
    return text + f"%{name} = stablehlo.multiply {matrix}, %{name}e : {type_}\n"


def eigenvalue_case(element, a, lower):
    """Values, which are unique, and what vectors have to give: the matrix, and the identity."""
    n, part = len(a), real_part(element)
    triangle = np.tril(a) if lower else np.triu(a)
    full = triangle + np.conj(np.swapaxes(triangle, -1, -2)) - np.diag(np.diag(a).real)
    values = np.linalg.eigvalsh(full.astype(np.complex128))
    target = "heevd" if element.startswith("complex") else "syevd"
    type_ = f"tensor<{n}x{n}x{element}>"
    text = (f'%v, %r0, %r1 = "stablehlo.custom_call"(%a0) <{{call_target_name = "lapack_{LETTERS[element]}{target}_ffi"}}> '
            f"{{mhlo.backend_config = {{mode = 86 : ui8, uplo = {ord('L' if lower else 'U')} : ui8}}}} : ({type_}) -> ({type_}, tensor<{n}x{part}>, tensor<i32>)\n")
    more, adjoint = conjugate("h", "%v", element, (n, n))
    text += more + scaled("w", "%v", "%r0", element, n, n) + product("r2", "%w", adjoint, element, n, n, n)
    text += product("r3", adjoint, "%v", element, n, n, n)
    # What is in the other triangle does not matter.
    given = np.where(np.tril(np.ones((n, n))) > 0 if lower else np.triu(np.ones((n, n))) > 0, a, 77)
    return tensor(element, given), text, [Tensor(part, values), make("i32", 0), tensor(element, full), tensor(element, np.eye(n))]


def singular_case(element, a, mode):
    """Values, and what vectors have to give: the matrix, and identities."""
    (m, n), part, k = a.shape, real_part(element), min(a.shape)
    left, right = (m, n) if mode == "A" else (k, k)
    values = np.linalg.svd(a.astype(np.complex128), compute_uv=False)
    of = lambda rows, columns: f"tensor<{rows}x{columns}x{element}>"
    text = (f'%x, %r0, %u, %v, %r1 = "stablehlo.custom_call"(%a0) <{{call_target_name = "lapack_{LETTERS[element]}gesdd_ffi"}}> '
            f"{{mhlo.backend_config = {{mode = {ord(mode)} : ui8}}}} : ({of(m, n)}) -> ({of(m, n)}, tensor<{k}x{part}>, {of(m, left)}, {of(right, n)}, tensor<i32>)\n")
    text += f"%uk = stablehlo.slice %u [0:{m}, 0:{k}] : ({of(m, left)}) -> {of(m, k)}\n"
    text += f"%vk = stablehlo.slice %v [0:{k}, 0:{n}] : ({of(right, n)}) -> {of(k, n)}\n"
    text += scaled("us", "%uk", "%r0", element, m, k) + product("r2", "%us", "%vk", element, m, k, n)
    of_left, left_adjoint = conjugate("p", "%u", element, (m, left))
    of_right, right_adjoint = conjugate("q", "%v", element, (right, n))
    text += of_left + product("r3", left_adjoint, "%u", element, left, m, left)
    text += of_right + product("r4", "%v", right_adjoint, element, right, n, right)
    return text, [Tensor(part, values), make("i32", 0), tensor(element, a), tensor(element, np.eye(left)), tensor(element, np.eye(right))]


def spectra():
    group = Group("spectra", "LAPACK through numpy in 64 bits; vectors, which are not unique, by the matrix that they give and their products")
    for element in LETTERS:
        label = element.replace("<", "_").replace(">", "")
        # Programs of complex numbers take long to compile: a few will do.
        is_complex = element.startswith("complex")
        for n in (3,) if is_complex else (1, 3, 6):
            a = numbers(random(element, (n, n), 40 + n))
            for lower in (True, False) if n == 3 else (True,):
                x, text, results = eigenvalue_case(element, a, lower)
                group.add(f"eigenvalues_{label}_{n}{'' if lower else '_upper'}", "custom_call", [x], text, results, CLOSE[real_part(element)])
        shapes = {"complex<f32>": [((5, 3), "S")], "complex<f64>": [((4, 4), "A")]}.get(element, [((4, 4), "A"), ((5, 3), "S"), ((3, 6), "A")])
        for shape, mode in shapes + ([((1, 1), "S"), ((5, 3), "A"), ((3, 6), "S"), ((2, 1), "A")] if element == "f64" else []):
            a = numbers(random(element, shape, 60 + sum(shape)))
            text, results = singular_case(element, a, mode)
            group.add(f"singular_values_{label}_{'x'.join(map(str, shape))}_{mode.lower()}", "custom_call", [tensor(element, a)], text, results, CLOSE[real_part(element)])
    # Equal values, zeros, ranks below the size, elements whose squares overflow, and a matrix of several panels.
    for name, a in (("equal", np.ones((5, 5))), ("zero", np.zeros((4, 4))), ("identity", np.eye(3) * 2)):
        x, text, results = eigenvalue_case("f64", a, True)
        group.add(f"eigenvalues_{name}", "custom_call", [x], text, results, CLOSE["f64"])
        text, results = singular_case("f64", a, "A")
        group.add(f"singular_values_{name}", "custom_call", [tensor("f64", a)], text, results, CLOSE["f64"])
    a = numbers(random("f64", (40, 40), 3))
    x, text, results = eigenvalue_case("f64", a, True)
    group.add("eigenvalues_40", "custom_call", [x], text, results, close(1e-12, 1e-11))
    text, results = singular_case("f64", a[:, :34], "A")
    group.add("singular_values_40x34", "custom_call", [tensor("f64", a[:, :34])], text, results, close(1e-12, 1e-11))
    type_ = "tensor<2x2xf32>"
    large = make("f32", [[3e30, 0], [4e30, 0]])
    text = (f'%x, %r0, %u, %v, %r1 = "stablehlo.custom_call"(%a0) <{{call_target_name = "lapack_sgesvd_ffi"}}> '
            f"{{mhlo.backend_config = {{mode = 78 : ui8}}}} : ({type_}) -> ({type_}, tensor<2xf32>, {type_}, {type_}, tensor<i32>)")
    group.add("singular_values_large", "custom_call", [large], text, [make("f32", [5e30, 0]), make("i32", 0)], close(1e24, 1e-5))
    # Diagonals of a tridiagonal matrix, of which two elements are not used; rows have to be exchanged.
    for element in LETTERS:
        lower, middle, upper = (numbers(random(element, (5,), 90 + i)) for i in range(3))
        middle = middle * np.array([0, 1, 0.125, 1, 1])
        rhs = numbers(random(element, (5, 2), 93))
        solution = solve(np.diag(middle) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1), rhs)
        given = [tensor(element, x) for x in (lower, middle, upper, rhs)]
        line, matrix = given[0].mlir, given[3].mlir
        text = (f'%l, %d, %u, %r0, %r1 = "stablehlo.custom_call"(%a0, %a1, %a2, %a3) <{{call_target_name = "lapack_{LETTERS[element]}gtsv_ffi"}}> : '
                f"({line}, {line}, {line}, {matrix}) -> ({line}, {line}, {line}, {matrix}, tensor<i32>)")
        group.add(f"tridiagonal_{element.replace('<', '_').replace('>', '')}", "custom_call", given, text,
                  [tensor(element, solution), make("i32", 0)], CLOSE[real_part(element)])
    odd = make("f32", [[np.nan, 0], [0, 1]])
    text = (f'%v, %w, %r0 = "stablehlo.custom_call"(%a0) <{{call_target_name = "lapack_ssyevd_ffi"}}> '
            f"{{mhlo.backend_config = {{mode = 86 : ui8, uplo = 76 : ui8}}}} : ({type_}) -> ({type_}, tensor<2xf32>, tensor<i32>)")
    group.add("eigenvalues_of_nan", "custom_call", [odd], text, [make("i32", 1)])
    return group


def groups():
    return [factors(), systems(), spectra()]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the polynomials of lib/Codegen/Math: minimax.py [NAME...]
    minimax.py powers      the table of powers of two modulo 2 pi

Each problem is a function g on an interval, the powers of x that stand in the polynomial, and what a deviation of
the polynomial from g counts. Remez's exchange (with many digits, on a fine grid) finds the polynomial whose
largest weighted deviation is smallest. For f32, the coefficient of the lowest power is then rounded to f32 and
fixed, the others are found again beside it, and so on upwards: rounding all at once loses a bit or two. For f64
they are only rounded: f32 results leave 24 bits of them unused, and in f64 results the leading parts, which are no part of
the polynomials, weigh more.

The weighted deviation is the relative error of the function's result by the approximation alone; f32's
unit roundoff is 6.0e-08.
"""
import sys

import numpy as np
from mpmath import mp, mpf

mp.dps = 50


def remez(values, weights, grid, powers, rounds=30):
    """The coefficients that minimize max |w (g - sum c_i x^p_i)| on the grid, and that maximum."""
    count = len(powers)
    size = len(grid)
    # Chebyshev's points on the grid are the first reference.
    reference = sorted({round((size - 1) * (1 - float(mp.cos(mp.pi * i / count))) / 2) for i in range(count + 1)})
    basis = [[x**p for p in powers] for x in grid]
    best = None
    for _ in range(rounds):
        matrix = mp.matrix(count + 1, count + 1)
        right = mp.matrix(count + 1, 1)
        for row, at in enumerate(reference):
            for column in range(count):
                matrix[row, column] = basis[at][column]
            matrix[row, count] = (-1) ** row / weights[at]
            right[row] = values[at]
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[i] for i in range(count)]
        errors = [w * (v - mp.fdot(coefficients, b)) for w, v, b in zip(weights, values, basis)]
        largest = max(abs(e) for e in errors)
        if best is None or largest < best[1]:
            best = (coefficients, largest)
        if largest <= abs(solution[count]) * (1 + mpf(10) ** -3):
            break
        # One extremum of each run of errors of one sign; drop the smaller end until as many are left as are needed.
        extrema = []
        for i, e in enumerate(errors):
            if extrema and (errors[extrema[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > count + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) <= count:
            break
        reference = extrema
    return best


def approximate(g, lo, hi, powers, weight, single, points=401):
    grid = [(mpf(lo) + hi) / 2 - (mpf(hi) - lo) / 2 * mp.cos(mp.pi * i / points) for i in range(points + 1)]
    values = [g(x) for x in grid]
    weights = [weight(x) for x in grid]
    least = max(weights) / 10**8  # where nothing counts, anything would do
    weights = [max(w, least) for w in weights]
    fixed = {}
    left = list(powers)
    if single:
        while left:
            rest = [v - sum(c * x**p for p, c in fixed.items()) for v, x in zip(values, grid)]
            coefficients, _ = remez(rest, weights, grid, left)
            fixed[left[0]] = mpf(float(np.float32(float(coefficients[0]))))
            left.pop(0)
    else:
        coefficients, _ = remez(values, weights, grid, left)
        fixed = {p: mpf(float(c)) for p, c in zip(left, coefficients)}
    error = max(abs(w * (v - sum(c * x**p for p, c in fixed.items()))) for v, w, x in zip(values, weights, grid))
    return [fixed[p] for p in powers], error


def at_zero(f, limit, order=0):
    """f, with its limit at zero, where its formula cancels."""
    return lambda x: f(x) if x else mpf(limit)


half_log2 = mp.log(2) / 2 * mpf("1.0001")
root = mp.sqrt(2)
inverse_root_pi = 2 / mp.sqrt(mp.pi)


def exp_rest(x):  # (e^x - 1 - x) / x^2
    return (mp.expm1(x) - x) / x**2 if abs(x) > mpf(10) ** -15 else mpf(1) / 2 + x / 6


def log_rest(f):  # (log(1 + f) - f + f^2 / 2) / f^3
    return (mp.log1p(f) - f + f**2 / 2) / f**3 if abs(f) > mpf(10) ** -10 else mpf(1) / 3 - f / 4


def odd_rest(f, slope, third):
    """(f(x) / x - slope) / x^2 in t = x^2."""
    def g(t):
        x = mp.sqrt(t)
        return (f(x) / x - slope) / t if t > mpf(10) ** -15 else mpf(third)
    return g


def erf_log(a):  # -log(erfc a) / a - 1
    return -mp.log(mp.erfc(a)) / a - 1 if a else inverse_root_pi - 1


def scaled_erfc(t):
    """erfc(a) e^(a^2) (1 + 2 a) of t = (a - 4) / (a + 4)."""
    a = 4 * (1 + t) / (1 - t)
    return mp.erfc(a) * mp.exp(a * a) * (1 + 2 * a)


def one(_):
    return mpf(1)


PROBLEMS = {
    # name: (g, lo, hi, powers, weight, single precision)
    "exp": (exp_rest, -half_log2, half_log2, range(5), lambda x: x**2 / mp.exp(x), True),
    "exp2": (at_zero(lambda x: (mp.power(2, x) - 1) / x, mp.log(2)), -0.5, 0.5, range(6),
             lambda x: abs(x) / mp.power(2, x), True),
    "log": (log_rest, mp.sqrt(0.5) - 1, root - 1, range(8),
            lambda f: abs(f**3 / mp.log1p(f)) if f else 0, True),
    "erf": (erf_log, 0, 4, range(9),
            lambda a: a * mp.erfc(a) / mp.erf(a) if a else 1 / inverse_root_pi, True),
    "tanh": (odd_rest(mp.tanh, 1, -mpf(1) / 3), 0, mpf("0.28")**2, range(3), lambda t: t, True),
    "sin": (odd_rest(mp.sin, 1, -mpf(1) / 6), 0, (mp.pi / 4 * mpf("1.0001"))**2, range(3),
            lambda t: t, True),
    "cos": (lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2 if t > mpf(10) ** -10 else mpf(1) / 24, 0,
            (mp.pi / 4 * mpf("1.0001"))**2, range(3), lambda t: t**2, True),
    "wide exp": (exp_rest, -half_log2, half_log2, range(6), lambda x: abs(x), False),
    "wide log2": (odd_rest(lambda s: mp.log((1 + s) / (1 - s)) / mp.log(2), 2 / mp.log(2), 2 / mp.log(2) / 3), 0,
                  ((root - 1) / (root + 1))**2 * mpf("1.0001"), range(5), lambda t: t, False),
    "wide sin": (odd_rest(mp.sin, 1, -mpf(1) / 6), 0, (mp.pi / 4 * mpf("1.0001"))**2, range(4), lambda t: t, False),
    "wide cos": (lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2 if t > mpf(10) ** -10 else mpf(1) / 24, 0,
                 (mp.pi / 4 * mpf("1.0001"))**2, range(4), lambda t: t**2, False),
    "wide atan": (odd_rest(mp.atan, 1, -mpf(1) / 3), 0, 1, range(10), lambda t: t, False),
    "wide erfc": (scaled_erfc, -1, mpf("0.44"), range(12), lambda t: 1 / scaled_erfc(t), False),
    "f64 exp": (exp_rest, -half_log2, half_log2, range(11), lambda x: x**2 / mp.exp(x), False),
    "f64 exp2": (at_zero(lambda x: (mp.power(2, x) - 1) / x, mp.log(2)), -0.5, 0.5, range(13),
                 lambda x: abs(x) / mp.power(2, x), False),
    "f64 log": (odd_rest(lambda s: mp.log((1 + s) / (1 - s)), 2, mpf(2) / 3), 0,
                ((root - 1) / (root + 1))**2 * mpf("1.0001"), range(8), lambda t: t, False),
    "f64 tanh": (odd_rest(mp.tanh, 1, -mpf(1) / 3), 0, mpf("0.28")**2, range(8), lambda t: t, False),
}


def print_powers():
    """2^e modulo 2 pi for PowersModuloCircle.h, e from 0 to 104: nearest zero, 27 bits behind the point and the rest."""
    parts = []
    with mp.workdps(120):
        for e in range(105):
            value = mpf(2)**e
            if e:
                value -= 2 * mp.pi * mp.nint(value / (2 * mp.pi))
            first = mp.nint(value * 2**27) / 2**27
            parts.append((float(first).hex(), float(value - first).hex()))
    for part in range(2):
        print(",\n".join(pair[part] for pair in parts), "\n")


def main():
    if sys.argv[1:] == ["powers"]:
        print_powers()
        return
    for name in sys.argv[1:] or PROBLEMS:
        g, lo, hi, powers, weight, single = PROBLEMS[name]
        coefficients, error = approximate(g, mpf(lo), mpf(hi), list(powers), weight, single)
        print(f"{name}: error {mp.nstr(error, 3)}")
        digits = 9 if single else 17
        for power, c in zip(powers, coefficients):
            print(f"  {power:2} {float(c):.{digits}g}")


main()

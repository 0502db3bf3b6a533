//===- FourierTransform.cpp - Discrete Fourier transforms -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A length is divided into factors of at most 32: contractions with the matrices of
// the factors, and products with roots of unity between them. A prime factor beyond
// 128 is a convolution with a chirp (Bluestein's algorithm). All numbers are computed
// at import, in the machine's extended precision.
//
//===----------------------------------------------------------------------===//
#include "ComplexMath.h"

#include <cmath>
#include <complex>

using namespace mlir;
using namespace dmc;

using Number = std::complex<long double>;

/// The greatest product of factors that is one contraction. That of r reads and writes 16 bytes of
/// f32 for each number, and computes 8 r operations: up to r = 2 times the operations for which a
/// byte is moved meanwhile, fewer contractions are faster. Processors and devices have 10 to 20 of
/// these; the program is not for one of them yet when it is imported.
static constexpr int64_t kOperationsPerByte = 16, kMaxRadix = 2 * kOperationsPerByte;
/// The greatest prime that is a contraction, of 4 times as much. A convolution of n numbers is
/// three transforms of at least 2 n - 1, each of two or three contractions of up to 32.
static constexpr int64_t kMaxPrime = 4 * kMaxRadix;

/// exp(2 pi i number / n)
static Number getRoot(int64_t number, int64_t n) {
  long double angle = 2 * acosl(-1.0L) * static_cast<long double>(number % n) / n;
  return {cosl(angle), sinl(angle)};
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getPrimes(int64_t n) {
  SmallVector<int64_t> primes;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      primes.push_back(p);
  if (n > 1)
    primes.push_back(n);
  return primes;
}

/// Factors as few and as equal as `kMaxRadix` permits; a greater prime is one of its own.
static SmallVector<int64_t> getFactors(int64_t n) {
  SmallVector<int64_t> primes = getPrimes(n);
  llvm::sort(primes, std::greater<>());
  int64_t most = std::max(kMaxRadix, primes.front());
  for (size_t count = 1;; ++count) {
    SmallVector<int64_t> factors(count, 1);
    for (int64_t prime : primes)
      *llvm::min_element(factors) *= prime;
    if (count >= primes.size() ||
        llvm::all_of(factors, [&](int64_t factor) { return factor <= most; }))
      return factors;
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A constant of each part of numbers.
static Complex makeConstants(RealBuilder &r, RankedTensorType type, ArrayRef<Number> numbers) {
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  auto make = [&](auto getPart) -> Value {
    SmallVector<APFloat> values;
    for (const Number &number : numbers) {
      APFloat value(static_cast<double>(getPart(number)));
      bool losesInfo;
      value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      values.push_back(value);
    }
    return stablehlo::ConstantOp::create(r.b, r.loc, DenseElementsAttr::get(type, values));
  };
  return {make([](const Number &number) { return number.real(); }),
          make([](const Number &number) { return number.imag(); })};
}

static Value broadcast(RealBuilder &r, Value value, RankedTensorType type, ArrayRef<int64_t> dims) {
  return stablehlo::BroadcastInDimOp::create(r.b, r.loc, type, value, dims);
}

/// The product with constants along dimensions, elementwise.
static Complex multiplyAlong(RealBuilder &r, Complex z, ArrayRef<Number> numbers,
                             ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOf(z.re);
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(type.getDimSize(dim));
  Complex w = makeConstants(r, type.clone(shape), numbers);
  w = {broadcast(r, w.re, type, dims), broadcast(r, w.im, type, dims)};
  if (!z.im)
    return {r.mul(z.re, w.re), r.mul(z.re, w.im)};
  return {r.sub(r.mul(z.re, w.re), r.mul(z.im, w.im)), r.add(r.mul(z.re, w.im), r.mul(z.im, w.re))};
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// The sums over a dimension of products with a matrix; its columns become the last dimension.
static Complex multiplyByMatrix(RealBuilder &r, Complex z, int64_t dim, bool isInverse) {
  RankedTensorType type = typeOf(z.re);
  int64_t n = type.getDimSize(dim);
  SmallVector<Number> numbers;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < n; ++k)
      numbers.push_back(getRoot(isInverse ? i * k : n - i * k % n, n));
  Complex w = makeConstants(r, type.clone({n, n}), numbers);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  shape.push_back(n);
  auto numbersOfDims =
      stablehlo::DotDimensionNumbersAttr::get(r.b.getContext(), {}, {}, {dim}, {0});
  auto highest = stablehlo::PrecisionAttr::get(r.b.getContext(), stablehlo::Precision::HIGHEST);
  auto contract = [&](Value lhs, Value rhs) -> Value {
    return stablehlo::DotGeneralOp::create(r.b, r.loc, type.clone(shape), lhs, rhs, numbersOfDims,
                                           r.b.getArrayAttr({highest, highest}),
                                           stablehlo::DotAlgorithmAttr());
  };
  if (!z.im)
    return {contract(z.re, w.re), contract(z.re, w.im)};
  return {r.sub(contract(z.re, w.re), contract(z.im, w.im)),
          r.add(contract(z.re, w.im), contract(z.im, w.re))};
}

/// The transform of numbers at import; their count is a power of two.
static void transform(SmallVectorImpl<Number> &numbers) {
  size_t n = numbers.size();
  if (n == 1)
    return;
  SmallVector<Number> even, odd;
  for (size_t i = 0; i < n; i += 2) {
    even.push_back(numbers[i]);
    odd.push_back(numbers[i + 1]);
  }
  transform(even);
  transform(odd);
  for (size_t k = 0; k < n / 2; ++k) {
    Number turned = odd[k] * std::conj(getRoot(k, n));
    numbers[k] = even[k] + turned;
    numbers[k + n / 2] = even[k] - turned;
  }
}

static Value pad(RealBuilder &r, Value value, int64_t dim, int64_t high) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> zeros(type.getRank(), 0), highs(zeros), shape(type.getShape());
  highs[dim] = high;
  shape[dim] += high;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = stablehlo::ConstantOp::create(
      r.b, r.loc, DenseElementsAttr::get(scalar, r.b.getZeroAttr(type.getElementType())));
  return stablehlo::PadOp::create(r.b, r.loc, type.clone(shape), value, zero, zeros, highs, zeros);
}

static Value slice(RealBuilder &r, Value value, int64_t dim, int64_t begin, int64_t end) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), shape(type.getShape());
  starts[dim] = begin;
  limits[dim] = end;
  shape[dim] = end - begin;
  return stablehlo::SliceOp::create(r.b, r.loc, type.clone(shape), value, starts, limits,
                                    SmallVector<int64_t>(type.getRank(), 1));
}

/// Bluestein: i k = (i^2 + k^2 - (k - i)^2) / 2 makes a convolution of the transform.
static Complex convolveWithChirp(RealBuilder &r, Complex z, int64_t dim, bool isInverse) {
  int64_t n = typeOf(z.re).getDimSize(dim);
  int64_t padded = llvm::PowerOf2Ceil(2 * n - 1);
  SmallVector<Number> chirp, filter(padded, Number(0));
  for (int64_t i = 0; i < n; ++i) {
    Number root = getRoot(i * i % (2 * n), 2 * n);
    chirp.push_back(isInverse ? root : std::conj(root));
    filter[i] = std::conj(chirp.back());
    if (i > 0)
      filter[padded - i] = filter[i];
  }
  transform(filter);
  for (Number &number : filter)
    number /= static_cast<long double>(padded);
  z = multiplyAlong(r, z, chirp, dim);
  z = {pad(r, z.re, dim, padded - n), pad(r, z.im, dim, padded - n)};
  z = buildFourierTransform(r, z, dim, /*isInverse=*/false);
  z = buildFourierTransform(r, multiplyAlong(r, z, filter, dim), dim, /*isInverse=*/true);
  z = {slice(r, z.re, dim, 0, n), slice(r, z.im, dim, 0, n)};
  return multiplyAlong(r, z, chirp, dim);
}

static Complex reshape(RealBuilder &r, Complex z, ArrayRef<int64_t> shape) {
  auto make = [&](Value part) -> Value {
    if (!part || typeOf(part).getShape() == shape)
      return part;
    return stablehlo::ReshapeOp::create(r.b, r.loc, typeOf(part).clone(shape), part);
  };
  return {make(z.re), make(z.im)};
}

static Complex transpose(RealBuilder &r, Complex z, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return z;
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(typeOf(z.re).getDimSize(dim));
  auto make = [&](Value part) -> Value {
    return stablehlo::TransposeOp::create(r.b, r.loc, typeOf(part).clone(shape), part, permutation);
  };
  return {make(z.re), make(z.im)};
}

Complex dmc::buildFourierTransform(RealBuilder &r, Complex z, int64_t dim, bool isInverse) {
  RankedTensorType original = typeOf(z.re);
  int64_t n = original.getDimSize(dim);
  if (n == 1)
    return {z.re, z.im ? z.im : r.constant(z.re, 0.0)};
  SmallVector<int64_t> factors = getFactors(n);
  if (factors.size() == 1 && n > kMaxPrime)
    return convolveWithChirp(r, z, dim, isInverse);

  // Of x[n1, n2, ...] one factor after the other is transformed: with n = f1 rest,
  //   X[k1 + f1 k] = sum over i of w_n^(i k1) w_rest^(i k) (sum over n1 of w_f1^(n1 k1) x[n1, i]).
  // `order` has, for each dimension of `z`, what it is: of the operand's dimensions their number;
  // of the factors, the rank and the number of the factor.
  int64_t rank = original.getRank(), count = factors.size();
  SmallVector<int64_t> order, shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != dim) {
      order.push_back(i);
      shape.push_back(original.getDimSize(i));
      continue;
    }
    for (int64_t j = 0; j < count; ++j) {
      order.push_back(rank + j);
      shape.push_back(factors[j]);
    }
  }
  z = reshape(r, z, shape);
  int64_t rest = n;
  for (int64_t j = 0; j < count; ++j) {
    int64_t at = llvm::find(order, rank + j) - order.begin();
    if (factors[j] > kMaxPrime) {
      z = buildFourierTransform(r, z, at, isInverse);
    } else {
      z = multiplyByMatrix(r, z, at, isInverse);
      order.erase(order.begin() + at);
      order.push_back(rank + j);
    }
    rest /= factors[j];
    if (rest == 1)
      continue;
    // The factors that remain, and this one, as they lie.
    SmallVector<int64_t> dims, sizes;
    for (auto [position, label] : llvm::enumerate(order))
      if (label >= rank + j) {
        dims.push_back(position);
        sizes.push_back(label - rank);
      }
    SmallVector<Number> roots;
    SmallVector<int64_t> index(dims.size(), 0);
    for (int64_t i = 0; i < rest * factors[j]; ++i) {
      int64_t k = 0, later = 0;
      for (auto [label, coordinate] : llvm::zip(sizes, index)) {
        if (label == j)
          k = coordinate;
        else
          later = later * factors[label] + coordinate;
      }
      int64_t total = rest * factors[j], number = later * k % total;
      roots.push_back(getRoot(isInverse ? number : total - number, total));
      for (int64_t d = dims.size() - 1; d >= 0 && ++index[d] == factors[sizes[d]]; --d)
        index[d] = 0;
    }
    z = multiplyAlong(r, z, roots, dims);
  }
  // k = k1 + f1 (k2 + f2 (...)): the last factor is the most significant digit.
  SmallVector<int64_t> permutation;
  auto append = [&](int64_t label) {
    permutation.push_back(llvm::find(order, label) - order.begin());
  };
  for (int64_t i = 0; i < rank; ++i) {
    if (i != dim) {
      append(i);
      continue;
    }
    for (int64_t j = count - 1; j >= 0; --j)
      append(rank + j);
  }
  return reshape(r, transpose(r, z, permutation), original.getShape());
}

//===----------------------------------------------------------------------===//
// fft
//===----------------------------------------------------------------------===//

/// Of a real signal the second half of the spectrum is the conjugate of the first, reversed.
static Value mirror(RealBuilder &r, Value half, int64_t n, bool isConjugate) {
  RankedTensorType type = typeOf(half);
  int64_t dim = type.getRank() - 1, missing = n - type.getDimSize(dim);
  if (missing == 0)
    return half;
  Value tail = slice(r, half, dim, 1, missing + 1);
  tail = r.op("stablehlo.reverse", tail, tail.getType(),
              r.b.getNamedAttr("dimensions", r.b.getDenseI64ArrayAttr({dim})));
  if (isConjugate)
    tail = r.neg(tail);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = n;
  return r.op("stablehlo.concatenate", {half, tail}, type.clone(shape),
              r.b.getNamedAttr("dimension", r.b.getI64IntegerAttr(dim)));
}

Complex dmc::expandFft(RealBuilder &r, stablehlo::FftOp op, Complex z) {
  using stablehlo::FftType;
  RankedTensorType operand = typeOf(z.re);
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  bool isInverse = op.getFftType() == FftType::IFFT || op.getFftType() == FftType::IRFFT;
  bool toReal = op.getFftType() == FftType::IRFFT;
  if (operand.getNumElements() == 0 || resultType.getNumElements() == 0) {
    RankedTensorType type = resultType.clone(operand.getElementType());
    Value zeros = stablehlo::ConstantOp::create(
        r.b, r.loc, DenseElementsAttr::get(type, r.b.getZeroAttr(type.getElementType())));
    return {zeros, zeros};
  }
  int64_t last = operand.getRank() - 1, count = op.getFftLength().size();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(last - count + 1, last));
  // The real side comes first, or last.
  dims.insert(toReal ? dims.end() : dims.begin(), last);
  double elements = 1;
  for (int64_t dim : dims) {
    if (toReal && dim == last)
      z = {mirror(r, z.re, op.getFftLength().back(), false),
           mirror(r, z.im, op.getFftLength().back(), true)};
    elements *= static_cast<double>(typeOf(z.re).getDimSize(dim));
    z = buildFourierTransform(r, z, dim, isInverse);
    if (op.getFftType() == FftType::RFFT && dim == last) {
      int64_t half = resultType.getDimSize(last);
      z = {slice(r, z.re, dim, 0, half), slice(r, z.im, dim, 0, half)};
    }
  }
  if (isInverse) {
    Value scale = r.constant(z.re, 1 / elements);
    z = {r.mul(z.re, scale), r.mul(z.im, scale)};
  }
  return z;
}

//===- KernelsImpl.h - Matrix multiplication in registers -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files for the instruction sets compile: they define DMC_VECTOR_BYTES and DMC_ROWS
// first. All of it is local to the file, and nothing of the standard library is used: the linker
// must not take one instruction set's copy of a function for all.
//
//===----------------------------------------------------------------------===//
#include "Matmul/PackImpl.h"

namespace {

//===--- Products ---------------------------------------------------------===//

/// Sums of `rows` rows and `vectors` vectors of columns stay in registers.
template <typename T, int rows, int vectors>
void multiplyPanels(int64_t steps, const T *a, const T *b, T *c, const int64_t *offsets, bool add) {
  constexpr int lanes = lanesOf<T>;
  using V = typename VectorOf<T, lanes>::Type;
  V sums[rows][vectors];
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v)
      sums[i][v] = V{} + T(0);
  // Results are far from each other: they are fetched while the sums are computed.
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + offsets[i], 1);
    __builtin_prefetch(c + offsets[i] + vectors * lanes - 1, 1);
  }
  for (int64_t p = 0; p < steps; ++p, a += rows, b += vectors * lanes) {
    V right[vectors];
    for (int v = 0; v < vectors; ++v)
      right[v] = loadVector<V>(b + v * lanes);
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < vectors; ++v)
        sums[i][v] += a[i] * right[v];
  }
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v) {
      T *to = c + offsets[i] + v * lanes;
      storeVector(to, add ? loadVector<V>(to) + sums[i][v] : sums[i][v]);
    }
}

template <typename T>
using MultiplyPanels = void (*)(int64_t, const T *, const T *, T *, const int64_t *, bool);

/// By rows - 1, and vectors - 1.
template <typename T>
constexpr MultiplyPanels<T> multipliers[][2] = {
    {multiplyPanels<T, 1, 1>, multiplyPanels<T, 1, 2>},
    {multiplyPanels<T, 2, 1>, multiplyPanels<T, 2, 2>},
    {multiplyPanels<T, 3, 1>, multiplyPanels<T, 3, 2>},
    {multiplyPanels<T, 4, 1>, multiplyPanels<T, 4, 2>},
    {multiplyPanels<T, 5, 1>, multiplyPanels<T, 5, 2>},
    {multiplyPanels<T, 6, 1>, multiplyPanels<T, 6, 2>},
#if DMC_ROWS > 6
    {multiplyPanels<T, 7, 1>, multiplyPanels<T, 7, 2>},
    {multiplyPanels<T, 8, 1>, multiplyPanels<T, 8, 2>},
    {multiplyPanels<T, 9, 1>, multiplyPanels<T, 9, 2>},
    {multiplyPanels<T, 10, 1>, multiplyPanels<T, 10, 2>},
    {multiplyPanels<T, 11, 1>, multiplyPanels<T, 11, 2>},
    {multiplyPanels<T, 12, 1>, multiplyPanels<T, 12, 2>},
#endif
};

template <typename T>
void multiply(int64_t steps, const void *left, int64_t rows, const void *right, int64_t columns,
              void *results, const int64_t *rowOffsets, bool add) {
  constexpr int lanes = lanesOf<T>, width = 2 * lanes;
  int64_t scratchOffsets[DMC_ROWS];
  for (int64_t i = 0; i < DMC_ROWS; ++i)
    scratchOffsets[i] = i * width;
  const T *a = static_cast<const T *>(left), *b = static_cast<const T *>(right);
  T *c = static_cast<T *>(results);
  for (int64_t j = 0; j < columns; j += width) {
    int64_t here = columns - j < width ? columns - j : width;
    int64_t vectors = (here + lanes - 1) / lanes;
    for (int64_t i = 0; i < rows; i += DMC_ROWS) {
      int64_t count = rows - i < DMC_ROWS ? rows - i : DMC_ROWS;
      MultiplyPanels<T> kernel = multipliers<T>[count - 1][vectors - 1];
      if (here % lanes == 0) {
        kernel(steps, a + i * steps, b + j * steps, c + j, rowOffsets + i, add);
        continue;
      }
      T sums[DMC_ROWS * width];
      kernel(steps, a + i * steps, b + j * steps, sums, scratchOffsets, false);
      for (int64_t row = 0; row < count; ++row)
        for (int64_t column = 0; column < here; ++column) {
          T &target = c[rowOffsets[i + row] + j + column];
          target = add ? target + sums[row * width + column] : sums[row * width + column];
        }
    }
  }
}

/// Columns that lie next to each other: four steps at a time are added to the sums of a row, so
/// that these are loaded and stored for every fourth. In blocks of columns of which the sums of
/// five rows (a panel has six) and four rows of B, 2 KB each, stay in the smallest first cache, 32
/// KB.
template <typename T>
void addSteps(const T *a, int64_t rows, const Elements &b, T *c, const int64_t *offsets, bool add) {
  constexpr int64_t lanes = lanesOf<T>, block = 2048 / sizeof(T);
  using V = typename VectorOf<T, lanes>::Type;
  const T *base = static_cast<const T *>(b.base) + b.rowOffsets[0];
  for (int64_t first = 0; first < b.rows; first += block) {
    int64_t last = b.rows - first < block ? b.rows : first + block;
    if (!add)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = first; j < last; ++j)
          c[offsets[i] + j] = 0;
    for (int64_t p = 0; p < b.steps; p += 4) {
      int64_t count = b.steps - p < 4 ? b.steps - p : 4;
      for (int64_t i = 0; i < rows; ++i) {
        const T *factors = a + i * b.steps + p;
        T *to = c + offsets[i];
        if (count < 4) {
          for (int64_t q = 0; q < count; ++q) {
            const T *row = base + b.stepOffsets[p + q];
            for (int64_t j = first; j < last; ++j)
              to[j] += factors[q] * row[j];
          }
          continue;
        }
        const T *row0 = base + b.stepOffsets[p], *row1 = base + b.stepOffsets[p + 1],
                *row2 = base + b.stepOffsets[p + 2], *row3 = base + b.stepOffsets[p + 3];
        const T f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
        int64_t j = first;
        for (; j + lanes <= last; j += lanes) {
          V sum = loadVector<V>(to + j);
          sum += f0 * loadVector<V>(row0 + j);
          sum += f1 * loadVector<V>(row1 + j);
          sum += f2 * loadVector<V>(row2 + j);
          sum += f3 * loadVector<V>(row3 + j);
          storeVector(to + j, sum);
        }
        for (; j < last; ++j) {
          T sum = to[j];
          sum += f0 * row0[j];
          sum += f1 * row1[j];
          sum += f2 * row2[j];
          sum += f3 * row3[j];
          to[j] = sum;
        }
      }
    }
  }
}

/// The sum over the lanes, halves added to each other.
template <typename T, typename V>
T sumLanes(V values) {
  constexpr int lanes = lanesOf<T>;
  T parts[lanes];
  storeVector(parts, values);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      parts[i] += parts[i + half];
  return parts[0];
}

/// The sums of `count` columns and one row, whose steps lie next to each other.
template <typename T, int count>
void addProducts(const T *a, const T *const *columns, int64_t steps, T *sums) {
  constexpr int64_t lanes = lanesOf<T>;
  using V = typename VectorOf<T, lanes>::Type;
  V even[count], odd[count];
  for (int j = 0; j < count; ++j)
    even[j] = odd[j] = V{} + T(0);
  int64_t p = 0;
  for (; p + 2 * lanes <= steps; p += 2 * lanes)
    for (int j = 0; j < count; ++j) {
      even[j] += loadVector<V>(a + p) * loadVector<V>(columns[j] + p);
      odd[j] += loadVector<V>(a + p + lanes) * loadVector<V>(columns[j] + p + lanes);
    }
  for (int j = 0; j < count; ++j) {
    T sum = sumLanes<T>(even[j] + odd[j]);
    for (int64_t q = p; q < steps; ++q)
      sum += a[q] * columns[j][q];
    sums[j] = sum;
  }
}

template <typename T>
void multiplyInPlace(const void *left, int64_t rows, const Elements &b, bool hasAdjacentColumns,
                     void *results, const int64_t *offsets, bool add) {
  const T *a = static_cast<const T *>(left);
  T *c = static_cast<T *>(results);
  if (hasAdjacentColumns)
    return addSteps(a, rows, b, c, offsets, add);
  // Two vectors of sums for each column, and two of the left operand: ten of 16 registers.
  constexpr int64_t together = 4;
  for (int64_t first = 0; first < b.rows; first += together) {
    int64_t count = b.rows - first < together ? b.rows - first : together;
    const T *columns[together];
    for (int64_t j = 0; j < count; ++j)
      columns[j] = static_cast<const T *>(b.base) + b.rowOffsets[first + j] + b.stepOffsets[0];
    for (int64_t i = 0; i < rows; ++i) {
      T sums[together];
      if (count == together)
        addProducts<T, together>(a + i * b.steps, columns, b.steps, sums);
      else
        for (int64_t j = 0; j < count; ++j)
          addProducts<T, 1>(a + i * b.steps, columns + j, b.steps, sums + j);
      for (int64_t j = 0; j < count; ++j) {
        T &target = c[offsets[i] + first + j];
        target = add ? target + sums[j] : sums[j];
      }
    }
  }
}

template <typename T>
void sum(void *first, int64_t slices, int64_t distance, int64_t count) {
  T *to = static_cast<T *>(first);
  for (int64_t slice = 1; slice < slices; ++slice) {
    const T *from = to + slice * distance;
    for (int64_t i = 0; i < count; ++i)
      to[i] += from[i];
  }
}

//===--- Results ----------------------------------------------------------===//

template <typename T, typename S>
void storeQuad(Quad<T> values, bool add, S *to) {
  if (add)
    values += loadElements<T, 4>(to);
  if constexpr (__is_same(T, S))
    storeVector(to, values);
  else
    for (int i = 0; i < 4; ++i)
      narrow(values[i], to[i]);
}

template <typename T, typename S>
void storeResults(const T *sums, int64_t stride, const Results &to) {
  S *base = static_cast<S *>(to.base);
  if (isConsecutive(to.columnOffsets, to.columns)) {
    for (int64_t i = 0; i < to.rows; ++i) {
      S *row = base + to.rowOffsets[i] + to.columnOffsets[0];
      const T *from = sums + i * stride;
      if (to.add)
        for (int64_t j = 0; j < to.columns; ++j)
          narrow(T(widen(row[j])) + from[j], row[j]);
      else
        for (int64_t j = 0; j < to.columns; ++j)
          narrow(from[j], row[j]);
    }
    return;
  }
  if (to.columns % 4 == 0 && haveConsecutiveQuads(to.columnOffsets, to.columns)) {
    for (int64_t i = 0; i < to.rows; ++i)
      for (int64_t j = 0; j < to.columns; j += 4) {
        S *target = base + to.rowOffsets[i] + to.columnOffsets[j];
        storeQuad<T>(loadVector<Quad<T>>(sums + i * stride + j), to.add, target);
      }
    return;
  }
  int64_t i = 0;
  for (; i + 4 <= to.rows && isConsecutive(to.rowOffsets + i, 4); i += 4) {
    const T *from = sums + i * stride;
    S *row = base + to.rowOffsets[i];
    int64_t j = 0;
    for (; j + 4 <= to.columns; j += 4) {
      Quad<T> part[4];
      for (int r = 0; r < 4; ++r)
        part[r] = loadVector<Quad<T>>(from + r * stride + j);
      transposeSquare<2>(part);
      for (int r = 0; r < 4; ++r)
        storeQuad<T>(part[r], to.add, row + to.columnOffsets[j + r]);
    }
    for (; j < to.columns; ++j)
      for (int r = 0; r < 4; ++r) {
        S &target = row[to.columnOffsets[j] + r];
        narrow((to.add ? T(widen(target)) : T(0)) + from[r * stride + j], target);
      }
  }
  for (; i < to.rows; ++i)
    for (int64_t j = 0; j < to.columns; ++j) {
      S &target = base[to.rowOffsets[i] + to.columnOffsets[j]];
      narrow((to.add ? T(widen(target)) : T(0)) + sums[i * stride + j], target);
    }
}

template <typename T>
void store(const void *sums, int64_t stride, const Results &to) {
  dispatch<T>(to.type, [&](auto *element) {
    storeResults<T, Element<decltype(element)>>(static_cast<const T *>(sums), stride, to);
  });
}

template <typename T>
constexpr Kernels kernels = {DMC_ROWS,    2 * lanesOf<T>,     lanesOf<T>, pack<T>,
                             multiply<T>, multiplyInPlace<T>, sum<T>,     store<T>};

const Kernels *kernelsOf(uint32_t type) {
  switch (type) {
  case DMC_UI32:
    return &kernels<uint32_t>;
  case DMC_UI64:
    return &kernels<uint64_t>;
  case DMC_F64:
    return &kernels<double>;
  default:
    return &kernels<float>;
  }
}

} // namespace

//===- PackImpl.h - Packing of operands into panels ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of KernelsImpl.h: the panels of packed operands.
//
//===----------------------------------------------------------------------===//
#include "Matmul/ElementsImpl.h"

namespace {

bool isConsecutive(const int64_t *offsets, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (offsets[i] != offsets[0] + i)
      return false;
  return true;
}

bool haveConsecutiveQuads(const int64_t *offsets, int64_t count) {
  for (int64_t i = 0; i < count; i += 4)
    if (!isConsecutive(offsets + i, 4))
      return false;
  return true;
}

/// Packs as many steps as a vector has lanes, which lie next to each other, of `rows` rows: a line
/// of memory is read once, since lines of many rows may not stay in a cache together.
template <typename T, int rows, typename S>
void packSquares(const S *base, const int64_t *at, int64_t width, T *to) {
  if constexpr (rows > 0) {
    constexpr int lanes = lanesOf<T>, count = rows < lanes ? rows : lanes;
    using V = typename VectorOf<T, lanes>::Type;
    V square[lanes];
    for (int i = 0; i < lanes; ++i)
      square[i] = i < count ? loadElements<T, lanes>(base + at[i]) : V{} + T(0);
    transposeSquare<lanes / 2>(square);
    for (int p = 0; p < lanes; ++p)
      storeFirst<0, count>(to + p * width, square[p]);
    packSquares<T, rows - count>(base, at + count, width, to + count);
  }
}

/// A panel of `rows` rows, in memory `width` apart; the rest stays.
template <typename T, typename S, int knownRows>
void packRows(const Elements &from, int64_t first, int64_t rowsIfUnknown, int64_t width, T *to) {
  const S *base = static_cast<const S *>(from.base);
  const int64_t rows = knownRows ? knownRows : rowsIfUnknown;
  const int64_t *at = from.rowOffsets + first, *steps = from.stepOffsets;
  const int64_t quads = rows / 4 * 4;
  if (isConsecutive(at, rows)) {
    for (int64_t p = 0; p < from.steps; ++p, to += width) {
      const S *row = base + at[0] + steps[p];
      if constexpr (knownRows) {
        copyElements<T, knownRows>(row, to);
        continue;
      }
      for (int64_t i = 0; i < quads; i += 4)
        storeVector(to + i, loadElements<T, 4>(row + i));
      for (int64_t i = quads; i < rows; ++i)
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, which keeps its sign
        to[i] = T(widen(row[i]));
    }
    return;
  }
  if (quads && haveConsecutiveQuads(at, quads)) {
    for (int64_t p = 0; p < from.steps; ++p, to += width) {
      const S *row = base + steps[p];
      for (int64_t i = 0; i < quads; i += 4)
        storeVector(to + i, loadElements<T, 4>(row + at[i]));
      for (int64_t i = quads; i < rows; ++i)
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, which keeps its sign
        to[i] = T(widen(row[at[i]]));
    }
    return;
  }
  for (int64_t p = 0; p < from.steps;) {
    const S *row = base + steps[p];
    if constexpr (knownRows)
      if (from.steps - p >= lanesOf<T> && isConsecutive(steps + p, lanesOf<T>)) {
        packSquares<T, knownRows>(row, at, width, to);
        p += lanesOf<T>;
        to += lanesOf<T> * width;
        continue;
      }
    if (from.steps - p >= 4 && isConsecutive(steps + p, 4)) {
      for (int64_t i = 0; i < rows; ++i) {
        Quad<T> a = loadElements<T, 4>(row + at[i]);
        for (int q = 0; q < 4; ++q)
          to[q * width + i] = a[q];
      }
      p += 4;
      to += 4 * width;
      continue;
    }
    for (int64_t i = 0; i < rows; ++i)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, which keeps its sign
      to[i] = T(widen(row[at[i]]));
    ++p;
    to += width;
  }
}

/// Panels that are packed together, step by step, where all of their rows lie next to each other.
/// Lines of different steps may not stay in a cache together, so that what is read of a step should
/// end with one. Nor may the lines that are written, where panels are multiples of 4 KB apart:
/// first caches hold eight such lines or more. Four panels leave half of them to what is read;
/// eight it is where the rows of eight end with a line, and those of four do not.
template <typename S, int rows>
constexpr int panelsTogether() {
  constexpr int line = 64 / sizeof(S), few = 4, most = 8;
  return few * rows % line && most * rows % line == 0 ? most : few;
}

template <typename T, typename S, int rows, int panels>
void packAdjacent(const Elements &from, int64_t first, T *to) {
  const S *base = static_cast<const S *>(from.base) + from.rowOffsets[first];
  for (int64_t p = 0; p < from.steps; ++p, to += rows)
    for (int64_t panel = 0; panel < panels; ++panel)
      copyElements<T, rows>(base + from.stepOffsets[p] + panel * rows,
                            to + panel * rows * from.steps);
}

/// Packs the panel of `rows` rows that begins at row `first`, or several where panels have so many.
/// Returns how many rows are packed.
template <typename T, typename S, int rows>
int64_t packKnown(const Elements &from, int64_t first, int64_t width, int64_t filled, T *to) {
  constexpr int panels = panelsTogether<S, rows>();
  constexpr int64_t together = panels * rows;
  if (width == rows && from.rows - first >= together &&
      isConsecutive(from.rowOffsets + first, together)) {
    packAdjacent<T, S, rows, panels>(from, first, to);
    return together;
  }
  packRows<T, S, rows>(from, first, rows, filled, to);
  return rows;
}

template <typename T, typename S>
void packPanels(const Elements &from, int64_t width, int64_t multiple, T *to) {
  for (int64_t first = 0, packed; first < from.rows; first += packed) {
    int64_t rows = from.rows - first < width ? from.rows - first : width;
    int64_t filled = (rows + multiple - 1) / multiple * multiple;
    packed = rows;
    if (rows == 2 * lanesOf<T>)
      packed = packKnown<T, S, 2 * lanesOf<T>>(from, first, width, filled, to);
    else if (rows == DMC_ROWS)
      packed = packKnown<T, S, DMC_ROWS>(from, first, width, filled, to);
    else
      packRows<T, S, 0>(from, first, rows, filled, to);
    for (int64_t p = 0; p < from.steps && rows < filled; ++p)
      for (int64_t i = rows; i < filled; ++i)
        to[p * filled + i] = 0;
    to += (packed == rows ? filled : packed) * from.steps;
  }
}

template <typename T>
void pack(const Elements &from, int64_t width, int64_t multiple, void *to) {
  dispatch<T>(from.type, [&](auto *element) {
    packPanels<T, Element<decltype(element)>>(from, width, multiple, static_cast<T *>(to));
  });
}

} // namespace

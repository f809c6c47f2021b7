// Pieces of attention: tiles of head vectors in shared memory, and what a block works on.
#pragma once
#include "common.cuh"

// Some rows of one segment and the ranges of rows that they meet; both tables are made by the host (gpu/attention-plan.ts).
struct Work {
  int start, count;        // rows of this tile
  int firstRange, ranges;  // into the table of ranges
};
struct Range {
  int start, end;  // rows
  int causal;      // 1: a query meets keys up to its own row; 0: all of them
  int unused;
};

const float LOG2E = 1.4426950408889634f;
const float LN2 = 0.6931471805599453f;

// A tile of `rows` vectors of D elements. 16-byte pieces of a row are exchanged by the row's number, so that eight rows of one
// column lie in different banks.
template <int D>
DEVICE u32 tileAt(u32 tile, int row, int piece) {
  return tile + row * (D * 2) + ((piece ^ (row & 7)) << 4);
}

// Rows [first, first + rows) of a matrix into a tile; rows from `end` on become zeros, and so do columns from `width` on, where
// heads are narrower than the tile (`narrow`): zeros change no product.
template <int D, int rows, int threads, bool narrow>
DEVICE void loadTile(u32 tile, const b16* matrix, size_t stride, int first, int end, int width) {
  constexpr int pieces = D / 8;
#pragma unroll
  for (int i = 0; i < rows * pieces / threads; i++) {
    int at = i * threads + threadIdx.x, row = at / pieces, piece = at % pieces;
    bool valid = first + row < end && (!narrow || piece * 8 < width);
    copyAsync(tileAt<D>(tile, row, piece), matrix + (size_t)(valid ? first + row : first) * stride + piece * 8, valid);
  }
}

// The fragment [16 rows, 16 columns] of a tile as the left operand.
template <int D>
DEVICE void leftOperand(u32* a, u32 tile, int row, int column) {
  int lane = threadIdx.x & 31;
  loadMatrices(a, tileAt<D>(tile, row + (lane & 15), column / 8 + (lane >> 4)));
}

// Two fragments of a tile's rows as columns of the right operand (its transpose): rows [row, row + 16), columns [column,
// column + 16); b[0], b[1] for the first eight rows, b[2], b[3] for the others.
template <int D>
DEVICE void rightOperandOfRows(u32* b, u32 tile, int row, int column) {
  int lane = threadIdx.x & 31;
  loadMatrices(b, tileAt<D>(tile, row + ((lane >> 4) << 3) + (lane & 7), column / 8 + ((lane >> 3) & 1)));
}

// Two fragments of a tile as the right operand: rows [row, row + 16) are summed over; b[0], b[1] for columns [column, column
// + 8), b[2], b[3] for the next eight.
template <int D>
DEVICE void rightOperand(u32* b, u32 tile, int row, int column) {
  int lane = threadIdx.x & 31;
  loadMatricesTransposed(b, tileAt<D>(tile, row + (lane & 15), column / 8 + (lane >> 4)));
}

// Walks over the ranges of a tile in steps of `step` rows.
template <int step>
struct Walk {
  const Range* range;
  int left;
  Range now;
  int at;
  DEVICE Walk(const Range* ranges, const Work& work) : range(ranges + work.firstRange), left(work.ranges), at(0) {
    if (left > 0) now = *range, at = now.start;
  }
  DEVICE bool there() const { return left > 0; }
  DEVICE void next() {
    at += step;
    if (at < now.end) return;
    left--, range++;
    if (left > 0) now = *range, at = now.start;
  }
};

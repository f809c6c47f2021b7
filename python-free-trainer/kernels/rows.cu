// Rows moved, widened and narrowed.
#include "common.cuh"

// out[t] = table[tokens[t]].
KERNEL void gather_rows(b16* out, int outStride, const b16* table, int tableStride, const int* indices, int rows, int width) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int pieces = width / 8;
  const long long row = at / pieces;
  if (row >= rows) return;
  const int piece = (int)(at % pieces);
  ((uint4*)(out + row * outStride))[piece] = ((const uint4*)(table + (size_t)indices[row] * tableStride))[piece];
}

// out[rows[i]] += sum of values[order[k]], k in [starts[i], starts[i + 1]): a row that several positions read gets them in one
// order.
KERNEL void add_rows(b16* out, int outStride, const b16* values, int valuesStride, const int* rows, const int* starts,
                     const int* order, int count, int width) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int pieces = width / 8;
  const long long index = at / pieces;
  if (index >= count) return;
  const int piece = (int)(at % pieces);
  uint4* to = (uint4*)(out + (size_t)rows[index] * outStride) + piece;
  float sum[8];
  unpack8(*to, sum);
  for (int k = starts[index]; k < starts[index + 1]; k++) {
    float f[8];
    unpack8(((const uint4*)(values + (size_t)order[k] * valuesStride))[piece], f);
#pragma unroll
    for (int i = 0; i < 8; i++) sum[i] += f[i];
  }
  *to = pack8(sum);
}

// out[t] += bias.
KERNEL void add_bias(b16* out, int stride, const float* bias, int rows, int width) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int pieces = width / 8;
  const long long row = at / pieces;
  if (row >= rows) return;
  const int piece = (int)(at % pieces);
  uint4* to = (uint4*)(out + row * stride) + piece;
  float f[8];
  unpack8(*to, f);
#pragma unroll
  for (int i = 0; i < 8; i++) f[i] += bias[piece * 8 + i];
  *to = pack8(f);
}

// The same in float32, an element a thread.
KERNEL void add_bias_exact(float* out, int stride, const float* bias, int rows, int width) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (u64)rows * width) return;
  out[(at / width) * stride + at % width] += bias[at % width];
}

KERNEL void narrow_rows(b16* out, int outStride, const float* from, int rows, int width) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (u64)rows * width) return;
  out[(at / width) * outStride + at % width] = narrow(from[at]);
}

KERNEL void widen_rows(float* out, const b16* from, int fromStride, int rows, int width) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (u64)rows * width) return;
  out[at] = widen(from[(at / width) * fromStride + at % width]);
}

// Zeros in columns [from, to) of every row.
KERNEL void clear_columns(b16* out, int stride, int from, int to, int rows) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const int width = to - from;
  if (at >= (u64)rows * width) return;
  out[(at / width) * stride + from + at % width] = 0;
}

// Columns of one matrix into another; both may be parts of larger ones.
KERNEL void copy_columns(b16* out, int outStride, const b16* from, int fromStride, int rows, int width) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (u64)rows * width) return;
  out[(at / width) * outStride + at % width] = from[(at / width) * fromStride + at % width];
}

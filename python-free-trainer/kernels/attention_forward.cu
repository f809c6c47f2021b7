// Causal grouped-query attention over packed segments (FlashAttention-2, arXiv 2307.08691: online softmax, scores never leave
// the chip). One block: 128 query rows of one head, four warps of 32 rows: what a warp reads of a tile of keys serves both halves
// of its rows. Reference: backend/cpu/kernels/attention.ts.
#include "attention.cuh"

template <int D, bool narrow, int BN>
DEVICE void forward(b16* out, int outStride, float* logSum, const b16* qkv, int qkvStride, int heads, int kvHeads, int width,
                    float scale, const Work* works, const Range* ranges) {
  constexpr int WARPS = 4, MT = 2, BM = WARPS * 16 * MT, THREADS = WARPS * 32;
  extern __shared__ __align__(128) unsigned char shared[];
  const u32 base = sharedAddress(shared);
  constexpr u32 tileBytes = BN * D * 2;
  const u32 queryTile = base, first = base + BM * D * 2;
  auto keyTile = [&](int buffer) { return first + buffer * tileBytes; };
  auto valueTile = [&](int buffer) { return first + (2 + buffer) * tileBytes; };
  const int size = narrow ? width : D;
  const int head = blockIdx.y, kvHead = head / (heads / kvHeads);
  const Work work = works[blockIdx.x];
  const b16* queries = qkv + head * size;
  const b16* keys = qkv + (heads + kvHead) * size;
  const b16* values = qkv + (heads + kvHeads + kvHead) * size;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int row0 = work.start + warp * 16 * MT + (lane >> 2);  // and row0 + 8, + 16, + 24
  const int end = work.start + work.count;
  loadTile<D, BM, THREADS, narrow>(queryTile, queries, qkvStride, work.start, end, size);
  float o[MT][D / 8][4];
#pragma unroll
  for (int m = 0; m < MT; m++)
#pragma unroll
  for (int i = 0; i < D / 8; i++) o[m][i][0] = o[m][i][1] = o[m][i][2] = o[m][i][3] = 0.f;
  float most[MT][2], sum[MT][2];
#pragma unroll
  for (int m = 0; m < MT; m++) most[m][0] = most[m][1] = -INFINITY, sum[m][0] = sum[m][1] = 0.f;
  const float scale2 = scale * LOG2E;
  Walk<BN> walk(ranges, work), ahead = walk;
  auto fetch = [&](int buffer) {
    if (ahead.there()) {
      loadTile<D, BN, THREADS, narrow>(keyTile(buffer), keys, qkvStride, ahead.at, ahead.now.end, size);
      loadTile<D, BN, THREADS, narrow>(valueTile(buffer), values, qkvStride, ahead.at, ahead.now.end, size);
      ahead.next();
    }
    copyCommit();
  };
  fetch(0);
  for (int buffer = 0; walk.there(); walk.next(), buffer ^= 1) {
    fetch(buffer ^ 1);
    copyWait<1>();
    __syncthreads();
    float s[MT][BN / 8][4];
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
    for (int j = 0; j < BN / 8; j++) s[m][j][0] = s[m][j][1] = s[m][j][2] = s[m][j][3] = 0.f;
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
      u32 q[MT][4];
#pragma unroll
      for (int m = 0; m < MT; m++) leftOperand<D>(q[m], queryTile, (warp * MT + m) * 16, k * 16);
#pragma unroll
      for (int j = 0; j < BN / 16; j++) {
        u32 b[4];
        rightOperandOfRows<D>(b, keyTile(buffer), j * 16, k * 16);
#pragma unroll
        for (int m = 0; m < MT; m++) {
          multiply(s[m][2 * j], q[m], b[0], b[1]);
          multiply(s[m][2 * j + 1], q[m], b[2], b[3]);
        }
      }
    }
    const int at = walk.at;
    if (at + BN > walk.now.end || (walk.now.causal && at + BN - 1 > work.start + warp * 16 * MT)) {
#pragma unroll
      for (int m = 0; m < MT; m++)
#pragma unroll
      for (int j = 0; j < BN / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          int key = at + j * 8 + (lane & 3) * 2 + (i & 1), query = row0 + m * 16 + (i >> 1) * 8;
          if (key >= walk.now.end || (walk.now.causal && key > query)) s[m][j][i] = -INFINITY;
        }
    }
#pragma unroll
    for (int m = 0; m < MT; m++) {
      float shift[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        float best = most[m][i];
#pragma unroll
        for (int j = 0; j < BN / 8; j++) best = fmaxf(best, fmaxf(s[m][j][2 * i], s[m][j][2 * i + 1]));
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
        // A row that has met no key yet keeps zeros.
        float rescale = best == -INFINITY ? 1.f : powerOfTwo((most[m][i] - best) * scale2);
        most[m][i] = best;
        sum[m][i] *= rescale;
#pragma unroll
        for (int n = 0; n < D / 8; n++) o[m][n][2 * i] *= rescale, o[m][n][2 * i + 1] *= rescale;
        shift[i] = best == -INFINITY ? 0.f : best * scale2;
      }
#pragma unroll
      for (int j = 0; j < BN / 8; j++) {
        s[m][j][0] = powerOfTwo(s[m][j][0] * scale2 - shift[0]), s[m][j][1] = powerOfTwo(s[m][j][1] * scale2 - shift[0]);
        s[m][j][2] = powerOfTwo(s[m][j][2] * scale2 - shift[1]), s[m][j][3] = powerOfTwo(s[m][j][3] * scale2 - shift[1]);
        sum[m][0] += s[m][j][0] + s[m][j][1], sum[m][1] += s[m][j][2] + s[m][j][3];
      }
    }
#pragma unroll
    for (int j = 0; j < BN / 16; j++) {
      u32 p[MT][4];
#pragma unroll
      for (int m = 0; m < MT; m++) {
        p[m][0] = pack(s[m][2 * j][0], s[m][2 * j][1]), p[m][1] = pack(s[m][2 * j][2], s[m][2 * j][3]);
        p[m][2] = pack(s[m][2 * j + 1][0], s[m][2 * j + 1][1]), p[m][3] = pack(s[m][2 * j + 1][2], s[m][2 * j + 1][3]);
      }
#pragma unroll
      for (int n = 0; n < D / 16; n++) {
        u32 b[4];
        rightOperand<D>(b, valueTile(buffer), j * 16, n * 16);
#pragma unroll
        for (int m = 0; m < MT; m++) {
          multiply(o[m][2 * n], p[m], b[0], b[1]);
          multiply(o[m][2 * n + 1], p[m], b[2], b[3]);
        }
      }
    }
    __syncthreads();
  }
  copyWait<0>();
#pragma unroll
  for (int m = 0; m < MT; m++)
#pragma unroll
  for (int i = 0; i < 2; i++) {
    float total = sum[m][i];
    total += __shfl_xor_sync(~0u, total, 1);
    total += __shfl_xor_sync(~0u, total, 2);
    const int at = row0 + m * 16 + i * 8;
    if (at >= end) continue;
    const float inverse = 1.f / total;
    b16* to = out + (size_t)at * outStride + head * size + (lane & 3) * 2;
#pragma unroll
    for (int n = 0; n < D / 8; n++)
      if (!narrow || n * 8 < size) *(u32*)(to + n * 8) = pack(o[m][n][2 * i] * inverse, o[m][n][2 * i + 1] * inverse);
    if ((lane & 3) == 0) logSum[(size_t)at * heads + head] = most[m][i] * scale + logf(total);
  }
}

#define FORWARD(NAME, D, narrow, BN, BLOCKS)                                                                                    \
  KERNEL void __launch_bounds__(128, BLOCKS) attention_forward_##NAME(                                                          \
      b16* out, int outStride, float* logSum, const b16* qkv, int qkvStride, int heads, int kvHeads, int width, float scale,    \
      const Work* works, const Range* ranges) {                                                                                 \
    forward<D, narrow, BN>(out, outStride, logSum, qkv, qkvStride, heads, kvHeads, width, scale, works, ranges);                \
  }
// Keys of a tile: as many as leave room for the registers.
FORWARD(narrow, 64, true, 64, 2)
FORWARD(64, 64, false, 64, 2)
FORWARD(128, 128, false, 32, 2)

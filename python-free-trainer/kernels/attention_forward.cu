// Causal grouped-query attention over packed segments (FlashAttention-2, arXiv 2307.08691: online softmax, scores never leave
// the chip). One block: 128 query rows of one head. Reference: backend/cpu/kernels/attention.ts.
#include "attention.cuh"

template <int D, bool narrow>
DEVICE void forward(b16* out, int outStride, float* logSum, const b16* qkv, int qkvStride, int heads, int kvHeads, int width,
                    float scale, const Work* works, const Range* ranges) {
  constexpr int BM = 128, BN = 64, THREADS = 256;
  extern __shared__ __align__(128) unsigned char shared[];
  const u32 base = sharedAddress(shared);
  const u32 tileBytes = BN * D * 2;
  // Two tiles of keys, then two of values. The queries pass through the tiles of keys first.
  auto keyTile = [&](int buffer) { return base + buffer * tileBytes; };
  auto valueTile = [&](int buffer) { return base + (2 + buffer) * tileBytes; };

  const int head = blockIdx.y, kvHead = head / (heads / kvHeads);
  const Work work = works[blockIdx.x];
  const int size = narrow ? width : D;
  const b16* queries = qkv + head * size;
  const b16* keys = qkv + (heads + kvHead) * size;
  const b16* values = qkv + (heads + kvHeads + kvHead) * size;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int row = work.start + warp * 16 + (lane >> 2);  // and row + 8
  const int end = work.start + work.count;

  loadTile<D, BM, THREADS, narrow>(base, queries, qkvStride, work.start, end, size);
  copyCommit();
  copyWait<0>();
  __syncthreads();
  u32 q[D / 16][4];
#pragma unroll
  for (int k = 0; k < D / 16; k++) leftOperand<D>(q[k], base, warp * 16, k * 16);
  __syncthreads();

  float o[D / 8][4];
#pragma unroll
  for (int i = 0; i < D / 8; i++) o[i][0] = o[i][1] = o[i][2] = o[i][3] = 0.f;
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f};
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

    float s[BN / 8][4];
#pragma unroll
    for (int j = 0; j < BN / 8; j++) s[j][0] = s[j][1] = s[j][2] = s[j][3] = 0.f;
#pragma unroll
    for (int k = 0; k < D / 16; k++)
#pragma unroll
      for (int j = 0; j < BN / 16; j++) {
        u32 b[4];
        rightOperandOfRows<D>(b, keyTile(buffer), j * 16, k * 16);
        multiply(s[2 * j], q[k], b[0], b[1]);
        multiply(s[2 * j + 1], q[k], b[2], b[3]);
      }

    const int at = walk.at;
    if (at + BN > walk.now.end || (walk.now.causal && at + BN - 1 > work.start + warp * 16)) {
#pragma unroll
      for (int j = 0; j < BN / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          int key = at + j * 8 + (lane & 3) * 2 + (i & 1), query = row + (i >> 1) * 8;
          if (key >= walk.now.end || (walk.now.causal && key > query)) s[j][i] = -INFINITY;
        }
    }

    float best[2] = {most[0], most[1]};
#pragma unroll
    for (int j = 0; j < BN / 8; j++) {
      best[0] = fmaxf(best[0], fmaxf(s[j][0], s[j][1]));
      best[1] = fmaxf(best[1], fmaxf(s[j][2], s[j][3]));
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      best[i] = fmaxf(best[i], __shfl_xor_sync(~0u, best[i], 1));
      best[i] = fmaxf(best[i], __shfl_xor_sync(~0u, best[i], 2));
      // A row that has met no key yet keeps zeros.
      float rescale = best[i] == -INFINITY ? 1.f : exp2f((most[i] - best[i]) * scale2);
      most[i] = best[i];
      sum[i] *= rescale;
#pragma unroll
      for (int n = 0; n < D / 8; n++) o[n][2 * i] *= rescale, o[n][2 * i + 1] *= rescale;
    }
    const float shift[2] = {most[0] == -INFINITY ? 0.f : most[0] * scale2, most[1] == -INFINITY ? 0.f : most[1] * scale2};
#pragma unroll
    for (int j = 0; j < BN / 8; j++) {
      s[j][0] = exp2f(s[j][0] * scale2 - shift[0]), s[j][1] = exp2f(s[j][1] * scale2 - shift[0]);
      s[j][2] = exp2f(s[j][2] * scale2 - shift[1]), s[j][3] = exp2f(s[j][3] * scale2 - shift[1]);
      sum[0] += s[j][0] + s[j][1], sum[1] += s[j][2] + s[j][3];
    }

#pragma unroll
    for (int j = 0; j < BN / 16; j++) {
      const u32 p[4] = {pack(s[2 * j][0], s[2 * j][1]), pack(s[2 * j][2], s[2 * j][3]), pack(s[2 * j + 1][0], s[2 * j + 1][1]),
                        pack(s[2 * j + 1][2], s[2 * j + 1][3])};
#pragma unroll
      for (int n = 0; n < D / 16; n++) {
        u32 b[4];
        rightOperand<D>(b, valueTile(buffer), j * 16, n * 16);
        multiply(o[2 * n], p, b[0], b[1]);
        multiply(o[2 * n + 1], p, b[2], b[3]);
      }
    }
    __syncthreads();
  }
  copyWait<0>();

#pragma unroll
  for (int i = 0; i < 2; i++) {
    sum[i] += __shfl_xor_sync(~0u, sum[i], 1);
    sum[i] += __shfl_xor_sync(~0u, sum[i], 2);
    const int at = row + i * 8;
    if (at >= end) continue;
    const float inverse = 1.f / sum[i];
    b16* to = out + (size_t)at * outStride + head * size + (lane & 3) * 2;
#pragma unroll
    for (int n = 0; n < D / 8; n++)
      if (!narrow || n * 8 < size) *(u32*)(to + n * 8) = pack(o[n][2 * i] * inverse, o[n][2 * i + 1] * inverse);
    if ((lane & 3) == 0) logSum[(size_t)at * heads + head] = most[i] * scale + logf(sum[i]);
  }
}

#define FORWARD(NAME, D, narrow)                                                                                                \
  KERNEL void __launch_bounds__(256, 1) attention_forward_##NAME(b16* out, int outStride, float* logSum, const b16* qkv,        \
                                                                 int qkvStride, int heads, int kvHeads, int width, float scale, \
                                                                 const Work* works, const Range* ranges) {                      \
    forward<D, narrow>(out, outStride, logSum, qkv, qkvStride, heads, kvHeads, width, scale, works, ranges);                    \
  }
FORWARD(narrow, 64, true)
FORWARD(64, 64, false)
FORWARD(128, 128, false)

// Gradients of attention without atomics: one kernel for keys and values, one for queries, so that every sum has one order.
// Scores are made again from what the forward pass kept (the logarithm of each row's sum). Formulas: arXiv 2307.08691, 3.2.
// Reference: backend/cpu/kernels/attention.ts.
#include "attention.cuh"

// delta [rows, heads] = sum over a head of dOut * out. One warp a row and head.
KERNEL void attention_row_dots(float* delta, const b16* dOut, int dOutStride, const b16* out, int outStride, int rows, int heads,
                               int width) {
  const int at = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (at >= rows * heads) return;
  const int row = at / heads, head = at % heads;
  const u32* d = (const u32*)(dOut + (size_t)row * dOutStride + head * width);
  const u32* o = (const u32*)(out + (size_t)row * outStride + head * width);
  float sum = 0.f;
  for (int i = lane; i < width / 2; i += 32) {
    u32 a = d[i], b = o[i];
    sum += low(a) * low(b) + high(a) * high(b);
  }
  sum = warpSum(sum);
  if (lane == 0) delta[at] = sum;
}

// dK and dV of 64 rows of one key-value head: scores transposed (keys by queries), so that they stay in registers as the left
// operand of both products.
template <int D, bool narrow>
DEVICE void keysAndValues(b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const float* logSum, const float* delta,
                          const b16* qkv, int qkvStride, int heads, int kvHeads, int width, float scale,
                          const Work* works, const Range* ranges) {
  constexpr int BN = 64, BM = 64, THREADS = 128, HALF = 32;
  extern __shared__ __align__(128) unsigned char shared[];
  const u32 base = sharedAddress(shared);
  const u32 tileBytes = 64 * D * 2;
  const u32 keyTile = base, valueTile = base + tileBytes;
  auto queryTile = [&](int buffer) { return base + (2 + buffer) * tileBytes; };
  auto outTile = [&](int buffer) { return base + (4 + buffer) * tileBytes; };
  float* rowSums = (float*)(shared + 6 * tileBytes);  // [2][64] logarithms of sums, then [2][64] deltas

  const int size = narrow ? width : D;
  const int kvHead = blockIdx.y, group = heads / kvHeads;
  const Work work = works[blockIdx.x];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int key = work.start + warp * 16 + (lane >> 2);  // and key + 8
  const int end = work.start + work.count;
  const float scale2 = scale * LOG2E;

  loadTile<D, BN, THREADS, narrow>(keyTile, qkv + (heads + kvHead) * size, qkvStride, work.start, end, size);
  loadTile<D, BN, THREADS, narrow>(valueTile, qkv + (heads + kvHeads + kvHead) * size, qkvStride, work.start, end, size);

  float dk[D / 8][4], dv[D / 8][4];
#pragma unroll
  for (int i = 0; i < D / 8; i++)
#pragma unroll
    for (int k = 0; k < 4; k++) dk[i][k] = dv[i][k] = 0.f;

  Walk<BM> walk(ranges, work), ahead = walk;
  int head = kvHead * group, headAhead = head;
  const int lastHead = head + group - 1;
  // Walks over the rows for each head of the group in turn.
  auto step = [&](Walk<BM>& w, int& h) {
    w.next();
    if (!w.there() && h < lastHead) h++, w = Walk<BM>(ranges, work);
  };
  auto fetch = [&](int buffer) {
    if (ahead.there()) {
      loadTile<D, BM, THREADS, narrow>(queryTile(buffer), qkv + headAhead * size, qkvStride, ahead.at, ahead.now.end, size);
      loadTile<D, BM, THREADS, narrow>(outTile(buffer), dOut + headAhead * size, dOutStride, ahead.at, ahead.now.end, size);
      if (threadIdx.x < BM) {
        const int query = ahead.at + threadIdx.x;
        const bool valid = query < ahead.now.end;
        // A row beyond the end gets probabilities of zero.
        rowSums[buffer * BM + threadIdx.x] = valid ? logSum[(size_t)query * heads + headAhead] * LOG2E : INFINITY;
        rowSums[2 * BM + buffer * BM + threadIdx.x] = valid ? delta[(size_t)query * heads + headAhead] : 0.f;
      }
      step(ahead, headAhead);
    }
    copyCommit();
  };
  fetch(0);
  for (int buffer = 0; walk.there(); step(walk, head), buffer ^= 1) {
    fetch(buffer ^ 1);
    copyWait<1>();
    __syncthreads();
#pragma unroll 1
    for (int half = 0; half < BM / HALF; half++) {
      float s[HALF / 8][4], dp[HALF / 8][4];
#pragma unroll
      for (int j = 0; j < HALF / 8; j++)
#pragma unroll
        for (int k = 0; k < 4; k++) s[j][k] = dp[j][k] = 0.f;
#pragma unroll
      for (int k = 0; k < D / 16; k++) {
        u32 a[4], v[4];
        leftOperand<D>(a, keyTile, warp * 16, k * 16);
        leftOperand<D>(v, valueTile, warp * 16, k * 16);
#pragma unroll
        for (int j = 0; j < HALF / 16; j++) {
          u32 b[4];
          rightOperandOfRows<D>(b, queryTile(buffer), half * HALF + j * 16, k * 16);
          multiply(s[2 * j], a, b[0], b[1]);
          multiply(s[2 * j + 1], a, b[2], b[3]);
          rightOperandOfRows<D>(b, outTile(buffer), half * HALF + j * 16, k * 16);
          multiply(dp[2 * j], v, b[0], b[1]);
          multiply(dp[2 * j + 1], v, b[2], b[3]);
        }
      }
      const int first = walk.at + half * HALF;
      const bool masked = walk.now.causal && first < work.start + warp * 16 + 15;
#pragma unroll
      for (int j = 0; j < HALF / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int column = half * HALF + j * 8 + (lane & 3) * 2 + (i & 1);
          float p = exp2f(s[j][i] * scale2 - rowSums[buffer * BM + column]);
          if (masked && walk.at + column < key + (i >> 1) * 8) p = 0.f;
          s[j][i] = p;
          dp[j][i] = p * (dp[j][i] - rowSums[2 * BM + buffer * BM + column]);
        }
#pragma unroll
      for (int j = 0; j < HALF / 16; j++) {
        const u32 p[4] = {pack(s[2 * j][0], s[2 * j][1]), pack(s[2 * j][2], s[2 * j][3]),
                          pack(s[2 * j + 1][0], s[2 * j + 1][1]), pack(s[2 * j + 1][2], s[2 * j + 1][3])};
        const u32 ds[4] = {pack(dp[2 * j][0], dp[2 * j][1]), pack(dp[2 * j][2], dp[2 * j][3]),
                           pack(dp[2 * j + 1][0], dp[2 * j + 1][1]), pack(dp[2 * j + 1][2], dp[2 * j + 1][3])};
#pragma unroll
        for (int n = 0; n < D / 16; n++) {
          u32 b[4];
          rightOperand<D>(b, outTile(buffer), half * HALF + j * 16, n * 16);
          multiply(dv[2 * n], p, b[0], b[1]);
          multiply(dv[2 * n + 1], p, b[2], b[3]);
          rightOperand<D>(b, queryTile(buffer), half * HALF + j * 16, n * 16);
          multiply(dk[2 * n], ds, b[0], b[1]);
          multiply(dk[2 * n + 1], ds, b[2], b[3]);
        }
      }
    }
    __syncthreads();
  }
  copyWait<0>();

#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int at = key + i * 8;
    if (at >= end) continue;
    b16* to = dQkv + (size_t)at * dQkvStride + (heads + kvHead) * size + (lane & 3) * 2;
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      if (narrow && n * 8 >= size) continue;
      *(u32*)(to + n * 8) = pack(dk[n][2 * i] * scale, dk[n][2 * i + 1] * scale);
      *(u32*)(to + kvHeads * size + n * 8) = pack(dv[n][2 * i], dv[n][2 * i + 1]);
    }
  }
}

// dQ of 64 rows of one head.
template <int D, bool narrow>
DEVICE void queries(b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const float* logSum, const float* delta,
                    const b16* qkv, int qkvStride, int heads, int kvHeads, int width, float scale, const Work* works,
                    const Range* ranges) {
  constexpr int BM = 64, BN = 64, THREADS = 128;
  extern __shared__ __align__(128) unsigned char shared[];
  const u32 base = sharedAddress(shared);
  const u32 tileBytes = 64 * D * 2;
  const u32 queryTile = base, outTile = base + tileBytes;
  auto keyTile = [&](int buffer) { return base + (2 + buffer) * tileBytes; };
  auto valueTile = [&](int buffer) { return base + (4 + buffer) * tileBytes; };

  const int size = narrow ? width : D;
  const int head = blockIdx.y, kvHead = head / (heads / kvHeads);
  const Work work = works[blockIdx.x];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int row = work.start + warp * 16 + (lane >> 2);  // and row + 8
  const int end = work.start + work.count;
  const float scale2 = scale * LOG2E;
  float rowSum[2], dot[2];
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int at = row + i * 8;
    rowSum[i] = at < end ? logSum[(size_t)at * heads + head] * LOG2E : INFINITY;
    dot[i] = at < end ? delta[(size_t)at * heads + head] : 0.f;
  }
  loadTile<D, BM, THREADS, narrow>(queryTile, qkv + head * size, qkvStride, work.start, end, size);
  loadTile<D, BM, THREADS, narrow>(outTile, dOut + head * size, dOutStride, work.start, end, size);

  float dq[D / 8][4];
#pragma unroll
  for (int i = 0; i < D / 8; i++) dq[i][0] = dq[i][1] = dq[i][2] = dq[i][3] = 0.f;

  Walk<BN> walk(ranges, work), ahead = walk;
  auto fetch = [&](int buffer) {
    if (ahead.there()) {
      loadTile<D, BN, THREADS, narrow>(keyTile(buffer), qkv + (heads + kvHead) * size, qkvStride, ahead.at, ahead.now.end, size);
      loadTile<D, BN, THREADS, narrow>(valueTile(buffer), qkv + (heads + kvHeads + kvHead) * size, qkvStride, ahead.at, ahead.now.end, size);
      ahead.next();
    }
    copyCommit();
  };
  fetch(0);
  for (int buffer = 0; walk.there(); walk.next(), buffer ^= 1) {
    fetch(buffer ^ 1);
    copyWait<1>();
    __syncthreads();
    float s[BN / 8][4], dp[BN / 8][4];
#pragma unroll
    for (int j = 0; j < BN / 8; j++)
#pragma unroll
      for (int k = 0; k < 4; k++) s[j][k] = dp[j][k] = 0.f;
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
      u32 a[4], d[4];
      leftOperand<D>(a, queryTile, warp * 16, k * 16);
      leftOperand<D>(d, outTile, warp * 16, k * 16);
#pragma unroll
      for (int j = 0; j < BN / 16; j++) {
        u32 b[4];
        rightOperandOfRows<D>(b, keyTile(buffer), j * 16, k * 16);
        multiply(s[2 * j], a, b[0], b[1]);
        multiply(s[2 * j + 1], a, b[2], b[3]);
        rightOperandOfRows<D>(b, valueTile(buffer), j * 16, k * 16);
        multiply(dp[2 * j], d, b[0], b[1]);
        multiply(dp[2 * j + 1], d, b[2], b[3]);
      }
    }
    const bool masked = walk.at + BN > walk.now.end || (walk.now.causal && walk.at + BN - 1 > work.start + warp * 16);
#pragma unroll
    for (int j = 0; j < BN / 8; j++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        float p = exp2f(s[j][i] * scale2 - rowSum[i >> 1]);
        if (masked) {
          const int keyRow = walk.at + j * 8 + (lane & 3) * 2 + (i & 1);
          if (keyRow >= walk.now.end || (walk.now.causal && keyRow > row + (i >> 1) * 8)) p = 0.f;
        }
        s[j][i] = p * (dp[j][i] - dot[i >> 1]);
      }
#pragma unroll
    for (int j = 0; j < BN / 16; j++) {
      const u32 ds[4] = {pack(s[2 * j][0], s[2 * j][1]), pack(s[2 * j][2], s[2 * j][3]), pack(s[2 * j + 1][0], s[2 * j + 1][1]),
                         pack(s[2 * j + 1][2], s[2 * j + 1][3])};
#pragma unroll
      for (int n = 0; n < D / 16; n++) {
        u32 b[4];
        rightOperand<D>(b, keyTile(buffer), j * 16, n * 16);
        multiply(dq[2 * n], ds, b[0], b[1]);
        multiply(dq[2 * n + 1], ds, b[2], b[3]);
      }
    }
    __syncthreads();
  }
  copyWait<0>();
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int at = row + i * 8;
    if (at >= end) continue;
    b16* to = dQkv + (size_t)at * dQkvStride + head * size + (lane & 3) * 2;
#pragma unroll
    for (int n = 0; n < D / 8; n++)
      if (!narrow || n * 8 < size) *(u32*)(to + n * 8) = pack(dq[n][2 * i] * scale, dq[n][2 * i + 1] * scale);
  }
}

#define BACKWARD(NAME, D, narrow)                                                                                               \
  KERNEL void __launch_bounds__(128, 2) attention_backward_keys_##NAME(                                                         \
      b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const float* logSum, const float* delta, const b16* qkv,      \
      int qkvStride, int heads, int kvHeads, int width, float scale, const Work* works, const Range* ranges) {                  \
    keysAndValues<D, narrow>(dQkv, dQkvStride, dOut, dOutStride, logSum, delta, qkv, qkvStride, heads, kvHeads, width, scale,   \
                             works, ranges);                                                                                    \
  }                                                                                                                             \
  KERNEL void __launch_bounds__(128, 2) attention_backward_queries_##NAME(                                                      \
      b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const float* logSum, const float* delta, const b16* qkv,      \
      int qkvStride, int heads, int kvHeads, int width, float scale, const Work* works, const Range* ranges) {                  \
    queries<D, narrow>(dQkv, dQkvStride, dOut, dOutStride, logSum, delta, qkv, qkvStride, heads, kvHeads, width, scale, works,  \
                       ranges);                                                                                                 \
  }
BACKWARD(narrow, 64, true)
BACKWARD(64, 64, false)
BACKWARD(128, 128, false)

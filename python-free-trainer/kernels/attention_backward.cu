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
  constexpr int BN = 64, BM = 64, THREADS = 128;
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
    const bool masked = walk.now.causal && walk.at < work.start + warp * 16 + 15;
    // Probabilities of all 64 queries, as the left operand; in pairs, to leave registers for the sums.
    u32 p[BM / 16][4];
    {
      float s[BM / 8][4];
#pragma unroll
      for (int j = 0; j < BM / 8; j++) s[j][0] = s[j][1] = s[j][2] = s[j][3] = 0.f;
#pragma unroll 4
      for (int k = 0; k < D / 16; k++) {
        u32 a[4];
        leftOperand<D>(a, keyTile, warp * 16, k * 16);
#pragma unroll
        for (int j = 0; j < BM / 16; j++) {
          u32 b[4];
          rightOperandOfRows<D>(b, queryTile(buffer), j * 16, k * 16);
          multiply(s[2 * j], a, b[0], b[1]);
          multiply(s[2 * j + 1], a, b[2], b[3]);
        }
      }
#pragma unroll
      for (int j = 0; j < BM / 8; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int column = j * 8 + (lane & 3) * 2 + (i & 1);
          s[j][i] = powerOfTwo(s[j][i] * scale2 - rowSums[buffer * BM + column]);
          if (masked && walk.at + column < key + (i >> 1) * 8) s[j][i] = 0.f;
        }
        p[j / 2][(j & 1) * 2] = pack(s[j][0], s[j][1]);
        p[j / 2][(j & 1) * 2 + 1] = pack(s[j][2], s[j][3]);
      }
    }
#pragma unroll
    for (int j = 0; j < BM / 16; j++)
#pragma unroll
      for (int n = 0; n < D / 16; n++) {
        u32 b[4];
        rightOperand<D>(b, outTile(buffer), j * 16, n * 16);
        multiply(dv[2 * n], p[j], b[0], b[1]);
        multiply(dv[2 * n + 1], p[j], b[2], b[3]);
      }
    {
      float dp[BM / 8][4];
#pragma unroll
      for (int j = 0; j < BM / 8; j++) dp[j][0] = dp[j][1] = dp[j][2] = dp[j][3] = 0.f;
#pragma unroll 4
      for (int k = 0; k < D / 16; k++) {
        u32 v[4];
        leftOperand<D>(v, valueTile, warp * 16, k * 16);
#pragma unroll
        for (int j = 0; j < BM / 16; j++) {
          u32 b[4];
          rightOperandOfRows<D>(b, outTile(buffer), j * 16, k * 16);
          multiply(dp[2 * j], v, b[0], b[1]);
          multiply(dp[2 * j + 1], v, b[2], b[3]);
        }
      }
#pragma unroll
      for (int j = 0; j < BM / 8; j++) {
        const int column = 2 * BM + buffer * BM + j * 8 + (lane & 3) * 2;
        const float dots[2] = {rowSums[column], rowSums[column + 1]};
#pragma unroll
        for (int half = 0; half < 2; half++) {
          u32& pair = p[j / 2][(j & 1) * 2 + half];
          pair = pack(low(pair) * (dp[j][2 * half] - dots[0]), high(pair) * (dp[j][2 * half + 1] - dots[1]));
        }
      }
    }
#pragma unroll
    for (int j = 0; j < BM / 16; j++)
#pragma unroll
      for (int n = 0; n < D / 16; n++) {
        u32 b[4];
        rightOperand<D>(b, queryTile(buffer), j * 16, n * 16);
        multiply(dk[2 * n], p[j], b[0], b[1]);
        multiply(dk[2 * n + 1], p[j], b[2], b[3]);
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

// dQ of 128 rows of one head, 32 rows a warp: what a warp reads of a tile of keys or values serves both halves of its rows.
template <int D, bool narrow>
DEVICE void queries(b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const float* logSum, const float* delta,
                    const b16* qkv, int qkvStride, int heads, int kvHeads, int width, float scale, const Work* works,
                    const Range* ranges) {
  constexpr int MT = 2, WARPS = 4, BM = WARPS * 16 * MT, BN = 32, THREADS = WARPS * 32;
  extern __shared__ __align__(128) unsigned char shared[];
  const u32 base = sharedAddress(shared);
  constexpr u32 queryBytes = BM * D * 2, tileBytes = BN * D * 2;
  const u32 queryTile = base, outTile = base + queryBytes, first = base + 2 * queryBytes;
  auto keyTile = [&](int buffer) { return first + buffer * tileBytes; };
  auto valueTile = [&](int buffer) { return first + (2 + buffer) * tileBytes; };

  const int size = narrow ? width : D;
  const int head = blockIdx.y, kvHead = head / (heads / kvHeads);
  const Work work = works[blockIdx.x];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int row0 = work.start + warp * 16 * MT + (lane >> 2);  // and row0 + 8, + 16, + 24
  const int end = work.start + work.count;
  const float scale2 = scale * LOG2E;
  // Logarithms of sums and deltas of all rows: in shared memory, to leave registers for the sums.
  float* rowSums = (float*)(shared + 2 * queryBytes + 4 * tileBytes);
  {
    const int at = work.start + threadIdx.x;
    rowSums[threadIdx.x] = at < end ? logSum[(size_t)at * heads + head] * LOG2E : INFINITY;
    rowSums[BM + threadIdx.x] = at < end ? delta[(size_t)at * heads + head] : 0.f;
  }
  loadTile<D, BM, THREADS, narrow>(queryTile, qkv + head * size, qkvStride, work.start, end, size);
  loadTile<D, BM, THREADS, narrow>(outTile, dOut + head * size, dOutStride, work.start, end, size);

  float dq[MT][D / 8][4];
#pragma unroll
  for (int m = 0; m < MT; m++)
#pragma unroll
    for (int i = 0; i < D / 8; i++) dq[m][i][0] = dq[m][i][1] = dq[m][i][2] = dq[m][i][3] = 0.f;

  Walk<BN> walk(ranges, work), ahead = walk;
  auto fetch = [&](int buffer) {
    if (ahead.there()) {
      const b16* keys = qkv + (heads + kvHead) * size;
      loadTile<D, BN, THREADS, narrow>(keyTile(buffer), keys, qkvStride, ahead.at, ahead.now.end, size);
      loadTile<D, BN, THREADS, narrow>(valueTile(buffer), keys + kvHeads * size, qkvStride, ahead.at, ahead.now.end, size);
      ahead.next();
    }
    copyCommit();
  };
  fetch(0);
  for (int buffer = 0; walk.there(); walk.next(), buffer ^= 1) {
    fetch(buffer ^ 1);
    copyWait<1>();
    __syncthreads();
    float s[MT][BN / 8][4], dp[MT][BN / 8][4];
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
      for (int j = 0; j < BN / 8; j++)
#pragma unroll
        for (int k = 0; k < 4; k++) s[m][j][k] = dp[m][j][k] = 0.f;
#pragma unroll 4
    for (int k = 0; k < D / 16; k++) {
      u32 a[MT][4], d[MT][4];
#pragma unroll
      for (int m = 0; m < MT; m++) {
        leftOperand<D>(a[m], queryTile, (warp * MT + m) * 16, k * 16);
        leftOperand<D>(d[m], outTile, (warp * MT + m) * 16, k * 16);
      }
#pragma unroll
      for (int j = 0; j < BN / 16; j++) {
        u32 b[4], c[4];
        rightOperandOfRows<D>(b, keyTile(buffer), j * 16, k * 16);
        rightOperandOfRows<D>(c, valueTile(buffer), j * 16, k * 16);
#pragma unroll
        for (int m = 0; m < MT; m++) {
          multiply(s[m][2 * j], a[m], b[0], b[1]);
          multiply(s[m][2 * j + 1], a[m], b[2], b[3]);
          multiply(dp[m][2 * j], d[m], c[0], c[1]);
          multiply(dp[m][2 * j + 1], d[m], c[2], c[3]);
        }
      }
    }
    const bool masked = walk.at + BN > walk.now.end || (walk.now.causal && walk.at + BN - 1 > work.start + warp * 16 * MT);
    u32 ds[MT][BN / 16][4];
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
      for (int j = 0; j < BN / 8; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int at = warp * 16 * MT + m * 16 + (lane >> 2) + (i >> 1) * 8;
          float p = powerOfTwo(s[m][j][i] * scale2 - rowSums[at]);
          if (masked) {
            const int key = walk.at + j * 8 + (lane & 3) * 2 + (i & 1);
            if (key >= walk.now.end || (walk.now.causal && key > row0 + m * 16 + (i >> 1) * 8)) p = 0.f;
          }
          s[m][j][i] = p * (dp[m][j][i] - rowSums[BM + at]);
        }
        ds[m][j / 2][(j & 1) * 2] = pack(s[m][j][0], s[m][j][1]);
        ds[m][j / 2][(j & 1) * 2 + 1] = pack(s[m][j][2], s[m][j][3]);
      }
#pragma unroll
    for (int j = 0; j < BN / 16; j++)
#pragma unroll
      for (int n = 0; n < D / 16; n++) {
        u32 b[4];
        rightOperand<D>(b, keyTile(buffer), j * 16, n * 16);
#pragma unroll
        for (int m = 0; m < MT; m++) {
          multiply(dq[m][2 * n], ds[m][j], b[0], b[1]);
          multiply(dq[m][2 * n + 1], ds[m][j], b[2], b[3]);
        }
      }
    __syncthreads();
  }
  copyWait<0>();
#pragma unroll
  for (int m = 0; m < MT; m++)
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int at = row0 + m * 16 + i * 8;
      if (at >= end) continue;
      b16* to = dQkv + (size_t)at * dQkvStride + head * size + (lane & 3) * 2;
#pragma unroll
      for (int n = 0; n < D / 8; n++)
        if (!narrow || n * 8 < size) *(u32*)(to + n * 8) = pack(dq[m][n][2 * i] * scale, dq[m][n][2 * i + 1] * scale);
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

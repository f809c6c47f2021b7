// Norm of each query and key head (Qwen3) and rotary positions, half-split (arXiv 2104.09864): (x1, x2) -> (x1 cos - x2 sin,
// x2 cos + x1 sin). A group of D / 4 lanes holds one head of one row, four elements a lane. Reference: backend/cpu/kernels
// (rotate, rotateBackward).
#include "common.cuh"

template <int LANES>
DEVICE float groupSum(float value) {
#pragma unroll
  for (int step = LANES / 2; step; step >>= 1) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// Two elements that lie beside each other.
DEVICE void readPair(const b16* from, int at, float* x) {
  const u32 pair = ((const u32*)from)[at];
  x[0] = low(pair), x[1] = high(pair);
}
DEVICE void readPair(const float* from, int at, float* x) { x[0] = from[2 * at], x[1] = from[2 * at + 1]; }

// `rstd` null: no norms. rstd [rows, heads + kvHeads]. Where `kept` is not null it gets qkv as bfloat16.
template <int D, typename In>
DEVICE void rotate(b16* out, int outStride, b16* kept, int keptStride, float* rstd, const In* qkv, int qkvStride,
                   const float* cosines, const float* sines, const int* positions, const float* queryWeight,
                   const float* keyWeight, int rows, int headsTold, int kvHeadsTold, float eps) {
  const int heads = fixed(HEADS, headsTold), kvHeads = fixed(KV_HEADS, kvHeadsTold);
  constexpr int LANES = D / 4;
  const int all = heads + 2 * kvHeads;
  const long long group = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  const bool isThere = group < (long long)rows * all;
  const int row = isThere ? (int)(group / all) : 0, head = isThere ? (int)(group % all) : 0;
  const In* from = qkv + (size_t)row * qkvStride + head * D;
  u32* to = (u32*)(out + (size_t)row * outStride + head * D);
  float x1[2], x2[2];
  readPair(from, lane, x1), readPair(from, LANES + lane, x2);
  u32 first = pack(x1[0], x1[1]), second = pack(x2[0], x2[1]);
  if (kept != nullptr && isThere) {
    u32* as = (u32*)(kept + (size_t)row * keptStride + head * D);
    as[lane] = first, as[LANES + lane] = second;
  }
  // Heads of both kinds may share a warp, and all its lanes take part in the sum.
  const float squares = groupSum<LANES>(x1[0] * x1[0] + x1[1] * x1[1] + x2[0] * x2[0] + x2[1] * x2[1]);
  if (head < heads + kvHeads) {
    if (rstd != nullptr) {
      const float r = rsqrtf(squares / D + eps);
      if (lane == 0 && isThere) rstd[(size_t)row * (heads + kvHeads) + head] = r;
      const float* w = head < heads ? queryWeight : keyWeight;
#pragma unroll
      for (int i = 0; i < 2; i++) x1[i] *= r * w[2 * lane + i], x2[i] *= r * w[D / 2 + 2 * lane + i];
    }
    const size_t at = (size_t)positions[row] * (D / 2) + 2 * lane;
    const float c[2] = {cosines[at], cosines[at + 1]}, s[2] = {sines[at], sines[at + 1]};
    first = pack(x1[0] * c[0] - x2[0] * s[0], x1[1] * c[1] - x2[1] * s[1]);
    second = pack(x2[0] * c[0] + x1[0] * s[0], x2[1] * c[1] + x1[1] * s[1]);
  }
  if (!isThere) return;
  to[lane] = first;
  to[LANES + lane] = second;
}

// Inverse rotation, then the gradient of the norm. `qkv` is what the forward pass read.
template <int D>
DEVICE void rotateBackward(b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const b16* qkv, int qkvStride,
                           const float* rstd, const float* cosines, const float* sines, const int* positions,
                           const float* queryWeight, const float* keyWeight, int rows, int headsTold, int kvHeadsTold) {
  const int heads = fixed(HEADS, headsTold), kvHeads = fixed(KV_HEADS, kvHeadsTold);
  constexpr int LANES = D / 4;
  const int all = heads + 2 * kvHeads;
  const long long group = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  const bool isThere = group < (long long)rows * all;
  const int row = isThere ? (int)(group / all) : 0, head = isThere ? (int)(group % all) : 0;
  const u32* from = (const u32*)(dOut + (size_t)row * dOutStride + head * D);
  u32* to = (u32*)(dQkv + (size_t)row * dQkvStride + head * D);
  u32 first = from[lane], second = from[LANES + lane];
  float dot = 0.f, d1[2], d2[2], x1[2] = {0.f, 0.f}, x2[2] = {0.f, 0.f}, r = 0.f;
  const bool isRotated = head < heads + kvHeads;
  if (isRotated) {
    const size_t at = (size_t)positions[row] * (D / 2) + 2 * lane;
    const float c[2] = {cosines[at], cosines[at + 1]}, s[2] = {sines[at], sines[at + 1]};
    const float y1[2] = {low(first), high(first)}, y2[2] = {low(second), high(second)};
#pragma unroll
    for (int i = 0; i < 2; i++) d1[i] = y1[i] * c[i] + y2[i] * s[i], d2[i] = y2[i] * c[i] - y1[i] * s[i];
    if (rstd != nullptr) {
      const u32* x = (const u32*)(qkv + (size_t)row * qkvStride + head * D);
      const u32 a = x[lane], b = x[LANES + lane];
      const float* w = head < heads ? queryWeight : keyWeight;
      r = rstd[(size_t)row * (heads + kvHeads) + head];
      x1[0] = low(a) * r, x1[1] = high(a) * r, x2[0] = low(b) * r, x2[1] = high(b) * r;
#pragma unroll
      for (int i = 0; i < 2; i++) {
        d1[i] *= w[2 * lane + i], d2[i] *= w[D / 2 + 2 * lane + i];
        dot += d1[i] * x1[i] + d2[i] * x2[i];
      }
    }
  }
  const float mean = groupSum<LANES>(dot) / D;
  if (!isThere) return;
  if (isRotated) {
    if (rstd != nullptr)
#pragma unroll
      for (int i = 0; i < 2; i++) d1[i] = r * (d1[i] - x1[i] * mean), d2[i] = r * (d2[i] - x2[i] * mean);
    first = pack(d1[0], d1[1]);
    second = pack(d2[0], d2[1]);
  }
  to[lane] = first;
  to[LANES + lane] = second;
}

#define ROTATE(D)                                                                                                               \
  KERNEL void rotate_##D(b16* out, int outStride, float* rstd, const b16* qkv, int qkvStride, const float* cosines,             \
                         const float* sines, const int* positions, const float* queryWeight, const float* keyWeight, int rows,  \
                         int heads, int kvHeads, float eps) {                                                                   \
    rotate<D>(out, outStride, nullptr, 0, rstd, qkv, qkvStride, cosines, sines, positions, queryWeight, keyWeight, rows, heads, \
              kvHeads, eps);                                                                                                    \
  }                                                                                                                             \
  KERNEL void rotate_backward_##D(b16* dQkv, int dQkvStride, const b16* dOut, int dOutStride, const b16* qkv, int qkvStride,    \
                                  const float* rstd, const float* cosines, const float* sines, const int* positions,            \
                                  const float* queryWeight, const float* keyWeight, int rows, int heads, int kvHeads) {         \
    rotateBackward<D>(dQkv, dQkvStride, dOut, dOutStride, qkv, qkvStride, rstd, cosines, sines, positions, queryWeight,         \
                      keyWeight, rows, heads, kvHeads);                                                                         \
  }
// The same from float32.
#define ROTATE_EXACT(D)                                                                                                         \
  KERNEL void rotate_exact_##D(b16* out, int outStride, b16* kept, int keptStride, float* rstd, const float* qkv, int qkvStride,\
                               const float* cosines, const float* sines, const int* positions, const float* queryWeight,        \
                               const float* keyWeight, int rows, int heads, int kvHeads, float eps) {                           \
    rotate<D>(out, outStride, kept, keptStride, rstd, qkv, qkvStride, cosines, sines, positions, queryWeight, keyWeight, rows,  \
              heads, kvHeads, eps);                                                                                             \
  }
// By way of another macro: what stands beside ## is not expanded.
#define ROTATE_OF(D) ROTATE(D)
#ifdef HEAD_DIM
ROTATE_OF(HEAD_DIM)
#else
ROTATE(16)
ROTATE(32)
ROTATE(64)
ROTATE(128)
// Once a pass, in the first block: nothing is gained by knowing a model's sizes.
ROTATE_EXACT(16)
ROTATE_EXACT(32)
ROTATE_EXACT(64)
ROTATE_EXACT(128)
#endif

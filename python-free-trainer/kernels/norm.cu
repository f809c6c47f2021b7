// RMSNorm of rows (arXiv 1910.07467), one warp a row. Reference: backend/cpu/kernels (rmsNorm, rmsNormBackward).
// The number of 16-byte pieces a lane holds is known when compiling: 2.4 times as fast as a loop over a width told at run time.
#include "common.cuh"

// What is done with what rounding took from the stream before: it is not there yet, passed on beside it, or added to it.
constexpr int NOTHING_LOST = 0, ADD_LOST = 2;

// residual = from + delta (where there is one; `from` may be `residual`); out = residual * rstd * weight; rstd = 1 / sqrt(mean of squares + eps).
// Where `lost` is not null it gets what rounding takes from the sum, and what it held is added to the sum before or passed on.
template <int PIECES>
DEVICE void rmsNorm(b16* out, int outStride, float* rstd, b16* residual, int residualStride, const b16* from, int fromStride,
                    const b16* delta, int deltaStride, b16* lost, int lostStride, int lostUse, const float* weight, int rows,
                    int widthTold, float eps) {
  const int width = fixed(HIDDEN, widthTold);
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  uint4* kept = (uint4*)(residual + (size_t)row * residualStride);
  const uint4* base = delta == nullptr ? kept : (const uint4*)(from + (size_t)row * fromStride);
  const uint4* more = (const uint4*)(delta + (size_t)row * deltaStride);
  uint4* carried = (uint4*)(lost + (size_t)row * lostStride);
  const int pieces = width / 8;
  uint4 held[PIECES];
  float squares = 0.f;
#pragma unroll
  for (int i = 0; i < PIECES; i++) {
    const int at = i * 32 + lane;
    if (at >= pieces) continue;
    held[i] = base[at];
    float f[8];
    unpack8(held[i], f);
    if (delta != nullptr) {
      float d[8];
      unpack8(more[at], d);
#pragma unroll
      for (int k = 0; k < 8; k++) f[k] += d[k];
      float l[8] = {0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f};
      if (lost != nullptr && lostUse != NOTHING_LOST) unpack8(carried[at], l);
      if (lostUse == ADD_LOST)
#pragma unroll
        for (int k = 0; k < 8; k++) f[k] += l[k], l[k] = 0.f;
      // What is normed is what the backward pass finds: the rounded sum.
      held[i] = pack8(f);
      kept[at] = held[i];
      unpack8(held[i], d);
      if (lost != nullptr) {
#pragma unroll
        for (int k = 0; k < 8; k++) l[k] += f[k] - d[k];
        carried[at] = pack8(l);
      }
#pragma unroll
      for (int k = 0; k < 8; k++) f[k] = d[k];
    }
#pragma unroll
    for (int k = 0; k < 8; k++) squares += f[k] * f[k];
  }
  const float r = rsqrtf(warpSum(squares) / width + eps);
  if (lane == 0) rstd[row] = r;
  uint4* to = (uint4*)(out + (size_t)row * outStride);
#pragma unroll
  for (int i = 0; i < PIECES; i++) {
    const int at = i * 32 + lane;
    if (at >= pieces) continue;
    float f[8];
    unpack8(held[i], f);
    const float4 w0 = ((const float4*)weight)[2 * at], w1 = ((const float4*)weight)[2 * at + 1];
    const float w[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
#pragma unroll
    for (int k = 0; k < 8; k++) f[k] *= r * w[k];
    to[at] = pack8(f);
  }
}

// dResidual += rstd * (w dOut - x̂ mean(w dOut x̂)), x̂ = residual * rstd. Where `lost` is not null, what it holds is added too
// (unless `lostUse` says that there is nothing yet) and it gets what rounding takes from the sum.
template <int PIECES>
DEVICE void rmsNormBackward(b16* dResidual, int dResidualStride, b16* lost, int lostStride, int lostUse, const b16* dOut,
                            int dOutStride, const b16* residual, int residualStride, const float* rstd, const float* weight,
                            int rows, int width) {
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  const uint4* x = (const uint4*)(residual + (size_t)row * residualStride);
  const uint4* d = (const uint4*)(dOut + (size_t)row * dOutStride);
  uint4* to = (uint4*)(dResidual + (size_t)row * dResidualStride);
  uint4* carried = (uint4*)(lost + (size_t)row * lostStride);
  const int pieces = width / 8;
  const float r = rstd[row];
  uint4 heldX[PIECES], heldD[PIECES];
  float dot = 0.f;
#pragma unroll
  for (int i = 0; i < PIECES; i++) {
    const int at = i * 32 + lane;
    if (at >= pieces) continue;
    heldX[i] = x[at], heldD[i] = d[at];
    float fx[8], fd[8];
    unpack8(heldX[i], fx), unpack8(heldD[i], fd);
    const float4 w0 = ((const float4*)weight)[2 * at], w1 = ((const float4*)weight)[2 * at + 1];
    const float w[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
#pragma unroll
    for (int k = 0; k < 8; k++) dot += w[k] * fd[k] * fx[k];
  }
  const float mean = warpSum(dot) * r / width;
#pragma unroll
  for (int i = 0; i < PIECES; i++) {
    const int at = i * 32 + lane;
    if (at >= pieces) continue;
    float fx[8], fd[8], sum[8];
    unpack8(heldX[i], fx), unpack8(heldD[i], fd), unpack8(to[at], sum);
    const float4 w0 = ((const float4*)weight)[2 * at], w1 = ((const float4*)weight)[2 * at + 1];
    const float w[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
#pragma unroll
    for (int k = 0; k < 8; k++) sum[k] += r * (w[k] * fd[k] - fx[k] * r * mean);
    if (lost != nullptr && lostUse != NOTHING_LOST) {
      unpack8(carried[at], fx);
#pragma unroll
      for (int k = 0; k < 8; k++) sum[k] += fx[k];
    }
    const uint4 rounded = pack8(sum);
    to[at] = rounded;
    if (lost == nullptr) continue;
    unpack8(rounded, fx);
#pragma unroll
    for (int k = 0; k < 8; k++) sum[k] -= fx[k];
    carried[at] = pack8(sum);
  }
}

// What rounding took from normed rows: rest = residual * rstd * weight less the same as bfloat16.
KERNEL void norm_rest(b16* rest, int restStride, const b16* residual, int residualStride, const float* rstd, const float* weight,
                      int rows, int width) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int pieces = width / 8;
  const long long row = at / pieces;
  if (row >= rows) return;
  const int piece = (int)(at % pieces);
  float f[8], rounded[8];
  unpack8(((const uint4*)(residual + row * residualStride))[piece], f);
#pragma unroll
  for (int i = 0; i < 8; i++) f[i] *= rstd[row] * weight[piece * 8 + i];
  unpack8(pack8(f), rounded);
#pragma unroll
  for (int i = 0; i < 8; i++) f[i] -= rounded[i];
  ((uint4*)(rest + row * restStride))[piece] = pack8(f);
}

#define NORM(P)                                                                                                                 \
  KERNEL void rms_norm_##P(b16* out, int outStride, float* rstd, b16* residual, int residualStride, const b16* from,            \
                           int fromStride, const b16* delta, int deltaStride, b16* lost, int lostStride, int lostUse,           \
                           const float* weight, int rows, int width, float eps) {                                               \
    rmsNorm<P>(out, outStride, rstd, residual, residualStride, from, fromStride, delta, deltaStride, lost, lostStride, lostUse, \
               weight, rows, width, eps);                                                                                       \
  }                                                                                                                             \
  KERNEL void rms_norm_backward_##P(b16* dResidual, int dResidualStride, b16* lost, int lostStride, int lostUse,                \
                                    const b16* dOut, int dOutStride, const b16* residual, int residualStride,                   \
                                    const float* rstd, const float* weight, int rows, int width) {                              \
    rmsNormBackward<P>(dResidual, dResidualStride, lost, lostStride, lostUse, dOut, dOutStride, residual, residualStride, rstd, \
                       weight, rows, width);                                                                                    \
  }
// By way of another macro: what stands beside ## is not expanded.
#define NORM_OF(P) NORM(P)
#ifdef NORM_PIECES
NORM_OF(NORM_PIECES)
#else
// Up to 256 P elements: 576, 896, 960 to 1,024, 1,536, 2,048, 2,560, 3,072, 3,584, 4,096, 5,120 wide.
NORM(1)
NORM(3)
NORM(4)
NORM(6)
NORM(8)
NORM(10)
NORM(12)
NORM(14)
NORM(16)
NORM(20)
#endif

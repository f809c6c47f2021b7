// SwiGLU (arXiv 2002.05202): silu(gate) * up of rows [gate, up], eight elements a thread. Reference: backend/cpu/kernels
// (swiglu, swigluBackward).
#include "common.cuh"

DEVICE float sigmoid(float x) { return 1.f / (1.f + __expf(-x)); }

KERNEL void swiglu(b16* out, int outStride, const b16* gateUp, int gateUpStride, int rows, int width) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int pieces = fixed(FFN, width) / 8;
  const long long row = at / pieces;
  const int piece = (int)(at % pieces);
  if (row >= rows) return;
  const uint4* from = (const uint4*)(gateUp + row * gateUpStride);
  float g[8], u[8];
  unpack8(from[piece], g), unpack8(from[pieces + piece], u);
#pragma unroll
  for (int i = 0; i < 8; i++) g[i] = g[i] * sigmoid(g[i]) * u[i];
  ((uint4*)(out + row * outStride))[piece] = pack8(g);
}

// Where active is not null it gets what swiglu gave, bit for bit; it may be dOut.
KERNEL void swiglu_backward(b16* dGateUp, int dGateUpStride, const b16* dOut, int dOutStride, const b16* gateUp,
                            int gateUpStride, b16* active, int activeStride, int rows, int width) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int pieces = fixed(FFN, width) / 8;
  const long long row = at / pieces;
  const int piece = (int)(at % pieces);
  if (row >= rows) return;
  const uint4* from = (const uint4*)(gateUp + row * gateUpStride);
  uint4* to = (uint4*)(dGateUp + row * dGateUpStride);
  float g[8], u[8], d[8], a[8];
  unpack8(from[piece], g), unpack8(from[pieces + piece], u), unpack8(((const uint4*)(dOut + row * dOutStride))[piece], d);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const float s = sigmoid(g[i]);
    const float silu = g[i] * s;
    a[i] = silu * u[i];
    // d silu / d g = s (1 + g (1 - s))
    const float dGate = d[i] * u[i] * s * (1.f + g[i] * (1.f - s));
    u[i] = d[i] * silu;
    g[i] = dGate;
  }
  to[piece] = pack8(g);
  to[pieces + piece] = pack8(u);
  if (active != nullptr) ((uint4*)(active + row * activeStride))[piece] = pack8(a);
}

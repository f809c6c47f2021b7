// Matrix products where cuBLASLt is not found: c [M, N] = alpha op(a) op(b) + beta c, bfloat16 in, float32 sums. 128 x 128
// outputs a block, four warps of 64 x 64, three stages of 64 of the inner dimension. Inner sizes and strides are multiples of
// 8. Reference: backend/cpu/gemm.ts.
#include "attention.cuh"

constexpr int BM = 128, BN = 128, BK = 64, STAGES = 3, THREADS = 128;
constexpr u32 TILE = BM * BK * 2;
#if __CUDA_ARCH__ < 900
constexpr bool IS_BEFORE_HOPPER = true;
#else
constexpr bool IS_BEFORE_HOPPER = false;
#endif

// A tile of an operand: [128, 64] where the inner dimension is contiguous, else [64, 128].
template <bool inner>
DEVICE void loadOperand(u32 tile, const b16* matrix, int stride, int outer, int outerEnd, int k, int kEnd) {
  constexpr int columns = inner ? BK : BM, pieces = columns / 8;
#pragma unroll
  for (int i = 0; i < BM * BK / 8 / THREADS; i++) {
    const int at = i * THREADS + threadIdx.x, row = at / pieces, piece = at % pieces;
    const int o = inner ? outer + row : outer + piece * 8, kk = inner ? k + piece * 8 : k + row;
    const bool valid = o < outerEnd && kk < kEnd;
    const b16* from = valid ? (inner ? matrix + (size_t)o * stride + kk : matrix + (size_t)kk * stride + o) : matrix;
    copyAsync(tileAt<columns>(tile, row, piece), from, valid);
  }
}

// The left operand's fragment from a tile [inner, outer].
DEVICE void leftOperandTransposed(u32* a, u32 tile, int row, int k) {
  const int lane = threadIdx.x & 31;
  loadMatricesTransposed(a, tileAt<BM>(tile, k + ((lane >> 4) << 3) + (lane & 7), row / 8 + ((lane >> 3) & 1)));
}

// aInner: a is [M, K], else [K, M]; bInner: b is [N, K], else [K, N].
template <bool aInner, bool bInner, typename Out>
DEVICE void product(Out* c, int cStride, const b16* a, int aStride, const b16* b, int bStride, int M, int N, int K, float alpha,
                    float beta) {
  extern __shared__ __align__(128) unsigned char shared[];
  const u32 base = sharedAddress(shared);
  // Blocks that run together share operands: eight rows of tiles, column by column.
  const int tilesM = (M + BM - 1) / BM, tilesN = (N + BN - 1) / BN, band = 8 * tilesN;
  const int group = blockIdx.x / band, inBand = blockIdx.x % band, height = min(8, tilesM - group * 8);
  const int m0 = (group * 8 + inBand % height) * BM, n0 = (inBand / height) * BN;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int wm = (warp >> 1) * 64, wn = (warp & 1) * 64;

  float acc[4][8][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) acc[i][j][0] = acc[i][j][1] = acc[i][j][2] = acc[i][j][3] = 0.f;

  // Two at a time do not fit the registers of earlier generations where b is read by columns; all four do.
  constexpr int UNROLLED = IS_BEFORE_HOPPER && aInner && !bInner ? 4 : 2;
  const int steps = (K + BK - 1) / BK;
  auto fetch = [&](int step) {
    if (step < steps) {
      const u32 stage = base + (step % STAGES) * 2 * TILE;
      loadOperand<aInner>(stage, a, aStride, m0, M, step * BK, K);
      loadOperand<bInner>(stage + TILE, b, bStride, n0, N, step * BK, K);
    }
    copyCommit();
  };
#pragma unroll
  for (int i = 0; i < STAGES - 1; i++) fetch(i);
  for (int step = 0; step < steps; step++) {
    copyWait<STAGES - 2>();
    __syncthreads();
    fetch(step + STAGES - 1);
    const u32 stage = base + (step % STAGES) * 2 * TILE;
#pragma unroll UNROLLED
    for (int k = 0; k < BK; k += 16) {
      u32 left[4][4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        if (aInner) leftOperand<BK>(left[i], stage, wm + i * 16, k);
        else leftOperandTransposed(left[i], stage, wm + i * 16, k);
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
        u32 right[4];
        if (bInner) rightOperandOfRows<BK>(right, stage + TILE, wn + j * 16, k);
        else rightOperand<BN>(right, stage + TILE, k, wn + j * 16);
#pragma unroll
        for (int i = 0; i < 4; i++) {
          multiply(acc[i][2 * j], left[i], right[0], right[1]);
          multiply(acc[i][2 * j + 1], left[i], right[2], right[3]);
        }
      }
    }
  }
  copyWait<0>();

#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int row = m0 + wm + i * 16 + half * 8 + (lane >> 2);
      if (row >= M) continue;
#pragma unroll
      for (int j = 0; j < 8; j++) {
        const int column = n0 + wn + j * 8 + (lane & 3) * 2;
        if (column >= N) continue;
        float x = acc[i][j][2 * half] * alpha, y = acc[i][j][2 * half + 1] * alpha;
        Out* to = c + (size_t)row * cStride + column;
        if constexpr (sizeof(Out) == 2) {
          if (beta != 0.f) {
            const u32 old = *(const u32*)to;
            x += beta * low(old), y += beta * high(old);
          }
          *(u32*)to = pack(x, y);
        } else {
          // N may be the rank of an adapter, and odd.
          const bool isPair = column + 1 < N;
          if (beta != 0.f) x += beta * to[0], y += isPair ? beta * to[1] : 0.f;
          to[0] = x;
          if (isPair) to[1] = y;
        }
      }
    }
}

#define PRODUCT(NAME, AI, BI, OUT)                                                                                              \
  KERNEL void __launch_bounds__(128, 2) NAME(OUT* c, int cStride, const b16* a, int aStride, const b16* b, int bStride, int M,  \
                                             int N, int K, float alpha, float beta) {                                           \
    product<AI, BI, OUT>(c, cStride, a, aStride, b, bStride, M, N, K, alpha, beta);                                             \
  }
// Names: n as it stands, t transposed; then the type of c.
PRODUCT(gemm_nt_b16, true, true, b16)
PRODUCT(gemm_nn_b16, true, false, b16)
PRODUCT(gemm_tn_b16, false, false, b16)
PRODUCT(gemm_nt_f32, true, true, float)
PRODUCT(gemm_nn_f32, true, false, float)
PRODUCT(gemm_tn_f32, false, false, float)

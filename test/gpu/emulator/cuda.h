// What the sources of the kernels take from CUDA, for a C++ compiler. One thread of the GPU runs at a time; warps.cpp switches.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static
#define __align__(bytes)
#define __launch_bounds__(...)

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }

struct Position {
  unsigned x, y, z;
};
extern Position threadIdx, blockIdx, blockDim, gridDim;
/** Dynamic shared memory of the block; addresses of shared memory are offsets into it. */
extern unsigned char shared[];

template <typename To, typename From>
static inline To bitsAs(From value) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To result;
  memcpy(&result, &value, sizeof result);
  return result;
}
static inline float __uint_as_float(unsigned bits) { return bitsAs<float>(bits); }
static inline float __int_as_float(int bits) { return bitsAs<float>(bits); }
static inline unsigned __float_as_uint(float value) { return bitsAs<unsigned>(value); }
static inline float rsqrtf(float x) { return 1.f / sqrtf(x); }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline size_t __cvta_generic_to_shared(const void* pointer) { return (const unsigned char*)pointer - shared; }
#define __expf expf
#define __shfl_xor_sync(mask, value, step) shuffleXor(value, step)
#define __syncthreads() waitForBlock()

// All lanes of a warp, all threads of a block.
float shuffleXor(float value, int step);
void waitForBlock();
// What common.cuh says in PTX.
unsigned short toBfloat16(float value);
float powerOfTwoOf(float x);
void copyLater(unsigned to, const void* from, bool valid);
void commitCopies();
void waitForCopies(int left);
void readMatrices(unsigned* r, unsigned address, bool transposed);
void multiplyFragments(float* c, const unsigned* a, unsigned b0, unsigned b1);

// What all kernels share: bfloat16 without a header (so that NVRTC compiles these files without a toolkit), asynchronous
// copies, matrix fragments. Needs sm_80.
#pragma once

typedef unsigned short b16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define DEVICE __device__ __forceinline__
#define KERNEL extern "C" __global__

// What NVRTC does not bring along without the toolkit's headers.
#ifdef __CUDACC_RTC__
#define INFINITY __int_as_float(0x7f800000)
#endif

// Sizes of one model, where NVRTC compiles for it (gpu/kernel-constants.ts), so that divisions and loops by them are worked out
// beforehand; 0 where they are told at run time. Results are the same, bit for bit.
#ifndef HIDDEN
#define HIDDEN 0
#endif
#ifndef FFN
#define FFN 0
#endif
#ifndef HEADS
#define HEADS 0
#endif
#ifndef KV_HEADS
#define KV_HEADS 0
#endif
DEVICE constexpr int fixed(int constant, int parameter) { return constant == 0 ? parameter : constant; }

// Two bfloat16 in one register, the first in the low half.
DEVICE float low(u32 pair) { return __uint_as_float(pair << 16); }
DEVICE float high(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }
DEVICE u32 pack(float first, float second) {
  u32 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
DEVICE float widen(b16 value) { return __uint_as_float((u32)value << 16); }
DEVICE b16 narrow(float value) {
  b16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));
  return result;
}

// Eight bfloat16 and eight floats.
DEVICE void unpack8(const uint4& v, float* f) {
  f[0] = low(v.x), f[1] = high(v.x), f[2] = low(v.y), f[3] = high(v.y);
  f[4] = low(v.z), f[5] = high(v.z), f[6] = low(v.w), f[7] = high(v.w);
}
DEVICE uint4 pack8(const float* f) {
  return make_uint4(pack(f[0], f[1]), pack(f[2], f[3]), pack(f[4], f[5]), pack(f[6], f[7]));
}

// 2^x by the special function unit alone; results below 2^-126 become zero.
DEVICE float powerOfTwo(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

DEVICE float warpSum(float value) {
#pragma unroll
  for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(~0u, value, step);
  return value;
}
DEVICE float warpMax(float value) {
#pragma unroll
  for (int step = 16; step; step >>= 1) value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

DEVICE u32 sharedAddress(const void* pointer) { return (u32)__cvta_generic_to_shared(pointer); }

// 16 bytes from global to shared memory without registers; zeros where `valid` is false.
DEVICE void copyAsync(u32 shared, const void* global, bool valid = true) {
  int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes));
}
DEVICE void copyCommit() { asm volatile("cp.async.commit_group;"); }
template <int left>
DEVICE void copyWait() { asm volatile("cp.async.wait_group %0;" ::"n"(left)); }

// Four 8x8 matrices from shared memory, as they lie or transposed.
DEVICE void loadMatrices(u32* r, u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}
DEVICE void loadMatricesTransposed(u32* r, u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}

// c [16, 8] += a [16, 16] b [16, 8]; b given by columns.
DEVICE void multiply(float* c, const u32* a, u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
